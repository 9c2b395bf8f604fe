#include "messages/prompt/sha256.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

TEST_CASE("the digests are those of FIPS 180-4's examples", "[messages][sha256]") {
  sha256 hash;
  CHECK(to_hex(hash.finish()) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  hash.add("abc");
  CHECK(to_hex(hash.finish()) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("pieces and the whole have one digest, and a hasher starts anew", "[messages][sha256]") {
  sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  const sha256_digest first = hash.finish();
  hash.add("abc");
  CHECK(hash.finish() == first);
}

}  // namespace weft::messages
