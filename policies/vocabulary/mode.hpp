// The seven ways to reuse what is known of a prompt, and the seam they recompute.
//
// Names are those of deploy/docs/formats.md and are what users type. `mode_traits` says
// what each does; nothing else in the program asks for a mode by name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft {

enum class reuse_mode : std::uint8_t {
  full_recompute,             // everything in context, nothing reused
  prefix_cache,               // longest chain of known segments from the start
  addition,                   // S_before + S_C, T dropped: the classic mistake, for ablation
  transition,                 // T S_before + S_C, keys left at their local positions
  transition_rope,            // the same, keys turned to their place
  transition_rope_recompute,  // the same, with a head seam: the published method
  stitched,                   // the same, with a tail seam too, and the profile's anchor
};

inline constexpr std::array<reuse_mode, 7> all_modes = {
    reuse_mode::full_recompute, reuse_mode::prefix_cache,    reuse_mode::addition,
    reuse_mode::transition,     reuse_mode::transition_rope, reuse_mode::transition_rope_recompute,
    reuse_mode::stitched};

// Tokens of each spliced segment that are recomputed in context: the first `head` and the last
// `tail`.
struct seam {
  std::int64_t head_tokens = 8;
  std::int64_t tail_tokens = 16;

  friend bool operator==(const seam&, const seam&) = default;
};

struct mode_traits {
  std::string_view name;
  bool splices = false;          // documents become entries that are spliced
  bool chains = false;           // segments become prefix checkpoints (prefix_cache)
  bool uses_transition = false;  // S jumps by T S_before + S_C; otherwise S_before + S_C
  bool turns_keys = false;       // queries are turned to an entry's local positions
  bool uses_head = false;        // the default seam has a head
  bool uses_tail = false;        // the default seam has a tail
  bool uses_anchor = false;      // entries are prefilled behind the profile's anchor
};

// Traits of `mode`. The reference lives for the whole program.
const mode_traits& traits_of(reuse_mode mode);

// The mode of that name, or `rejected` with a list of the known ones.
result<reuse_mode> parse_mode(std::string_view name);

// The seam that `mode` uses when a model's profile says `profile` and a request says nothing:
// parts of the seam that the mode does not have are 0.
seam default_seam(reuse_mode mode, const seam& profile);

// `rejected` unless 0 <= head, 0 <= tail, and head is 0 or at least `conv_kernel - 1` (a shorter
// head leaves convolution windows that reach over the border).
status check_seam(const seam& wanted, std::int64_t conv_kernel);

}  // namespace weft
