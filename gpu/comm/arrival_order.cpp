#include "gpu/comm/arrival_order.hpp"

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::comm {

arrival_verdict arrival_order::judge(const frame_header& header) const {
  if (header.transfer.same_segment(transfer_) && header.transfer.generation < transfer_.generation)
    return arrival_verdict::late;
  if (header.transfer != transfer_) return arrival_verdict::wrong;
  bool fits = false;
  switch (header.kind) {
    case frame_kind::data:
    case frame_kind::ring_data: fits = is_next_part(header); break;
    case frame_kind::end: fits = header.layer == layer_ && offset_ == 0; break;
    case frame_kind::refusal: fits = true; break;
    default: break;
  }
  return fits ? arrival_verdict::next : arrival_verdict::wrong;
}

bool arrival_order::is_next_part(const frame_header& header) const {
  if (header.layer != layer_ || header.offset != offset_) return false;
  if (offset_ > 0 && header.layer_bytes != layer_bytes_) return false;
  // An empty part is right only as the whole of an empty layer; others would never end.
  return header.payload_bytes > 0 || header.layer_bytes == 0;
}

void arrival_order::pass(const frame_header& header) {
  WEFT_ASSERT(judge(header) == arrival_verdict::next);
  layer_bytes_ = header.layer_bytes;
  offset_ += header.payload_bytes;
  if (offset_ < layer_bytes_) return;
  ++layer_;
  offset_ = 0;
}

}  // namespace weft::gpu::comm
