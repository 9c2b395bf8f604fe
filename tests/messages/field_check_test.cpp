#include "messages/wire/field_check.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

std::string first_breach(const field_check& fields) {
  return fields.ok() ? "" : fields.verdict().error().message;
}

}  // namespace

TEST_CASE("a message in which nothing is amiss passes", "[messages][field_check]") {
  field_check fields("serving");
  CHECK(fields.demand(true, "a", "is wrong"));
  CHECK(fields.count(5, 5, "b"));
  CHECK(fields.range(-1, -1, 1, "c"));
  CHECK(fields.range(1, -1, 1, "c"));
  CHECK(fields.measure(0, "d"));
  CHECK(fields.text("\xC3\xA9", 2, "e"));
  CHECK(fields.life({.node = {"w1"}, .life = {1}}, "f"));
  CHECK(fields.ok());
  CHECK(fields.verdict().ok());
}

TEST_CASE("the first breach is kept, with conversation and field", "[messages][field_check]") {
  field_check fields("serving");
  CHECK_FALSE(fields.range(7, 1, 6, "accepted.number"));
  CHECK_FALSE(fields.demand(false, "other", "is wrong"));
  CHECK_FALSE(fields.ok());
  REQUIRE_FALSE(fields.verdict().ok());
  CHECK(fields.verdict().error().kind == failure_kind::rejected);
  CHECK(first_breach(fields) == "serving: accepted.number is 7, outside [1, 6]");
}

TEST_CASE("counts, numbers, texts and lives out of bounds are breaches",
          "[messages][field_check]") {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-9, infinite, -infinite, std::numeric_limits<double>::quiet_NaN()}) {
    field_check fields("m");
    CHECK_FALSE(fields.measure(bad, "x"));
    CHECK(first_breach(fields) == "m: x is negative or not finite");
  }
  field_check long_list("m");
  CHECK_FALSE(long_list.count(6, 5, "x"));
  CHECK(first_breach(long_list) == "m: x has 6 items; at most 5 may be sent");
  field_check long_text("m");
  CHECK_FALSE(long_text.text("abc", 2, "x"));
  CHECK(first_breach(long_text) == "m: x has 3 bytes; at most 2 may be sent");
  field_check broken_text("m");
  CHECK_FALSE(broken_text.text("\xC3", 2, "x"));
  CHECK(first_breach(broken_text) == "m: x is not UTF-8");
  for (const node_life& bad :
       {node_life{.node = {""}, .life = {1}}, node_life{.node = {"a b"}, .life = {1}},
        node_life{.node = {"w1"}, .life = {0}}}) {
    field_check fields("m");
    CHECK_FALSE(fields.life(bad, "x"));
  }
}

}  // namespace weft::messages
