// What a step allocates, once the engine's memory has grown: nothing, and nothing in its layers
// even where splices and entries make its sequences' lists longer.
//
// Of the layers that is seen by their number: a model with more of them allocates just as much as
// one with fewer.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/host/host_engine.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/steady_steps.hpp"

namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) noexcept {
  allocations.fetch_add(1);
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
}

void* counted_or_throw(std::size_t bytes, std::size_t alignment) {
  void* memory = counted(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

// Every form that the standard library and our buffers call, so that none is missed and none is
// freed by another one's twin.
void* operator new(std::size_t bytes) { return counted_or_throw(bytes, usual); }
void* operator new[](std::size_t bytes) { return counted_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, usual);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace weft::gpu {
namespace {

// Allocations of the last of three equal steps: prefill chunks, a splice and decode rows.
std::int64_t allocations_of_a_step(model_shape shape, std::size_t repeats) {
  const std::vector<layer_kind> pattern = shape.layers;
  const std::vector<feed_kind> feeds = shape.feeds;
  for (std::size_t i = 1; i < repeats; ++i) {
    shape.layers.insert(shape.layers.end(), pattern.begin(), pattern.end());
    shape.feeds.insert(shape.feeds.end(), feeds.begin(), feeds.end());
  }
  auto weights = random_weights(shape, 5);
  if (!weights) FAIL(weights.error().message);
  auto made = host_engine::make(std::move(*weights), {.threads = 2});
  if (!made) FAIL(made.error().message);
  host_engine& engine = **made;

  std::int64_t last = 0;
  sequence decoding = engine.make_sequence().value();
  REQUIRE(engine.reserve(decoding, {200}).ok());
  for (int i = 0; i < 4; ++i) {
    sequence alone = engine.make_sequence().value();
    sequence context = engine.make_sequence().value();
    REQUIRE(engine.reserve(context, {70}).ok());
    const auto document = engine.make_entry(entry_kind::splice, 40).value();
    step_plan plan;
    plan.isolated.push_back(
        {.target = &alone,
         .work = {begin_entry{document}, run_tokens{.tokens = token_ids(40, 3)}, end_entry{}}});
    plan.context.push_back(
        {.target = &context,
         .work = {splice_entry{.what = document}, run_tokens{.tokens = token_ids(70, 4)}}});
    plan.context.push_back(
        {.target = &decoding,
         .work = {run_tokens{.tokens = {1},
                             .kind = i == 0 ? row_class::prefill : row_class::decode,
                             .starts_grid = i == 0,
                             .draw = sampling{}}}});
    const std::int64_t before = allocations.load();
    const auto done = run_step(engine, std::move(plan));
    last = allocations.load() - before;
    REQUIRE(done.ok());
  }
  return last;
}

}  // namespace

TEST_CASE("the layers of a step allocate nothing", "[gpu][step_allocations]") {
  for (const model_shape& shape :
       {testing::small_shape(), testing::small_sparse_shape(), testing::small_next_shape()}) {
    CAPTURE(shape.architecture);
    const std::int64_t few_layers = allocations_of_a_step(shape, 1);
    CHECK(few_layers > 0);  // The counter counts.
    CHECK(allocations_of_a_step(shape, 3) == few_layers);
  }
}

TEST_CASE("a step as large as one before allocates nothing", "[gpu][step_allocations]") {
  for (const model_shape& shape :
       {testing::small_shape(), testing::small_sparse_shape(), testing::small_next_shape()}) {
    CAPTURE(shape.architecture);
    testing::steady_steps steps(shape);
    std::vector<std::int64_t> counts;
    for (int i = 0; i < testing::steady_steps::steps_max; ++i) {
      step_plan plan = steps.next_plan();
      const std::int64_t before = allocations.load();
      auto done = run_step(steps.on(), std::move(plan));
      counts.push_back(allocations.load() - before);
      steps.take(std::move(done));
    }
    CHECK(counts[0] > 0);  // The counter counts.
    // The first step reads out fewer rows than those after it.
    for (std::size_t i = 2; i < counts.size(); ++i) CHECK(counts[i] == 0);
  }
}

TEST_CASE("without memory for its outcome a step allocates that alone", "[gpu][step_allocations]") {
  testing::steady_steps steps(testing::small_shape());
  for (int i = 0; i < testing::steady_steps::steps_max; ++i) {
    step_plan plan = steps.next_plan();
    plan.reused = {};
    const std::int64_t before = allocations.load();
    auto done = run_step(steps.on(), std::move(plan));
    const std::int64_t count = allocations.load() - before;
    if (i >= 2) {
      CHECK(count > 0);
      CHECK(count <= testing::steady_steps::outcome_allocations_max);
    }
    steps.take(std::move(done));
  }
}

}  // namespace weft::gpu
