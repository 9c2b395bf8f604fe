// Bounds of what a configuration may ask for: far above any published model, chosen so that no
// product of sizes overflows 64 bits. Internal to gpu/checkpoint.
#pragma once

#include <cstdint>

namespace weft::gpu {

constexpr std::int64_t layers_max = 1 << 12;
constexpr std::int64_t heads_max = 1 << 12;
constexpr std::int64_t head_dim_max = 1 << 13;
constexpr std::int64_t width_max = 1 << 20;
// Experts of all layers together: each is described by views of its tensors.
constexpr std::int64_t experts_max = 1 << 17;
// Groups of rows of all layers together, where files group projections by key head: each is
// described by views likewise, and a published model has 600.
constexpr std::int64_t groups_max = 1 << 14;
constexpr std::int64_t vocabulary_max = std::int64_t{1} << 28;
constexpr std::int64_t positions_max = std::int64_t{1} << 40;

}  // namespace weft::gpu
