// What a node does in a cluster, and sets of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft {

enum class node_role : std::uint8_t {
  gateway,  // takes clients' requests in
  router,   // keeps the directory, plans requests
  scatter,  // prefills cold segments for others
  combine,  // splices, answers, generates
};

inline constexpr std::array<node_role, 4> all_roles = {node_role::gateway, node_role::router,
                                                       node_role::scatter, node_role::combine};

std::string_view name_of(node_role role);

// The role of that name, or `rejected` with a list of the known ones.
result<node_role> parse_role(std::string_view name);

class role_set {
 public:
  bool has(node_role role) const { return (bits_ & bit(role)) != 0; }
  bool empty() const { return bits_ == 0; }
  void add(node_role role) { bits_ = static_cast<std::uint8_t>(bits_ | bit(role)); }
  void remove(node_role role) { bits_ = static_cast<std::uint8_t>(bits_ & ~bit(role)); }

  friend bool operator==(const role_set&, const role_set&) = default;

 private:
  static constexpr unsigned bit(node_role role) { return 1U << static_cast<unsigned>(role); }

  std::uint8_t bits_ = 0;
};

}  // namespace weft
