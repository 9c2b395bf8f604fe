#include "tests/actors/random_crowd.hpp"

#include <algorithm>

namespace weft::actors {

random_crowd::random_crowd(const crowd_options& options)
    : options_(options), random_(options.seed) {
  open();
}

std::int64_t random_crowd::below(std::int64_t bound) {
  return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
}

void random_crowd::open() {
  session_options options;
  options.step_tokens_max = 64 * (1 + below(4));
  options.requests_max = 10;
  options.waiting_max = 4;
  options.eviction = options_.eviction;
  if (options_.anchored) options.anchor = {text(50, 30), text(51, 40)};
  stage_ = std::make_unique<session_fixture>(options, options_.pools);
  engine().begin_trouble(options_.trouble, random_());
}

void random_crowd::close() {
  tally_ = tally();
  live_.clear();
  stage_.reset();
}

crowd_tally random_crowd::tally() const {
  crowd_tally all = tally_;
  const cache_counts counts = stage_->live->cached();
  const trouble_tally& trouble = stage_->fake->trouble_met;
  all.hits += counts.hits;
  all.misses += counts.misses;
  // Anchors and what is taken over are made besides, so there were more of them.
  all.duplicates += std::max<std::int64_t>(counts.misses - stage_->fake->entries_made, 0);
  all.evictions += counts.evictions;
  for (const std::int64_t entries : counts.quarantined) all.condemned += entries;
  all.failing_sequences += trouble.failing_sequences;
  all.spoilt_entries += trouble.spoilt_entries;
  all.refused_units += trouble.refusals;
  return all;
}

std::vector<std::string> random_crowd::act() {
  ++tally_.operations;
  const std::int64_t what = below(1000);
  if (what < 300) start();
  if (what >= 300 && what < 370) cancel();
  if (what >= 370 && what < 500) take();
  if (what >= 500 && what < 510) drop_cache();
  if (what >= 510 && what < 515) return quiet();
  if (what == 515 && options_.breaks) break_down();
  if (what > 515) stage_->live->step();
  engine().last_used.clear();
  return check();
}

std::vector<std::string> random_crowd::quiet() {
  ++tally_.quiet_times;
  stage_->finish_all();
  const std::vector<std::string> breaches =
      check_quiet(engine().counts(), stage_->live->cached().units);
  return breaches.empty() ? check() : breaches;
}

std::vector<std::string> random_crowd::check() const {
  auto breaches = check_accounts(stage_->fake->counts(), stage_->live->cached().units);
  for (std::string& breach : check_entries(stage_->fake->entries_alive()))
    breaches.push_back(std::move(breach));
  return breaches;
}

// Few documents, some asked for far more often than others, so that hits, repeats and second comers
// are as common as misses; some lie within the seam, some over several pages.
request random_crowd::any_request() {
  constexpr std::array<std::int64_t, 8> lengths = {100, 30, 64, 20, 90, 65, 150, 1};
  std::vector<token_ids> segments;
  const std::int64_t count = 1 + below(5);
  for (std::int64_t index = 0; index < count; ++index) {
    const std::int64_t name = std::min(below(options_.documents), below(options_.documents));
    segments.push_back(text(name, lengths[static_cast<std::size_t>(name % 8)]));
  }
  request asked = ask(std::move(segments));
  if (below(3) == 0) asked.mode = all_modes[static_cast<std::size_t>(below(7))];
  asked.new_tokens_max = below(4);
  asked.use_cache = below(8) != 0;
  return asked;
}

void random_crowd::start() {
  const auto id = stage_->live->start(any_request());
  if (id.ok()) return live_.push_back(*id);
  tally_.refused += id.error().kind == failure_kind::overloaded ? 1 : 0;
}

void random_crowd::cancel() {
  if (live_.empty()) return;
  const auto victim = live_.begin() + below(static_cast<std::int64_t>(live_.size()));
  stage_->live->cancel(*victim);
  live_.erase(victim);
  ++tally_.cancels;
}

void random_crowd::take() {
  std::erase_if(live_, [this](std::uint64_t id) {
    const auto done = stage_->live->take(id);
    if (!done) return false;
    ++(done->ok() ? tally_.answers : tally_.failures);
    if (!done->ok() && done->error().kind == failure_kind::overloaded) ++tally_.told_to_retry;
    return true;
  });
}

void random_crowd::break_down() {
  engine().steps_until_break = 0;
  stage_->finish_all();
  take();
  const auto breaches = check_quiet(engine().counts(), stage_->live->cached().units);
  CHECK(breaches == std::vector<std::string>{});
  ++tally_.breaks;
  close();
  open();
}

}  // namespace weft::actors
