#include "gpu/comm/connection_tokens.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu::comm {
namespace {

using namespace std::chrono_literals;
const connection_tokens::time_point start{};

}  // namespace

TEST_CASE("a token opens one connection, for the node it was issued to",
          "[gpu][comm][connection_tokens]") {
  connection_tokens tokens(4, 1s);
  const auto token = *tokens.issue("combine-1", start);
  CHECK_FALSE(tokens.spend(*draw_ticket(), start));
  CHECK(tokens.spend(token, start) == "combine-1");
  CHECK_FALSE(tokens.spend(token, start));
}

TEST_CASE("a token that is too old opens nothing", "[gpu][comm][connection_tokens]") {
  connection_tokens tokens(4, 1s);
  const auto token = *tokens.issue("combine-1", start);
  CHECK_FALSE(tokens.spend(token, start + 1s));
}

TEST_CASE("unused tokens are bounded, and old ones make room", "[gpu][comm][connection_tokens]") {
  connection_tokens tokens(2, 1s);
  REQUIRE(tokens.issue("a", start).ok());
  REQUIRE(tokens.issue("b", start).ok());
  const auto none = tokens.issue("c", start);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == failure_kind::overloaded);
  CHECK(tokens.issue("c", start + 1s).ok());
}

}  // namespace weft::gpu::comm
