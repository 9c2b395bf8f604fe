#include "policies/vocabulary/entry_key.hpp"

#include <cstring>

namespace weft {

namespace {

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::string entry_key::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text.push_back(digits[std::to_integer<std::size_t>(byte >> 4)]);
    text.push_back(digits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return text;
}

result<entry_key> parse_entry_key(std::string_view hex) {
  entry_key key;
  // The text itself is not quoted: it may be anything.
  if (hex.size() != 2 * key.bytes.size())
    return rejected("a key has 64 hexadecimal digits, not " + std::to_string(hex.size()) +
                    " bytes");
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const int high = digit_value(hex[2 * i]);
    const int low = digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0)
      return rejected("a key has hexadecimal digits only, but byte " +
                      std::to_string(high < 0 ? 2 * i : 2 * i + 1) + " is none");
    key.bytes[i] = static_cast<std::byte>(16 * high + low);
  }
  return key;
}

}  // namespace weft

std::size_t std::hash<weft::entry_key>::operator()(const weft::entry_key& key) const noexcept {
  std::size_t first = 0;
  std::memcpy(&first, key.bytes.data(), sizeof first);
  return first;
}
