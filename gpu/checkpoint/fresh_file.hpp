// A new file under a name that nobody else has: a draft, to be renamed into its place.
//
// A process id in the name does not do: two containers over one folder have equal ones. Threads:
// any.
#pragma once

#include <filesystem>

namespace weft::gpu {

// A name beside `target`, drawn at random: TARGET.RANDOM.new. Nothing is made.
std::filesystem::path fresh_name(const std::filesystem::path& target);

// Makes `path`, empty. False where something of that name is there or it cannot be made; errno says
// why.
bool make_fresh(const std::filesystem::path& path);

}  // namespace weft::gpu
