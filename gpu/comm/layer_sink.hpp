// Who hears what a pull brings. Implemented by the receiver of an entry.
//
// Threads: all calls come from the client's I/O thread, which serves every other pull too, so a
// call copies what it is given and returns. Layers come in order, a layer's parts in order; then
// exactly one `ended`, and nothing after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

// Some bytes of a layer. They lie in staging and are gone when the call returns.
struct layer_part {
  std::uint32_t layer = 0;
  std::uint64_t offset = 0;       // Of the first byte, in the layer.
  std::uint64_t layer_bytes = 0;  // All of the layer.
  std::span<const std::byte> bytes;

  bool last() const { return offset + bytes.size() == layer_bytes; }
};

enum class appetite { more, pause };

class layer_sink {
 public:
  virtual ~layer_sink() = default;

  // The bytes are whole and their checksum fits. `pause` takes these and asks for no more until
  // `pull_handle::resume`; the sender stops when its credit is used up.
  virtual appetite take(const layer_part& part) = 0;

  // All layers came, or why not. A layer whose last part did not come is worthless.
  virtual void ended(const status& outcome) = 0;
};

}  // namespace weft::gpu::comm
