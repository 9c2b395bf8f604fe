// The tokens of an answer that its client has, so that none is sent twice and none is left out.
//
// A value. Who takes over a stream replays these tokens and goes on behind them; what the former
// worker's late messages and the new one's first ones repeat is recognised by its index.
#pragma once

#include <cstdint>
#include <span>

#include "policies/vocabulary/token.hpp"

namespace weft {

enum class told_verdict : std::uint8_t {
  taken,     // `fresh` may be 0: all of it was known
  gap,       // tokens before it are missing; nothing is taken
  differs,   // another token has that index already: the answers are not the same; nothing is taken
  too_many,  // more than the request may have; nothing is taken
};

struct told_outcome {
  told_verdict verdict = told_verdict::taken;
  std::size_t fresh = 0;  // How many are new; they are the last ones of what was passed in.
};

class told_tokens {
 public:
  explicit told_tokens(std::size_t tokens_max) : tokens_max_(tokens_max) {}

  // `tokens` have the indices from `first_index` on.
  told_outcome append(std::uint64_t first_index, std::span<const token_id> tokens);

  const token_ids& all() const { return tokens_; }

 private:
  std::size_t tokens_max_;
  token_ids tokens_;
};

}  // namespace weft
