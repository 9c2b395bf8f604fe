#include "policies/membership/peer_table.hpp"

#include <algorithm>

namespace weft {
namespace {

bool lives(peer_state state) { return state == peer_state::live || state == peer_state::draining; }

bool expected_to_speak(peer_state state) { return lives(state) || state == peer_state::joining; }

peer_event event_of(peer_change change, const peer& about) {
  return {.change = change, .node = about.node, .roles = about.roles};
}

bool contains(const std::deque<incarnation>& former, incarnation life) {
  return std::find(former.begin(), former.end(), life) != former.end();
}

}  // namespace

std::string_view name_of(peer_state state) {
  switch (state) {
    case peer_state::joining: return "joining";
    case peer_state::live: return "live";
    case peer_state::draining: return "draining";
    case peer_state::dead: return "dead";
    case peer_state::left: return "left";
  }
  return "dead";
}

result<peer_news> peer_table::hear_hello(const node_life& node, const role_set& roles,
                                         const role_set& allowed, instant now) {
  const role_set excess = roles.beyond(allowed);
  if (!excess.empty())
    return rejected("node " + node.node.text + " claims the roles " + names_of(roles) +
                    "; its certificate does not give it " + names_of(excess));
  const auto found = peers_.find(node.node);
  if (found == peers_.end()) {
    if (!make_room())
      return overloaded("node " + node.node.text + " cannot join: there are " +
                        std::to_string(limits_.peers_max) + " peers already");
    begin_life(peers_[node.node], node, roles, now);
    return peer_news{};
  }
  known_peer& known = found->second;
  peer& facts = known.facts;
  if (contains(known.former, node.life)) return peer_news{.verdict = heard::ignored, .events = {}};
  peer_news news;
  if (facts.node != node) {
    if (lives(facts.state)) news.events.push_back(event_of(peer_change::replaced, facts));
    retire(known);
    begin_life(known, node, roles, now);
  } else if (facts.state == peer_state::dead) {
    // The sequence stays: a late hello is followed by no newer heartbeat and comes to nothing.
    const std::uint64_t last_sequence = facts.last_sequence;
    begin_life(known, node, roles, now);
    facts.last_sequence = last_sequence;
  } else if (facts.roles != roles) {
    facts.roles = roles;
    if (lives(facts.state)) news.events.push_back(event_of(peer_change::roles_changed, facts));
  }
  return news;
}

peer_news peer_table::hear_heartbeat(const heartbeat& beat, instant now) {
  const auto found = peers_.find(beat.node.node);
  if (found == peers_.end()) return {.verdict = heard::unknown, .events = {}};
  known_peer& known = found->second;
  peer& facts = known.facts;
  if (contains(known.former, beat.node.life)) return {.verdict = heard::ignored, .events = {}};
  if (facts.node != beat.node) return {.verdict = heard::unknown, .events = {}};
  if (beat.sequence <= facts.last_sequence) return {.verdict = heard::ignored, .events = {}};
  if (facts.state == peer_state::dead) return {.verdict = heard::unknown, .events = {}};
  peer_news news;
  facts.last_sequence = beat.sequence;
  facts.heard_at = now;
  if (facts.state == peer_state::joining) {
    facts.state = peer_state::live;
    news.events.push_back(event_of(peer_change::joined, facts));
  }
  if (beat.draining && facts.state == peer_state::live) {
    facts.state = peer_state::draining;
    news.events.push_back(event_of(peer_change::draining, facts));
  }
  return news;
}

peer_news peer_table::hear_goodbye(const node_life& node) {
  const auto found = peers_.find(node.node);
  if (found == peers_.end() || found->second.facts.node != node)
    return {.verdict = heard::ignored, .events = {}};
  peer& facts = found->second.facts;
  if (facts.state == peer_state::left) return {.verdict = heard::ignored, .events = {}};
  peer_news news;
  if (lives(facts.state)) news.events.push_back(event_of(peer_change::left, facts));
  facts.state = peer_state::left;
  retire(found->second);
  return news;
}

std::vector<peer_event> peer_table::give_up_silent(instant now) {
  std::vector<peer_event> events;
  for (auto& [name, known] : peers_) {
    peer& facts = known.facts;
    if (!expected_to_speak(facts.state) || now - facts.heard_at < silence_max) continue;
    if (lives(facts.state)) events.push_back(event_of(peer_change::lost, facts));
    facts.state = peer_state::dead;
  }
  return events;
}

std::optional<instant> peer_table::next_silence() const {
  std::optional<instant> next;
  for (const auto& [name, known] : peers_) {
    if (!expected_to_speak(known.facts.state)) continue;
    const instant silent_at = known.facts.heard_at + silence_max;
    next = std::min(next.value_or(silent_at), silent_at);
  }
  return next;
}

const peer* peer_table::find(const node_name& name) const {
  const auto found = peers_.find(name);
  return found == peers_.end() ? nullptr : &found->second.facts;
}

std::vector<peer> peer_table::living() const {
  std::vector<peer> found;
  for (const auto& [name, known] : peers_)
    if (lives(known.facts.state)) found.push_back(known.facts);
  return found;
}

bool peer_table::make_room() {
  if (peers_.size() < limits_.peers_max) return true;
  auto oldest = peers_.end();
  for (auto each = peers_.begin(); each != peers_.end(); ++each) {
    if (expected_to_speak(each->second.facts.state)) continue;
    if (oldest == peers_.end() || each->second.facts.heard_at < oldest->second.facts.heard_at)
      oldest = each;
  }
  if (oldest == peers_.end()) return false;
  peers_.erase(oldest);
  return true;
}

void peer_table::begin_life(known_peer& known, const node_life& node, const role_set& roles,
                            instant now) {
  known.facts = {.node = node, .roles = roles, .state = peer_state::joining, .heard_at = now};
}

void peer_table::retire(known_peer& known) {
  const incarnation ended = known.facts.node.life;
  if (contains(known.former, ended)) return;
  known.former.push_back(ended);
  if (known.former.size() > limits_.former_max) known.former.pop_front();
}

}  // namespace weft
