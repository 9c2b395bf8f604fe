// `weft eval`: exact match and F1 of greedy answers, per mode and task.
#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/eval_data.hpp"
#include "actors/program/evaluation.hpp"
#include "actors/program/loaded_model.hpp"
#include "actors/program/output.hpp"
#include "actors/program/progress.hpp"
#include "actors/program/table.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t eval_tokens_max = 80;  // deploy/docs/formats.md.

struct sample {
  eval_sample what;
  std::vector<request_segment> segments;
};

// Answers of all samples in one mode; several are live at once, so that they share engine steps.
class eval_pass {
 public:
  eval_pass(loaded_model& model, const std::vector<sample>& samples, progress& bar)
      : model_(model), samples_(samples), bar_(bar) {}

  result<mode_marks> run(reuse_mode mode, const seam& used, std::size_t live_max) {
    while (next_ < samples_.size() || !live_.empty()) {
      if (status filled = fill(mode, used, live_max); !filled) return filled.error();
      model_.live->step();
      if (status drained = drain(); !drained) return drained.error();
    }
    return std::move(marks_);
  }

 private:
  struct live_sample {
    std::uint64_t id = 0;
    std::size_t index = 0;
  };

  failure blame(std::size_t index, const failure& error) const {
    return {error.kind, "sample " + samples_[index].what.id + ": " + error.message};
  }

  status fill(reuse_mode mode, const seam& used, std::size_t live_max) {
    while (next_ < samples_.size() && live_.size() < live_max) {
      const auto id = model_.live->start({.segments = samples_[next_].segments,
                                          .mode = mode,
                                          .wanted_seam = used,
                                          .draw = {},
                                          .new_tokens_max = eval_tokens_max});
      // No room now is no failure while others run and will make some.
      if (!id && id.error().kind == failure_kind::overloaded && !live_.empty()) return {};
      if (!id) return blame(next_, id.error());
      live_.push_back({.id = *id, .index = next_++});
    }
    return {};
  }

  status drain() {
    for (auto each = live_.begin(); each != live_.end();) {
      auto taken = model_.live->take(each->id);
      if (!taken) {
        ++each;
        continue;
      }
      if (!taken->ok()) return blame(each->index, taken->error());
      const auto text = model_.text->decode(taken->value().tokens);
      if (!text) return blame(each->index, text.error());
      const eval_sample& what = samples_[each->index].what;
      marks_.all.add(*text, what.answer);
      if (!what.task.empty()) marks_.tasks[what.task].add(*text, what.answer);
      bar_.advance();
      each = live_.erase(each);
    }
    return {};
  }

  loaded_model& model_;
  const std::vector<sample>& samples_;
  progress& bar_;
  std::size_t next_ = 0;
  std::vector<live_sample> live_;
  mode_marks marks_;
};

double rounded(double percent) { return std::round(percent * 100) / 100; }

ordered_json json_of(const marks& of) {
  return {{"em", rounded(of.exact_percent())}, {"f1", rounded(of.f1_percent())}, {"n", of.answers}};
}

ordered_json json_of(const mode_marks& of, const seam& used) {
  ordered_json line = json_of(of.all);
  line["head"] = used.head_tokens;
  line["tail"] = used.tail_tokens;
  ordered_json tasks = ordered_json::object();
  for (const auto& [name, task] : of.tasks) tasks[name] = json_of(task);
  line["tasks"] = tasks;
  return line;
}

void add_rows(table& lines, std::string_view mode, const mode_marks& of, const seam& used) {
  const auto add = [&](const std::string& task, const marks& some) {
    lines.add({std::string(mode), task, std::to_string(used.head_tokens),
               std::to_string(used.tail_tokens), std::to_string(some.answers),
               fixed(some.exact_percent(), 1), fixed(some.f1_percent(), 1)});
  };
  add("all", of.all);
  for (const auto& [name, task] : of.tasks) add(name, task);
}

result<std::vector<sample>> load_samples(const options& given, const loaded_model& model) {
  auto data = read_eval_data(given.text("--data"), given.integer("--limit"));
  if (!data) return data.error();
  std::vector<sample> samples;
  for (eval_sample& each : *data) {
    auto segments = encode_segments(model, each.segments, special_of(given));
    if (!segments)
      return failure{segments.error().kind, "sample " + each.id + ": " + segments.error().message};
    samples.push_back({.what = std::move(each), .segments = std::move(*segments)});
  }
  return samples;
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  auto model = load_model(given, {.watched = given.flag("--no-progress") ? nullptr : &at});
  if (!model) return model.error();
  const auto samples = load_samples(given, *model);
  if (!samples) return samples.error();
  const auto modes = modes_of(given, {reuse_mode::stitched, reuse_mode::full_recompute});

  ordered_json by_mode = ordered_json::object();
  table lines(
      {{"mode", side::left}, {"task", side::left}, {"head"}, {"tail"}, {"n"}, {"em"}, {"f1"}});
  {
    progress bar(at, "answers", static_cast<std::int64_t>(modes.size() * samples->size()),
                 !given.flag("--no-progress"));
    for (const reuse_mode mode : modes) {
      const seam used = seam_of(given, mode, model->profile.seam);
      auto marks_of_mode = eval_pass(*model, *samples, bar)
                               .run(mode, used, static_cast<std::size_t>(given.integer("--batch")));
      if (!marks_of_mode) return marks_of_mode.error();
      by_mode[std::string(traits_of(mode).name)] = json_of(*marks_of_mode, used);
      add_rows(lines, traits_of(mode).name, *marks_of_mode, used);
    }
  }
  to->text() << lines.text();
  if (status written = to->write_json(ordered_json{{"modes", by_mode}}.dump()); !written)
    return written.error();
  return exit_done;
}

}  // namespace

word eval_word() {
  return {
      .name = "eval",
      .sentence = "Measures exact match and F1 of greedy answers, per mode and task.",
      .more =
          "Each line of the data: {\"id\", \"task\", \"segments\": [\"lead\", \"document\", ..., "
          "\"question\"],\n\"answer\"}. At most 80 new tokens. Both sides are stripped; exact "
          "match is equality;\nF1 counts words as multisets, with ; read as a space. Modes: "
          "stitched and full_recompute\nunless named.",
      .rules = join_rules({{model_option(),
                            {.name = "--data",
                             .value_name = "FILE",
                             .sentence = "JSON lines of samples.",
                             .required = true,
                             .use = file_use::read},
                            {.name = "--limit",
                             .kind = option_kind::integer,
                             .value_name = "N",
                             .sentence = "Only the first N samples.",
                             .least = 1},
                            mode_option("", true),
                            {.name = "--batch",
                             .kind = option_kind::integer,
                             .value_name = "N",
                             .fallback = "8",
                             .sentence = "Samples live at once; changes the time only.",
                             .least = 1,
                             .most = 64},
                            special_option(),
                            json_option(),
                            progress_option()},
                           reuse_option_rules(),
                           engine_option_rules()}),
      .act = act};
}

}  // namespace weft::actors
