// `weft bench`: time to first token by mode, cold and warm, and rates, on random prompts.
#include <functional>
#include <map>
#include <ostream>

#include <nlohmann/json.hpp>

#include "actors/program/bench_model.hpp"
#include "actors/program/bench_runs.hpp"
#include "actors/program/common_options.hpp"
#include "actors/program/output.hpp"
#include "actors/program/progress.hpp"
#include "actors/program/table.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t prefill_lengths[] = {512, 2048};
constexpr std::int64_t decode_batches[] = {1, 8};

struct measured {
  std::vector<reuse_mode> modes;
  std::map<reuse_mode, first_token_times> first_token;
  std::map<std::int64_t, double> prefill;  // By prompt length.
  std::map<std::int64_t, double> decode;   // By batch.
  std::optional<double> transition_share;
};

struct bench_plan {
  bench_prompt prompt;
  std::int64_t runs = 3;
  std::vector<reuse_mode> modes;
  std::vector<std::int64_t> lengths;  // Of the prefill rates.
};

seam seam_in(const options& given, reuse_mode mode, const loaded_model& model) {
  return seam_of(given, mode, model.profile.seam);
}

bench_plan plan_of(const options& given, const loaded_model& model) {
  bench_plan plan;
  plan.prompt = {.segments = given.integer("--segments"),
                 .segment_tokens = given.integer("--segment-tokens"),
                 .question_tokens = given.integer("--question-tokens")};
  plan.runs = given.integer("--runs");
  plan.modes = modes_of(given, {all_modes.begin(), all_modes.end()});
  const std::int64_t positions = model.positions_max;
  for (const std::int64_t length : prefill_lengths)
    if (length < positions) plan.lengths.push_back(length);
  plan.lengths.push_back(tokens_of(plan.prompt));
  return plan;
}

// What T costs of a cold prefill: the same prompts on an engine that leaves T out. Only one of the
// two engines is there at a time.
result<double> transition_share(const options& given, loaded_model& model, const bench_plan& plan,
                                const std::function<void()>& tick) {
  double cold[2] = {0, 0};
  for (const bool with_transitions : {true, false}) {
    if (!with_transitions) {
      model.live.reset();
      auto without = load_bench_model(given, false);
      if (!without) return without.error();
      model = std::move(*without);
    }
    const seam used = seam_in(given, reuse_mode::transition_rope_recompute, model);
    bench_runs runs(*model.live, static_cast<std::uint64_t>(given.integer("--seed")) + 1, tick);
    if (status ready = runs.warm_up(reuse_mode::transition_rope_recompute, used); !ready)
      return ready.error();
    const auto times =
        runs.first_token(reuse_mode::transition_rope_recompute, used, plan.prompt, plan.runs);
    if (!times) return times.error();
    cold[with_transitions ? 0 : 1] = times->cold->least;
  }
  return std::max(0.0, (cold[0] - cold[1]) / cold[0]);
}

result<measured> measure(const options& given, loaded_model& model, const bench_plan& plan,
                         console& at) {
  const std::int64_t steps =
      static_cast<std::int64_t>(plan.modes.size() + 2) * plan.runs +
      static_cast<std::int64_t>(plan.lengths.size() + std::size(decode_batches));
  progress bar(at, "measurements", steps, !given.flag("--no-progress"));
  bench_runs runs(*model.live, static_cast<std::uint64_t>(given.integer("--seed")),
                  [&] { bar.advance(); });
  measured all;
  for (const reuse_mode mode : plan.modes) {
    const seam used = seam_in(given, mode, model);
    if (status ready = runs.warm_up(mode, used); !ready) return ready.error();
    const auto times = runs.first_token(mode, used, plan.prompt, plan.runs);
    if (!times) return times.error();
    if (all.first_token.emplace(mode, *times).second) all.modes.push_back(mode);
  }
  for (const std::int64_t length : plan.lengths) {
    const auto rate = runs.prefill_rate(length, plan.runs);
    if (!rate) return rate.error();
    all.prefill[length] = *rate;
  }
  for (const std::int64_t batch : decode_batches) {
    const auto rate = runs.decode_rate(batch);
    if (!rate) return rate.error();
    all.decode[batch] = *rate;
  }
  if (plan.prompt.segments > 0) {
    const auto share = transition_share(given, model, plan, [&] { bar.advance(); });
    if (!share) return share.error();
    all.transition_share = *share;
  }
  return all;
}

ordered_json json_of(const std::optional<spread>& times) {
  if (!times) return nullptr;
  return {{"median", times->median}, {"min", times->least}, {"max", times->most}};
}

ordered_json json_of(const std::map<std::int64_t, double>& rates) {
  ordered_json by_key = ordered_json::object();
  for (const auto& [key, rate] : rates) by_key[std::to_string(key)] = rate;
  return by_key;
}

ordered_json document_of(const measured& all, const bench_plan& plan, const seam& used,
                         const loaded_model& model, std::int64_t entry_bytes) {
  ordered_json times = ordered_json::object();
  ordered_json splices = ordered_json::object();
  for (const reuse_mode mode : all.modes) {
    const first_token_times& of = all.first_token.at(mode);
    ordered_json line = {{"cold", json_of(of.cold)}};
    if (of.warm) line["warm"] = json_of(of.warm);
    const std::string name(traits_of(mode).name);
    times[name] = line;
    if (of.warm_splice && traits_of(mode).splices) splices[name] = of.warm_splice->median;
  }
  return {{"time_to_first_token_ms", times},
          {"splice_ms", splices},
          {"prefill_tokens_per_s", json_of(all.prefill)},
          {"decode_tokens_per_s", json_of(all.decode)},
          {"transition_share",
           all.transition_share ? ordered_json(*all.transition_share) : ordered_json()},
          {"bytes_per_entry", entry_bytes},
          {"head", used.head_tokens},
          {"tail", used.tail_tokens},
          {"segments", plan.prompt.segments},
          {"segment_tokens", plan.prompt.segment_tokens},
          {"question_tokens", plan.prompt.question_tokens},
          {"prompt_tokens", tokens_of(plan.prompt)},
          {"runs", plan.runs},
          {"device", model.live->engine().traits().device},
          {"numerics", model.live->engine().traits().numerics_id}};
}

void print(output& to, const measured& all, const bench_plan& plan, const loaded_model& model,
           std::int64_t entry_bytes) {
  to.text() << to.bold("time to first token") << ", " << plan.prompt.segments << " segments of "
            << plan.prompt.segment_tokens << " tokens, a question of "
            << plan.prompt.question_tokens << "; " << plan.runs << " runs; "
            << model.live->engine().traits().device << "\n";
  const auto full = all.first_token.find(reuse_mode::full_recompute);
  table lines({{"mode", side::left},
               {"cold ms"},
               {"min"},
               {"max"},
               {"warm ms"},
               {"min"},
               {"max"},
               {"warm/full"},
               {"reused"}});
  const auto cells = [](std::vector<std::string>& row, const std::optional<spread>& times) {
    for (const double spread::*part : {&spread::median, &spread::least, &spread::most})
      row.push_back(times ? fixed((*times).*part, 2) : "-");
  };
  for (const reuse_mode mode : all.modes) {
    const first_token_times& of = all.first_token.at(mode);
    std::vector<std::string> row = {std::string(traits_of(mode).name)};
    cells(row, of.cold);
    cells(row, of.warm);
    const bool comparable = of.warm && full != all.first_token.end();
    row.push_back(comparable ? fixed(of.warm->median / full->second.cold->median, 3) : "-");
    row.push_back(std::to_string(of.warm_reused_tokens));
    lines.add(std::move(row));
  }
  to.text() << lines.text("  ");
  for (const auto& [length, rate] : all.prefill)
    to.text() << "prefill of " << length << " tokens: " << fixed(rate, 0) << " tokens/s\n";
  for (const auto& [batch, rate] : all.decode)
    to.text() << "decode of " << batch << (batch == 1 ? " request: " : " requests: ")
              << fixed(rate, 1) << " tokens/s\n";
  if (all.transition_share)
    to.text() << "share of a cold prefill spent on T: " << fixed(100 * *all.transition_share, 1)
              << " %\n";
  to.text() << "bytes of an entry: " << entry_bytes << "\n";
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  if (given.given("--model") == given.given("--config")) {
    at.err << "weft bench: give either --model DIR or --config FILE --random-weights.\n";
    return exit_wrong_use;
  }
  if (given.given("--config") != given.flag("--random-weights")) {
    at.err << "weft bench: --config FILE and --random-weights go together.\n";
    return exit_wrong_use;
  }
  auto model = load_bench_model(given);
  if (!model) return model.error();
  const bench_plan plan = plan_of(given, *model);
  const auto all = measure(given, *model, plan, at);
  if (!all) return all.error();
  const seam used = seam_in(given, reuse_mode::stitched, *model);
  const std::int64_t stored =
      std::max<std::int64_t>(0, plan.prompt.segment_tokens - used.head_tokens - used.tail_tokens);
  const std::int64_t entry_bytes = gpu::bytes_per_entry(model->shape, stored).total();
  print(*to, *all, plan, *model, entry_bytes);
  const status written = to->write_json(document_of(*all, plan, used, *model, entry_bytes).dump());
  if (!written) return written.error();
  return exit_done;
}

}  // namespace

word bench_word() {
  auto model = model_option();
  model.required = false;
  const auto count = [](std::string_view name, std::string_view fallback, std::string_view sentence,
                        double least) {
    return option_rule{.name = name,
                       .kind = option_kind::integer,
                       .value_name = "N",
                       .fallback = fallback,
                       .sentence = sentence,
                       .least = least,
                       .most = 1 << 24};
  };
  return {
      .name = "bench",
      .sentence = "Measures time to first token by mode, cold and warm, and rates.",
      .more =
          "A prompt is a lead of 32 random tokens, the segments and the question; every run "
          "draws another.\nAll modes are measured unless some are named.",
      .rules = join_rules({{model,
                            {.name = "--config",
                             .value_name = "FILE",
                             .sentence = "Only the shape of a model; goes with --random-weights."},
                            {.name = "--random-weights",
                             .kind = option_kind::flag,
                             .sentence = "Weights drawn at random for --config."},
                            count("--segments", "16", "Segments between lead and question.", 0),
                            count("--segment-tokens", "512", "Tokens of each.", 1),
                            count("--question-tokens", "64", "Tokens of the question.", 1),
                            count("--runs", "3", "Runs of each measurement.", 1),
                            count("--seed", "1", "Of the random prompts and weights.", 0),
                            mode_option("", true),
                            json_option(),
                            progress_option()},
                           reuse_option_rules(),
                           engine_option_rules()}),
      .act = act};
}

}  // namespace weft::actors
