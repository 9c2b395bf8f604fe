// What a node does in a cluster, and sets of it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
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
  constexpr role_set() = default;
  constexpr role_set(std::initializer_list<node_role> roles) {
    for (const node_role role : roles) add(role);
  }

  constexpr void add(node_role role) { bits_ = static_cast<std::uint8_t>(bits_ | bit(role)); }
  constexpr bool has(node_role role) const { return (bits_ & bit(role)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

  // The roles that `allowed` does not have.
  constexpr role_set beyond(const role_set& allowed) const {
    role_set rest;
    rest.bits_ = static_cast<std::uint8_t>(bits_ & ~allowed.bits_);
    return rest;
  }

  friend constexpr bool operator==(const role_set&, const role_set&) = default;

 private:
  static constexpr unsigned bit(node_role role) { return 1U << static_cast<unsigned>(role); }

  std::uint8_t bits_ = 0;
};

// Their names, with commas; "nothing" for none.
std::string names_of(const role_set& roles);

}  // namespace weft
