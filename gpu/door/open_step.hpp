// A step that runs in pieces: some layers now, others when more has arrived or has been handed on.
//
// Two uses. A context whose entries come from elsewhere layer by layer runs each layer when all of
// it is there. Isolated prefills whose entries go elsewhere stop after each layer, so that it can
// be handed on while the next one is computed. Between two pieces the engine is free for other
// steps.
//
// Made by `engine::open`, run by `engine::submit`. From `open` on the plan's sequences and the
// entries it makes belong to the step. Dropped before its last layer ran, it leaves them unusable:
// who drops it drops them too.
#pragma once

#include <cstdint>

namespace weft::gpu {

class open_step {
 public:
  virtual ~open_step() = default;

  // Layers [0, layers_done) have run: what entries under construction hold of them is final.
  virtual std::int64_t layers_done() const = 0;
  virtual std::int64_t layers() const = 0;
};

}  // namespace weft::gpu
