#include "actors/session/entry_names.hpp"

#include <utility>

namespace weft::actors {
namespace {

messages::key_fields fields_of(const naming_facts& facts, const token_ids& ids,
                               const std::string& scope) {
  messages::key_fields fields;
  fields.model_fingerprint = facts.model_fingerprint;
  fields.tokenizer_fingerprint = facts.tokenizer_fingerprint;
  fields.numerics_id = facts.numerics_id;
  fields.dtype = "float32";  // Of all that entries hold.
  fields.scope = scope;
  fields.tokens = ids;
  return fields;
}

}  // namespace

entry_names::entry_names(naming_facts facts) : facts_(std::move(facts)) {
  token_ids ids;
  for (const token_ids& segment : facts_.anchor)
    ids.insert(ids.end(), segment.begin(), segment.end());
  if (ids.empty()) return;
  anchor_ = entry_wanted{.key = checkpoint_key(ids, std::nullopt, ""),
                         .ids = ids,
                         .kind = gpu::entry_kind::checkpoint,
                         .stored_tokens = static_cast<std::int64_t>(ids.size()),
                         .first_position = 0,
                         .pinned = true,
                         .remake = work_of(static_cast<std::int64_t>(ids.size()))};
}

messages::entry_key entry_names::splice_key(const token_ids& ids, const seam& cut, bool anchored,
                                            const std::string& scope) const {
  messages::key_fields fields = fields_of(facts_, ids, scope);
  fields.kind = messages::key_kind::entry;
  fields.head_tokens = static_cast<std::uint64_t>(cut.head_tokens);
  fields.tail_tokens = static_cast<std::uint64_t>(cut.tail_tokens);
  if (anchored && anchor_) fields.anchor = facts_.anchor;
  return messages::make_key(fields);
}

messages::entry_key entry_names::checkpoint_key(const token_ids& ids,
                                                const std::optional<messages::entry_key>& before,
                                                const std::string& scope) const {
  messages::key_fields fields = fields_of(facts_, ids, scope);
  fields.kind = messages::key_kind::checkpoint;
  fields.predecessor = before;
  return messages::make_key(fields);
}

}  // namespace weft::actors
