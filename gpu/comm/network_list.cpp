#include "gpu/comm/network_list.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace weft::gpu::comm {

namespace ip = boost::asio::ip;

struct network_list::inside {
  std::vector<ip::network_v4> narrow;
  std::vector<ip::network_v6> wide;
};

network_list::network_list() : inside_(std::make_unique<inside>()) {}
network_list::~network_list() = default;
network_list::network_list(network_list&&) noexcept = default;
network_list& network_list::operator=(network_list&&) noexcept = default;

result<network_list> network_list::make(const std::vector<std::string>& networks) {
  network_list list;
  for (const auto& text : networks) {
    boost::system::error_code error;
    const auto narrow = ip::make_network_v4(text, error);
    if (!error) {
      list.inside_->narrow.push_back(narrow.canonical());
      continue;
    }
    const auto wide = ip::make_network_v6(text, error);
    if (error) return rejected("\"" + text + "\" is not a network; write one like 10.1.0.0/16");
    list.inside_->wide.push_back(wide.canonical());
  }
  return list;
}

// The whole of a network's prefix, compared bit by bit: asio's `hosts()` leaves out the ends.
template <class Network, class Address>
static bool covers(const Network& network, const Address& address) {
  return Network(address, network.prefix_length()).canonical().address() == network.address();
}

bool network_list::contains(const std::string& address) const {
  boost::system::error_code error;
  const auto parsed = ip::make_address(address, error);
  if (error || parsed.is_unspecified()) return false;
  if (parsed.is_loopback()) return true;
  if (parsed.is_v4())
    return std::any_of(inside_->narrow.begin(), inside_->narrow.end(),
                       [&](const auto& one) { return covers(one, parsed.to_v4()); });
  return std::any_of(inside_->wide.begin(), inside_->wide.end(),
                     [&](const auto& one) { return covers(one, parsed.to_v6()); });
}

}  // namespace weft::gpu::comm
