#include "ops/filter_text.h"

#include <iterator>
#include <string>

#include "klip/bytes.h"
#include "ops/op_language.h"

namespace klip::ops {

Expected<FilterPtr> ParseFilterText(std::string_view text) {
  return ParseFilter(FromStringBinary(text), FilterNames::kAll);
}

Expected<CompareOp> ParseCompareOp(std::string_view text) {
  static constexpr std::string_view kNames[] = {"<", "<=", "=", "!=", ">=", ">", "no-op"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) {
      return static_cast<CompareOp>(i);
    }
  }
  return Syntax("compare operator " + std::string(text));
}

}  // namespace klip::ops
