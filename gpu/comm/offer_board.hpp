// What this process offers to be pulled, by ticket.
//
// An offer is a promise with a deadline: its source is kept until it is withdrawn or its lease runs
// out, and for as long as a pull of it still runs. Whoever pulls holds an `offer_claim` and is
// woken when the source grows or the offer ends. Ends are remembered for a while, so that a late
// receiver hears why and not merely "unknown".
//
// Threads: every member may be called from any thread. Wakers and `on_expired` are called on the
// caller's thread, without a lock held. Time is an argument.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/comm/layer_source.hpp"
#include "gpu/comm/refusal.hpp"
#include "gpu/comm/ticket.hpp"
#include "gpu/comm/transfer_id.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

using time_point = std::chrono::steady_clock::time_point;

struct offer {
  transfer_ticket key;
  transfer_id transfer;
  std::shared_ptr<const layer_source> source;
  std::string peer;  // Which node may pull it; empty: any.
  time_point deadline;
};

struct offer_board_options {
  std::size_t offers_max = 4096;
  // Pulls of one offer at a time: two, so that a receiver whose connection died unnoticed can come
  // again at once.
  std::size_t pulls_per_offer_max = 2;
  std::size_t remembered_max = 4096;  // Ended offers of which the reason is still known.
  // Told of each offer that ran out. May be empty.
  std::function<void(const offer&)> on_expired;
};

// made == open + withdrawn + expired, always.
struct offer_counts {
  std::uint64_t made = 0;
  std::uint64_t open = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t expired = 0;
  std::uint64_t pulls = 0;  // Claims held now, also those of ended offers.
};

class offer_board;

// The right to pull, given back when it goes. Lifetime: the board must outlive it.
class offer_claim {
 public:
  struct record;

  offer_claim() = default;
  offer_claim(offer_board* board, std::shared_ptr<record> held);
  offer_claim(offer_claim&& other) noexcept;
  offer_claim& operator=(offer_claim&& other) noexcept;
  ~offer_claim();

  const layer_source& source() const;
  // Nothing while the offer stands; else `withdrawn` or `expired`.
  std::optional<refusal> ended() const;

 private:
  void release();

  offer_board* board_ = nullptr;
  std::shared_ptr<record> record_;
};

class offer_board {
 public:
  explicit offer_board(offer_board_options options = {});
  offer_board(const offer_board&) = delete;
  offer_board& operator=(const offer_board&) = delete;
  ~offer_board();

  // `overloaded` when the board is full, `rejected` for a ticket that stands or stood here.
  // Requires: a source; a deadline after `now`.
  status post(offer what, time_point now);

  // Moves the deadline. `unavailable` if the offer no longer stands.
  status renew(const transfer_ticket& key, time_point deadline, time_point now);

  // False if it no longer stood. Running pulls are refused; the source is let go when they have
  // heard.
  bool withdraw(const transfer_ticket& key);

  // The offer's source has more layers, or failed.
  void advanced(const transfer_ticket& key);

  // Drops what ran out by `now`, tells `on_expired` and running pulls. Returns how many.
  std::size_t expire(time_point now);

  struct claim_order {
    transfer_ticket key;
    transfer_id transfer;
    std::string peer;  // Who asks, as the connection vouches.
    std::function<void()> waker;
  };
  struct claim_answer {
    offer_claim claim;
    std::optional<refusal> why_not;
  };
  claim_answer claim(claim_order order, time_point now);

  offer_counts counts() const;

 private:
  friend class offer_claim;
  struct inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace weft::gpu::comm
