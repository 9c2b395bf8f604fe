#include "gpu/checkpoint/json_file.hpp"

#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/mapped_file.hpp"
#include "policies/vocabulary/json_nesting.hpp"

namespace weft::gpu {

using nlohmann::json;

result<json> parse_json(std::string_view name, std::string_view text) {
  if (const std::string complaint = json_complaint(text); !complaint.empty())
    return rejected(std::string(name) + " " + complaint);
  std::vector<std::set<std::string>> open_objects;  // Keys seen so far, one set per open object.
  std::string repeated;
  const auto watch_keys = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) {
      open_objects.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      open_objects.pop_back();
    } else if (event == json::parse_event_t::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!open_objects.back().insert(key).second && repeated.empty()) repeated = key;
    }
    return true;
  };
  try {
    json parsed = json::parse(text.begin(), text.end(), watch_keys);
    if (!repeated.empty()) {
      return rejected(std::string(name) + " names \"" + repeated + "\" twice");
    }
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
