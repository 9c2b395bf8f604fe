// A test twin of the engine: real pools, a page and slot memory of hashes instead of numbers, and
// books on every plan it gets.
//
// State slots and pages hold hashes of what was computed into them, so an entry that is freed under
// a request, a run on another grid or a seam counted twice changes the tokens that come out.
// Breaches of the door's preconditions are collected in `violations`, which tests expect to stay
// empty.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gpu/door/engine.hpp"

namespace weft::actors {

struct fake_options {
  std::int32_t pages = 200;
  std::int32_t state_slots = 60;
  std::int32_t transition_slots = 40;
  std::int64_t positions_max = 4096;
};

// Trouble by chance: so many of a thousand.
struct fake_trouble {
  unsigned failing_sequences = 0;  // Of those in a step: each fails before one of its works.
  unsigned spoilt_entries = 0;     // Of those completed: whoever uses one fails.
  unsigned refusals = 0;           // Of calls for units: `overloaded`, whatever the pools have.
};

// How often trouble came by chance.
struct trouble_tally {
  std::int64_t failing_sequences = 0;
  std::int64_t spoilt_entries = 0;
  std::int64_t refusals = 0;
};

class fake_engine final : public gpu::engine {
 public:
  explicit fake_engine(const fake_options& options = {});

  const gpu::model_shape& shape() const override { return shape_; }
  const gpu::engine_traits& traits() const override { return traits_; }
  gpu::engine_counts counts() const override;
  result<gpu::sequence> make_sequence() override;
  status reserve(gpu::sequence& target, const std::vector<std::int64_t>& runs) override;
  result<std::shared_ptr<gpu::entry>> make_entry(gpu::entry_kind kind,
                                                 std::int64_t tokens) override;
  void submit(gpu::step_plan plan, std::function<void(result<gpu::step_outcome>)> done) override;
  std::unique_ptr<gpu::open_step> open(gpu::step_plan plan) override;
  void submit(gpu::open_step& step, std::int64_t end_layer,
              std::function<void(result<std::optional<gpu::step_outcome>>)> done) override;
  std::int64_t layer_bytes_max(const gpu::entry& of, std::int64_t layer) const override;
  std::int64_t read_layer(const gpu::entry& of, std::int64_t layer,
                          std::span<std::byte> out) const override;
  status write_layer(gpu::entry& to, std::int64_t layer,
                     std::span<const std::byte> record) override;
  status check_weights() override;

  // A sequence that runs this token fails, and nobody knows why.
  static constexpr token_id poison = 96;
  bool poisonous = true;  // False: it is a token like others.
  static constexpr token_id end_token = 0;
  static constexpr std::int64_t vocabulary = 97;

  // The entry's memory holds NaN from now on; who would splice or restore it is held back.
  void spoil(const gpu::entry& what) { spoilt_.insert(what.state_slot.id()); }
  // Of entries with so many stored tokens, how many more come out with NaN.
  std::map<std::int64_t, int> bad_makes;
  std::optional<failure> weights_fault;  // What check_weights finds.
  std::int64_t weight_checks = 0;
  std::uint64_t draw_salt = 0;  // Another one draws other tokens, as no engine may.
  // From now on trouble comes as `seed` draws it.
  void begin_trouble(const fake_trouble& share, std::uint64_t seed) {
    trouble_ = share;
    chance_.seed(static_cast<std::mt19937::result_type>(seed));
  }

  // For tests that plant faults: the pools, and the entries that somebody still holds.
  gpu::unit_pool& pages() { return pages_; }
  gpu::unit_pool& state_slots() { return state_slots_; }
  gpu::unit_pool& transition_slots() { return transition_slots_; }
  std::vector<std::shared_ptr<gpu::entry>> entries_alive();

  // Every entry that was spliced or restored, in order.
  std::vector<std::weak_ptr<const gpu::entry>> last_used;
  std::function<double(const gpu::step_plan&)> step_ms;  // What steps take; null: 1 ms a row.
  std::optional<std::int64_t> steps_until_break;         // The step after so many fails as a whole.

  std::vector<std::string> violations;
  std::int64_t steps = 0;
  std::int64_t pieces = 0;  // Of open steps.
  std::int64_t rows = 0;
  std::int64_t rows_max = 0;  // Of one step.
  std::int64_t isolated_rows = 0;
  std::int64_t splices = 0;
  std::int64_t splices_same_step = 0;  // Of entries that were completed in the step.
  std::int64_t entries_made = 0;       // Filled or not.
  trouble_tally trouble_met;

 private:
  gpu::sequence_outcome run_sequence(gpu::sequence_step& step, bool isolated);
  std::optional<failure> run(gpu::sequence& on, const gpu::run_tokens& what, bool isolated,
                             gpu::sequence_outcome& outcome);
  std::optional<failure> splice(gpu::sequence& on, const gpu::splice_entry& what);
  std::optional<failure> restore(gpu::sequence& on, const gpu::restore_checkpoint& what);
  void begin(gpu::sequence& on, const gpu::begin_entry& what);
  // The entry that came out with NaN, or null.
  const gpu::entry* end(gpu::sequence& on, bool isolated);
  std::vector<const gpu::entry*> bad_of(const gpu::sequence_step& step) const;
  void open_run_span(gpu::sequence& on, std::int64_t tokens);
  void append_key(gpu::sequence& on, std::uint64_t key);
  void add_entry_span(gpu::sequence& on, const gpu::entry& what, std::int64_t turn);
  std::uint64_t visible_keys(const gpu::sequence& on) const;
  std::uint64_t& state(const gpu::sequence& on);
  bool strikes(unsigned of_a_thousand, std::int64_t& count);
  void expect(bool condition, const char* sentence);

  std::int64_t layers() const { return static_cast<std::int64_t>(shape_.layers.size()); }

  fake_trouble trouble_;
  std::map<const gpu::entry*, std::int64_t> written_;  // Layers that arrived.
  std::mt19937 chance_;
  std::vector<std::weak_ptr<gpu::entry>> made_;
  gpu::model_shape shape_;
  gpu::engine_traits traits_;
  gpu::unit_pool pages_;
  gpu::unit_pool state_slots_;
  gpu::unit_pool transition_slots_;
  std::vector<std::vector<std::uint64_t>> page_memory_;
  std::vector<std::uint64_t> state_memory_;
  std::vector<std::uint64_t> transition_memory_;
  std::map<const gpu::sequence*, std::uint64_t> begun_;  // State at begin_entry.
  std::set<std::int32_t> spoilt_;                        // State slots.
  std::set<const gpu::entry*> completed_here_;           // By isolated sequences of this step.
  std::set<const gpu::entry*> void_here_;                // Of sequences that failed in this step.
};

}  // namespace weft::actors
