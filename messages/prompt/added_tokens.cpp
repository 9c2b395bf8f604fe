#include "messages/prompt/added_tokens.hpp"

#include <algorithm>

#include <utf8proc.h>

#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

std::uint64_t edge(std::uint32_t node, char byte) {
  return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
}

char32_t first_character(std::string_view text) { return step_utf8(text).character; }

// Unicode's White_Space property.
bool is_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// What \w means for words: letters, marks, decimal and letter numbers, connectors, joiners, and the
// enclosed letters that Unicode counts as alphabetic.
bool is_word(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC: return true;
    default:
      return c == 0x200C || c == 0x200D || (c >= 0x24B6 && c <= 0x24E9) ||
             (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
             (c >= 0x1F170 && c <= 0x1F189);
  }
}

bool inside_word(std::string_view text, std::size_t begin, std::size_t end) {
  const bool before =
      begin > 0 && is_word(first_character(text.substr(last_character(text.substr(0, begin)))));
  const bool behind = end < text.size() && is_word(first_character(text.substr(end)));
  return before || behind;
}

std::size_t spaces_begin(std::string_view text, std::size_t begin) {
  while (begin > 0) {
    const std::size_t at = last_character(text.substr(0, begin));
    if (!is_space(first_character(text.substr(at)))) break;
    begin = at;
  }
  return begin;
}

std::size_t spaces_end(std::string_view text, std::size_t end) {
  while (end < text.size()) {
    const utf8_step step = step_utf8(text.substr(end));
    if (!is_space(step.character)) break;
    end += step.length;
  }
  return end;
}

}  // namespace

added_tokens::added_tokens(std::vector<added_token> tokens)
    : tokens_(std::move(tokens)), ends_(1, -1) {
  for (std::size_t index = 0; index < tokens_.size(); ++index) {
    std::uint32_t node = root;
    for (const char byte : tokens_[index].content) {
      const auto fresh = static_cast<std::uint32_t>(ends_.size());
      const auto [found, inserted] = next_.try_emplace(edge(node, byte), fresh);
      if (inserted) ends_.push_back(-1);
      node = found->second;
    }
    ends_[node] = static_cast<std::int32_t>(index);
    starts_[static_cast<unsigned char>(tokens_[index].content[0])] = true;
  }
}

// The leftmost match at or after `from`, and the longest there.
std::optional<added_tokens::match> added_tokens::find(std::string_view text,
                                                      std::size_t from) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!starts_[static_cast<unsigned char>(text[begin])]) continue;
    std::optional<match> longest;
    std::uint32_t node = root;
    for (std::size_t at = begin; at < text.size(); ++at) {
      const auto next = next_.find(edge(node, text[at]));
      if (next == next_.end()) break;
      node = next->second;
      if (ends_[node] < 0) continue;
      longest = {begin, at + 1, &tokens_[static_cast<std::size_t>(ends_[node])]};
    }
    if (longest) return longest;
  }
  return std::nullopt;
}

void added_tokens::cut(std::string_view text, special_tokens how,
                       std::vector<text_piece>& pieces) const {
  std::size_t done = 0;  // Up to here the text is in `pieces`.
  std::size_t from = 0;
  while (!tokens_.empty()) {
    std::optional<match> found = find(text, from);
    if (!found) break;
    from = found->end;  // A match that does not count is still passed over as a whole.
    if (how == special_tokens::plain && found->token->special) continue;
    if (found->token->single_word && inside_word(text, found->begin, found->end)) continue;
    if (found->token->strip_left) found->begin = spaces_begin(text, found->begin);
    if (found->token->strip_right) found->end = spaces_end(text, found->end);
    // White space that the token before took along stays with it.
    found->begin = std::max(found->begin, done);
    if (found->end <= found->begin) continue;
    if (found->begin > done) pieces.push_back({text.substr(done, found->begin - done), {}});
    pieces.push_back({text.substr(found->begin, found->end - found->begin), found->token->id});
    done = found->end;
  }
  if (done < text.size()) pieces.push_back({text.substr(done), {}});
}

}  // namespace weft::messages
