#include "actors/program/loaded_model.hpp"

#include <filesystem>

#include "actors/program/common_options.hpp"
#include "actors/program/progress.hpp"
#include "gpu/checkpoint/fingerprint_cache.hpp"
#include "gpu/checkpoint/opened_model.hpp"

namespace weft::actors {
namespace {

constexpr const char* tokenizer_name = "tokenizer.json";
constexpr const char* profile_name = "weft.json";

status load_text(const loading& how, loaded_model& model) {
  if (how.tokenizer == loading::tokenizer_need::none) return {};
  const bool required = how.tokenizer == loading::tokenizer_need::required;
  if (!required && !has_tokenizer(model.folder)) return {};
  auto text = load_tokenizer(model.folder);
  if (!text) return text.error();
  model.text = std::move(*text);
  return {};
}

// The anchor's segments, one by one.
result<std::vector<token_ids>> encode_anchor(const options& given, const loaded_model& model) {
  std::vector<token_ids> anchor;
  if (given.flag("--no-anchor") || model.profile.anchor.empty()) return anchor;
  if (!model.text)
    return rejected("the profile names an anchor, and '" + model.folder + "' has no " +
                    tokenizer_name + " to read it with; --no-anchor goes without");
  for (const std::string& segment : model.profile.anchor) {
    auto ids = model.text->encode(segment, messages::special_tokens::recognized);
    if (!ids) return failure{ids.error().kind, "the profile's anchor: " + ids.error().message};
    if (!ids->empty()) anchor.push_back(std::move(*ids));
  }
  return anchor;
}

status open_session(const options& given, gpu::model_weights weights, std::string model_fingerprint,
                    std::string tokenizer_fingerprint, loaded_model& model) {
  const auto engine = engine_options_of(given);
  if (!engine) return engine.error();
  auto anchor = encode_anchor(given, model);
  if (!anchor) return anchor.error();
  session_options wanted;
  wanted.engine = *engine;
  wanted.positions_max = given.integer("--positions-max");
  wanted.step_tokens_max = given.integer("--step-tokens-max");
  wanted.eviction = eviction_of(given);
  wanted.model_fingerprint = std::move(model_fingerprint);
  wanted.tokenizer_fingerprint = std::move(tokenizer_fingerprint);
  wanted.profile_seam = model.profile.seam;
  wanted.anchor = std::move(*anchor);
  model.positions_max = model.shape.positions_max;
  if (wanted.positions_max > 0)
    model.positions_max = std::min(model.positions_max, wanted.positions_max);
  auto live = session::make(std::move(weights), std::move(wanted));
  if (!live) return live.error();
  model.live = std::move(*live);
  return {};
}

// Seconds for a large model, the first time; then nothing is read and no bar shows.
result<gpu::fingerprints> read_through(const gpu::opened_model& opened, const loading& how) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  std::optional<progress> bar;
  gpu::reading reading{.cache_folder = gpu::default_cache_folder()};
  if (how.watched != nullptr)
    reading.on_progress = [&](std::int64_t done, std::int64_t total) {
      if (!bar) bar.emplace(*how.watched, "MiB of a new model read", total / mebibyte, true);
      bar->reach(done / mebibyte);
    };
  return gpu::fingerprint_of(opened, reading);
}

}  // namespace

result<loaded_model> load_model(const options& given, const loading& how) {
  // A device that is not there is told before a model is read.
  if (const auto engine = engine_options_of(given); !engine) return engine.error();
  loaded_model model;
  model.folder = given.text("--model");
  auto opened = gpu::open_model(model.folder);
  if (!opened) return opened.error();
  gpu::model_weights& weights = opened->weights;
  if (how.runs_on_past_end) weights.shape.end_tokens.clear();
  model.shape = weights.shape;
  auto profile = load_profile(given, model.folder);
  if (!profile) return profile.error();
  model.profile = std::move(*profile);
  if (status text = load_text(how, model); !text) return text.error();
  auto marks = read_through(*opened, how);
  if (!marks) return marks.error();
  status live = open_session(given, std::move(weights), std::move(marks->model),
                             std::move(marks->tokenizer), model);
  if (!live) return live.error();
  return model;
}

result<loaded_model> adopt_weights(const options& given, gpu::model_weights weights,
                                   std::string fingerprint) {
  loaded_model model;
  model.shape = weights.shape;
  auto profile = load_profile(given, "");
  if (!profile) return profile.error();
  model.profile = std::move(*profile);
  status opened = open_session(given, std::move(weights), fingerprint, fingerprint, model);
  if (!opened) return opened.error();
  return model;
}

bool has_tokenizer(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(folder) / tokenizer_name, error);
}

result<messages::tokenizer> load_tokenizer(const std::string& folder) {
  return messages::tokenizer::load(std::filesystem::path(folder) / tokenizer_name);
}

result<messages::profile> load_profile(const options& given, const std::string& folder) {
  if (!given.given("--profile")) {
    if (folder.empty()) return messages::profile{};
    return messages::load_profile(std::filesystem::path(folder) / profile_name);
  }
  // One that is named must be there; the folder's own need not.
  const std::filesystem::path path = given.text("--profile");
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return unavailable("there is no profile '" + path.string() + "'");
  return messages::load_profile(path);
}

result<std::vector<request_segment>> encode_segments(
    const loaded_model& model, const std::vector<messages::prompt_segment>& segments,
    messages::special_tokens special) {
  if (!model.text)
    return rejected("'" + model.folder + "' has no " + tokenizer_name +
                    ", so it takes \"ids\" and no text");
  std::vector<request_segment> encoded;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    auto ids = model.text->encode(segments[i].text, special);
    if (!ids)
      return failure{ids.error().kind, "segment " + std::to_string(i) + ": " + ids.error().message};
    if (ids->empty()) continue;
    encoded.push_back({.tokens = std::move(*ids), .reusable = segments[i].reusable});
  }
  if (encoded.empty()) return rejected("the prompt is empty");
  return encoded;
}

messages::special_tokens special_of(const options& given) {
  return given.text("--special") == "plain" ? messages::special_tokens::plain
                                            : messages::special_tokens::recognized;
}

}  // namespace weft::actors
