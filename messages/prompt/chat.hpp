// A chat laid out as a prompt's segments, in the ChatML format of Qwen models:
//
//   <|im_start|>{role}\n{content}<|im_end|>\n      for each message, then
//   <|im_start|>assistant\n                        and what `thinking` asks for.
//
// What is a segment. Every text part of an array of contents is one; a content that is a plain
// string is cut at the separator, and each piece is one. Empty ones are dropped. A segment begins
// with its part; the format text behind the part, up to the next part of this or a later message,
// is the end of the segment. So the text behind the last part, with the generation prompt, ends the
// last segment, the question. What comes before the first part has no segment before it:
//   - if the first message is a system message, its first part has no segment of its own but goes
//   on
//     with the head, so that the lead is
//     `<|im_start|>system\n{part}<|im_end|>\n<|im_start|>user\n`;
//   - otherwise the head, `<|im_start|>user\n`, is the lead alone, and the first part of the user's
//     turn is a document (or the question), which can be found again in any other chat.
// Earlier turns of user and assistant are documents like any others.
//
// What is whose. Format text is ours: special tokens in it are recognized. The parts are the users'
// and the documents': special tokens in them are plain text. A segment is a list of pieces of
// either kind, tokenized one by one, so no word ever reaches from one kind into the other.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "messages/prompt/chat_message.hpp"
#include "messages/prompt/tokenizer.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

// Whether the model shall think before it answers. A client that says nothing (`unset`) gets `off`.
enum class chat_thinking : std::uint8_t { unset, off, on };

struct chat_options {
  chat_thinking thinking = chat_thinking::unset;
  std::optional<std::string> separator;  // Cuts plain string contents; nullopt: they are not cut.
};

struct chat_piece {
  std::string text;
  bool format = false;  // True: our text, special tokens recognized. False: users' text.

  friend bool operator==(const chat_piece&, const chat_piece&) = default;
};

struct chat_segment {
  std::vector<chat_piece> pieces;  // At least one, none empty, no two format pieces in a row.
};

// The segments of `messages` for a checkpoint with this tokenizer; at least one.
//
// Thinking `on` ends the prompt with `<think>\n`, `off` with `<think>\n\n</think>\n\n`, where the
// tokenizer has `<think>` and `</think>`; where it has not, `off` writes nothing and `on` is
// `rejected`. With think tokens, assistant turns before the last user turn lose what they thought:
// all up to and including `</think>` and the newlines behind it. `rejected` too if the tokenizer
// lacks `<|im_start|>` or `<|im_end|>`, or `messages` is empty.
result<std::vector<chat_segment>> lay_out_chat(std::span<const chat_message> messages,
                                               const tokenizer& words, const chat_options& options);

// The ids of a segment: of its pieces, each as its kind wants, one behind the other.
// `rejected` as `tokenizer::encode` does.
result<token_ids> tokenize(const tokenizer& words, const chat_segment& segment);

}  // namespace weft::messages
