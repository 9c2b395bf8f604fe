// A model folder, opened: shape, tokenizer, profile, fingerprints, and a session that runs it.
//
// Threads: as the session, one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/program/console.hpp"
#include "actors/program/options.hpp"
#include "actors/session/session.hpp"
#include "gpu/model/model_shape.hpp"
#include "messages/prompt/profile.hpp"
#include "messages/prompt/segment.hpp"
#include "messages/prompt/tokenizer.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

struct loaded_model {
  std::string folder;
  gpu::model_shape shape;
  std::optional<messages::tokenizer> text;  // Absent: the folder has none, or none was asked for.
  messages::profile profile;
  std::int64_t positions_max = 0;  // Of a prompt with its new tokens.
  std::unique_ptr<session> live;
};

struct loading {
  enum class tokenizer_need : std::uint8_t { none, if_present, required };
  tokenizer_need tokenizer = tokenizer_need::required;
  bool runs_on_past_end = false;  // Benches: no token ends an answer.
  // Where a bar shows while a model is read for the first time; null: nowhere. --no-progress, where
  // a word has it, goes without.
  console* watched = nullptr;
};

// Opens what --model, the engine options and the reuse options say. A failure names the file or
// tensor at fault.
result<loaded_model> load_model(const options& given, const loading& how);

// Opens the session for weights that came from elsewhere (benches: random ones).
result<loaded_model> adopt_weights(const options& given, gpu::model_weights weights,
                                   std::string fingerprint);

bool has_tokenizer(const std::string& folder);

// The folder's tokenizer.json.
result<messages::tokenizer> load_tokenizer(const std::string& folder);

// The profile that --profile names, else `folder`'s weft.json, else the defaults.
result<messages::profile> load_profile(const options& given, const std::string& folder);

// Token ids of a prompt's segments, one by one; segments without tokens are dropped.
// `rejected`: no tokenizer, or nothing is left.
result<std::vector<request_segment>> encode_segments(
    const loaded_model& model, const std::vector<messages::prompt_segment>& segments,
    messages::special_tokens special);

// What --special says.
messages::special_tokens special_of(const options& given);

}  // namespace weft::actors
