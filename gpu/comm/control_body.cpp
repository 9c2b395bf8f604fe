#include "gpu/comm/control_body.hpp"

#include <algorithm>

#include "gpu/comm/wire_bytes.hpp"

namespace weft::gpu::comm {
namespace {

constexpr std::size_t pull_bytes = ticket_bytes + 4 + 8 + 1;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

transfer_ticket get_ticket(wire_reader& reader) {
  transfer_ticket shown;
  const auto bytes = reader.get_bytes(ticket_bytes);
  std::copy(bytes.begin(), bytes.end(), shown.bits.begin());
  return shown;
}

}  // namespace

std::vector<std::byte> encode(const hello_body& body) {
  WEFT_ASSERT(body.node.size() <= node_name_bytes_max);
  std::vector<std::byte> payload(ticket_bytes + body.node.size());
  wire_writer writer(payload);
  writer.put_bytes(body.token.bits);
  writer.put_bytes(bytes_of(body.node));
  return payload;
}

std::vector<std::byte> encode(const pull_body& body) {
  std::vector<std::byte> payload(pull_bytes);
  wire_writer writer(payload);
  writer.put_bytes(body.offer.bits);
  writer.put(body.first_layer);
  writer.put(body.credit_bytes);
  writer.put(static_cast<std::uint8_t>(body.ring ? 1 : 0));
  return payload;
}

std::vector<std::byte> encode(const refusal& body) {
  const auto message =
      std::span(body.message).first(std::min(body.message.size(), refusal_message_bytes_max));
  std::vector<std::byte> payload(1 + message.size());
  wire_writer writer(payload);
  writer.put(static_cast<std::uint8_t>(body.reason));
  writer.put_bytes(std::as_bytes(message));
  return payload;
}

std::vector<std::byte> encode_credit(std::uint64_t bytes) {
  std::vector<std::byte> payload(8);
  wire_writer(payload).put(bytes);
  return payload;
}

std::optional<hello_body> decode_hello(std::span<const std::byte> payload) {
  if (payload.size() < ticket_bytes) return std::nullopt;
  if (payload.size() - ticket_bytes > node_name_bytes_max) return std::nullopt;
  wire_reader reader(payload);
  hello_body body;
  body.token = get_ticket(reader);
  body.node = text_of(reader.get_bytes(reader.left()));
  return body;
}

std::optional<pull_body> decode_pull(std::span<const std::byte> payload) {
  if (payload.size() != pull_bytes) return std::nullopt;
  wire_reader reader(payload);
  pull_body body;
  body.offer = get_ticket(reader);
  body.first_layer = reader.get<std::uint32_t>();
  body.credit_bytes = reader.get<std::uint64_t>();
  const auto ring = reader.get<std::uint8_t>();
  if (ring > 1) return std::nullopt;
  body.ring = ring == 1;
  return body;
}

std::optional<refusal> decode_refusal(std::span<const std::byte> payload) {
  if (payload.empty() || payload.size() - 1 > refusal_message_bytes_max) return std::nullopt;
  wire_reader reader(payload);
  const auto reason = reader.get<std::uint8_t>();
  if (reason >= refusal_reasons) return std::nullopt;
  return refusal{static_cast<refusal_reason>(reason), text_of(reader.get_bytes(reader.left()))};
}

std::optional<std::uint64_t> decode_credit(std::span<const std::byte> payload) {
  if (payload.size() != 8) return std::nullopt;
  return wire_reader(payload).get<std::uint64_t>();
}

}  // namespace weft::gpu::comm
