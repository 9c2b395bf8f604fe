#include "gpu/checkpoint/framed_hash.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu {
namespace {

std::string hash_of(std::initializer_list<std::string_view> parts) {
  framed_hash hash;
  for (const std::string_view part : parts) hash.add(part);
  return hash.finish();
}

TEST_CASE("a hash is SHA-256 of lengths and parts", "[gpu][framed_hash]") {
  // SHA-256 of nothing, and of 03 00 00 00 00 00 00 00 'a' 'b' 'c'.
  CHECK(hash_of({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash_of({"abc"}) == "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
}

TEST_CASE("a part in pieces behind its length is the part", "[gpu][framed_hash]") {
  framed_hash hash;
  hash.add_number(3);
  for (const char* piece : {"a", "", "bc"})
    hash.add_piece(std::as_bytes(std::span(std::string_view(piece))));
  CHECK(hash.finish() == hash_of({"abc"}));
}

TEST_CASE("where parts end matters", "[gpu][framed_hash]") {
  CHECK(hash_of({"ab", "c"}) != hash_of({"a", "bc"}));
  CHECK(hash_of({"abc", ""}) != hash_of({"abc"}));
}

}  // namespace
}  // namespace weft::gpu
