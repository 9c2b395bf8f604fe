// What can be pulled: an entry's layers, which become ready one after another while it is made.
//
// Implemented by whoever holds the entry. Threads: every member may be called from the server's I/O
// thread at any time while the offer stands or a pull of it runs, also while layers are being
// added; none may block. The owner calls `offer_board::advanced` after each change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace weft::gpu::comm {

struct layer_progress {
  std::uint32_t ready = 0;            // Layers [0, ready) can be read. It never falls.
  std::optional<std::string> failed;  // Why no more will come; a sentence.
};

class layer_source {
 public:
  virtual ~layer_source() = default;

  virtual std::uint32_t layers() const = 0;  // How many there will be.
  virtual layer_progress progress() const = 0;

  // Requires: layer < progress().ready.
  virtual std::uint64_t layer_bytes(std::uint32_t layer) const = 0;

  // Copies the layer's bytes [offset, offset + into.size()) on the caller's thread.
  // Requires: layer < progress().ready; offset + into.size() <= layer_bytes(layer).
  virtual void copy(std::uint32_t layer, std::uint64_t offset, std::span<std::byte> into) const = 0;
};

}  // namespace weft::gpu::comm
