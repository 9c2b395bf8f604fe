#include "policies/directory/directory.hpp"

namespace weft {

bool directory::meet(const node_life& worker) {
  const auto known = workers_.find(worker.node);
  if (known != workers_.end() && known->second.life == worker.life) return true;
  if (known == workers_.end() && workers_.size() >= limits_.workers_max) return false;
  workers_[worker.node] = {.life = worker.life, .next_sequence = 0, .entries = {}};
  return true;
}

run_outcome directory::apply(const node_life& worker, const event_run& run) {
  worker_entries* known = find(worker);
  if (known == nullptr) return {.verdict = run_verdict::needs_snapshot};
  const std::uint64_t expected = known->next_sequence;
  if (run.first_sequence > expected) {
    if (run.first_sequence - expected > limits_.replay_max)
      return {.verdict = run_verdict::needs_snapshot};
    return {.verdict = run_verdict::gap, .replay_from = expected};
  }
  const std::uint64_t seen = expected - run.first_sequence;
  if (seen >= run.events.size()) return {.verdict = run_verdict::already_known};
  for (std::size_t index = seen; index < run.events.size(); ++index) {
    const entry_event& event = run.events[index];
    if (event.change == entry_change::inserted)
      credit(*known, event.key, event.facts);
    else
      known->entries.erase(event.key);
  }
  known->next_sequence = run.first_sequence + run.events.size();
  return {.verdict = run_verdict::applied};
}

bool directory::take_snapshot(const node_life& worker, const entry_snapshot& snapshot) {
  worker_entries* known = find(worker);
  if (known == nullptr || snapshot.next_sequence < known->next_sequence) return false;
  known->next_sequence = snapshot.next_sequence;
  known->entries.clear();
  for (const known_entry& entry : snapshot.entries) credit(*known, entry.key, entry.facts);
  return true;
}

void directory::forget(const node_name& worker) { workers_.erase(worker); }

bool directory::miss(const node_life& worker, const entry_key& key) {
  worker_entries* known = find(worker);
  return known != nullptr && known->entries.erase(key) > 0;
}

std::vector<entry_holder> directory::holders(const entry_key& key) const {
  std::vector<entry_holder> found;
  for (const auto& [name, known] : workers_) {
    const auto entry = known.entries.find(key);
    if (entry == known.entries.end()) continue;
    found.push_back({.worker = {.node = name, .life = known.life}, .facts = entry->second});
  }
  return found;
}

std::optional<std::uint64_t> directory::next_sequence(const node_life& worker) const {
  const worker_entries* known = find(worker);
  if (known == nullptr) return std::nullopt;
  return known->next_sequence;
}

std::size_t directory::entries(const node_life& worker) const {
  const worker_entries* known = find(worker);
  return known == nullptr ? 0 : known->entries.size();
}

const directory::worker_entries* directory::find(const node_life& worker) const {
  const auto known = workers_.find(worker.node);
  if (known == workers_.end() || known->second.life != worker.life) return nullptr;
  return &known->second;
}

directory::worker_entries* directory::find(const node_life& worker) {
  const auto known = workers_.find(worker.node);
  if (known == workers_.end() || known->second.life != worker.life) return nullptr;
  return &known->second;
}

void directory::credit(worker_entries& known, const entry_key& key, const entry_facts& facts) {
  const auto held = known.entries.find(key);
  if (held != known.entries.end()) {
    held->second = facts;
  } else if (known.entries.size() < limits_.entries_max) {
    known.entries.emplace(key, facts);
  } else {
    ++passed_over_;
  }
}

}  // namespace weft
