#include "policies/vocabulary/node_name.hpp"

#include <unordered_set>

#include <catch2/catch.hpp>

#include "policies/vocabulary/attempt.hpp"
#include "policies/vocabulary/node_life.hpp"

namespace weft {

TEST_CASE("a node's name can stand in a log and a label as it is", "[policies][node_name]") {
  for (const char* good : {"w", "worker-2", "rack_7.eu-west", "A9"}) {
    INFO(good);
    REQUIRE(parse_node_name(good).ok());
    CHECK(parse_node_name(good)->text == good);
  }
  const std::string longest(node_name_bytes_max, 'n');
  CHECK(parse_node_name(longest).ok());
  for (const std::string& bad :
       {std::string(), longest + "n", std::string("a b"), std::string("a/b"),
        std::string("\xC3\xA9"), std::string(1, '\0')}) {
    INFO(bad);
    REQUIRE_FALSE(parse_node_name(bad).ok());
    CHECK(parse_node_name(bad).error().kind == failure_kind::rejected);
  }
}

TEST_CASE("a node that comes back under its name is another life", "[policies][node_name]") {
  const node_life before{.node = {"w1"}, .life = {7}};
  const node_life after{.node = {"w1"}, .life = {8}};
  CHECK(before != after);
  std::unordered_set<node_life> seen = {before, after, {.node = {"w2"}, .life = {7}}};
  CHECK(seen.size() == 3);
}

TEST_CASE("attempts of one request are ordered by generation", "[policies][node_name]") {
  const attempt first{.request = {.gateway = {3}, .number = 9}, .generation = {1}};
  const attempt second{.request = first.request, .generation = first.generation.next()};
  CHECK(first < second);
  CHECK(second.generation.number == 2);
  const attempt elsewhere{.request = {.gateway = {3}, .number = 10}, .generation = {1}};
  CHECK(elsewhere.request != first.request);
  std::unordered_set<request_id> seen = {first.request, second.request, elsewhere.request};
  CHECK(seen.size() == 2);
}

}  // namespace weft
