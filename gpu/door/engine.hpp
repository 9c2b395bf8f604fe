// The door of `gpu`: submit a step, hear when it is done.
//
// One engine is one device with one model's weights. It owns the pools and the memory behind them.
// Nothing here blocks on the device except `check_weights` and the destructor, which waits for the
// step in flight.
//
// Threads: all calls from one thread (the owner's); `done` is called on the engine's own thread and
// must only hand the outcome on. At most one step is in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gpu/door/numerics.hpp"
#include "gpu/door/open_step.hpp"
#include "gpu/door/step_outcome.hpp"
#include "gpu/door/step_plan.hpp"
#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

struct engine_options {
  int threads = 0;  // 0: all cores this process may use.
  instruction_set instructions = instruction_set::automatic;
  std::int64_t page_bytes_max = std::int64_t{2} << 30;  // Memory of the key-value pool.
  std::int64_t slot_bytes_max = std::int64_t{2} << 30;  // Memory of the state and transition pools.
  // Weights of at most so many bytes are packed when the engine is made: a second copy, for steps
  // that are faster by a tenth to a half. Larger ones are used where they lie, in the mapped files.
  // Answers are the same, bit for bit.
  std::int64_t packed_bytes_max = std::int64_t{1} << 30;
};

struct engine_traits {
  std::string numerics_id;  // Engine, instruction set, kernel version: equal ids give equal bits.
  std::string device;       // For people: "host, avx2, 2 threads".
  int threads = 1;
  std::int64_t page_bytes = 0;
  std::int64_t state_slot_bytes = 0;
  std::int64_t transition_slot_bytes = 0;
};

struct engine_counts {
  pool_counts pages;
  pool_counts state_slots;
  pool_counts transition_slots;
};

class engine {
 public:
  virtual ~engine() = default;

  virtual const model_shape& shape() const = 0;
  virtual const engine_traits& traits() const = 0;
  virtual engine_counts counts() const = 0;

  // An empty sequence at position 0, or `overloaded`. Overlay pages are taken by `reserve`.
  virtual result<sequence> make_sequence() = 0;

  // Reserves overlay pages for context runs still to come, in order: `runs` holds the most tokens
  // of each run that will start a grid outside an entry under construction. A run that goes on (the
  // next cut of a long prompt, decode rows) uses what is left of its own, so the last run counts
  // the new tokens too. All or nothing: `overloaded` leaves the sequence as it was. Allocates what
  // those runs need, so that steps do not.
  virtual status reserve(sequence& target, const std::vector<std::int64_t>& runs) = 0;

  // An entry with room for `tokens` stored tokens, or `overloaded`. All it will ever need is taken
  // now.
  virtual result<std::shared_ptr<entry>> make_entry(entry_kind kind, std::int64_t tokens) = 0;

  // Runs `plan`; `done` hears the outcome, or a failure of the whole step (then the engine is
  // broken). Requires: no step in flight; pages reserved; plan positions within the model's limit;
  // entries of the plan held by the caller too until then, since pools are for its thread alone and
  // the engine's thread must not be the one that lets the last holder go.
  //
  // From here to the end of the step no lock is taken, and nothing is allocated if an earlier step
  // was as large in all its parts and `plan.reused` holds its outcome, but for what depends on the
  // past of a sequence: a splice, a restored checkpoint and an entry under construction lengthen
  // its lists of spans and entries (runs do not: `reserve` makes their room); a position further
  // than any before makes the table of angles grow, by half at least; and a failure has a sentence.
  virtual void submit(step_plan plan, std::function<void(result<step_outcome>)> done) = 0;

  // A step that `submit` below runs in pieces. Any number may be open; each holds a row of `hidden`
  // floats for every token that runs.
  virtual std::unique_ptr<open_step> open(step_plan plan) = 0;

  // Runs the layers of `step` from where it stands to `end_layer`, as one step in flight; `done`
  // hears nothing but that, and after the last layer the outcome. A failure breaks the engine.
  // Requires: no step in flight; layers_done < end_layer <= layers; of the entries that the step
  // splices every layer below `end_layer` is there.
  virtual void submit(open_step& step, std::int64_t end_layer,
                      std::function<void(result<std::optional<step_outcome>>)> done) = 0;

  // One layer of an entry as bytes, for a copy elsewhere: the most that it takes, and the reading,
  // which returns how many it took. Requires: the layer's numbers are there, and stay.
  // Threads: `read_layer` may be called from any, also while steps run.
  virtual std::int64_t layer_bytes_max(const entry& of, std::int64_t layer) const = 0;
  virtual std::int64_t read_layer(const entry& of, std::int64_t layer,
                                  std::span<std::byte> out) const = 0;

  // Fills a layer of `to`, made by `make_entry` and given its form, from what `read_layer` wrote on
  // an engine of the same numerics id and model. `rejected`: no such record, or no numbers.
  // Requires: no step in flight reads this layer of `to`.
  virtual status write_layer(entry& to, std::int64_t layer, std::span<const std::byte> record) = 0;

  // Whether the weights that steps compute with are numbers, in the very memory that steps read:
  // packed, copied, or where they are mapped. `broken`, naming the first tensor that is not, and
  // then nothing this engine says may be used. Blocks for about as long as a decode step, since it
  // reads them all; for whoever got answers that are no numbers. Requires: no step in flight.
  virtual status check_weights() = 0;
};

// Submits and waits: for callers that have nothing else to do.
result<step_outcome> run_step(engine& on, step_plan plan);

// As run_step, for the layers of an open step up to `end_layer`.
result<std::optional<step_outcome>> run_layers(engine& on, open_step& step, std::int64_t end_layer);

// The engine for this machine's processor. `weights` are kept (their mapping, not a copy of them,
// wherever the packed form allows).
result<std::unique_ptr<engine>> make_host_engine(model_weights weights,
                                                 const engine_options& options);

}  // namespace weft::gpu
