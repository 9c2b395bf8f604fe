#include "gpu/checkpoint/fingerprint.hpp"

#include <catch2/catch.hpp>

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

  fingerprints prints() const {
    const result<tensor_index> index = tensor_index::open(folder_.path());
    REQUIRE(index.ok());
    const result<fingerprints> found = fingerprint_of(folder_.path(), *index);
    REQUIRE(found.ok());
    CHECK(found->model.size() == 64);
    CHECK(found->tokenizer.size() == 64);
    CHECK_FALSE(found->remembered);
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

TEST_CASE("the bundled checkpoint has the fingerprint that the format says", "[gpu][fingerprint]") {
  const result<tensor_index> index = tensor_index::open(tiny_model_folder());
  REQUIRE(index.ok());
  const result<fingerprints> prints = fingerprint_of(tiny_model_folder(), *index);
  REQUIRE(prints.ok());
  // Computed by another program from the header's description.
  CHECK(prints->model == "ade5f1995cf2b9050a6826508c218ff8e077804a8efceab73f9baf89f19f1b66");
  CHECK(prints->tokenizer == "896bd656f69b89c3cd8cb0de6ca564c5e53bbd7eada7ef5eaddc7f2f6e509aaf");
}

TEST_CASE("a file that is replaced or rewritten changes the folder's identity",
          "[gpu][fingerprint]") {
  model_folder model;
  const auto identity = [&] {
    return identity_of(model.path(), tensor_index::open(model.path()).value());
  };
  const std::string before = identity();
  CHECK(identity() == before);
  SECTION("weights") { model.write_weights(); }
  SECTION("the profile") { model.write("weft.json", "{}"); }
  SECTION("an index of shards") { model.write("model.safetensors.index.json", "{}"); }
  CHECK(identity() != before);
}

}  // namespace
}  // namespace weft::gpu
