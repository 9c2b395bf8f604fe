#include "messages/prompt/segment.hpp"

namespace weft::messages {

std::vector<prompt_segment> cut_segments(std::string_view text,
                                         const std::optional<std::string>& separator) {
  std::vector<prompt_segment> segments;
  while (!text.empty()) {
    const bool cuts = separator && !separator->empty();
    const std::size_t end = cuts ? text.find(*separator) : std::string_view::npos;
    if (end != 0) segments.push_back({.text = std::string(text.substr(0, end))});
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + separator->size());
  }
  return segments;
}

}  // namespace weft::messages
