// The pages, as they are in console/: part of the program.
#pragma once

#include <string_view>

namespace klip::console {

// The text of the file; empty: there is none of that name. Made by CMake.
std::string_view EmbeddedFile(std::string_view name);

}  // namespace klip::console
