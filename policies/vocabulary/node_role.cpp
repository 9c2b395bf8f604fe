#include "policies/vocabulary/node_role.hpp"

namespace weft {

std::string_view name_of(node_role role) {
  switch (role) {
    case node_role::gateway: return "gateway";
    case node_role::router: return "router";
    case node_role::scatter: return "scatter";
    case node_role::combine: return "combine";
  }
  return "gateway";
}

result<node_role> parse_role(std::string_view name) {
  std::string known;
  for (const node_role role : all_roles) {
    if (name_of(role) == name) return role;
    known += known.empty() ? "" : ", ";
    known += name_of(role);
  }
  return rejected("unknown role '" + std::string(name) + "'; known roles are " + known);
}

std::string names_of(const role_set& roles) {
  std::string names;
  for (const node_role role : all_roles) {
    if (!roles.has(role)) continue;
    if (!names.empty()) names += ", ";
    names += name_of(role);
  }
  return names.empty() ? "nothing" : names;
}

}  // namespace weft
