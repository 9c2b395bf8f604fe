// The picture of a reuse sweep: time to first token against the share of reused tokens, a line a
// mode.
#pragma once

#include <string>

#include "actors/program/bench_report.hpp"
#include "actors/program/bench_results.hpp"
#include "actors/program/svg_plot.hpp"

namespace weft::actors {

// Requires: the sweep was measured.
svg_plot plot_of(const bench_results& all, const bench_plan& plan, const bench_setting& where);

}  // namespace weft::actors
