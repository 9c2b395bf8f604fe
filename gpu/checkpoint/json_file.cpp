#include "gpu/checkpoint/json_file.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/mapped_file.hpp"
#include "policies/vocabulary/json_nesting.hpp"

namespace weft::gpu {

using nlohmann::json;

namespace {

// Looks for a key that one object names twice. The parser could call back with each value, but it
// then walks an object anew for each member: minutes for a header of 20,000 tensors.
class repeated_key : public nlohmann::json_sax<json> {
 public:
  const std::optional<std::string>& found() const { return found_; }

  bool start_object(std::size_t) override {
    open_objects_.emplace_back();
    return true;
  }
  bool key(std::string& name) override {
    if (open_objects_.back().insert(name).second) return true;
    found_ = name;
    return false;  // The first one is enough.
  }
  bool end_object() override {
    open_objects_.pop_back();
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  std::vector<std::unordered_set<std::string>> open_objects_;  // Their keys so far.
  std::optional<std::string> found_;
};

}  // namespace

result<json> parse_json(std::string_view name, std::string_view text) {
  if (const std::string complaint = json_complaint(text); !complaint.empty())
    return rejected(std::string(name) + " " + complaint);
  try {
    json parsed = json::parse(text.begin(), text.end());
    repeated_key repeated;
    json::sax_parse(text.begin(), text.end(), &repeated);
    if (repeated.found())
      return rejected(std::string(name) + " names \"" + *repeated.found() + "\" twice");
    return parsed;
  } catch (const json::parse_error& error) {
    return rejected(std::string(name) + " is not valid JSON at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    return rejected(std::string(name) + " holds a number that is out of range");
  }
}

result<json> read_json_file(const std::filesystem::path& path) {
  result<mapped_file> file = mapped_file::open(path);
  if (!file) return file.error();
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > static_cast<std::size_t>(json_file_bytes_max)) {
    return rejected(path.string() + " is " + std::to_string(bytes.size()) +
                    " bytes long; at most " + std::to_string(json_file_bytes_max) +
                    " are read from a JSON file");
  }
  return parse_json(path.string(),
                    std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string shown(const json& value) {
  constexpr std::size_t length_max = 80;  // Enough to recognise the value in the file.
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > length_max) text = text.substr(0, length_max) + "...";
  return text;
}

}  // namespace weft::gpu
