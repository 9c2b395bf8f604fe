#include "gpu/checkpoint/fingerprint.hpp"

#include <catch2/catch.hpp>
#include <stdlib.h>

#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/golden.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

class model_folder {
 public:
  explicit model_folder(int shards = 1) : checkpoint_(make_checkpoint(small_shape(), {}, 4)) {
    checkpoint_.write(folder_.path(), shards);
    write("tokenizer.json", R"({"model": "t"})");
  }
  void write(const char* name, std::string_view content) {
    write_file(folder_.path() / name, content);
  }
  synthetic_checkpoint& checkpoint() { return checkpoint_; }
  void write_weights() { checkpoint_.write(folder_.path()); }
  const std::filesystem::path& path() const { return folder_.path(); }

  fingerprints prints(const std::filesystem::path& cache = {}) const {
    const result<fingerprints> found = fingerprint_of(folder_.path(), cache);
    REQUIRE(found.ok());
    CHECK(found->model.size() == 64);
    CHECK(found->tokenizer.size() == 64);
    return *found;
  }

 private:
  temporary_folder folder_;
  synthetic_checkpoint checkpoint_;
};

TEST_CASE("equal models have equal fingerprints however they are sharded", "[gpu][fingerprint]") {
  const model_folder one;
  const model_folder three(3);
  CHECK(one.prints().model == three.prints().model);
  CHECK(one.prints().tokenizer == three.prints().tokenizer);
  CHECK_FALSE(one.prints().remembered);
}

TEST_CASE("every part of a model counts in its fingerprint", "[gpu][fingerprint]") {
  model_folder model;
  const fingerprints before = model.prints();
  SECTION("the profile, even an empty one") {
    model.write("weft.json", "");
    CHECK(model.prints().model != before.model);
    CHECK(model.prints().tokenizer == before.tokenizer);
  }
  SECTION("the tokenizer") {
    model.write("tokenizer.json", R"({"model": "u"})");
    CHECK(model.prints().model != before.model);
    CHECK(model.prints().tokenizer != before.tokenizer);
  }
  SECTION("the absence of a tokenizer") {
    std::filesystem::remove(model.path() / "tokenizer.json");
    CHECK(model.prints().model != before.model);
    CHECK(model.prints().tokenizer != before.tokenizer);
  }
  SECTION("the configuration") {
    model.checkpoint().config += " ";
    model.write_weights();
    CHECK(model.prints().model != before.model);
  }
  SECTION("one bit of one tensor") {
    char& byte = model.checkpoint().tensor("model.norm.weight").bytes.back();
    byte = static_cast<char>(byte ^ 1);
    model.write_weights();
    CHECK(model.prints().model != before.model);
  }
  SECTION("a tensor's name") {
    model.checkpoint().tensor("model.norm.weight").name = "model.norn.weight";
    model.write_weights();
    CHECK(model.prints().model != before.model);
  }
  SECTION("a tensor's shape") {
    model.checkpoint().tensor("model.norm.weight").dims = {6, 8};
    model.write_weights();
    CHECK(model.prints().model != before.model);
  }
}

TEST_CASE("a fingerprint is remembered until a file changes", "[gpu][fingerprint]") {
  model_folder model;
  const temporary_folder cache;
  const fingerprints first = model.prints(cache.path());
  CHECK_FALSE(first.remembered);
  const fingerprints second = model.prints(cache.path());
  CHECK(second.remembered);
  CHECK(second.model == first.model);
  CHECK(second.tokenizer == first.tokenizer);
  const auto weights = model.path() / "model.safetensors";
  const auto time = std::filesystem::last_write_time(weights);
  char& byte = model.checkpoint().tensor("model.norm.weight").bytes.back();
  byte = static_cast<char>(byte ^ 1);
  model.write_weights();
  std::filesystem::last_write_time(weights, time);  // Same size, same age, other bytes.
  const fingerprints third = model.prints(cache.path());
  CHECK_FALSE(third.remembered);
  CHECK(third.model != first.model);
  model.write("weft.json", "{}");
  CHECK_FALSE(model.prints(cache.path()).remembered);
}

TEST_CASE("a cache folder that cannot be used does not matter", "[gpu][fingerprint]") {
  const model_folder model;
  const fingerprints without = model.prints();
  const fingerprints first = model.prints("/proc/no-such-folder");
  const fingerprints second = model.prints("/proc/no-such-folder");
  CHECK(first.model == without.model);
  CHECK_FALSE(second.remembered);
}

TEST_CASE("the cache lives where the environment says", "[gpu][fingerprint]") {
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

TEST_CASE("the bundled checkpoint has the fingerprint that the format says", "[gpu][fingerprint]") {
  const result<fingerprints> prints = fingerprint_of(tiny_model_folder(), {});
  REQUIRE(prints.ok());
  // Computed by another program from the header's description.
  CHECK(prints->model == "ade5f1995cf2b9050a6826508c218ff8e077804a8efceab73f9baf89f19f1b66");
  CHECK(prints->tokenizer == "896bd656f69b89c3cd8cb0de6ca564c5e53bbd7eada7ef5eaddc7f2f6e509aaf");
}

TEST_CASE("a folder without weights has no fingerprint", "[gpu][fingerprint]") {
  const temporary_folder folder;
  CHECK_FALSE(fingerprint_of(folder.path(), {}).ok());
}

}  // namespace
}  // namespace weft::gpu
