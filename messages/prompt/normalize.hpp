// Unicode normalization form C, by utf8proc.
#pragma once

#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// `text` in form C: a view of `text` itself where it is already known to be in it, else of
// `storage`, which is overwritten. Fails (`rejected`) only where the library does, on text it
// cannot hold. Requires: valid UTF-8. Any thread.
result<std::string_view> normalize_nfc(std::string_view text, std::string& storage);

}  // namespace weft::messages
