#include "gpu/checkpoint/shard_map.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

std::string failure_of(std::string_view text) {
  const result<shard_map> shards = parse_shard_map("the index", text);
  REQUIRE_FALSE(shards.ok());
  CHECK(shards.error().kind == failure_kind::rejected);
  CHECK_THAT(shards.error().message, Contains("the index"));
  return shards.error().message;
}

TEST_CASE("an index says which tensors each shard holds", "[gpu][shard_map]") {
  const char* text = R"({"metadata": {"total_size": 8},
    "weight_map": {"a": "1.safetensors", "b": "2.safetensors", "c": "1.safetensors"}})";
  const shard_map expected = {{"1.safetensors", {"a", "c"}}, {"2.safetensors", {"b"}}};
  const result<shard_map> parsed = parse_shard_map("the index", text);
  REQUIRE(parsed.ok());
  CHECK(*parsed == expected);
  const temporary_folder folder;
  write_file(folder.path() / "index.json", text);
  const result<shard_map> loaded = read_shard_map(folder.path() / "index.json");
  REQUIRE(loaded.ok());
  CHECK(*loaded == expected);
}

TEST_CASE("an index that is not there is unavailable", "[gpu][shard_map]") {
  const temporary_folder folder;
  const result<shard_map> shards = read_shard_map(folder.path() / "index.json");
  REQUIRE_FALSE(shards.ok());
  CHECK(shards.error().kind == failure_kind::unavailable);
}

TEST_CASE("a file name that leaves the model's folder is refused", "[gpu][shard_map]") {
  for (const char* name : {"../a", "/etc/passwd", "sub/a", "..", ".", "", "a\\u0000b"}) {
    const std::string message =
        failure_of(R"({"weight_map": {"w": ")" + std::string(name) + R"("}})");
    CHECK_THAT(message, Contains("\"w\"") && Contains("not a plain file name"));
  }
}

TEST_CASE("an index that lists nothing is refused", "[gpu][shard_map]") {
  CHECK_THAT(failure_of(R"({"weight_map": {}})"), Contains("lists no tensors"));
  CHECK_THAT(failure_of(R"({"weight_map": []})"), Contains("no weight_map object"));
  CHECK_THAT(failure_of("[]"), Contains("no weight_map object"));
  CHECK_THAT(failure_of("{"), Contains("not valid JSON"));
}

}  // namespace
}  // namespace weft::gpu
