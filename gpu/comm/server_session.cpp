#include "gpu/comm/server_session.hpp"

#include <utility>

namespace weft::gpu::comm {

server_session::server_session(server_surroundings around, stream_pointer stream,
                               std::function<void()> on_closed)
    : around_(around),
      channel_(std::move(stream)),
      on_closed_(std::move(on_closed)),
      idle_timer_(around.io),
      transfer_timer_(around.io),
      delay_timer_(around.io) {}

void server_session::start() {
  const auto self = shared_from_this();
  // Not started again by what trickles in: a peer must be through with its first pull by then.
  idle_timer_.start(around_.options.limits.admission_max, [this] { on_idle(); });
  channel_.stream().shake_hands([self](std::error_code error) {
    if (self->closed_) return;
    if (error) return self->close(refusal_reason::not_admitted);
    if (self->channel_.stream().kind() == stream_kind::tls) {
      self->peer_ = self->channel_.stream().peer_node();
      if (self->peer_.empty()) return self->close(refusal_reason::not_admitted);
      self->admitted_ = true;
    }
    self->hear();
  });
}

void server_session::close(refusal_reason reason) {
  if (closed_) return;
  closed_ = true;
  if (pull_) around_.counters.count_failed(reason);
  if (pulls_ == 0) around_.counters.count_refused(reason);
  pull_.reset();
  idle_timer_.cancel();
  transfer_timer_.cancel();
  delay_timer_.cancel();
  channel_.stream().close();
  std::exchange(on_closed_, nullptr)();
}

void server_session::hear() {
  channel_.receive(control_room_, [self = shared_from_this()](const frame_arrival& arrival) {
    if (!self->closed_) self->on_frame(arrival);
  });
}

void server_session::on_frame(const frame_arrival& arrival) {
  if (arrival.trouble) return close(arrival.trouble->reason);
  if (arrival.damaged) return close(refusal_reason::damaged);
  const auto& header = arrival.header;
  bool sound = false;
  switch (header.kind) {
    case frame_kind::hello:
      if (!on_hello(arrival.payload)) return close(refusal_reason::not_admitted);
      sound = true;
      break;
    case frame_kind::pull:
      if (!admitted_) return close(refusal_reason::not_admitted);
      sound = on_pull(header, arrival.payload);
      break;
    case frame_kind::credit: sound = admitted_ && on_credit(header, arrival.payload); break;
    case frame_kind::cancel:
      sound = admitted_;
      // A cancel that crossed our last word is about nothing any more.
      if (sound && pull_ && pull_->transfer() == header.transfer)
        end_pull(refusal{refusal_reason::cancelled, "the receiver cancelled"}, 0);
      break;
    default: break;
  }
  if (closed_) return;
  if (!sound) return close(refusal_reason::malformed);
  hear();
}

bool server_session::on_hello(std::span<const std::byte> payload) {
  const auto body = decode_hello(payload);
  if (admitted_ || !body) return false;
  if (channel_.stream().kind() == stream_kind::local) {
    // Whoever opened the socket runs as this user, so it is believed what its name is.
    peer_ = body->node;
  } else {
    auto node = around_.tokens.spend(body->token, around_.options.now());
    if (!node) return false;
    peer_ = std::move(*node);
  }
  admitted_ = true;
  return true;
}

bool server_session::on_pull(const frame_header& header, std::span<const std::byte> payload) {
  const auto body = decode_pull(payload);
  if (!body || pull_ || last_word_) return false;
  if (++pulls_ > around_.options.limits.pulls_per_connection_max) return false;
  watch_idle();
  if (auto why = begin_pull(header.transfer, *body)) {
    around_.counters.count_refused(why->reason);
    say(header.transfer, std::move(why), 0);
    return true;
  }
  ++around_.counters.started;
  transfer_timer_.start(around_.options.limits.transfer_max, [this] {
    end_pull(refusal{refusal_reason::timed_out, "the transfer took too long"}, 0);
  });
  pump();
  return true;
}

std::optional<refusal> server_session::begin_pull(const transfer_id& transfer,
                                                  const pull_body& body) {
  const auto& limits = around_.options.limits;
  server_pull_order order;
  order.transfer = transfer;
  order.first_layer = body.first_layer;
  order.credit_bytes = body.credit_bytes;
  order.credit_bytes_max = body.ring ? body.credit_bytes : limits.credit_bytes_max;
  descriptor file = channel_.stream().take_passed();
  if (body.credit_bytes > (body.ring ? limits.ring_bytes_max : limits.credit_bytes_max))
    return refusal{refusal_reason::malformed, "more credit came than this server can use"};
  if (!used_.insert(body.offer).second)
    return refusal{refusal_reason::unknown_ticket, "this connection has used the ticket already"};
  if (body.ring) {
    if (!file || body.credit_bytes == 0)
      return refusal{refusal_reason::malformed, "a ring was announced and none came"};
    auto ring = mapped_ring::map(std::move(file), body.credit_bytes);
    if (!ring) return refusal{refusal_reason::malformed, ring.error().message};
    order.ring = std::move(*ring);
  }
  auto wake = [weak = weak_from_this(), &io = around_.io] {
    io.post([weak] {
      if (const auto self = weak.lock()) self->pump();
    });
  };
  auto answer = around_.board.claim({body.offer, transfer, peer_, wake}, around_.options.now());
  if (answer.why_not) return std::move(answer.why_not);
  order.claim = std::move(answer.claim);
  pull_.emplace(std::move(order));
  return std::nullopt;
}

bool server_session::on_credit(const frame_header& header, std::span<const std::byte> payload) {
  const auto bytes = decode_credit(payload);
  if (!bytes) return false;
  // The last grants of a pull arrive after its end.
  if (!pull_ || pull_->transfer() != header.transfer) return true;
  if (!pull_->grant(*bytes)) return false;
  watch_idle();
  pump();
  return true;
}

void server_session::watch_idle() {
  idle_timer_.start(around_.options.limits.idle_max, [this] { on_idle(); });
}

void server_session::on_idle() {
  if (!pull_ || writing_ || parting_) return close(refusal_reason::timed_out);
  // There is room for one last word; should nobody take it, the next round closes.
  parting_ = true;
  watch_idle();
  end_pull(refusal{refusal_reason::timed_out, "the receiver neither read nor granted"}, 0);
}

void server_session::end_pull(std::optional<refusal> why, std::uint32_t layers) {
  if (why)
    around_.counters.count_failed(why->reason);
  else
    ++around_.counters.completed;
  const transfer_id transfer = pull_->transfer();
  pull_.reset();
  transfer_timer_.cancel();
  say(transfer, std::move(why), layers);
}

void server_session::say(const transfer_id& transfer, std::optional<refusal> why,
                         std::uint32_t layers) {
  last_word word;
  word.header.kind = why ? frame_kind::refusal : frame_kind::end;
  word.header.transfer = transfer;
  word.header.layer = layers;
  if (why) word.payload = encode(*why);
  last_word_ = std::move(word);
  pump();
}

void server_session::pump() {
  if (closed_ || writing_) return;
  if (last_word_) return send_last_word();
  if (pull_) send_next();
}

void server_session::send_last_word() {
  writing_ = true;
  const last_word word = std::move(*last_word_);
  last_word_.reset();
  watch_idle();
  channel_.send(word.header, word.payload, [self = shared_from_this()](std::error_code error) {
    self->on_sent(error, {});
    if (!self->closed_ && self->parting_) self->close(refusal_reason::timed_out);
  });
}

void server_session::send_next() {
  // Made when first needed: most strangers never get so far.
  frame_room_.resize(frame_header_bytes + frame_payload_bytes_max);
  const pull_step step = pull_->next(frame_room_);
  switch (step.move) {
    case pull_move::send: return send_frame(step);
    case pull_move::wait_for_layer: return idle_timer_.cancel();
    case pull_move::wait_for_credit: return watch_idle();
    case pull_move::end: return end_pull(std::nullopt, step.layers);
    case pull_move::refuse: return end_pull(step.why, 0);
  }
}

void server_session::send_frame(const pull_step& step) {
  const fault_order fault = around_.faults.next(step.first_of_layer);
  if (fault.act == fault_act::fail)
    return end_pull(refusal{refusal_reason::failed, "this transfer fails on order"}, 0);
  if (fault.act == fault_act::flip) pull_->spoil(frame_room_, step);
  writing_ = true;
  watch_idle();
  if (fault.act == fault_act::drop)
    return around_.io.post([self = shared_from_this(), step] { self->on_sent({}, step); });
  const auto send = [self = shared_from_this(), step] {
    self->channel_.send_sealed(
        std::span<const std::byte>(self->frame_room_).first(step.frame_bytes),
        [self, step](std::error_code error) { self->on_sent(error, step); });
  };
  if (fault.act == fault_act::delay) return delay_timer_.start(fault.delay, send);
  send();
}

void server_session::on_sent(std::error_code error, const pull_step& step) {
  if (closed_) return;
  writing_ = false;
  if (error) return close(stream_trouble(error).reason);
  around_.counters.bytes += step.payload_bytes;
  if (step.last_of_layer) ++around_.counters.layers;
  watch_idle();
  pump();
}

}  // namespace weft::gpu::comm
