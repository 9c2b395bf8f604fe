// What `weft bench` runs on: a model folder, or random weights of a published shape.
#pragma once

#include "actors/program/loaded_model.hpp"
#include "actors/program/options.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

// --model, or --config with --random-weights. No token ends an answer, so that rates count what was
// asked for; the bench asks for nothing that needs a tokenizer. `watched` as in loading.
result<loaded_model> load_bench_model(const options& given, console* watched);

}  // namespace weft::actors
