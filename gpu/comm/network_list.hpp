// Networks in which the data channel may go without encryption.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class network_list {
 public:
  // Loopback only.
  network_list();
  ~network_list();
  network_list(network_list&&) noexcept;
  network_list& operator=(network_list&&) noexcept;

  // Loopback and `networks`, each "10.1.0.0/16" or "fd00:1::/64". `rejected` names a wrong one.
  static result<network_list> make(const std::vector<std::string>& networks);

  // `address` is numeric; anything else, and "all addresses" (0.0.0.0, ::), is in no list.
  bool contains(const std::string& address) const;

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace weft::gpu::comm
