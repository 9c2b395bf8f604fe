#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "actors/program/eval_data.hpp"
#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

result<std::vector<eval_sample>> read(const std::string& content, std::int64_t limit = 0) {
  const auto path = std::filesystem::temp_directory_path() / "weft_eval_data_test.jsonl";
  std::ofstream(path) << content;
  auto samples = read_eval_data(path.string(), limit);
  std::filesystem::remove(path);
  return samples;
}

}  // namespace

TEST_CASE("the bundled questions are 200 in four tasks", "[actors][eval_data]") {
  const auto samples = read_eval_data(source_folder + "/examples/data/rag-dev.jsonl", 0);
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 200);
  CHECK(samples->front().id == "dev-000");
  CHECK(samples->front().task == "single");
  CHECK(samples->front().answer == "9100");
  CHECK(samples->front().segments.size() == 9);
}

TEST_CASE("a limit takes the first samples and never looks at the others", "[actors][eval_data]") {
  const auto samples = read("{\"segments\": [\"a\"], \"answer\": \"b\"}\n\nbad\n", 1);
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 1);
  CHECK(samples->front().id == "1");
  CHECK(samples->front().task.empty());
}

TEST_CASE("a bad sample is named by file and line", "[actors][eval_data]") {
  const std::string good = "{\"segments\": [\"a\"], \"answer\": \"b\"}\n";
  for (const std::string bad :
       {"{", "{\"segments\": [\"a\"]}", "{\"segments\": [], \"answer\": \"b\"}",
        "{\"ids\": [[1]], \"answer\": \"b\"}", "{\"segments\": [\"a\"], \"answer\": 3}"}) {
    const auto samples = read(good + bad + "\n");
    REQUIRE_FALSE(samples.ok());
    CHECK(contains(samples.error().message, "weft_eval_data_test.jsonl:2: "));
  }
}

TEST_CASE("data that is missing or empty is refused by name", "[actors][eval_data]") {
  const auto missing = read_eval_data("/no/such/data.jsonl", 0);
  REQUIRE_FALSE(missing.ok());
  CHECK(contains(missing.error().message, "'/no/such/data.jsonl'"));
  const auto empty = read("\n\n");
  REQUIRE_FALSE(empty.ok());
  CHECK(contains(empty.error().message, "has no samples"));
}
