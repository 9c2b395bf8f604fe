#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "actors/program/own_inputs.hpp"
#include "tests/actors/program_stage.hpp"

namespace weft::actors {
namespace {

namespace fs = std::filesystem;

// A model's folder, a data file, and links to both.
struct some_files {
  some_files() : folder(fs::temp_directory_path() / ("weft-inputs-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder / "model");
    fs::create_directories(folder / "blobs");
    for (const char* name : {"model/config.json", "data.jsonl", "other.json", "blobs/weights"})
      std::ofstream(folder / name) << "kept";
    fs::create_symlink("../blobs/weights", folder / "model/model.safetensors");
    fs::create_symlink("data.jsonl", folder / "link.jsonl");
  }
  ~some_files() { fs::remove_all(folder); }
  std::string operator/(const char* name) const { return (folder / name).string(); }
  fs::path folder;
};

const std::vector<option_rule> rules = {{.name = "--model", .use = file_use::read},
                                        {.name = "--data", .use = file_use::read},
                                        {.name = "--name"},
                                        {.name = "--json", .use = file_use::written},
                                        {.name = "--plot", .use = file_use::written}};

std::optional<std::string> complaint(const std::vector<std::string>& arguments) {
  const auto given = parse_options(rules, 1, arguments);
  REQUIRE(given.ok());
  return overwritten_input(rules, *given);
}

}  // namespace

TEST_CASE("an output that is an input is refused, and both are named", "[actors][own_inputs]") {
  const some_files at;
  const auto wrong = complaint({"--data", at / "data.jsonl", "--json", at / "link.jsonl"});
  REQUIRE(wrong);
  CHECK(*wrong == "--json '" + (at / "link.jsonl") + "' would overwrite what --data '" +
                      (at / "data.jsonl") + "' names; give it another name");
  CHECK(complaint({"--data", at / "link.jsonl", "--plot", at / "data.jsonl"}));
  CHECK(complaint({at / "data.jsonl", "--json", at / "./data.jsonl"}));
}

TEST_CASE("no output overwrites a file of the model's folder", "[actors][own_inputs]") {
  const some_files at;
  const std::string model = at / "model";
  CHECK(complaint({"--model", model, "--json", at / "model/config.json"}));
  CHECK(complaint({"--model", model, "--plot", at / "model/model.safetensors"}));
  CHECK(complaint({"--model", model, "--json", at / "blobs/weights"}));
  CHECK(complaint({model, "--json", at / "model/config.json"}));
  CHECK_FALSE(complaint({"--model", model, "--json", at / "model/new.json"}));
}

TEST_CASE("two outputs are two files", "[actors][own_inputs]") {
  const some_files at;
  CHECK(complaint({"--json", at / "new.json", "--plot", at / "./new.json"}) ==
        "--json and --plot name the same file");
  CHECK_FALSE(complaint({"--json", at / "new.json", "--plot", at / "new.svg"}));
}

TEST_CASE("what is read nowhere may be written", "[actors][own_inputs]") {
  const some_files at;
  CHECK_FALSE(complaint({"--data", at / "data.jsonl", "--json", at / "other.json"}));
  CHECK_FALSE(complaint({"--data", at / "data.jsonl", "--json", "-"}));
  CHECK_FALSE(complaint({"--name", at / "other.json", "--json", at / "other.json"}));
  CHECK_FALSE(complaint({"/dev/null", "--json", "/dev/null"}));
}

TEST_CASE("every word refuses to overwrite its own model", "[actors][own_inputs]") {
  const some_files at;
  const std::string config = at / "model/config.json";
  for (const word& each : all_words()) {
    CAPTURE(each.name);
    std::vector<std::string> arguments = {std::string(each.name), "--model", at / "model", "--json",
                                          config};
    for (const option_rule& rule : each.rules)
      if (rule.required && rule.name != "--model")
        arguments.insert(arguments.end(), {std::string(rule.name), at / "data.jsonl"});
    const auto outcome = run_weft(arguments);
    CHECK(outcome.code == exit_wrong_use);
    CHECK(contains(outcome.err, "--model"));
  }
  const auto config_kept =
      run_weft({"bench", "--config", config, "--random-weights", "--plot", config});
  CHECK(config_kept.code == exit_wrong_use);
  CHECK(contains(config_kept.err, "--config"));
  const auto profile_kept = run_weft(
      {"run", "--model", tiny_model, "--profile", at / "other.json", "--json", at / "other.json"});
  CHECK(profile_kept.code == exit_wrong_use);
  CHECK(contains(profile_kept.err, "--profile"));
}

}  // namespace weft::actors
