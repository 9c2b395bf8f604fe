#include "gpu/host/host_model.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/host/host_engine.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/golden.hpp"

namespace weft::gpu {
namespace {

// A float32 copy of a tensor of which one element, the last, is `bad`; owned by `storage`.
void plant(tensor_view& in, std::vector<float>& storage, float bad) {
  storage.resize(static_cast<std::size_t>(in.elements()));
  to_float32(in, 0, storage);
  storage.back() = bad;
  in.type = element_type::float32;
  in.bytes = std::as_bytes(std::span(storage));
}

std::string complaint_of(model_weights weights) {
  auto made = host_engine::make(std::move(weights), {.threads = 2});
  REQUIRE(made.ok());
  const status checked = (*made)->check_weights();
  if (checked.ok()) return "";
  CHECK(checked.error().kind == failure_kind::broken);
  return checked.error().message;
}

// A checkpoint of a small model, loaded from its file.
model_weights mapped_weights(const model_shape& shape, element_type type) {
  const testing::temporary_folder folder;
  testing::make_checkpoint(shape,
                           {.type = type, .fused_experts = shape.architecture != "qwen3_next"}, 11)
      .write(folder.path());
  auto weights = load_checkpoint(folder.path());
  if (!weights) FAIL(weights.error().message);
  return std::move(*weights);
}

// Bits of weights that are overwritten with NaN, and put back at the end.
class damage {
 public:
  damage(std::span<const std::byte> bytes, std::size_t first, std::size_t count)
      : at_(const_cast<std::byte*>(bytes.data()) + first), kept_(at_, at_ + count) {
    std::memset(at_, 0xff, count);
  }
  ~damage() { std::memcpy(at_, kept_.data(), kept_.size()); }
  damage(const damage&) = delete;
  damage& operator=(const damage&) = delete;

 private:
  std::byte* at_;
  std::vector<std::byte> kept_;
};

// Pages of a mapped file that this process may write become its own; the file stays as it is.
void make_writable(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(bytes.data() + bytes.size());
  REQUIRE(::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE) == 0);
}

// Whether a sequence of its own runs through all layers without a fault. Every row is asked for, so
// that every expert has visitors.
bool step_succeeds(host_engine& engine) {
  sequence target = engine.make_sequence().value();
  REQUIRE(engine.reserve(target, {40}).ok());
  token_ids tokens(40);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<token_id>(i % 30);
  step_plan plan;
  plan.context.push_back(
      {.target = &target, .work = {run_tokens{.tokens = tokens, .targets = tokens}}});
  const auto done = run_step(engine, std::move(plan));
  REQUIRE(done.ok());
  return !done->context[0].error.has_value();
}

}  // namespace

TEST_CASE("whole weights are found whole", "[gpu][host_model]") {
  CHECK(complaint_of(testing::tiny_model()).empty());
}

TEST_CASE("one bad number in any kind of weights is found and its tensor named",
          "[gpu][host_model]") {
  const auto linear = [](model_weights& all) -> gated_delta_weights& {
    return std::get<gated_delta_weights>(all.layers[2].mixer);
  };
  const std::vector<std::function<tensor_view&(model_weights&)>> plans = {
      [](model_weights& all) -> tensor_view& { return all.embedding; },
      [](model_weights& all) -> tensor_view& { return all.layers[1].input_norm; },
      [&](model_weights& all) -> tensor_view& { return linear(all).in_a.blocks[0]; },
      [&](model_weights& all) -> tensor_view& { return linear(all).dt_bias; },
      [](model_weights& all) -> tensor_view& { return all.final_norm; }};
  for (const auto& of : plans) {
    model_weights weights = testing::tiny_model();
    std::vector<float> storage;
    plant(of(weights), storage, std::nanf(""));
    const std::string name = of(weights).name;
    const std::string told = complaint_of(std::move(weights));
    CAPTURE(told);
    CHECK(told.find(name) != std::string::npos);
  }
}

TEST_CASE("weights that go bad after loading are found in the memory that steps read",
          "[gpu][host_model]") {
  const auto type = GENERATE(element_type::bfloat16, element_type::float16, element_type::float32);
  const std::int64_t packed_bytes_max = GENERATE(std::int64_t{1} << 30, std::int64_t{0});
  for (const model_shape& shape :
       {testing::small_shape(), testing::small_sparse_shape(), testing::small_next_shape()}) {
    model_weights weights = mapped_weights(shape, type);
    std::set<std::string> names;
    each_tensor(weights, [&](const tensor_view& tensor) {
      if (!tensor.bytes.empty()) names.insert(tensor.name);
    });
    auto made =
        host_engine::make(std::move(weights), {.threads = 1, .packed_bytes_max = packed_bytes_max});
    if (!made) FAIL(made.error().message);
    host_engine& engine = **made;
    REQUIRE(engine.check_weights().ok());
    REQUIRE(step_succeeds(engine));
    std::set<std::string> seen;
    std::set<weight_place> places;
    engine.show_weights([&](const weight_piece& piece) {
      CAPTURE(shape.architecture, piece.name, static_cast<int>(piece.place));
      seen.insert(piece.name);
      places.insert(piece.place);
      if (piece.place == weight_place::mapped) make_writable(piece.bytes);
      const auto width = static_cast<std::size_t>(bytes_of(piece.type));
      for (const std::size_t first : {std::size_t{0}, piece.bytes.size() - width}) {
        const damage one(piece.bytes, first, width);
        const status checked = engine.check_weights();
        REQUIRE_FALSE(checked.ok());
        CHECK(checked.error().kind == failure_kind::broken);
        CHECK(checked.error().message.find("\"" + piece.name + "\"") != std::string::npos);
      }
      // It is what steps compute with: without it no step succeeds.
      const damage all(piece.bytes, 0, piece.bytes.size());
      CHECK_FALSE(step_succeeds(engine));
    });
    CHECK(seen == names);
    const bool packed = packed_bytes_max > 0;
    CHECK(places.count(weight_place::copied) == 1);
    CHECK(places.count(weight_place::mapped) == 1);  // The embedding, at least.
    CHECK(places.count(weight_place::packed) == (packed ? 1 : 0));
    CHECK(engine.check_weights().ok());
    CHECK(step_succeeds(engine));
  }
}

}  // namespace weft::gpu
