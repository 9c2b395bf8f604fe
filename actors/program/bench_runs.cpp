#include "actors/program/bench_runs.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

// Below it a clock's tick would make rates infinite.
constexpr double milliseconds_least = 1e-3;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  return std::max(spent.count(), milliseconds_least);
}

double per_second(std::int64_t tokens, double milliseconds) {
  return 1000.0 * static_cast<double>(tokens) / milliseconds;
}

}  // namespace

bool reuses(reuse_mode mode) { return traits_of(mode).splices || traits_of(mode).chains; }

bench_runs::bench_runs(session& on, std::uint64_t seed, tick done)
    : on_(&on), draws_(on.engine().shape().vocabulary, seed), done_(std::move(done)) {}

request bench_runs::ask(reuse_mode mode, const seam& used, const bench_prompt& prompt) {
  request wanted;
  wanted.segments = draws_.prompt(prompt);
  wanted.mode = mode;
  wanted.wanted_seam = used;
  wanted.new_tokens_max = 1;
  return wanted;
}

request bench_runs::ask_whole(std::int64_t prompt_tokens, std::int64_t new_tokens) {
  request wanted;
  wanted.segments = {draws_.segment(prompt_tokens)};
  wanted.mode = reuse_mode::full_recompute;
  wanted.new_tokens_max = new_tokens;
  return wanted;
}

result<first_token_times> bench_runs::first_token(reuse_mode mode, const seam& used,
                                                  const bench_prompt& prompt, std::int64_t runs) {
  std::vector<double> cold;
  std::vector<double> warm;
  std::vector<double> splices;
  first_token_times times;
  for (std::int64_t i = 0; i < runs; ++i) {
    request wanted = ask(mode, used, prompt);
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

result<spread> bench_runs::prefill_rate(std::int64_t prompt_tokens, std::int64_t runs) {
  std::vector<double> rates;
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto answered = on_->run(ask_whole(prompt_tokens, 1));
    if (!answered) return answered.error();
    rates.push_back(
        per_second(prompt_tokens, std::max(answered->times.first_token_ms, milliseconds_least)));
    if (done_) done_();
  }
  return spread_of(std::move(rates));
}

result<spread> bench_runs::decode_rate(const decode_load& load, std::int64_t runs) {
  std::vector<double> rates;
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto rate = decode_once(load);
    if (!rate) return rate.error();
    rates.push_back(*rate);
    if (done_) done_();
  }
  return spread_of(std::move(rates));
}

result<double> bench_runs::decode_once(const decode_load& load) {
  WEFT_ASSERT(load.new_tokens >= 2);
  std::vector<std::int64_t> new_tokens(static_cast<std::size_t>(load.batch), 0);
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < new_tokens.size(); ++i) {
    const auto id = on_->start(ask_whole(load.prompt_tokens, load.new_tokens),
                               [&new_tokens, i](token_id) { ++new_tokens[i]; });
    if (!id) return id.error();
    ids.push_back(*id);
  }
  const auto all_began = [&] {
    return *std::min_element(new_tokens.begin(), new_tokens.end()) > 0;
  };
  const auto one_ended = [&] {
    return *std::max_element(new_tokens.begin(), new_tokens.end()) == load.new_tokens;
  };
  const auto total = [&] {
    return std::accumulate(new_tokens.begin(), new_tokens.end(), std::int64_t{0});
  };
  bool more = true;
  while (more && !all_began() && !one_ended()) more = on_->step();
  const bool together = all_began() && !one_ended();
  const std::int64_t before = total();
  const auto start = std::chrono::steady_clock::now();
  while (more && together && !one_ended()) more = on_->step();
  const double rate = per_second(total() - before, milliseconds_since(start));
  while (more) more = on_->step();
  for (const std::uint64_t id : ids) {
    const auto answered = on_->take(id);
    if (answered && !answered->ok()) return answered->error();
  }
  if (!together)
    return rejected("a batch of " + std::to_string(load.batch) +
                    " does not decode together: its prompts do not fit the cache or the step; "
                    "raise --cache-bytes or --step-tokens-max, or shorten --decode-prompt");
  return rate;
}

result<spread> bench_runs::transition_share(const seam& used, const bench_prompt& prompt,
                                            std::int64_t runs) {
  std::vector<double> cold[2];  // Without T, with T.
  for (std::int64_t i = 0; i < runs; ++i) {
    for (const bool with_transitions : {true, false}) {
      request wanted = ask(transition_share_mode, used, prompt);
      wanted.use_cache = false;
      wanted.with_transitions = with_transitions;
      const auto answered = on_->run(std::move(wanted));
      if (!answered) return answered.error();
      cold[with_transitions ? 1 : 0].push_back(
          std::max(answered->times.prefill_ms, milliseconds_least));
      if (done_) done_();
    }
  }
  return spread_of_additions(cold[1], cold[0]);
}

status bench_runs::warm_up(reuse_mode mode, const seam& used, const bench_prompt& prompt) {
  const bench_prompt small = {
      .segments = std::min<std::int64_t>(prompt.segments, 2),
      .segment_tokens = std::min<std::int64_t>(prompt.segment_tokens, 128),
      .question_tokens = std::min<std::int64_t>(prompt.question_tokens, 16)};
  request wanted = ask(mode, used, small);
  wanted.new_tokens_max = 2;
  if (const auto cold = on_->run(wanted); !cold) return cold.error();
  if (const auto warm = on_->run(std::move(wanted)); !warm) return warm.error();
  return {};
}

status bench_runs::rehearse(reuse_mode mode, const seam& used, const bench_prompt& prompt) {
  return start_and_cancel(ask(mode, used, prompt));
}

status bench_runs::rehearse(std::int64_t prompt_tokens, std::int64_t new_tokens) {
  return start_and_cancel(ask_whole(prompt_tokens, new_tokens));
}

status bench_runs::start_and_cancel(request wanted) {
  const auto id = on_->start(std::move(wanted));
  if (!id) return id.error();
  on_->cancel(*id);
  return {};
}

}  // namespace weft::actors
