// Just enough XML to tell whether a document is well formed, and to count what is in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::actors {

struct xml_facts {
  std::map<std::string, int> elements;  // By name.
  std::vector<std::string> polylines;   // The `points` of each.
  std::vector<std::string> texts;       // Of each element that holds text alone.
};

// Nothing unless every tag closes in order, attributes are quoted and no stray & or < is there.
inline std::optional<xml_facts> read_xml(const std::string& text) {
  xml_facts facts;
  std::vector<std::string> open;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find('<', at);
    const std::string between = text.substr(at, begin - at);
    for (std::size_t i = between.find('&'); i != std::string::npos; i = between.find('&', i + 1))
      if (between.find(';', i) == std::string::npos) return std::nullopt;
    if (begin == std::string::npos) break;
    const std::size_t end = text.find('>', begin);
    if (end == std::string::npos) return std::nullopt;
    std::string tag = text.substr(begin + 1, end - begin - 1);
    at = end + 1;
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return std::nullopt;
      if (!between.empty() && between.find('\n') == std::string::npos)
        facts.texts.push_back(between);
      open.pop_back();
      continue;
    }
    if (tag.find('<') != std::string::npos) return std::nullopt;
    int quotes = 0;
    for (const char letter : tag) quotes += letter == '"' ? 1 : 0;
    if (quotes % 2 != 0) return std::nullopt;
    const bool closed = tag.ends_with("/");
    const std::string name = tag.substr(0, tag.find_first_of(" /"));
    if (open.empty() && !facts.elements.empty()) return std::nullopt;  // A second root.
    ++facts.elements[name];
    const std::string key = "points=\"";
    if (name == "polyline") {
      const std::size_t points = tag.find(key) + key.size();
      facts.polylines.push_back(tag.substr(points, tag.find('"', points) - points));
    }
    if (!closed) open.push_back(name);
  }
  if (!open.empty() || facts.elements.empty()) return std::nullopt;
  return facts;
}

}  // namespace weft::actors
