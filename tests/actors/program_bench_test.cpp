#include <filesystem>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "policies/vocabulary/mode.hpp"
#include "tests/actors/program_stage.hpp"
#include "tests/actors/tiny_xml.hpp"

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

TEST_CASE("bench measures every mode, cold and warm where something is reused",
          "[actors][bench][long]") {
  const program_outcome outcome =
      bench({"--model", tiny_model, "--prefill", "70", "--prefill", "20", "--decode-batch", "1",
             "--decode-batch", "2", "--decode-prompt", "8"});
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
  for (const std::string length : {"20", "70"})
    CHECK(found["prefill_tokens_per_s"].at(length).get<double>() > 0);
  for (const std::string batch : {"1", "2"})
    CHECK(found["decode_tokens_per_s"].at(batch).get<double>() > 0);
  const auto share = found["transition_share"].get<double>();  // (with T - without) / without.
  CHECK(share > -1);
  CHECK(share < 10);
  CHECK(found["transition_share_spread"]["median"] == found["transition_share"]);
  CHECK(found["sweep"].size() == 1);
  CHECK_FALSE(found.contains("reuse_sweep"));
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

TEST_CASE("bench goes through all combinations where several are asked for", "[actors][bench]") {
  const program_outcome outcome =
      bench({"--model", tiny_model, "--segments", "1", "--segment-tokens", "64", "--only",
             "time_to_first_token", "--mode", "stitched"});
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  CHECK(found["segments"] == 1);
  CHECK(found["segment_tokens"] == 64);
  REQUIRE(found["sweep"].size() == 4);
  std::vector<std::pair<int, int>> shapes;
  for (const json& each : found["sweep"]) {
    shapes.emplace_back(each["segments"], each["segment_tokens"]);
    CHECK(each["reused_tokens"]["stitched"] ==
          32 + each["segments"].get<int>() * (each["segment_tokens"].get<int>() - 24));
    check_spread(each["time_to_first_token_ms"]["stitched"]["warm"]);
  }
  CHECK(shapes == std::vector<std::pair<int, int>>{{1, 64}, {1, 96}, {2, 64}, {2, 96}});
  CHECK_FALSE(found.contains("prefill_tokens_per_s"));
}

TEST_CASE("bench draws how time to first token falls with what is known", "[actors][bench]") {
  const std::string path = std::filesystem::temp_directory_path() / "weft_bench_test.svg";
  const program_outcome outcome = bench({"--model", tiny_model, "--only", "reuse_sweep", "--mode",
                                         "prefix_cache", "--mode", "stitched", "--plot", path});
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  std::ostringstream svg;
  svg << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  const auto facts = read_xml(svg.str());
  REQUIRE(facts.has_value());
  CHECK(facts->polylines.size() == 3);
  const json lines = json::parse(outcome.out)["reuse_sweep"];
  REQUIRE(lines.size() == 3);
  CHECK(lines[2]["mode"] == "stitched");
  CHECK(lines[2]["points"].back()["reused_tokens"] == 32 + 2 * 72);
  CHECK(contains(svg.str(), "tiny-qwen3_5, host"));
}

TEST_CASE("bench refuses what makes no sense before it loads a model", "[actors][bench]") {
  const program_outcome rates =
      bench({"--model", "/no/such", "--only", "decode", "--prefill", "7"});
  CHECK(rates.code == exit_wrong_use);
  CHECK(contains(rates.err, "--prefill belongs to the part prefill"));
  const program_outcome plot = bench({"--model", tiny_model, "--plot", "/no/such/folder/x.svg"});
  CHECK(plot.code == exit_failed);
  CHECK(contains(plot.err, "/no/such/folder/x.svg"));
}
