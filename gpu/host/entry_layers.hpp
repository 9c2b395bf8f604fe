// One layer of an entry as bytes, for a copy on another engine of the same numerics id.
//
// A record holds what the layer's splice will read, and nothing that an earlier holder left in the
// same memory. Numbers are as this processor has them (little-endian float32).
//
//   linear layer     log decay [value_heads] f32, closed [value_heads] u32 (0 or 1),
//                    S [value_heads, key_dim, value_dim], T [open heads, key_dim, key_dim]
//                    (splice entries alone), convolution rows [conv_rows, conv_channels]
//   attention layer  of each key-value head and page: K [head_dim, tokens of the page],
//                    V [tokens of the page, head_dim]
//
// Threads: reading and writing touch the memory of the entry's layer alone; whoever calls sees to
// it that no step computes with that layer of the entry meanwhile.
#pragma once

#include <cstddef>
#include <span>

#include "gpu/door/entry.hpp"
#include "gpu/host/state_layout.hpp"
#include "gpu/host/step_context.hpp"

namespace weft::gpu {

class entry_layers {
 public:
  // All outlive this.
  entry_layers(const model_shape& shape, const state_layout& layout, const pool_memory& memory);

  // The most bytes of a record.
  std::int64_t bytes_max(const entry& of, std::int64_t layer) const;

  // Writes the record into `out` and returns its bytes. Requires: the layer's numbers are there;
  // room for bytes_max.
  std::int64_t read(const entry& of, std::int64_t layer, std::span<std::byte> out) const;

  // Fills the layer of `to` from a record. `rejected`: another length than the entry's form asks
  // for, flags that are none, NaN or infinity; then the layer's memory holds anything.
  status write(entry& to, std::int64_t layer, std::span<const std::byte> record) const;

 private:
  // Calls piece(first float, count) over the floats of a linear layer that a record holds, in
  // order.
  template <class Piece>
  void each_state_piece(const entry& of, std::int64_t layer, const Piece& piece) const;
  template <class Piece>
  void each_key_piece(const entry& of, std::int64_t layer, const Piece& piece) const;
  bool is_linear(std::int64_t layer) const;
  std::int64_t index(std::int64_t layer) const { return indices_[static_cast<std::size_t>(layer)]; }
  std::size_t first_flag(std::int64_t layer) const;

  const model_shape& shape_;
  const state_layout& layout_;
  const pool_memory& memory_;
  std::vector<std::int64_t> indices_;  // Of each layer among those of its kind.
};

}  // namespace weft::gpu
