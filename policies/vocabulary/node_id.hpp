// Which process is meant: a node's name and which life of it.
//
// A name stays (it is the certificate's); the incarnation is 64 random bits drawn at start. So a
// restarted node is another node of the same name, and nothing that its former life said or held
// counts for it. Incarnations have no order: which one is the latest is known by what was heard.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace weft {

struct node_id {
  std::string name;
  std::uint64_t incarnation = 0;

  friend bool operator==(const node_id&, const node_id&) = default;
  friend auto operator<=>(const node_id&, const node_id&) = default;
};

}  // namespace weft
