// Bytes that were once sent must be read for ever: tests/data/wire/README.md.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::test {

namespace {

namespace fs = std::filesystem;

const char* const golden_folder = WEFT_SOURCE_DIR "/tests/data/wire";

std::string golden_path(std::string_view name) {
  return std::string(golden_folder) + "/" + std::string(name) + ".bin";
}

std::string_view text_of(const envelope& packed) {
  return {reinterpret_cast<const char*>(packed.bytes().data()), packed.bytes().size()};
}

// The conversation that a file's name begins with.
schema_id schema_of(std::string_view file_name) {
  for (const schema_id schema :
       {schema_id::membership, schema_id::directory, schema_id::serving, schema_id::prefill}) {
    if (file_name.substr(0, file_name.find('.')) == name_of(schema)) return schema;
  }
  return schema_id::none;
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(golden_folder)) {
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("every message is sent in the bytes in which it was always sent",
          "[messages][wire_golden]") {
  for (const wire_sample& sample : wire_samples()) {
    INFO(sample.name);
    const auto packed = encode_any(sample.what);
    REQUIRE(packed.ok());
    const std::string path = golden_path(sample.name);
    // Only what is not there is ever written.
    if (std::getenv("WEFT_WRITE_WIRE_GOLDENS") != nullptr && !fs::exists(path))
      write_file(path, text_of(*packed));
    REQUIRE(fs::exists(path));
    CHECK(file_at("tests/data/wire/" + std::string(sample.name) + ".bin") == text_of(*packed));
  }
}

TEST_CASE("every message that was ever sent is still read", "[messages][wire_golden]") {
  std::size_t read = 0;
  for (const fs::path& file : golden_files()) {
    INFO(file.filename().string());
    const std::string bytes = file_at("tests/data/wire/" + file.filename().string());
    const auto packed =
        envelope::copy(schema_of(file.filename().string()), std::as_bytes(std::span(bytes)));
    REQUIRE(packed.ok());
    const auto message = decode_any(*packed);
    INFO((message.ok() ? "" : message.error().message));
    CHECK(message.ok());
    ++read;
  }
  CHECK(read >= wire_samples().size());
}

TEST_CASE("every message comes back as it was sent, with all of its fields",
          "[messages][wire_golden]") {
  for (const wire_sample& sample : wire_samples()) {
    INFO(sample.name);
    const auto packed = encode_any(sample.what);
    REQUIRE(packed.ok());
    const auto back = decode_any(*packed);
    INFO((back.ok() ? "" : back.error().message));
    REQUIRE(back.ok());
    CHECK(*back == sample.what);
  }
}

TEST_CASE("there is a sample of every kind of message", "[messages][wire_golden]") {
  std::array<std::vector<bool>, 4> seen = {
      std::vector<bool>(std::variant_size_v<membership::message>),
      std::vector<bool>(std::variant_size_v<directory::message>),
      std::vector<bool>(std::variant_size_v<serving::message>),
      std::vector<bool>(std::variant_size_v<prefill::message>)};
  for (const wire_sample& sample : wire_samples()) {
    const std::size_t kind =
        std::visit([](const auto& message) { return message.index(); }, sample.what);
    INFO(sample.name);
    CHECK_FALSE(seen[sample.what.index()][kind]);
    seen[sample.what.index()][kind] = true;
  }
  for (const auto& kinds : seen) CHECK(std::count(kinds.begin(), kinds.end(), false) == 0);
}

}  // namespace weft::messages::test
