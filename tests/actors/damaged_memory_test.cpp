// Real damage on the host engine with the bundled checkpoint: NaN in the memory of cached entries,
// part by part, and in the weights.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include <catch2/catch.hpp>

#include "actors/session/session.hpp"
#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/host/host_engine.hpp"
#include "tests/gpu/chosen_instructions.hpp"

namespace weft::actors {
namespace {

constexpr std::int64_t stored = 76;  // Of a document of 100 tokens.

// The host engine, and what a test must know of it: which entries it made.
class watched_engine final : public gpu::engine {
 public:
  explicit watched_engine(std::unique_ptr<gpu::host_engine> behind) : behind_(std::move(behind)) {}

  const gpu::model_shape& shape() const override { return behind_->shape(); }
  const gpu::engine_traits& traits() const override { return behind_->traits(); }
  gpu::engine_counts counts() const override { return behind_->counts(); }
  result<gpu::sequence> make_sequence() override { return behind_->make_sequence(); }
  status reserve(gpu::sequence& target, const std::vector<std::int64_t>& runs) override {
    return behind_->reserve(target, runs);
  }
  result<std::shared_ptr<gpu::entry>> make_entry(gpu::entry_kind kind,
                                                 std::int64_t tokens) override {
    auto entry = behind_->make_entry(kind, tokens);
    if (entry.ok()) made.push_back(*entry);
    return entry;
  }
  void submit(gpu::step_plan plan, std::function<void(result<gpu::step_outcome>)> done) override {
    behind_->submit(std::move(plan), std::move(done));
  }
  std::unique_ptr<gpu::open_step> open(gpu::step_plan plan) override {
    return behind_->open(std::move(plan));
  }
  void submit(gpu::open_step& step, std::int64_t end_layer,
              std::function<void(result<std::optional<gpu::step_outcome>>)> done) override {
    behind_->submit(step, end_layer, std::move(done));
  }
  std::int64_t layer_bytes_max(const gpu::entry& of, std::int64_t layer) const override {
    return behind_->layer_bytes_max(of, layer);
  }
  std::int64_t read_layer(const gpu::entry& of, std::int64_t layer,
                          std::span<std::byte> out) const override {
    return behind_->read_layer(of, layer, out);
  }
  status write_layer(gpu::entry& to, std::int64_t layer,
                     std::span<const std::byte> record) override {
    return behind_->write_layer(to, layer, record);
  }
  status check_weights() override { return behind_->check_weights(); }

  // The newest entry of so many stored tokens.
  std::shared_ptr<gpu::entry> newest(std::int64_t tokens) const {
    std::shared_ptr<gpu::entry> found;
    for (const auto& each : made)
      if (auto entry = each.lock(); entry && entry->tokens == tokens) found = entry;
    REQUIRE(found != nullptr);
    return found;
  }
  void damage(std::int64_t tokens, gpu::entry_part part) {
    const auto what = newest(tokens);
    gpu::entry_place place{.part = part};
    const std::int64_t heads = shape().linear.value_heads;
    if (part == gpu::entry_part::transition)
      for (std::size_t flag = 0; flag < what->closed.size(); ++flag)
        if (what->closed[flag] == 0) {
          place.layer = static_cast<std::int64_t>(flag) / heads;
          place.head = static_cast<std::int64_t>(flag) % heads;
          break;
        }
    if (part == gpu::entry_part::convolution) place.row = shape().linear.conv_kernel - 2;
    if (part == gpu::entry_part::keys || part == gpu::entry_part::values) place.row = tokens - 1;
    behind_->float_of(*what, place) = std::nanf("");
  }

  // Overwrites one element of a weight with NaN, in the memory that steps read. Requires: memory
  // that this process may write.
  void damage(const std::string& weight, gpu::weight_place place) {
    bool found = false;
    behind_->show_weights([&](const gpu::weight_piece& piece) {
      if (!piece.name.ends_with(weight)) return;
      REQUIRE(piece.place == place);
      const auto width = static_cast<std::size_t>(gpu::bytes_of(piece.type));
      std::memset(const_cast<std::byte*>(piece.bytes.data()), 0xff, width);
      found = true;
    });
    REQUIRE(found);
  }

  std::vector<std::weak_ptr<gpu::entry>> made;

 private:
  std::unique_ptr<gpu::host_engine> behind_;
};

struct damage_stage {
  explicit damage_stage(gpu::model_weights weights,
                        gpu::weight_place form = gpu::weight_place::packed) {
    const std::int64_t packed_bytes_max = form == gpu::weight_place::packed ? 1 << 30 : 0;
    auto behind = gpu::host_engine::make(std::move(weights),
                                         {.threads = 2,
                                          .instructions = gpu::testing::chosen_instructions(),
                                          .packed_bytes_max = packed_bytes_max});
    if (!behind) FAIL(behind.error().message);
    auto watched = std::make_unique<watched_engine>(std::move(*behind));
    engine = watched.get();
    session_options options;
    options.profile_seam = {.head_tokens = 8, .tail_tokens = 16};
    auto made = session::make(std::move(watched), std::move(options));
    REQUIRE(made.ok());
    live = std::move(*made);
  }
  answer run(const request& asked) {
    auto done = live->run(asked);
    if (!done) FAIL(done.error().message);
    return std::move(*done);
  }
  std::int64_t held(gpu::unit_owner owner) const {
    const gpu::engine_counts counts = engine->counts();
    std::int64_t units = 0;
    for (const auto* pool : {&counts.pages, &counts.state_slots, &counts.transition_slots}) {
      std::int64_t sum = pool->free;
      for (const std::int64_t each : pool->held) sum += each;
      CHECK(sum == pool->total);
      units += pool->held[static_cast<std::size_t>(owner)];
    }
    return units;
  }

  watched_engine* engine = nullptr;
  std::unique_ptr<session> live;
};

gpu::model_weights tiny_weights() {
  auto weights =
      gpu::load_checkpoint(std::filesystem::path(WEFT_SOURCE_DIR) / "examples/models/tiny-qwen3_5");
  if (!weights) FAIL(weights.error().message);
  return std::move(*weights);
}

request question(std::int64_t vocabulary) {
  std::mt19937 random(20260102);
  request made;
  for (const std::size_t count : {20, 100, 70, 12}) {
    token_ids ids(count);
    for (token_id& id : ids)
      id = static_cast<token_id>(random() % static_cast<unsigned>(vocabulary));
    made.segments.push_back({.tokens = std::move(ids)});
  }
  made.new_tokens_max = 6;
  made.want_logits = true;
  return made;
}

void check_same(const answer& got, const answer& clean) {
  CHECK(got.tokens == clean.tokens);
  CHECK(got.last_logits == clean.last_logits);
}

}  // namespace

TEST_CASE("NaN in any part of a cached entry changes no bit of the answer",
          "[actors][damaged_memory]") {
  damage_stage stage(tiny_weights());
  const request asked = question(2045);
  const answer clean = stage.run(asked);
  std::int64_t found = 0;
  for (const auto part :
       {gpu::entry_part::state, gpu::entry_part::transition, gpu::entry_part::convolution,
        gpu::entry_part::keys, gpu::entry_part::values}) {
    CAPTURE(static_cast<int>(part));
    stage.engine->damage(stored, part);
    const answer got = stage.run(asked);
    check_same(got, clean);
    REQUIRE(got.receipts.size() == 4);
    CHECK(got.receipts[1].what == verdict::cold);
    CHECK(got.receipts[1].reason == verdict_reason::invalid);
    CHECK(got.receipts[0].what == verdict::warm);
    CHECK(got.receipts[2].what == verdict::warm);
    CHECK(stage.live->cached().quarantined == quarantine_counts{0, ++found, 0});
    CHECK(stage.held(gpu::unit_owner::in_flight) == 0);
    CHECK(stage.held(gpu::unit_owner::quarantined) == 0);
  }
  // The lead is a checkpoint, and goes bad like any other entry.
  stage.engine->damage(20, gpu::entry_part::state);
  const answer got = stage.run(asked);
  check_same(got, clean);
  CHECK(got.receipts[0].reason == verdict_reason::invalid);
  const answer warm = stage.run(asked);
  check_same(warm, clean);
  CHECK(warm.reused_tokens == 20 + 76 + 46);
}

TEST_CASE("keys that go bad under a running answer are found by its logits",
          "[actors][damaged_memory]") {
  damage_stage stage(tiny_weights());
  const request asked = question(2045);
  const answer clean = stage.run(asked);
  REQUIRE(clean.tokens.size() >= 3);
  token_ids heard;
  const auto id = stage.live->start(asked, [&](token_id token) {
    heard.push_back(token);
    if (heard.size() == 2) stage.engine->damage(stored, gpu::entry_part::values);
  });
  REQUIRE(id.ok());
  while (stage.live->step()) {
  }
  const auto done = stage.live->take(*id);
  REQUIRE(done.has_value());
  if (!done->ok()) FAIL(done->error().message);
  check_same(**done, clean);
  CHECK(heard == clean.tokens);
  CHECK((*done)->receipts[1].reason == verdict_reason::invalid);
  CHECK(stage.live->cached().quarantined == quarantine_counts{0, 1, 0});
  CHECK(stage.held(gpu::unit_owner::in_flight) == 0);
}

TEST_CASE("a NaN in one weight fails the request by name and breaks the session",
          "[actors][damaged_memory]") {
  for (const reuse_mode mode : {reuse_mode::stitched, reuse_mode::full_recompute}) {
    auto weights = gpu::random_weights(tiny_weights().shape, 7);
    REQUIRE(weights.ok());
    gpu::tensor_view& in_qkv =
        std::get<gpu::gated_delta_weights>(weights->layers[1].mixer).in_qkv.blocks[0];
    std::vector<float> values(static_cast<std::size_t>(in_qkv.elements()));
    gpu::to_float32(in_qkv, 0, values);
    values.back() = std::nanf("");
    in_qkv.type = gpu::element_type::float32;
    in_qkv.bytes = std::as_bytes(std::span(values));
    damage_stage stage(std::move(*weights));
    request asked = question(2045);
    asked.mode = mode;
    const auto done = stage.live->run(asked);
    REQUIRE_FALSE(done.ok());
    CAPTURE(done.error().message);
    CHECK(done.error().kind == failure_kind::broken);
    CHECK(done.error().message.find(mode == reuse_mode::stitched ? "segment " : "position ") !=
          std::string::npos);
    const auto later = stage.live->start(asked);
    REQUIRE_FALSE(later.ok());
    CHECK(later.error().kind == failure_kind::broken);
    CHECK(later.error().message.find("layers.1.linear_attn.in_proj_qkv.weight") !=
          std::string::npos);
    CHECK(stage.held(gpu::unit_owner::in_flight) == 0);
    CHECK(stage.held(gpu::unit_owner::quarantined) == 0);
  }
}

TEST_CASE("a weight that goes bad under a session breaks it by name, wherever it is kept",
          "[actors][damaged_memory]") {
  const auto check = [](const std::string& weight, gpu::weight_place place) {
    CAPTURE(weight, static_cast<int>(place));
    auto weights = gpu::random_weights(tiny_weights().shape, 7);
    REQUIRE(weights.ok());
    damage_stage stage(std::move(*weights), place);
    const request asked = question(2045);
    stage.run(asked);
    stage.engine->damage(weight, place);
    const auto done = stage.live->run(asked);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().kind == failure_kind::broken);
    const auto later = stage.live->start(asked);
    REQUIRE_FALSE(later.ok());
    CAPTURE(later.error().message);
    CHECK(later.error().kind == failure_kind::broken);
    CHECK(later.error().message.find(weight) != std::string::npos);
    CHECK(stage.held(gpu::unit_owner::in_flight) == 0);
  };
  for (const auto form : {gpu::weight_place::packed, gpu::weight_place::mapped})
    check("layers.1.linear_attn.in_proj_qkv.weight", form);
  check("layers.2.input_layernorm.weight", gpu::weight_place::copied);
  check("layers.0.linear_attn.conv1d.weight", gpu::weight_place::copied);
}

}  // namespace weft::actors
