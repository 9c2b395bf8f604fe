// What happened to each segment of a request, as deploy/docs/formats.md words it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

enum class segment_role : std::uint8_t { lead, document, question };

// warm: an entry was there when the request was planned; cold: an entry was made; context: ran in
// context.
enum class verdict : std::uint8_t { warm, cold, context };

enum class verdict_reason : std::uint8_t {
  // cold
  new_segment,
  evicted,
  other_scope,
  numerics,
  invalid,
  lost,
  // context
  question,
  seam_only,
  not_reusable,
  mode,
};

std::string_view name_of(segment_role role);
std::string_view name_of(verdict what);
std::string_view name_of(verdict_reason reason);

struct receipt {
  std::int64_t segment = 0;  // Index in the prompt, from 0.
  segment_role role = segment_role::document;
  std::int64_t tokens = 0;
  std::int64_t seam_tokens =
      0;  // Head and tail recomputed in context; 0 where nothing was spliced.
  std::int64_t reused_tokens = 0;  // n - w - r of a warm segment (a checkpoint or lead: n), else 0.
  verdict what = verdict::context;
  std::optional<verdict_reason> reason;  // Absent when warm.
  std::string tier;                      // "device" for entries; empty for context.
  std::string worker;                    // Empty where nothing but this process took part.
  std::int64_t bytes_moved = 0;
  double milliseconds =
      0;  // Engine time spent on this segment, its share of packed steps by tokens.

  friend bool operator==(const receipt&, const receipt&) = default;
};

}  // namespace weft
