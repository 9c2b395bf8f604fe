#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

program_outcome tokenize(std::vector<std::string> more, const std::string& input) {
  std::vector<std::string> arguments = {"tokenize", "--model", tiny_model};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_weft(arguments, input);
}

}  // namespace

TEST_CASE("tokenize gives the golden ids and decodes them back", "[actors][tokenize]") {
  std::ifstream file(tiny_model + "/golden.json");
  const json prompt = json::parse(file)[0];
  std::string texts;
  std::string ids;
  for (std::size_t i = 0; i < prompt["segments"].size(); ++i) {
    texts += json{{"text", prompt["segments"][i]}}.dump() + "\n";
    ids += json{{"ids", prompt["ids"][i]}}.dump() + "\n";
  }
  const program_outcome encoded = tokenize({}, texts);
  CHECK(encoded.code == exit_done);
  CHECK(encoded.out == ids);
  const auto lines = lines_of(tokenize({"--decode"}, ids).out);
  REQUIRE(lines.size() == prompt["segments"].size());
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(json::parse(lines[i])["text"] == prompt["segments"][i]);
}

TEST_CASE("special tokens are recognized or plain text, as asked", "[actors][tokenize]") {
  const std::string line = "{\"text\": \"<|im_end|>\"}\n";
  CHECK(tokenize({}, line).out == "{\"ids\":[2047]}\n");
  CHECK(json::parse(tokenize({"--special", "plain"}, line).out)["ids"].size() > 1);
}

TEST_CASE("a bad line is answered in its place and the code is 1", "[actors][tokenize]") {
  const program_outcome outcome = tokenize({"--decode"}, "{\"ids\": [99999]}\n{\"ids\": []}\n{}\n");
  CHECK(outcome.code == exit_failed);
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 3);
  CHECK(contains(lines[0], "99999"));
  CHECK(lines[1] == "{\"text\":\"\"}");
  CHECK(contains(lines[2], "error"));
}
