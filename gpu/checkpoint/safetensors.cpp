#include "gpu/checkpoint/safetensors.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/json_file.hpp"

namespace weft::gpu {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::size_t dims_max = 16;

std::optional<element_type> type_named(std::string_view name) {
  if (name == "BF16") return element_type::bfloat16;
  if (name == "F16") return element_type::float16;
  if (name == "F32") return element_type::float32;
  return std::nullopt;
}

// The header's JSON text, once its length has been checked against the file.
result<std::string_view> header_text(std::string_view file, std::span<const std::byte> bytes) {
  const std::string name(file);
  if (bytes.size() < length_bytes) {
    return rejected(name + " is " + std::to_string(bytes.size()) +
                    " bytes long, too short for a safetensors header");
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  if (length > safetensors_header_bytes_max) {
    return rejected(name + " claims a header of " + std::to_string(length) + " bytes; at most " +
                    std::to_string(safetensors_header_bytes_max) + " are allowed");
  }
  if (length > bytes.size() - length_bytes) {
    return rejected(name + " claims a header of " + std::to_string(length) + " bytes but is only " +
                    std::to_string(bytes.size()) + " bytes long; it may be cut short");
  }
  const char* text = reinterpret_cast<const char*>(bytes.data()) + length_bytes;
  return std::string_view(text, static_cast<std::size_t>(length));
}

// One tensor's row of the header being turned into a stored_tensor.
class row_reader {
 public:
  row_reader(std::string_view file, const std::string& name, const json& row)
      : row_(row), where_(std::string(file) + ": tensor \"" + name + "\"") {
    tensor_.name = name;
    tensor_.file = std::string(file);
  }

  result<stored_tensor> read(std::span<const std::byte> data) {
    if (!row_.is_object()) return fail("is not described by an object");
    if (status read = read_type(); !read) return read.error();
    if (status read = read_dims(); !read) return read.error();
    if (status read = read_bytes(data); !read) return read.error();
    return std::move(tensor_);
  }

 private:
  failure fail(const std::string& what) const { return rejected(where_ + " " + what); }

  status read_type() {
    const auto found = row_.find("dtype");
    if (found == row_.end() || !found->is_string()) return fail("has no dtype");
    tensor_.type_name = found->get<std::string>();
    tensor_.type = type_named(tensor_.type_name);
    return {};
  }

  status read_dims() {
    const auto found = row_.find("shape");
    if (found == row_.end() || !found->is_array()) return fail("has no shape");
    if (found->size() > dims_max) return fail("has more than 16 dimensions");
    for (const json& dim : *found) {
      if (!dim.is_number_unsigned()) {
        return fail("has the shape " + shown(*found) + ", which is not a list of whole numbers");
      }
      const auto extent = dim.get<std::uint64_t>();
      // A factor above 2^48 cannot be real, and keeps the product below from wrapping unseen.
      if (extent > elements_limit || (extent != 0 && elements_ > elements_limit / extent)) {
        return fail("has the shape " + shown(*found) + ", which is larger than any file");
      }
      elements_ *= extent;
      tensor_.dims.push_back(static_cast<std::int64_t>(extent));
    }
    return {};
  }

  status read_bytes(std::span<const std::byte> data) {
    const auto found = row_.find("data_offsets");
    if (found == row_.end() || !found->is_array() || found->size() != 2 ||
        !(*found)[0].is_number_unsigned() || !(*found)[1].is_number_unsigned()) {
      return fail("has no data_offsets of two whole numbers");
    }
    const auto begin = (*found)[0].get<std::uint64_t>();
    const auto end = (*found)[1].get<std::uint64_t>();
    if (begin > end || end > data.size()) {
      return fail("has data_offsets " + shown(*found) + " outside the " +
                  std::to_string(data.size()) + " bytes of data; the file may be cut short");
    }
    if (tensor_.type.has_value()) {
      const auto wanted = elements_ * static_cast<std::uint64_t>(bytes_of(*tensor_.type));
      if (end - begin != wanted) {
        return fail("of type " + tensor_.type_name + " and shape " + shown_shape(tensor_.dims) +
                    " needs " + std::to_string(wanted) + " bytes but has " +
                    std::to_string(end - begin));
      }
    }
    tensor_.bytes =
        data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    return {};
  }

  static constexpr std::uint64_t elements_limit = std::uint64_t{1} << 48;

  const json& row_;
  std::string where_;
  stored_tensor tensor_;
  std::uint64_t elements_ = 1;
};

// The format wants every byte of data to belong to exactly one tensor.
status check_layout(std::string_view file, std::span<const std::byte> data,
                    const std::vector<stored_tensor>& tensors) {
  std::vector<const stored_tensor*> in_order;
  for (const stored_tensor& tensor : tensors) {
    if (!tensor.bytes.empty()) in_order.push_back(&tensor);
  }
  std::sort(in_order.begin(), in_order.end(), [](const stored_tensor* a, const stored_tensor* b) {
    return a->bytes.data() < b->bytes.data();
  });
  const std::byte* covered = data.data();
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const stored_tensor& tensor = *in_order[i];
    if (tensor.bytes.data() < covered) {
      return rejected(std::string(file) + ": tensors \"" + in_order[i - 1]->name + "\" and \"" +
                      tensor.name + "\" overlap");
    }
    // A gap is allowed: whoever needs the tensor that lay there names it as missing.
    covered = tensor.bytes.data() + tensor.bytes.size();
  }
  const auto used = static_cast<std::size_t>(covered - data.data());
  if (used != data.size()) {
    return rejected(std::string(file) + ": the last " + std::to_string(data.size() - used) +
                    " bytes belong to no tensor");
  }
  return {};
}

}  // namespace

result<std::vector<stored_tensor>> parse_safetensors(std::string_view file,
                                                     std::span<const std::byte> bytes) {
  const result<std::string_view> text = header_text(file, bytes);
  if (!text) return text.error();
  const result<json> header = parse_json(std::string(file) + ": the header", *text);
  if (!header) return header.error();
  if (!header->is_object()) {
    return rejected(std::string(file) + ": the header is not a JSON object");
  }
  const std::span<const std::byte> data = bytes.subspan(length_bytes + text->size());
  std::vector<stored_tensor> tensors;
  for (const auto& [name, row] : header->items()) {  // Sorted: json objects are ordered maps.
    if (name == "__metadata__") continue;
    result<stored_tensor> tensor = row_reader(file, name, row).read(data);
    if (!tensor) return tensor.error();
    tensors.push_back(std::move(tensor).value());
  }
  if (status layout = check_layout(file, data, tensors); !layout) return layout.error();
  return tensors;
}

std::string shown_shape(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace weft::gpu
