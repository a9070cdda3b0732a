#include "filter/common/filter_text.h"

namespace klip::filter {
namespace {

template <typename Arguments>
std::string Join(std::string_view name, const Arguments& arguments) {
  std::string out(name);
  char before = '(';
  for (const auto& argument : arguments) {
    out.push_back(before);
    out.append(argument);
    before = ',';
  }
  return out.append(before == '(' ? "()" : ")");
}

}  // namespace

std::string Quoted(std::string_view bytes) {
  std::string out = "'";
  for (char c : bytes) {
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

std::string CallText(std::string_view name, std::initializer_list<std::string_view> arguments) {
  return Join(name, arguments);
}

std::string CallText(std::string_view name, const std::vector<std::string>& arguments) { return Join(name, arguments); }

std::string CompareText(std::string_view name, CompareOp op, const Comparator& comparator) {
  return CallText(name, {OpText(op), Quoted(comparator.ToString())});
}

std::string QuotedCallText(std::string_view name, const std::vector<std::string>& bytes) {
  std::vector<std::string> arguments;
  arguments.reserve(bytes.size());
  for (const std::string& one : bytes) {
    arguments.push_back(Quoted(one));
  }
  return CallText(name, arguments);
}

}  // namespace klip::filter
