#include "policies/vocabulary/receipt.hpp"

#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace weft;

TEST_CASE("roles, verdicts and reasons have the names that clients read", "[policies][receipt]") {
  CHECK(name_of(segment_role::lead) == "lead");
  CHECK(name_of(segment_role::document) == "document");
  CHECK(name_of(segment_role::question) == "question");
  CHECK(name_of(verdict::warm) == "warm");
  CHECK(name_of(verdict::cold) == "cold");
  CHECK(name_of(verdict::context) == "context");
  CHECK(name_of(verdict_reason::new_segment) == "new");
  CHECK(name_of(verdict_reason::other_scope) == "other scope");
  CHECK(name_of(verdict_reason::seam_only) == "seam only");
  CHECK(name_of(verdict_reason::not_reusable) == "not reusable");
}

TEST_CASE("no two reasons share a name", "[policies][receipt]") {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(verdict_reason::mode); ++i)
    names.insert(name_of(static_cast<verdict_reason>(i)));
  CHECK(names.size() == static_cast<std::size_t>(verdict_reason::mode) + 1);
}
