#include "gpu/comm/connection_tokens.hpp"

#include <utility>

namespace weft::gpu::comm {

result<transfer_ticket> connection_tokens::issue(std::string node, time_point now) {
  auto token = draw_ticket();
  if (!token) return token;
  const std::lock_guard lock(mutex_);
  if (out_.size() >= tokens_max_)
    std::erase_if(out_, [now](const auto& entry) { return entry.second.deadline <= now; });
  if (out_.size() >= tokens_max_)
    return overloaded("all " + std::to_string(tokens_max_) +
                      " connection tokens are out and unused; wait for some to be spent");
  out_.emplace(*token, issued{std::move(node), now + lifetime_});
  return token;
}

std::optional<std::string> connection_tokens::spend(const transfer_ticket& token, time_point now) {
  const std::lock_guard lock(mutex_);
  auto spent = out_.extract(token);
  if (spent.empty() || spent.mapped().deadline <= now) return std::nullopt;
  return std::move(spent.mapped().node);
}

}  // namespace weft::gpu::comm
