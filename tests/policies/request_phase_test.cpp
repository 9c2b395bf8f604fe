#include "policies/requests/request_phase.hpp"

#include <set>

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("phases come in the order of a request's way, and each has a name of its own",
          "[policies][request_phase]") {
  const std::vector<request_phase> way = {request_phase::waiting, request_phase::planned,
                                          request_phase::prefilling, request_phase::splicing,
                                          request_phase::streaming};
  CHECK(std::is_sorted(way.begin(), way.end()));
  std::set<std::string_view> names;
  for (const request_phase phase : way) names.insert(name_of(phase));
  CHECK(names.size() == way.size());
}

TEST_CASE("each way to end has a name of its own", "[policies][request_phase]") {
  std::set<std::string_view> names;
  for (const auto kind :
       {request_end_kind::done, request_end_kind::failed, request_end_kind::cancelled,
        request_end_kind::expired, request_end_kind::abandoned})
    names.insert(name_of(kind));
  CHECK(names.size() == 5);
}

}  // namespace weft
