#include "gpu/checkpoint/fingerprint_cache.hpp"

#include <catch2/catch.hpp>
#include <stdlib.h>

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

TEST_CASE("the cache lives where the environment says", "[gpu][fingerprint_cache]") {
  const char* old_cache = ::getenv("XDG_CACHE_HOME");
  const std::string kept = old_cache == nullptr ? "" : old_cache;
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  CHECK(default_cache_folder() == "/somewhere/weft");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(default_cache_folder() != "relative/weft");
  ::unsetenv("XDG_CACHE_HOME");
  if (const char* home = ::getenv("HOME"); home != nullptr) {
    CHECK(default_cache_folder() == std::filesystem::path(home) / ".cache" / "weft");
  }
  if (old_cache != nullptr) ::setenv("XDG_CACHE_HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace weft::gpu
