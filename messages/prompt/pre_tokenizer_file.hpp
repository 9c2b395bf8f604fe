// The `pre_tokenizer` field of tokenizer.json: how text is cut into words before pairs merge.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "messages/prompt/split_pattern.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// The patterns of `field`, each to cut what the one before left; empty if a text is one word.
// `rejected`, naming the part, for anything but Split with behavior Isolated, ByteLevel without a
// prefix space, and sequences of those that end with ByteLevel.
result<std::vector<split_pattern>> read_pre_tokenizer(const nlohmann::json& field);

}  // namespace weft::messages
