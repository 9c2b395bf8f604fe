#include "gpu/pools/pool.hpp"

#include <csignal>
#include <cstdlib>
#include <random>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/planted_lease.hpp"
#include "tests/test_seed.hpp"

namespace weft::gpu {
namespace {

std::int64_t sum(const pool_counts& counts) {
  std::int64_t held = counts.free;
  for (const std::int64_t each : counts.held) held += each;
  return held;
}

// What a child process writes to standard error while it runs `act`, and how it ended.
template <class Act>
std::string last_words(Act act, int& end) {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe(pipe_ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Catch's handler would tell of a failed test.
    dup2(pipe_ends[1], STDERR_FILENO);
    act();
    std::_Exit(EXIT_SUCCESS);
  }
  close(pipe_ends[1]);
  std::string words(4096, '\0');
  const auto read_bytes = read(pipe_ends[0], words.data(), words.size());
  close(pipe_ends[0]);
  REQUIRE(waitpid(child, &end, 0) == child);
  words.resize(read_bytes > 0 ? static_cast<std::size_t>(read_bytes) : 0);
  return words;
}

}  // namespace

TEST_CASE("a unit comes back when its lease goes", "[gpu][pool]") {
  unit_pool pool("pages", 2);
  {
    auto first = pool.take(unit_owner::in_flight);
    REQUIRE(first.ok());
    CHECK(pool.counts().free == 1);
    const unit_lease moved = std::move(*first);
    CHECK(pool.counts().free == 1);
  }
  CHECK(pool.counts().free == 2);
}

TEST_CASE("an empty pool answers overloaded and names itself", "[gpu][pool]") {
  unit_pool pool("state slots", 1);
  const auto only = pool.take(unit_owner::cached);
  const auto none = pool.take(unit_owner::cached);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == failure_kind::overloaded);
  CHECK(none.error().message.find("state slots") != std::string::npos);
}

TEST_CASE("a unit that is given back twice in a row stops the program", "[gpu][pool]") {
  unit_pool pool("pages", 2);
  auto owner = pool.take(unit_owner::cached).value();
  int end = 0;
  const auto once = [&] { owner.release(); };
  CHECK(last_words(once, end).empty());
  CHECK((WIFEXITED(end) && WEXITSTATUS(end) == EXIT_SUCCESS));
  const auto twice = [&] {
    unit_lease second = planted_lease::copy(owner);
    owner.release();
    second.release();
  };
  CHECK(last_words(twice, end).find("assertion failed") != std::string::npos);
  CHECK((WIFSIGNALED(end) && WTERMSIG(end) == SIGABRT));
}

TEST_CASE("the classes always add up, through any takes, moves, relabels and releases",
          "[gpu][pool]") {
  const unsigned seed = test_seed(7);
  CAPTURE(seed);
  std::mt19937 random(seed);
  unit_pool pool("units", 50);
  std::vector<unit_lease> leases;
  for (int i = 0; i < 20000; ++i) {
    const unsigned dice = random() % 4;
    if (dice < 2) {
      auto taken = pool.take(static_cast<unit_owner>(random() % unit_owners));
      CHECK(taken.ok() == (leases.size() < 50));
      if (taken.ok()) leases.push_back(std::move(*taken));
    } else if (!leases.empty()) {
      std::swap(leases[random() % leases.size()], leases.back());
      if (dice == 2)
        leases.back().relabel(static_cast<unit_owner>(random() % unit_owners));
      else
        leases.pop_back();
    }
    const pool_counts counts = pool.counts();
    REQUIRE(sum(counts) == counts.total);
    REQUIRE(counts.in_use() == static_cast<std::int64_t>(leases.size()));
  }
}

}  // namespace weft::gpu
