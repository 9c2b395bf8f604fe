// Whether entries hold numbers only, asked before a step reads them and after it made them.
//
// Memory goes bad without telling: an entry that was whole when it was made may hold NaN when it is
// spliced. So a step reads what it is going to splice or restore once through, for NaN and infinity
// alone, before anything is computed with it.
//
// Threads: the engine's driver; the reading is spread over the pool.
#pragma once

#include <vector>

#include "gpu/door/step_outcome.hpp"
#include "gpu/host/step_context.hpp"

namespace weft::gpu {

class entry_check {
 public:
  // All outlive this.
  entry_check(const model_shape& shape, const state_layout& layout, const pool_memory& memory,
              thread_pool& pool)
      : shape_(shape), layout_(layout), memory_(memory), pool_(pool) {}

  // Those of `entries`, in their order, whose memory holds NaN or infinity: S, T of heads that keep
  // one, convolution rows, keys and values of the stored tokens. An entry named twice is read once.
  // Bound: memory.
  // Allocates only what it finds, once it has read as much.
  std::vector<const entry*> bad_of(const std::vector<const entry*>& entries);

  // Before the step is laid out: a sequence that would splice or restore a bad entry, or an entry
  // that such a sequence was to complete in this step, loses its work (so it stays as it was) and
  // gets an error that names what was bad. Gives `outcome` its sequences, in its own memory: what
  // they said before is forgotten.
  void before(step_plan& plan, step_outcome& outcome);

  // After the step: entries that came out bad are void, and whoever made or spliced one gets an
  // error that names it. Where a sequence has gone wrong otherwise, the entries it holds are read
  // again, and those that went bad meanwhile are named.
  void after(step_batch& batch, step_outcome& outcome);

 private:
  // Floats of one entry that one thread reads: `rows` rows of `count`, `stride` apart.
  struct piece {
    std::size_t index = 0;  // Of the entry.
    const float* at = nullptr;
    std::int64_t count = 0;
    std::int64_t rows = 1;
    std::int64_t stride = 0;
  };

  bool is_new(const entry* one);
  void list_read(const step_plan& plan);
  void add_state(std::size_t index, const entry& of);
  void add_pages(std::size_t index, const entry& of);

  const model_shape& shape_;
  const state_layout& layout_;
  const pool_memory& memory_;
  thread_pool& pool_;
  // Of the check at hand; kept for their memory.
  std::vector<const entry*> listed_;  // What is to be read.
  std::vector<const entry*> seen_;    // Sorted.
  std::vector<piece> pieces_;
  std::vector<std::uint8_t> bad_;  // One a piece.
};

}  // namespace weft::gpu
