#include <cmath>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

program_outcome score(std::vector<std::string> more, const std::string& input,
                      const std::string& model = tiny_model) {
  std::vector<std::string> arguments = {"score", "--model", model, "--cache-bytes", "256M"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_weft(arguments, input);
}

json golden() {
  std::ifstream file(tiny_model + "/golden.json");
  return json::parse(file);
}

std::vector<json> parsed(const program_outcome& outcome) {
  std::vector<json> lines;
  for (const std::string& line : lines_of(outcome.out)) lines.push_back(json::parse(line));
  return lines;
}

double largest_difference(const json& a, const json& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(a[i].get<double>() - b[i].get<double>()));
  return most;
}

}  // namespace

TEST_CASE("full recomputation scores the golden prompts as the public implementation does",
          "[actors][score]") {
  const json prompts = golden();
  std::string input;
  for (const json& prompt : prompts) input += json{{"ids", prompt["ids"]}}.dump() + "\n";
  const program_outcome outcome = score({"--logits", "--mode", "full_recompute"}, input);
  REQUIRE(outcome.code == exit_done);
  const auto lines = parsed(outcome);
  REQUIRE(lines.size() == prompts.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(largest_difference(lines[i]["last_logits"], prompts[i]["reference_logits"]) < 1e-4);
    std::size_t tokens = 0;
    for (const json& segment : prompts[i]["ids"]) tokens += segment.size();
    REQUIRE(lines[i]["logprobs"].size() == tokens);
    REQUIRE(lines[i]["argmax"].size() == tokens);
    CHECK(lines[i]["logprobs"][0].is_null());
    CHECK(lines[i]["argmax"][0].is_null());
    for (std::size_t t = 1; t < tokens; ++t) CHECK(lines[i]["logprobs"][t].get<double>() <= 0);
    CHECK(lines[i]["reused_tokens"] == 0);
  }
}

TEST_CASE("a line given twice is warm the second time and scores the same", "[actors][score]") {
  const json prompt = golden()[0];
  const std::string line = json{{"ids", prompt["ids"]}}.dump() + "\n";
  const auto lines = parsed(score({"--logits"}, line + line));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["reused_tokens"] == 0);
  CHECK(lines[1]["reused_tokens"].get<int>() > 50);
  CHECK(lines[0]["logprobs"] == lines[1]["logprobs"]);
  CHECK(lines[0]["argmax"] == lines[1]["argmax"]);
  CHECK(lines[0]["last_logits"] == lines[1]["last_logits"]);
  // Inside an entry there are no scores; in its seam and in the question there are.
  const std::size_t lead = prompt["ids"][0].size();
  const std::size_t document = prompt["ids"][1].size();
  const json& logprobs = lines[0]["logprobs"];
  for (std::size_t t = 0; t <= lead; ++t) CHECK(logprobs[t].is_null());
  for (std::size_t t = lead + 1; t < lead + 8; ++t) CHECK(logprobs[t].is_number());
  for (std::size_t t = lead + 8; t <= lead + document - 16; ++t) CHECK(logprobs[t].is_null());
  for (std::size_t t = lead + document - 15; t < lead + document; ++t)
    CHECK(logprobs[t].is_number());
  CHECK(logprobs.back().is_number());
}

TEST_CASE("without a cache the lines are isolated and score the same", "[actors][score]") {
  const std::string line = json{{"ids", golden()[1]["ids"]}}.dump() + "\n";
  const auto shared = parsed(score({}, line));
  const auto alone = parsed(score({"--no-cache"}, line + line));
  REQUIRE(alone.size() == 2);
  for (const json& each : alone) {
    CHECK(each["reused_tokens"] == 0);
    CHECK(each["logprobs"] == shared[0]["logprobs"]);
    CHECK_FALSE(each.contains("last_logits"));
  }
}

TEST_CASE("text and its ids score the same", "[actors][score]") {
  const json prompt = golden()[2];
  const std::string input = json{{"ids", prompt["ids"]}}.dump() + "\n" +
                            json{{"segments", prompt["segments"]}}.dump() + "\n";
  const auto lines = parsed(score({"--no-cache"}, input));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == lines[1]);
}

TEST_CASE("bad lines are answered in place and the others are scored", "[actors][score]") {
  const std::string good = "{\"ids\": [[1, 2, 3]]}\n";
  const program_outcome outcome = score(
      {}, good + "nonsense\n{\"ids\": [[5, 2048]]}\n{\"ids\": [[]]}\n{\"ids\": [[-1]]}\n" + good);
  CHECK(outcome.code == exit_failed);
  const auto lines = parsed(outcome);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0]["logprobs"].size() == 3);
  CHECK(contains(lines[1]["error"], "line 2"));
  CHECK(contains(lines[2]["error"], "token id 2048 is outside the vocabulary of 2048"));
  CHECK(contains(lines[3]["error"], "the prompt is empty"));
  CHECK(contains(lines[4]["error"], "token id -1"));
  CHECK(lines[5]["logprobs"] == lines[0]["logprobs"]);
}

TEST_CASE("ids need no tokenizer and text says that it does", "[actors][score]") {
  const auto folder = std::filesystem::temp_directory_path() / "weft_score_test_model";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::create_symlink(std::filesystem::path(tiny_model) / name, folder / name);
  const auto lines =
      parsed(score({}, "{\"ids\": [[1, 2]]}\n{\"segments\": [\"a\"]}\n", folder.string()));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["logprobs"].size() == 2);
  CHECK(contains(lines[1]["error"], "tokenizer.json"));
  std::filesystem::remove_all(folder);
}
