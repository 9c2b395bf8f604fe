#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/reference/gated_delta_layer.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::reference {
namespace {

gated_delta_layer make_layer() {
  const model_shape shape = gpu::testing::small_shape();
  const result<model_weights> weights = random_weights(shape, 31);
  REQUIRE(weights.ok());
  return gated_delta_layer(shape, std::get<gated_delta_weights>(weights->layers[0].mixer));
}

matrix random_rows(std::int64_t rows) {
  std::mt19937_64 random(77);
  std::normal_distribution<double> draw;
  matrix x(rows, gpu::testing::small_shape().hidden);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (double& value : x.row(t)) value = draw(random);
  }
  return x;
}

matrix part(const matrix& x, std::int64_t first, std::int64_t last) {
  matrix rows;
  for (std::int64_t t = first; t < last; ++t) rows.append_row(x.row(t));
  return rows;
}

TEST_CASE("a linear layer run in pieces gives what it gives at once", "[gpu][reference]") {
  const gated_delta_layer layer = make_layer();
  const matrix x = random_rows(9);
  linear_memory at_once = layer.empty_memory();
  const matrix whole = layer.forward(x, at_once, nullptr);
  linear_memory memory = layer.empty_memory();
  matrix pieces;
  for (const auto& [first, last] : {std::pair{0, 1}, {1, 2}, {2, 6}, {6, 9}}) {
    const matrix rows = layer.forward(part(x, first, last), memory, nullptr);
    for (std::int64_t t = 0; t < rows.rows(); ++t) pieces.append_row(rows.row(t));
  }
  CHECK(relative_error(pieces, whole) < 1e-14);
  CHECK(relative_error(memory.states[4], at_once.states[4]) < 1e-14);
  CHECK(relative_error(memory.history, at_once.history) == 0);
}

TEST_CASE("what an entry keeps is the running state less what the transition carries over",
          "[gpu][reference]") {
  const gated_delta_layer layer = make_layer();
  const matrix x = random_rows(20);
  linear_memory memory = layer.empty_memory();
  layer.forward(part(x, 0, 8), memory, nullptr);
  const linear_memory before = memory;
  linear_record record = layer.empty_record();
  layer.forward(part(x, 8, 20), memory, &record);
  CHECK(record.rows.rows() == 2);
  for (std::size_t h = 0; h < memory.states.size(); ++h) {
    const affine& map = record.heads[h];
    CHECK(relative_error(apply(map, before.states[h]), memory.states[h]) < 1e-13);
    CHECK(norm_of(map.transition) > 1e-6);
  }
}

TEST_CASE("an addition leaves the transition out", "[gpu][reference]") {
  const gated_delta_layer layer = make_layer();
  const matrix x = random_rows(12);
  linear_memory memory = layer.empty_memory();
  layer.forward(part(x, 0, 6), memory, nullptr);
  linear_record record = layer.empty_record();
  linear_memory alone = layer.empty_memory();
  layer.forward(part(x, 6, 12), alone, &record);
  linear_memory added = memory;
  layer.splice(added, record, false);
  CHECK(relative_error(added.states[0], sum(memory.states[0], record.heads[0].offset)) == 0);
  linear_memory jumped = memory;
  layer.splice(jumped, record, true);
  CHECK(relative_error(added.states[0], jumped.states[0]) > 0.01);
  CHECK(relative_error(jumped.history, record.rows) == 0);
}

TEST_CASE("an entry shorter than the kernel pushes the history on", "[gpu][reference]") {
  const gated_delta_layer layer = make_layer();
  const matrix x = random_rows(5);
  linear_memory memory = layer.empty_memory();
  layer.forward(part(x, 0, 4), memory, nullptr);
  const matrix before = memory.history;
  linear_record record = layer.empty_record();
  linear_memory alone = layer.empty_memory();
  layer.forward(part(x, 4, 5), alone, &record);
  REQUIRE(record.rows.rows() == 1);
  layer.splice(memory, record, true);
  REQUIRE(memory.history.rows() == 2);
  CHECK(relative_error(part(memory.history, 0, 1), part(before, 1, 2)) == 0);
  CHECK(relative_error(part(memory.history, 1, 2), record.rows) == 0);
}

}  // namespace
}  // namespace weft::gpu::reference
