#include "tests/policies/request_ledger.hpp"

namespace weft {

void request_ledger::admitted(request_id id, const node_life& gateway) {
  ++admitted_;
  open_[id] = gateway;
}

void request_ledger::planned(request_id id, const serving_plan& plan, const plan_change& change) {
  std::set<node_life>& working = working_[id];
  for (const node_life& each : change.dropped)
    if (working.erase(each) == 0)
      faults_.push_back(each.node.text + " was told to stop for nothing");
  working.insert(plan.combine);
  for (const expected_segment& each : plan.expected) working.insert(each.worker);
  settle(change.charges);
  for (const plan_charge& each : plan.charges) charged_.insert({each.worker, each.number});
}

void request_ledger::settled(request_id id, const request_book& book) {
  std::set<node_life> still;
  const request_in_flight* request = book.find(id);
  if (!request->combine_lost) still.insert(request->plan.combine);
  for (const expected_segment& each : request->plan.expected) still.insert(each.worker);
  working_[id] = still;
}

void request_ledger::ended(const request_end& end) {
  if (open_.erase(end.id) == 0) faults_.push_back("a request ended twice");
  ++ended_[end.kind];
  std::set<node_life>& working = working_[end.id];
  // Who reported the end has stopped by itself.
  if (end.kind == request_end_kind::done) working.clear();
  for (const node_life& each : end.tell) {
    if (dead_.contains(each)) faults_.push_back("a dead " + each.node.text + " was told to stop");
    working.erase(each);
  }
  if (!working.empty()) faults_.push_back(working.begin()->node.text + " was not told to stop");
  working_.erase(end.id);
  settle(end.charges);
}

void request_ledger::died(const node_life& node) {
  dead_.insert(node);
  for (auto& [id, working] : working_) working.erase(node);
}

void request_ledger::settle(const std::vector<plan_charge>& charges) {
  for (const plan_charge& each : charges)
    if (charged_.erase({each.worker, each.number}) == 0)
      faults_.push_back("a charge was settled twice");
}

std::vector<std::string> request_ledger::faults(const request_book& book,
                                                const request_limits& limits) const {
  std::vector<std::string> found = faults_;
  const request_counts& counts = book.counts();
  std::uint64_t ended = 0;
  for (const auto& [kind, count] : counts.ended) ended += count;
  if (counts.admitted != ended + book.in_flight()) found.push_back("counts do not add up");
  if (counts.admitted != admitted_ || counts.ended != ended_)
    found.push_back("counts are not what was seen");
  if (book.in_flight() != open_.size()) found.push_back("not the requests that are open");
  if (book.in_flight() > limits.requests_max) found.push_back("more requests than requests_max");
  std::set<charge_name> charged;
  for (const auto& [id, gateway] : open_) {
    const request_in_flight* request = book.find(id);
    if (request == nullptr) {
      found.push_back("an open request is not there");
      continue;
    }
    if (request->gateway != gateway) found.push_back("another gateway");
    if (request->generation.number > limits.plans_max) found.push_back("more plans than plans_max");
    for (const plan_charge& each : request->plan.charges)
      charged.insert({each.worker, each.number});
    std::set<node_life> expected;
    if (request->generation > generation{} && !request->combine_lost)
      expected.insert(request->plan.combine);
    for (const expected_segment& each : request->plan.expected) expected.insert(each.worker);
    const auto working = working_.find(id);
    if (expected != (working == working_.end() ? std::set<node_life>{} : working->second))
      found.push_back("others work for a request than its plan says");
    for (const node_life& each : expected)
      if (dead_.contains(each)) found.push_back("a dead " + each.node.text + " is counted on");
    if (request->phase == request_phase::streaming && !request->plan.expected.empty())
      found.push_back("a stream expects segments");
  }
  if (charged != charged_) found.push_back("open charges are not those of the plans");
  return found;
}

}  // namespace weft
