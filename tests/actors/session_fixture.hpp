// A session over the fake engine, with verbs for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "actors/session/session.hpp"
#include "tests/actors/fake_engine.hpp"

namespace weft::actors {

// A segment of `count` tokens that only `name` decides; never an end or poison token.
inline token_ids text(std::int64_t name, std::int64_t count) {
  token_ids ids;
  for (std::int64_t index = 0; index < count; ++index)
    ids.push_back(static_cast<token_id>(1 + (name * 31 + index * 7 + index * index % 5) % 95));
  return ids;
}

inline request ask(std::vector<token_ids> segments, reuse_mode mode = reuse_mode::stitched) {
  request asked;
  asked.mode = mode;
  asked.new_tokens_max = 6;
  asked.want_logits = true;
  for (token_ids& ids : segments) asked.segments.push_back({.tokens = std::move(ids)});
  return asked;
}

// lead, four documents (one shorter than the seam, one of one token), question
inline request ask_documents(reuse_mode mode = reuse_mode::stitched) {
  return ask({text(1, 30), text(2, 100), text(3, 20), text(4, 70), text(5, 1), text(6, 12)}, mode);
}

// Verdicts in order, as letters: w(arm), c(old), x (context).
inline std::string verdicts(const answer& from) {
  std::string letters;
  for (const receipt& each : from.receipts)
    letters += each.what == verdict::warm ? 'w' : each.what == verdict::cold ? 'c' : 'x';
  return letters;
}

struct session_fixture {
  explicit session_fixture(session_options options = {}, fake_options pools = {}) {
    auto engine = std::make_unique<fake_engine>(pools);
    fake = engine.get();
    auto made = session::make(std::move(engine), std::move(options));
    REQUIRE(made.ok());
    live = std::move(made).value();
  }
  ~session_fixture() { CHECK(fake->violations == std::vector<std::string>{}); }

  answer run(request asked) {
    auto done = live->run(std::move(asked));
    if (!done.ok()) FAIL(done.error().message);
    return std::move(done).value();
  }
  failure refuse(request asked) {
    const auto done = live->run(std::move(asked));
    REQUIRE_FALSE(done.ok());
    return done.error();
  }
  std::uint64_t start(request asked) {
    const auto id = live->start(std::move(asked));
    if (!id.ok()) FAIL(id.error().message);
    return *id;
  }
  answer take(std::uint64_t id) {
    auto done = live->take(id);
    REQUIRE(done.has_value());
    if (!done->ok()) FAIL(done->error().message);
    return std::move(*done).value();
  }
  void finish_all() {
    while (live->step()) {
    }
  }
  // Units that live requests hold; 0 when all is quiet.
  std::int64_t in_flight() const {
    std::int64_t units = 0;
    const gpu::engine_counts counts = fake->counts();
    for (const auto* pool : {&counts.pages, &counts.state_slots, &counts.transition_slots}) {
      std::int64_t sum = pool->free;
      for (const std::int64_t held : pool->held) sum += held;
      CHECK(sum == pool->total);
      units += pool->held[static_cast<std::size_t>(gpu::unit_owner::in_flight)];
    }
    return units;
  }
  std::int64_t in_use() const {
    const gpu::engine_counts counts = fake->counts();
    return counts.pages.in_use() + counts.state_slots.in_use() + counts.transition_slots.in_use();
  }

  fake_engine* fake = nullptr;
  std::unique_ptr<session> live;
};

}  // namespace weft::actors
