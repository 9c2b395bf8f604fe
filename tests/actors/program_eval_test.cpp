#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

json modes_of_eval(const std::string& limit, std::vector<std::string> more) {
  std::vector<std::string> arguments = {
      "eval",    "--model", tiny_model, "--data", source_folder + "/examples/data/rag-dev.jsonl",
      "--limit", limit,     "--json",   "-",      "--cache-bytes",
      "512M"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const program_outcome outcome = run_weft(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  return json::parse(outcome.out).at("modes");
}

}  // namespace

TEST_CASE("eval runs stitched and full recomputation unless told", "[actors][eval]") {
  const json modes = modes_of_eval("8", {});
  REQUIRE(modes.size() == 2);
  for (const std::string name : {"stitched", "full_recompute"}) {
    const json& mode = modes.at(name);
    CHECK(mode["n"] == 8);
    CHECK(mode["em"].get<double>() >= 50);  // The reference has 84.5 and 88 on all.
    CHECK(mode["f1"].get<double>() >= mode["em"].get<double>());
    int answers = 0;
    for (const json& task : mode["tasks"]) answers += task["n"].get<int>();
    CHECK(answers == 8);
  }
  CHECK(modes["stitched"]["head"] == 8);
  CHECK(modes["stitched"]["tail"] == 16);
  CHECK(modes["full_recompute"]["head"] == 0);
}

TEST_CASE("how many samples are live changes no mark", "[actors][eval][long]") {
  CHECK(modes_of_eval("4", {"--batch", "1"}) ==
        modes_of_eval("4", {"--batch", "4", "--threads", "1"}));
}

TEST_CASE("eval takes modes and seams by name", "[actors][eval]") {
  const json modes =
      modes_of_eval("3", {"--mode", "prefix_cache", "--mode", "full_recompute", "--mode",
                          "transition_rope_recompute", "--head-tokens", "4"});
  REQUIRE(modes.size() == 3);
  CHECK(modes["prefix_cache"] == modes["full_recompute"]);
  CHECK(modes["transition_rope_recompute"]["head"] == 4);
  CHECK(modes["transition_rope_recompute"]["tail"] == 0);
}

TEST_CASE("eval names the data that it cannot read", "[actors][eval]") {
  const program_outcome outcome =
      run_weft({"eval", "--model", tiny_model, "--data", "/no/such/data.jsonl"});
  CHECK(outcome.code == exit_failed);
  CHECK(contains(outcome.err, "/no/such/data.jsonl"));
}
