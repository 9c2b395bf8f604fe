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

TEST_CASE("a set of roles has what was put in and knows what another one lacks",
          "[policies][node_role]") {
  const role_set some = {node_role::router, node_role::combine};
  CHECK(some.has(node_role::router));
  CHECK(some.has(node_role::combine));
  CHECK_FALSE(some.has(node_role::gateway));
  CHECK_FALSE(some.has(node_role::scatter));
  role_set grown;
  CHECK(grown.empty());
  for (const node_role role : {node_role::combine, node_role::router, node_role::router})
    grown.add(role);
  CHECK(grown == some);
  CHECK(some.beyond({node_role::router, node_role::scatter}) == role_set{node_role::combine});
  CHECK(some.beyond(some).empty());
  CHECK(role_set{}.beyond(some).empty());
  CHECK(some.beyond({}) == some);
}

TEST_CASE("roles are named in one order", "[policies][node_role]") {
  CHECK(names_of({node_role::combine, node_role::gateway}) == "gateway, combine");
  CHECK(names_of({}) == "nothing");
  for (const node_role role : all_roles) CHECK(names_of({role}) == name_of(role));
}

}  // namespace weft
