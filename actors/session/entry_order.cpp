#include "actors/session/entry_order.hpp"

#include <string>

namespace weft::actors {

result<entry_wanted> entry_wanted_by(const entry_order& order, const entry_names& names,
                                     std::int64_t conv_kernel) {
  const auto tokens = static_cast<std::int64_t>(order.tokens.size());
  if (order.kind == gpu::entry_kind::checkpoint) {
    if (tokens == 0) return rejected("a lead without tokens has no entry");
    return entry_wanted{.key = names.checkpoint_key(order.tokens, std::nullopt, order.scope),
                        .ids = order.tokens,
                        .kind = order.kind,
                        .stored_tokens = tokens,
                        .remake = work_of(tokens)};
  }
  if (const status checked = check_seam(order.cut, conv_kernel); !checked) return checked.error();
  // Written so that a huge seam does not overflow.
  const std::int64_t stored = tokens - order.cut.head_tokens;
  if (stored <= order.cut.tail_tokens)
    return rejected("a segment of " + std::to_string(tokens) +
                    " tokens has no entry: its head and tail are all of it");
  const bool behind = order.anchored && names.anchor().has_value();
  const auto before = behind ? static_cast<std::int64_t>(names.anchor()->ids.size()) : 0;
  return entry_wanted{.key = names.splice_key(order.tokens, order.cut, order.anchored, order.scope),
                      .ids = order.tokens,
                      .kind = order.kind,
                      .stored_tokens = stored - order.cut.tail_tokens,
                      .first_position = before + order.cut.head_tokens,
                      .remake = work_of(tokens - order.cut.tail_tokens, before)};
}

}  // namespace weft::actors
