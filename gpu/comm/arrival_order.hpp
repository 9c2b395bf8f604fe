// Whether a frame is the one that must come next. It knows no sockets.
#pragma once

#include <cstdint>

#include "gpu/comm/frame.hpp"
#include "gpu/comm/transfer_id.hpp"

namespace weft::gpu::comm {

enum class arrival_verdict {
  next,   // it is
  late,   // of an older plan of the same segment: to be dropped
  wrong,  // a gap, a repetition, another transfer
};

class arrival_order {
 public:
  arrival_order(const transfer_id& transfer, std::uint32_t first_layer)
      : transfer_(transfer), layer_(first_layer) {}

  arrival_verdict judge(const frame_header& header) const;

  // Requires: a frame with bytes that was judged `next`.
  void pass(const frame_header& header);

 private:
  bool is_next_part(const frame_header& header) const;

  transfer_id transfer_;
  std::uint32_t layer_;
  std::uint64_t offset_ = 0;
  std::uint64_t layer_bytes_ = 0;  // Of the layer that is under way.
};

}  // namespace weft::gpu::comm
