#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

const std::string prompt_file = source_folder + "/examples/prompts/single.json";

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"run", "--model", tiny_model, "--cache-bytes", "256M"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json runs_of(const program_outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  return json::parse(outcome.out).at("runs");
}

}  // namespace

TEST_CASE("run answers cold with nothing reused and warm with every document", "[actors][run]") {
  const json runs = runs_of(run_weft(with({"--json", "-", prompt_file})));
  REQUIRE(runs.size() == 2);
  const json& cold = runs[0];
  const json& warm = runs[1];
  CHECK(cold["name"] == "cold");
  CHECK(warm["name"] == "warm");
  CHECK(cold["text"] == "9100");
  CHECK(warm["ids"] == cold["ids"]);
  CHECK(cold["reused_tokens"] == 0);
  std::int64_t reusable = 0;
  REQUIRE(warm["receipts"].size() == 9);
  for (const json& receipt : warm["receipts"]) {
    if (receipt["role"] == "question") continue;
    CHECK(receipt["verdict"] == "warm");
    reusable += receipt["tokens"].get<std::int64_t>() - receipt["seam_tokens"].get<std::int64_t>();
  }
  CHECK(reusable > 200);
  CHECK(warm["reused_tokens"] == reusable);
  CHECK(warm["receipts"][8]["reason"] == "question");
}

TEST_CASE("run in another order reuses the same documents and answers alike", "[actors][run]") {
  const json runs = runs_of(run_weft(with({"--json", "-", "--shuffle", "7", prompt_file})));
  REQUIRE(runs.size() == 3);
  CHECK(runs[2]["name"] == "shuffled");
  CHECK(runs[2]["reused_tokens"] == runs[1]["reused_tokens"]);
  CHECK(runs[2]["text"] == "9100");
  std::vector<int> lengths[2];
  for (int i = 0; i < 2; ++i)
    for (const json& receipt : runs[static_cast<std::size_t>(i) + 1]["receipts"])
      lengths[i].push_back(receipt["tokens"]);
  CHECK(lengths[0] != lengths[1]);
}

TEST_CASE("run tells no ratio where nothing was reused", "[actors][run]") {
  const program_outcome outcome = run_weft(with({"--mode", "full_recompute"}), "a");
  REQUIRE(outcome.code == exit_done);
  CHECK_FALSE(contains(outcome.out, "ratio"));
  CHECK(contains(outcome.out, "  1 prompt token, 0 reused"));
}

TEST_CASE("run refuses a blank prompt and names a broken one", "[actors][run]") {
  for (const char* blank : {"", " \n\t ", " <<PIC_SEP>>\n", R"({"segments": ["\n", " "]})"}) {
    const program_outcome outcome = run_weft(with({}), blank);
    CHECK(outcome.code == exit_failed);
    CHECK((contains(outcome.err, "the prompt is blank") ||
           contains(outcome.err, "the prompt is empty")));
  }
  CHECK(contains(run_weft(with({}), "{").err, "weft run: standard input: the JSON is broken"));
}

TEST_CASE("run prints answer, receipts and times for people", "[actors][run]") {
  const program_outcome outcome = run_weft(with({prompt_file}));
  REQUIRE(outcome.code == exit_done);
  CHECK(contains(outcome.out, "cold\n  answer: 9100\n"));
  CHECK(contains(outcome.out, "warm\n  answer: 9100\n"));
  CHECK(contains(outcome.out, "verdict"));
  CHECK(contains(outcome.out, "time to first token"));
  CHECK(contains(outcome.out, ", ratio 0."));
  CHECK(contains(outcome.out, "; the warm answer equals the cold one\n"));
  CHECK(outcome.err.empty());
}

TEST_CASE("run cuts plain text at the separator, at another, or nowhere", "[actors][run]") {
  const std::string text = "Lead.\n<<PIC_SEP>>A document of some words.\n<<PIC_SEP>>Question?\n";
  const auto segments = [&](std::vector<std::string> more, const std::string& input) {
    more.insert(more.end(), {"--json", "-", "--max-tokens", "1"});
    return runs_of(run_weft(with(more), input))[0]["receipts"].size();
  };
  CHECK(segments({}, text) == 3);
  CHECK(segments({"--separator", "off"}, text) == 1);
  CHECK(segments({"--separator", "Question"}, text) == 2);
}

TEST_CASE("the same seed draws the same answer and --max-tokens bounds it", "[actors][run]") {
  const auto ids = [](const std::string& seed) {
    return runs_of(run_weft(with({"--json", "-", "--temperature", "2", "--seed", seed,
                                  "--max-tokens", "6", prompt_file})))[0]["ids"];
  };
  const json first = ids("5");
  CHECK(first == ids("5"));
  CHECK(first != ids("6"));
  CHECK(first.size() <= 6);
}

TEST_CASE("run refuses prompts that hold nothing or are no prompt", "[actors][run]") {
  for (const std::string input : {"", "{\"segments\": []}", "{\"segment\": [\"a\"]}", "\xff\xfe"}) {
    const program_outcome outcome = run_weft(with({}), input);
    CHECK(outcome.code == exit_failed);
    CHECK(outcome.err.find("weft run: ") == 0);
  }
  CHECK(contains(run_weft(with({"/no/such/prompt"})).err, "/no/such/prompt"));
}

TEST_CASE("run refuses a prompt over the limit and a head too short, by name", "[actors][run]") {
  const program_outcome tall = run_weft(with({"--positions-max", "100", prompt_file}));
  CHECK(tall.code == exit_failed);
  CHECK(contains(tall.err, "100"));
  const program_outcome head = run_weft(with({"--head-tokens", "1", prompt_file}));
  CHECK(head.code == exit_failed);
  CHECK(contains(head.err, "a head of 1 tokens is too short"));
}

TEST_CASE("a prompt that can never run is refused before anything is shown of it",
          "[actors][run]") {
  for (const std::vector<std::string>& refused :
       {std::vector<std::string>{"--positions-max", "100"}, {"--head-tokens", "1"}}) {
    std::vector<std::string> arguments = with(refused);
    arguments.push_back(prompt_file);
    const program_outcome outcome = run_weft(arguments);
    CHECK(outcome.code == exit_failed);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).size() == 1);
  }
}

TEST_CASE("a cache that is too small for a prompt is told the least that would do",
          "[actors][run]") {
  const auto run = [](const std::string& cache_bytes) {
    return run_weft({"run", "--model", tiny_model, "--max-tokens", "1", "--cache-bytes",
                     cache_bytes, prompt_file});
  };
  const program_outcome refused = run("12M");
  REQUIRE(refused.code == exit_failed);
  const std::string before = "give --cache-bytes ";
  const std::size_t begin = refused.err.find(before);
  REQUIRE(begin != std::string::npos);
  const std::string told = refused.err.substr(begin + before.size(),
                                              refused.err.find('M', begin) - begin - before.size());
  CAPTURE(told);
  CHECK(run(told + "M").code == exit_done);
  const program_outcome too_small = run(std::to_string(std::stoi(told) - 1) + "M");
  CHECK(too_small.code == exit_failed);
  CHECK(contains(too_small.err, before + told + "M at least"));
}

TEST_CASE("a run that fails leaves no file, and an earlier one as it was", "[actors][run]") {
  const auto path = std::filesystem::temp_directory_path() / "weft_run_failed_test.json";
  std::filesystem::remove(path);
  const auto fail = [&] {
    return run_weft(with({"--json", path.string(), "--positions-max", "100", prompt_file})).code;
  };
  CHECK(fail() == exit_failed);
  CHECK_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "earlier";
  CHECK(fail() == exit_failed);
  CHECK(std::filesystem::file_size(path) == 7);
  std::filesystem::remove(path);
}

TEST_CASE("a profile that is named must be there", "[actors][run]") {
  const program_outcome outcome = run_weft(with({"--profile", "/no/such/weft.json", prompt_file}));
  CHECK(outcome.code == exit_failed);
  CHECK(contains(outcome.err, "/no/such/weft.json"));
}
