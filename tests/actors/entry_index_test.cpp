#include "actors/session/entry_index.hpp"

#include <catch2/catch.hpp>

#include "tests/actors/fake_engine.hpp"

namespace weft::actors {
namespace {

entry_wanted wanted(std::int64_t name, std::int64_t tokens = 70) {
  entry_wanted made;
  made.key.bytes[0] = static_cast<std::byte>(name);
  made.ids = {static_cast<token_id>(name), 2, 3};
  made.stored_tokens = tokens;
  return made;
}

struct index_stage {
  std::shared_ptr<gpu::entry> room() { return *engine.make_entry(gpu::entry_kind::splice, 70); }
  slot_ptr put(const entry_wanted& what) {
    const slot_ptr slot = index.claim(what, 1, room());
    index.complete(slot);
    return slot;
  }
  std::int64_t held(gpu::unit_owner owner) const {
    return engine.counts().pages.held[static_cast<std::size_t>(owner)];
  }

  fake_engine engine;
  entry_index index{true};
};

}  // namespace

TEST_CASE("a claimed key is computing until it is complete", "[actors][entry_index]") {
  index_stage stage;
  CHECK(stage.index.find(wanted(1)) == nullptr);
  const slot_ptr slot = stage.index.claim(wanted(1), 7, stage.room());
  CHECK(stage.index.find(wanted(1)) == slot);
  CHECK(slot->state == slot_state::computing);
  CHECK(slot->maker == 7);
  CHECK(stage.held(gpu::unit_owner::in_flight) == 2);
  stage.index.complete(slot);
  CHECK(slot->state == slot_state::resident);
  CHECK(stage.held(gpu::unit_owner::cached) == 2);
  CHECK(stage.index.entries() == 1);
}

TEST_CASE("ids that differ under one key are never offered", "[actors][entry_index]") {
  index_stage stage;
  stage.put(wanted(1));
  entry_wanted forged = wanted(1);
  forged.ids.push_back(4);
  CHECK(stage.index.find(forged) == nullptr);
  CHECK(stage.index.absence(forged.key) == verdict_reason::invalid);
  CHECK(stage.index.find(wanted(1)) == nullptr);
  CHECK(stage.engine.counts().pages.in_use() == 0);
}

TEST_CASE("an abandoned key is free for the next and its memory goes back",
          "[actors][entry_index]") {
  index_stage stage;
  const slot_ptr slot = stage.index.claim(wanted(1), 7, stage.room());
  stage.index.abandon(slot, false);
  CHECK(stage.engine.counts().pages.in_use() == 0);
  CHECK(stage.index.find(wanted(1)) == nullptr);
  CHECK(stage.index.absence(wanted(1).key) == verdict_reason::new_segment);
  // Whoever awaits the slot sees the next maker in it.
  CHECK(stage.index.claim(wanted(1), 8, stage.room()) == slot);
  CHECK(slot->maker == 8);
}

TEST_CASE("an entry that came out wrong is remembered as invalid", "[actors][entry_index]") {
  index_stage stage;
  stage.index.abandon(stage.index.claim(wanted(1), 7, stage.room()), true);
  stage.index.sweep_abandoned();
  CHECK(stage.index.claim(wanted(1), 8, stage.room())->cause == verdict_reason::invalid);
}

TEST_CASE("an evicted entry is remembered and its units are free", "[actors][entry_index]") {
  index_stage stage;
  stage.put(wanted(1));
  stage.put(wanted(2));
  REQUIRE(stage.index.find(wanted(1)) != nullptr);  // Now 2 is the one used longest ago.
  CHECK(stage.index.evict({.pages = 1}));
  CHECK(stage.index.find(wanted(2)) == nullptr);
  CHECK(stage.index.absence(wanted(2).key) == verdict_reason::evicted);
  CHECK(stage.engine.counts().pages.in_use() == 2);
  CHECK(stage.index.evictions() == 1);
}

TEST_CASE("entries in use are neither evicted nor freed when the cache is dropped",
          "[actors][entry_index]") {
  index_stage stage;
  slot_ptr used = stage.put(wanted(1));
  CHECK_FALSE(stage.index.evict({.pages = 1}));
  stage.index.drop_unpinned();
  CHECK(stage.index.entries() == 0);
  CHECK(stage.held(gpu::unit_owner::in_flight) == 2);
  used.reset();
  CHECK(stage.engine.counts().pages.in_use() == 0);
}

TEST_CASE("an invalid entry in use is in quarantine until its last user lets go",
          "[actors][entry_index]") {
  index_stage stage;
  slot_ptr used = stage.put(wanted(1));
  CHECK(stage.index.drop_invalid(used));
  CHECK_FALSE(stage.index.drop_invalid(used));
  CHECK(stage.held(gpu::unit_owner::quarantined) == 2);
  used.reset();
  CHECK(stage.engine.counts().pages.in_use() == 0);
  const slot_ptr making = stage.index.claim(wanted(2), 7, stage.room());
  auto held = making->entry;  // By the sequence that fills it.
  stage.index.abandon(making, true);
  CHECK(stage.held(gpu::unit_owner::quarantined) == 2);
  held.reset();
  CHECK(stage.engine.counts().pages.in_use() == 0);
}

TEST_CASE("a pinned entry stays", "[actors][entry_index]") {
  index_stage stage;
  entry_wanted anchor = wanted(1);
  anchor.pinned = true;
  stage.put(anchor);
  CHECK(stage.held(gpu::unit_owner::pinned) == 2);
  CHECK_FALSE(stage.index.evict({.pages = 1}));
  stage.index.drop_unpinned();
  CHECK(stage.index.entries() == 1);
}

TEST_CASE("a private index leaves its entries in flight", "[actors][entry_index]") {
  fake_engine engine;
  entry_index index(false);
  index.complete(index.claim(wanted(1), 1, *engine.make_entry(gpu::entry_kind::splice, 70)));
  CHECK(engine.counts().pages.held[static_cast<std::size_t>(gpu::unit_owner::in_flight)] == 2);
}

TEST_CASE("whether a key is there can be asked without touching it", "[actors][entry_index]") {
  index_stage stage;
  CHECK_FALSE(stage.index.has(wanted(1).key));
  slot_ptr slot = stage.index.claim(wanted(1), 1, stage.room());
  CHECK(stage.index.has(wanted(1).key));
  stage.index.abandon(slot, false);
  CHECK_FALSE(stage.index.has(wanted(1).key));
  slot.reset();
  stage.put(wanted(2));
  stage.put(wanted(3));
  CHECK(stage.index.has(wanted(2).key));
  CHECK(stage.index.evict({.pages = 1}));
  CHECK_FALSE(stage.index.has(wanted(2).key));  // Still the one used longest ago.
}

TEST_CASE("evictable is what nobody pins, uses or makes", "[actors][entry_index]") {
  index_stage stage;
  entry_wanted anchor = wanted(1);
  anchor.pinned = true;
  stage.put(anchor);
  const slot_ptr used = stage.put(wanted(2));
  const slot_ptr made = stage.index.claim(wanted(3), 1, stage.room());
  CHECK(stage.index.evictable().none());
  stage.put(wanted(4));
  const cache_units one{.pages = 2, .state_slots = 1, .transition_slots = 1};
  CHECK(stage.index.evictable() == one);
  CHECK(stage.index.evict(one));
  CHECK(stage.index.evictable().none());
}

TEST_CASE("by value the entry that saves least goes, by work and by counted uses",
          "[actors][entry_index]") {
  index_stage stage;
  stage.index = entry_index(true, {.policy = eviction_policy::value_per_byte,
                                   .bytes = {.page = 100, .state_slot = 1000},
                                   .half_life_uses = 100});
  stage.index.reprice({.token_ms = 1, .pair_ms = 0});
  const auto put = [&](std::int64_t name, std::int64_t tokens, int uses) {
    entry_wanted what = wanted(name);
    what.remake = work_of(tokens);
    const slot_ptr slot = stage.put(what);
    for (int use = 0; use < uses; ++use) stage.index.count_use(slot);
  };
  put(1, 50, 3);
  put(2, 100, 1);
  put(3, 120, 2);
  // Looks are no uses: a request that waits for room looks every step.
  for (int look = 0; look < 10; ++look) stage.index.find(wanted(2));
  CHECK(stage.index.evict({.pages = 1}));
  CHECK_FALSE(stage.index.has(wanted(2).key));
  CHECK(stage.index.evict({.pages = 1}));
  CHECK_FALSE(stage.index.has(wanted(1).key));
  CHECK(stage.index.has(wanted(3).key));
}

TEST_CASE("what is remembered of gone keys is bounded", "[actors][entry_index]") {
  index_stage stage;
  const auto numbered = [](std::uint32_t name) {
    entry_wanted made = wanted(1);
    for (std::size_t byte = 0; byte < 4; ++byte)
      made.key.bytes[byte] = static_cast<std::byte>(name >> (8 * byte));
    return made;
  };
  for (std::uint32_t name = 0; name < 5000; ++name) {
    stage.put(numbered(name));
    stage.index.drop_unpinned();
  }
  CHECK(stage.index.absence(numbered(0).key) == verdict_reason::new_segment);
  CHECK(stage.index.absence(numbered(4999).key) == verdict_reason::evicted);
}

}  // namespace weft::actors
