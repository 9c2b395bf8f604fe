#include "messages/prompt/pre_tokenizer_file.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace weft::messages {

namespace {

using nlohmann::json;

const json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};

json split(const json& pattern) {
  return {{"type", "Split"}, {"pattern", pattern}, {"behavior", "Isolated"}, {"invert", false}};
}

json sequence(const std::vector<json>& parts) {
  return {{"type", "Sequence"}, {"pretokenizers", parts}};
}

std::string refusal(const json& field) {
  const auto read = read_pre_tokenizer(field);
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().kind == failure_kind::rejected);
  return read.error().message;
}

std::vector<std::string_view> cut_by(const json& field, std::string_view text) {
  const auto read = read_pre_tokenizer(field);
  REQUIRE(read.ok());
  REQUIRE(read->size() == 1);
  std::vector<std::string_view> pieces;
  REQUIRE((*read)[0].cut(text, pieces).ok());
  return pieces;
}

}  // namespace

TEST_CASE("splits and byte level, alone or in nested sequences, are read",
          "[messages][pre_tokenizer_file]") {
  CHECK(read_pre_tokenizer(byte_level)->empty());
  CHECK(read_pre_tokenizer(sequence({split({{"Regex", "a"}}), split({{"Regex", "b"}}), byte_level}))
            ->size() == 2);
  CHECK(read_pre_tokenizer(sequence({sequence({split({{"Regex", "a"}})}), byte_level}))->size() ==
        1);
}

TEST_CASE("byte level with use_regex, said or not, is GPT-2's pattern",
          "[messages][pre_tokenizer_file]") {
  json field = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  const std::vector<std::string_view> wanted = {"a", " b", "12"};
  CHECK(cut_by(field, "a b12") == wanted);
  field["use_regex"] = true;
  CHECK(cut_by(field, "a b12") == wanted);
}

TEST_CASE("a literal pattern is no regular expression", "[messages][pre_tokenizer_file]") {
  CHECK(cut_by(sequence({split({{"String", "a.(b"}}), byte_level}), "xa.(bxacb") ==
        std::vector<std::string_view>{"x", "a.(b", "xacb"});
}

TEST_CASE("what is not supported is refused by the name of its field",
          "[messages][pre_tokenizer_file]") {
  const std::string first = "pre_tokenizer.pretokenizers[0]";
  CHECK(refusal(nullptr) == "pre_tokenizer must be an object, but is null");
  CHECK(refusal(sequence({})).find("no ByteLevel") != std::string::npos);
  CHECK(refusal({{"type", "Whitespace"}}).find("pre_tokenizer.type 'Whitespace'") == 0);
  CHECK(refusal({{"type", "ByteLevel"}}).find("pre_tokenizer.add_prefix_space") == 0);
  CHECK(refusal({{"type", "Sequence"}}).find("pre_tokenizer.pretokenizers must be an array") == 0);
  CHECK(refusal(sequence({byte_level, split({{"Regex", "a"}})}))
            .find("pre_tokenizer.pretokenizers[1]: nothing") == 0);
  json removed = split({{"Regex", "a"}});
  removed["behavior"] = "Removed";
  CHECK(refusal(sequence({removed, byte_level})).find(first + ".behavior 'Removed'") == 0);
  json inverted = split({{"Regex", "a"}});
  inverted["invert"] = true;
  CHECK(refusal(sequence({inverted, byte_level})).find(first + ".invert") == 0);
  CHECK(refusal(sequence({split("a"), byte_level})).find(first + ".pattern must") == 0);
  CHECK(refusal(sequence({split({{"Regex", "("}}), byte_level})).find(first + ".pattern: ") == 0);
  CHECK(refusal(sequence(std::vector<json>(40, split({{"Regex", "a"}})))).find("more than 32") !=
        std::string::npos);
}

}  // namespace weft::messages
