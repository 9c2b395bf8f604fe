#include "messages/prompt/vocabulary.hpp"

#include "messages/prompt/byte_level.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

status vocabulary::add(std::string_view content, std::int64_t id) {
  if (id < 0 || id > vocabulary_id_max) {
    return rejected("token " + in_quotes(content) + " has id " + std::to_string(id) +
                    ", outside 0 to " + std::to_string(vocabulary_id_max));
  }
  const auto [known, fresh] = ids_.try_emplace(std::string(content), static_cast<token_id>(id));
  if (!fresh && known->second != id) {
    return rejected("token " + in_quotes(content) + " has two ids, " +
                    std::to_string(known->second) + " and " + std::to_string(id));
  }
  if (!fresh) return {};
  const auto at = static_cast<std::size_t>(id);
  if (at >= places_.size()) places_.resize(at + 1);
  if (places_[at].taken) {
    return rejected("id " + std::to_string(id) + " is given twice, the second time to token " +
                    in_quotes(content));
  }
  // A token with a character outside the byte-level alphabet (an added one, say) stands for itself.
  const std::optional<std::string> bytes = byte_level_bytes(content);
  const std::string_view decoded = bytes ? std::string_view(*bytes) : content;
  places_[at] = {static_cast<std::uint32_t>(bytes_.size()),
                 static_cast<std::uint32_t>(decoded.size()), true};
  bytes_.append(decoded);
  return {};
}

std::optional<token_id> vocabulary::id_of(std::string_view content) const {
  const auto found = ids_.find(content);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> vocabulary::bytes_of(token_id id) const {
  if (id < 0 || id >= size()) return std::nullopt;
  const place& at = places_[static_cast<std::size_t>(id)];
  if (!at.taken) return std::nullopt;
  return std::string_view(bytes_).substr(at.begin, at.length);
}

}  // namespace weft::messages
