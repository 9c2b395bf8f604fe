// Random facts of a route, and what must hold of any plan made from them.
#pragma once

#include <string>
#include <vector>

#include "policies/routing/route_facts.hpp"
#include "policies/routing/route_plan.hpp"
#include "tests/policies/cluster_values.hpp"

namespace weft {

route_facts random_facts(std::mt19937& random);

// One sentence for each thing that is wrong with the plan; none when it is sound. Works out from
// the sources alone what the plan says of times and charges.
std::vector<std::string> faults_of(const route_facts& facts, const route_plan& plan);

}  // namespace weft
