#include "gpu/checkpoint/tensor_index.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

std::string one_tensor(const std::string& name) {
  return safetensors_file({make_tensor(name, element_type::float32, {1}, {1})});
}

std::string failure_of(const std::filesystem::path& folder) {
  const result<tensor_index> index = tensor_index::open(folder);
  REQUIRE_FALSE(index.ok());
  return index.error().message;
}

TEST_CASE("an index finds tensors over all shards", "[gpu][tensor_index]") {
  const temporary_folder folder;
  const synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 11);
  checkpoint.write(folder.path(), 4);
  const result<tensor_index> index = tensor_index::open(folder.path());
  REQUIRE(index.ok());
  CHECK(index->files().size() == 4);
  CHECK(index->tensors().size() == checkpoint.tensors.size());
  for (const written_tensor& tensor : checkpoint.tensors) {
    const stored_tensor* found = index->find(tensor.name);
    REQUIRE(found != nullptr);
    CHECK(found->dims == tensor.dims);
    CHECK(std::equal(tensor.bytes.begin(), tensor.bytes.end(),
                     reinterpret_cast<const char*>(found->bytes.data())));
  }
  CHECK(index->find("model.nothing") == nullptr);
}

TEST_CASE("a shard outside the folder is refused", "[gpu][tensor_index]") {
  const char* shard = GENERATE("../a.safetensors", "/etc/passwd", "sub/a.safetensors", "..", "");
  const temporary_folder folder;
  write_file(folder.path() / "model.safetensors.index.json",
             R"({"weight_map": {"w": ")" + std::string(shard) + R"("}})");
  const std::string message = failure_of(folder.path());
  CHECK_THAT(message, Contains("\"w\""));
  CHECK_THAT(message, Contains("folder"));
}

TEST_CASE("a shard index that is malformed is refused by name", "[gpu][tensor_index]") {
  const char* content = GENERATE("", "[]", "{}", R"({"weight_map": []})", R"({"weight_map": {}})",
                                 R"({"weight_map": {"w": 1}})");
  const temporary_folder folder;
  write_file(folder.path() / "model.safetensors.index.json", content);
  CHECK_THAT(failure_of(folder.path()), Contains("model.safetensors.index.json"));
}

TEST_CASE("a shard that is missing or lacks its tensor is named", "[gpu][tensor_index]") {
  const temporary_folder folder;
  write_file(folder.path() / "model.safetensors.index.json",
             R"({"weight_map": {"v": "a.safetensors", "w": "a.safetensors"}})");
  CHECK_THAT(failure_of(folder.path()), Contains("a.safetensors"));
  write_file(folder.path() / "a.safetensors", one_tensor("v"));
  const std::string message = failure_of(folder.path());
  CHECK_THAT(message, Contains("\"w\""));
  CHECK_THAT(message, Contains("a.safetensors"));
}

TEST_CASE("what the index does not mention is not part of the model", "[gpu][tensor_index]") {
  const temporary_folder folder;
  write_file(folder.path() / "model.safetensors.index.json",
             R"({"weight_map": {"v": "a.safetensors", "w": "b.safetensors"}})");
  write_file(folder.path() / "a.safetensors", one_tensor("v"));
  write_file(folder.path() / "b.safetensors",
             safetensors_file({make_tensor("v", element_type::float32, {2}, {1, 2}),
                               make_tensor("w", element_type::float32, {1}, {1})}));
  const result<tensor_index> index = tensor_index::open(folder.path());
  REQUIRE(index.ok());
  REQUIRE(index->tensors().size() == 2);
  CHECK(index->find("v")->dims == std::vector<std::int64_t>{1});
}

TEST_CASE("a damaged shard is named", "[gpu][tensor_index]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 11).write(folder.path(), 3);
  const auto shard = folder.path() / "model-2.safetensors";
  const std::string content = read_file(shard);
  write_file(shard, content.substr(0, content.size() / 2));
  CHECK_THAT(failure_of(folder.path()), Contains("model-2.safetensors"));
}

}  // namespace
}  // namespace weft::gpu
