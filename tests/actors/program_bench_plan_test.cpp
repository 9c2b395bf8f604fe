#include <catch2/catch.hpp>

#include "actors/program/bench_plan.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

options parse(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(bench_plan_rules(), 0, arguments);
  if (!parsed.ok()) FAIL(parsed.error().message);
  return *parsed;
}

bench_plan plan(const std::vector<std::string>& arguments, std::int64_t positions_max = 10000) {
  const options given = parse(arguments);
  REQUIRE_FALSE(contradiction_in(given).has_value());
  return plan_bench(given, positions_max);
}

std::string contradiction(const std::vector<std::string>& arguments) {
  return contradiction_in(parse(arguments)).value_or("");
}

std::vector<std::pair<std::int64_t, std::int64_t>> shapes_of(const bench_plan& of) {
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const bench_prompt& prompt : of.prompts)
    shapes.emplace_back(prompt.segments, prompt.segment_tokens);
  return shapes;
}

std::vector<std::int64_t> batches_of(const bench_plan& of) {
  std::vector<std::int64_t> batches;
  for (const decode_load& load : of.decode) batches.push_back(load.batch);
  return batches;
}

using lengths = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a bench without options measures one prompt, three lengths and two batches",
          "[actors][bench_plan]") {
  const bench_plan usual = plan({});
  CHECK(shapes_of(usual) == std::vector<std::pair<std::int64_t, std::int64_t>>{{16, 512}});
  CHECK(usual.modes.size() == all_modes.size());
  CHECK(usual.prefill == lengths{512, 2048, 8288});
  CHECK(batches_of(usual) == lengths{1, 8});
  CHECK(usual.decode.front().prompt_tokens == 64);
  CHECK(usual.has(bench_part::transitions));
  CHECK_FALSE(usual.has(bench_part::reuse_sweep));
  CHECK(plan({}, 2048).prefill == lengths{512, 8288});
}

TEST_CASE("every combination of segments and their tokens is planned once, the first one first",
          "[actors][bench_plan]") {
  const bench_plan several = plan({"--segments", "4", "--segments", "2", "--segments", "4",
                                   "--segment-tokens", "64", "--segment-tokens", "128"});
  CHECK(shapes_of(several) ==
        std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 64}, {4, 128}, {2, 64}, {2, 128}});
  CHECK(several.prefill.back() == 32 + 4 * 64 + 64);
}

TEST_CASE("rates are those asked for, and parts those named", "[actors][bench_plan]") {
  const bench_plan rates =
      plan({"--only", "prefill", "--only", "decode", "--prefill", "100", "--prefill", "7",
            "--decode-batch", "3", "--decode-prompt", "512", "--mode", "stitched"},
           50);
  CHECK(rates.prefill == lengths{100, 7});
  CHECK(batches_of(rates) == lengths{3});
  CHECK(rates.decode.front().prompt_tokens == 512);
  CHECK_FALSE(rates.has(bench_part::time_to_first_token));
  CHECK_FALSE(rates.has(bench_part::transitions));
  CHECK(plan({"--only", "transitions"}).prefill.empty());
  CHECK(plan({"--plot", "x.svg"}).has(bench_part::reuse_sweep));
  CHECK(plan({"--only", "reuse_sweep"}).has(bench_part::reuse_sweep));
}

TEST_CASE("without segments all is measured but T", "[actors][bench_plan]") {
  const bench_plan none = plan({"--segments", "0"});
  CHECK(none.has(bench_part::time_to_first_token));
  CHECK_FALSE(none.has(bench_part::transitions));
}

TEST_CASE("options that make no sense together are told by name", "[actors][bench_plan]") {
  CHECK(contradiction({}).empty());
  CHECK(contradiction({"--only", "decode", "--prefill", "7"}) ==
        "--prefill belongs to the part prefill, which --only leaves out");
  CHECK(contradiction({"--only", "prefill", "--decode-batch", "7"}).find("--decode-batch") == 0);
  CHECK(contradiction({"--only", "prefill", "--decode-prompt", "7"}).find("--decode-prompt") == 0);
  CHECK(contradiction({"--only", "prefill", "--plot", "x"}).find("--plot") == 0);
  CHECK(contradiction({"--only", "prefill", "--segments", "1", "--segments", "2"})
            .find("--segments is given several times") == 0);
  CHECK(contradiction({"--segments", "0", "--plot", "x"}).find("--segments") != std::string::npos);
  CHECK(contradiction({"--segments", "0", "--only", "transitions"}).find("--segments") !=
        std::string::npos);
}

TEST_CASE("a plan counts its runs", "[actors][bench_plan]") {
  const std::vector<std::string> small = {"--runs",   "5",      "--mode",
                                          "stitched", "--mode", "prefix_cache"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), small.begin(), small.end());
    return runs_in(plan(more));
  };
  CHECK(with({"--only", "decode"}) == 5 * 2);
  CHECK(with({"--only", "prefill", "--prefill", "9"}) == 5);
  CHECK(with({"--only", "transitions"}) == 5 * 2);
  CHECK(with({"--only", "time_to_first_token", "--segments", "2", "--segments", "3"}) == 5 * 4);
  CHECK(with({"--only", "reuse_sweep"}) == 5 * 3 * 5);
  CHECK(with({}) == 5 * (2 + 3 + 2 + 2));
}
