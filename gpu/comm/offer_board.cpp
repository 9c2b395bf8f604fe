#include "gpu/comm/offer_board.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace weft::gpu::comm {

// Shared by the board, which ends it, and the claim, which reads it.
struct offer_claim::record {
  transfer_ticket key;
  std::shared_ptr<const layer_source> source;
  std::function<void()> waker;
  std::atomic<int> ended{-1};  // A refusal_reason, or -1.
};

namespace {

using claim_record = std::shared_ptr<offer_claim::record>;

struct standing {
  offer what;
  std::vector<claim_record> claims;
};

refusal ended_refusal(refusal_reason reason) {
  return {reason, reason == refusal_reason::expired
                      ? "the offer's lease ran out; ask for the segment again"
                      : "the offer was withdrawn by its owner"};
}

void end_claims(const std::vector<claim_record>& claims, refusal_reason reason) {
  for (const auto& claim : claims) {
    claim->ended = static_cast<int>(reason);
    if (claim->waker) claim->waker();
  }
}

}  // namespace

struct offer_board::inside {
  offer_board_options options;
  mutable std::mutex mutex;
  std::unordered_map<transfer_ticket, standing, ticket_hash> offers;
  std::unordered_map<transfer_ticket, refusal_reason, ticket_hash> remembered;
  std::deque<transfer_ticket> remembered_order;
  offer_counts counts;

  // Requires: the mutex is held; the offer stands.
  standing take_down(const transfer_ticket& key, refusal_reason reason) {
    auto node = offers.extract(key);
    --counts.open;
    ++(reason == refusal_reason::expired ? counts.expired : counts.withdrawn);
    remembered.emplace(key, reason);
    remembered_order.push_back(key);
    while (remembered_order.size() > options.remembered_max) {
      remembered.erase(remembered_order.front());
      remembered_order.pop_front();
    }
    return std::move(node.mapped());
  }

  void tell_expired(const standing& gone) {
    end_claims(gone.claims, refusal_reason::expired);
    if (options.on_expired) options.on_expired(gone.what);
  }
};

offer_claim::offer_claim(offer_board* board, std::shared_ptr<record> held)
    : board_(board), record_(std::move(held)) {}

offer_claim::offer_claim(offer_claim&& other) noexcept
    : board_(std::exchange(other.board_, nullptr)), record_(std::move(other.record_)) {}

offer_claim& offer_claim::operator=(offer_claim&& other) noexcept {
  if (this != &other) {
    release();
    board_ = std::exchange(other.board_, nullptr);
    record_ = std::move(other.record_);
  }
  return *this;
}

offer_claim::~offer_claim() { release(); }

void offer_claim::release() {
  if (board_ == nullptr) return;
  auto& inside = *board_->inside_;
  {
    const std::lock_guard lock(inside.mutex);
    --inside.counts.pulls;
    if (const auto found = inside.offers.find(record_->key); found != inside.offers.end())
      std::erase(found->second.claims, record_);
  }
  board_ = nullptr;
  record_.reset();
}

const layer_source& offer_claim::source() const { return *record_->source; }

std::optional<refusal> offer_claim::ended() const {
  const int reason = record_->ended;
  if (reason < 0) return std::nullopt;
  return ended_refusal(static_cast<refusal_reason>(reason));
}

offer_board::offer_board(offer_board_options options) : inside_(std::make_unique<inside>()) {
  inside_->options = std::move(options);
}

offer_board::~offer_board() { WEFT_ASSERT(inside_->counts.pulls == 0); }

status offer_board::post(offer what, time_point now) {
  WEFT_ASSERT(what.source != nullptr);
  WEFT_ASSERT(what.deadline > now);
  const std::lock_guard lock(inside_->mutex);
  if (inside_->offers.contains(what.key) || inside_->remembered.contains(what.key))
    return rejected("this ticket was offered before; draw a new one for each offer");
  if (inside_->offers.size() >= inside_->options.offers_max)
    return overloaded("all " + std::to_string(inside_->options.offers_max) +
                      " places for offers are taken; wait for transfers to finish");
  ++inside_->counts.made;
  ++inside_->counts.open;
  const transfer_ticket key = what.key;
  inside_->offers.emplace(key, standing{std::move(what), {}});
  return {};
}

status offer_board::renew(const transfer_ticket& key, time_point deadline, time_point now) {
  const std::lock_guard lock(inside_->mutex);
  const auto found = inside_->offers.find(key);
  if (found == inside_->offers.end() || found->second.what.deadline <= now)
    return unavailable("the offer no longer stands; ask for the segment again");
  found->second.what.deadline = deadline;
  return {};
}

bool offer_board::withdraw(const transfer_ticket& key) {
  standing gone;
  {
    const std::lock_guard lock(inside_->mutex);
    if (!inside_->offers.contains(key)) return false;
    gone = inside_->take_down(key, refusal_reason::withdrawn);
  }
  end_claims(gone.claims, refusal_reason::withdrawn);
  return true;
}

void offer_board::advanced(const transfer_ticket& key) {
  std::vector<claim_record> claims;
  {
    const std::lock_guard lock(inside_->mutex);
    const auto found = inside_->offers.find(key);
    if (found != inside_->offers.end()) claims = found->second.claims;
  }
  for (const auto& claim : claims)
    if (claim->waker) claim->waker();
}

std::size_t offer_board::expire(time_point now) {
  std::vector<standing> gone;
  {
    const std::lock_guard lock(inside_->mutex);
    std::vector<transfer_ticket> late;
    for (const auto& [key, one] : inside_->offers)
      if (one.what.deadline <= now) late.push_back(key);
    for (const auto& key : late) gone.push_back(inside_->take_down(key, refusal_reason::expired));
  }
  for (const auto& one : gone) inside_->tell_expired(one);
  return gone.size();
}

offer_board::claim_answer offer_board::claim(claim_order order, time_point now) {
  expire(now);  // Between two sweeps too, nobody gets what has run out.
  const auto no = [](refusal_reason reason, std::string message) {
    return claim_answer{{}, refusal{reason, std::move(message)}};
  };
  const std::lock_guard lock(inside_->mutex);
  const auto found = inside_->offers.find(order.key);
  if (found == inside_->offers.end()) {
    const auto known = inside_->remembered.find(order.key);
    if (known != inside_->remembered.end()) return {{}, ended_refusal(known->second)};
    return no(refusal_reason::unknown_ticket, "nothing is offered under this ticket");
  }
  standing& stands = found->second;
  if (!stands.what.peer.empty() && stands.what.peer != order.peer)
    return no(refusal_reason::wrong_peer, "the offer is for another node than " + order.peer);
  if (stands.what.transfer != order.transfer)
    return no(refusal_reason::wrong_transfer, "the ticket belongs to another transfer");
  if (stands.claims.size() >= inside_->options.pulls_per_offer_max)
    return no(refusal_reason::busy, "the offer is being pulled already");
  auto held = std::make_shared<offer_claim::record>();
  held->key = order.key;
  held->source = stands.what.source;
  held->waker = std::move(order.waker);
  stands.claims.push_back(held);
  ++inside_->counts.pulls;
  return {offer_claim(this, std::move(held)), std::nullopt};
}

offer_counts offer_board::counts() const {
  const std::lock_guard lock(inside_->mutex);
  return inside_->counts;
}

}  // namespace weft::gpu::comm
