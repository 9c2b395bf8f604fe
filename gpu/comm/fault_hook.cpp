#include "gpu/comm/fault_hook.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace weft::gpu::comm {
namespace {

constexpr std::size_t orders_max = 64;
constexpr std::uint64_t delay_ms_max = 600'000;

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

fault_act act_of(std::string_view text) {
  if (text == "delay") return fault_act::delay;
  if (text == "drop") return fault_act::drop;
  if (text == "fail") return fault_act::fail;
  if (text == "flip") return fault_act::flip;
  return fault_act::none;
}

std::optional<fault_order> parse(std::string_view text) {
  const auto parts = parts_of(text);
  if (parts.size() < 3) return std::nullopt;
  fault_order order;
  order.act = act_of(parts[0]);
  order.layer = parts[1] == "layer";
  const auto number = number_of(parts[2]);
  const bool delays = order.act == fault_act::delay;
  if (order.act == fault_act::none || (!order.layer && parts[1] != "frame")) return std::nullopt;
  if (!number || *number == 0 || parts.size() != (delays ? 4u : 3u)) return std::nullopt;
  order.number = *number;
  if (delays) {
    const auto delay_ms = number_of(parts[3]);
    if (!delay_ms || *delay_ms > delay_ms_max) return std::nullopt;
    order.delay = std::chrono::milliseconds(*delay_ms);
  }
  return order;
}

}  // namespace

status fault_hook::arm(std::string_view text) {
  const auto order = parse(text);
  if (!order)
    return rejected(
        "a fault reads delay|drop|fail|flip:frame|layer:NUMBER, with :MILLISECONDS for "
        "delay; not \"" +
        std::string(text) + "\"");
  const std::lock_guard lock(mutex_);
  if (armed_.size() >= orders_max)
    return rejected("there are " + std::to_string(orders_max) + " faults on order already");
  armed_.push_back(*order);
  return {};
}

fault_order fault_hook::next(bool first_of_layer) {
  const std::lock_guard lock(mutex_);
  ++frames_;
  if (first_of_layer) ++layers_;
  const auto due = std::find_if(armed_.begin(), armed_.end(), [&](const fault_order& order) {
    return order.layer ? first_of_layer && order.number == layers_ : order.number == frames_;
  });
  if (due == armed_.end()) return {};
  const fault_order order = *due;
  armed_.erase(due);
  return order;
}

}  // namespace weft::gpu::comm
