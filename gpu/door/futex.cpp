#include "gpu/door/futex.hpp"

#include <climits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::gpu {

// The kernel compares 32 bits at the word's address.
static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  // A signal, or a change before the kernel looked, ends a sleep early.
  while (word.load() == seen)
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void wake_sleepers(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace weft::gpu
