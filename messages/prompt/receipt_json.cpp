#include "messages/prompt/receipt_json.hpp"

#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

namespace weft::messages {

namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(std::string_view text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json object_of(const receipt& what) {
  return {
      {"segment", what.segment},
      {"role", name_of(what.role)},
      {"tokens", what.tokens},
      {"seam_tokens", what.seam_tokens},
      {"verdict", name_of(what.what)},
      {"reason", text_or_null(what.reason ? name_of(*what.reason) : std::string_view())},
      {"tier", text_or_null(what.tier)},
      {"worker", text_or_null(what.worker)},
      {"bytes_moved", what.bytes_moved},
      {"milliseconds", std::round(what.milliseconds * 1000) / 1000},
  };
}

// A worker's name comes from another node; what is not UTF-8 in it is replaced and not thrown
// about.
std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string receipt_json(const receipt& what) { return text_of(object_of(what)); }

std::string receipts_json(std::span<const receipt> all) {
  ordered_json array = ordered_json::array();
  for (const receipt& one : all) array.push_back(object_of(one));
  return text_of(array);
}

}  // namespace weft::messages
