// Who hears how far the entries of a preparation have come, layer by layer.
//
// Threads: the session's; listeners are called there, and may call nothing of the session but
// `engine`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "actors/session/entry_slot.hpp"

namespace weft::actors {

// Layers [0, layers) of the entry under `key` are final and may be read, now and for as long as
// `entry` is held. With all layers of the model it is in the cache.
struct made_layers {
  messages::entry_key key;
  std::shared_ptr<const gpu::entry> entry;
  std::int64_t layers = 0;
};

using layer_listener = std::function<void(const made_layers&)>;

class layer_news {
 public:
  void listen(std::uint64_t preparation, layer_listener listener) {
    if (listener) listeners_[preparation].tell = std::move(listener);
  }
  void forget(std::uint64_t preparation) { listeners_.erase(preparation); }
  bool has_listener(std::uint64_t preparation) const { return listeners_.contains(preparation); }

  // Tells it once for every number of layers, and never a smaller one. An entry that is made anew
  // after it came out wrong begins again: then it is another entry.
  void tell(std::uint64_t preparation, const entry_slot& slot, std::int64_t layers) {
    const auto found = listeners_.find(preparation);
    if (found == listeners_.end()) return;
    told_entry& told = found->second.told[slot.wanted.key];
    if (told.entry.lock() == slot.entry && told.layers >= layers) return;
    told = {.entry = slot.entry, .layers = layers};
    found->second.tell({.key = slot.wanted.key, .entry = slot.entry, .layers = layers});
  }

 private:
  struct told_entry {
    std::weak_ptr<const gpu::entry> entry;
    std::int64_t layers = 0;
  };
  struct one_listener {
    layer_listener tell;
    std::unordered_map<messages::entry_key, told_entry> told;
  };

  std::map<std::uint64_t, one_listener> listeners_;
};

}  // namespace weft::actors
