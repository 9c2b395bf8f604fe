// SHA-256 over bytes that come in pieces, by OpenSSL.
//
// Move-only; one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::messages {

using sha256_digest = std::array<std::byte, 32>;

class sha256 {
 public:
  sha256();

  void add(std::span<const std::byte> bytes);
  void add(std::string_view bytes);

  // The digest of all that was added; the hasher starts anew.
  sha256_digest finish();

 private:
  struct release {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, release> context_;  // The library's; its type stays out of this header.
};

// Lower-case hexadecimal, two digits a byte.
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace weft::messages
