#include "messages/wire/envelope.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "messages/wire/bounds.hpp"

namespace weft::messages {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

status check_size(schema_id schema, std::size_t bytes) {
  if (bytes <= envelope_bytes_max) return {};
  return rejected("a message of " + std::to_string(bytes) + " bytes (" +
                  std::string(name_of(schema)) + ") is too large to be sent; at most " +
                  std::to_string(envelope_bytes_max) + " are");
}

}  // namespace

std::string_view name_of(schema_id schema) {
  switch (schema) {
    case schema_id::none: return "none";
    case schema_id::membership: return "membership";
    case schema_id::directory: return "directory";
    case schema_id::serving: return "serving";
    case schema_id::prefill: return "prefill";
  }
  return "none";
}

result<schema_id> parse_schema_id(std::uint16_t number) {
  switch (static_cast<schema_id>(number)) {
    case schema_id::membership: return schema_id::membership;
    case schema_id::directory: return schema_id::directory;
    case schema_id::serving: return schema_id::serving;
    case schema_id::prefill: return schema_id::prefill;
    case schema_id::none: break;
  }
  return rejected("a message of conversation " + std::to_string(number) +
                  ", which this build does not know");
}

envelope::envelope(schema_id schema, std::vector<std::uint64_t> words)
    : schema_(schema),
      words_(std::make_shared<const std::vector<std::uint64_t>>(std::move(words))) {}

result<envelope> envelope::make(schema_id schema, std::vector<std::uint64_t> words) {
  const status fits = check_size(schema, words.size() * word_bytes);
  if (!fits.ok()) return fits.error();
  return envelope(schema, std::move(words));
}

result<envelope> envelope::copy(schema_id schema, std::span<const std::byte> bytes) {
  const status fits = check_size(schema, bytes.size());
  if (!fits.ok()) return fits.error();
  if (bytes.size() % word_bytes != 0)
    return rejected("a message of " + std::to_string(bytes.size()) +
                    " bytes, which are no whole words of 8");
  std::vector<std::uint64_t> words(bytes.size() / word_bytes);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return envelope(schema, std::move(words));
}

std::span<const std::byte> envelope::bytes() const {
  if (!words_) return {};
  return std::as_bytes(std::span(*words_));
}

bool operator==(const envelope& one, const envelope& other) {
  const auto left = one.bytes();
  const auto right = other.bytes();
  return one.schema_ == other.schema_ &&
         std::equal(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace weft::messages
