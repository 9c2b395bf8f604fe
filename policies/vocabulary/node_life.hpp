// A node between one start and its end. What a node tells of itself counts for this life only.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>

#include "policies/vocabulary/incarnation.hpp"
#include "policies/vocabulary/node_name.hpp"

namespace weft {

struct node_life {
  node_name node;
  incarnation life;

  friend auto operator<=>(const node_life&, const node_life&) = default;
};

}  // namespace weft

// Lives of one name differ in their incarnations, which are random.
template <>
struct std::hash<weft::node_life> {
  std::size_t operator()(const weft::node_life& who) const noexcept {
    return std::hash<weft::node_name>{}(who.node) ^ std::hash<weft::incarnation>{}(who.life);
  }
};
