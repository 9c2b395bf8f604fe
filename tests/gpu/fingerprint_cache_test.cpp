#include "gpu/checkpoint/fingerprint_cache.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

const std::string identity(64, 'a');
const fingerprints some = {.model = std::string(64, 'b'), .tokenizer = std::string(64, 'c')};

TEST_CASE("what was remembered is recalled for the same files only", "[gpu][fingerprint_cache]") {
  const temporary_folder folder;
  const auto cache = folder.path() / "deep" / "cache";
  CHECK_FALSE(recall(cache, "/models/one", identity).has_value());
  remember(cache, "/models/one", identity, some);
  const auto known = recall(cache, "/models/one", identity);
  REQUIRE(known.has_value());
  CHECK(known->model == some.model);
  CHECK(known->tokenizer == some.tokenizer);
  CHECK(known->remembered);
  CHECK_FALSE(recall(cache, "/models/one", std::string(64, 'd')).has_value());
  CHECK_FALSE(recall(cache, "/models/two", identity).has_value());
}

TEST_CASE("a cache file damaged anywhere is ignored", "[gpu][fingerprint_cache]") {
  const temporary_folder folder;
  remember(folder.path(), "/models/one", identity, some);
  const auto file = cache_file_of(folder.path(), "/models/one");
  const std::string content = read_file(file);
  for (std::size_t i = 0; i + 1 < content.size(); ++i) {
    CAPTURE(i);
    std::string damaged = content;
    damaged[i] = damaged[i] == '0' ? '1' : '0';
    write_file(file, damaged);
    REQUIRE_FALSE(recall(folder.path(), "/models/one", identity).has_value());
    write_file(file, content.substr(0, i));
    REQUIRE_FALSE(recall(folder.path(), "/models/one", identity).has_value());
  }
  write_file(file, content);
  CHECK(recall(folder.path(), "/models/one", identity).has_value());
}

TEST_CASE("a cache that cannot be written is no trouble", "[gpu][fingerprint_cache]") {
  const temporary_folder folder;
  write_file(folder.path() / "file", "in the way");
  remember(folder.path() / "file", "/models/one", identity, some);
  CHECK_FALSE(recall(folder.path() / "file", "/models/one", identity).has_value());
}

TEST_CASE("remembering leaves one file and no drafts", "[gpu][fingerprint_cache]") {
  const temporary_folder folder;
  remember(folder.path(), "/models/one", identity, some);
  remember(folder.path(), "/models/one", std::string(64, 'e'), some);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  CHECK(files == 1);
}

}  // namespace
}  // namespace weft::gpu
