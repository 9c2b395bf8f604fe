#include "actors/session/quarantine.hpp"

#include <algorithm>

namespace weft::actors {

std::int64_t quarantine::condemn(const messages::entry_key& key, quarantine_reason why) {
  ++counts_[static_cast<std::size_t>(why)];
  const auto known = std::find_if(list_.begin(), list_.end(),
                                  [&key](const record& each) { return each.key == key; });
  if (known != list_.end()) return ++known->times;
  if (list_.size() == keys_max) list_.pop_front();
  list_.push_back({.key = key, .times = 1});
  return 1;
}

void quarantine::acquit(const messages::entry_key& key) {
  std::erase_if(list_, [&key](const record& each) { return each.key == key; });
}

}  // namespace weft::actors
