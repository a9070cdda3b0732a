// Pieces of the filter language, as filters print themselves.
#pragma once

#include <string>
#include <string_view>

#include "klip/filter.h"

namespace klip::filter {

// 'it''s', with every byte that is not printable ASCII as \xNN.
std::string Quoted(std::string_view bytes);

// "<=", "NO_OP".
std::string_view OpText(CompareOp op);

// Name('bytes').
std::string CallText(std::string_view name, std::string_view bytes);

}  // namespace klip::filter
