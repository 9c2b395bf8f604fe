// A token id, as tokenizers and embeddings count them.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

using token_id = std::int32_t;
using token_ids = std::vector<token_id>;

}  // namespace weft
