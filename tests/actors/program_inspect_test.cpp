#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/actors/program_stage.hpp"

using namespace weft;
using namespace weft::actors;
using nlohmann::json;

TEST_CASE("inspect shows layers, entries and support of the bundled model", "[actors][inspect]") {
  const program_outcome outcome = run_weft({"inspect", "--model", tiny_model, "--json", "-"});
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  CHECK(found["supported"] == true);
  REQUIRE(found["layers"].size() == 8);
  CHECK(found["layers"][3] == "attention");
  CHECK(found["layers"][4] == "gated_delta");
  CHECK(found["seam"] == json{{"head", 8}, {"tail", 16}});
  // Six layers of four heads of 128 x 128 in fp32; two layers of K and V of 256 in fp32.
  const json& entry = found["bytes_per_entry"]["512"];
  CHECK(entry["state"] == 6 * 4 * 128 * 128 * 4);
  CHECK(entry["transition"] == entry["state"]);
  CHECK(entry["keys_values"] == 2 * 2 * 256 * 4 * 512);
  CHECK(found["weight_bytes"].get<std::int64_t>() > 15'000'000);
  CHECK(contains(outcome.err, "this machine: "));
  CHECK(found["parts"]["profile"] == "supported");
}

TEST_CASE("inspect shows a model's experts", "[actors][inspect]") {
  const program_outcome outcome =
      run_weft({"inspect", "--model", source_folder + "/tests/data/models/random-qwen3_next",
                "--json", "-"});
  INFO(outcome.err);
  REQUIRE(outcome.code == exit_done);
  const json found = json::parse(outcome.out);
  CHECK(found["architecture"] == "qwen3_next");
  CHECK(found["parts"]["profile"] == "there is none, so the defaults hold");
  CHECK(found["experts"] == json{{"layers", 4},
                                 {"count", 8},
                                 {"per_token", 2},
                                 {"intermediate", 32},
                                 {"shared_intermediate", 48}});
  // Everything but the header and the names.
  CHECK(found["weight_bytes"] == 2620000);
  CHECK(contains(outcome.err, "8, of which a token visits 2, of 32 each; shared: 48; in 4 layers"));
  const json dense = json::parse(run_weft({"inspect", "--model", tiny_model, "--json", "-"}).out);
  CHECK_FALSE(dense.contains("experts"));
}

TEST_CASE("inspect says what is not supported, and exits with 1", "[actors][inspect]") {
  const auto folder = std::filesystem::temp_directory_path() / "weft_inspect_test_model";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << "{\"model_type\": \"perceptron\"}";
  const program_outcome outcome = run_weft({"inspect", "--model", folder.string(), "--json", "-"});
  CHECK(outcome.code == exit_failed);
  const json found = json::parse(outcome.out);
  CHECK(found["supported"] == false);
  CHECK(contains(found["parts"]["configuration"], "perceptron"));
  CHECK(contains(outcome.err, "no: "));
  std::filesystem::remove_all(folder);
}
