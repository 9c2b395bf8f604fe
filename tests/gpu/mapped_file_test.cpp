#include "gpu/checkpoint/mapped_file.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

std::string text_of(const mapped_file& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_CASE("a mapped file shows the file's bytes and survives being moved", "[gpu][mapped_file]") {
  const temporary_folder folder;
  write_file(folder.path() / "a", "hello");
  write_file(folder.path() / "b", "other");
  result<mapped_file> opened = mapped_file::open(folder.path() / "a");
  REQUIRE(opened.ok());
  const std::byte* before = opened->bytes().data();
  mapped_file moved = std::move(opened).value();
  CHECK(moved.bytes().data() == before);
  CHECK(text_of(moved) == "hello");
  result<mapped_file> other = mapped_file::open(folder.path() / "b");
  REQUIRE(other.ok());
  moved = std::move(other).value();
  CHECK(text_of(moved) == "other");
}

TEST_CASE("a mapping outlives the name of its file", "[gpu][mapped_file]") {
  const temporary_folder folder;
  write_file(folder.path() / "a", "hello");
  result<mapped_file> opened = mapped_file::open(folder.path() / "a");
  REQUIRE(opened.ok());
  std::filesystem::remove(folder.path() / "a");
  CHECK(text_of(*opened) == "hello");
}

TEST_CASE("an empty file maps to nothing", "[gpu][mapped_file]") {
  const temporary_folder folder;
  write_file(folder.path() / "empty", "");
  const result<mapped_file> opened = mapped_file::open(folder.path() / "empty");
  REQUIRE(opened.ok());
  CHECK(opened->bytes().empty());
}

TEST_CASE("what is not a file is refused by name", "[gpu][mapped_file]") {
  const temporary_folder folder;
  const result<mapped_file> absent = mapped_file::open(folder.path() / "absent");
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().kind == failure_kind::unavailable);
  CHECK_THAT(absent.error().message, Contains("absent"));
  const result<mapped_file> directory = mapped_file::open(folder.path());
  REQUIRE_FALSE(directory.ok());
  CHECK(directory.error().kind == failure_kind::rejected);
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(mapped_file::open(pipe).ok());
}

TEST_CASE("pages that are dropped come back as they were", "[gpu][mapped_file]") {
  const temporary_folder folder;
  std::string content(100000, 'x');
  content[0] = 'a';
  content[50000] = 'b';
  write_file(folder.path() / "a", content);
  const result<mapped_file> file = mapped_file::open(folder.path() / "a");
  REQUIRE(file.ok());
  expect_reading(file->bytes());
  CHECK(text_of(*file) == content);
  drop_pages(file->bytes());
  drop_pages(file->bytes().subspan(1, 1));
  drop_pages({});
  CHECK(text_of(*file) == content);
}

}  // namespace
}  // namespace weft::gpu
