// A chat's messages, as OpenAI's clients send them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// Roles are closed: a role is written as format text, in which special tokens are recognized, so a
// free one would let a client write tokens.
enum class chat_role : std::uint8_t { system, user, assistant };

std::string_view name_of(chat_role role);

struct chat_message {
  chat_role role = chat_role::user;
  bool in_parts = false;           // The content was an array: each part is a segment.
  std::vector<std::string> parts;  // Exactly one if the content was a string.
};

inline constexpr std::size_t chat_messages_max = 10'000;  // A bound on work, far above real chats.

// The messages in the JSON array `json`: objects with `role` and `content`, the content a string or
// an array of `{"type": "text", "text": "..."}` (plain strings in it count too). `name` is ignored,
// since the format has no place for it. "developer" is read as "system". `rejected`, naming message
// and key, for anything else, and for an empty array.
result<std::vector<chat_message>> parse_chat_messages(std::string_view json);

}  // namespace weft::messages
