#include "gpu/model/model_weights.hpp"

#include <bit>
#include <cstring>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    // Subnormal: fraction * 2^-24, exact in float32.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

using tensor_visitor = std::function<void(const tensor_view&)>;

void show(const tensor_visitor& take, std::initializer_list<const tensor_view*> tensors) {
  for (const tensor_view* tensor : tensors) take(*tensor);
}

void show(const tensor_visitor& take, std::initializer_list<const stacked_view*> matrices) {
  for (const stacked_view* matrix : matrices)
    for (const tensor_view& block : matrix->blocks) take(block);
}

// Shows the tensors of one part of a layer.
struct part_shower {
  const tensor_visitor& take;

  void operator()(const gated_delta_weights& of) const {
    show(take, {&of.in_qkv, &of.in_z, &of.in_b, &of.in_a});
    show(take, {&of.conv, &of.a_log, &of.dt_bias, &of.norm, &of.out});
  }
  void operator()(const gated_attention_weights& of) const {
    show(take, {&of.query_gate, &of.key, &of.value, &of.out, &of.query_norm, &of.key_norm});
  }
  void operator()(const swiglu_weights& of) const { show(take, {&of.gate, &of.up, &of.down}); }
  void operator()(const sparse_weights& of) const {
    take(of.router);
    for (const swiglu_weights& expert : of.experts) (*this)(expert);
    if (!of.shared) return;
    (*this)(of.shared->expert);
    take(of.shared->gate);
  }
};

}  // namespace

std::int64_t tensor_view::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

tensor_view rows_of(const tensor_view& from, std::int64_t first, std::int64_t count) {
  tensor_view rows = from;
  WEFT_ASSERT(!from.dims.empty());
  rows.dims.front() = count;
  if (from.bytes.empty()) return rows;
  WEFT_ASSERT(first >= 0 && first + count <= from.dims.front());
  const std::int64_t row = from.elements() / from.dims.front();
  const std::int64_t row_bytes = row * bytes_of(from.type);
  rows.bytes = from.bytes.subspan(static_cast<std::size_t>(first * row_bytes),
                                  static_cast<std::size_t>(count * row_bytes));
  rows.first = from.first + first * row;
  return rows;
}

tensor_view part_of(const tensor_view& from, std::int64_t index) {
  tensor_view part = rows_of(from, index, 1);
  part.dims.erase(part.dims.begin());
  return part;
}

std::int64_t stacked_view::rows() const {
  std::int64_t count = 0;
  for (const tensor_view& block : blocks) count += block.dims.front();
  return count;
}

std::int64_t stacked_view::elements() const {
  std::int64_t count = 0;
  for (const tensor_view& block : blocks) count += block.elements();
  return count;
}

stacked_view stacked(std::initializer_list<stacked_view> parts) {
  stacked_view all;
  for (const stacked_view& part : parts)
    all.blocks.insert(all.blocks.end(), part.blocks.begin(), part.blocks.end());
  return all;
}

void to_float32(const tensor_view& from, std::int64_t first, std::span<float> out) {
  const auto count = static_cast<std::int64_t>(out.size());
  WEFT_ASSERT(first >= 0 && first + count <= from.elements());
  const std::byte* source = from.bytes.data() + first * bytes_of(from.type);
  if (from.type == element_type::float32) {
    std::memcpy(out.data(), source, out.size_bytes());
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, source + 2 * i, 2);  // Tensors in a file need not be aligned.
    out[static_cast<std::size_t>(i)] =
        from.type == element_type::bfloat16 ? from_bfloat16(bits) : from_float16(bits);
  }
}

void to_float32(const stacked_view& from, std::span<float> out) {
  WEFT_ASSERT(static_cast<std::int64_t>(out.size()) == from.elements());
  std::size_t first = 0;
  for (const tensor_view& block : from.blocks) {
    const auto count = static_cast<std::size_t>(block.elements());
    to_float32(block, 0, out.subspan(first, count));
    first += count;
  }
}

void each_tensor(const model_weights& weights, const tensor_visitor& take) {
  take(weights.embedding);
  for (const layer_weights& layer : weights.layers) {
    take(layer.input_norm);
    std::visit(part_shower{take}, layer.mixer);
    take(layer.post_norm);
    std::visit(part_shower{take}, layer.feed_forward);
  }
  take(weights.final_norm);
  if (!weights.shape.tied_embeddings) take(weights.head);
}

}  // namespace weft::gpu
