// How a prompt is laid out: which tokens run in context, which come from entries, and where.
//
// A pure decision (ARCHITECTURE.md). It asks what a prompt looks like, never what is cached: a
// cold request and a warm one share one layout, and equality of their bits hangs on that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/vocabulary/mode.hpp"
#include "policies/vocabulary/receipt.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft {

struct segment_facts {
  std::int64_t tokens = 0;
  bool reusable = true;  // Ignored for the question.
};

struct prompt_facts {
  std::vector<segment_facts> segments = {};
  reuse_mode mode = reuse_mode::stitched;
  seam seams = {};                  // Read by modes that splice. Requires: not negative.
  std::int64_t new_tokens_max = 0;  // Requires: not negative.
  std::int64_t positions_max = 0;   // Prompt and new tokens together.
};

enum class piece_kind : std::uint8_t {
  run,         // computed in context; its chunk grid starts at its first token
  splice,      // stands for an entry prefilled alone
  checkpoint,  // stands for an entry that holds the running state after its last token
};

// Tokens [begin, end) of one segment, in the order of the prompt. Never empty.
struct prompt_piece {
  piece_kind kind = piece_kind::run;
  std::size_t segment = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t position = 0;  // Of token `begin` in the prompt.

  std::int64_t tokens() const { return end - begin; }
};

struct segment_layout {
  segment_role role = segment_role::document;
  piece_kind treatment = piece_kind::run;
  std::optional<verdict_reason> reason = {};  // Why it runs in context; absent for entries.
  std::int64_t tokens = 0;
  std::int64_t position = 0;
  std::int64_t seam_tokens = 0;     // Of a spliced segment: head and tail.
  std::int64_t reused_if_warm = 0;  // Tokens that a known entry saves.
};

struct prompt_layout {
  std::vector<prompt_piece> pieces;
  std::vector<segment_layout> segments;
  std::int64_t prompt_tokens = 0;
  // The most tokens of each run in context, in order; the last one has room for the new tokens.
  std::vector<std::int64_t> context_runs;
};

// The layout, or `rejected`: an empty prompt, an empty segment (by index), or more tokens than fit.
result<prompt_layout> lay_out(const prompt_facts& facts);

}  // namespace weft
