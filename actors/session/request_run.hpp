// One live request: its context sequence from the first token of the prompt to the last new one,
// and what it tells of itself at the end.
//
// Threads: the session's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "actors/session/entry_work.hpp"
#include "actors/session/request_plan.hpp"
#include "actors/session/sequence_script.hpp"

namespace weft::actors {

using session_clock = std::chrono::steady_clock;

// A step's costs, for the parts to take their share of.
struct step_bill {
  gpu::step_times times;
  std::int64_t rows = 0;
  std::int64_t splices = 0;
};

class request_run {
 public:
  // `shared`: the session's index. `end_tokens` must outlive this. `arrived`: when `start` was
  // called.
  request_run(std::uint64_t id, request_plan plan, entry_index& shared, const token_ids& end_tokens,
              session_clock::time_point arrived);

  std::uint64_t id() const { return id_; }

  // Takes all that the request needs, or nothing (`overloaded`: does not fit now).
  status admit(unit_desk& desk);

  // To be called before each step: takes over what others gave up.
  void keep_going(unit_desk& desk);

  // False: a preparation, which has no context.
  bool answers() const { return plan_->answers; }
  // Finishes a preparation whose entries are all there. To be called after each step, and before.
  void settle_preparation();

  bool decoding() const { return last_token_.has_value(); }
  sequence_script& context_script() { return script_; }
  gpu::sequence& context() { return *context_; }
  entry_work& entries() { return work_; }

  // The decode row of the next token. Requires: decoding().
  gpu::sequence_work decode_row() const;

  // What came of this request's part of a step. After `isolated_done` failed the request, its other
  // parts of the step mean nothing any more and must not be reported.
  void isolated_done(unit_desk& desk, isolated_prefill& prefill, const sequence_script::cut& cut,
                     const gpu::sequence_outcome& outcome, const step_bill& bill);
  // The new token, if there is one to tell.
  std::optional<token_id> context_done(unit_desk& desk, const sequence_script::cut& cut,
                                       gpu::sequence_outcome outcome, const step_bill& bill);
  std::optional<token_id> decode_done(unit_desk& desk, const gpu::sequence_outcome& outcome);
  // Once a step, after the above: the time that the request spent in it.
  void count_step(const step_bill& bill, std::int64_t splices);

  bool finished() const { return error_.has_value() || complete_; }
  void fail(unit_desk& desk, failure error, const slot_ptr& culprit = nullptr);
  // Fails since the entry of `bad`, one of its own, is bad again; the failure names it.
  void fail_by_entry(unit_desk& desk, const slot_ptr& bad);

  // Lets go of everything, to be admitted once more and do all of it again: the entry of `bad` was
  // found bad. Tokens that were told are not told again; the same ones come, since what is cached
  // changes no answer.
  void begin_again(unit_desk& desk, const messages::entry_key& bad);
  // Between begin_again and admit. Results of its parts of the step mean nothing any more.
  bool sent_back() const { return sent_back_; }

  // The answer or the failure; everything held goes back. Requires: finished().
  result<answer> finish(unit_desk& desk);

  // Lets go of everything, unfinished or not.
  void release(unit_desk& desk, const slot_ptr& culprit = nullptr);

 private:
  void write_script();
  std::optional<token_id> take_token(unit_desk& desk, const gpu::sequence_outcome& outcome);
  void share_bill(const sequence_script::cut& cut, const step_bill& bill);
  std::vector<receipt> receipts() const;
  double since_arrival_ms() const;

  std::uint64_t id_;
  std::unique_ptr<const request_plan> plan_;  // Scripts point into it.
  const token_ids& end_tokens_;
  entry_index private_index_{false};
  entry_work work_;
  std::unique_ptr<gpu::sequence> context_;
  sequence_script script_;
  std::set<std::int64_t> blind_rows_;  // Positions whose target was a stand-in.

  std::optional<token_id> last_token_;  // Drawn and not yet run.
  token_ids told_;                      // Before it began again.
  bool sent_back_ = false;
  std::vector<double> segment_ms_;
  answer answer_;
  bool prompt_done_ = false;
  bool complete_ = false;
  std::optional<failure> error_;
  session_clock::time_point arrived_;
};

}  // namespace weft::actors
