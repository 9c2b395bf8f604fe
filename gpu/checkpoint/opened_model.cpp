#include "gpu/checkpoint/opened_model.hpp"

#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/checkpoint/fingerprint_cache.hpp"
#include "gpu/checkpoint/model_config.hpp"

namespace weft::gpu {

result<opened_model> open_model(const std::filesystem::path& folder) {
  // The configuration's faults are told first.
  if (const auto shape = read_shape(folder / "config.json"); !shape) return shape.error();
  // Opened twice, the first time only to learn which files there are: what is used must be mapped
  // after the first look at their identity, so that what changes meanwhile is never remembered.
  result<tensor_index> index = tensor_index::open(folder);
  if (!index) return index.error();
  std::string identity = identity_of(folder, *index);
  index = tensor_index::open(folder);
  if (!index) return index.error();
  result<model_weights> weights = load_checkpoint(folder, *index);
  if (!weights) return weights.error();
  return opened_model{.folder = folder,
                      .index = std::move(*index),
                      .identity = std::move(identity),
                      .weights = std::move(*weights)};
}

result<fingerprints> fingerprint_of(const opened_model& opened, const reading& how) {
  const bool cached = !how.cache_folder.empty();
  const auto unchanged = [&] {
    return identity_of(opened.folder, opened.index) == opened.identity;
  };
  if (cached && unchanged()) {
    const auto known = recall(how.cache_folder, opened.folder, opened.identity);
    if (known) return *known;
  }
  tensor_pass pass{.on_progress = how.on_progress};
  each_tensor(opened.weights, [&](const tensor_view& tensor) { pass.finite.insert(tensor.name); });
  result<fingerprints> prints = fingerprint_of(opened.folder, opened.index, pass);
  if (prints && cached && unchanged())
    remember(how.cache_folder, opened.folder, opened.identity, *prints);
  return prints;
}

}  // namespace weft::gpu
