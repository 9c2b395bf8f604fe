// Keys whose entries turned out to be no numbers: how often in a row, and how many in all.
//
// An entry that holds NaN or infinity is made once more, for memory goes bad without anybody's
// fault. A key whose entry is bad again has a fault of its own, so a second one in a row is told to
// whoever asked. The list is bounded; the key that is longest in it is forgotten first.
//
// Threads: the session's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "messages/prompt/key.hpp"

namespace weft::actors {

enum class quarantine_reason : std::uint8_t {
  made,       // came out of its making like that
  damaged,    // was whole, and was found damaged before it could be used again
  suspected,  // was in use when a context went wrong and nothing else was found to be the cause
};
inline constexpr std::size_t quarantine_reasons = 3;
using quarantine_counts = std::array<std::int64_t, quarantine_reasons>;

class quarantine {
 public:
  static constexpr std::size_t keys_max = 256;
  static constexpr std::int64_t times_max = 2;  // In a row; then the key itself is given up.

  // Counts one more bad entry of `key`, and returns how many there were in a row.
  std::int64_t condemn(const messages::entry_key& key, quarantine_reason why);

  // Counts an entry that is out of use without proof against its key.
  void suspect() { ++counts_[static_cast<std::size_t>(quarantine_reason::suspected)]; }

  // An answer came of the key's entry: the next bad one is a first one again.
  void acquit(const messages::entry_key& key);

  // Entries so far, by reason.
  const quarantine_counts& counts() const { return counts_; }
  std::size_t keys() const { return list_.size(); }

 private:
  struct record {
    messages::entry_key key;
    std::int64_t times = 0;
  };

  std::deque<record> list_;  // Oldest first.
  quarantine_counts counts_ = {};
};

}  // namespace weft::actors
