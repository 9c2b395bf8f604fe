#include "gpu/comm/pull_session.hpp"

#include <utility>

namespace weft::gpu::comm {

pull_session::pull_session(client_surroundings around, pull_order order,
                           std::shared_ptr<layer_sink> sink, staging_lease lease,
                           std::optional<staging_ring> ring, std::function<void()> on_closed)
    : around_(around),
      order_(std::move(order)),
      sink_(std::move(sink)),
      lease_(std::move(lease)),
      ring_(std::move(ring)),
      on_closed_(std::move(on_closed)),
      expected_(order_.transfer, order_.first_layer),
      deadline_timer_(around.io),
      admission_timer_(around.io),
      linger_timer_(around.io),
      // By a ring only words come through the socket.
      room_(ring_ ? control_payload_bytes_max : frame_payload_bytes_max) {}

void pull_session::start() {
  ++around_.counters.started;
  deadline_timer_.start(order_.deadline, [this] {
    give_up({refusal_reason::timed_out, "the transfer's deadline passed"});
  });
  admission_timer_.start(around_.options.admission_max, [this] {
    close({refusal_reason::timed_out, "the data server did not let us in within its time"});
  });
  const auto then = [self = shared_from_this()](std::error_code error) {
    if (!self->closed_) self->on_connected(error);
  };
  const auto& endpoint = order_.endpoint;
  if (!endpoint.local_path.empty()) {
    channel_.emplace(connect_local(around_.io, endpoint.local_path, then));
    return;
  }
  auto identity = endpoint.encrypted ? around_.options.identity : nullptr;
  channel_.emplace(
      connect_tcp(around_.io, endpoint.address, endpoint.port, std::move(identity), then));
}

void pull_session::on_connected(std::error_code error) {
  if (error) return close({refusal_reason::lost, "no data server there: " + error.message()});
  channel_->stream().shake_hands([self = shared_from_this()](std::error_code failed) {
    if (!self->closed_) self->on_hands_shaken(failed);
  });
}

void pull_session::on_hands_shaken(std::error_code error) {
  if (error) return close(stream_trouble(error));
  if (channel_->stream().kind() != stream_kind::tls) return send_hello();
  const std::string node = channel_->stream().peer_node();
  if (node != order_.endpoint.node)
    return close({refusal_reason::not_admitted, "the data server's certificate names \"" + node +
                                                    "\" and not \"" + order_.endpoint.node + "\""});
  send_pull();
}

void pull_session::send_hello() {
  frame_header header;
  header.kind = frame_kind::hello;
  header.transfer = order_.transfer;
  const auto payload = encode(hello_body{order_.endpoint.connection_token, around_.options.node});
  channel_->send(header, payload, [self = shared_from_this()](std::error_code error) {
    if (self->closed_) return;
    if (error) return self->close(stream_trouble(error));
    self->send_pull();
  });
}

void pull_session::send_pull() {
  frame_header header;
  header.kind = frame_kind::pull;
  header.transfer = order_.transfer;
  pull_body body;
  body.offer = order_.offer;
  body.first_layer = order_.first_layer;
  body.ring = ring_.has_value();
  body.credit_bytes = body.ring ? ring_->size() : around_.options.credit_bytes;
  if (body.ring) channel_->stream().pass(ring_->file());
  writing_ = true;
  asked_ = true;
  admission_timer_.cancel();  // From here on the sender may wait for its first layer.
  channel_->send(header, encode(body),
                 [self = shared_from_this()](std::error_code error) { self->on_sent(error); });
  hear();
}

void pull_session::hear() {
  if (closed_ || hearing_ || paused_) return;
  hearing_ = true;
  channel_->receive(room_, [self = shared_from_this()](const frame_arrival& arrival) {
    self->hearing_ = false;
    if (self->closed_) return;
    self->on_frame(arrival);
    self->hear();
  });
}

void pull_session::on_frame(const frame_arrival& arrival) {
  if (arrival.trouble) return close(*arrival.trouble);
  const auto& header = arrival.header;
  if (!sink_) return drop(header);
  const auto verdict = expected_.judge(header);
  if (verdict == arrival_verdict::late) {
    ++around_.counters.late;
    return;
  }
  if (verdict == arrival_verdict::wrong)
    return give_up({refusal_reason::malformed, "the sender skipped or repeated a part"});
  if (arrival.damaged)
    return give_up({refusal_reason::damaged, "a checksum did not fit; the bytes were dropped"});
  switch (header.kind) {
    case frame_kind::end: end(std::nullopt); return finish();
    case frame_kind::refusal:
      return close(decode_refusal(arrival.payload)
                       .value_or(refusal{refusal_reason::malformed, "a refusal without a reason"}));
    case frame_kind::ring_data: {
      if (!ring_) return give_up({refusal_reason::malformed, "bytes came by a ring that is not"});
      const auto payload = ring_->at(passed_, header.payload_bytes);
      if (!payload_intact(header, payload))
        return give_up({refusal_reason::damaged, "a checksum did not fit; the bytes were dropped"});
      return on_bytes(header, payload);
    }
    default: return on_bytes(header, arrival.payload);
  }
}

void pull_session::on_bytes(const frame_header& header, std::span<const std::byte> payload) {
  expected_.pass(header);
  passed_ += payload.size();
  around_.counters.bytes += payload.size();
  const layer_part part{header.layer, header.offset, header.layer_bytes, payload};
  if (part.last()) ++around_.counters.layers;
  paused_ = sink_->take(part) == appetite::pause;
  consumed_ += payload.size();
  pump();
}

void pull_session::drop(const frame_header& header) {
  if (header.kind == frame_kind::end || header.kind == frame_kind::refusal) return finish();
  ++around_.counters.late;
}

void pull_session::resume() {
  if (closed_) return;
  paused_ = false;
  pump();
  hear();
}

void pull_session::pump() {
  if (closed_ || writing_ || !asked_) return;
  frame_header header;
  header.transfer = order_.transfer;
  std::vector<std::byte> payload;
  if (cancel_due_) {
    cancel_due_ = false;
    header.kind = frame_kind::cancel;
  } else if (sink_ && !paused_ && consumed_ > 0 && consumed_ >= around_.options.credit_bytes / 2) {
    // Half of the credit at a time: few frames, and the sender never stands still for them.
    header.kind = frame_kind::credit;
    payload = encode_credit(std::exchange(consumed_, 0));
  } else {
    return;
  }
  writing_ = true;
  channel_->send(header, payload,
                 [self = shared_from_this()](std::error_code error) { self->on_sent(error); });
}

void pull_session::on_sent(std::error_code error) {
  writing_ = false;
  // What the sender still said may say why; the other direction will end by itself.
  if (closed_ || error) return;
  pump();
}

void pull_session::end(std::optional<refusal> why) {
  if (!sink_) return;
  deadline_timer_.cancel();
  if (why)
    around_.counters.count_failed(why->reason);
  else
    ++around_.counters.completed;
  const auto sink = std::exchange(sink_, nullptr);
  sink->ended(why ? status(to_failure(*why)) : status());
}

void pull_session::give_up(refusal why) {
  if (closed_ || !sink_) return;
  if (!asked_) return close(std::move(why));  // The sender knows nothing of it yet.
  // The ring is ours to drop; the sender's mapping of it stays valid for as long as it likes.
  ring_.reset();
  lease_.quarantine();
  cancel_due_ = true;
  paused_ = false;
  linger_timer_.start(around_.options.linger_max, [this] { finish(); });
  end(std::move(why));
  pump();
  hear();
}

void pull_session::close(refusal why) {
  if (closed_) return;
  const auto self = shared_from_this();
  end(std::move(why));
  finish();
}

void pull_session::finish() {
  if (closed_) return;
  closed_ = true;
  deadline_timer_.cancel();
  admission_timer_.cancel();
  linger_timer_.cancel();
  if (channel_) channel_->stream().close();
  ring_.reset();
  lease_.release();
  std::exchange(on_closed_, nullptr)();
}

}  // namespace weft::gpu::comm
