#include "actors/program/bench_runs.hpp"

#include <algorithm>
#include <chrono>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

// Long enough that a batch's rate is steady, short enough to wait for.
constexpr std::int64_t decode_prompt_tokens = 64;
constexpr std::int64_t decode_new_tokens = 48;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

bool reuses(reuse_mode mode) { return traits_of(mode).splices || traits_of(mode).chains; }

}  // namespace

std::int64_t tokens_of(const bench_prompt& prompt) {
  return bench_lead_tokens + prompt.segments * prompt.segment_tokens + prompt.question_tokens;
}

spread spread_of(std::vector<double> values) {
  WEFT_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.median = median, .least = values.front(), .most = values.back()};
}

bench_runs::bench_runs(session& on, std::uint64_t seed, tick done)
    : on_(&on), random_(seed), done_(std::move(done)) {}

token_ids bench_runs::draw_tokens(std::int64_t count) {
  const auto vocabulary = static_cast<std::uint64_t>(on_->engine().shape().vocabulary);
  token_ids ids(static_cast<std::size_t>(count));
  for (token_id& id : ids) id = static_cast<token_id>(random_() % vocabulary);
  return ids;
}

std::vector<request_segment> bench_runs::draw(const bench_prompt& prompt) {
  std::vector<request_segment> segments = {{.tokens = draw_tokens(bench_lead_tokens)}};
  for (std::int64_t i = 0; i < prompt.segments; ++i)
    segments.push_back({.tokens = draw_tokens(prompt.segment_tokens)});
  segments.push_back({.tokens = draw_tokens(prompt.question_tokens)});
  return segments;
}

result<first_token_times> bench_runs::first_token(reuse_mode mode, const seam& used,
                                                  const bench_prompt& prompt, std::int64_t runs) {
  std::vector<double> cold;
  std::vector<double> warm;
  std::vector<double> splices;
  first_token_times times;
  for (std::int64_t i = 0; i < runs; ++i) {
    request wanted;
    wanted.segments = draw(prompt);
    wanted.mode = mode;
    wanted.wanted_seam = used;
    wanted.new_tokens_max = 1;
    const auto first = on_->run(wanted);
    if (!first) return first.error();
    cold.push_back(first->times.first_token_ms);
    if (reuses(mode)) {
      const auto second = on_->run(std::move(wanted));
      if (!second) return second.error();
      warm.push_back(second->times.first_token_ms);
      splices.push_back(second->times.splice_ms);
      times.warm_reused_tokens = second->reused_tokens;
    }
    if (done_) done_();
  }
  times.cold = spread_of(std::move(cold));
  if (!warm.empty()) times.warm = spread_of(std::move(warm));
  if (!splices.empty()) times.warm_splice = spread_of(std::move(splices));
  return times;
}

result<double> bench_runs::prefill_rate(std::int64_t prompt_tokens, std::int64_t runs) {
  std::vector<double> rates;
  for (std::int64_t i = 0; i < runs; ++i) {
    request wanted;
    wanted.segments = {{.tokens = draw_tokens(prompt_tokens)}};
    wanted.mode = reuse_mode::full_recompute;
    wanted.new_tokens_max = 1;
    const auto answered = on_->run(std::move(wanted));
    if (!answered) return answered.error();
    const double milliseconds = std::max(answered->times.first_token_ms, 1e-3);
    rates.push_back(1000.0 * static_cast<double>(prompt_tokens) / milliseconds);
  }
  if (done_) done_();
  return spread_of(std::move(rates)).median;
}

result<double> bench_runs::decode_rate(std::int64_t batch) {
  std::vector<std::int64_t> new_tokens(static_cast<std::size_t>(batch), 0);
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < new_tokens.size(); ++i) {
    request wanted;
    wanted.segments = {{.tokens = draw_tokens(decode_prompt_tokens)}};
    wanted.mode = reuse_mode::full_recompute;
    wanted.new_tokens_max = decode_new_tokens;
    const auto id = on_->start(std::move(wanted), [&new_tokens, i](token_id) { ++new_tokens[i]; });
    if (!id) return id.error();
    ids.push_back(*id);
  }
  const auto all_began = [&] {
    return std::all_of(new_tokens.begin(), new_tokens.end(), [](auto n) { return n > 0; });
  };
  const auto total = [&] {
    std::int64_t sum = 0;
    for (const std::int64_t each : new_tokens) sum += each;
    return sum;
  };
  bool more = true;
  while (more && !all_began()) more = on_->step();
  const std::int64_t before = total();
  const auto start = std::chrono::steady_clock::now();
  while (more) more = on_->step();
  const double milliseconds = std::max(milliseconds_since(start), 1e-3);
  for (const std::uint64_t id : ids) {
    const auto answered = on_->take(id);
    if (answered && !answered->ok()) return answered->error();
  }
  if (done_) done_();
  return 1000.0 * static_cast<double>(total() - before) / milliseconds;
}

status bench_runs::warm_up(reuse_mode mode, const seam& used) {
  const bench_prompt small = {.segments = 2, .segment_tokens = 128, .question_tokens = 16};
  for (int i = 0; i < 2; ++i) {
    request wanted;
    wanted.segments = draw(small);
    wanted.mode = mode;
    wanted.wanted_seam = used;
    wanted.new_tokens_max = 2;
    if (const auto first = on_->run(wanted); !first) return first.error();
    if (const auto second = on_->run(std::move(wanted)); !second) return second.error();
  }
  return {};
}

}  // namespace weft::actors
