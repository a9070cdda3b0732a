#include "table/write/row_condition.h"

namespace klip::table {
namespace {

// HBase treats a comparison with nothing as a test for absence or presence.
bool ComparesWithNothing(const RowCondition& condition) {
  if (condition.comparator == nullptr) {
    return condition.value.empty();
  }
  const std::string* bytes = condition.comparator->OrderedBytes();
  if (bytes == nullptr) {
    bytes = condition.comparator->PrefixBytes();
  }
  // A NullComparator is recognizable only by its text.
  return bytes != nullptr ? bytes->empty() : condition.comparator->ToString().starts_with("null");
}

int Compare(const RowCondition& condition, std::string_view cell_value) {
  return condition.comparator != nullptr ? condition.comparator->CompareTo(cell_value)
                                         : condition.value.compare(cell_value);
}

Expected<bool> Matches(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessOrEqual:
      return order <= 0;
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kGreaterOrEqual:
      return order >= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kNoOp:
      break;
  }
  return Status(Code::kDoNotRetry, "Unknown Compare op NO_OP");
}

}  // namespace

Status CheckCondition(const TableInfo& info, std::string_view row, const RowCondition& condition) {
  KLIP_RETURN_IF_ERROR(CheckRow(row));
  if (info.shown.index != nullptr) {
    return {Code::kUnsupported, "a condition cannot be on '" + info.name() +
                                    "', whose rows cannot be locked: use table '" + info.shown.table->name() + "'"};
  }
  if (condition.filter != nullptr) {
    return Status::Ok();
  }
  if (condition.family.empty()) {
    return {Code::kInvalidArgument,
            "condition is null. You need to specify the condition by calling ifNotExists/ifEquals/ifMatches before "
            "building a CheckAndMutate object"};
  }
  return info.view->Find(condition.family) != nullptr ? Status::Ok() : NoSuchFamily(*info.view, row, condition.family);
}

Expected<ConditionOutcome> Evaluate(const RowSource& source, const TableInfo& info, std::string_view row,
                                    const RowCondition& condition) {
  Get get = {.row = std::string(row), .time_range = condition.time_range, .filter = condition.filter};
  if (condition.filter == nullptr) {
    get.columns.push_back({condition.family, condition.qualifier});
  }
  Result found;
  KLIP_RETURN_IF_ERROR(source.Get(info, get, &found));
  ConditionOutcome outcome = {.cell_ms = found.empty() ? 0 : found[0].timestamp_ms};
  if (condition.filter != nullptr) {
    outcome.holds = !found.empty();
  } else if (ComparesWithNothing(condition)) {
    const bool absent = found.empty() || found[0].value.empty();
    const bool wants_absent = condition.op != CompareOp::kNotEqual;
    outcome.holds = found.empty() ? wants_absent : absent == wants_absent;
  } else if (!found.empty()) {
    KLIP_ASSIGN_OR_RETURN(outcome.holds, Matches(condition.op, Compare(condition, found[0].value)));
  }
  return outcome;
}

}  // namespace klip::table
