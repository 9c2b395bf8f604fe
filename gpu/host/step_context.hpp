// What the parts of a step share while it runs: the batch, working memory, the pools' memory,
// threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/door/sampling.hpp"
#include "gpu/door/step_outcome.hpp"
#include "gpu/host/arena.hpp"
#include "gpu/host/expert_routing.hpp"
#include "gpu/host/float_buffer.hpp"
#include "gpu/host/rope_table.hpp"
#include "gpu/host/state_layout.hpp"
#include "gpu/host/step_batch.hpp"
#include "gpu/host/thread_pool.hpp"
#include "gpu/host/weight_memory.hpp"

namespace weft::gpu {

// Queries of one key-value head that one thread takes through the keys.
struct query_block {
  const batch_sequence* sequence = nullptr;
  std::int64_t row = 0;
  std::int64_t position = 0;
  std::int64_t tokens = 0;
  std::int64_t head = 0;
};

// A row whose logits somebody wants.
struct wanted_row {
  std::int64_t row = 0;
  std::int64_t position = 0;
  const run_tokens* run = nullptr;
  std::int64_t offset = 0;  // In the run.
  sequence_outcome* outcome = nullptr;
};

// Rows of the batch in its several forms. Grows to the largest step seen and stays.
struct workspace {
  float_buffer normed;         // [rows, hidden]: a layer's input after its norm
  float_buffer projected;      // [rows, widest projection]
  float_buffer convolved;      // [rows, conv_channels]
  float_buffer gates;          // [rows, value_heads]: log decay
  float_buffer betas;          // [rows, value_heads]
  float_buffer inner;          // [rows, widest inner]: what the output projection reads
  float_buffer mixed;          // [rows, hidden]: what is added to the stream
  float_buffer router_logits;  // [rows, experts and the shared expert's gate]
  float_buffer visitors;       // [rows * experts per token, hidden]: rows by expert, then results
  expert_routing routing;
  float_buffer histories;             // [runs, conv_kernel - 1, conv_channels]
  std::vector<float_buffer> scratch;  // One a thread.
  std::vector<query_block> query_blocks;
  std::vector<double> jump_ms;  // One a thread: its time in jumps over entries.
  std::vector<wanted_row> wanted;
  std::vector<std::int64_t> read_rows;  // Of one block of those.
  std::vector<float> logits;            // [rows of a block, vocabulary]
  draw_memory draw;
};

// Memory behind the pools.
struct pool_memory {
  arena pages;
  arena states;
  arena transitions;
};

// Adds the time from its making to its end to a sum.
class stopwatch {
 public:
  explicit stopwatch(double& sum_ms) : sum_ms_(sum_ms), from_(std::chrono::steady_clock::now()) {}
  ~stopwatch() {
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - from_;
    sum_ms_ += spent.count();
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  double& sum_ms_;
  std::chrono::steady_clock::time_point from_;
};

struct step_context {
  step_batch& batch;
  workspace& space;
  float_buffer& stream;  // [rows, hidden]: the residual stream
  const pool_memory& memory;
  const state_layout& layout;
  thread_pool& pool;
  const kernel_table& kernels;
  rope_view rope;
  step_times& times;

  row_range all_rows() const { return {.first = 0, .rows = batch.rows()}; }

  // Calls part(first_row, rows) on blocks of the range's rows, spread over the threads.
  template <class Part>
  void each_rows(const row_range& range, const Part& part) {
    constexpr std::int64_t block = 16;
    pool.run((range.rows + block - 1) / block, [&](std::int64_t index, int) {
      const std::int64_t first = index * block;
      part(range.first + first, first + block < range.rows ? block : range.rows - first);
    });
  }
  template <class Part>
  void each_rows(const Part& part) {
    each_rows(all_rows(), part);
  }
};

// A layer's mixer: linear attention of some family, or full attention.
class mixer {
 public:
  virtual ~mixer() = default;
  // Reads space.normed, moves states and keys of all rows on, writes space.mixed of the rows in
  // `wanted` (in order, without overlap).
  virtual void run(step_context& step, std::span<const row_range> wanted) const = 0;
  // Floats a row that `run` needs in space.projected and space.inner.
  virtual std::int64_t projected_floats() const = 0;
  virtual std::int64_t inner_floats() const = 0;
  // Floats of scratch a thread needs.
  virtual std::int64_t scratch_floats() const = 0;
  // The memory of its weights.
  virtual void show(const weight_visitor& visit) const = 0;
};

}  // namespace weft::gpu
