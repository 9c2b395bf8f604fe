#include "policies/flights/flight_board.hpp"

#include <algorithm>

namespace weft {

flight_role flight_board::claim(const entry_key& key, request_id request,
                                const flight_maker& maker) {
  const auto known = flights_.find(key);
  if (known == flights_.end()) {
    if (flights_.size() >= limits_.flights_max) return flight_role::alone;
    flights_.emplace(key, flight{.owner = request, .maker = maker, .waiters = {}});
    keys_[request].insert(key);
    return flight_role::make;
  }
  if (known->second.owner == request) {
    known->second.maker = maker;
    return flight_role::make;
  }
  return wait(key, request) ? flight_role::wait : flight_role::alone;
}

bool flight_board::wait(const entry_key& key, request_id request) {
  const auto known = flights_.find(key);
  if (known == flights_.end() || known->second.owner == request) return false;
  auto& waiters = known->second.waiters;
  if (std::find(waiters.begin(), waiters.end(), request) != waiters.end()) return true;
  if (waiters.size() >= limits_.waiters_max) return false;
  waiters.push_back(request);
  keys_[request].insert(key);
  return true;
}

std::optional<std::vector<request_id>> flight_board::landed(const entry_key& key,
                                                            const node_life& maker) {
  const flight* known = made_by(key, maker);
  if (known == nullptr) return std::nullopt;
  std::vector<request_id> told = {known->owner};
  told.insert(told.end(), known->waiters.begin(), known->waiters.end());
  flights_.erase(key);
  for (const request_id request : told) unlink(key, request);
  return told;
}

std::optional<flight_handover> flight_board::failed(const entry_key& key, const node_life& maker) {
  flight* known = made_by(key, maker);
  if (known == nullptr) return std::nullopt;
  known->maker.reset();
  return flight_handover{.key = key, .stopped = std::nullopt, .next = known->owner};
}

std::vector<flight_handover> flight_board::lose(const node_life& worker) {
  std::vector<flight_handover> handed;
  for (auto& [key, known] : flights_) {
    if (!known.maker || known.maker->worker != worker) continue;
    known.maker.reset();
    handed.push_back({.key = key, .stopped = std::nullopt, .next = known.owner});
  }
  std::sort(handed.begin(), handed.end(),
            [](const flight_handover& left, const flight_handover& right) {
              return left.key < right.key;
            });
  return handed;
}

std::optional<flight_handover> flight_board::leave(const entry_key& key, request_id request) {
  const auto found = flights_.find(key);
  if (found == flights_.end()) return std::nullopt;
  flight& known = found->second;
  if (known.owner != request) {
    if (std::erase(known.waiters, request) > 0) unlink(key, request);
    return std::nullopt;
  }
  flight_handover handed{.key = key, .stopped = std::nullopt, .next = std::nullopt};
  if (known.maker) handed.stopped = known.maker->worker;
  unlink(key, request);
  if (known.waiters.empty()) {
    flights_.erase(found);
    return handed;
  }
  known.owner = known.waiters.front();
  known.waiters.erase(known.waiters.begin());
  known.maker.reset();
  handed.next = known.owner;
  return handed;
}

std::vector<flight_handover> flight_board::leave_all(request_id request) {
  std::vector<flight_handover> handed;
  for (const entry_key& key : keys_of(request))
    if (const auto each = leave(key, request)) handed.push_back(*each);
  return handed;
}

const flight* flight_board::find(const entry_key& key) const {
  const auto known = flights_.find(key);
  return known == flights_.end() ? nullptr : &known->second;
}

std::vector<entry_key> flight_board::keys_of(request_id request) const {
  const auto known = keys_.find(request);
  if (known == keys_.end()) return {};
  return {known->second.begin(), known->second.end()};
}

flight* flight_board::made_by(const entry_key& key, const node_life& maker) {
  const auto known = flights_.find(key);
  if (known == flights_.end() || !known->second.maker || known->second.maker->worker != maker)
    return nullptr;
  return &known->second;
}

void flight_board::unlink(const entry_key& key, request_id request) {
  const auto known = keys_.find(request);
  known->second.erase(key);
  if (known->second.empty()) keys_.erase(known);
}

std::optional<double> remaining_ms(const flight& flight, instant now) {
  if (!flight.maker) return std::nullopt;
  return std::max(0.0, milliseconds_of(flight.maker->ready_at - now));
}

}  // namespace weft
