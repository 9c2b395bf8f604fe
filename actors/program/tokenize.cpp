// `weft tokenize`: JSON lines of text into token ids, or back.
#include <nlohmann/json.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/json_lines.hpp"
#include "actors/program/loaded_model.hpp"
#include "actors/program/output.hpp"
#include "actors/program/token_lines.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

using nlohmann::json;

result<std::string> encode_line(const messages::tokenizer& with, messages::special_tokens special,
                                const std::string& line) {
  const auto text = text_of_line(line);
  if (!text) return text.error();
  const auto ids = with.encode(*text, special);
  if (!ids) return ids.error();
  return json{{"ids", *ids}}.dump();
}

result<std::string> decode_line(const messages::tokenizer& with, const std::string& line) {
  const auto ids = ids_of_line(line);
  if (!ids) return ids.error();
  const auto text = with.decode(*ids);
  if (!text) return text.error();
  return json{{"text", *text}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  const auto with = load_tokenizer(given.text("--model"));
  if (!with) return with.error();
  const auto special = special_of(given);
  const bool decode = given.flag("--decode");
  const std::string path = given.operands().empty() ? "" : given.operands().front();
  return answer_lines_of(path, at, *to, [&](const std::string& line) {
    return decode ? decode_line(*with, line) : encode_line(*with, special, line);
  });
}

}  // namespace

word tokenize_word() {
  auto where = json_option();
  where.fallback = "-";
  return {.name = "tokenize",
          .operands = "[FILE]",
          .operands_max = 1,
          .sentence = "Turns JSON lines {\"text\"} into {\"ids\"}, or back.",
          .more =
              "Reads FILE, or standard input when it is - or missing. A bad line is answered by "
              "{\"error\"} in its place.",
          .rules = {model_option(),
                    {.name = "--decode",
                     .kind = option_kind::flag,
                     .sentence = "Turn {\"ids\"} into {\"text\"}."},
                    special_option(),
                    where},
          .act = act};
}

}  // namespace weft::actors
