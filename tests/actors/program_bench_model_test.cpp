#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "actors/program/bench_model.hpp"
#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

program_outcome bench_config(const std::string& config) {
  return run_weft({"bench",
                   "--config",
                   config,
                   "--random-weights",
                   "--mode",
                   "stitched",
                   "--segments",
                   "1",
                   "--segment-tokens",
                   "64",
                   "--question-tokens",
                   "4",
                   "--runs",
                   "1",
                   "--only",
                   "time_to_first_token",
                   "--cache-bytes",
                   "256M",
                   "--json",
                   "-"});
}

}  // namespace

TEST_CASE("a bench runs on random weights of a shape that a config names",
          "[actors][bench_model]") {
  const program_outcome outcome = bench_config(tiny_model + "/config.json");
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  CHECK(found["time_to_first_token_ms"].size() == 1);
  CHECK(found["time_to_first_token_ms"]["stitched"]["cold"]["median"].get<double>() > 0);
}

TEST_CASE("a bench runs on random weights of models with experts", "[actors][bench_model]") {
  const std::string name = GENERATE("random-qwen3_5_moe", "random-qwen3_next");
  const program_outcome outcome =
      bench_config(source_folder + "/tests/data/models/" + name + "/config.json");
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  CHECK(found["time_to_first_token_ms"]["stitched"]["cold"]["median"].get<double>() > 0);
}

TEST_CASE("a config that is missing is named", "[actors][bench_model]") {
  const program_outcome outcome = bench_config("/no/such/config.json");
  CHECK(outcome.code == exit_failed);
  CHECK(contains(outcome.err, "/no/such/config.json"));
}
