#include "gpu/reference/model_reference.hpp"

#include <catch2/catch.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/reference/prompt_reference.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/golden.hpp"

namespace weft::gpu::reference {
namespace {

using namespace gpu::testing;

TEST_CASE("rows of a full run give logits of every position", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 21).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  const token_ids tokens = {5, 17, 90, 3, 44, 8, 61};
  const prompt_result whole = run_full(model, {tokens});
  const matrix logits = model.logits(whole.rows);
  REQUIRE(logits.rows() == 7);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const token_ids start(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1);
    const prompt_result part = run_full(model, {start});
    const std::span<const double> row = logits.row(static_cast<std::int64_t>(t));
    CHECK(largest_difference(part.logits, {row.begin(), row.end()}) < 1e-12);
  }
}

TEST_CASE("how a prompt is cut does not change a full run", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 22).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  const prompt_result whole = run_full(model, {{5, 17, 90, 3, 44, 8, 61}});
  const prompt_result cut = run_full(model, {{5}, {17, 90}, {}, {3, 44, 8}, {61}});
  CHECK(largest_difference(whole.logits, cut.logits) < 1e-12);
}

TEST_CASE("the convolution history is the last raw rows, or fewer", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 25).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  context where = model.make_context();
  const token_ids tokens = {4, 5, 6, 7};
  const auto rows = [&] { return std::get<linear_memory>(where.layers[0]).history.rows(); };
  CHECK(rows() == 0);
  model.run(where, std::span(tokens).first(1));
  CHECK(rows() == 1);
  model.run(where, tokens);
  CHECK(rows() == 2);  // The kernel of 3 less one.
  CHECK(where.tokens == 5);
}

TEST_CASE("an entry records its own tokens and where they stood", "[gpu][reference]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 26).write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const model_reference model(*weights);
  context where = model.make_context();
  const token_ids tokens = {4, 5, 6, 7, 8};
  model.run(where, std::span(tokens).first(2));
  const context before = where;
  entry made = model.make_entry(where);
  model.run(where, std::span(tokens).subspan(2), &made);
  CHECK(made.tokens == 3);
  CHECK(made.local_begin == 2);
  CHECK(std::get<attention_record>(made.layers[1]).keys.rows() == 3);
  // Put back behind the same tokens it gives the states that ran.
  context spliced = before;
  model.splice(spliced, made, {});
  CHECK(spliced.tokens == where.tokens);
  for (const std::size_t layer : {0, 2, 3}) {
    const auto& a = std::get<linear_memory>(spliced.layers[layer]);
    const auto& b = std::get<linear_memory>(where.layers[layer]);
    for (std::size_t h = 0; h < a.states.size(); ++h) {
      CHECK(relative_error(a.states[h], b.states[h]) < 1e-13);
    }
    CHECK(relative_error(a.history, b.history) == 0);
  }
  const auto& keys = std::get<attention_memory>(spliced.layers[1]).keys;
  CHECK(relative_error(keys, std::get<attention_memory>(where.layers[1]).keys) < 1e-14);
}

}  // namespace
}  // namespace weft::gpu::reference
