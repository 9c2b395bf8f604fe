// What a node does for the cluster; one node may do several things.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace weft {

enum class node_role : std::uint8_t { gateway, router, scatter, combine };

inline constexpr std::array<node_role, 4> all_node_roles = {node_role::gateway, node_role::router,
                                                            node_role::scatter, node_role::combine};

constexpr std::string_view name_of(node_role role) {
  switch (role) {
    case node_role::gateway: return "gateway";
    case node_role::router: return "router";
    case node_role::scatter: return "scatter";
    case node_role::combine: return "combine";
  }
  return "gateway";
}

class role_set {
 public:
  constexpr role_set() = default;
  constexpr role_set(std::initializer_list<node_role> roles) {
    for (const node_role role : roles) add(role);
  }

  constexpr void add(node_role role) { bits_ = static_cast<std::uint8_t>(bits_ | bit(role)); }
  constexpr bool has(node_role role) const { return (bits_ & bit(role)) != 0; }
  constexpr bool none() const { return bits_ == 0; }

  // The roles that `allowed` does not have.
  constexpr role_set beyond(const role_set& allowed) const {
    role_set rest;
    rest.bits_ = static_cast<std::uint8_t>(bits_ & ~allowed.bits_);
    return rest;
  }

  friend constexpr bool operator==(const role_set&, const role_set&) = default;

 private:
  static constexpr std::uint8_t bit(node_role role) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
  }

  std::uint8_t bits_ = 0;
};

// Their names, with commas; "nothing" for none.
inline std::string names_of(const role_set& roles) {
  std::string names;
  for (const node_role role : all_node_roles) {
    if (!roles.has(role)) continue;
    if (!names.empty()) names += ", ";
    names += name_of(role);
  }
  return names.empty() ? "nothing" : names;
}

}  // namespace weft
