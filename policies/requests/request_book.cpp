#include "policies/requests/request_book.hpp"

#include <algorithm>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

std::string number_of(const request_id& id) { return std::to_string(id.number); }

// Who works by a plan: sorted, each once.
std::vector<node_life> workers_of(const serving_plan& plan, bool with_combine) {
  std::vector<node_life> workers;
  if (with_combine) workers.push_back(plan.combine);
  for (const expected_segment& each : plan.expected) workers.push_back(each.worker);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

bool has_plan(const request_in_flight& request) { return request.generation > generation{}; }

std::vector<node_life> still_working(const request_in_flight& request) {
  if (!has_plan(request)) return {};
  return workers_of(request.plan, !request.combine_lost);
}

// Removes what comes from `lost`; returns the segments that were to.
std::vector<std::size_t> take_expected(serving_plan& plan, const node_life& lost) {
  std::vector<std::size_t> segments;
  for (const expected_segment& each : plan.expected)
    if (each.worker == lost) segments.push_back(each.segment);
  std::erase_if(plan.expected, [&](const expected_segment& each) { return each.worker == lost; });
  return segments;
}

}  // namespace

status request_book::admit(const new_request& request) {
  if (requests_.contains(request.id))
    return rejected("request " + number_of(request.id) + " is in flight already");
  if (requests_.size() >= limits_.requests_max)
    return overloaded("there are " + std::to_string(limits_.requests_max) +
                      " requests in flight; retry later");
  requests_.emplace(request.id, request_in_flight{.gateway = request.gateway,
                                                  .deadline = request.deadline,

                                                  .told = told_tokens(request.tokens_max)});
  ++counts_.admitted;
  return {};
}

std::optional<plan_change> request_book::plan(request_id id, serving_plan plan) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return std::nullopt;
  request_in_flight& request = found->second;
  WEFT_ASSERT(request.generation.number < limits_.plans_max);
  plan_change change{.generation = request.generation.next(),
                     .former = request.generation,
                     .dropped = {},
                     .charges = {}};
  const std::vector<node_life> now_working = workers_of(plan, true);
  for (const node_life& worker : still_working(request))
    if (!std::binary_search(now_working.begin(), now_working.end(), worker))
      change.dropped.push_back(worker);
  for (const plan_charge& charge : request.plan.charges)
    if (std::find(plan.charges.begin(), plan.charges.end(), charge) == plan.charges.end())
      change.charges.push_back(charge);
  request.plan = std::move(plan);
  request.generation = change.generation;
  request.combine_lost = false;
  request.phase = request_phase::planned;
  return change;
}

report_verdict request_book::advance(request_id id, weft::generation generation,
                                     request_phase phase) {
  const auto found = requests_.find(id);
  const report_verdict verdict = judge(found, generation);
  if (verdict != report_verdict::taken) return verdict;
  request_in_flight& request = found->second;
  if (request.phase == request_phase::waiting) {
    ++counts_.late;
    return report_verdict::late;
  }
  request.phase = std::max(request.phase, phase);
  if (request.phase == request_phase::streaming) {
    request.streamed = true;
    request.plan.expected.clear();
  }
  return verdict;
}

report_verdict request_book::settle_segment(request_id id, weft::generation generation,
                                            std::size_t segment) {
  const auto found = requests_.find(id);
  const report_verdict verdict = judge(found, generation);
  if (verdict == report_verdict::taken)
    std::erase_if(found->second.plan.expected,
                  [&](const expected_segment& each) { return each.segment == segment; });
  return verdict;
}

report_verdict request_book::tell(request_id id, weft::generation generation,
                                  std::uint64_t first_index, std::span<const token_id> tokens,
                                  told_outcome* told) {
  const auto found = requests_.find(id);
  const report_verdict verdict = judge(found, generation);
  if (verdict != report_verdict::taken) return verdict;
  request_in_flight& request = found->second;
  const told_outcome outcome = request.told.append(first_index, tokens);
  if (told != nullptr) *told = outcome;
  if (outcome.verdict != told_verdict::taken) return verdict;
  request.streamed = true;
  // A lost plan's last words: the client has them, but the stream waits for another worker.
  if (request.phase == request_phase::waiting) return verdict;
  request.phase = request_phase::streaming;
  request.plan.expected.clear();
  return verdict;
}

std::optional<request_end> request_book::finish(request_id id, weft::generation generation) {
  const auto found = requests_.find(id);
  if (judge(found, generation) != report_verdict::taken) return std::nullopt;
  found->second.combine_lost = true;  // It is done: nobody has to tell it to stop.
  return end(found, request_end_kind::done);
}

std::optional<request_end> request_book::fail(request_id id, weft::generation generation,
                                              failure why) {
  const auto found = requests_.find(id);
  // Without any plan it fails by the router's own word.
  const bool unplanned =
      found != requests_.end() && !has_plan(found->second) && generation == weft::generation{};
  if (!unplanned && judge(found, generation) != report_verdict::taken) return std::nullopt;
  return end(found, request_end_kind::failed, std::move(why));
}

request_losses request_book::give_up_plan(request_id id, weft::generation generation,
                                          const std::string& why) {
  request_losses losses;
  const auto found = requests_.find(id);
  if (judge(found, generation) != report_verdict::taken) return losses;
  found->second.phase = request_phase::waiting;
  recover(found, {}, why, losses);
  return losses;
}

std::optional<request_end> request_book::cancel(request_id id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return std::nullopt;
  return end(found, request_end_kind::cancelled);
}

request_losses request_book::lose(const node_life& node) {
  request_losses losses;
  const std::string why = "worker " + node.node.text + " was lost";
  for (auto which = requests_.begin(); which != requests_.end();) {
    const auto each = which++;  // Before its place may go.
    request_in_flight& request = each->second;
    const auto segments = take_expected(request.plan, node);
    const bool was_combine =
        has_plan(request) && !request.combine_lost && request.plan.combine == node;
    if (was_combine) {
      request.combine_lost = true;
      request.phase = request_phase::waiting;
    }
    if (request.gateway == node) {
      losses.ended.push_back(end(each, request_end_kind::abandoned));
    } else if (was_combine) {
      recover(each, {}, why, losses);
    } else if (!segments.empty()) {
      recover(each, segments, why, losses);
    }
  }
  return losses;
}

std::vector<request_end> request_book::expire(instant now) {
  std::vector<request_end> ended;
  for (auto which = requests_.begin(); which != requests_.end();) {
    const auto each = which++;
    const request_in_flight& request = each->second;
    if (!request.deadline || *request.deadline > now) continue;
    failure why = overloaded("the deadline of request " + number_of(each->first) +
                             " passed while it was " + std::string(name_of(request.phase)));
    ended.push_back(end(each, request_end_kind::expired, std::move(why)));
  }
  return ended;
}

std::optional<instant> request_book::next_deadline() const {
  std::optional<instant> next;
  for (const auto& [id, request] : requests_)
    if (request.deadline) next = std::min(next.value_or(*request.deadline), *request.deadline);
  return next;
}

const request_in_flight* request_book::find(request_id id) const {
  const auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : &found->second;
}

report_verdict request_book::judge(request_map::iterator which, weft::generation generation) {
  if (which == requests_.end() || generation > which->second.generation ||
      generation == weft::generation{}) {
    ++counts_.unknown;
    return report_verdict::unknown;
  }
  if (generation < which->second.generation) {
    ++counts_.late;
    return report_verdict::late;
  }
  return report_verdict::taken;
}

request_end request_book::end(request_map::iterator which, request_end_kind kind,
                              std::optional<failure> why) {
  const request_in_flight& request = which->second;
  request_end ended{.id = which->first,
                    .generation = request.generation,
                    .kind = kind,
                    .gateway = request.gateway,
                    .tell = still_working(request),
                    .charges = request.plan.charges,
                    .why = std::move(why)};
  ++counts_.ended[kind];
  requests_.erase(which);
  return ended;
}

void request_book::recover(request_map::iterator which, std::vector<std::size_t> segments,
                           const std::string& why, request_losses& losses) {
  const request_in_flight& request = which->second;
  if (request.generation.number >= limits_.plans_max) {
    losses.ended.push_back(
        end(which, request_end_kind::failed,
            unavailable("request " + number_of(which->first) + " has had " +
                        std::to_string(limits_.plans_max) + " plans; of the last one " + why)));
    return;
  }
  request_recovery order{
      .id = which->first, .kind = recovery_kind::segments, .segments = std::move(segments)};
  // Whoever has no combine worker any more needs a whole plan, whatever else was lost.
  if (order.segments.empty() || request.phase == request_phase::waiting) {
    order.segments.clear();
    order.kind = request.streamed ? recovery_kind::stream : recovery_kind::whole;
  }
  losses.recover.push_back(std::move(order));
}

}  // namespace weft
