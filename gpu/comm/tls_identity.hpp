// Who this process is to its peers: a certificate, its key, and the authority that vouches for all
// of the cluster. Both sides of every TLS connection show one and check the other's.
#pragma once

#include <memory>
#include <string>

#include "policies/vocabulary/result.hpp"

namespace boost::asio::ssl {
class context;
}

namespace weft::gpu::comm {

struct tls_files {
  std::string certificate;  // PEM, this node's, then what lies between it and the authority.
  std::string key;          // PEM, without a passphrase.
  std::string authority;    // PEM. The cluster's own: whoever it signs is trusted.
};

// Immutable once loaded. Threads: any may share it.
class tls_identity {
 public:
  // Reads and checks everything now, so that a wrong path or key, or a certificate out of its time,
  // stops the start and not the first connection. `rejected` says which file.
  static result<std::shared_ptr<tls_identity>> load(const tls_files& files);
  ~tls_identity();

  // The common name in our own certificate: what peers take us for.
  const std::string& node() const { return node_; }

  boost::asio::ssl::context& context() { return *context_; }

 private:
  tls_identity();
  std::unique_ptr<boost::asio::ssl::context> context_;
  std::string node_;
};

}  // namespace weft::gpu::comm
