#include "gpu/checkpoint/checkpoint.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>

#include "gpu/checkpoint/model_config.hpp"
#include "gpu/checkpoint/tensor_index.hpp"
#include "gpu/checkpoint/weight_layout.hpp"

namespace weft::gpu {
namespace {

// Where published checkpoints keep the text tensors, and the head that goes with each place.
struct tensor_place {
  std::string_view prefix;
  std::string_view head;
};
constexpr std::array<tensor_place, 3> places = {{
    {"model.language_model.", "lm_head.weight"},
    {"language_model.model.", "language_model.lm_head.weight"},
    {"model.", "lm_head.weight"},
}};

// Takes tensors out of an index by name and shape and remembers the first that is missing or wrong.
class tensor_taker {
 public:
  tensor_taker(const tensor_index& index, std::string folder)
      : index_(index), folder_(std::move(folder)) {}

  tensor_view take(const wanted_tensor& wanted) {
    const auto& [name, dims, role, unused] = wanted;
    const tensor_view nothing{.name = name, .dims = dims, .bytes = {}};
    taken_.insert(name);
    const stored_tensor* found = index_.find(name);
    if (unused && found == nullptr) return nothing;
    if (found == nullptr) {
      fail(folder_ + ": tensor \"" + name + "\" of shape " + shown_shape(dims) + " is missing");
      return nothing;
    }
    const std::string where = found->file + ": tensor \"" + name + "\" ";
    if (found->dims != dims) {
      fail(where + "has shape " + shown_shape(found->dims) + " where config.json makes it " +
           shown_shape(dims));
      return nothing;
    }
    if (!found->type.has_value()) {
      fail(where + "has type " + found->type_name + "; supported are BF16, F16 and F32");
      return nothing;
    }
    return {.name = name, .type = *found->type, .dims = dims, .bytes = found->bytes};
  }

  // Refuses what stands under `prefix` and was not taken.
  void refuse_leftovers(const std::string& prefix) {
    for (const stored_tensor& tensor : index_.tensors()) {
      if (!tensor.name.starts_with(prefix) || taken_.contains(tensor.name)) continue;
      if (tensor.bytes.empty()) continue;  // A part of no size.
      // Old exports keep it, though it follows from rope_theta.
      if (tensor.name.ends_with(".rotary_emb.inv_freq")) continue;
      fail(tensor.file + ": tensor \"" + tensor.name +
           "\" has no place in the model that config.json describes");
    }
  }

  void fail(std::string what) {
    if (!failure_.has_value()) failure_ = rejected(std::move(what));
  }
  status outcome() const { return failure_.has_value() ? status(*failure_) : status(); }

 private:
  const tensor_index& index_;
  std::string folder_;
  std::set<std::string> taken_;
  std::optional<failure> failure_;
};

result<tensor_place> find_place(const tensor_index& index, const std::string& folder) {
  constexpr std::string_view landmark = "embed_tokens.weight";
  std::string tried;
  for (const tensor_place& place : places) {
    const std::string name = std::string(place.prefix) + std::string(landmark);
    if (index.find(name) != nullptr) return place;
    tried += (tried.empty() ? "\"" : ", \"") + name + "\"";
  }
  return rejected(folder + ": the embedding is missing; looked for tensors " + tried);
}

}  // namespace

result<model_weights> load_checkpoint(const std::filesystem::path& folder) {
  // The configuration's faults are told first.
  if (const result<model_shape> shape = read_shape(folder / "config.json"); !shape)
    return shape.error();
  const result<tensor_index> index = tensor_index::open(folder);
  if (!index) return index.error();
  return load_checkpoint(folder, *index);
}

result<model_weights> load_checkpoint(const std::filesystem::path& folder,
                                      const tensor_index& index) {
  const result<model_shape> shape = read_shape(folder / "config.json");
  if (!shape) return shape.error();
  const result<tensor_place> place = find_place(index, folder.string());
  if (!place) return place.error();

  const std::string prefix(place->prefix);
  tensor_taker tensors(index, folder.string());
  model_weights weights =
      lay_out(*shape, prefix, std::string(place->head),
              {.take = [&](const wanted_tensor& wanted) { return tensors.take(wanted); },
               .holds = [&](const std::string& name) { return index.find(name) != nullptr; }});
  tensors.refuse_leftovers(prefix + "layers.");
  if (status taken = tensors.outcome(); !taken) return taken.error();
  weights.storage = index.storage();
  return weights;
}

}  // namespace weft::gpu
