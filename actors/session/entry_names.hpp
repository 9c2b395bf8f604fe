// Keys of the entries of one session: its fingerprints, numerics and anchor are filled in once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/session/entry_slot.hpp"
#include "policies/vocabulary/mode.hpp"

namespace weft::actors {

struct naming_facts {
  std::string model_fingerprint;
  std::string tokenizer_fingerprint;
  std::string numerics_id;
  std::vector<token_ids> anchor;  // Its segments in order; empty for none.
};

class entry_names {
 public:
  explicit entry_names(naming_facts facts);

  // Of a segment that is prefilled alone. `anchored`: behind the anchor, if there is one.
  messages::entry_key splice_key(const token_ids& ids, const seam& cut, bool anchored,
                                 const std::string& scope) const;

  // Of a running state after `ids`, behind the checkpoint `before` or at position 0.
  messages::entry_key checkpoint_key(const token_ids& ids,
                                     const std::optional<messages::entry_key>& before,
                                     const std::string& scope) const;

  // The anchor as an entry: a pinned checkpoint at position 0, shared by all scopes.
  const std::optional<entry_wanted>& anchor() const { return anchor_; }

 private:
  naming_facts facts_;
  std::optional<entry_wanted> anchor_;
};

}  // namespace weft::actors
