#include "policies/membership/role.hpp"

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("a set of roles has what was put in and knows what another one lacks",
          "[policies][role]") {
  const role_set some = {node_role::router, node_role::combine};
  CHECK(some.has(node_role::router));
  CHECK(some.has(node_role::combine));
  CHECK_FALSE(some.has(node_role::gateway));
  CHECK_FALSE(some.has(node_role::scatter));
  CHECK(some.beyond({node_role::router, node_role::scatter}) == role_set{node_role::combine});
  CHECK(some.beyond(some).none());
  CHECK(role_set{}.beyond(some).none());
  CHECK(some.beyond({}) == some);
}

TEST_CASE("roles are named in one order", "[policies][role]") {
  CHECK(names_of({node_role::combine, node_role::gateway}) == "gateway, combine");
  CHECK(names_of({}) == "nothing");
  for (const node_role role : all_node_roles) CHECK(names_of({role}) == name_of(role));
}

}  // namespace weft
