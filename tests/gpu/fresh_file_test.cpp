#include "gpu/checkpoint/fresh_file.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

TEST_CASE("two drafts of one file have two names, both beside it", "[gpu][fresh_file]") {
  const std::filesystem::path target = "/some/where/result.json";
  const auto one = fresh_name(target);
  CHECK(one != fresh_name(target));
  CHECK(one.parent_path() == target.parent_path());
  CHECK(one.string().starts_with("/some/where/result.json."));
  CHECK(one.extension() == ".new");
}

TEST_CASE("a fresh file is made once and never over another", "[gpu][fresh_file]") {
  const temporary_folder folder;
  const auto path = folder.path() / "draft";
  CHECK(make_fresh(path));
  write_file(path, "mine");
  CHECK_FALSE(make_fresh(path));
  CHECK(read_file(path) == "mine");
  CHECK_FALSE(make_fresh(folder.path() / "no" / "draft"));
  // Nor through a link that somebody laid there.
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "link");
  CHECK_FALSE(make_fresh(folder.path() / "link"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

}  // namespace
}  // namespace weft::gpu
