#include "gpu/checkpoint/tensor_pass.hpp"

#include <map>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

// A tensor of a byte a value, of any bytes but those of NaN.
written_tensor bytes_tensor(std::string name, std::size_t count) {
  written_tensor made{.name = std::move(name),
                      .type = "U8",
                      .dims = {static_cast<std::int64_t>(count)},
                      .bytes = std::string(count, '\0')};
  for (std::size_t i = 0; i < count; ++i) made.bytes[i] = static_cast<char>(i * 131 >> 3);
  return made;
}

written_tensor floats_tensor(std::string name, std::size_t count) {
  written_tensor made{.name = std::move(name),
                      .type = "F32",
                      .dims = {static_cast<std::int64_t>(count)},
                      .bytes = std::string(4 * count, '\x01')};
  return made;
}

tensor_index index_of(const temporary_folder& folder, const std::vector<written_tensor>& tensors) {
  write_file(folder.path() / "model.safetensors", safetensors_file(tensors));
  result<tensor_index> index = tensor_index::open(folder.path());
  if (!index) FAIL(index.error().message);
  return std::move(*index);
}

constexpr auto large = static_cast<std::size_t>(pass_bytes) * 2 + 12345;

// Bytes of this process that lie in memory, of a stretch of it.
std::size_t resident_bytes(std::span<const std::byte> of) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto from = reinterpret_cast<std::uintptr_t>(of.data()) / page * page;
  const auto to = reinterpret_cast<std::uintptr_t>(of.data() + of.size());
  std::string map = read_file("/proc/self/smaps");
  std::size_t sum = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  for (std::size_t at = 0; at < map.size();) {
    const std::size_t next = std::min(map.find('\n', at), map.size());
    const std::string line = map.substr(at, next - at);
    unsigned long low = 0;
    unsigned long high = 0;
    unsigned long kilobytes = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) {
      begin = low;
      end = high;
    } else if (std::sscanf(line.c_str(), "Rss: %lu kB", &kilobytes) == 1) {
      if (begin < to && from < end) sum += kilobytes * 1024;
    }
    at = next + 1;
  }
  return sum;
}

TEST_CASE("every byte comes once, in order, whatever the sizes", "[gpu][tensor_pass]") {
  const temporary_folder folder;
  const std::vector<written_tensor> tensors = {bytes_tensor("a", 3), bytes_tensor("b", large),
                                               bytes_tensor("c", 0), floats_tensor("d", 1000),
                                               bytes_tensor("e", large / 2)};
  const tensor_index index = index_of(folder, tensors);
  std::map<std::string, std::string> seen;
  std::int64_t told = 0;
  const tensor_pass pass{.finite = {"d"},
                         .on_progress = [&](std::int64_t done, std::int64_t) { told = done; }};
  const status passed =
      pass_over(index, pass,
                [&](const stored_tensor& tensor, std::size_t at, std::span<const std::byte> bytes) {
                  std::string& mine = seen[tensor.name];
                  REQUIRE(mine.size() == at);
                  mine.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                });
  REQUIRE(passed.ok());
  REQUIRE(seen.size() == tensors.size());
  std::int64_t total = 0;
  for (const written_tensor& each : tensors) {
    CHECK(seen[each.name] == each.bytes);
    total += static_cast<std::int64_t>(each.bytes.size());
  }
  CHECK(told == total);
}

TEST_CASE("a pass keeps a bounded part of what it reads in memory", "[gpu][tensor_pass]") {
  const temporary_folder folder;
  const tensor_index index = index_of(folder, {bytes_tensor("a", 8 * pass_bytes)});
  const std::span<const std::byte> all = index.tensors().front().bytes;
  std::size_t most = 0;
  const auto take = [&](const stored_tensor&, std::size_t, std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += 4096)
      REQUIRE(bytes[i] == all[static_cast<std::size_t>(bytes.data() - all.data()) + i]);
    most = std::max(most, resident_bytes(all));
  };
  REQUIRE(pass_over(index, {}, take).ok());
  CHECK(most > 0);  // It was in memory while it was read.
  CHECK(most <= 3 * static_cast<std::size_t>(pass_bytes));
  CHECK(resident_bytes(all) < static_cast<std::size_t>(pass_bytes));
}

TEST_CASE("a number that is none is named, wherever in a tensor it lies", "[gpu][tensor_pass]") {
  const std::size_t count = large / 4;
  const std::size_t element = GENERATE(std::size_t{0}, std::size_t{pass_bytes / 4 - 1},
                                       std::size_t{pass_bytes / 4}, large / 4 - 1);
  written_tensor bad = floats_tensor("b", count);
  bad.bytes.replace(4 * element, 4, "\xff\xff\xff\xff");
  const temporary_folder folder;
  const tensor_index index = index_of(folder, {bytes_tensor("a", 3), bad});
  const auto nothing = [](const stored_tensor&, std::size_t, std::span<const std::byte>) {};
  const status passed = pass_over(index, {.finite = {"b"}}, nothing);
  REQUIRE_FALSE(passed.ok());
  CHECK(passed.error().kind == failure_kind::rejected);
  CHECK_THAT(passed.error().message, Contains("\"b\""));
  CHECK_THAT(passed.error().message, Contains("element " + std::to_string(element) + ";"));
  CHECK(pass_over(index, {}, nothing).ok());  // Nobody asked.
}

}  // namespace
}  // namespace weft::gpu
