#include "messages/prompt/split_dialect.hpp"

namespace weft::messages {

namespace {

// Unicode's White_Space property, and everything else, as the inside of a class.
constexpr std::string_view spaces =
    R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029})"
    R"(\x{202f}\x{205f}\x{3000})";
constexpr std::string_view no_spaces =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})";

constexpr std::string_view ambiguous_escapes = "wWbBhHRXKQCGOyY";

failure unsupported(std::string_view what, std::size_t at) {
  return rejected("the regular expression uses " + std::string(what) + " at byte " +
                  std::to_string(at) + ", which is not supported");
}

std::string in_class(std::string_view content, bool open) {
  return open ? std::string(content) : "[" + std::string(content) + "]";
}

// Length of the escape at the start of `rest`: \p{L} and \x{20} are one, as is \n.
std::size_t escape_length(std::string_view rest) {
  const bool braces = rest.size() > 2 && rest[2] == '{' &&
                      std::string_view("pPx").find(rest[1]) != std::string_view::npos;
  const std::size_t end = braces ? rest.find('}') : std::string_view::npos;
  return end == std::string_view::npos ? 2 : end + 1;
}

// In Oniguruma (?m) lets '.' match line ends, in PCRE2 it moves the anchors; i and x are the same.
bool sets_other_options(std::string_view rest) {
  if (!rest.starts_with("(?")) return false;
  const std::size_t end = rest.find_first_of(":)", 2);
  const std::string_view letters = rest.substr(2, end - 2);
  return end != std::string_view::npos &&
         letters.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos &&
         letters.find_first_not_of("ix-") != std::string_view::npos;
}

// What of the regular expression at `rest`, an unescaped byte, the engines read differently; "" if
// nothing.
std::string_view difference(std::string_view rest, bool open) {
  if (open && rest[0] == '[') return "a class inside a class";
  if (open && rest.starts_with("&&")) return "an intersection of classes";
  if (open) return "";
  if (rest.starts_with("[]") || rest.starts_with("[^]")) return "an empty class";
  if (rest.starts_with("(*")) return "a verb";
  if (rest.starts_with("}+")) return "a possessive interval";
  if (sets_other_options(rest)) return "options other than i and x";
  return "";
}

}  // namespace

result<std::string> translate_split_regex(std::string_view regex) {
  std::string translated;
  bool open = false;  // Inside [ ].
  std::size_t at = 0;
  while (at < regex.size()) {
    const std::string_view rest = regex.substr(at);
    if (rest[0] == '\\' && rest.size() > 1) {
      if (ambiguous_escapes.find(rest[1]) != std::string_view::npos) {
        return unsupported(std::string("the escape \\") + rest[1], at);
      }
      const std::size_t length = escape_length(rest);
      const bool space = rest[1] == 's' || rest[1] == 'S';
      translated += space ? in_class(rest[1] == 's' ? spaces : no_spaces, open)
                          : std::string(rest.substr(0, length));
      at += length;
      continue;
    }
    const std::string_view different = difference(rest, open);
    if (!different.empty()) return unsupported(different, at);
    if (rest[0] == '[') open = true;
    if (rest[0] == ']') open = false;
    translated.push_back(rest[0]);
    ++at;
  }
  return translated;
}

}  // namespace weft::messages
