// What the neighbours of a request_book believe after doing as it says: who works for which
// request, and which charges are open. It must come out even, whatever was lost.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "policies/requests/request_book.hpp"
#include "tests/policies/cluster_values.hpp"

namespace weft {

class request_ledger {
 public:
  void admitted(request_id id, const node_life& gateway);

  // A plan was sent to all who take part.
  void planned(request_id id, const serving_plan& plan, const plan_change& change);

  // A segment arrived: its source works no more, unless another segment is expected of it.
  void settled(request_id id, const request_book& book);

  void ended(const request_end& end);
  void died(const node_life& node);

  // One sentence for each thing that does not come out even; none when all is well.
  std::vector<std::string> faults(const request_book& book, const request_limits& limits) const;

 private:
  using charge_name = std::pair<node_life, std::uint64_t>;

  void settle(const std::vector<plan_charge>& charges);

  std::map<request_id, node_life> open_;
  std::map<request_id, std::set<node_life>> working_;
  std::set<charge_name> charged_;
  std::set<node_life> dead_;
  std::uint64_t admitted_ = 0;
  std::map<request_end_kind, std::uint64_t> ended_;
  std::vector<std::string> faults_;  // Found on the way.
};

}  // namespace weft
