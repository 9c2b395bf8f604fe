#include "actors/program/removed_on_signal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>

#include <unistd.h>

namespace weft::actors {
namespace {

enum place_state : int { vacant, changing, taken };

// Neither allocated nor freed: a handler may look at it at any moment.
struct place {
  std::atomic<int> state = vacant;
  std::array<char, 4096> path{};
};
std::array<place, 8> places;
static_assert(std::atomic<int>::is_always_lock_free);

// Async-signal-safe: unlink and raise. The signal's default is back already (SA_RESETHAND), and it
// ends the process once the handler returns.
extern "C" void remove_and_end(int signal) {
  for (place& each : places)
    if (each.state.load(std::memory_order_acquire) == taken) ::unlink(each.path.data());
  ::raise(signal);
}

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction wanted {};
    wanted.sa_handler = remove_and_end;
    wanted.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &wanted, nullptr);
  }
}

}  // namespace

removed_on_signal::removed_on_signal(const std::string& path) {
  if (path.size() >= places.front().path.size()) return;
  watch_signals();
  for (std::size_t i = 0; i < places.size(); ++i) {
    int expected = vacant;
    if (!places[i].state.compare_exchange_strong(expected, changing)) continue;
    *std::copy(path.begin(), path.end(), places[i].path.begin()) = '\0';
    places[i].state.store(taken, std::memory_order_release);
    place_ = static_cast<int>(i);
    return;
  }
}

removed_on_signal::~removed_on_signal() {
  if (place_ >= 0) places[static_cast<std::size_t>(place_)].state.store(vacant);
}

}  // namespace weft::actors
