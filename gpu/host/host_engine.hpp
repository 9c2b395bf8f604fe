// The engine on this machine's processor: the door's promises kept with pools in memory and a
// thread of its own that runs one step at a time.
#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "gpu/door/engine.hpp"
#include "gpu/host/entry_layers.hpp"
#include "gpu/host/host_model.hpp"
#include "gpu/host/instructions.hpp"
#include "gpu/host/step_runner.hpp"

namespace weft::gpu {

// Copies of an entry's tensors, as state_layout orders them but without convolution rows.
struct entry_tensors {
  std::vector<float> state;  // [linear layers, value heads, key_dim, value_dim]
  std::vector<float>
      transition;  // [linear layers, value heads, key_dim, key_dim]; closed heads are 0
};

// A float of an entry: the first one of a row of one head.
enum class entry_part : std::uint8_t { state, transition, convolution, keys, values };
struct entry_place {
  entry_part part = entry_part::state;
  std::int64_t layer = 0;  // Among the linear layers, or for keys and values the attention layers.
  std::int64_t head = 0;   // A value head or a key-value head; none of the convolution.
  std::int64_t row = 0;    // Of S or T, a convolution row (0 is the oldest), or a stored token.
};

class host_engine final : public engine {
 public:
  static result<std::unique_ptr<host_engine>> make(model_weights weights,
                                                   const engine_options& options);
  ~host_engine() override;

  const model_shape& shape() const override { return model_.shape(); }
  const engine_traits& traits() const override { return traits_; }
  engine_counts counts() const override;
  result<sequence> make_sequence() override;
  status reserve(sequence& target, const std::vector<std::int64_t>& runs) override;
  result<std::shared_ptr<entry>> make_entry(entry_kind kind, std::int64_t tokens) override;
  void submit(step_plan plan, std::function<void(result<step_outcome>)> done) override;
  std::unique_ptr<open_step> open(step_plan plan) override;
  void submit(open_step& step, std::int64_t end_layer,
              std::function<void(result<std::optional<step_outcome>>)> done) override;
  std::int64_t layer_bytes_max(const entry& of, std::int64_t layer) const override {
    return layers_.bytes_max(of, layer);
  }
  std::int64_t read_layer(const entry& of, std::int64_t layer,
                          std::span<std::byte> out) const override {
    return layers_.read(of, layer, out);
  }
  status write_layer(entry& to, std::int64_t layer, std::span<const std::byte> record) override {
    return layers_.write(to, layer, record);
  }
  status check_weights() override { return model_.check_weights(pool_.threads()); }

  // What the slots hold, for judges. Requires: no step in flight; a complete splice entry.
  std::vector<float> copy_state(const sequence& of) const;
  entry_tensors copy_entry(const entry& of) const;

  // The memory of every weight that steps read: for tests, which damage it as failing memory would.
  // Requires, of who writes: no step in flight, and memory of its own where weights are mapped.
  void show_weights(const weight_visitor& visit) const { model_.show(visit); }

  // For tests alone, which damage entries as failing memory would. Requires: no step in flight; a
  // place inside the entry.
  float& float_of(const entry& of, const entry_place& place) const;

 private:
  struct sizes {
    std::int32_t pages = 0;
    std::int32_t states = 0;
    std::int32_t transitions = 0;
  };
  // One piece of a step.
  struct order {
    host_step* step = nullptr;
    std::int64_t end_layer = 0;
    std::function<void(result<step_outcome>)> whole_done = {};
    std::function<void(result<std::optional<step_outcome>>)> piece_done = {};
  };

  host_engine(model_weights weights, const engine_options& options, instruction_set instructions,
              weight_form form, sizes counts, pool_memory memory);
  void work();
  void run_waiting();
  std::vector<float> copy_slot_states(const unit_lease& slot) const;
  void begin_order();
  void end_order();
  std::int64_t layers() const { return static_cast<std::int64_t>(shape().layers.size()); }

  const kernel_table& kernels_;
  host_model model_;
  state_layout layout_;
  engine_traits traits_;
  unit_pool pages_;
  unit_pool states_;
  unit_pool transitions_;
  pool_memory memory_;
  thread_pool pool_;
  entry_layers layers_;
  step_runner runner_;
  host_step whole_;  // Of plans that run in one piece; kept for its memory.

  // The driver sleeps on the count of orders: a step in `waiting_`, or the end. No lock guards
  // `waiting_`, since it is written only while no step is in flight.
  std::atomic<std::uint32_t> orders_{0};
  order waiting_;
  std::atomic<bool> in_flight_{false};
  std::atomic<bool> stopping_{false};
  std::thread driver_;
};

}  // namespace weft::gpu
