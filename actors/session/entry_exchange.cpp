#include "actors/session/entry_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace weft::actors {

result<entry_wanted> entry_exchange::wanted_by(const entry_order& order) const {
  return entry_wanted_by(order, names_, desk_.engine().shape().linear.conv_kernel);
}

result<bool> entry_exchange::expect(arrival_id id, const entry_order& order,
                                    const entry_origin& from) {
  WEFT_ASSERT(!arrivals_.contains(id));
  auto wanted = wanted_by(order);
  if (!wanted) return wanted.error();
  entry_index& cache = desk_.cache();
  if (cache.find(*wanted) != nullptr) return false;
  if (!desk_.admits(units_of(*wanted)) || !desk_.make_room(units_of(*wanted)))
    return overloaded("the pools have no room for an entry from elsewhere now");
  auto room = desk_.entry(*wanted);
  if (!room) return room.error();
  gpu::entry& made = **room;
  made.tokens = wanted->stored_tokens;
  made.local_begin = wanted->first_position;
  made.from_zero = wanted->first_position == 0;
  made.conv_rows = std::min(desk_.engine().shape().linear.conv_kernel - 1, wanted->stored_tokens);
  made.arriving = true;
  slot_ptr slot = cache.claim(*wanted, id, std::move(room).value());
  slot->origin = from;
  arrivals_.emplace(id, arrival{.slot = std::move(slot)});
  return true;
}

result<bool> entry_exchange::deliver(arrival_id id, std::int64_t layer,
                                     std::span<const std::byte> record) {
  const auto found = arrivals_.find(id);
  if (found == arrivals_.end())
    return failure{failure_kind::cancelled, "nobody awaits that entry any more"};
  arrival& one = found->second;
  if (layer != one.layers)
    return rejected("layer " + std::to_string(layer) + " of an entry came where layer " +
                    std::to_string(one.layers) + " was due");
  gpu::entry& entry = *one.slot->entry;
  if (const status written = desk_.engine().write_layer(entry, layer, record); !written)
    return written.error();
  one.slot->origin.bytes_moved += static_cast<std::int64_t>(record.size());
  if (++one.layers < layers()) return false;
  entry.complete = true;
  entry.arriving = false;
  desk_.cache().complete(one.slot);
  arrivals_.erase(found);
  return true;
}

void entry_exchange::give_up(arrival_id id) {
  const auto found = arrivals_.find(id);
  if (found == arrivals_.end()) return;
  const slot_ptr slot = std::move(found->second.slot);
  arrivals_.erase(found);
  slot->origin = {};
  desk_.cache().abandon(slot, false);
}

std::shared_ptr<const gpu::entry> entry_exchange::lend(const messages::entry_key& key) {
  const slot_ptr slot = desk_.cache().resident(key);
  return slot == nullptr ? nullptr : slot->entry;
}

}  // namespace weft::actors
