#include "messages/prompt/chat.hpp"

#include <algorithm>
#include <string_view>

#include "messages/prompt/segment.hpp"

namespace weft::messages {

namespace {

constexpr std::string_view turn_begin = "<|im_start|>";
constexpr std::string_view turn_end = "<|im_end|>";
constexpr std::string_view think_begin = "<think>";
constexpr std::string_view think_end = "</think>";

class layout {
 public:
  // Our text: goes on with the current segment, and opens the first one if there is none.
  void add_format(std::string_view text) {
    if (segments_.empty()) segments_.emplace_back();
    std::vector<chat_piece>& pieces = segments_.back().pieces;
    if (pieces.empty() || !pieces.back().format) pieces.push_back({.text = {}, .format = true});
    pieces.back().text.append(text);
  }

  // A part: begins a segment, or goes on with the lead.
  void add_part(std::string text, bool in_lead) {
    if (!in_lead) segments_.emplace_back();
    segments_.back().pieces.push_back({.text = std::move(text), .format = false});
  }

  std::vector<chat_segment> take() { return std::move(segments_); }

 private:
  std::vector<chat_segment> segments_;
};

// The parts of a message that are not empty, in order.
std::vector<std::string> parts_of(const chat_message& message,
                                  const std::optional<std::string>& separator) {
  std::vector<std::string> parts;
  for (const std::string& part : message.parts) {
    // An explicit part is one segment, whatever its text.
    for (prompt_segment& piece : cut_segments(part, message.in_parts ? std::nullopt : separator)) {
      parts.push_back(std::move(piece.text));
    }
  }
  return parts;
}

// The message without all up to the end of its thoughts.
chat_message without_thoughts(const chat_message& message) {
  chat_message rest = message;
  for (std::size_t i = message.parts.size(); i-- > 0;) {
    const std::size_t end = message.parts[i].rfind(think_end);
    if (end == std::string::npos) continue;
    rest.parts.erase(rest.parts.begin(), rest.parts.begin() + static_cast<std::ptrdiff_t>(i));
    const std::string_view after =
        std::string_view(message.parts[i]).substr(end + think_end.size());
    rest.parts[0] = after.substr(std::min(after.find_first_not_of('\n'), after.size()));
    break;
  }
  return rest;
}

// What stands behind the generation prompt.
result<std::string_view> thinking_text(chat_thinking thinking, bool has_think_tokens) {
  if (thinking != chat_thinking::on) {
    return std::string_view(has_think_tokens ? "<think>\n\n</think>\n\n" : "");
  }
  if (!has_think_tokens) {
    return rejected("thinking was asked for, but the checkpoint's tokenizer has no <think> token");
  }
  return std::string_view("<think>\n");
}

std::size_t last_user_turn(std::span<const chat_message> messages) {
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (messages[i].role == chat_role::user) return i;
  }
  return 0;
}

}  // namespace

result<std::vector<chat_segment>> lay_out_chat(std::span<const chat_message> messages,
                                               const tokenizer& words,
                                               const chat_options& options) {
  if (messages.empty()) return rejected("the chat has no messages");
  for (const std::string_view token : {turn_begin, turn_end}) {
    if (words.id_of(token)) continue;
    return rejected("the checkpoint's tokenizer has no " + std::string(token) +
                    " token, so it cannot chat; use plain completions");
  }
  const bool thinks = words.id_of(think_begin) && words.id_of(think_end);
  const result<std::string_view> thinking = thinking_text(options.thinking, thinks);
  if (!thinking.ok()) return thinking.error();

  layout segments;
  const std::size_t last_user = last_user_turn(messages);
  bool in_lead = messages[0].role == chat_role::system;  // The next part goes on with the head.
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const chat_message& message = messages[i];
    const bool forget = thinks && message.role == chat_role::assistant && i < last_user;
    segments.add_format(turn_begin);
    segments.add_format(name_of(message.role));
    segments.add_format("\n");
    for (std::string& part :
         parts_of(forget ? without_thoughts(message) : message, options.separator)) {
      segments.add_part(std::move(part), in_lead);
      in_lead = false;
    }
    in_lead = false;  // An empty system message leaves the lead as it is.
    segments.add_format(turn_end);
    segments.add_format("\n");
  }
  segments.add_format(turn_begin);
  segments.add_format("assistant\n");
  segments.add_format(*thinking);
  return segments.take();
}

result<token_ids> tokenize(const tokenizer& words, const chat_segment& segment) {
  token_ids ids;
  for (const chat_piece& piece : segment.pieces) {
    const result<token_ids> more =
        words.encode(piece.text, piece.format ? special_tokens::recognized : special_tokens::plain);
    if (!more.ok()) return more.error();
    ids.insert(ids.end(), more->begin(), more->end());
  }
  return ids;
}

}  // namespace weft::messages
