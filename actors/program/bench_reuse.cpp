#include "actors/program/bench_reuse.hpp"

#include <algorithm>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

double known_share(const bench_prompt& prompt, std::int64_t known) {
  const std::int64_t tokens = known > 0 ? bench_lead_tokens + known * prompt.segment_tokens : 0;
  return static_cast<double>(tokens) / static_cast<double>(tokens_of(prompt));
}

request ask(const reuse_series& of, const seam& used, std::vector<request_segment> segments) {
  request wanted;
  wanted.segments = std::move(segments);
  wanted.mode = of.mode;
  wanted.wanted_seam = used;
  wanted.new_tokens_max = 1;
  return wanted;
}

struct point_times {
  std::vector<double> milliseconds;  // By run.
  std::int64_t reused_tokens = 0;
};
using line_times = std::vector<point_times>;

// One run of one line, from an empty cache.
status run_line(session& on, const reuse_series& of, const reuse_sweep& sweep, prompt_draws& draws,
                line_times& into, const std::function<void()>& done) {
  const seam used = sweep.seam_for(of.mode);
  on.drop_cache();
  const std::vector<request_segment> before = draws.prompt(sweep.prompt);
  if (const auto known = on.run(ask(of, used, before)); !known) return known.error();
  const std::vector<std::int64_t> counts = known_counts(sweep.prompt.segments);
  // From all to none, so that a cache that holds one prompt is enough: what it evicts is what no
  // later prompt asks for.
  for (std::size_t point = counts.size(); point-- > 0;) {
    const std::int64_t known = counts[point];
    const auto answered = on.run(ask(of, used, follow_up(before, known, of.moved, draws)));
    if (!answered) return answered.error();
    into[point].milliseconds.push_back(answered->times.first_token_ms);
    into[point].reused_tokens = answered->reused_tokens;
    done();
  }
  return {};
}

}  // namespace

std::string reuse_series::name() const {
  return std::string(traits_of(mode).name) + (moved ? " moved" : "");
}

std::vector<reuse_series> reuse_series_of(const std::vector<reuse_mode>& modes) {
  std::vector<reuse_series> all;
  for (const reuse_mode mode : modes) {
    all.push_back({.mode = mode});
    if (traits_of(mode).chains) all.push_back({.mode = mode, .moved = true});
  }
  return all;
}

std::vector<std::int64_t> known_counts(std::int64_t segments) {
  std::vector<std::int64_t> counts;
  for (std::int64_t quarter = 0; quarter <= 4; ++quarter) {
    const std::int64_t count = (segments * quarter + 2) / 4;
    if (counts.empty() || counts.back() != count) counts.push_back(count);
  }
  return counts;
}

std::vector<request_segment> follow_up(const std::vector<request_segment>& before,
                                       std::int64_t known, bool moved, prompt_draws& draws) {
  WEFT_ASSERT(known >= 0 && known + 2 <= static_cast<std::int64_t>(before.size()));
  const auto drawn_like = [&](const request_segment& other) {
    return draws.segment(static_cast<std::int64_t>(other.tokens.size()));
  };
  std::vector<request_segment> documents(before.begin() + 1, before.end() - 1);
  for (auto at = documents.begin() + known; at != documents.end(); ++at) *at = drawn_like(*at);
  if (moved) {
    // The known ones rotate by one and go behind the fresh ones.
    const auto fresh = documents.begin() + known;
    if (known > 0) std::rotate(documents.begin(), documents.begin() + 1, fresh);
    std::rotate(documents.begin(), fresh, documents.end());
  }
  std::vector<request_segment> segments = {known > 0 ? before.front() : drawn_like(before.front())};
  segments.insert(segments.end(), documents.begin(), documents.end());
  segments.push_back(drawn_like(before.back()));
  return segments;
}

result<std::vector<reuse_line>> measure_reuse(
    session& on, const reuse_sweep& sweep, prompt_draws& draws,
    const std::function<void(const reuse_series&)>& done) {
  const std::vector<std::int64_t> counts = known_counts(sweep.prompt.segments);
  std::vector<line_times> lines(sweep.series.size(), line_times(counts.size()));
  // A turn each, run by run: what slows the machine for a while slows all lines.
  for (std::int64_t run = 0; run < sweep.runs; ++run)
    for (std::size_t index = 0; index < lines.size(); ++index) {
      const reuse_series& of = sweep.series[index];
      const status ran = run_line(on, of, sweep, draws, lines[index], [&] { done(of); });
      if (!ran) return ran.error();
    }
  std::vector<reuse_line> found;
  for (std::size_t index = 0; index < lines.size(); ++index) {
    reuse_line line{.of = sweep.series[index], .points = {}};
    for (std::size_t point = 0; point < counts.size(); ++point) {
      point_times& times = lines[index][point];
      line.points.push_back({.known_segments = counts[point],
                             .known_share = known_share(sweep.prompt, counts[point]),
                             .reused_tokens = times.reused_tokens,
                             .milliseconds = spread_of(std::move(times.milliseconds))});
    }
    found.push_back(std::move(line));
  }
  return found;
}

}  // namespace weft::actors
