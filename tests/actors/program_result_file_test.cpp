#include <filesystem>
#include <fstream>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/program/result_file.hpp"

namespace weft::actors {
namespace {

namespace fs = std::filesystem;

struct own_folder {
  own_folder() : path(fs::temp_directory_path() / ("weft-result-" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~own_folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }

  fs::path path;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("a result is there once it is finished, and only then", "[actors][result_file]") {
  const own_folder folder;
  const std::string path = folder / "new.json";
  auto file = result_file::make(path);
  REQUIRE(file.ok());
  CHECK(folder.files() == 0);
  CHECK(file->write("one ").ok());
  CHECK(file->write("two").ok());
  CHECK_FALSE(fs::exists(path));
  CHECK(file->finish().ok());
  CHECK(text_of(path) == "one two");
  CHECK(folder.files() == 1);
}

TEST_CASE("who does not finish leaves no trace, and what was there stays",
          "[actors][result_file]") {
  const own_folder folder;
  put(folder / "old.json", "earlier");
  for (const char* name : {"old.json", "new.json"}) {
    auto file = result_file::make(folder / name);
    REQUIRE(file.ok());
    CHECK(file->write("half").ok());
    const result_file moved = std::move(*file);
    CHECK(moved.path() == folder / name);
  }
  CHECK(text_of(folder / "old.json") == "earlier");
  CHECK(folder.files() == 1);
}

TEST_CASE("an earlier result is replaced with its rights kept, through a link too",
          "[actors][result_file]") {
  const own_folder folder;
  put(folder / "old.json", "something longer than what follows");
  fs::permissions(folder / "old.json", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("old.json", folder / "link.json");
  auto file = result_file::make(folder / "link.json");
  REQUIRE(file.ok());
  CHECK(file->write("new").ok());
  CHECK(file->finish().ok());
  CHECK(fs::is_symlink(folder / "link.json"));
  CHECK(text_of(folder / "old.json") == "new");
  CHECK(fs::status(folder / "old.json").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.files() == 2);
}

TEST_CASE("a place that cannot be written is named before any work", "[actors][result_file]") {
  const own_folder folder;
  const auto nowhere = result_file::make(folder / "no/such/folder.json");
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().kind == failure_kind::unavailable);
  CHECK(nowhere.error().message ==
        "cannot write '" + (folder / "no/such/folder.json") + "': No such file or directory");
  CHECK_FALSE(result_file::make(folder.path.string()).ok());
}

TEST_CASE("a full device is a failure, not silence", "[actors][result_file]") {
  if (!fs::exists("/dev/full")) return;
  auto file = result_file::make("/dev/full");
  REQUIRE(file.ok());
  const status written = file->write("{}");
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().message == "cannot write to '/dev/full': it takes no more");
}

TEST_CASE("the reader of a pipe hears each part at once, and one end", "[actors][result_file]") {
  const own_folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  std::string heard;
  std::thread reader([&] { heard = text_of(path); });
  {
    auto file = result_file::make(path);
    REQUIRE(file.ok());
    CHECK(file->write("one ").ok());
    CHECK(file->write("two").ok());
    CHECK(file->finish().ok());
  }
  reader.join();
  CHECK(heard == "one two");
  CHECK(fs::is_fifo(path));
}

}  // namespace weft::actors
