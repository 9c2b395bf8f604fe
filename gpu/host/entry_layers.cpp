#include "gpu/host/entry_layers.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "gpu/host/finite_floats.hpp"

namespace weft::gpu {
namespace {

constexpr std::int64_t float_bytes = 4;

// Head of a linear layer's record: log decay and a flag of each value head.
std::int64_t flag_bytes(const model_shape& shape) {
  return shape.linear.value_heads * 2 * float_bytes;
}

}  // namespace

entry_layers::entry_layers(const model_shape& shape, const state_layout& layout,
                           const pool_memory& memory)
    : shape_(shape), layout_(layout), memory_(memory) {
  std::int64_t linear = 0;
  std::int64_t attention = 0;
  for (const layer_kind kind : shape.layers)
    indices_.push_back(kind == layer_kind::linear ? linear++ : attention++);
}

bool entry_layers::is_linear(std::int64_t layer) const {
  return shape_.layers[static_cast<std::size_t>(layer)] == layer_kind::linear;
}

std::size_t entry_layers::first_flag(std::int64_t layer) const {
  return static_cast<std::size_t>(index(layer) * shape_.linear.value_heads);
}

template <class Piece>
void entry_layers::each_state_piece(const entry& of, std::int64_t layer, const Piece& piece) const {
  const gated_delta_shape& linear = shape_.linear;
  float* state = memory_.states.unit(of.state_slot.id());
  const std::int64_t at = index(layer);
  piece(state + layout_.state(at, 0), linear.value_heads * layout_.head_state_floats());
  if (of.kind == entry_kind::splice)
    for (std::int64_t head = 0; head < linear.value_heads; ++head)
      if (of.closed[first_flag(layer) + static_cast<std::size_t>(head)] == 0)
        piece(memory_.transitions.unit(of.transition_slot.id()) + layout_.transition(at, head),
              layout_.head_transition_floats());
  // The newest rows are the last ones of the slot.
  const std::int64_t stale = linear.conv_kernel - 1 - of.conv_rows;
  piece(state + layout_.conv(at) + stale * linear.conv_channels(),
        of.conv_rows * linear.conv_channels());
}

template <class Piece>
void entry_layers::each_key_piece(const entry& of, std::int64_t layer, const Piece& piece) const {
  const attention_shape& attention = shape_.attention;
  const std::int64_t dim = attention.head_dim;
  for (std::int64_t head = 0; head < attention.key_value_heads; ++head) {
    const page_view pages{
        .arena = memory_.pages.base(),
        .page_floats = memory_.pages.unit_floats(),
        .offset = (index(layer) * attention.key_value_heads + head) * 2 * dim * page_tokens,
        .head_dim = dim};
    for (std::int64_t first = 0; first < of.tokens; first += page_tokens) {
      const std::int32_t page = of.pages[static_cast<std::size_t>(first / page_tokens)].id();
      const std::int64_t tokens = std::min(page_tokens, of.tokens - first);
      for (std::int64_t d = 0; d < dim; ++d) piece(pages.keys(page) + d * page_tokens, tokens);
      piece(pages.values(page), tokens * dim);
    }
  }
}

std::int64_t entry_layers::bytes_max(const entry& of, std::int64_t layer) const {
  if (!is_linear(layer))
    return 2 * shape_.attention.key_value_heads * shape_.attention.head_dim * of.tokens *
           float_bytes;
  const gated_delta_shape& linear = shape_.linear;
  std::int64_t floats = linear.value_heads * layout_.head_state_floats();
  if (of.kind == entry_kind::splice)
    floats += linear.value_heads * layout_.head_transition_floats();
  return flag_bytes(shape_) + (floats + of.conv_rows * linear.conv_channels()) * float_bytes;
}

std::int64_t entry_layers::read(const entry& of, std::int64_t layer,
                                std::span<std::byte> out) const {
  WEFT_ASSERT(static_cast<std::int64_t>(out.size()) >= bytes_max(of, layer));
  std::byte* at = out.data();
  const auto append = [&at](const float* floats, std::int64_t count) {
    std::memcpy(at, floats, static_cast<std::size_t>(count * float_bytes));
    at += count * float_bytes;
  };
  if (!is_linear(layer)) {
    each_key_piece(of, layer, append);
    return at - out.data();
  }
  append(of.log_decay.data() + first_flag(layer), shape_.linear.value_heads);
  for (std::int64_t head = 0; head < shape_.linear.value_heads; ++head) {
    const std::uint32_t closed = of.closed[first_flag(layer) + static_cast<std::size_t>(head)];
    std::memcpy(at, &closed, sizeof(closed));
    at += sizeof(closed);
  }
  each_state_piece(of, layer, append);
  return at - out.data();
}

status entry_layers::write(entry& to, std::int64_t layer, std::span<const std::byte> record) const {
  const auto wrong = [layer](const std::string& what) {
    return rejected("layer " + std::to_string(layer) + " of an entry came with " + what +
                    "; the sender must be of the same version and model");
  };
  std::size_t read = 0;
  bool whole = true;
  bool finite = true;
  const auto take = [&](float* floats, std::int64_t count) {
    const auto bytes = static_cast<std::size_t>(count * float_bytes);
    whole = whole && record.size() - read >= bytes;
    if (!whole) return;
    std::memcpy(floats, record.data() + read, bytes);
    read += bytes;
    finite = finite && all_finite(floats, count);
  };
  if (is_linear(layer)) {
    const auto heads = static_cast<std::size_t>(shape_.linear.value_heads);
    take(to.log_decay.data() + first_flag(layer), shape_.linear.value_heads);
    for (std::size_t head = 0; whole && head < heads; ++head) {
      std::uint32_t closed = 0;
      whole = record.size() - read >= sizeof(closed);
      if (!whole) break;
      std::memcpy(&closed, record.data() + read, sizeof(closed));
      read += sizeof(closed);
      if (closed > 1) return wrong("a flag of " + std::to_string(closed));
      to.closed[first_flag(layer) + head] = static_cast<std::uint8_t>(closed);
    }
    if (whole) {
      float* state = memory_.states.unit(to.state_slot.id());
      std::fill_n(state + layout_.conv(index(layer)), layout_.conv_floats(), 0.0F);
      each_state_piece(to, layer, take);
    }
  } else {
    each_key_piece(to, layer, take);
  }
  if (!whole || read != record.size())
    return wrong(std::to_string(record.size()) + " bytes, which its form does not have");
  if (!finite) return wrong("NaN or infinity");
  return {};
}

}  // namespace weft::gpu
