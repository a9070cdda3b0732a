// Parts of the filter language, for filters' ToString.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "klip/filter.h"

namespace klip::filter {

// 'it''s'. Bytes are not escaped.
std::string Quoted(std::string_view bytes);

// "<=", "NO_OP".
std::string_view OpText(CompareOp op);

inline std::string_view BoolText(bool value) { return value ? "true" : "false"; }

// Name(a,b).
std::string CallText(std::string_view name, std::initializer_list<std::string_view> arguments);
std::string CallText(std::string_view name, const std::vector<std::string>& arguments);

// Name(<=,'binary:abc').
std::string CompareText(std::string_view name, CompareOp op, const Comparator& comparator);

// Name('a','b').
std::string QuotedCallText(std::string_view name, const std::vector<std::string>& bytes);

}  // namespace klip::filter
