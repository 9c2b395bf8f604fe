#include "messages/wire/membership_codec.hpp"

#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"
#include "messages/wire/common_codec.hpp"
#include "messages/wire/membership.capnp.h"

namespace weft::messages::membership {

namespace {

using role_row = enumerant<schema::Role, node_role>;
constexpr std::array roles = {role_row{schema::Role::GATEWAY, node_role::gateway},
                              role_row{schema::Role::ROUTER, node_role::router},
                              role_row{schema::Role::SCATTER, node_role::scatter},
                              role_row{schema::Role::COMBINE, node_role::combine}};

using reason_row = enumerant<schema::GoodbyeReason, goodbye_reason>;
constexpr std::array reasons = {reason_row{schema::GoodbyeReason::DRAINED, goodbye_reason::drained},
                                reason_row{schema::GoodbyeReason::STOPPED, goodbye_reason::stopped},
                                reason_row{schema::GoodbyeReason::BROKEN, goodbye_reason::broken}};

using state_row = enumerant<schema::PeerState, peer_state>;
constexpr std::array states = {state_row{schema::PeerState::JOINING, peer_state::joining},
                               state_row{schema::PeerState::ALIVE, peer_state::alive},
                               state_row{schema::PeerState::SUSPECTED, peer_state::suspected},
                               state_row{schema::PeerState::DRAINING, peer_state::draining},
                               state_row{schema::PeerState::GONE, peer_state::gone}};

template <class Struct>
void write_roles(Struct out, const role_set& from) {
  std::vector<schema::Role> listed;
  for (const node_role role : all_roles) {
    if (from.has(role)) listed.push_back(to_wire(roles, role));
  }
  fill(out.initRoles(static_cast<unsigned>(listed.size())), listed);
}

template <class List>
role_set read_roles(const List& in, field_check& fields, std::string_view field) {
  role_set all;
  // Each at most once: more would be a way to make us work.
  const auto listed = list_in(in, all_roles.size(), fields, field, [&](schema::Role role) {
    return from_wire(roles, role, fields, field);
  });
  for (const node_role role : listed) all.add(role);
  return all;
}

void write_pool(schema::PoolCounts::Builder out, const pool_counts& from) {
  out.setFree(static_cast<std::uint32_t>(from.free));
  out.setCached(static_cast<std::uint32_t>(from.cached));
  out.setPinned(static_cast<std::uint32_t>(from.pinned));
  out.setInFlight(static_cast<std::uint32_t>(from.in_flight));
  out.setQuarantined(static_cast<std::uint32_t>(from.quarantined));
}

pool_counts read_pool(schema::PoolCounts::Reader in) {
  return {.free = in.getFree(),
          .cached = in.getCached(),
          .pinned = in.getPinned(),
          .in_flight = in.getInFlight(),
          .quarantined = in.getQuarantined()};
}

void write_node(schema::NodeStatus::Builder out, const node_status& from) {
  write(out.initNode(), from.node);
  write_roles(out, from.roles);
  out.setNumericsId(text_out(from.numerics_id));
  out.setDraining(from.draining);
  auto peers = out.initPeers(static_cast<unsigned>(from.peers.size()));
  for (unsigned i = 0; i < peers.size(); ++i) {
    write(peers[i].initNode(), from.peers[i].node);
    peers[i].setState(to_wire(states, from.peers[i].state));
  }
  write_pool(out.initSlots(), from.slots);
  write_pool(out.initPages(), from.pages);
  write_pool(out.initStaging(), from.staging);
}

// One overload per message, as std::visit wants it.
struct writer {
  schema::Membership::Builder root;

  void operator()(const hello& from) {
    auto out = root.initHello();
    write(out.initNode(), from.node);
    write_roles(out, from.roles);
    out.setNumericsId(text_out(from.numerics_id));
    out.setModelFingerprint(text_out(from.model_fingerprint));
    write(out.initControl(), from.control);
    write(out.initData(), from.data);
  }

  void operator()(const heartbeat& from) {
    auto out = root.initHeartbeat();
    write(out.initNode(), from.node);
    out.setSequence(from.sequence);
    out.setDraining(from.draining);
  }

  void operator()(const goodbye& from) {
    auto out = root.initGoodbye();
    write(out.initNode(), from.node);
    out.setReason(to_wire(reasons, from.reason));
  }

  void operator()(const drain& from) { write(root.initDrain().initNode(), from.node); }

  void operator()(const status_request& from) { root.initStatusRequest().setNumber(from.number); }

  void operator()(const status_report& from) {
    auto out = root.initStatusReport();
    out.setNumber(from.number);
    auto nodes = out.initNodes(static_cast<unsigned>(from.nodes.size()));
    for (unsigned i = 0; i < nodes.size(); ++i) write_node(nodes[i], from.nodes[i]);
  }
};

hello read_hello(schema::Hello::Reader in, field_check& fields) {
  return {
      .node = read(in.getNode(), fields, "hello.node"),
      .roles = read_roles(in.getRoles(), fields, "hello.roles"),
      .numerics_id = text_in(in.getNumericsId(), numerics_id_bytes_max, fields, "hello.numericsId"),
      .model_fingerprint = text_in(in.getModelFingerprint(), fingerprint_bytes_max, fields,
                                   "hello.modelFingerprint"),
      .control = read(in.getControl(), fields, "hello.control"),
      .data = read(in.getData(), fields, "hello.data")};
}

// `peers_left`: how many more peers the whole report may list.
node_status read_node(schema::NodeStatus::Reader in, std::size_t& peers_left, field_check& fields) {
  const auto read_peer = [&](schema::Peer::Reader one) {
    return peer{
        .node = read(one.getNode(), fields, "statusReport.nodes.peers.node"),
        .state = from_wire(states, one.getState(), fields, "statusReport.nodes.peers.state")};
  };
  node_status node{
      .node = read(in.getNode(), fields, "statusReport.nodes.node"),
      .roles = read_roles(in.getRoles(), fields, "statusReport.nodes.roles"),
      .numerics_id = text_in(in.getNumericsId(), numerics_id_bytes_max, fields,
                             "statusReport.nodes.numericsId"),
      .draining = in.getDraining(),
      .peers = list_in(in.getPeers(), peers_left, fields, "statusReport.nodes.peers", read_peer),
      .slots = read_pool(in.getSlots()),
      .pages = read_pool(in.getPages()),
      .staging = read_pool(in.getStaging())};
  peers_left -= node.peers.size();
  return node;
}

status_report read_report(schema::StatusReport::Reader in, field_check& fields) {
  std::size_t peers_left = peers_max;
  return {.number = in.getNumber(),
          .nodes = list_in(
              in.getNodes(), nodes_max, fields, "statusReport.nodes",
              [&](schema::NodeStatus::Reader one) { return read_node(one, peers_left, fields); })};
}

message read_message(schema::Membership::Reader root, field_check& fields) {
  switch (root.which()) {
    case schema::Membership::HELLO: return read_hello(root.getHello(), fields);
    case schema::Membership::HEARTBEAT: {
      const auto in = root.getHeartbeat();
      return heartbeat{.node = read(in.getNode(), fields, "heartbeat.node"),
                       .sequence = in.getSequence(),
                       .draining = in.getDraining()};
    }
    case schema::Membership::GOODBYE: {
      const auto in = root.getGoodbye();
      return goodbye{.node = read(in.getNode(), fields, "goodbye.node"),
                     .reason = from_wire(reasons, in.getReason(), fields, "goodbye.reason")};
    }
    case schema::Membership::DRAIN:
      return drain{.node = read(root.getDrain().getNode(), fields, "drain.node")};
    case schema::Membership::STATUS_REQUEST:
      return status_request{.number = root.getStatusRequest().getNumber()};
    case schema::Membership::STATUS_REPORT: return read_report(root.getStatusReport(), fields);
    default: break;  // Of a newer build.
  }
  fields.demand(false, "the message", "is of a kind that this build does not know");
  return {};
}

}  // namespace

result<envelope> encode(const message& what) {
  const status fits = check(what);
  if (!fits.ok()) return fits.error();
  return pack<schema::Membership>(schema_id::membership, 64,
                                  [&](auto root) { std::visit(writer{root}, what); });
}

result<message> decode(const envelope& from) {
  return unpack<message, schema::Membership>(schema_id::membership, from, read_message);
}

}  // namespace weft::messages::membership
