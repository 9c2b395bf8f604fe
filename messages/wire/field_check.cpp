#include "messages/wire/field_check.hpp"

#include <cmath>

#include "messages/prompt/utf8.hpp"

namespace weft::messages {

status field_check::verdict() const {
  if (breach_) return rejected(*breach_);
  return {};
}

bool field_check::fail(std::string_view field, std::string_view complaint) {
  if (ok())
    breach_ = std::string(conversation_) + ": " + std::string(field) + " " + std::string(complaint);
  return false;
}

bool field_check::demand(bool holds, std::string_view field, std::string_view complaint) {
  return holds || fail(field, complaint);
}

bool field_check::count(std::size_t is, std::size_t most, std::string_view field) {
  if (is <= most) return true;
  return fail(field, "has " + std::to_string(is) + " items; at most " + std::to_string(most) +
                         " may be sent");
}

bool field_check::range(std::int64_t is, std::int64_t least, std::int64_t most,
                        std::string_view field) {
  if (least <= is && is <= most) return true;
  return fail(field, "is " + std::to_string(is) + ", outside [" + std::to_string(least) + ", " +
                         std::to_string(most) + "]");
}

bool field_check::measure(double is, std::string_view field) {
  return (std::isfinite(is) && is >= 0) || fail(field, "is negative or not finite");
}

bool field_check::text(std::string_view is, std::size_t bytes_max, std::string_view field) {
  if (is.size() > bytes_max)
    return fail(field, "has " + std::to_string(is.size()) + " bytes; at most " +
                           std::to_string(bytes_max) + " may be sent");
  return !first_invalid_utf8(is) || fail(field, "is not UTF-8");
}

bool field_check::life(const node_life& is, std::string_view field) {
  return (is_node_name(is.node.text) && is.life.bits != 0) ||
         fail(field, "names no node, or no life of one");
}

}  // namespace weft::messages
