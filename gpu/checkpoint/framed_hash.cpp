#include "gpu/checkpoint/framed_hash.hpp"

#include <array>

#include <openssl/evp.h>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

template <class Release>
EVP_MD_CTX* context_of(const std::unique_ptr<void, Release>& context) {
  return static_cast<EVP_MD_CTX*>(context.get());
}

}  // namespace

void framed_hash::release::operator()(void* context) const {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

// The library's calls fail only when they are misused or out of memory.
framed_hash::framed_hash() : context_(EVP_MD_CTX_new()) {
  WEFT_ASSERT(context_ != nullptr);
  WEFT_ASSERT(EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr) == 1);
}

void framed_hash::add(std::span<const std::byte> part) {
  add_number(part.size());
  add_piece(part);
}

void framed_hash::add_piece(std::span<const std::byte> piece) {
  WEFT_ASSERT(EVP_DigestUpdate(context_of(context_), piece.data(), piece.size()) == 1);
}

void framed_hash::add(std::string_view part) { add(std::as_bytes(std::span(part))); }

void framed_hash::add_number(std::uint64_t number) {
  std::array<unsigned char, 8> bytes = {};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>((number >> (8 * i)) & 0xffu);
  }
  WEFT_ASSERT(EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size()) == 1);
}

std::string framed_hash::finish() {
  std::array<unsigned char, 32> digest = {};
  WEFT_ASSERT(EVP_DigestFinal_ex(context_of(context_), digest.data(), nullptr) == 1);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 0xfu]);
  }
  return text;
}

}  // namespace weft::gpu
