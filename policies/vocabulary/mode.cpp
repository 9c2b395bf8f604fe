#include "policies/vocabulary/mode.hpp"

#include <string>

namespace weft {

const mode_traits& traits_of(reuse_mode mode) {
  static constexpr std::array<mode_traits, 7> table = {{
      {.name = "full_recompute"},
      {.name = "prefix_cache", .chains = true},
      {.name = "addition", .splices = true, .turns_keys = true},
      {.name = "transition", .splices = true, .uses_transition = true},
      {.name = "transition_rope", .splices = true, .uses_transition = true, .turns_keys = true},
      {.name = "transition_rope_recompute",
       .splices = true,
       .uses_transition = true,
       .turns_keys = true,
       .uses_head = true},
      {.name = "stitched",
       .splices = true,
       .uses_transition = true,
       .turns_keys = true,
       .uses_head = true,
       .uses_tail = true,
       .uses_anchor = true},
  }};
  return table[static_cast<std::size_t>(mode)];
}

result<reuse_mode> parse_mode(std::string_view name) {
  std::string known;
  for (const reuse_mode mode : all_modes) {
    if (traits_of(mode).name == name) return mode;
    known += known.empty() ? "" : ", ";
    known += traits_of(mode).name;
  }
  return rejected("unknown mode '" + std::string(name) + "'; known modes are " + known);
}

seam default_seam(reuse_mode mode, const seam& profile) {
  const mode_traits& traits = traits_of(mode);
  return {.head_tokens = traits.uses_head ? profile.head_tokens : 0,
          .tail_tokens = traits.uses_tail ? profile.tail_tokens : 0};
}

status check_seam(const seam& wanted, std::int64_t conv_kernel) {
  if (wanted.head_tokens < 0 || wanted.tail_tokens < 0)
    return rejected("a seam's head and tail must not be negative");
  if (wanted.head_tokens != 0 && wanted.head_tokens < conv_kernel - 1)
    return rejected("a head of " + std::to_string(wanted.head_tokens) +
                    " tokens is too short: use 0, or at least " + std::to_string(conv_kernel - 1) +
                    " for a convolution of " + std::to_string(conv_kernel));
  return {};
}

}  // namespace weft
