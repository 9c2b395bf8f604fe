// Experts in one tensor and experts apart give the answer of the formula in deploy/docs/formulas.md
// A.6, worked out here in double straight from the bytes that files hold: nothing of the loader's
// layout nor of the reference is used for what is expected.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/reference/feed_forward.hpp"
#include "gpu/reference/prompt_reference.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/chosen_instructions.hpp"
#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"
#include "tests/test_seed.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

constexpr std::int64_t sparse_layer = 2;  // A sparse one in both shapes.
const std::string mlp = "model.layers." + std::to_string(sparse_layer) + ".mlp.";

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

std::int64_t element_bytes(const written_tensor& tensor) { return tensor.type == "F32" ? 4 : 2; }

// Element `index` of a file's tensor: F32, or BF16 as the upper half of one.
double element(const written_tensor& tensor, std::int64_t index) {
  std::uint32_t bits = 0;
  if (tensor.type == "F32") {
    std::memcpy(&bits, tensor.bytes.data() + 4 * index, 4);
  } else {
    REQUIRE(tensor.type == "BF16");
    std::uint16_t upper = 0;
    std::memcpy(&upper, tensor.bytes.data() + 2 * index, 2);
    bits = std::uint32_t{upper} << 16;
  }
  return std::bit_cast<float>(bits);
}

// Rows [first, first + count) of a tensor whose rows are `width` elements, wherever they lie.
std::vector<std::vector<double>> rows(const written_tensor& tensor, std::int64_t first,
                                      std::int64_t count, std::int64_t width) {
  std::vector<std::vector<double>> all;
  for (std::int64_t row = first; row < first + count; ++row) {
    all.emplace_back();
    for (std::int64_t i = 0; i < width; ++i) all.back().push_back(element(tensor, row * width + i));
  }
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// y += scale * down(silu(gate x) * up x)
void add_expert(const std::vector<std::vector<double>>& gate,
                const std::vector<std::vector<double>>& up,
                const std::vector<std::vector<double>>& down, const std::vector<double>& x,
                double scale, std::vector<double>& y) {
  std::vector<double> inner;
  for (std::size_t j = 0; j < gate.size(); ++j) {
    const double gated = dot(gate[j], x);
    inner.push_back(gated * sigmoid(gated) * dot(up[j], x));
  }
  for (std::size_t h = 0; h < y.size(); ++h) y[h] += scale * dot(down[h], inner);
}

// What expert e does, from whichever tensors the file has.
void add_routed(synthetic_checkpoint& file, const sparse_shape& sparse, std::int64_t e,
                const std::vector<double>& x, double scale, std::vector<double>& y) {
  const auto hidden = static_cast<std::int64_t>(x.size());
  const std::int64_t inner = sparse.intermediate;
  const bool fused = std::any_of(
      file.tensors.begin(), file.tensors.end(),
      [](const written_tensor& one) { return one.name == mlp + "experts.gate_up_proj"; });
  if (fused) {  // [E, 2 I, H]: of each expert the gate's rows, then up's; and [E, H, I].
    const written_tensor& both = file.tensor(mlp + "experts.gate_up_proj");
    add_expert(
        rows(both, e * 2 * inner, inner, hidden), rows(both, e * 2 * inner + inner, inner, hidden),
        rows(file.tensor(mlp + "experts.down_proj"), e * hidden, hidden, inner), x, scale, y);
    return;
  }
  const std::string one = mlp + "experts." + std::to_string(e);
  add_expert(rows(file.tensor(one + ".gate_proj.weight"), 0, inner, hidden),
             rows(file.tensor(one + ".up_proj.weight"), 0, inner, hidden),
             rows(file.tensor(one + ".down_proj.weight"), 0, hidden, inner), x, scale, y);
}

// p = softmax(x W_g) over all experts; the largest k, divided by their sum where that is asked for;
// y = sum p_e expert_e(x) + sigmoid(x w_s) shared(x).
std::vector<double> by_formula(synthetic_checkpoint& file, const model_shape& shape,
                               const std::vector<double>& x) {
  const sparse_shape& sparse = shape.sparse;
  std::vector<double> p;
  double total = 0;
  for (const auto& row : rows(file.tensor(mlp + "gate.weight"), 0, sparse.experts, shape.hidden)) {
    p.push_back(std::exp(dot(row, x)));
    total += p.back();
  }
  for (double& each : p) each /= total;
  std::vector<bool> chosen(p.size(), false);
  double kept = 0;
  for (std::int64_t k = 0; k < sparse.experts_per_token; ++k) {
    std::size_t best = p.size();
    for (std::size_t e = 0; e < p.size(); ++e)
      if (!chosen[e] && (best == p.size() || p[e] > p[best])) best = e;
    chosen[best] = true;
    kept += p[best];
  }
  std::vector<double> y(at(shape.hidden), 0.0);
  for (std::size_t e = 0; e < p.size(); ++e)
    if (chosen[e])
      add_routed(file, sparse, static_cast<std::int64_t>(e), x,
                 sparse.renormalise ? p[e] / kept : p[e], y);
  const std::int64_t inner = sparse.shared_intermediate;
  const auto gate = rows(file.tensor(mlp + "shared_expert_gate.weight"), 0, 1, shape.hidden);
  add_expert(rows(file.tensor(mlp + "shared_expert.gate_proj.weight"), 0, inner, shape.hidden),
             rows(file.tensor(mlp + "shared_expert.up_proj.weight"), 0, inner, shape.hidden),
             rows(file.tensor(mlp + "shared_expert.down_proj.weight"), 0, shape.hidden, inner), x,
             sigmoid(dot(gate[0], x)), y);
  return y;
}

// The same experts, three tensors for each, cut out of the fused ones by their bytes.
synthetic_checkpoint apart_from(synthetic_checkpoint fused, const model_shape& shape) {
  const std::int64_t inner = shape.sparse.intermediate;
  for (std::size_t layer = 0; layer < shape.layers.size(); ++layer) {
    if (shape.feed_of(layer) != feed_kind::sparse) continue;
    const std::string prefix = "model.layers." + std::to_string(layer) + ".mlp.experts.";
    const written_tensor both = fused.tensor(prefix + "gate_up_proj");
    const written_tensor down = fused.tensor(prefix + "down_proj");
    fused.remove(both.name);
    fused.remove(down.name);
    const auto matrix = at(inner * shape.hidden * element_bytes(both));
    const auto add = [&](const std::string& name, std::vector<std::int64_t> dims,
                         const std::string& bytes, std::size_t place) {
      fused.tensors.push_back(
          {prefix + name + ".weight", both.type, std::move(dims), bytes.substr(place, matrix)});
    };
    for (std::size_t e = 0; e < at(shape.sparse.experts); ++e) {
      const std::string one = std::to_string(e);
      add(one + ".gate_proj", {inner, shape.hidden}, both.bytes, 2 * e * matrix);
      add(one + ".up_proj", {inner, shape.hidden}, both.bytes, (2 * e + 1) * matrix);
      add(one + ".down_proj", {shape.hidden, inner}, down.bytes, e * matrix);
    }
  }
  return fused;
}

model_weights loaded(const synthetic_checkpoint& file, const temporary_folder& folder) {
  file.write(folder.path());
  auto weights = load_checkpoint(folder.path());
  if (!weights) FAIL(weights.error().message);
  return std::move(weights).value();
}

double largest(const std::vector<double>& a, std::span<const double> b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

std::vector<float> logits_of(const model_weights& weights, const token_ids& prompt) {
  auto engine = host_engine::make(weights, {.instructions = chosen_instructions()});
  if (!engine) FAIL(engine.error().message);
  entry_shelf none;
  return run_prompt(**engine, {prompt}, {.splices = false, .new_tokens_max = 1}, none).logits;
}

}  // namespace

TEST_CASE("experts in one tensor and experts apart give the answer of the formula",
          "[gpu][engine][sparse]") {
  if (!can_run_chosen_instructions()) return;
  const unsigned seed = test_seed(20);
  const model_shape shape = GENERATE(small_sparse_shape(), small_next_shape());
  const auto type = GENERATE(element_type::float32, element_type::bfloat16);
  CAPTURE(seed, shape.architecture, type == element_type::float32);
  synthetic_checkpoint fused = make_checkpoint(shape, {.type = type}, seed);
  synthetic_checkpoint apart = apart_from(fused, shape);
  synthetic_checkpoint swapped = fused;  // Up's rows first: what a wrong reading would compute.
  written_tensor& both = swapped.tensor(mlp + "experts.gate_up_proj");
  const auto matrix = at(shape.sparse.intermediate * shape.hidden * element_bytes(both));
  for (std::size_t e = 0; e < at(shape.sparse.experts); ++e)
    std::swap_ranges(both.bytes.begin() + static_cast<std::ptrdiff_t>(2 * e * matrix),
                     both.bytes.begin() + static_cast<std::ptrdiff_t>((2 * e + 1) * matrix),
                     both.bytes.begin() + static_cast<std::ptrdiff_t>((2 * e + 1) * matrix));

  std::mt19937 random(seed);
  std::normal_distribution<double> values;
  reference::matrix x(9, shape.hidden);
  for (std::int64_t t = 0; t < x.rows(); ++t)
    for (double& value : x.row(t)) value = values(random);

  const temporary_folder fused_folder;
  const temporary_folder apart_folder;
  const model_weights fused_weights = loaded(fused, fused_folder);
  const model_weights apart_weights = loaded(apart, apart_folder);
  const auto forward = [&](const model_weights& weights) {
    return reference::sparse_feed_forward(
               shape.sparse, std::get<sparse_weights>(weights.layers[sparse_layer].feed_forward))
        .forward(x);
  };
  const reference::matrix from_fused = forward(fused_weights);
  const reference::matrix from_apart = forward(apart_weights);
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    const std::vector<double> row(x.row(t).begin(), x.row(t).end());
    const std::vector<double> expected = by_formula(fused, shape, row);
    CHECK(by_formula(apart, shape, row) == expected);
    CHECK(largest(by_formula(swapped, shape, row), expected) > 1e-3);
    CHECK(largest(expected, from_fused.row(t)) < 1e-12);
    CHECK(largest(expected, from_apart.row(t)) < 1e-12);
  }

  token_ids prompt(70);
  for (token_id& id : prompt) id = static_cast<token_id>(random() % 96);
  const std::vector<float> logits = logits_of(fused_weights, prompt);
  CHECK(logits_of(apart_weights, prompt) == logits);
  const auto judge = reference::run_full(reference::model_reference(apart_weights), {prompt});
  CHECK(largest_difference({logits.begin(), logits.end()}, judge.logits) < 1e-4);
}

}  // namespace weft::gpu
