#include "actors/program/bench_report.hpp"

#include <nlohmann/json.hpp>

#include "actors/program/table.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const spread& values) {
  return {{"median", values.median}, {"min", values.least}, {"max", values.most}};
}

ordered_json medians_of(const std::map<std::int64_t, spread>& rates) {
  ordered_json by_key = ordered_json::object();
  for (const auto& [key, rate] : rates) by_key[std::to_string(key)] = rate.median;
  return by_key;
}

ordered_json spreads_of(const std::map<std::int64_t, spread>& rates) {
  ordered_json by_key = ordered_json::object();
  for (const auto& [key, rate] : rates) by_key[std::to_string(key)] = json_of(rate);
  return by_key;
}

struct times_by_mode {
  ordered_json first_token = ordered_json::object();
  ordered_json splices = ordered_json::object();
  ordered_json reused = ordered_json::object();
};

times_by_mode times_of(const prompt_results& of, const std::vector<reuse_mode>& modes) {
  times_by_mode times;
  for (const reuse_mode mode : modes) {
    const first_token_times& found = of.first_token.at(mode);
    const std::string name(traits_of(mode).name);
    ordered_json line = {{"cold", json_of(found.cold)}};
    if (found.warm) line["warm"] = json_of(*found.warm);
    times.first_token[name] = std::move(line);
    if (found.warm_splice && traits_of(mode).splices)
      times.splices[name] = found.warm_splice->median;
    times.reused[name] = found.warm_reused_tokens;
  }
  return times;
}

ordered_json sweep_of(const bench_results& all, const bench_plan& plan) {
  ordered_json sweep = ordered_json::array();
  for (const prompt_results& of : all.prompts) {
    times_by_mode times = times_of(of, plan.modes);
    sweep.push_back({{"segments", of.prompt.segments},
                     {"segment_tokens", of.prompt.segment_tokens},
                     {"prompt_tokens", tokens_of(of.prompt)},
                     {"time_to_first_token_ms", std::move(times.first_token)},
                     {"splice_ms", std::move(times.splices)},
                     {"bytes_per_entry", of.entry_bytes},
                     {"reused_tokens", std::move(times.reused)}});
  }
  return sweep;
}

ordered_json json_of(const std::vector<reuse_line>& lines) {
  ordered_json series = ordered_json::array();
  for (const reuse_line& line : lines) {
    ordered_json points = ordered_json::array();
    for (const reuse_point& point : line.points)
      points.push_back({{"known_segments", point.known_segments},
                        {"known_share", point.known_share},
                        {"reused_tokens", point.reused_tokens},
                        {"time_to_first_token_ms", json_of(point.milliseconds)}});
    series.push_back({{"mode", traits_of(line.of.mode).name},
                      {"moved", line.of.moved},
                      {"points", std::move(points)}});
  }
  return series;
}

std::string rate_text(const spread& rate, int decimals) {
  return fixed(rate.median, decimals) + " tokens/s (" + fixed(rate.least, decimals) + " to " +
         fixed(rate.most, decimals) + ")\n";
}

void print_times(output& to, const prompt_results& of, const bench_plan& plan) {
  to.text() << to.bold("time to first token") << ", " << of.prompt.segments << " segments of "
            << of.prompt.segment_tokens << " tokens, a question of " << of.prompt.question_tokens
            << "; bytes of an entry: " << of.entry_bytes << "\n";
  const auto full = of.first_token.find(reuse_mode::full_recompute);
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
  for (const reuse_mode mode : plan.modes) {
    const first_token_times& found = of.first_token.at(mode);
    std::vector<std::string> row = {std::string(traits_of(mode).name)};
    cells(row, found.cold);
    cells(row, found.warm);
    const bool comparable = found.warm && full != of.first_token.end();
    row.push_back(comparable ? fixed(found.warm->median / full->second.cold.median, 3) : "-");
    row.push_back(std::to_string(found.warm_reused_tokens));
    lines.add(std::move(row));
  }
  to.text() << lines.text("  ");
}

void print_reuse(output& to, const bench_results& all, const bench_plan& plan) {
  to.text() << to.bold("time to first token by known segments") << ", of " << plan.prompt().segments
            << "; ms\n";
  std::vector<table::column> columns = {{"mode", side::left}};
  for (const reuse_point& point : all.reuse.front().points)
    columns.push_back({std::to_string(point.known_segments)});
  table lines(std::move(columns));
  for (const reuse_line& line : all.reuse) {
    std::vector<std::string> row = {line.of.name()};
    for (const reuse_point& point : line.points) row.push_back(fixed(point.milliseconds.median, 2));
    lines.add(std::move(row));
  }
  to.text() << lines.text("  ");
}

}  // namespace

std::string json_of(const bench_results& all, const bench_plan& plan, const bench_setting& where) {
  const prompt_results& main = all.prompts.front();
  ordered_json document = ordered_json::object();
  const bool timed = plan.has(bench_part::time_to_first_token);
  if (timed) {
    times_by_mode times = times_of(main, plan.modes);
    document["time_to_first_token_ms"] = std::move(times.first_token);
    document["splice_ms"] = std::move(times.splices);
  }
  if (plan.has(bench_part::prefill)) {
    document["prefill_tokens_per_s"] = medians_of(all.prefill);
    document["prefill_tokens_per_s_spread"] = spreads_of(all.prefill);
  }
  if (plan.has(bench_part::decode)) {
    document["decode_tokens_per_s"] = medians_of(all.decode);
    document["decode_tokens_per_s_spread"] = spreads_of(all.decode);
    document["decode_prompt_tokens"] = plan.decode.front().prompt_tokens;
    document["decode_new_tokens"] = plan.decode.front().new_tokens;
  }
  if (all.transition_share) {
    document["transition_share"] = all.transition_share->median;
    document["transition_share_spread"] = json_of(*all.transition_share);
  } else if (main.prompt.segments == 0) {
    document["transition_share"] = nullptr;  // Nothing to splice.
  }
  document["bytes_per_entry"] = main.entry_bytes;
  document["head"] = where.used.head_tokens;
  document["tail"] = where.used.tail_tokens;
  document["segments"] = main.prompt.segments;
  document["segment_tokens"] = main.prompt.segment_tokens;
  document["question_tokens"] = main.prompt.question_tokens;
  document["prompt_tokens"] = tokens_of(main.prompt);
  document["runs"] = plan.runs;
  document["model"] = where.model;
  document["device"] = where.device;
  document["numerics"] = where.numerics;
  if (timed) document["sweep"] = sweep_of(all, plan);
  if (!all.reuse.empty()) document["reuse_sweep"] = json_of(all.reuse);
  // A name of a file may hold any bytes.
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void print(output& to, const bench_results& all, const bench_plan& plan,
           const bench_setting& where) {
  to.text() << where.model << ", " << where.device << "; " << plan.runs
            << (plan.runs == 1 ? " run" : " runs") << "\n";
  if (plan.has(bench_part::time_to_first_token))
    for (const prompt_results& of : all.prompts) print_times(to, of, plan);
  for (const auto& [length, rate] : all.prefill)
    to.text() << "prefill of " << length << " tokens: " << rate_text(rate, 0);
  for (const auto& [batch, rate] : all.decode)
    to.text() << "decode of " << batch << (batch == 1 ? " request: " : " requests: ")
              << rate_text(rate, 1);
  if (all.transition_share)
    to.text() << "T adds " << fixed(100 * all.transition_share->median, 1) << " % ("
              << fixed(100 * all.transition_share->least, 1) << " to "
              << fixed(100 * all.transition_share->most, 1)
              << ") to a cold prefill: (with T - without) / without\n";
  if (!all.reuse.empty()) print_reuse(to, all, plan);
}

}  // namespace weft::actors
