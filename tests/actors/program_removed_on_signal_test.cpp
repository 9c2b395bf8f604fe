#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "actors/program/removed_on_signal.hpp"

namespace weft::actors {
namespace {

namespace fs = std::filesystem;

// How a process of its own ended that does `work` and then gets `signal`; its wait status.
int ended_by(int signal, void (*disposition)(int), const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(signal, disposition);
    work();
    std::raise(signal);
    ::_exit(7);  // The signal did not end it.
  }
  int how = 0;
  REQUIRE(::waitpid(child, &how, 0) == child);
  return how;
}

struct draft {
  draft() : path(fs::temp_directory_path() / ("weft-draft-" + std::to_string(::getpid()))) {
    std::ofstream(path) << "half";
  }
  ~draft() { fs::remove(path); }
  fs::path path;
};

}  // namespace

TEST_CASE("a draft goes with a process that a signal ends", "[actors][removed_on_signal]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const draft one;
    const int how = ended_by(signal, SIG_DFL, [&] {
      const removed_on_signal first("/nowhere/at/all");
      const removed_on_signal guarded(one.path.string());
      std::raise(signal);
    });
    CHECK(WIFSIGNALED(how));
    CHECK(WTERMSIG(how) == signal);
    CHECK_FALSE(fs::exists(one.path));
  }
}

TEST_CASE("a file that is guarded no longer stays", "[actors][removed_on_signal]") {
  const draft one;
  const int how =
      ended_by(SIGTERM, SIG_DFL, [&] { const removed_on_signal guarded(one.path.string()); });
  CHECK(WIFSIGNALED(how));
  CHECK(fs::exists(one.path));
}

TEST_CASE("an ignored signal stays ignored", "[actors][removed_on_signal]") {
  const draft one;
  const int how = ended_by(SIGHUP, SIG_IGN, [&] {
    const removed_on_signal guarded(one.path.string());
    std::raise(SIGHUP);
  });
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 7);
  CHECK(fs::exists(one.path));
}

}  // namespace weft::actors
