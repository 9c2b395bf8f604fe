// `weft score`: log-probabilities of given prompts, as JSON lines.
#include <nlohmann/json.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/json_lines.hpp"
#include "actors/program/loaded_model.hpp"
#include "actors/program/output.hpp"
#include "actors/program/score_row.hpp"
#include "actors/program/token_lines.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

struct scoring {
  reuse_mode mode = reuse_mode::stitched;
  seam used;
  messages::special_tokens special;
  bool use_cache = true;
  bool logits = false;
};

result<std::vector<request_segment>> segments_of(const scored_line& line, const loaded_model& model,
                                                 const scoring& how) {
  if (!line.has_ids) return encode_segments(model, line.segments, how.special);
  std::vector<request_segment> segments;
  for (const token_ids& ids : line.ids) {
    for (const token_id id : ids)
      if (id < 0 || id >= model.shape.vocabulary)
        return rejected("token id " + std::to_string(id) + " is outside the vocabulary of " +
                        std::to_string(model.shape.vocabulary));
    if (!ids.empty()) segments.push_back({.tokens = ids});
  }
  if (segments.empty()) return rejected("the prompt is empty");
  return segments;
}

std::string json_of(const answer& answered, const scoring& how) {
  const score_row row = row_of(answered, how.used, traits_of(how.mode).splices);
  ordered_json logprobs = ordered_json::array();
  ordered_json argmax = ordered_json::array();
  for (const auto& mark : row.tokens) {
    logprobs.push_back(mark ? ordered_json(mark->log_probability) : ordered_json());
    argmax.push_back(mark ? ordered_json(mark->best) : ordered_json());
  }
  ordered_json line = {{"logprobs", logprobs}, {"argmax", argmax}};
  if (how.logits) line["last_logits"] = answered.last_logits;
  line["reused_tokens"] = answered.reused_tokens;
  return line.dump();
}

result<std::string> score_line(loaded_model& model, const scoring& how, const std::string& line) {
  const auto scored = scored_line_of(line);
  if (!scored) return scored.error();
  auto segments = segments_of(*scored, model, how);
  if (!segments) return segments.error();
  request wanted;
  wanted.segments = std::move(*segments);
  wanted.mode = how.mode;
  wanted.wanted_seam = how.used;
  wanted.new_tokens_max = 0;
  wanted.use_cache = how.use_cache;
  wanted.want_logits = how.logits;
  wanted.want_scores = true;
  const auto answered = model.live->run(std::move(wanted));
  if (!answered) return answered.error();
  return json_of(*answered, how);
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  auto model =
      load_model(given, {.tokenizer = loading::tokenizer_need::if_present, .watched = &at});
  if (!model) return model.error();
  scoring how;
  how.mode = modes_of(given, {reuse_mode::stitched}).front();
  how.used = seam_of(given, how.mode, model->profile.seam);
  how.special = special_of(given);
  how.use_cache = !given.flag("--no-cache");
  how.logits = given.flag("--logits");
  const std::string path = given.operands().empty() ? "" : given.operands().front();
  return answer_lines_of(path, at, *to,
                         [&](const std::string& line) { return score_line(*model, how, line); });
}

}  // namespace

word score_word() {
  auto where = json_option();
  where.fallback = "-";
  return {
      .name = "score",
      .operands = "[FILE]",
      .operands_max = 1,
      .sentence = "Scores JSON lines of segments or token ids: a log-probability per token.",
      .more =
          "Reads FILE, or standard input when it is - or missing: {\"segments\": [\"...\"]} or\n"
          "{\"ids\": [[...], [...]]}, which needs no tokenizer. Each line is answered by\n"
          "{\"logprobs\", \"argmax\", \"reused_tokens\"}, with --logits also \"last_logits\"; a "
          "bad "
          "one by\n{\"error\"}. The first token has null, and in modes that reuse so have leads, "
          "tokens\ninside entries and the first after one. Lines share one cache.",
      .rules = join_rules({{model_option(),
                            mode_option("stitched", false),
                            {.name = "--logits",
                             .kind = option_kind::flag,
                             .sentence = "Add the logits after the last token."},
                            {.name = "--no-cache",
                             .kind = option_kind::flag,
                             .sentence = "Each line alone: nothing is reused between lines."},
                            special_option(),
                            where},
                           reuse_option_rules(),
                           engine_option_rules()}),
      .act = act};
}

}  // namespace weft::actors
