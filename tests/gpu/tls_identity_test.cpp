#include "gpu/comm/tls_identity.hpp"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/gpu/certificates.hpp"

namespace weft::gpu::comm {

TEST_CASE("an identity is called what its certificate names", "[gpu][comm][tls_identity]") {
  certificates made;
  const auto identity = tls_identity::load(made.sign("combine-1"));
  REQUIRE(identity.ok());
  CHECK((*identity)->node() == "combine-1");
}

TEST_CASE("files that are missing, foreign or out of time stop the start and are named",
          "[gpu][comm][tls_identity]") {
  certificates made;
  auto files = made.sign("combine-1");
  std::string culprit;
  SECTION("no certificate") { culprit = files.certificate = made.folder() + "/none.pem"; }
  SECTION("no key") { culprit = files.key = made.folder() + "/none.key"; }
  SECTION("no authority") { culprit = files.authority = made.folder() + "/none-ca.pem"; }
  SECTION("another certificate's key") { culprit = files.key = made.sign("other").key; }
  SECTION("no PEM at all") {
    std::ofstream(files.authority) << "hello";
    culprit = files.authority;
  }
  SECTION("run out") {
    files = made.sign("combine-1", -1);
    culprit = files.certificate;
  }
  SECTION("no paths") {
    files = {};
    culprit = "authority";
  }
  const auto identity = tls_identity::load(files);
  REQUIRE_FALSE(identity.ok());
  CHECK(identity.error().kind == failure_kind::rejected);
  CHECK(identity.error().message.find(culprit) != std::string::npos);
}

TEST_CASE("a certificate whose name is empty or could pass for another's names no node",
          "[gpu][comm][tls_identity]") {
  certificates made;
  for (const std::string& name : {std::string("combine 1"), std::string("combine-1\0x", 11)}) {
    const auto identity = tls_identity::load(made.sign(name));
    REQUIRE_FALSE(identity.ok());
    CHECK(identity.error().message.find("common name") != std::string::npos);
  }
}

}  // namespace weft::gpu::comm
