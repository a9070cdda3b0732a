#include "filter/filters/filter_list_state.h"

#include <algorithm>

namespace klip::filter {
namespace {

// What a code skips, whether or not it keeps the cell: nothing, the column, the row.
int Reach(ReturnCode code) {
  switch (code) {
    case ReturnCode::kInclude:
    case ReturnCode::kSkip:
      return 0;
    case ReturnCode::kIncludeAndNextCol:
    case ReturnCode::kNextCol:
      return 1;
    case ReturnCode::kIncludeAndSeekNextRow:
    case ReturnCode::kNextRow:
      return 2;
    case ReturnCode::kSeekNextUsingHint:
      return 3;
  }
  return 0;
}

ReturnCode CodeOf(bool include, int reach) {
  switch (reach) {
    case 0:
      return include ? ReturnCode::kInclude : ReturnCode::kSkip;
    case 1:
      return include ? ReturnCode::kIncludeAndNextCol : ReturnCode::kNextCol;
    default:
      return include ? ReturnCode::kIncludeAndSeekNextRow : ReturnCode::kNextRow;
  }
}

}  // namespace

bool IsInclude(ReturnCode code) {
  return code == ReturnCode::kInclude || code == ReturnCode::kIncludeAndNextCol ||
         code == ReturnCode::kIncludeAndSeekNextRow;
}

// The largest step wins; the cell is kept if both keep it. A hint is the largest step.
ReturnCode MergeAll(ReturnCode before, ReturnCode next) {
  int reach = std::max(Reach(before), Reach(next));
  if (reach == Reach(ReturnCode::kSeekNextUsingHint)) {
    return ReturnCode::kSeekNextUsingHint;
  }
  return CodeOf(IsInclude(before) && IsInclude(next), reach);
}

// The smallest step wins; the cell is kept if one keeps it. The target of a hint is unknown here, so beside another code
// it counts as no step.
ReturnCode MergeOne(ReturnCode before, ReturnCode next) {
  bool hint_before = before == ReturnCode::kSeekNextUsingHint;
  bool hint_next = next == ReturnCode::kSeekNextUsingHint;
  if (hint_before && hint_next) {
    return ReturnCode::kSeekNextUsingHint;
  }
  int reach = hint_before || hint_next ? 0 : std::min(Reach(before), Reach(next));
  return CodeOf(IsInclude(before) || IsInclude(next), reach);
}

void ListState::FilterRowCells(std::vector<Cell>* cells) {
  for (const auto& member : members_) {
    member->FilterRowCells(cells);
  }
}

bool ListState::HasFilterRow() const {
  return std::any_of(members_.begin(), members_.end(), [](const auto& member) { return member->HasFilterRow(); });
}

bool ListState::IsFamilyEssential(std::string_view family) const {
  return members_.empty() || std::any_of(members_.begin(), members_.end(),
                                         [family](const auto& member) { return member->IsFamilyEssential(family); });
}

void ListState::ShowEveryCell() {
  for (const auto& member : members_) {
    member->ShowEveryCell();
  }
}

const Status* ListState::Error() const {
  for (const auto& member : members_) {
    if (const Status* error = member->Error(); error != nullptr) {
      return error;
    }
  }
  return nullptr;
}

bool ListState::Before(const CellHint& a, const CellHint& b) const {
  if (int order = a.row.compare(b.row); order != 0) {
    return reversed_ ? order > 0 : order < 0;
  }
  if (a.has_column != b.has_column) {
    return !a.has_column;  // the start of the row
  }
  if (int order = a.family.compare(b.family); order != 0) {
    return order < 0;
  }
  if (int order = a.qualifier.compare(b.qualifier); order != 0) {
    return order < 0;
  }
  return a.timestamp_ms > b.timestamp_ms;
}

}  // namespace klip::filter
