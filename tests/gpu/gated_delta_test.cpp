// The gated delta net's chunk and token kernels against the float64 recurrence.
#include <catch2/catch.hpp>

#include "gpu/reference/recurrence.hpp"
#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 4711;

// Random tokens of one head, in the kernels' layout and in the reference's.
struct delta_tokens {
  std::int64_t tokens;
  std::int64_t key_dim;
  std::int64_t value_dim;
  std::vector<float> q, k, v, gates, betas;

  delta_tokens(testing::random_floats& random, std::int64_t count, std::int64_t keys,
               std::int64_t values, double gate_low, double gate_high)
      : tokens(count), key_dim(keys), value_dim(values) {
    q = random.normal(count * keys);
    k = random.normal(count * keys);
    v = random.normal(count * values, 2);
    normalise(q, 1 / std::sqrt(static_cast<double>(keys)));
    normalise(k, 1);
    for (std::int64_t i = 0; i < count; ++i) {
      gates.push_back(static_cast<float>(random.uniform(gate_low, gate_high)));
      betas.push_back(static_cast<float>(random.uniform(0, 1)));
    }
  }

  std::vector<reference::gated_delta_token> reference_tokens() const {
    std::vector<reference::gated_delta_token> made(static_cast<std::size_t>(tokens));
    for (std::int64_t t = 0; t < tokens; ++t) {
      auto& token = made[static_cast<std::size_t>(t)];
      token.query.assign(q.begin() + t * key_dim, q.begin() + (t + 1) * key_dim);
      token.key.assign(k.begin() + t * key_dim, k.begin() + (t + 1) * key_dim);
      token.value.assign(v.begin() + t * value_dim, v.begin() + (t + 1) * value_dim);
      token.log_decay = double{gates[static_cast<std::size_t>(t)]};
      token.beta = double{betas[static_cast<std::size_t>(t)]};
    }
    return made;
  }

  gated_delta_args args(std::int64_t first, std::int64_t count, float* state, float* out,
                        float* scratch) const {
    return {.tokens = count,
            .key_dim = key_dim,
            .value_dim = value_dim,
            .q = q.data() + first * key_dim,
            .k = k.data() + first * key_dim,
            .v = v.data() + first * value_dim,
            .token_row = 0,
            .gates = gates.data() + first,
            .betas = betas.data() + first,
            .gate_row = 1,
            .state = state,
            .out = out + first * value_dim,
            .out_row = value_dim,
            .scratch = scratch};
  }

 private:
  void normalise(std::vector<float>& rows, double scale) const {
    for (std::int64_t t = 0; t < tokens; ++t) {
      double squares = 0;
      for (std::int64_t i = 0; i < key_dim; ++i)
        squares += std::pow(double{rows[static_cast<std::size_t>(t * key_dim + i)]}, 2);
      for (std::int64_t i = 0; i < key_dim; ++i) {
        float& value = rows[static_cast<std::size_t>(t * key_dim + i)];
        value = static_cast<float>(double{value} * scale / std::sqrt(squares));
      }
    }
  }
};

// q, k and v interleaved as the layer keeps them: rows [q | k | v].
struct packed_tokens {
  std::vector<float> rows;
  std::int64_t row;

  explicit packed_tokens(const delta_tokens& from) : row(2 * from.key_dim + from.value_dim) {
    for (std::int64_t t = 0; t < from.tokens; ++t) {
      rows.insert(rows.end(), from.q.begin() + t * from.key_dim,
                  from.q.begin() + (t + 1) * from.key_dim);
      rows.insert(rows.end(), from.k.begin() + t * from.key_dim,
                  from.k.begin() + (t + 1) * from.key_dim);
      rows.insert(rows.end(), from.v.begin() + t * from.value_dim,
                  from.v.begin() + (t + 1) * from.value_dim);
    }
  }

  void point(gated_delta_args& args, const delta_tokens& from, std::int64_t first) const {
    args.q = rows.data() + first * row;
    args.k = args.q + from.key_dim;
    args.v = args.k + from.key_dim;
    args.token_row = row;
  }
};

std::vector<double> flat(const reference::matrix& m) {
  return {m.values().begin(), m.values().end()};
}

struct kernel_result {
  std::vector<float> state, transition, out;
};

kernel_result run_chunks(const kernel_table& kernels, const delta_tokens& tokens,
                         std::vector<float> state) {
  const packed_tokens packed(tokens);
  kernel_result made{
      .state = std::move(state),
      .transition = std::vector<float>(static_cast<std::size_t>(tokens.key_dim * tokens.key_dim)),
      .out = std::vector<float>(static_cast<std::size_t>(tokens.tokens * tokens.value_dim))};
  for (std::int64_t i = 0; i < tokens.key_dim; ++i)
    made.transition[static_cast<std::size_t>(i * tokens.key_dim + i)] = 1;
  std::vector<float> scratch(
      static_cast<std::size_t>(gated_delta_scratch_floats(tokens.key_dim, tokens.value_dim)),
      std::nanf(""));
  for (std::int64_t first = 0; first < tokens.tokens; first += chunk_tokens) {
    auto args = tokens.args(first, std::min(chunk_tokens, tokens.tokens - first), made.state.data(),
                            made.out.data(), scratch.data());
    packed.point(args, tokens, first);
    args.transition = made.transition.data();
    kernels.gated_delta_chunk(args);
  }
  return made;
}

void check_against_reference(std::int64_t count, std::int64_t keys, std::int64_t values,
                             double gate_low, double gate_high, double state_size) {
  testing::random_floats random(seed);
  const delta_tokens tokens(random, count, keys, values, gate_low, gate_high);
  const auto start = random.normal(keys * values, state_size);
  const auto list = tokens.reference_tokens();
  reference::matrix state(keys, values);
  for (std::int64_t i = 0; i < keys; ++i)
    for (std::int64_t j = 0; j < values; ++j)
      state.at(i, j) = double{start[static_cast<std::size_t>(i * values + j)]};
  const auto out = reference::run(state, std::span<const reference::gated_delta_token>(list));
  const auto map = reference::segment_map(std::span<const reference::gated_delta_token>(list));
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    INFO(name_of(set) << ", " << count << " tokens, " << keys << " x " << values << ", gates "
                      << gate_low << " to " << gate_high << ", seed " << seed);
    const kernel_result made = run_chunks(kernels_of(set), tokens, start);
    CHECK(testing::relative_error(made.out, flat(out)) < 3e-6);
    CHECK(testing::relative_error(made.state, flat(state)) < 3e-6);
    if (gate_low * static_cast<double>(count) > -60)
      CHECK(testing::relative_error(made.transition, flat(map.transition)) < 3e-6);
  }
}

}  // namespace

TEST_CASE("gated delta chunks agree with the recurrence at every length", "[gpu][gated_delta]") {
  for (const std::int64_t count : {1, 3, 7, 8, 9, 63, 64, 65, 130, 513})
    check_against_reference(count, 128, 128, -0.1, -0.001, 1);
}

TEST_CASE("gated delta chunks take odd head sizes", "[gpu][gated_delta]") {
  check_against_reference(70, 20, 36, -0.1, -0.001, 1);
  check_against_reference(9, 7, 5, -0.1, -0.001, 1);
  check_against_reference(65, 64, 128, -0.1, -0.001, 1);
  check_against_reference(65, 128, 32, -0.1, -0.001, 1);
}

TEST_CASE("gated delta chunks take gates near 0 and near 1, and large states",
          "[gpu][gated_delta]") {
  check_against_reference(130, 64, 64, -1e-7, 0, 1);
  check_against_reference(130, 64, 64, -20, -5, 1);
  check_against_reference(130, 64, 64, -0.05, 0, 1e6);
}

TEST_CASE("a chunk's bits do not depend on the columns beside it", "[gpu][gated_delta]") {
  testing::random_floats random(seed);
  const delta_tokens tokens(random, 64, 128, 128, -0.1, 0);
  const packed_tokens packed(tokens);
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    const kernel_result with = run_chunks(kernels_of(set), tokens, std::vector<float>(128 * 128));
    kernel_result without = with;
    without.state.assign(128 * 128, 0);
    std::vector<float> alone(128 * 128, 0);
    std::vector<float> scratch(static_cast<std::size_t>(gated_delta_scratch_floats(128, 128)));
    auto args = tokens.args(0, 64, without.state.data(), without.out.data(), scratch.data());
    packed.point(args, tokens, 0);
    args.alone = alone.data();
    kernels_of(set).gated_delta_chunk(args);
    CHECK(with.state == without.state);
    CHECK(with.out == without.out);
    CHECK(alone == with.state);
  }
}

TEST_CASE("a chunk that is told what its matrices begin with gives the same",
          "[gpu][gated_delta]") {
  testing::random_floats random(seed);
  for (const std::int64_t count : {5, 64}) {
    const delta_tokens tokens(random, count, 32, 24, -0.1, 0);
    const packed_tokens packed(tokens);
    for (const instruction_set set : testing::runnable_instruction_sets()) {
      INFO(name_of(set) << ", " << count << " tokens, seed " << seed);
      const auto run = [&](bool told) {
        kernel_result made{.state = std::vector<float>(32 * 24),
                           .transition = std::vector<float>(32 * 32),
                           .out = std::vector<float>(static_cast<std::size_t>(count * 24))};
        for (std::size_t i = 0; i < 32; ++i) made.transition[i * 32 + i] = 1;
        std::vector<float> alone(32 * 24);
        std::vector<float> scratch(static_cast<std::size_t>(gated_delta_scratch_floats(32, 24)));
        auto args = tokens.args(0, count, made.state.data(), made.out.data(), scratch.data());
        packed.point(args, tokens, 0);
        args.transition = made.transition.data();
        args.alone = alone.data();
        args.state_is_zero = told;
        args.entry_begins = told;
        kernels_of(set).gated_delta_chunk(args);
        CHECK(alone == made.state);
        return made;
      };
      const kernel_result told = run(true);
      const kernel_result multiplied = run(false);
      CHECK(told.state == multiplied.state);
      CHECK(told.transition == multiplied.transition);
      CHECK(told.out == multiplied.out);
    }
  }
}

TEST_CASE("the token kernel follows the recurrence", "[gpu][gated_delta]") {
  testing::random_floats random(seed);
  const delta_tokens tokens(random, 33, 20, 36, -0.5, 0);
  const packed_tokens packed(tokens);
  const auto list = tokens.reference_tokens();
  reference::matrix state(20, 36);
  const auto out = reference::run(state, std::span<const reference::gated_delta_token>(list));
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    std::vector<float> running(20 * 36);
    std::vector<float> outputs(33 * 36);
    std::vector<float> scratch(static_cast<std::size_t>(gated_delta_scratch_floats(20, 36)));
    auto args = tokens.args(0, 33, running.data(), outputs.data(), scratch.data());
    packed.point(args, tokens, 0);
    kernels_of(set).gated_delta_token(args);
    CHECK(testing::relative_error(outputs, flat(out)) < 3e-6);
    CHECK(testing::relative_error(running, flat(state)) < 3e-6);
  }
}

TEST_CASE("the splice composes, and S_C comes back by the identity", "[gpu][splice]") {
  testing::random_floats random(seed);
  for (const std::int64_t count : {64, 130, 513}) {
    const delta_tokens tokens(random, count, 128, 128, -0.05, -0.001);
    const auto start = random.normal(128 * 128);
    const auto list = tokens.reference_tokens();
    const auto map = reference::segment_map(std::span<const reference::gated_delta_token>(list));
    for (const instruction_set set : testing::runnable_instruction_sets()) {
      const kernel_table& kernels = kernels_of(set);
      const kernel_result made = run_chunks(kernels, tokens, start);
      std::vector<float> share = start;
      std::vector<float> scratch(128 * 128);
      kernels.identity_share({.key_dim = 128,
                              .value_dim = 128,
                              .state = made.state.data(),
                              .transition = made.transition.data(),
                              .share = share.data(),
                              .scratch = scratch.data()});
      // Rounding is relative to what runs, not to S_C (ARCHITECTURE.md).
      const auto expected = flat(map.offset);
      double error = 0;
      double bound = 0;
      double jumped = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::pow(double{share[i]} - expected[i], 2);
        bound += std::pow(double{made.state[i]}, 2);
        jumped += std::pow(double{made.state[i]} - expected[i], 2);
      }
      CHECK(std::sqrt(error) <= 3e-6 * (std::sqrt(bound) + std::sqrt(jumped)));
      std::vector<float> state = start;
      kernels.splice({.key_dim = 128,
                      .value_dim = 128,
                      .state = state.data(),
                      .transition = made.transition.data(),
                      .share = share.data(),
                      .scratch = scratch.data()});
      CHECK(testing::relative_error(state, made.state) < 3e-6);
      std::vector<float> added = start;
      kernels.splice({.key_dim = 128,
                      .value_dim = 128,
                      .state = added.data(),
                      .share = share.data(),
                      .scratch = scratch.data()});
      if (count == 64) CHECK(testing::relative_error(added, made.state) > 0.1);
    }
  }
}

}  // namespace weft::gpu
