#include "messages/prompt/sha256.hpp"

#include <openssl/evp.h>

#include "policies/vocabulary/assert.hpp"

namespace weft::messages {

namespace {

EVP_MD_CTX* context_of(void* memory) { return static_cast<EVP_MD_CTX*>(memory); }

// SHA-256 is in every build of the library, so these calls fail only for want of memory or by our
// misuse; neither leaves anything to go on with.
void start(void* context) {
  WEFT_ASSERT(EVP_DigestInit_ex(context_of(context), EVP_sha256(), nullptr) == 1);
}

}  // namespace

void sha256::release::operator()(void* context) const { EVP_MD_CTX_free(context_of(context)); }

sha256::sha256() : context_(EVP_MD_CTX_new()) {
  WEFT_ASSERT(context_ != nullptr);
  start(context_.get());
}

void sha256::add(std::span<const std::byte> bytes) {
  WEFT_ASSERT(EVP_DigestUpdate(context_of(context_.get()), bytes.data(), bytes.size()) == 1);
}

void sha256::add(std::string_view bytes) { add(std::as_bytes(std::span(bytes))); }

sha256_digest sha256::finish() {
  sha256_digest digest{};
  unsigned int length = 0;
  const int done = EVP_DigestFinal_ex(context_of(context_.get()),
                                      reinterpret_cast<unsigned char*>(digest.data()), &length);
  WEFT_ASSERT(done == 1 && length == digest.size());
  start(context_.get());
  return digest;
}

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    hex.push_back(digits[std::to_integer<std::size_t>(byte >> 4)]);
    hex.push_back(digits[std::to_integer<std::size_t>(byte & std::byte{15})]);
  }
  return hex;
}

}  // namespace weft::messages
