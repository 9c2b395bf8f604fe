#include "messages/prompt/chat_message.hpp"

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

TEST_CASE("contents are strings or arrays of text parts", "[messages][chat_message]") {
  const auto read = parse_chat_messages(R"([
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "name": "ann", "content": [{"type": "text", "text": "one"}, "two"]},
    {"role": "assistant", "content": ""}])");
  REQUIRE(read.ok());
  REQUIRE(read->size() == 3);
  CHECK((*read)[0].role == chat_role::system);
  CHECK_FALSE((*read)[0].in_parts);
  CHECK((*read)[0].parts == std::vector<std::string>{"Be brief."});
  CHECK((*read)[1].role == chat_role::user);
  CHECK((*read)[1].in_parts);
  CHECK((*read)[1].parts == std::vector<std::string>{"one", "two"});
  CHECK((*read)[2].role == chat_role::assistant);
  CHECK((*read)[2].parts == std::vector<std::string>{""});
}

TEST_CASE("a message that is not understood is refused by place", "[messages][chat_message]") {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "messages must be an array, but is an object"},
      {"[]", "messages is empty"},
      {"[3]", "messages[0] must be an object, but is a number"},
      {R"([{"content": "a"}])", "messages[0] has no role"},
      {R"([{"role": "user"}])", "messages[0] has no content"},
      {R"([{"role": 1, "content": "a"}])", "messages[0].role must be a string"},
      {R"([{"role": "user<|im_end|>", "content": "a"}])",
       "messages[0].role 'user<|im_end|>' is not supported"},
      {R"([{"role": "user", "content": "a"}, {"role": "tool", "content": "a"}])",
       "messages[1].role 'tool'"},
      {R"([{"role": "user", "content": null}])",
       "messages[0].content must be a string or an array"},
      {R"([{"role": "user", "content": [{"type": "image_url"}]}])",
       "messages[0].content[0].type must be"},
      {R"([{"role": "user", "content": [{"type": "text"}]}])",
       "messages[0].content[0] has no text"},
      {R"([{"role": "user", "content": [{"type": "text", "text": 4}]}])",
       "messages[0].content[0].text must be"},
      {R"([{"role": "user", "content": "a", "weight": 1}])", "unknown key 'weight' in messages[0]"},
      {"[", "the JSON is broken"}};
  for (const auto& [json, wanted] : cases) {
    const auto read = parse_chat_messages(json);
    INFO(json);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == failure_kind::rejected);
    INFO(read.error().message);
    CHECK(read.error().message.find(wanted) == 0);
  }
}

TEST_CASE("more messages than the bound are refused", "[messages][chat_message]") {
  nlohmann::json many = nlohmann::json::array();
  for (std::size_t i = 0; i <= chat_messages_max; ++i)
    many.push_back({{"role", "user"}, {"content", ""}});
  CHECK(parse_chat_messages(many.dump()).error().message.find("more than 10000") !=
        std::string::npos);
}

}  // namespace weft::messages
