// The bundled model opened for a bench, and a plan of everything that is small enough for tests.
#pragma once

#include <catch2/catch.hpp>

#include "actors/program/bench_model.hpp"
#include "actors/program/bench_plan.hpp"
#include "actors/program/common_options.hpp"
#include "tests/actors/program_stage.hpp"

namespace weft::actors {

struct bench_stage {
  explicit bench_stage(const std::string& cache_bytes = "64M") {
    const std::vector<option_rule> rules = join_rules(
        {{model_option()}, bench_plan_rules(), reuse_option_rules(), engine_option_rules()});
    const std::vector<std::string> arguments = {"--model", tiny_model, "--cache-bytes",
                                                cache_bytes};
    const auto given = parse_options(rules, 0, arguments);
    REQUIRE(given.ok());
    auto loaded = load_bench_model(*given, nullptr);
    if (!loaded.ok()) FAIL(loaded.error().message);
    model = std::move(*loaded);
  }

  static seam seam_for(reuse_mode mode) { return default_seam(mode, {8, 16}); }

  static bench_plan small_plan() {
    const std::vector<bench_prompt> prompts = {
        {.segments = 2, .segment_tokens = 40, .question_tokens = 4},
        {.segments = 1, .segment_tokens = 30, .question_tokens = 4}};
    return {.parts = {bench_part::time_to_first_token, bench_part::prefill, bench_part::decode,
                      bench_part::transitions, bench_part::reuse_sweep},
            .modes = {reuse_mode::full_recompute, reuse_mode::prefix_cache, reuse_mode::stitched},
            .prompts = prompts,
            .prefill = {20, 70},
            .decode = {{.batch = 1, .prompt_tokens = 10, .new_tokens = 3},
                       {.batch = 2, .prompt_tokens = 10, .new_tokens = 3}},
            .runs = 2};
  }

  loaded_model model;
};

}  // namespace weft::actors
