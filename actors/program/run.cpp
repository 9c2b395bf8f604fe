// `weft run`: one prompt, cold and then warm; the answer, the receipts, the times.
#include <algorithm>
#include <ostream>
#include <random>

#include <nlohmann/json.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/loaded_model.hpp"
#include "actors/program/output.hpp"
#include "actors/program/table.hpp"
#include "actors/program/text_input.hpp"
#include "actors/program/words.hpp"
#include "messages/prompt/prompt_file.hpp"
#include "messages/prompt/receipt_json.hpp"
#include "messages/prompt/token_stream.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

struct finished_run {
  std::string name;
  std::string text;
  answer what;
};

bool is_blank(const messages::prompt_file& prompt) {
  return std::all_of(prompt.segments.begin(), prompt.segments.end(), [](const auto& segment) {
    return segment.text.find_first_not_of(" \t\r\n") == std::string::npos;
  });
}

std::string table_of(const std::vector<receipt>& receipts) {
  table lines({{"segment"},
               {"role", side::left},
               {"tokens"},
               {"seam"},
               {"verdict", side::left},
               {"reason", side::left},
               {"reused"},
               {"ms"}});
  for (const receipt& each : receipts)
    lines.add({std::to_string(each.segment), std::string(name_of(each.role)),
               std::to_string(each.tokens), std::to_string(each.seam_tokens),
               std::string(name_of(each.what)),
               each.reason ? std::string(name_of(*each.reason)) : "-",
               std::to_string(each.reused_tokens), fixed(each.milliseconds, 2)});
  return lines.text("  ");
}

// The documents in another order, chosen by `seed`; the same order only where there is no other.
void shuffle_documents(std::vector<request_segment>& segments, std::uint64_t seed) {
  if (segments.size() < 4) return;
  const auto first = segments.begin() + 1;
  const auto last = segments.end() - 1;
  const auto before = segments;
  std::mt19937_64 random(seed);
  for (auto left = last - first; left > 1; --left)
    std::iter_swap(first + left - 1, first + static_cast<std::ptrdiff_t>(
                                                 random() % static_cast<std::uint64_t>(left)));
  const auto same = [](const request_segment& a, const request_segment& b) {
    return a.tokens == b.tokens;
  };
  if (std::equal(segments.begin(), segments.end(), before.begin(), same))
    std::rotate(first, first + 1, last);
}

result<answer> finish(session& on, std::uint64_t id) {
  for (;;) {
    if (auto done = on.take(id)) return std::move(*done);
    if (!on.step()) return broken("the session lost the request; this is a fault of its own");
  }
}

result<finished_run> run_once(loaded_model& model, const request& wanted, std::string name,
                              output& to) {
  messages::token_stream stream(*model.text);
  std::string text;
  const auto show = [&](const std::string& piece) {
    text += piece;
    if (to.text_is_terminal()) to.text() << piece << std::flush;
  };
  // A model may have more rows than its tokenizer has tokens; such an id has no text.
  const auto hear = [&](token_id token) {
    const auto piece = stream.push(token);
    show(piece ? *piece : "\xef\xbf\xbd");
  };
  // What can never run is told before anything is shown of it.
  const auto id = model.live->start(wanted, hear);
  if (!id) return id.error();
  to.text() << to.bold(name) << "\n  answer: " << std::flush;
  auto answered = finish(*model.live, *id);
  if (!answered) {
    to.text() << "\n";
    return answered.error();
  }
  show(stream.flush());
  if (!to.text_is_terminal()) to.text() << text;
  to.text() << "\n"
            << table_of(answered->receipts) << "  " << answered->prompt_tokens
            << (answered->prompt_tokens == 1 ? " prompt token, " : " prompt tokens, ")
            << answered->reused_tokens << " reused; time to first token "
            << to.green(fixed(answered->times.first_token_ms, 2) + " ms") << ", in all "
            << fixed(answered->times.total_ms, 2) << " ms\n";
  return finished_run{.name = std::move(name), .text = text, .what = std::move(*answered)};
}

ordered_json json_of(const finished_run& run) {
  const request_times& times = run.what.times;
  const auto receipts = ordered_json::parse(messages::receipts_json(run.what.receipts));
  return {{"name", run.name},
          {"text", run.text},
          {"ids", run.what.tokens},
          {"ended", run.what.ended},
          {"receipts", receipts},
          {"prompt_tokens", run.what.prompt_tokens},
          {"reused_tokens", run.what.reused_tokens},
          {"time_to_first_token_ms", times.first_token_ms},
          {"times",
           {{"queue_ms", times.queue_ms},
            {"plan_ms", times.plan_ms},
            {"prefill_ms", times.prefill_ms},
            {"splice_ms", times.splice_ms},
            {"total_ms", times.total_ms}}}};
}

void compare(const std::vector<finished_run>& runs, output& to) {
  const finished_run& cold = runs.front();
  const finished_run& warm = runs.at(1);
  const double cold_ms = cold.what.times.first_token_ms;
  const double warm_ms = warm.what.times.first_token_ms;
  to.text() << "time to first token: cold " << fixed(cold_ms, 2) << " ms, warm "
            << fixed(warm_ms, 2) << " ms";
  // Without reuse the two differ by what a first run has to set up.
  if (cold_ms > 0 && warm.what.reused_tokens > 0)
    to.text() << ", ratio " << to.bold(fixed(warm_ms / cold_ms, 3));
  to.text() << (cold.what.tokens == warm.what.tokens
                    ? "; the warm answer equals the cold one"
                    : "; the warm answer DIFFERS from the cold one")
            << "\n";
}

result<request> request_from(const options& given, console& at, const loaded_model& model) {
  const std::string path = given.operands().empty() ? "" : given.operands().front();
  const auto text = read_text(path, at);
  if (!text) return text.error();
  std::optional<std::string> separator = model.profile.separator;
  if (given.given("--separator")) separator = given.text("--separator");
  if (separator == "off") separator.reset();
  const auto prompt = messages::parse_prompt_file(*text, separator);
  if (!prompt)
    return failure{prompt.error().kind,
                   (is_standard_input(path) ? "standard input" : "'" + path + "'") + ": " +
                       prompt.error().message};
  if (is_blank(*prompt)) return rejected("the prompt is blank: it needs a segment with text");
  auto segments = encode_segments(model, prompt->segments, special_of(given));
  if (!segments) return segments.error();
  request wanted;
  wanted.segments = std::move(*segments);
  wanted.mode = modes_of(given, {reuse_mode::stitched}).front();
  wanted.wanted_seam = seam_of(given, wanted.mode, model.profile.seam);
  wanted.draw = sampling_of(given);
  if (prompt->max_tokens) wanted.new_tokens_max = *prompt->max_tokens;
  if (given.given("--max-tokens")) wanted.new_tokens_max = given.integer("--max-tokens");
  return wanted;
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  auto model = load_model(given, {.watched = &at});
  if (!model) return model.error();
  auto wanted = request_from(given, at, *model);
  if (!wanted) return wanted.error();

  std::vector<std::string> names = {"cold", "warm"};
  if (given.given("--shuffle")) names.push_back("shuffled");
  std::vector<finished_run> runs;
  for (const std::string& name : names) {
    if (name == "shuffled")
      shuffle_documents(wanted->segments, static_cast<std::uint64_t>(given.integer("--shuffle")));
    auto run = run_once(*model, *wanted, name, *to);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  compare(runs, *to);

  ordered_json all = ordered_json::array();
  for (const finished_run& run : runs) all.push_back(json_of(run));
  const ordered_json document = {{"mode", traits_of(wanted->mode).name}, {"runs", all}};
  const status written =
      to->write_json(document.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  if (!written) return written.error();
  return exit_done;
}

}  // namespace

word run_word() {
  return {.name = "run",
          .operands = "[FILE]",
          .operands_max = 1,
          .sentence = "Answers one prompt, cold and then warm: answer, receipts, times.",
          .more =
              "FILE (standard input when it is - or missing) is text cut at <<PIC_SEP>>, or "
              "JSON:\n{\"segments\": [\"lead\", {\"text\": \"document\", \"reuse\": false}, "
              "\"question\"], \"max_tokens\": 64}",
          .rules = join_rules(
              {{model_option(), mode_option("stitched", false)},
               reuse_option_rules(),
               sampling_option_rules(),
               {{.name = "--shuffle",
                 .kind = option_kind::integer,
                 .value_name = "SEED",
                 .sentence = "A third run with the documents in another order."},
                special_option(),
                {.name = "--separator",
                 .value_name = "TEXT",
                 .sentence = "Cuts plain text into segments; off cuts nothing. As the profile "
                             "says, or <<PIC_SEP>>, unless given."},
                json_option()},
               engine_option_rules()}),
          .act = act};
}

}  // namespace weft::actors
