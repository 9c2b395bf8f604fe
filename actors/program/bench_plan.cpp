#include "actors/program/bench_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "actors/program/bench_reuse.hpp"
#include "actors/program/common_options.hpp"

namespace weft::actors {
namespace {

constexpr std::int64_t usual_prefill_tokens[] = {512, 2048};
constexpr std::int64_t usual_decode_batches[] = {1, 8};
// Long enough that a batch's rate is steady, short enough to wait for.
constexpr std::int64_t decode_new_tokens = 64;
// A session takes no more requests at once.
constexpr double decode_batch_most = 64;
constexpr double tokens_most = 1 << 24;

constexpr std::array<std::pair<std::string_view, bench_part>, 5> part_names = {
    {{"time_to_first_token", bench_part::time_to_first_token},
     {"prefill", bench_part::prefill},
     {"decode", bench_part::decode},
     {"transitions", bench_part::transitions},
     {"reuse_sweep", bench_part::reuse_sweep}}};

bool listed(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A sweep of reuse takes longer than all the rest, so it wants to be asked for.
bool measures(const options& given, std::string_view name) {
  const std::vector<std::string> only = given.all("--only");
  if (!only.empty()) return listed(only, name);
  return name != "reuse_sweep" || given.given("--plot");
}

template <class Value>
std::vector<Value> each_once(const std::vector<Value>& values) {
  std::vector<Value> kept;
  for (const Value& value : values)
    if (std::find(kept.begin(), kept.end(), value) == kept.end()) kept.push_back(value);
  return kept;
}

option_rule count_rule(std::string_view name, std::string_view fallback, std::string_view sentence,
                       double least, double most = tokens_most) {
  return {.name = name,
          .kind = option_kind::integer,
          .value_name = "N",
          .fallback = fallback,
          .sentence = sentence,
          .least = least,
          .most = most};
}

option_rule several(option_rule rule) {
  rule.repeatable = true;
  return rule;
}

option_rule only_rule() {
  option_rule rule = {.name = "--only",
                      .kind = option_kind::choice,
                      .value_name = "PART",
                      .sentence =
                          "Measure this part alone: time_to_first_token, prefill, decode, "
                          "transitions or reuse_sweep.",
                      .repeatable = true};
  for (const auto& [name, part] : part_names) rule.choices.push_back(name);
  return rule;
}

std::vector<std::int64_t> prefill_lengths(const options& given, const bench_prompt& prompt,
                                          std::int64_t positions_max) {
  if (given.given("--prefill")) return each_once(given.integers("--prefill"));
  std::vector<std::int64_t> lengths;
  for (const std::int64_t length : usual_prefill_tokens)
    if (length < positions_max) lengths.push_back(length);
  lengths.push_back(tokens_of(prompt));
  return each_once(lengths);
}

std::vector<decode_load> decode_loads(const options& given) {
  std::vector<std::int64_t> batches(std::begin(usual_decode_batches),
                                    std::end(usual_decode_batches));
  if (given.given("--decode-batch")) batches = each_once(given.integers("--decode-batch"));
  std::vector<decode_load> loads;
  for (const std::int64_t batch : batches)
    loads.push_back({.batch = batch,
                     .prompt_tokens = given.integer("--decode-prompt"),
                     .new_tokens = decode_new_tokens});
  return loads;
}

}  // namespace

bool bench_plan::has(bench_part part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

std::vector<option_rule> bench_plan_rules() {
  return {
      several(count_rule("--segments", "16", "Segments between lead and question.", 0, 1 << 16)),
      several(count_rule("--segment-tokens", "512", "Tokens of each.", 1)),
      count_rule("--question-tokens", "64", "Tokens of the question.", 1),
      several(count_rule("--prefill", "",
                         "Prompt length of a prefill rate; 512, 2048 and the prompt's unless "
                         "given.",
                         1)),
      several(count_rule("--decode-batch", "", "Requests of a decode rate; 1 and 8 unless given.",
                         1, decode_batch_most)),
      count_rule("--decode-prompt", "64", "Prompt tokens of each request that decodes.", 1),
      only_rule(),
      {.name = "--plot",
       .value_name = "FILE.svg",
       .sentence = "Measure reuse_sweep too, and draw it there.",
       .use = file_use::written},
      count_rule("--runs", "3", "Runs of each measurement.", 1),
      count_rule("--seed", "1", "Of the random prompts and weights.", 0),
      mode_option("", true),
  };
}

std::optional<std::string> contradiction_in(const options& given) {
  constexpr std::pair<const char*, const char*> owners[] = {{"--prefill", "prefill"},
                                                            {"--decode-batch", "decode"},
                                                            {"--decode-prompt", "decode"},
                                                            {"--plot", "reuse_sweep"}};
  for (const auto& [option, part] : owners)
    if (given.given(option) && !measures(given, part))
      return std::string(option) + " belongs to the part " + part + ", which --only leaves out";
  for (const char* option : {"--segments", "--segment-tokens"})
    if (given.all(option).size() > 1 && !measures(given, "time_to_first_token"))
      return std::string(option) +
             " is given several times, but --only leaves out the part time_to_first_token, which "
             "alone goes through them";
  const std::int64_t segments = given.integers("--segments").front();
  const std::vector<std::string> only = given.all("--only");
  if (segments > 0) return std::nullopt;
  if (measures(given, "reuse_sweep"))
    return "a reuse sweep needs --segments of 1 or more, the first one where there are several";
  if (listed(only, "transitions"))
    return "without segments there is no T to measure; --segments 1 or more, the first one where "
           "there are several";
  return std::nullopt;
}

bench_plan plan_bench(const options& given, std::int64_t positions_max) {
  bench_plan plan;
  for (const std::int64_t segments : each_once(given.integers("--segments")))
    for (const std::int64_t tokens : each_once(given.integers("--segment-tokens")))
      plan.prompts.push_back({.segments = segments,
                              .segment_tokens = tokens,
                              .question_tokens = given.integer("--question-tokens")});
  for (const auto& [name, part] : part_names) {
    const bool possible = part != bench_part::transitions || plan.prompt().segments > 0;
    if (possible && measures(given, name)) plan.parts.push_back(part);
  }
  plan.modes = each_once(modes_of(given, {all_modes.begin(), all_modes.end()}));
  if (plan.has(bench_part::prefill))
    plan.prefill = prefill_lengths(given, plan.prompt(), positions_max);
  if (plan.has(bench_part::decode)) plan.decode = decode_loads(given);
  plan.runs = given.integer("--runs");
  return plan;
}

std::int64_t runs_in(const bench_plan& plan) {
  std::size_t measurements = plan.prefill.size() + plan.decode.size();
  if (plan.has(bench_part::time_to_first_token))
    measurements += plan.prompts.size() * plan.modes.size();
  if (plan.has(bench_part::transitions)) measurements += 2;
  if (plan.has(bench_part::reuse_sweep))
    measurements +=
        reuse_series_of(plan.modes).size() * known_counts(plan.prompt().segments).size();
  return static_cast<std::int64_t>(measurements) * plan.runs;
}

status rehearse(const bench_plan& plan, bench_runs& runs,
                const std::function<seam(reuse_mode)>& seam_for) {
  std::vector<bench_prompt> prompts;
  if (plan.has(bench_part::time_to_first_token)) prompts = plan.prompts;
  if (plan.has(bench_part::reuse_sweep)) prompts.push_back(plan.prompt());
  for (const bench_prompt& prompt : prompts)
    for (const reuse_mode mode : plan.modes)
      if (status fits = runs.rehearse(mode, seam_for(mode), prompt); !fits) return fits;
  if (plan.has(bench_part::transitions)) {
    const reuse_mode mode = transition_share_mode;
    if (status fits = runs.rehearse(mode, seam_for(mode), plan.prompt()); !fits) return fits;
  }
  for (const std::int64_t length : plan.prefill)
    if (status fits = runs.rehearse(length, 1); !fits) return fits;
  for (const decode_load& load : plan.decode)
    if (status fits = runs.rehearse(load.prompt_tokens, load.new_tokens); !fits) return fits;
  return {};
}

}  // namespace weft::actors
