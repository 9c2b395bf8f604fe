#include "policies/placement/step_cut.hpp"

#include <algorithm>
#include <set>

#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

// Room for prefill in the step that is being filled.
struct room {
  std::int64_t left = 0;
  std::int64_t chunk = 0;
  bool used = false;

  std::int64_t take(std::int64_t tokens) {
    std::int64_t taken = tokens <= left ? tokens : left / chunk * chunk;
    if (taken == 0 && !used) taken = std::min(tokens, chunk);
    left = std::max<std::int64_t>(left - taken, 0);
    used = used || taken > 0;
    return taken;
  }
};

enum class lane_end { done, waits, full };

lane_end fill_lane(const lane& from, const std::set<std::int64_t>& given, room& space,
                   std::int64_t& tokens) {
  for (const lane_run& run : from.runs) {
    const bool ready = std::all_of(run.needs.begin(), run.needs.end(),
                                   [&](std::int64_t id) { return given.contains(id); });
    if (!ready) return lane_end::waits;
    const std::int64_t taken = space.take(run.tokens);
    tokens += taken;
    if (taken < run.tokens) return lane_end::full;
  }
  return lane_end::done;
}

}  // namespace

step_cut cut_step(std::size_t decode_rows, const std::vector<lane>& lanes,
                  const step_limits& limits) {
  WEFT_ASSERT(limits.chunk_tokens > 0 && limits.tokens_max > 0);
  step_cut cut;
  cut.decode_rows = std::min(decode_rows, static_cast<std::size_t>(limits.tokens_max));
  cut.lane_tokens.assign(lanes.size(), 0);

  room space{.left = limits.tokens_max - static_cast<std::int64_t>(cut.decode_rows),
             .chunk = limits.chunk_tokens};
  std::set<std::int64_t> given;
  for (std::size_t index = 0; index < lanes.size(); ++index) {
    const lane_end end = fill_lane(lanes[index], given, space, cut.lane_tokens[index]);
    if (end == lane_end::full) break;
    if (end == lane_end::done && lanes[index].gives) given.insert(*lanes[index].gives);
  }
  return cut;
}

}  // namespace weft
