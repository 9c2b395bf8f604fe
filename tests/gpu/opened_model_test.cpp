#include "gpu/checkpoint/opened_model.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/fingerprint_cache.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

class model_folder {
 public:
  model_folder() : checkpoint_(make_checkpoint(small_shape(), {}, 4)) { write_weights(); }
  written_tensor& tensor(std::string_view name) { return checkpoint_.tensor(name); }
  void write_weights() { checkpoint_.write(folder_.path()); }
  const std::filesystem::path& path() const { return folder_.path(); }

  opened_model open() const {
    result<opened_model> opened = open_model(folder_.path());
    if (!opened) FAIL(opened.error().message);
    return std::move(*opened);
  }
  fingerprints prints(const std::filesystem::path& cache) const {
    const result<fingerprints> found = fingerprint_of(open(), {.cache_folder = cache});
    if (!found) FAIL(found.error().message);
    return *found;
  }

 private:
  temporary_folder folder_;
  synthetic_checkpoint checkpoint_;
};

// Makes the tensor's last element NaN.
void poison(written_tensor& tensor) {
  tensor.bytes.replace(tensor.bytes.size() - 2, 2, "\xff\xff");
}

TEST_CASE("a fingerprint is remembered until a file changes", "[gpu][opened_model]") {
  model_folder model;
  const temporary_folder cache;
  const fingerprints first = model.prints(cache.path());
  CHECK_FALSE(first.remembered);
  const fingerprints second = model.prints(cache.path());
  CHECK(second.remembered);
  CHECK(second.model == first.model);
  CHECK(second.tokenizer == first.tokenizer);
  const auto weights = model.path() / "model.safetensors";
  const auto time = std::filesystem::last_write_time(weights);
  char& byte = model.tensor("model.norm.weight").bytes.front();
  byte = static_cast<char>(byte ^ 1);
  model.write_weights();
  std::filesystem::last_write_time(weights, time);  // Same size, same age, other bytes.
  const fingerprints third = model.prints(cache.path());
  CHECK_FALSE(third.remembered);
  CHECK(third.model != first.model);
  write_file(model.path() / "weft.json", "{}");
  CHECK_FALSE(model.prints(cache.path()).remembered);
}

TEST_CASE("a cache folder that cannot be used does not matter", "[gpu][opened_model]") {
  const model_folder model;
  const fingerprints without = model.prints({});
  const fingerprints first = model.prints("/proc/no-such-folder");
  const fingerprints second = model.prints("/proc/no-such-folder");
  CHECK(first.model == without.model);
  CHECK_FALSE(second.remembered);
}

TEST_CASE("a model with a weight that is no number is refused by name, and never remembered",
          "[gpu][opened_model]") {
  model_folder model;
  const temporary_folder cache;
  poison(model.tensor("model.layers.1.mlp.down_proj.weight"));
  model.write_weights();
  for (int i = 0; i < 2; ++i) {
    const result<fingerprints> found = fingerprint_of(model.open(), {.cache_folder = cache.path()});
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().kind == failure_kind::rejected);
    CHECK_THAT(found.error().message, Contains("model.layers.1.mlp.down_proj.weight"));
    CHECK_THAT(found.error().message, Contains("element 3839;"));
  }
}

TEST_CASE("what the model does not use may hold anything", "[gpu][opened_model]") {
  const temporary_folder folder;
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {.wrapped = true}, 4);
  written_tensor* beside = nullptr;
  for (written_tensor& each : checkpoint.tensors)
    if (each.name.find("visual") != std::string::npos && each.type == "BF16") beside = &each;
  REQUIRE(beside != nullptr);
  poison(*beside);
  checkpoint.write(folder.path());
  const result<opened_model> opened = open_model(folder.path());
  REQUIRE(opened.ok());
  CHECK(fingerprint_of(*opened, {}).ok());
}

TEST_CASE("files that change after opening are not remembered", "[gpu][opened_model]") {
  model_folder model;
  const temporary_folder cache;
  const opened_model before = model.open();
  write_file(model.path() / "weft.json", "{}");
  CHECK(fingerprint_of(before, {.cache_folder = cache.path()}).ok());
  CHECK_FALSE(std::filesystem::exists(cache_file_of(cache.path(), model.path())));
  // Nor is what was known of them before believed.
  model.prints(cache.path());
  const opened_model known = model.open();
  model.write_weights();
  const result<fingerprints> again = fingerprint_of(known, {.cache_folder = cache.path()});
  REQUIRE(again.ok());
  CHECK_FALSE(again->remembered);
}

TEST_CASE("the first reading tells how far it is, and later ones read nothing",
          "[gpu][opened_model]") {
  const model_folder model;
  const temporary_folder cache;
  std::int64_t last = 0;
  std::int64_t of = 0;
  const reading how{.cache_folder = cache.path(),
                    .on_progress = [&](std::int64_t done, std::int64_t total) {
                      CHECK(done > last);
                      last = done;
                      of = total;
                    }};
  CHECK(fingerprint_of(model.open(), how).ok());
  CHECK(last > 0);
  CHECK(last == of);
  last = 0;
  CHECK(fingerprint_of(model.open(), how).ok());
  CHECK(last == 0);
}

TEST_CASE("a folder without weights cannot be opened", "[gpu][opened_model]") {
  const temporary_folder folder;
  CHECK_FALSE(open_model(folder.path()).ok());
}

}  // namespace
}  // namespace weft::gpu
