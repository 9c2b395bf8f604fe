#include "gpu/reference/prompt_reference.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/golden.hpp"

namespace weft::gpu::reference {
namespace {

using namespace gpu::testing;

struct golden_mode {
  const char* name;
  splice_plan plan;
};

std::vector<golden_mode> spliced_modes() {
  return {
      {"transition_w8", {.head_tokens = 8, .tail_tokens = 0, .how = {}, .anchor = {}}},
      {"transition_w0", {.head_tokens = 0, .tail_tokens = 0, .how = {}, .anchor = {}}},
      {"addition_w0",
       {.head_tokens = 0, .tail_tokens = 0, .how = {.apply_transition = false}, .anchor = {}}},
      {"stitched", {.head_tokens = 8, .tail_tokens = 16, .how = {}, .anchor = {}}},
      {"stitched_anchored",
       {.head_tokens = 8, .tail_tokens = 16, .how = {}, .anchor = golden_anchor()}},
  };
}

void check_against(const golden_run& expected, const prompt_result& found) {
  CHECK(largest_difference(found.logits, expected.logits) < 1e-3);
  for (const auto& [layer, norm] : expected.state_norm) {
    CAPTURE(layer);
    CHECK(state_norm(found.last, layer) == Approx(norm).epsilon(1e-4));
  }
}

void check_prompt(const model_reference& model, const golden_prompt& prompt) {
  CAPTURE(prompt.task);
  std::int64_t tokens = 0;
  std::int64_t documents = 0;
  for (std::size_t i = 0; i < prompt.segments.size(); ++i) {
    const auto length = static_cast<std::int64_t>(prompt.segments[i].size());
    tokens += length;
    if (i != 0 && i + 1 != prompt.segments.size()) documents += length;
  }
  const auto count = static_cast<std::int64_t>(prompt.segments.size()) - 2;

  const prompt_result full = run_full(model, prompt.segments);
  CHECK(largest_difference(full.logits, prompt.reference_logits) < 1e-4);
  check_against(prompt.runs.at("full"), full);
  CHECK(full.last.tokens == tokens);
  for (const golden_mode& mode : spliced_modes()) {
    CAPTURE(mode.name);
    const prompt_result spliced = run_spliced(model, prompt.segments, mode.plan);
    const std::int64_t seams = count * (mode.plan.head_tokens + mode.plan.tail_tokens);
    CHECK(spliced.spliced_tokens == documents - seams);
    CHECK(spliced.last.tokens == tokens);
    check_against(prompt.runs.at(mode.name), spliced);
  }
}

TEST_CASE("the reference gives the golden logits and states in every mode",
          "[gpu][reference][long]") {
  const model_reference model(tiny_model());
  const std::vector<golden_prompt> prompts = golden_prompts();
  check_prompt(model, prompts[0]);
  check_prompt(model, prompts[4]);
}

TEST_CASE("the reference gives all five golden prompts", "[.slow][gpu][reference]") {
  const model_reference model(tiny_model());
  for (const golden_prompt& prompt : golden_prompts()) check_prompt(model, prompt);
}

TEST_CASE("an entry made behind its true predecessors loses nothing", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 23).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  const token_ids lead = {1, 2, 3, 4, 5};
  const token_ids document = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  const token_ids question = {30, 31};
  const std::int64_t head = GENERATE(0, 2, 4);
  const std::int64_t tail = GENERATE(0, 1, 5);
  const bool turn = GENERATE(false, true);  // Local positions are the true ones here.
  const prompt_result spliced = run_spliced(
      model, {lead, document, question},
      {.head_tokens = head, .tail_tokens = tail, .how = {.turn_keys = turn}, .anchor = lead});
  CHECK(spliced.spliced_tokens == 11 - head - tail);
  const prompt_result full = run_full(model, {lead, document, question});
  CHECK(largest_difference(spliced.logits, full.logits) < 1e-11);
}

TEST_CASE("a segment no longer than its seam runs in context", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 24).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  const std::vector<token_ids> segments = {{1, 2}, {3, 4, 5, 6}, {7}, {}, {8}};
  const splice_plan plan = {.head_tokens = 2, .tail_tokens = 2, .how = {}, .anchor = {}};
  const prompt_result spliced = run_spliced(model, segments, plan);
  CHECK(spliced.spliced_tokens == 0);
  CHECK(spliced.positions.size() == 8);
  CHECK(largest_difference(spliced.logits, run_full(model, segments).logits) < 1e-12);
}

TEST_CASE("keys left at local positions give other logits than turned ones",
          "[gpu][reference][long]") {
  const model_reference model(tiny_model());
  const golden_prompt prompt = golden_prompts()[4];
  const splice_plan turned = {.head_tokens = 0, .tail_tokens = 0, .how = {}, .anchor = {}};
  splice_plan left = turned;
  left.how.turn_keys = false;
  const prompt_result a = run_spliced(model, prompt.segments, turned);
  const prompt_result b = run_spliced(model, prompt.segments, left);
  CHECK(a.spliced_tokens == 121);
  CHECK(b.spliced_tokens == 121);
  CHECK(largest_difference(a.logits, b.logits) > 1e-3);
}

// The first layer's inputs are embeddings, the same in and out of context: there a splice is exact.
model_reference first_layer_of_tiny_model() {
  model_weights weights = tiny_model();
  weights.layers.resize(1);
  weights.shape.layers.resize(1);
  return model_reference(weights);
}

std::vector<token_ids> random_prompt(std::int64_t documents, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<golden_prompt> prompts = golden_prompts();
  std::vector<token_ids> pool;
  for (const golden_prompt& prompt : prompts) {
    pool.insert(pool.end(), prompt.segments.begin() + 1, prompt.segments.end() - 1);
  }
  std::vector<token_ids> segments = {prompts[0].segments.front()};
  for (std::int64_t i = 0; i < documents; ++i) {
    token_ids document = pool[random() % pool.size()];
    document.resize(std::min<std::size_t>(document.size(), 36));  // Keeps 64 of them quick.
    segments.push_back(document);
  }
  segments.push_back(prompts[0].segments.back());
  return segments;
}

struct state_errors {
  double whole = 0;  // Relative, all heads together.
  double worst = 0;  // Of one head.
};

state_errors compare_states(const context& found, const context& expected) {
  const auto& a = std::get<linear_memory>(found.layers[0]).states;
  const auto& b = std::get<linear_memory>(expected.layers[0]).states;
  state_errors errors;
  double squares = 0;
  double scale = 0;
  for (std::size_t h = 0; h < a.size(); ++h) {
    const double error = relative_error(a[h], b[h]);
    errors.worst = std::max(errors.worst, error);
    squares += std::pow(error * norm_of(b[h]), 2);
    scale += std::pow(norm_of(b[h]), 2);
  }
  errors.whole = std::sqrt(squares / scale);
  return errors;
}

TEST_CASE("a splice gives the states of full recomputation, an addition does not",
          "[gpu][reference][long]") {
  const model_reference model = first_layer_of_tiny_model();
  const std::int64_t documents = GENERATE(1, 6, 64);
  const std::uint64_t seed = 4711;
  CAPTURE(documents, seed);
  const std::vector<token_ids> segments = random_prompt(documents, seed);
  const context full = run_full(model, segments).last;
  for (const std::int64_t tail : {0, 16}) {
    splice_plan plan = {.head_tokens = 8, .tail_tokens = tail, .how = {}, .anchor = {}};
    const prompt_result spliced = run_spliced(model, segments, plan);
    CHECK(spliced.spliced_tokens > documents);
    const state_errors exact = compare_states(spliced.last, full);
    CHECK(exact.whole < 1e-12);
    CHECK(exact.worst < 1e-12);
    if (documents == 1 || tail != 0) continue;  // One short document may not differ enough.
    plan.how.apply_transition = false;
    const prompt_result added = run_spliced(model, segments, plan);
    CHECK(added.spliced_tokens == spliced.spliced_tokens);
    const state_errors wrong = compare_states(added.last, full);
    CHECK(wrong.whole > 0.1);
    CHECK(wrong.worst > 0.1);
  }
}

TEST_CASE("without a head the convolution reaches over the boundary", "[gpu][reference]") {
  const model_reference model = first_layer_of_tiny_model();
  const std::vector<token_ids> segments = random_prompt(6, 4711);
  const context full = run_full(model, segments).last;
  const splice_plan plan = {.head_tokens = 0, .tail_tokens = 0, .how = {}, .anchor = {}};
  CHECK(compare_states(run_spliced(model, segments, plan).last, full).whole > 0.01);
}

}  // namespace
}  // namespace weft::gpu::reference
