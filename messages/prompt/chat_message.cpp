#include "messages/prompt/chat_message.hpp"

#include <nlohmann/json.hpp>

#include "messages/prompt/json_text.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

using nlohmann::json;

result<chat_role> read_role(const json& message, const std::string& where) {
  const auto field = message.find("role");
  if (field == message.end()) return rejected(where + " has no role");
  if (!field->is_string()) return wrong_kind(where + ".role", "a string", *field);
  const auto& name = field->get_ref<const std::string&>();
  if (name == "system" || name == "developer") return chat_role::system;
  if (name == "user") return chat_role::user;
  if (name == "assistant") return chat_role::assistant;
  return rejected(where + ".role " + in_quotes(name) +
                  " is not supported; known are system, user, assistant");
}

result<std::string> read_part(const json& part, const std::string& where) {
  if (part.is_string()) return part.get<std::string>();
  if (!part.is_object()) return wrong_kind(where, "an object of type text", part);
  const auto type = part.find("type");
  if (type == part.end() || *type != "text") {
    return rejected(where + ".type must be \"text\"; other content is not supported");
  }
  const auto text = part.find("text");
  if (text == part.end()) return rejected(where + " has no text");
  if (!text->is_string()) return wrong_kind(where + ".text", "a string", *text);
  return text->get<std::string>();
}

result<chat_message> read_message(const json& field, const std::string& where) {
  const status keys = check_keys(field, {"role", "content", "name"}, where);
  if (!keys.ok()) return keys.error();
  const result<chat_role> role = read_role(field, where);
  if (!role.ok()) return role.error();
  const auto content = field.find("content");
  if (content == field.end()) return rejected(where + " has no content");
  chat_message message{.role = *role, .in_parts = content->is_array(), .parts = {}};
  if (content->is_string()) {
    message.parts.push_back(content->get<std::string>());
    return message;
  }
  if (!content->is_array()) {
    return wrong_kind(where + ".content", "a string or an array of text parts", *content);
  }
  for (std::size_t i = 0; i < content->size(); ++i) {
    result<std::string> part =
        read_part((*content)[i], where + ".content[" + std::to_string(i) + "]");
    if (!part.ok()) return part.error();
    message.parts.push_back(std::move(part).value());
  }
  return message;
}

}  // namespace

std::string_view name_of(chat_role role) {
  switch (role) {
    case chat_role::system: return "system";
    case chat_role::user: return "user";
    case chat_role::assistant: return "assistant";
  }
  return "user";
}

result<std::vector<chat_message>> parse_chat_messages(std::string_view text) {
  const result<json> parsed = parse_json(text);
  if (!parsed.ok()) return parsed.error();
  const json& array = *parsed;
  if (!array.is_array()) return wrong_kind("messages", "an array", array);
  if (array.empty()) return rejected("messages is empty");
  if (array.size() > chat_messages_max) {
    return rejected("messages has more than " + std::to_string(chat_messages_max) + " messages");
  }
  std::vector<chat_message> messages;
  for (std::size_t i = 0; i < array.size(); ++i) {
    result<chat_message> message = read_message(array[i], "messages[" + std::to_string(i) + "]");
    if (!message.ok()) return message.error();
    messages.push_back(std::move(message).value());
  }
  return messages;
}

}  // namespace weft::messages
