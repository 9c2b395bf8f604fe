// From Oniguruma's dialect of regular expressions, in which tokenizer.json is written, to PCRE2's.
#pragma once

#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// `regex` for PCRE2 with UTF, UCP and MULTILINE: \s and \S become the characters of Unicode's
// White_Space property and the others. `rejected`, with the offset, for what the two engines read
// differently: \w, \W, \b, \B, \h, \H, \R, \X, \K, \Q, \C, \G, \O, \y, \Y, class operations
// ([...&&...], [a[b]]), possessive intervals ({1,3}+), options other than i and x, verbs ("(*").
result<std::string> translate_split_regex(std::string_view regex);

}  // namespace weft::messages
