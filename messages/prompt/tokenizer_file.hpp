// Reading tokenizer.json, the format of the Hugging Face tokenizers library, as far as byte-level
// BPE goes: model BPE, normalizer NFC or none, pre-tokenizers Split (isolated) and ByteLevel alone
// or in sequence, decoder ByteLevel, added tokens with all their flags.
//
// `truncation` and `padding` are ignored, as the models' own libraries reset them before each call.
// All else that would change ids and is not supported is refused by the name of its field.
#pragma once

#include <cstddef>
#include <string_view>

#include "messages/prompt/tokenizer_tables.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// Published files end near 33 MB; parsing takes several times the file's size in memory.
inline constexpr std::size_t tokenizer_file_bytes_max = std::size_t{64} << 20;

// The tables that `json` describes, or `rejected` with the field that is wrong and how.
result<tokenizer_tables> read_tokenizer_file(std::string_view json);

}  // namespace weft::messages
