// Certificates made on the spot: an authority and what it signs, as PEM files in a folder of their
// own.
#pragma once

#include <memory>
#include <string>

#include "gpu/comm/tls_identity.hpp"

namespace weft::gpu::comm {

class certificates {
 public:
  certificates();
  ~certificates();  // Removes the folder.

  const std::string& folder() const { return folder_; }

  // A certificate for `node`, valid from yesterday for `days` (below 0: it has run out).
  tls_files sign(const std::string& node, int days = 10);

  // The same, loaded.
  std::shared_ptr<tls_identity> identity(const std::string& node);

 private:
  struct authority;
  std::unique_ptr<authority> authority_;
  std::string folder_;
  int made_ = 0;
};

}  // namespace weft::gpu::comm
