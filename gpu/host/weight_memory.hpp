// The memory that steps compute with, of each weight: where it is mapped, packed, or copied.
//
// Everything in the host engine that keeps weights shows them by `show`, so that whoever asks
// whether they are still numbers looks at what is read by a step, and at nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/model/element_type.hpp"

namespace weft::gpu {

enum class weight_place : std::uint8_t {
  mapped,  // Where the checkpoint was loaded.
  packed,  // In panels, padded with zeros.
  copied,  // As float32, perhaps through a function.
};

struct weight_piece {
  const std::string& name;  // Of the tensor that it came from.
  weight_place place = weight_place::mapped;
  element_type type = element_type::float32;
  std::span<const std::byte> bytes;  // Whole elements.
};
using weight_visitor = std::function<void(const weight_piece&)>;

// A tensor's elements as float32, or what was made of them.
struct weight_floats {
  std::string name;
  std::vector<float> values;

  const float* data() const { return values.data(); }
  float operator[](std::size_t at) const { return values[at]; }
  void show(const weight_visitor& visit) const {
    visit({.name = name,
           .place = weight_place::copied,
           .type = element_type::float32,
           .bytes = std::as_bytes(std::span(values))});
  }
};

}  // namespace weft::gpu
