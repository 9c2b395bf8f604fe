// Which transfer a frame belongs to. Every frame carries one, so that nothing of an older plan can
// pass for something of the newer one.
#pragma once

#include <cstdint>

#include "policies/vocabulary/generation.hpp"
#include "policies/vocabulary/request_id.hpp"

namespace weft::gpu::comm {

struct transfer_id {
  request_id request;
  std::uint32_t segment = 0;  // Index of the segment in the request's prompt.
  weft::generation generation;

  bool operator==(const transfer_id&) const = default;

  // The same segment of the same request, whatever the plan.
  bool same_segment(const transfer_id& other) const {
    return request == other.request && segment == other.segment;
  }
};

}  // namespace weft::gpu::comm
