#include "actors/program/bench_results.hpp"

#include <algorithm>

namespace weft::actors {
namespace {

// One plan on its way through one model.
class measurer {
 public:
  measurer(const bench_plan& plan, const loaded_model& model, std::uint64_t seed,
           const std::function<seam(reuse_mode)>& seam_for,
           const std::function<void(const std::string&)>& done)
      : plan_(plan),
        model_(model),
        seam_for_(seam_for),
        tick_([this, &done] { done(part_); }),
        runs_(*model.live, seed, tick_),
        draws_(model.shape.vocabulary, seed + 1) {}

  status run_all(bench_results& into) {
    if (status fits = rehearse(plan_, runs_, seam_for_); !fits) return fits;
    if (status ready = warm_up(); !ready) return ready;
    for (const bench_prompt& prompt : plan_.prompts)
      if (status done = time_prompt(prompt, into); !done) return done;
    if (status done = rates(into); !done) return done;
    if (status done = transitions(into); !done) return done;
    return reuse(into);
  }

 private:
  status warm_up() {
    std::vector<reuse_mode> modes;
    if (plan_.has(bench_part::time_to_first_token) || plan_.has(bench_part::reuse_sweep))
      modes = plan_.modes;
    if (!plan_.prefill.empty() || !plan_.decode.empty())
      modes.push_back(reuse_mode::full_recompute);
    if (plan_.has(bench_part::transitions)) modes.push_back(transition_share_mode);
    std::sort(modes.begin(), modes.end());
    modes.erase(std::unique(modes.begin(), modes.end()), modes.end());
    for (const reuse_mode mode : modes)
      if (status ready = runs_.warm_up(mode, seam_for_(mode), plan_.prompt()); !ready) return ready;
    return {};
  }

  status time_prompt(const bench_prompt& prompt, bench_results& into) {
    const seam used = seam_for_(reuse_mode::stitched);
    const std::int64_t stored =
        std::max<std::int64_t>(0, prompt.segment_tokens - used.head_tokens - used.tail_tokens);
    prompt_results found{.prompt = prompt,
                         .first_token = {},
                         .entry_bytes = gpu::bytes_per_entry(model_.shape, stored).total()};
    if (plan_.has(bench_part::time_to_first_token))
      for (const reuse_mode mode : plan_.modes) {
        part_ = "first tokens, " + std::string(traits_of(mode).name);
        const auto times = runs_.first_token(mode, seam_for_(mode), prompt, plan_.runs);
        if (!times) return times.error();
        found.first_token.emplace(mode, *times);
      }
    into.prompts.push_back(std::move(found));
    return {};
  }

  status rates(bench_results& into) {
    for (const std::int64_t length : plan_.prefill) {
      part_ = "prefill of " + std::to_string(length);
      const auto rate = runs_.prefill_rate(length, plan_.runs);
      if (!rate) return rate.error();
      into.prefill[length] = *rate;
    }
    for (const decode_load& load : plan_.decode) {
      part_ = "decode of " + std::to_string(load.batch);
      const auto rate = runs_.decode_rate(load, plan_.runs);
      if (!rate) return rate.error();
      into.decode[load.batch] = *rate;
    }
    return {};
  }

  status transitions(bench_results& into) {
    if (!plan_.has(bench_part::transitions)) return {};
    part_ = "what T adds";
    const auto share =
        runs_.transition_share(seam_for_(transition_share_mode), plan_.prompt(), plan_.runs);
    if (!share) return share.error();
    into.transition_share = *share;
    return {};
  }

  status reuse(bench_results& into) {
    if (!plan_.has(bench_part::reuse_sweep)) return {};
    auto lines = measure_reuse(*model_.live,
                               {.series = reuse_series_of(plan_.modes),
                                .prompt = plan_.prompt(),
                                .runs = plan_.runs,
                                .seam_for = seam_for_},
                               draws_, [this](const reuse_series& at_work) {
                                 part_ = "reuse, " + at_work.name();
                                 tick_();
                               });
    if (!lines) return lines.error();
    into.reuse = std::move(*lines);
    return {};
  }

  const bench_plan& plan_;
  const loaded_model& model_;
  const std::function<seam(reuse_mode)>& seam_for_;
  std::string part_;
  std::function<void()> tick_;
  bench_runs runs_;
  prompt_draws draws_;
};

}  // namespace

result<bench_results> measure(const bench_plan& plan, const loaded_model& model, std::uint64_t seed,
                              const std::function<seam(reuse_mode)>& seam_for,
                              const std::function<void(const std::string& part)>& done) {
  bench_results found;
  measurer at_work(plan, model, seed, seam_for, done);
  if (status all = at_work.run_all(found); !all) return all.error();
  return found;
}

}  // namespace weft::actors
