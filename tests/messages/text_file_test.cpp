#include "messages/prompt/text_file.hpp"

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

TEST_CASE("a file comes back byte for byte, up to its bound", "[messages][text_file]") {
  const std::string folder = test::fresh_folder("text-file");
  const std::string bytes(100'000, '\n');
  test::write_file(folder + "/long", bytes);
  const auto read = read_text_file(folder + "/long", bytes.size());
  REQUIRE(read.ok());
  CHECK(*read == bytes);
  const auto refused = read_text_file(folder + "/long", bytes.size() - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::rejected);
  CHECK(refused.error().message.find("99999 bytes") != std::string::npos);
}

TEST_CASE("a missing file and a folder are unavailable, by path", "[messages][text_file]") {
  const std::string folder = test::fresh_folder("text-file-missing");
  for (const std::string& path : {folder + "/none", folder}) {
    const auto read = read_text_file(path, 10);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == failure_kind::unavailable);
    CHECK(read.error().message.find(path) != std::string::npos);
  }
}

}  // namespace weft::messages
