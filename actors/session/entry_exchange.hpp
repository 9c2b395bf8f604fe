// Entries that come to a session from another one, and entries that it lends to others.
//
// An entry that is expected has its room and its place in the index from the first moment: whoever
// asks for its key waits for it as for one that is being made here. Its layers arrive in order;
// with the last one it is there for everyone. If it is given up, the first request that waits for
// it makes it here. So whoever expects an entry need only see to it that it either comes or is
// given up: requests do the rest.
//
// Threads: the session's. Lifetime: index, desk and names outlive this.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "actors/session/entry_names.hpp"
#include "actors/session/entry_order.hpp"
#include "actors/session/unit_desk.hpp"
#include "gpu/door/entry_form.hpp"

namespace weft::actors {

class entry_exchange {
 public:
  // An arrival under way; unique in the session, other than any request's id.
  using arrival_id = std::uint64_t;

  entry_exchange(unit_desk& desk, const entry_names& names) : desk_(desk), names_(names) {}

  // The entry as this session knows it. `rejected`: a segment that its seam leaves nothing of.
  result<entry_wanted> wanted_by(const entry_order& order) const;

  // Takes room for an entry that `from` will send, under `id`. False: it is here, is being made, or
  // is expected already, so nothing need be sent. `overloaded`: no room for it beyond what was
  // promised to live requests.
  result<bool> expect(arrival_id id, const entry_order& order, const entry_origin& from);

  // The next layer of an arrival. True: it was the last one, and the entry is there. A record that
  // is none (`rejected`) or an unknown id (`cancelled`) ends nothing by itself: give the arrival
  // up.
  result<bool> deliver(arrival_id id, std::int64_t layer, std::span<const std::byte> record);

  // The arrival will not come, or too late. An unknown or finished id is not an error.
  void give_up(arrival_id id);

  // The entry of that key for reading, or null. Whoever holds it keeps its memory; evicted or not,
  // it stays as it is.
  std::shared_ptr<const gpu::entry> lend(const messages::entry_key& key);

  // Arrivals under way.
  std::size_t awaited() const { return arrivals_.size(); }
  bool awaits(const entry_slot& slot) const {
    return slot.state == slot_state::computing && arrivals_.contains(slot.maker);
  }

 private:
  struct arrival {
    slot_ptr slot;
    std::int64_t layers = 0;  // That came.
  };

  std::int64_t layers() const {
    return static_cast<std::int64_t>(desk_.engine().shape().layers.size());
  }

  unit_desk& desk_;
  const entry_names& names_;
  std::map<arrival_id, arrival> arrivals_;
};

}  // namespace weft::actors
