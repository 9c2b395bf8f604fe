// Which transfer a frame belongs to. Every frame carries one, so that nothing of an older plan can
// pass for something of the newer one.
#pragma once

#include <compare>
#include <cstdint>

namespace weft::gpu::comm {

struct transfer_id {
  std::uint64_t chooser = 0;     // Who numbered the request: a gateway's incarnation.
  std::uint64_t number = 0;      // The request, unique for one chooser.
  std::uint32_t segment = 0;     // Index of the segment in the request's prompt.
  std::uint32_t generation = 0;  // Raised by the router whenever it plans the request anew.

  bool operator==(const transfer_id&) const = default;

  // The same segment of the same request, whatever the plan.
  bool same_segment(const transfer_id& other) const {
    return chooser == other.chooser && number == other.number && segment == other.segment;
  }
};

}  // namespace weft::gpu::comm
