#include "messages/wire/membership.hpp"

#include "messages/wire/bounds.hpp"
#include "messages/wire/field_check.hpp"

namespace weft::messages::membership {

namespace {

// One overload per message, as std::visit wants it.
struct checker {
  field_check& fields;

  void operator()(const hello& what) const {
    fields.life(what.node, "hello.node");
    fields.text(what.numerics_id, numerics_id_bytes_max, "hello.numericsId");
    fields.text(what.model_fingerprint, fingerprint_bytes_max, "hello.modelFingerprint");
    fields.text(what.control.host, host_bytes_max, "hello.control.host");
    fields.text(what.data.host, host_bytes_max, "hello.data.host");
  }

  void operator()(const heartbeat& what) const {
    fields.life(what.node, "heartbeat.node");
    fields.demand(what.sequence != 0, "heartbeat.sequence", "is 0; they count from 1");
  }

  void operator()(const goodbye& what) const { fields.life(what.node, "goodbye.node"); }
  void operator()(const drain& what) const { fields.life(what.node, "drain.node"); }
  void operator()(const status_request&) const {}

  void operator()(const status_report& what) const {
    fields.count(what.nodes.size(), nodes_max, "statusReport.nodes");
    std::size_t peers = 0;
    for (const node_status& node : what.nodes) {
      peers += node.peers.size();
      if (!fields.count(peers, peers_max, "statusReport.nodes.peers")) return;
      check(node);
    }
  }

  void check(const node_status& what) const {
    fields.life(what.node, "statusReport.nodes.node");
    fields.text(what.numerics_id, numerics_id_bytes_max, "statusReport.nodes.numericsId");
    for (const peer& known : what.peers) {
      if (!fields.life(known.node, "statusReport.nodes.peers.node")) return;
    }
    for (const pool_counts& pool : {what.slots, what.pages, what.staging}) {
      for (const std::int64_t units :
           {pool.free, pool.cached, pool.pinned, pool.in_flight, pool.quarantined}) {
        fields.range(units, 0, count_max, "statusReport.nodes' pools");
      }
    }
  }
};

}  // namespace

status check(const message& what) {
  field_check fields("membership");
  std::visit(checker{fields}, what);
  return fields.verdict();
}

}  // namespace weft::messages::membership
