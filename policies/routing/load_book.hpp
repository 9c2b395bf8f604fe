// How long each worker's queue is, as a router knows it between two reports.
//
//   queue = what the worker last reported, less the time since, but not below 0
//         + what was charged to it since and neither that report knew of nor has ended
//
// A value. Without charges a router would send all requests of one report interval to whoever was
// idle at its start. Each charge has a number, which goes out with the work it stands for; a report
// tells the highest number that the worker has heard. So a report made before a charge arrived does
// not erase it, whatever came first here, and without any clock on the wire. What the report knew
// of is in its queue, and is not counted twice.
//
// Only the life of a worker that `meet` named counts. Memory: workers_max workers of charges_max
// charges; beyond that a worker is not met and a charge is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "policies/cost/cost_model.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"

namespace weft {

struct load_report {
  double queued_ms = 0;             // Predicted, of all that it has accepted and not done.
  std::uint64_t charges_heard = 0;  // The highest number of a charge that reached it; 0: none.
  cost_coefficients cost = {};      // As it has measured itself.
};

struct load_limits {
  std::size_t workers_max = 256;
  // Per worker, not yet in a report: far more than a worker is given in one report interval.
  std::size_t charges_max = 4'096;
};

class load_book {
 public:
  explicit load_book(load_limits limits = {}) : limits_(limits) {}

  // From now on this life of the worker counts, idle and with the prior's cost until it reports. A
  // known life stays as it is. False: workers_max are known.
  bool meet(const node_life& worker);
  void forget(const node_name& worker);

  // False, and nothing changes: the life was not met; the report is older than one taken before
  // (it has heard less); it tells of charges never made; or it holds what is no measurement (a
  // number that is not finite, or negative).
  bool take(const node_life& worker, const load_report& report, instant now);

  // Counts work that is sent to the worker now. Returns its number, from 1. Nullopt: the life was
  // not met, or charges_max are open. Requires: finite, not negative.
  std::optional<std::uint64_t> charge(const node_life& worker, double ms);

  // The work ended, by whatever end. Returns whether it was still open here; a report that knew of
  // it has closed it as well.
  bool settle(const node_life& worker, std::uint64_t charge);

  // 0 for a worker that is not known.
  double queue_ms(const node_name& worker, instant now) const;

  // The prior for a worker that is not known or has not reported.
  cost_coefficients cost(const node_name& worker) const;

  std::size_t charges_open(const node_name& worker) const;

 private:
  struct worker_load {
    incarnation life;
    load_report reported = {};
    instant reported_at = {};
    std::uint64_t last_charge = 0;
    std::map<std::uint64_t, double> charged_ms;  // Open ones, by number.
  };

  worker_load* find(const node_life& worker);

  load_limits limits_;
  std::map<node_name, worker_load> workers_;
};

}  // namespace weft
