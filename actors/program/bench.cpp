// `weft bench`: time to first token by mode, cold and warm, and rates, on random prompts.
#include <filesystem>
#include <optional>
#include <ostream>

#include "actors/program/bench_model.hpp"
#include "actors/program/bench_plan.hpp"
#include "actors/program/bench_plot.hpp"
#include "actors/program/bench_report.hpp"
#include "actors/program/bench_results.hpp"
#include "actors/program/common_options.hpp"
#include "actors/program/output.hpp"
#include "actors/program/progress.hpp"
#include "actors/program/result_file.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

std::optional<std::string> wrong_model(const options& given) {
  if (given.given("--model") == given.given("--config"))
    return "give either --model DIR or --config FILE --random-weights";
  if (given.given("--config") != given.flag("--random-weights"))
    return "--config FILE and --random-weights go together";
  return std::nullopt;
}

// "tiny-qwen3_5", "qwen3_5-0.8b, random weights".
std::string model_name(const options& given) {
  const bool config = given.given("--config");
  std::filesystem::path path = given.text(config ? "--config" : "--model");
  if (!path.has_filename()) path = path.parent_path();
  return config ? path.stem().string() + ", random weights" : path.filename().string();
}

status write_plot(result_file& to, const std::string& svg) {
  if (status written = to.write(svg); !written) return written;
  return to.finish();
}

result<int> act(const options& given, console& at) {
  for (const auto& complaint : {wrong_model(given), contradiction_in(given)}) {
    if (!complaint) continue;
    at.err << "weft bench: " << *complaint << ".\n`weft bench --help` explains its use.\n";
    return exit_wrong_use;
  }
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  std::optional<result_file> picture;
  if (given.given("--plot")) {
    auto made = result_file::make(given.text("--plot"));
    if (!made) return made.error();
    picture = std::move(made).value();
  }
  const auto model = load_bench_model(given, given.flag("--no-progress") ? nullptr : &at);
  if (!model) return model.error();
  const auto seam_for = [&](reuse_mode mode) { return seam_of(given, mode, model->profile.seam); };
  const bench_plan plan = plan_bench(given, model->positions_max);
  const bench_setting where{.model = model_name(given),
                            .device = model->live->engine().traits().device,
                            .numerics = model->live->engine().traits().numerics_id,
                            .used = seam_for(reuse_mode::stitched)};
  const auto all = [&] {
    progress bar(at, "measurements", runs_in(plan), !given.flag("--no-progress"));
    return measure(plan, *model, static_cast<std::uint64_t>(given.integer("--seed")), seam_for,
                   [&](const std::string& part) { bar.advance(part); });
  }();
  if (!all) return all.error();
  print(*to, *all, plan, where);
  // Each is tried, whatever comes of the other: a measurement may have taken hours.
  const status written = to->write_json(json_of(*all, plan, where));
  if (picture)
    if (status drawn = write_plot(*picture, svg_of(plot_of(*all, plan, where))); !drawn)
      return drawn.error();
  if (!written) return written.error();
  return exit_done;
}

}  // namespace

word bench_word() {
  auto model = model_option();
  model.required = false;
  return {
      .name = "bench",
      .sentence = "Measures time to first token by mode, cold and warm, and rates.",
      .more =
          "A prompt is a lead of 32 random tokens, the segments and the question; every run "
          "draws another.\nAll modes are measured unless some are named; every combination of "
          "--segments and --segment-tokens is,\nand the first one is the prompt of all else. "
          "Parts are:\n"
          "  time_to_first_token  cold, then the same prompt warm\n"
          "  prefill              tokens a second of whole prompts\n"
          "  decode               new tokens a second of a batch, greedy, 64 new tokens each\n"
          "  transitions          what T adds to a cold prefill: (with T - without) / without, "
          "in turns\n"
          "  reuse_sweep          time to first token with none to all of the segments known; "
          "only if named or with --plot",
      .rules = join_rules({{model,
                            {.name = "--config",
                             .value_name = "FILE",
                             .sentence = "Only the shape of a model; goes with --random-weights.",
                             .use = file_use::read},
                            {.name = "--random-weights",
                             .kind = option_kind::flag,
                             .sentence = "Weights drawn at random for --config."}},
                           bench_plan_rules(),
                           {json_option(), progress_option()},
                           reuse_option_rules(),
                           engine_option_rules()}),
      .act = act};
}

}  // namespace weft::actors
