#include "policies/vocabulary/node_role.hpp"

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("every role is read back from its name, and no other name is", "[policies][node_role]") {
  for (const node_role role : all_roles) {
    const auto read = parse_role(name_of(role));
    REQUIRE(read.ok());
    CHECK(*read == role);
  }
  const auto refused = parse_role("Router");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("gateway, router, scatter, combine") != std::string::npos);
}

TEST_CASE("a set of roles holds what was added and not taken out", "[policies][node_role]") {
  role_set roles;
  CHECK(roles.empty());
  roles.add(node_role::gateway);
  roles.add(node_role::combine);
  roles.add(node_role::combine);
  CHECK(roles.has(node_role::gateway));
  CHECK(roles.has(node_role::combine));
  CHECK_FALSE(roles.has(node_role::router));
  CHECK_FALSE(roles.has(node_role::scatter));
  roles.remove(node_role::gateway);
  roles.remove(node_role::router);
  role_set combine;
  combine.add(node_role::combine);
  CHECK(roles == combine);
}

}  // namespace weft
