#include "filter/filter_text.h"

#include "klip/bytes.h"

namespace klip::filter {

std::string Quoted(std::string_view bytes) {
  std::string out = "'";
  for (char c : ToStringBinary(bytes)) {
    out.append(c == '\'' ? 2 : 1, c);
  }
  return out + "'";
}

std::string_view OpText(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
      return "<";
    case CompareOp::kLessOrEqual:
      return "<=";
    case CompareOp::kEqual:
      return "=";
    case CompareOp::kNotEqual:
      return "!=";
    case CompareOp::kGreaterOrEqual:
      return ">=";
    case CompareOp::kGreater:
      return ">";
    case CompareOp::kNoOp:
      return "NO_OP";
  }
  return "";
}

std::string CallText(std::string_view name, std::string_view bytes) {
  return std::string(name) + "(" + Quoted(bytes) + ")";
}

}  // namespace klip::filter
