// `weft inspect`: what a model folder holds, what an entry of it weighs, and whether it is
// supported.
#include <filesystem>
#include <ostream>

#include <nlohmann/json.hpp>

#include "actors/program/common_options.hpp"
#include "actors/program/loaded_model.hpp"
#include "actors/program/output.hpp"
#include "actors/program/table.hpp"
#include "actors/program/words.hpp"
#include "gpu/checkpoint/checkpoint.hpp"
#include "gpu/checkpoint/finite.hpp"
#include "gpu/checkpoint/model_config.hpp"
#include "gpu/host/instructions.hpp"

namespace weft::actors {
namespace {

using nlohmann::ordered_json;

struct part {
  std::string name;
  std::string trouble;    // Empty: supported.
  bool optional = false;  // Its trouble leaves the model usable.
};

struct inspection {
  std::optional<gpu::model_shape> shape;
  std::int64_t weight_bytes = 0;
  std::vector<part> parts;  // In the order in which loading needs them.
  messages::profile profile;

  bool supported() const {
    for (const part& each : parts)
      if (!each.trouble.empty() && !each.optional) return false;
    return true;
  }
};

// Bytes that the engine reads; a head tied to the embedding counts once.
std::int64_t bytes_of(const gpu::model_weights& weights) {
  std::int64_t bytes = 0;
  gpu::each_tensor(weights, [&](const gpu::tensor_view& tensor) {
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
  });
  return bytes;
}

inspection inspect_folder(const options& given) {
  const std::filesystem::path folder = given.text("--model");
  inspection found;
  const auto note = [&](std::string name, const auto& outcome) {
    found.parts.push_back(
        {.name = std::move(name), .trouble = outcome ? "" : outcome.error().message});
  };
  const auto shape = gpu::read_shape(folder / "config.json");
  note("configuration", shape);
  if (shape) {
    found.shape = *shape;
    const auto weights = gpu::load_checkpoint(folder);
    note("weights", weights);
    if (weights) {
      found.weight_bytes = bytes_of(*weights);
      const status finite = gpu::check_finite(*weights);
      note("values",
           finite ? finite
                  : failure{finite.error().kind, folder.string() + ": " + finite.error().message});
    }
  }
  if (has_tokenizer(folder.string()))
    note("tokenizer", load_tokenizer(folder.string()));
  else
    found.parts.push_back({.name = "tokenizer",
                           .trouble = "there is none, so only weft score works, on ids",
                           .optional = true});
  const auto profile = load_profile(given, folder.string());
  std::error_code error;
  if (given.given("--profile") || std::filesystem::exists(folder / "weft.json", error))
    note("profile", profile);
  else
    found.parts.push_back(
        {.name = "profile", .trouble = "there is none, so the defaults hold", .optional = true});
  if (profile) found.profile = *profile;
  return found;
}

// The most that an entry of that many stored tokens takes; shown at two lengths, since states weigh
// the same at any length and keys do not.
constexpr std::int64_t shown_tokens[] = {64, 512};

ordered_json json_of(const gpu::entry_bytes& bytes) {
  return {{"state", bytes.state},
          {"transition", bytes.transition},
          {"convolution", bytes.convolution},
          {"keys_values", bytes.keys_values},
          {"total", bytes.total()}};
}

ordered_json json_of(const inspection& found) {
  ordered_json document = {{"supported", found.supported()}};
  ordered_json parts = ordered_json::object();
  for (const part& each : found.parts)
    parts[each.name] =
        each.trouble.empty() ? ordered_json("supported") : ordered_json(each.trouble);
  document["parts"] = parts;
  document["instructions"] = gpu::name_of(gpu::widest_instruction_set());
  document["seam"] = {{"head", found.profile.seam.head_tokens},
                      {"tail", found.profile.seam.tail_tokens}};
  document["anchor_segments"] = found.profile.anchor.size();
  if (!found.shape) return document;
  const gpu::model_shape& shape = *found.shape;
  document["architecture"] = shape.architecture;
  ordered_json layers = ordered_json::array();
  for (const gpu::layer_kind kind : shape.layers)
    layers.push_back(kind == gpu::layer_kind::linear ? "gated_delta" : "attention");
  document["layers"] = layers;
  document["hidden"] = shape.hidden;
  if (shape.sparse_layers() > 0)
    document["experts"] = {{"layers", shape.sparse_layers()},
                           {"count", shape.sparse.experts},
                           {"per_token", shape.sparse.experts_per_token},
                           {"intermediate", shape.sparse.intermediate},
                           {"shared_intermediate", shape.sparse.shared_intermediate}};
  document["vocabulary"] = shape.vocabulary;
  document["positions_max"] = shape.positions_max;
  document["weight_bytes"] = found.weight_bytes;
  ordered_json entries = ordered_json::object();
  for (const std::int64_t tokens : shown_tokens)
    entries[std::to_string(tokens)] = json_of(gpu::bytes_per_entry(shape, tokens));
  document["bytes_per_entry"] = entries;
  return document;
}

void print_shape(output& to, const inspection& found) {
  const gpu::model_shape& shape = *found.shape;
  table facts({{"what", side::left}, {"is", side::left}});
  const auto numbers = [](std::int64_t value) { return std::to_string(value); };
  facts.add({"architecture", shape.architecture});
  facts.add({"layers", numbers(shape.linear_layers()) + " gated delta net, " +
                           numbers(shape.attention_layers()) + " attention"});
  const bool all_sparse = shape.intermediate == 0;
  facts.add({"hidden, intermediate",
             numbers(shape.hidden) + ", " + (all_sparse ? "-" : numbers(shape.intermediate))});
  if (shape.sparse_layers() > 0) {
    const gpu::sparse_shape& sparse = shape.sparse;
    const bool shared = sparse.shared_intermediate > 0;
    facts.add({"experts",
               numbers(sparse.experts) + ", of which a token visits " +
                   numbers(sparse.experts_per_token) + ", of " + numbers(sparse.intermediate) +
                   " each; shared: " + (shared ? numbers(sparse.shared_intermediate) : "none") +
                   "; in " + numbers(shape.sparse_layers()) + " layers"});
  }
  facts.add({"linear heads", numbers(shape.linear.key_heads) + " key, " +
                                 numbers(shape.linear.value_heads) + " value, " +
                                 numbers(shape.linear.key_dim) + " x " +
                                 numbers(shape.linear.value_dim)});
  facts.add({"attention heads",
             numbers(shape.attention.heads) + ", " + numbers(shape.attention.key_value_heads) +
                 " for keys and values, of " + numbers(shape.attention.head_dim)});
  facts.add({"vocabulary", numbers(shape.vocabulary)});
  facts.add({"positions", numbers(shape.positions_max)});
  facts.add({"bytes of weights", numbers(found.weight_bytes)});
  for (const std::int64_t tokens : shown_tokens) {
    const gpu::entry_bytes bytes = gpu::bytes_per_entry(shape, tokens);
    facts.add({"entry of " + numbers(tokens) + " tokens",
               numbers(bytes.total()) + " bytes: S " + numbers(bytes.state) + ", T " +
                   numbers(bytes.transition) + ", convolution " + numbers(bytes.convolution) +
                   ", keys and values " + numbers(bytes.keys_values)});
  }
  to.text() << facts.text("  ");
}

void print(output& to, const inspection& found) {
  table parts({{"part", side::left}, {"supported", side::left}});
  for (const part& each : found.parts)
    parts.add({each.name, each.trouble.empty() ? "yes" : "no: " + each.trouble});
  to.text() << parts.text("  ");
  if (found.shape) print_shape(to, found);
  to.text() << "  seam: head " << found.profile.seam.head_tokens << ", tail "
            << found.profile.seam.tail_tokens
            << "; anchor segments: " << found.profile.anchor.size()
            << "\n  this machine: " << gpu::name_of(gpu::widest_instruction_set())
            << "\n  architectures that can be loaded: " << gpu::supported_architectures() << "\n";
}

result<int> act(const options& given, console& at) {
  auto to = output::make(at, given.text("--json"));
  if (!to) return to.error();
  const std::string folder = given.text("--model");
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return unavailable("'" + folder + "' is no folder; --model takes a model's folder");
  const inspection found = inspect_folder(given);
  print(*to, found);
  const status written =
      to->write_json(json_of(found).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  if (!written) return written.error();
  return found.supported() ? exit_done : exit_failed;
}

}  // namespace

word inspect_word() {
  return {.name = "inspect",
          .sentence = "Shows what a model folder holds, and what of it is supported.",
          .more = "Exit code 1 when something of it is not.",
          .rules = join_rules({{model_option(), json_option()}, reuse_option_rules()}),
          .act = act};
}

}  // namespace weft::actors
