// The attention kernel over spans at other local positions, against plain softmax in double.
#include <cmath>

#include <catch2/catch.hpp>

#include "gpu/host/rope_table.hpp"
#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 99;

// One key-value head in pages, filled span by span with random keys already turned to local
// positions.
class key_stage {
 public:
  key_stage(std::int64_t head_dim, std::int64_t rotary_dim)
      : dim_(head_dim), table_(rotary_dim, 1e4), random_(seed) {
    table_.grow(4096);
  }

  // A span of `tokens` keys at sequence position `first`, held at local positions from `local`.
  void add_span(std::int64_t first, std::int64_t tokens, std::int64_t local,
                std::int32_t offset = 0) {
    blocks_.emplace_back();
    for (std::int64_t done = 0; done < tokens; done += page_tokens) {
      const auto count = static_cast<std::int32_t>(std::min(page_tokens, tokens - done));
      blocks_.back().push_back({.page = pages_, .offset = offset, .count = count});
      arena_.resize(static_cast<std::size_t>((pages_ + 1) * page_floats() + 64), std::nanf(""));
      for (std::int32_t i = 0; i < count; ++i) place(pages_, offset + i, local + done + i);
      ++pages_;
    }
    spans_.push_back({.turn = first - local,
                      .first = first,
                      .block_count = static_cast<std::int64_t>(blocks_.back().size())});
    positions_end_ = first + tokens;
  }

  std::vector<float> attend(const kernel_table& kernels, const std::vector<float>& queries,
                            std::int64_t position, std::int64_t tokens, std::int64_t group) {
    for (std::size_t i = 0; i < spans_.size(); ++i) spans_[i].blocks = blocks_[i].data();
    std::vector<float> out(queries.size());
    std::vector<float> scratch(
        static_cast<std::size_t>(attention_scratch_floats(tokens * group, dim_)), std::nanf(""));
    kernels.attention(
        {.tokens = tokens,
         .group = group,
         .position = position,
         .q = queries.data(),
         .q_row = group * dim_,
         .q_head = dim_,
         .spans = spans_.data(),
         .span_count = static_cast<std::int64_t>(spans_.size()),
         .pages = {.arena = arena_.data(), .page_floats = page_floats(), .head_dim = dim_},
         .rope = table_.view(),
         .scale = 0.25F,
         .out = out.data(),
         .out_row = group * dim_,
         .out_head = dim_,
         .scratch = scratch.data()});
    return out;
  }

  // Keys turned to their place in the sequence, queries to theirs: what the kernel must equal.
  std::vector<double> expected(const std::vector<float>& queries, std::int64_t position,
                               std::int64_t tokens, std::int64_t group) const {
    std::vector<double> out;
    for (std::int64_t row = 0; row < tokens * group; ++row) {
      const std::int64_t at = position + row / group;
      const auto query = turned(queries.data() + row * dim_, at);
      std::vector<double> weights;
      double total = 0;
      for (std::int64_t key = 0; key <= at; ++key) {
        const auto place = turned(keys_[static_cast<std::size_t>(key)].data(), key);
        double dot = 0;
        for (std::size_t i = 0; i < place.size(); ++i) dot += place[i] * query[i];
        weights.push_back(std::exp(0.25 * dot));
        total += weights.back();
      }
      for (std::int64_t i = 0; i < dim_; ++i) {
        double sum = 0;
        for (std::int64_t key = 0; key <= at; ++key)
          sum += weights[static_cast<std::size_t>(key)] *
                 double{values_[static_cast<std::size_t>(key)][static_cast<std::size_t>(i)]};
        out.push_back(sum / total);
      }
    }
    return out;
  }

  testing::random_floats& random() { return random_; }
  std::int64_t positions_end() const { return positions_end_; }

 private:
  std::int64_t page_floats() const { return 2 * dim_ * page_tokens; }

  void place(std::int32_t page, std::int32_t slot, std::int64_t local) {
    keys_.push_back(random_.normal(dim_));
    values_.push_back(random_.normal(dim_));
    std::vector<float> turned_key(static_cast<std::size_t>(dim_));
    kernels_of(instruction_set::sse2)
        .rope({.x = keys_.back().data(),
               .y = turned_key.data(),
               .width = dim_,
               .position = local,
               .rope = table_.view()});
    float* keys = arena_.data() + page * page_floats();
    for (std::int64_t i = 0; i < dim_; ++i) {
      keys[i * page_tokens + slot] = turned_key[static_cast<std::size_t>(i)];
      keys[dim_ * page_tokens + slot * dim_ + i] = values_.back()[static_cast<std::size_t>(i)];
    }
  }

  std::vector<double> turned(const float* x, std::int64_t position) const {
    const rope_view rope = table_.view();
    std::vector<double> y(x, x + dim_);
    const std::int64_t half = rope.rotary_dim / 2;
    for (std::int64_t i = 0; i < half; ++i) {
      const double c = rope.cosines[position * half + i];
      const double s = rope.sines[position * half + i];
      y[static_cast<std::size_t>(i)] = double{x[i]} * c - double{x[half + i]} * s;
      y[static_cast<std::size_t>(half + i)] = double{x[half + i]} * c + double{x[i]} * s;
    }
    return y;
  }

  std::int64_t dim_;
  rope_table table_;
  testing::random_floats random_;
  std::int32_t pages_ = 0;
  std::vector<float> arena_;
  std::vector<std::vector<float>> keys_, values_;  // By sequence position, before turning.
  std::vector<std::vector<key_block>> blocks_;
  std::vector<span_view> spans_;
  std::int64_t positions_end_ = 0;
};

// A lead, an entry that was made behind an anchor of 82 tokens, a seam, an entry longer than a
// page, and the queries' own run.
void fill(key_stage& stage, std::int64_t own_tokens) {
  stage.add_span(0, 27, 0);
  stage.add_span(27, 70, 90);
  stage.add_span(97, 13, 97, 5);
  stage.add_span(110, 150, 8);
  stage.add_span(260, own_tokens, 260, 20);
}

}  // namespace

TEST_CASE("turned queries meet shared keys as if the keys stood in place", "[gpu][attention]") {
  for (const instruction_set set : testing::runnable_instruction_sets())
    for (const auto& [dim, rotary, group] :
         {std::array<std::int64_t, 3>{64, 16, 2}, {20, 8, 3}, {256, 64, 1}}) {
      INFO(name_of(set) << ", head " << dim << ", group " << group << ", seed " << seed);
      key_stage stage(dim, rotary);
      fill(stage, 17);
      const auto queries = stage.random().normal(17 * group * dim);
      const auto out = stage.attend(kernels_of(set), queries, 260, 17, group);
      CHECK(testing::relative_error(out, stage.expected(queries, 260, 17, group)) < 3e-6);
    }
}

TEST_CASE("a query's bits do not depend on the queries beside it", "[gpu][attention]") {
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    constexpr std::int64_t dim = 64;
    key_stage stage(dim, 16);
    fill(stage, 23);
    const auto queries = stage.random().normal(23 * 2 * dim);
    const auto together = stage.attend(kernels_of(set), queries, 260, 23, 2);
    for (std::int64_t i = 0; i < 23; ++i) {
      const std::vector<float> one(queries.begin() + i * 2 * dim,
                                   queries.begin() + (i + 1) * 2 * dim);
      const auto alone = stage.attend(kernels_of(set), one, 260 + i, 1, 2);
      CHECK(std::equal(alone.begin(), alone.end(), together.begin() + i * 2 * dim));
    }
  }
}

}  // namespace weft::gpu
