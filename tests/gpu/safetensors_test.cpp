#include "gpu/checkpoint/safetensors.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/test_seed.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

result<std::vector<stored_tensor>> parse(const std::string& file) {
  return parse_safetensors("f.safetensors", std::as_bytes(std::span(file)));
}

std::string failure_of(const std::string& file) {
  const auto parsed = parse(file);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().kind == failure_kind::rejected);
  CHECK_THAT(parsed.error().message, Contains("f.safetensors"));
  return parsed.error().message;
}

std::string small_file() {
  return safetensors_file({make_tensor("b", element_type::float32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                           make_tensor("a", element_type::bfloat16, {2}, {7, 8}),
                           make_tensor("scalar", element_type::float16, {}, {9}),
                           make_tensor("void", element_type::float32, {0, 4}, {})});
}

TEST_CASE("a header's tensors come sorted, with their shapes and bytes", "[gpu][safetensors]") {
  const std::string file = small_file();
  const auto parsed = parse(file);
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 4);
  const stored_tensor& b = parsed.value()[1];
  CHECK(b.name == "b");
  CHECK(b.type == element_type::float32);
  CHECK(b.dims == std::vector<std::int64_t>{2, 3});
  CHECK(b.bytes.size() == 24);
  CHECK(parsed.value()[2].dims.empty());
  CHECK(parsed.value()[3].bytes.empty());
  CHECK(shown_shape(b.dims) == "[2, 3]");
}

TEST_CASE("a header padded with spaces is read", "[gpu][safetensors]") {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}     )";
  CHECK(parse(safetensors_file(header, "0000")).ok());
}

// A walk over all of them for each of them would take minutes.
TEST_CASE("a header of 50,000 tensors is read", "[gpu][safetensors]") {
  constexpr std::size_t tensors = 50'000;
  std::string header = "{";
  for (std::size_t i = 0; i < tensors; ++i) {
    if (i > 0) header += ",";
    header += "\"t" + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  }
  const auto parsed = parse(safetensors_file(header + "}", ""));
  REQUIRE(parsed.ok());
  CHECK(parsed->size() == tensors);
  const std::string again = R"(,"t7":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  CHECK_THAT(failure_of(safetensors_file(header + again, "")), Contains("\"t7\" twice"));
}

TEST_CASE("a file cut at any byte is refused", "[gpu][safetensors]") {
  const std::string file = small_file();
  for (std::size_t length = 0; length < file.size(); ++length) {
    CAPTURE(length);
    REQUIRE_FALSE(parse(file.substr(0, length)).ok());
  }
}

TEST_CASE("a header longer than the file or the limit is refused", "[gpu][safetensors]") {
  std::string file = small_file();
  file[7] = '\x7f';
  CHECK_THAT(failure_of(file), Contains("at most 100000000"));
  file = small_file();
  file[2] = 1;
  CHECK_THAT(failure_of(file), Contains("cut short"));
  for (int i = 0; i < 8; ++i) file[static_cast<std::size_t>(i)] = '\xff';
  failure_of(file);
}

TEST_CASE("a header that is not an object of tensors is refused", "[gpu][safetensors]") {
  failure_of(safetensors_file("[]", ""));
  failure_of(safetensors_file("", ""));
  failure_of(safetensors_file("{", ""));
  CHECK_THAT(failure_of(safetensors_file(R"({"a": 3})", "")), Contains("\"a\""));
}

TEST_CASE("each lie about a tensor is told with its name", "[gpu][safetensors]") {
  struct lie {
    const char* row;
    const char* told;
  };
  const lie lies[] = {
      {R"({"shape":[1],"data_offsets":[0,4]})", "no dtype"},
      {R"({"dtype":7,"shape":[1],"data_offsets":[0,4]})", "no dtype"},
      {R"({"dtype":"F32","data_offsets":[0,4]})", "no shape"},
      {R"({"dtype":"F32","shape":"1","data_offsets":[0,4]})", "no shape"},
      {R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", "[-1]"},
      {R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})", "[1.5]"},
      {R"({"dtype":"F32","shape":[1e3],"data_offsets":[0,4]})", "whole numbers"},
      {R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]})", "larger than"},
      {R"({"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,4]})", "larger than"},
      {R"({"dtype":"F32","shape":[9223372036854775808,0],"data_offsets":[0,4]})", "larger than"},
      {R"({"dtype":"F32","shape":[1]})", "data_offsets"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0]})", "data_offsets"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})", "data_offsets"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[-4,0]})", "data_offsets"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", "outside"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", "outside"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]})", "outside"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", "needs 8 bytes but has 4"},
      {R"({"dtype":"BF16","shape":[1],"data_offsets":[0,4]})", "needs 2 bytes but has 4"},
      {R"({"dtype":"F32","shape":[],"data_offsets":[0,0]})", "needs 4 bytes but has 0"},
      {R"({"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]})", "twice"},
  };
  for (const lie& one : lies) {
    CAPTURE(one.row);
    const std::string header = std::string(R"({"weight":)") + one.row + "}";
    const std::string message = failure_of(safetensors_file(header, "0000"));
    CHECK_THAT(message, Contains(one.told));
    if (std::string_view(one.told) != "twice") CHECK_THAT(message, Contains("\"weight\""));
  }
}

TEST_CASE("a type nobody knows is kept by name", "[gpu][safetensors]") {
  const std::string header = R"({"a":{"dtype":"F4","shape":[8],"data_offsets":[0,4]}})";
  const std::string file = safetensors_file(header, "0000");
  const auto parsed = parse(file);
  REQUIRE(parsed.ok());
  CHECK_FALSE(parsed.value()[0].type.has_value());
  CHECK(parsed.value()[0].type_name == "F4");
}

TEST_CASE("a tensor named twice is refused", "[gpu][safetensors]") {
  const std::string row = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string header = R"({"w":)" + row + R"(,"w":)" + row + "}";
  CHECK_THAT(failure_of(safetensors_file(header, "0000")), Contains("\"w\" twice"));
}

TEST_CASE("tensors that overlap, and bytes beyond the last, are refused", "[gpu][safetensors]") {
  const auto file_with = [](int begin, int end) {
    return safetensors_file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                            R"("b":{"dtype":"F32","shape":[1],"data_offsets":[)" +
                                std::to_string(begin) + "," + std::to_string(end) + "]}}",
                            "000000000000");
  };
  CHECK(parse(file_with(8, 12)).ok());
  CHECK_THAT(failure_of(file_with(4, 8)), Contains("\"a\" and \"b\" overlap"));
  CHECK_THAT(failure_of(file_with(0, 4)), Contains("overlap"));
  CHECK_THAT(failure_of(small_file() + "x"), Contains("belong to no tensor"));
}

TEST_CASE("a mutated header never leads outside the file", "[gpu][safetensors]") {
  const unsigned seed = test_seed(20240611);
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::string original = small_file();
  const std::string_view alphabet = "0123456789-[]{},:\"eEaFB16. \xff";
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string file = original;
    const std::uint64_t edits = 1 + random() % 3;
    for (std::uint64_t edit = 0; edit < edits; ++edit) {
      const std::size_t place = random() % (file.size() - 42);  // Header and length, not the data.
      const char letter = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0: file[place] = letter; break;
        case 1: file.insert(place, 1, letter); break;
        default: file.erase(place, 1); break;
      }
    }
    const auto parsed = parse(file);
    if (!parsed) continue;
    ++accepted;
    for (const stored_tensor& tensor : *parsed) {
      if (tensor.bytes.empty()) continue;
      const auto* begin = reinterpret_cast<const char*>(tensor.bytes.data());
      REQUIRE(begin >= file.data());
      REQUIRE(begin + tensor.bytes.size() <= file.data() + file.size());
    }
  }
  CHECK(accepted < 10000);  // Names and metadata may change; what matters may not.
}

}  // namespace
}  // namespace weft::gpu
