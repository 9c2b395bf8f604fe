// The bundled tokenizer with its first merges only: small enough to be parsed at every start.
#pragma once

#include <filesystem>

#include "messages/prompt/tokenizer.hpp"

namespace weft::fuzz {

inline const messages::tokenizer& reduced_tokenizer() {
  static const messages::tokenizer loaded =
      messages::tokenizer::load(std::filesystem::path(WEFT_SOURCE_DIR) /
                                "tests/fuzz/corpus/tokenizer_file/reduced.json")
          .value();
  return loaded;
}

}  // namespace weft::fuzz
