// What a bench found out, as the JSON document that scripts read and as text for people.
#pragma once

#include <string>

#include "actors/program/bench_results.hpp"
#include "actors/program/output.hpp"

namespace weft::actors {

// What stands beside the numbers.
struct bench_setting {
  std::string model;   // For people: the folder's or the config's name.
  std::string device;  // As the engine's traits say it.
  std::string numerics;
  seam used;  // Of mode `stitched`.
};

// One document (deploy/docs/formats.md, `bench`). The keys at the top describe the first prompt
// shape, `sweep` has all of them. Parts that were not measured are left out.
std::string json_of(const bench_results& all, const bench_plan& plan, const bench_setting& where);

void print(output& to, const bench_results& all, const bench_plan& plan,
           const bench_setting& where);

}  // namespace weft::actors
