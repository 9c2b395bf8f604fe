#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/reference/attention_layer.hpp"
#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/widen.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::reference {
namespace {

const model_shape shape = gpu::testing::small_shape();

gated_attention_weights make_weights(model_weights& keep) {
  result<model_weights> weights = random_weights(shape, 32);
  REQUIRE(weights.ok());
  keep = std::move(weights).value();
  return std::get<gated_attention_weights>(keep.layers[1].mixer);
}

matrix random_rows(std::int64_t rows) {
  std::mt19937_64 random(78);
  std::normal_distribution<double> draw;
  matrix x(rows, shape.hidden);
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

TEST_CASE("a lone token sees its own value, gated per head", "[gpu][reference]") {
  model_weights keep;
  const gated_attention_weights weights = make_weights(keep);
  const attention_layer layer(shape, weights);
  const matrix x = random_rows(1);
  attention_memory memory;
  const matrix found = layer.forward(x, 5, memory, nullptr);
  const matrix value = linear(x, widen(weights.value));
  const matrix query_gate = linear(x, widen(weights.query_gate));
  const std::int64_t dim = shape.attention.head_dim;
  matrix gated(1, shape.attention.heads * dim);
  for (std::int64_t h = 0; h < shape.attention.heads; ++h) {
    const std::int64_t shared = h / 3;  // Six heads over two.
    for (std::int64_t i = 0; i < dim; ++i) {
      const double gate = query_gate.at(0, h * 2 * dim + dim + i);
      gated.at(0, h * dim + i) = value.at(0, shared * dim + i) * sigmoid(gate);
    }
  }
  CHECK(relative_error(found, linear(gated, widen(weights.out))) < 1e-14);
}

TEST_CASE("an attention layer run in pieces gives what it gives at once", "[gpu][reference]") {
  model_weights keep;
  const attention_layer layer(shape, make_weights(keep));
  const matrix x = random_rows(7);
  attention_memory at_once;
  const matrix whole = layer.forward(x, 3, at_once, nullptr);
  attention_memory memory;
  layer.forward(part(x, 0, 4), 3, memory, nullptr);
  const matrix rest = layer.forward(part(x, 4, 7), 7, memory, nullptr);
  CHECK(relative_error(rest, part(whole, 4, 7)) < 1e-14);
  CHECK(memory.keys.rows() == 7);
}

TEST_CASE("keys of an entry are turned to where they are put", "[gpu][reference]") {
  model_weights keep;
  const attention_layer layer(shape, make_weights(keep));
  const matrix x = random_rows(6);
  attention_memory alone;
  attention_record record;
  layer.forward(part(x, 0, 5), 0, alone, &record);
  attention_memory real;
  layer.forward(part(x, 0, 5), 40, real, nullptr);
  attention_memory spliced;
  layer.splice(spliced, record, 40);
  CHECK(relative_error(spliced.keys, real.keys) < 1e-14);
  CHECK(relative_error(spliced.keys, alone.keys) > 0.01);
  // Only distances count: a query 45 - 40 away sees what one 5 - 0 away sees.
  const matrix far = layer.forward(part(x, 5, 6), 45, spliced, nullptr);
  const matrix near = layer.forward(part(x, 5, 6), 5, alone, nullptr);
  CHECK(relative_error(far, near) < 1e-12);
}

}  // namespace
}  // namespace weft::gpu::reference
