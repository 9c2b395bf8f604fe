#include <sstream>

#include <nlohmann/json.hpp>

#include "actors/program/bench_report.hpp"
#include "tests/actors/bench_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

namespace {

const bench_setting where = {
    .model = "m", .device = "d", .numerics = "n", .used = {.head_tokens = 8, .tail_tokens = 16}};

constexpr spread three = {.median = 2, .least = 1, .most = 3};
const json three_json = {{"median", 2.0}, {"min", 1.0}, {"max", 3.0}};

// What a bench of the small plan might have found; no clock is asked.
bench_results found(const bench_plan& plan) {
  bench_results all;
  for (const bench_prompt& prompt : plan.prompts) {
    prompt_results of{.prompt = prompt, .first_token = {}, .entry_bytes = 10 * prompt.segments};
    for (const reuse_mode mode : plan.modes) {
      first_token_times times{.cold = three, .warm = {}, .warm_splice = {}};
      if (reuses(mode)) {
        times.warm = three;
        times.warm_splice = three;
        times.warm_reused_tokens = 77;
      }
      of.first_token.emplace(mode, times);
    }
    all.prompts.push_back(std::move(of));
  }
  all.prefill = {{20, three}, {70, three}};
  all.decode = {{1, three}, {2, three}};
  all.transition_share = three;
  all.reuse = {
      {.of = {.mode = reuse_mode::prefix_cache, .moved = true},
       .points = {
           {.known_segments = 1, .known_share = 0.5, .reused_tokens = 32, .milliseconds = three}}}};
  return all;
}

}  // namespace

TEST_CASE("the keys at the top describe the first prompt, the sweep has all",
          "[actors][bench_report]") {
  const bench_plan plan = bench_stage::small_plan();
  const json document = json::parse(json_of(found(plan), plan, where));
  CHECK(document["time_to_first_token_ms"]["stitched"]["warm"] == three_json);
  CHECK(document["time_to_first_token_ms"]["full_recompute"] == json{{"cold", three_json}});
  CHECK(document["splice_ms"] == json{{"stitched", 2.0}});
  CHECK(document["bytes_per_entry"] == 20);
  CHECK(document["segments"] == 2);
  CHECK(document["segment_tokens"] == 40);
  CHECK(document["question_tokens"] == 4);
  CHECK(document["prompt_tokens"] == 32 + 80 + 4);
  REQUIRE(document["sweep"].size() == 2);
  CHECK(document["sweep"][0]["time_to_first_token_ms"] == document["time_to_first_token_ms"]);
  const json& second = document["sweep"][1];
  CHECK(second["segments"] == 1);
  CHECK(second["segment_tokens"] == 30);
  CHECK(second["prompt_tokens"] == 32 + 30 + 4);
  CHECK(second["bytes_per_entry"] == 10);
  CHECK(second["splice_ms"]["stitched"] == 2.0);
  CHECK(second["reused_tokens"] ==
        json{{"full_recompute", 0}, {"prefix_cache", 77}, {"stitched", 77}});
}

TEST_CASE("rates and the share of T are medians, with a spread beside", "[actors][bench_report]") {
  const bench_plan plan = bench_stage::small_plan();
  const json document = json::parse(json_of(found(plan), plan, where));
  CHECK(document["prefill_tokens_per_s"] == json{{"20", 2.0}, {"70", 2.0}});
  CHECK(document["prefill_tokens_per_s_spread"]["70"] == three_json);
  CHECK(document["decode_tokens_per_s"]["2"] == 2.0);
  CHECK(document["decode_tokens_per_s_spread"]["1"] == three_json);
  CHECK(document["transition_share"] == 2.0);
  CHECK(document["transition_share_spread"] == three_json);
  CHECK(document["head"] == 8);
  CHECK(document["tail"] == 16);
  CHECK(document["runs"] == 2);
  CHECK(document["device"] == "d");
  CHECK(document["numerics"] == "n");
  CHECK(document["reuse_sweep"][0]["mode"] == "prefix_cache");
  CHECK(document["reuse_sweep"][0]["moved"] == true);
  const json point = {{"known_segments", 1},
                      {"known_share", 0.5},
                      {"reused_tokens", 32},
                      {"time_to_first_token_ms", three_json}};
  CHECK(document["reuse_sweep"][0]["points"] == json::array({point}));
}

TEST_CASE("what was not measured is left out", "[actors][bench_report]") {
  bench_plan plan = bench_stage::small_plan();
  plan.parts = {bench_part::prefill};
  bench_results all = found(plan);
  all.transition_share.reset();
  all.reuse.clear();
  const json document = json::parse(json_of(all, plan, where));
  for (const char* key : {"time_to_first_token_ms", "splice_ms", "sweep", "decode_tokens_per_s",
                          "transition_share", "reuse_sweep"})
    CHECK_FALSE(document.contains(key));
  CHECK(document.contains("prefill_tokens_per_s"));
  plan.prompts.front().segments = all.prompts.front().prompt.segments = 0;
  CHECK(json::parse(json_of(all, plan, where))["transition_share"].is_null());
}

TEST_CASE("a model's name of any bytes makes valid JSON", "[actors][bench_report]") {
  const bench_plan plan = bench_stage::small_plan();
  bench_setting odd = where;
  odd.model = "\xff\"";
  CHECK(json::accept(json_of(found(plan), plan, odd)));
}

TEST_CASE("people read all of it as text", "[actors][bench_report]") {
  const bench_plan plan = bench_stage::small_plan();
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err};
  auto to = output::make(at, "");
  REQUIRE(to.ok());
  print(*to, found(plan), plan, where);
  for (const std::string part :
       {"m, d; 2 runs", "2 segments of 40 tokens", "1 segments of 30 tokens",
        "prefill of 70 tokens: 2 tokens/s (1 to 3)", "decode of 1 request: 2.0",
        "T adds 200.0 % (100.0 to 300.0) to a cold prefill: (with T - without) / without",
        "prefix_cache moved"})
    CHECK(contains(out.str(), part));
}
