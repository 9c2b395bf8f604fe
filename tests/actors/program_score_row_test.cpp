#include <catch2/catch.hpp>

#include "actors/program/score_row.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

// A prompt whose every row but the last has a score, as a cold run might give.
answer scored(std::vector<receipt> receipts) {
  answer made;
  made.receipts = std::move(receipts);
  std::int64_t tokens = 0;
  for (const receipt& each : made.receipts) tokens += each.tokens;
  for (std::int64_t row = 0; row + 1 < tokens; ++row)
    made.scores.push_back({.position = row,
                           .log_probability = -static_cast<double>(row + 1),
                           .best = static_cast<token_id>(row + 1)});
  return made;
}

receipt part(segment_role role, std::int64_t tokens, verdict what) {
  receipt made;
  made.role = role;
  made.tokens = tokens;
  made.what = what;
  return made;
}

std::string pattern(const score_row& row) {
  std::string text;
  for (const auto& mark : row.tokens) text += mark ? 'x' : '.';
  return text;
}

}  // namespace

TEST_CASE("in context every token but the first has a score of its own", "[actors][score_row]") {
  const answer from = scored({part(segment_role::question, 4, verdict::context)});
  const score_row row = row_of(from, {8, 16}, true);
  CHECK(pattern(row) == ".xxx");
  CHECK(row.tokens[2]->log_probability == -2);
  CHECK(row.tokens[2]->best == 2);
}

TEST_CASE("tokens inside entries have none, and neither has the first after one",
          "[actors][score_row]") {
  const std::vector<receipt> parts = {part(segment_role::lead, 2, verdict::cold),
                                      part(segment_role::document, 7, verdict::cold),
                                      part(segment_role::question, 3, verdict::context)};
  // Lead 2 | head 2, stored 3, tail 2 | question 3.
  CHECK(pattern(row_of(scored(parts), {2, 2}, true)) ==
        ".."
        ".x"
        "..."
        ".x"
        "xxx");
  // Without a tail the question's first token comes after an entry.
  CHECK(pattern(row_of(scored(parts), {2, 0}, true)) ==
        ".."
        ".x"
        "....."
        ".xx");
}

TEST_CASE("a warm entry gives the same row as a cold one", "[actors][score_row]") {
  for (const verdict what : {verdict::cold, verdict::warm}) {
    const answer from =
        scored({part(segment_role::lead, 3, what), part(segment_role::document, 6, what),
                part(segment_role::question, 2, verdict::context)});
    CHECK(pattern(row_of(from, {1, 1}, true)) ==
          "..."
          "."
          "...."
          "."
          "xx");
  }
}

TEST_CASE("modes without entries keep whatever was computed", "[actors][score_row]") {
  answer from = scored({part(segment_role::lead, 2, verdict::warm),
                        part(segment_role::question, 3, verdict::context)});
  CHECK(pattern(row_of(from, {0, 0}, false)) == ".xxxx");
  from.scores.erase(from.scores.begin(), from.scores.begin() + 2);
  CHECK(pattern(row_of(from, {0, 0}, false)) == "...xx");
}

TEST_CASE("scores outside the prompt are left out", "[actors][score_row]") {
  answer from = scored({part(segment_role::question, 2, verdict::context)});
  from.scores.push_back({.position = 1});
  from.scores.push_back({.position = -1});
  CHECK(pattern(row_of(from, {0, 0}, false)) == ".x");
}
