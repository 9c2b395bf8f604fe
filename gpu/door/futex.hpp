// Sleeping on a number until it changes, without a lock.
//
// As std::atomic::wait, but straight to the kernel: the library yields the processor a few times
// first, and on a busy machine each of those costs a turn of somebody else's.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::gpu {

// Returns once `word` is not `seen`; at once if it is not. Who changes it must call wake_sleepers.
void sleep_while(const std::atomic<std::uint32_t>& word, std::uint32_t seen);

// Wakes all who sleep on `word`. It may be gone by then: only its address counts.
void wake_sleepers(const std::atomic<std::uint32_t>& word);

}  // namespace weft::gpu
