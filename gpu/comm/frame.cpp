#include "gpu/comm/frame.hpp"

#include "gpu/comm/checksum.hpp"
#include "gpu/comm/wire_bytes.hpp"

namespace weft::gpu::comm {
namespace {

constexpr std::size_t summed_bytes = frame_header_bytes - 4;

bool is_kind(std::uint8_t number) {
  switch (static_cast<frame_kind>(number)) {
    case frame_kind::hello:
    case frame_kind::pull:
    case frame_kind::credit:
    case frame_kind::cancel:
    case frame_kind::data:
    case frame_kind::ring_data:
    case frame_kind::end:
    case frame_kind::refusal: return true;
  }
  return false;
}

bool carries_layer(frame_kind kind) {
  return kind == frame_kind::data || kind == frame_kind::ring_data;
}

// In an order that cannot overflow, whatever the numbers are.
bool within_bounds(const frame_header& header) {
  if (!carries_layer(header.kind)) return header.payload_bytes <= control_payload_bytes_max;
  return header.payload_bytes <= frame_payload_bytes_max && header.offset <= header.layer_bytes &&
         header.payload_bytes <= header.layer_bytes - header.offset;
}

}  // namespace

void seal_frame(frame_header header, std::span<const std::byte> payload,
                std::span<std::byte, frame_header_bytes> into) {
  wire_writer writer(into);
  writer.put(frame_magic);
  writer.put(frame_version);
  writer.put(static_cast<std::uint8_t>(header.kind));
  writer.put(std::uint16_t{0});
  writer.put(header.transfer.request.gateway.bits);
  writer.put(header.transfer.request.number);
  writer.put(header.transfer.segment);
  writer.put(header.transfer.generation.number);
  writer.put(header.layer);
  writer.put(static_cast<std::uint32_t>(payload.size()));
  writer.put(header.offset);
  writer.put(header.layer_bytes);
  writer.put(checksum(payload));
  writer.put(checksum(into.first(summed_bytes)));
}

std::optional<frame_header> parse_header(std::span<const std::byte, frame_header_bytes> bytes) {
  wire_reader reader(bytes);
  if (reader.get<std::uint32_t>() != frame_magic) return std::nullopt;
  if (reader.get<std::uint8_t>() != frame_version) return std::nullopt;
  const auto kind = reader.get<std::uint8_t>();
  if (!is_kind(kind) || reader.get<std::uint16_t>() != 0) return std::nullopt;
  frame_header header;
  header.kind = static_cast<frame_kind>(kind);
  header.transfer.request.gateway.bits = reader.get<std::uint64_t>();
  header.transfer.request.number = reader.get<std::uint64_t>();
  header.transfer.segment = reader.get<std::uint32_t>();
  header.transfer.generation.number = reader.get<std::uint32_t>();
  header.layer = reader.get<std::uint32_t>();
  header.payload_bytes = reader.get<std::uint32_t>();
  header.offset = reader.get<std::uint64_t>();
  header.layer_bytes = reader.get<std::uint64_t>();
  header.payload_checksum = reader.get<std::uint32_t>();
  if (reader.get<std::uint32_t>() != checksum(bytes.first(summed_bytes))) return std::nullopt;
  if (!within_bounds(header)) return std::nullopt;
  return header;
}

bool payload_intact(const frame_header& header, std::span<const std::byte> payload) {
  return payload.size() == header.payload_bytes && checksum(payload) == header.payload_checksum;
}

}  // namespace weft::gpu::comm
