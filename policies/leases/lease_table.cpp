#include "policies/leases/lease_table.hpp"

#include <algorithm>

namespace weft {

std::vector<lease> lease_table::meet(const node_life& taker) {
  const auto known = takers_.find(taker.node);
  if (known == takers_.end()) {
    if (takers_.size() < limits_.takers_max) takers_.emplace(taker.node, taker.life);
    return {};
  }
  if (known->second == taker.life) return {};
  known->second = taker.life;
  return end_all_of(taker.node);
}

std::vector<lease> lease_table::forget(const node_name& taker) {
  takers_.erase(taker);
  return end_all_of(taker);
}

std::optional<lease> lease_table::grant(const entry_key& key, const node_life& taker,
                                        request_id request, duration time, instant now) {
  const auto met = takers_.find(taker.node);
  if (met == takers_.end() || met->second != taker.life) return std::nullopt;
  const claim wanted(taker.node, request, key);
  const auto held = claims_.find(wanted);
  if (held != claims_.end()) return renew(held->second, taker, time, now);
  if (leases_.size() >= limits_.leases_max) return std::nullopt;
  const lease_id id{++last_id_};
  lease& made = leases_[id];
  made = {.id = id, .key = key, .taker = taker, .request = request, .ends = now};
  ends_.emplace(made.ends, id);
  set_end(made, time, now);
  claims_.emplace(wanted, id);
  ++on_entry_[key];
  ++counts_.granted;
  return made;
}

std::optional<lease> lease_table::renew(lease_id id, const node_life& taker, duration time,
                                        instant now) {
  const auto held = leases_.find(id);
  if (held == leases_.end() || held->second.taker != taker) return std::nullopt;
  set_end(held->second, time, now);
  return held->second;
}

std::optional<lease> lease_table::release(lease_id id, const node_life& taker) {
  const auto held = leases_.find(id);
  if (held == leases_.end() || held->second.taker != taker) return std::nullopt;
  ++counts_.released;
  return end(id);
}

std::vector<lease> lease_table::expire(instant now) {
  std::vector<lease> ended;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    ended.push_back(end(ends_.begin()->second));
    ++counts_.run_out;
  }
  return ended;
}

std::optional<instant> lease_table::next_end() const {
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

std::size_t lease_table::open_on(const entry_key& key) const {
  const auto held = on_entry_.find(key);
  return held == on_entry_.end() ? 0 : held->second;
}

void lease_table::set_end(lease& held, duration time, instant now) {
  ends_.erase({held.ends, held.id});
  held.ends = now + std::clamp(time, duration{0}, limits_.time_max);
  ends_.emplace(held.ends, held.id);
}

lease lease_table::end(lease_id id) {
  const auto held = leases_.find(id);
  lease ended = std::move(held->second);
  leases_.erase(held);
  ends_.erase({ended.ends, id});
  claims_.erase({ended.taker.node, ended.request, ended.key});
  const auto count = on_entry_.find(ended.key);
  if (--count->second == 0) on_entry_.erase(count);
  return ended;
}

std::vector<lease> lease_table::end_all_of(const node_name& taker) {
  std::vector<lease> ended;
  for (auto first = claims_.lower_bound({taker, request_id{}, entry_key{}});
       first != claims_.end() && std::get<0>(first->first) == taker;) {
    const lease_id id = first->second;
    ++first;  // Before its place goes.
    ended.push_back(end(id));
    ++counts_.lost;
  }
  return ended;
}

}  // namespace weft
