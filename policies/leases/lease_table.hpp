// Who may use which entry of a worker until when: a hit made a promise.
//
// A value, kept by the holder of the entries. While an entry has a lease it is not evicted. A lease
// ends by release, by its time, or with the life of its taker. The time is capped below the silence
// after which a peer counts as dead, so whoever plans anew round a dead taker finds its leases
// gone. Commands may come twice: a taker has one lease on an entry for one request, and a second
// grant renews it.
//
// Counts are exact: granted = released + run_out + lost + open.
// Memory: leases_max leases; beyond that a grant is refused, and the asker makes the entry itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "policies/membership/heartbeat.hpp"
#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/request_id.hpp"

namespace weft {

struct lease_limits {
  duration time_max = std::chrono::milliseconds(1'500);
  std::size_t leases_max = 16'384;
  std::size_t takers_max = 256;  // Nodes.
};
static_assert(lease_limits{}.time_max < silence_max);

// Of one table; never given out twice.
enum class lease_id : std::uint64_t {};

struct lease {
  lease_id id = {};
  entry_key key;
  node_life taker;
  request_id request = {};  // For which it took it.
  instant ends = {};

  friend bool operator==(const lease&, const lease&) = default;
};

struct lease_counts {
  std::uint64_t granted = 0;
  std::uint64_t released = 0;
  std::uint64_t run_out = 0;
  std::uint64_t lost = 0;  // With their takers.
};

class lease_table {
 public:
  explicit lease_table(lease_limits limits = {}) : limits_(limits) {}

  // From now on this life of the node may take leases, and no other. Those of its former lives end;
  // returns them. A node beyond takers_max is not met.
  std::vector<lease> meet(const node_life& taker);

  // The node is gone, whatever its life: its leases end; returns them.
  std::vector<lease> forget(const node_name& taker);

  // A lease for `time`, or time_max if that is less. Nullopt: the taker's life was not met, or the
  // table is full. Requires: the caller has the entry.
  std::optional<lease> grant(const entry_key& key, const node_life& taker, request_id request,
                             duration time, instant now);

  // Until `time` from now, capped likewise. Nullopt: it ended, or is another one's. A lease that is
  // over but was not taken by `expire` yet still holds its entry, and lives on.
  std::optional<lease> renew(lease_id id, const node_life& taker, duration time, instant now);

  // Ends it; returns it. Nullopt: it ended before, or is another one's.
  std::optional<lease> release(lease_id id, const node_life& taker);

  // Ends all whose time is over; returns them, the earliest first.
  std::vector<lease> expire(instant now);

  // When the first one ends by time. Nullopt: there is none.
  std::optional<instant> next_end() const;

  std::size_t open() const { return leases_.size(); }
  std::size_t open_on(const entry_key& key) const;
  const lease_counts& counts() const { return counts_; }

 private:
  using claim = std::tuple<node_name, request_id, entry_key>;

  void set_end(lease& held, duration time, instant now);
  lease end(lease_id id);
  std::vector<lease> end_all_of(const node_name& taker);

  lease_limits limits_;
  lease_counts counts_;
  std::uint64_t last_id_ = 0;
  std::map<node_name, incarnation> takers_;  // The life that counts.
  std::unordered_map<lease_id, lease> leases_;
  std::map<claim, lease_id> claims_;
  std::set<std::pair<instant, lease_id>> ends_;
  std::unordered_map<entry_key, std::size_t> on_entry_;
};

}  // namespace weft
