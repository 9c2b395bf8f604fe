// The router's requests in flight: how far each is, who takes part, and what to do when one of
// those is lost, when the client goes, and when time is up.
//
// A value. Each plan of a request has a generation, one more than the one before; reports of an
// older one are counted and change nothing. What a loss asks for hangs on the phase:
//
//   lost                  before the first token         after it
//   the source of         these segments anew            (while streaming none is expected; when a
//   expected segments                                    stream has moved, these segments anew)
//   the combine worker    the request anew               the stream moves, with the tokens told
//   the gateway           abandoned                      abandoned
//
// "Anew" is an order to the caller, who makes a plan and hands it to `plan`. A request that has had
// plans_max of them fails instead, by name.
//
// Counts are exact: admitted = done + failed + cancelled + expired + abandoned + in flight.
// Memory: requests_max requests, each with at most tokens_max tokens told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/requests/request_phase.hpp"
#include "policies/requests/serving_plan.hpp"
#include "policies/requests/told_tokens.hpp"
#include "policies/vocabulary/generation.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/request_id.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft {

struct request_limits {
  std::size_t requests_max = 4'096;
  // The first and three more. Who loses four workers in one request has other trouble.
  std::uint32_t plans_max = 4;
};

struct new_request {
  request_id id = {};
  node_life gateway = {};
  std::optional<instant> deadline = std::nullopt;
  std::size_t tokens_max = 0;  // That its answer may have.
};

struct request_in_flight {
  node_life gateway = {};
  std::optional<instant> deadline = std::nullopt;
  request_phase phase = request_phase::waiting;
  weft::generation generation = {};
  serving_plan plan = {};     // The last one, less what was lost of it or is no longer expected.
  bool combine_lost = false;  // plan.combine is not there any more.
  bool streamed = false;      // A token was told, by this plan or one before.
  told_tokens told{0};
};

// What the caller is to do after a request ended. `cancel` goes to all of `tell`, with this
// generation; the gateway hears of what it did not ask for.
struct request_end {
  request_id id = {};
  weft::generation generation = {};
  request_end_kind kind = request_end_kind::done;
  node_life gateway = {};
  std::vector<node_life> tell = {};  // Who still works for it, by name.
  std::vector<plan_charge> charges = {};
  std::optional<failure> why = std::nullopt;  // Of failed and expired.
};

enum class recovery_kind : std::uint8_t {
  segments,  // plan `segments` anew; the combine worker stays
  whole,     // plan all of it anew
  stream,    // the same, with the tokens told
};

struct request_recovery {
  request_id id = {};
  recovery_kind kind = recovery_kind::whole;
  std::vector<std::size_t> segments = {};

  friend bool operator==(const request_recovery&, const request_recovery&) = default;
};

struct request_losses {
  std::vector<request_recovery> recover = {};
  std::vector<request_end> ended = {};
};

// What a new plan leaves of the one before.
struct plan_change {
  weft::generation generation = {};  // Of the new plan.
  weft::generation former = {};      // With which `dropped` are told to stop.
  std::vector<node_life> dropped =
      {};  // Who worked for the former plan and has no part in this one.
  std::vector<plan_charge> charges = {};  // Of the former plan, and not of this one.
};

enum class report_verdict : std::uint8_t {
  taken,
  late,     // of an older generation, or of a plan that was lost
  unknown,  // no such request (any more), or no such plan of it
};

struct request_counts {
  std::uint64_t admitted = 0;
  std::map<request_end_kind, std::uint64_t> ended;
  std::uint64_t late = 0;
  std::uint64_t unknown = 0;
};

class request_book {
 public:
  explicit request_book(request_limits limits = {}) : limits_(limits) {}

  // `overloaded`: requests_max are in flight. `rejected`: this one is already.
  status admit(const new_request& request);

  // Begins a plan. Nullopt: the request is not in flight. Requires: it has had fewer than plans_max
  // (a recovery is ordered only then). Charges that the new plan names too go on.
  std::optional<plan_change> plan(request_id id, serving_plan plan);

  // The request came this far; a phase that is behind changes nothing.
  report_verdict advance(request_id id, weft::generation generation, request_phase phase);

  // A segment is at the combine worker (arrived, or made there after all): no other is needed for
  // it.
  report_verdict settle_segment(request_id id, weft::generation generation, std::size_t segment);

  // Tokens were told to the client, so it streams. `told`, if not null, gets what they were to the
  // client; other verdicts than `taken` leave the request as it is.
  report_verdict tell(request_id id, weft::generation generation, std::uint64_t first_index,
                      std::span<const token_id> tokens, told_outcome* told = nullptr);

  // Ends by report, of a lost plan too: its last words may have been these. Nullopt: late or
  // unknown, and counted so.
  std::optional<request_end> finish(request_id id, weft::generation generation);
  std::optional<request_end> fail(request_id id, weft::generation generation, failure why);

  // Its participants cannot go on, though they live (no room, a damaged entry): as if the combine
  // worker had been lost.
  request_losses give_up_plan(request_id id, weft::generation generation, const std::string& why);

  // Whatever its generation. Nullopt: not in flight (any more).
  std::optional<request_end> cancel(request_id id);

  // A life of a node ended. By request.
  request_losses lose(const node_life& node);

  // Ends all whose deadline is now or before.
  std::vector<request_end> expire(instant now);
  std::optional<instant> next_deadline() const;

  // Null: not in flight. Lives until the next change.
  const request_in_flight* find(request_id id) const;

  std::size_t in_flight() const { return requests_.size(); }
  const request_counts& counts() const { return counts_; }

 private:
  using request_map = std::map<request_id, request_in_flight>;

  // Of the current plan or not; counts what is not.
  report_verdict judge(request_map::iterator which, weft::generation generation);
  request_end end(request_map::iterator which, request_end_kind kind,
                  std::optional<failure> why = std::nullopt);
  void recover(request_map::iterator which, std::vector<std::size_t> segments,
               const std::string& why, request_losses& losses);

  request_limits limits_;
  request_counts counts_;
  request_map requests_;
};

}  // namespace weft
