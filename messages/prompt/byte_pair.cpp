#include "messages/prompt/byte_pair.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::messages {

namespace {

constexpr std::int64_t nowhere = -1;

// A token of the word, linked to its living neighbours.
struct symbol {
  token_id id = 0;
  std::int64_t before = nowhere;
  std::int64_t after = nowhere;
  bool merged_away = false;
};

// A merge that was possible when it was noted; it is looked at again before it is done.
struct candidate {
  std::int32_t rank = 0;
  token_id into = 0;
  std::int64_t at = 0;  // Of the left token.
};

// Heap order: the lowest rank, then the leftmost, on top.
bool later(const candidate& a, const candidate& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
}

class merging {
 public:
  merging(const merge_table& merges, std::vector<symbol> symbols)
      : merges_(merges), symbols_(std::move(symbols)) {
    for (std::int64_t at = 0; at + 1 < static_cast<std::int64_t>(symbols_.size()); ++at) note(at);
  }

  const std::vector<symbol>& run() {
    while (!candidates_.empty()) {
      std::pop_heap(candidates_.begin(), candidates_.end(), later);
      const candidate next = candidates_.back();
      candidates_.pop_back();
      if (still_possible(next)) apply(next);
    }
    return symbols_;
  }

 private:
  symbol& of(std::int64_t at) { return symbols_[static_cast<std::size_t>(at)]; }

  void note(std::int64_t at) {
    const merge found = merges_.find(of(at).id, of(of(at).after).id);
    if (!found.exists()) return;
    candidates_.push_back({found.rank, found.into, at});
    std::push_heap(candidates_.begin(), candidates_.end(), later);
  }

  bool still_possible(const candidate& what) {
    const symbol& left = of(what.at);
    if (left.merged_away || left.after == nowhere) return false;
    const merge now = merges_.find(left.id, of(left.after).id);
    return now.exists() && now.into == what.into;
  }

  void apply(const candidate& what) {
    symbol& left = of(what.at);
    symbol& right = of(left.after);
    left.id = what.into;
    left.after = right.after;
    right.merged_away = true;
    if (left.after != nowhere) {
      of(left.after).before = what.at;
      note(what.at);
    }
    if (left.before != nowhere) note(left.before);
  }

  const merge_table& merges_;
  std::vector<symbol> symbols_;
  std::vector<candidate> candidates_;
};

}  // namespace

status byte_pair::encode(std::string_view word, token_ids& ids) const {
  std::vector<symbol> symbols(word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (initial_[byte] < 0) {
      return rejected("the tokenizer has no token for byte " + std::to_string(byte));
    }
    const auto at = static_cast<std::int64_t>(i);
    symbols[i] = {initial_[byte], at - 1, i + 1 < word.size() ? at + 1 : nowhere, false};
  }
  merging work(merges_, std::move(symbols));
  for (const symbol& one : work.run()) {
    if (!one.merged_away) ids.push_back(one.id);
  }
  return {};
}

}  // namespace weft::messages
