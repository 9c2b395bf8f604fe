#include "gpu/reference/recurrence.hpp"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "gpu/reference/elementwise.hpp"

namespace weft::gpu::reference {
namespace {

constexpr std::uint64_t seed = 90210;
constexpr std::int64_t key_dim = 12;
constexpr std::int64_t value_dim = 10;

// Draws tokens of any family in the ranges that trained layers show.
class token_source {
 public:
  explicit token_source(std::uint64_t from) : random_(from) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::vector<double> uniform_row(std::int64_t size, double low, double high) {
    std::vector<double> row(static_cast<std::size_t>(size));
    for (double& value : row) value = uniform(low, high);
    return row;
  }
  std::vector<double> unit_row() {
    std::vector<double> row = uniform_row(key_dim, -1, 1);
    unit_length(row);
    return row;
  }
  void fill(token_inputs& token) {
    token.query = unit_row();
    token.key = unit_row();
    token.value = uniform_row(value_dim, -1, 1);
  }

  void draw(lightning_token& token) {
    fill(token);
    token.log_decay = -0.02;
  }
  void draw(mamba2_token& token) {
    fill(token);
    token.dt = uniform(0.001, 0.1);
    token.a = -uniform(0.5, 2);
  }
  void draw(gla_token& token) {
    fill(token);
    token.log_decay = uniform_row(key_dim, -0.2, 0);
  }
  void draw(delta_token& token) {
    fill(token);
    token.beta = uniform(0, 1);
  }
  void draw(gated_delta_token& token) {
    fill(token);
    token.beta = uniform(0, 1);
    token.log_decay = uniform(-0.1, 0);
  }
  void draw(kda_token& token) {
    fill(token);
    token.beta = uniform(0, 1);
    token.log_decay = uniform_row(key_dim, -0.2, 0);
  }
  void draw(rwkv7_token& token) {
    fill(token);
    const std::vector<double> kk = unit_row();
    for (const double value : kk) {
      token.log_decay.push_back(-0.6065306597 * uniform(0, 1));
      token.read.push_back(-value);
      token.write.push_back(value * uniform(0, 1));
    }
  }

  template <class Token>
  std::vector<Token> tokens(std::int64_t count) {
    std::vector<Token> drawn(static_cast<std::size_t>(count));
    for (Token& token : drawn) draw(token);
    return drawn;
  }

 private:
  std::mt19937_64 random_;
};

matrix random_state(token_source& source) {
  matrix state;
  for (std::int64_t i = 0; i < key_dim; ++i) {
    state.append_row(source.uniform_row(value_dim, -1, 1));
  }
  return state;
}

// A_t as a matrix, straight from the table in deploy/docs/formulas.md G.1.
matrix diagonal(const std::vector<double>& logs) {
  matrix result = identity(static_cast<std::int64_t>(logs.size()));
  for (std::int64_t i = 0; i < result.rows(); ++i) {
    result.at(i, i) = std::exp(logs[static_cast<std::size_t>(i)]);
  }
  return result;
}
matrix scaled(double factor) { return diagonal(std::vector<double>(key_dim, std::log(factor))); }
matrix outer(const std::vector<double>& x, const std::vector<double>& y, double factor) {
  matrix result(static_cast<std::int64_t>(x.size()), static_cast<std::int64_t>(y.size()));
  for (std::int64_t i = 0; i < result.rows(); ++i) {
    for (std::int64_t j = 0; j < result.columns(); ++j) {
      result.at(i, j) = factor * x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
    }
  }
  return result;
}
affine one_token(const lightning_token& t) {
  return {scaled(std::exp(t.log_decay)), outer(t.key, t.value, 1)};
}
affine one_token(const mamba2_token& t) {
  return {scaled(std::exp(t.dt * t.a)), outer(t.key, t.value, t.dt)};
}
affine one_token(const gla_token& t) { return {diagonal(t.log_decay), outer(t.key, t.value, 1)}; }
affine one_token(const delta_token& t) {
  return {sum(identity(key_dim), outer(t.key, t.key, -t.beta)), outer(t.key, t.value, t.beta)};
}
affine one_token(const gated_delta_token& t) {
  const matrix erase = sum(identity(key_dim), outer(t.key, t.key, -t.beta));
  return {product(scaled(std::exp(t.log_decay)), erase), outer(t.key, t.value, t.beta)};
}
affine one_token(const kda_token& t) {
  const matrix erase = sum(identity(key_dim), outer(t.key, t.key, -t.beta));
  return {product(erase, diagonal(t.log_decay)), outer(t.key, t.value, t.beta)};
}
affine one_token(const rwkv7_token& t) {
  return {sum(diagonal(t.log_decay), outer(t.write, t.read, 1)), outer(t.key, t.value, 1)};
}

TEMPLATE_TEST_CASE("a token does what its family's formula says", "[gpu][recurrence]",
                   lightning_token, mamba2_token, gla_token, delta_token, gated_delta_token,
                   kda_token, rwkv7_token) {
  INFO("seed " << seed);
  token_source source(seed);
  for (int round = 0; round < 20; ++round) {
    const std::vector<TestType> tokens = source.tokens<TestType>(1);
    const matrix before = random_state(source);
    matrix after = before;
    const matrix outputs = run<TestType>(after, tokens);
    const matrix expected = apply(one_token(tokens[0]), before);
    CHECK(relative_error(after, expected) < 1e-14);
    matrix query;
    query.append_row(tokens[0].query);
    CHECK(relative_error(outputs, product(query, expected)) < 1e-13);
  }
}

TEMPLATE_TEST_CASE("the map of a segment is what its tokens do, and maps compose",
                   "[gpu][recurrence]", lightning_token, mamba2_token, gla_token, delta_token,
                   gated_delta_token, kda_token, rwkv7_token) {
  INFO("seed " << seed);
  for (const std::int64_t length : {1, 3, 7, 8, 9, 63, 64, 65, 130, 513}) {
    CAPTURE(length);
    token_source source(seed + static_cast<std::uint64_t>(length));
    const std::vector<TestType> tokens = source.tokens<TestType>(length);
    const std::span<const TestType> all = tokens;
    const matrix before = random_state(source);
    matrix after = before;
    run<TestType>(after, all);
    const affine whole = segment_map<TestType>(all);
    CHECK(relative_error(apply(whole, before), after) < 1e-12);
    for (const std::int64_t cut : {std::int64_t{1}, length / 2, length - 1}) {
      if (cut <= 0 || cut >= length) continue;
      const affine first = segment_map<TestType>(all.first(static_cast<std::size_t>(cut)));
      const affine second = segment_map<TestType>(all.subspan(static_cast<std::size_t>(cut)));
      const affine both = compose(second, first);
      CHECK(relative_error(both.transition, whole.transition) < 1e-12);
      CHECK(relative_error(both.offset, whole.offset) < 1e-12);
      CHECK(relative_error(apply(second, apply(first, before)), after) < 1e-12);
    }
  }
}

TEMPLATE_TEST_CASE("composition is associative", "[gpu][recurrence]", lightning_token, mamba2_token,
                   gla_token, delta_token, gated_delta_token, kda_token, rwkv7_token) {
  INFO("seed " << seed);
  token_source source(seed);
  for (const std::int64_t length : {1, 3, 7, 8, 9, 63, 64, 65, 130, 513}) {
    CAPTURE(length);
    const auto draw_map = [&](std::int64_t count) {
      const std::vector<TestType> tokens = source.tokens<TestType>(count);
      return segment_map<TestType>(tokens);
    };
    const affine a = draw_map(length);
    const affine b = draw_map(5);
    const affine c = draw_map(length);
    const affine left = compose(compose(c, b), a);
    const affine right = compose(c, compose(b, a));
    CHECK(relative_error(left.transition, right.transition) < 1e-12);
    CHECK(relative_error(left.offset, right.offset) < 1e-12);
  }
}

TEMPLATE_TEST_CASE("adding states instead of composing them is far off", "[gpu][recurrence]",
                   lightning_token, mamba2_token, gla_token, delta_token, gated_delta_token,
                   kda_token, rwkv7_token) {
  INFO("seed " << seed);
  token_source source(seed);
  const std::vector<TestType> tokens = source.tokens<TestType>(64);
  const std::span<const TestType> all = tokens;
  const affine first = segment_map<TestType>(all.first(32));
  const affine second = segment_map<TestType>(all.subspan(32));
  matrix after(key_dim, value_dim);
  run<TestType>(after, all);
  CHECK(relative_error(apply(second, first.offset), after) < 1e-12);
  CHECK(relative_error(sum(first.offset, second.offset), after) > 0.1);
}

TEST_CASE("the transition of no decay and no correction is the identity", "[gpu][recurrence]") {
  token_source source(seed);
  std::vector<gated_delta_token> tokens = source.tokens<gated_delta_token>(9);
  for (gated_delta_token& token : tokens) {
    token.beta = 0;
    token.log_decay = 0;
  }
  const affine map = segment_map<gated_delta_token>(tokens);
  CHECK(relative_error(map.transition, identity(key_dim)) == 0);
  CHECK(norm_of(map.offset) == 0);
}

}  // namespace
}  // namespace weft::gpu::reference
