// The session over one engine: who waits, who runs, and the loop that packs their work into steps.
//
// Threads: one, the session's.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "actors/session/entry_index.hpp"
#include "actors/session/entry_names.hpp"
#include "actors/session/request_run.hpp"
#include "actors/session/session.hpp"
#include "actors/session/unit_desk.hpp"
#include "policies/cost/cost_model.hpp"

namespace weft::actors {

class live_session final : public session {
 public:
  // Requires: options checked (see session::make).
  live_session(std::unique_ptr<gpu::engine> engine, session_options options);
  ~live_session() override = default;

  const gpu::engine& engine() const override { return *engine_; }
  cache_counts cached() const override;
  void drop_cache() override { index_.drop_unpinned(); }
  entry_exchange& exchange() override { return exchange_; }
  std::uint64_t next_id() override { return ++last_id_; }
  result<std::uint64_t> start(request wanted, std::function<void(token_id)> on_token) override;
  result<std::uint64_t> prepare(preparation wanted, layer_listener on_layer) override;
  bool step() override;
  std::optional<result<answer>> take(std::uint64_t id) override;
  void cancel(std::uint64_t id) override;

 private:
  // A lane of the step that is being planned, and what came off it.
  struct part {
    request_run* run = nullptr;
    isolated_prefill* isolated = nullptr;  // Null: the context.
    bool decode = false;
    sequence_script::cut cut = {};
  };
  struct packed_step {
    gpu::step_plan plan;
    std::vector<part> isolated;  // In the plan's order.
    std::vector<part> context;
    std::int64_t rows = 0;
  };

  void keep_promises();
  void admit_waiting();
  void keep_going();
  packed_step pack();
  result<gpu::step_outcome> run(packed_step& packed);
  void tell_layers(const packed_step& packed, std::int64_t layers);
  void settle_preparations();
  result<std::uint64_t> take_on(request_plan plan, session_clock::time_point arrived);
  status check_room() const;
  plan_limits limits() const;
  std::vector<part> offer_lanes(std::vector<lane>& lanes);
  void apply(packed_step& packed, gpu::step_outcome& outcome);
  void send_back();
  bool awaits_arrivals() const;
  void unblock();
  bool collect_finished();  // False: there was none.
  void tell_tokens();
  void break_down(const failure& why);
  void finish(std::uint64_t id, result<answer> outcome);

  session_options options_;
  std::unique_ptr<gpu::engine> engine_;  // Declared before all that holds its leases.
  entry_names names_;
  entry_index index_;
  unit_desk desk_;
  entry_exchange exchange_;
  std::deque<std::unique_ptr<request_run>> waiting_;  // In order of arrival.
  std::list<std::unique_ptr<request_run>> running_;   // In order of admission.
  std::map<std::uint64_t, result<answer>> finished_;  // Not yet taken.
  std::map<std::uint64_t, std::function<void(token_id)>> listeners_;
  layer_news layer_news_;
  std::vector<std::pair<std::uint64_t, token_id>> news_;  // New tokens of this step.
  gpu::step_outcome spent_;                               // Of the last step, for its memory.
  std::optional<failure> broken_;
  bool weights_in_doubt_ = false;  // A request of this step failed for want of numbers.
  std::uint64_t last_id_ = 0;
  cost_model costs_;
  std::int64_t hits_ = 0;
  std::int64_t misses_ = 0;
};

}  // namespace weft::actors
