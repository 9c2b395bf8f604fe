#include "messages/prompt/tokenizer_file.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

using nlohmann::json;
using test::refusal_of;
using test::small_tokenizer;

namespace {

// `small_tokenizer` with the value at `pointer` replaced.
json with(const char* pointer, const json& value) {
  json file = small_tokenizer();
  file[json::json_pointer(pointer)] = value;
  return file;
}

}  // namespace

TEST_CASE("merges may be strings, pairs, or strings behind a version line",
          "[messages][tokenizer_file]") {
  const json pairs = json::parse(R"([["h", "e"], ["l", "l"], ["he", "ll"], ["hell", "o"]])");
  const json versioned = {"#version: 0.2", "h e", "l l", "he ll", "hell o"};
  for (const json& file :
       {small_tokenizer(), with("/model/merges", pairs), with("/model/merges", versioned)}) {
    const auto ids = test::parsed(file).encode("hello hell", special_tokens::recognized);
    REQUIRE(ids.ok());
    CHECK(*ids == token_ids{259, 32, 258});
  }
}

TEST_CASE("a field of the wrong kind is refused by name", "[messages][tokenizer_file]") {
  const std::pair<const char*, json> cases[] = {{"/model", 3},
                                                {"/model", nullptr},
                                                {"/model/vocab", json::array()},
                                                {"/model/vocab", nullptr},
                                                {"/model/merges", "h e"},
                                                {"/model/merges", nullptr},
                                                {"/model/ignore_merges", "yes"},
                                                {"/added_tokens", json::object()},
                                                {"/decoder", nullptr},
                                                {"/decoder", "ByteLevel"},
                                                {"/normalizer", 7},
                                                {"/post_processor", true}};
  for (const auto& [pointer, value] : cases) {
    const std::string message = refusal_of(with(pointer, value));
    std::string field = pointer + 1;
    std::replace(field.begin(), field.end(), '/', '.');
    INFO(pointer << ": " << message);
    CHECK(message.find(field + " must be") == 0);
  }
  CHECK(refusal_of(json::array()) == "the tokenizer must be an object, but is an array");
}

TEST_CASE("what is not supported is refused by name", "[messages][tokenizer_file]") {
  const std::tuple<const char*, json, const char*> cases[] = {
      {"/model/type", "WordPiece", "model.type 'WordPiece'"},
      {"/model/type", 4, "model.type '4'"},
      {"/model/dropout", 0.1, "model.dropout"},
      {"/model/unk_token", "<unk>", "model.unk_token"},
      {"/model/byte_fallback", true, "model.byte_fallback"},
      {"/model/continuing_subword_prefix", "##", "model.continuing_subword_prefix"},
      {"/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix"},
      {"/normalizer", {{"type", "Lowercase"}}, "normalizer.type 'Lowercase'"},
      {"/normalizer",
       {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "NFKC"}}}}},
       "normalizer.normalizers[1].type 'NFKC'"},
      {"/decoder", {{"type", "Metaspace"}}, "decoder.type 'Metaspace'"},
      {"/post_processor",
       {{"type", "TemplateProcessing"}},
       "post_processor.type 'TemplateProcessing'"},
      {"/pre_tokenizer", {{"type", "Metaspace"}}, "pre_tokenizer.type 'Metaspace'"}};
  for (const auto& [pointer, value, wanted] : cases) {
    const std::string message = refusal_of(with(pointer, value));
    INFO(pointer << ": " << message);
    CHECK(message.find(wanted) == 0);
    CHECK(message.find("not supported") != std::string::npos);
  }
}

TEST_CASE("what other writers leave empty is accepted", "[messages][tokenizer_file]") {
  json file = small_tokenizer();
  file["model"]["continuing_subword_prefix"] = "";
  file["model"]["dropout"] = 0.0;
  file["post_processor"] = {{"type", "ByteLevel"}, {"trim_offsets", false}};
  file["normalizer"] = nullptr;
  file["truncation"] = {{"max_length", 4}};
  file["model"].erase("type");
  file.erase("added_tokens");
  CHECK(refusal_of(file) == "");
}

TEST_CASE("a vocabulary with bad or doubled ids is refused by token",
          "[messages][tokenizer_file]") {
  CHECK(refusal_of(with("/model/vocab/hello", 258)).find("model.vocab: id 258 is given twice") ==
        0);
  CHECK(refusal_of(with("/model/vocab/hello", UINT64_MAX))
            .find("model.vocab: token 'hello' has id 18446744073709551615") == 0);
  CHECK(refusal_of(with("/added_tokens/1/id", UINT64_MAX))
            .find("added_tokens[1].id 18446744073709551615 is outside") == 0);
  CHECK(refusal_of(with("/model/vocab/hello", -1)).find("model.vocab: token 'hello' has id -1") ==
        0);
  CHECK(
      refusal_of(with("/model/vocab/hello", 1LL << 40)).find("model.vocab: token 'hello' has id") ==
      0);
  CHECK(
      refusal_of(with("/model/vocab/hello", 2.5)).find("model.vocab['hello'] must be an integer") ==
      0);
  CHECK(refusal_of(with("/model/vocab/hello", UINT64_MAX)).find("model.vocab: token 'hello'") == 0);
  CHECK(refusal_of(with("/model/vocab", json::object())) == "model.vocab is empty");
}

TEST_CASE("merges of tokens that are not there are refused by index",
          "[messages][tokenizer_file]") {
  CHECK(refusal_of(with("/model/merges/2", "he zz")) ==
        "model.merges[2] names 'zz', which is not in model.vocab");
  CHECK(refusal_of(with("/model/merges/1", "h h")) ==
        "model.merges[1] names 'hh', which is not in model.vocab");
  for (const json& bad : {json("h"), json("h e l"), json({"h"}), json({"h", 3}), json(7)}) {
    CHECK(refusal_of(with("/model/merges/3", bad)).find("model.merges[3] must be") == 0);
  }
}

TEST_CASE("broken added tokens are refused by index", "[messages][tokenizer_file]") {
  CHECK(refusal_of(with("/added_tokens/1", 5)).find("added_tokens[1] must be an object") == 0);
  CHECK(refusal_of(with("/added_tokens/1/content", "")).find("added_tokens[1].content is empty") ==
        0);
  CHECK(refusal_of(with("/added_tokens/1/content", 5)).find("added_tokens[1].content must be") ==
        0);
  CHECK(refusal_of(with("/added_tokens/1/id", "x")).find("added_tokens[1].id must be") == 0);
  CHECK(refusal_of(with("/added_tokens/1/id", 1LL << 33)).find("added_tokens[1].id 8589934592") ==
        0);
  CHECK(
      refusal_of(with("/added_tokens/1/id", 260)).find("added_tokens[1]: id 260 is given twice") ==
      0);
  CHECK(refusal_of(with("/added_tokens/1/content", "hello"))
            .find("added_tokens[1]: token 'hello' has two ids") == 0);
  CHECK(refusal_of(with("/added_tokens/1/lstrip", "no")).find("added_tokens[1].lstrip must be") ==
        0);
}

TEST_CASE("truncated, nested and oversized files are refused", "[messages][tokenizer_file]") {
  const std::string whole = test::file_at("examples/models/tiny-qwen3_5/tokenizer.json");
  for (std::size_t part = 0; part < 10; ++part) {
    const auto read =
        read_tokenizer_file(std::string_view(whole).substr(0, whole.size() * part / 10));
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message.find("JSON is broken") != std::string::npos);
  }
  CHECK_FALSE(read_tokenizer_file(std::string(1'000'000, '[')).ok());
  CHECK_FALSE(read_tokenizer_file(R"({"pre_tokenizer":)" + std::string(1'000'000, '{')).ok());
  const auto large = read_tokenizer_file(std::string(tokenizer_file_bytes_max + 1, ' '));
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().message.find("67108864 bytes") != std::string::npos);
}

TEST_CASE("a mutated tokenizer file is refused or works, and never crashes",
          "[messages][tokenizer_file]") {
  auto random = test::seeded(20);
  const std::string whole = small_tokenizer().dump();
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto made = tokenizer::parse(test::mutated(whole, random));
    if (!made.ok()) {
      ++refused;
      REQUIRE(made.error().kind == failure_kind::rejected);
      REQUIRE_FALSE(made.error().message.empty());
      continue;
    }
    const auto ids =
        made->encode("hello <|im_start|> it's 12 \xC3\xA9\n\n", special_tokens::recognized);
    if (ids.ok()) REQUIRE(made->decode(*ids).ok());
  }
  CHECK(refused > 1000);
}

}  // namespace weft::messages
