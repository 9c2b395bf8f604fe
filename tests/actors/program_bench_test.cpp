#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "policies/vocabulary/mode.hpp"
#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

const std::vector<std::string> small = {
    "--segments",        "2", "--segment-tokens", "96",   "--runs", "1",
    "--question-tokens", "8", "--cache-bytes",    "256M", "--json", "-"};

program_outcome bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), small.begin(), small.end());
  return run_weft(arguments);
}

void check_spread(const json& times) {
  CHECK(times["min"].get<double>() > 0);
  CHECK(times["min"].get<double>() <= times["median"].get<double>());
  CHECK(times["median"].get<double>() <= times["max"].get<double>());
}

}  // namespace

TEST_CASE("bench measures every mode, cold and warm where something is reused", "[actors][bench]") {
  const program_outcome outcome = bench({"--model", tiny_model});
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  const json& times = found["time_to_first_token_ms"];
  REQUIRE(times.size() == all_modes.size());
  for (const reuse_mode mode : all_modes) {
    const json& of = times.at(std::string(traits_of(mode).name));
    check_spread(of["cold"]);
    CHECK(of.contains("warm") == (mode != reuse_mode::full_recompute));
    if (of.contains("warm")) check_spread(of["warm"]);
  }
  const std::string prompt_tokens = std::to_string(32 + 2 * 96 + 8);
  for (const std::string& length : {std::string("512"), std::string("2048"), prompt_tokens})
    CHECK(found["prefill_tokens_per_s"].at(length).get<double>() > 0);
  for (const std::string batch : {"1", "8"})
    CHECK(found["decode_tokens_per_s"].at(batch).get<double>() > 0);
  const double share = found["transition_share"];
  CHECK(share >= 0);
  CHECK(share < 1);
  // S and T, three convolution rows, K and V of 96 - 8 - 16 tokens.
  CHECK(found["bytes_per_entry"] ==
        2 * 6 * 4 * 128 * 128 * 4 + 6 * 3 * 1024 * 4 + 2 * 2 * 256 * 4 * 72);
  CHECK(found["head"] == 8);
  CHECK(found["tail"] == 16);
}

TEST_CASE("bench needs one model, and a config goes with random weights", "[actors][bench]") {
  CHECK(bench({}).code == exit_wrong_use);
  CHECK(bench({"--model", tiny_model, "--config", "x", "--random-weights"}).code == exit_wrong_use);
  const program_outcome alone = bench({"--config", "x"});
  CHECK(alone.code == exit_wrong_use);
  CHECK(contains(alone.err, "--random-weights"));
  CHECK(bench({"--model", tiny_model, "--random-weights"}).code == exit_wrong_use);
}
