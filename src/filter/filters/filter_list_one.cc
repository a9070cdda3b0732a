// FilterList with MUST_PASS_ONE.
#include <algorithm>
#include <utility>

#include "filter/filters/filter_list_state.h"

namespace klip::filter {
namespace {

class OneState final : public ListState {
 public:
  OneState(StateList members, bool reversed) : ListState(std::move(members), reversed), last_(members_.size()) {}

  void Reset() override {
    for (size_t i = 0; i < members_.size(); ++i) {
      members_[i]->Reset();
      last_[i].code = ReturnCode::kInclude;
      last_[i].included = false;
    }
  }

  bool FilterAllRemaining() override {
    for (const auto& member : members_) {
      if (!member->FilterAllRemaining()) {
        return false;
      }
    }
    return !members_.empty();
  }

  // A member that only selects cells passes every row; one that decides on rows passes every cell. Together they need all
  // families.
  bool IsFamilyEssential(std::string_view family) const override {
    const auto decides = [](const auto& member) { return member->HasFilterRow(); };
    return (HasFilterRow() && !std::all_of(members_.begin(), members_.end(), decides)) ||
           ListState::IsFamilyEssential(family);
  }

  // Every member sees the row.
  bool FilterRowKey(std::string_view row) override {
    bool dropped = !members_.empty();
    for (const auto& member : members_) {
      if (!member->FilterAllRemaining() && !member->FilterRowKey(row)) {
        dropped = false;
      }
    }
    return dropped;
  }

  ReturnCode FilterCell(const Cell& cell) override {
    if (members_.empty()) {
      return ReturnCode::kInclude;
    }
    bool asked = false;
    ReturnCode code = ReturnCode::kSkip;
    for (size_t i = 0; i < members_.size(); ++i) {
      last_[i].included = false;
      if (members_[i]->FilterAllRemaining()) {
        continue;
      }
      ReturnCode of_member = CodeFor(i, cell);
      code = asked ? MergeOne(code, of_member) : of_member;
      asked = true;
      last_[i].included = IsInclude(of_member);
    }
    return code;
  }

  // The nearest hint, if every unfinished member has one.
  bool NextHint(const Cell& /*current*/, CellHint* hint) override {
    bool found = false;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i]->FilterAllRemaining()) {
        continue;
      }
      const Last& last = last_[i];
      if (last.code != ReturnCode::kSeekNextUsingHint || !last.has_hint) {
        return false;
      }
      if (!found || Before(last.hint, *hint)) {
        found = true;
        *hint = last.hint;
      }
    }
    return found;
  }

  // Only members that kept the cell transform it.
  void TransformCell(Cell* cell, Result* result) override {
    for (size_t i = 0; i < members_.size(); ++i) {
      if (last_[i].included) {
        members_[i]->TransformCell(cell, result);
      }
    }
  }

  bool FilterRow() override {
    for (const auto& member : members_) {
      if (!member->FilterRow()) {
        return false;
      }
    }
    return !members_.empty();
  }

 private:
  // A member's last code and its cell. If another member made the scan read cells that the code had skipped, this member
  // must not see them (HBASE-17678, HBASE-18368).
  struct Last {
    ReturnCode code = ReturnCode::kInclude;
    bool included = false;
    bool has_hint = false;
    std::string family;
    std::string qualifier;
    CellHint hint;
  };

  ReturnCode CodeFor(size_t index, const Cell& cell) {
    Last& last = last_[index];
    switch (last.code) {
      case ReturnCode::kInclude:
      case ReturnCode::kSkip:
        break;
      case ReturnCode::kSeekNextUsingHint:
        if (last.has_hint && Before(PlaceOf(cell), last.hint)) {
          return last.code;
        }
        break;
      case ReturnCode::kIncludeAndNextCol:
      case ReturnCode::kNextCol:
        if (last.family == cell.family && last.qualifier == cell.qualifier) {
          return last.code = ReturnCode::kNextCol;
        }
        break;
      case ReturnCode::kIncludeAndSeekNextRow:
      case ReturnCode::kNextRow:
        if (last.family == cell.family) {
          return last.code = ReturnCode::kNextRow;
        }
        break;
    }
    last.code = members_[index]->FilterCell(cell);
    if (last.code != ReturnCode::kInclude && last.code != ReturnCode::kSkip) {
      last.family.assign(cell.family);
      last.qualifier.assign(cell.qualifier);
      last.has_hint = last.code == ReturnCode::kSeekNextUsingHint && members_[index]->NextHint(cell, &last.hint);
    }
    return last.code;
  }

  static CellHint PlaceOf(const Cell& cell) {
    return {.row = std::string(cell.row),
            .family = std::string(cell.family),
            .qualifier = std::string(cell.qualifier),
            .timestamp_ms = cell.timestamp_ms,
            .has_column = true};
  }

  std::vector<Last> last_;
};

}  // namespace

std::unique_ptr<FilterState> NewOneState(StateList members, bool reversed) {
  return std::make_unique<OneState>(std::move(members), reversed);
}

}  // namespace klip::filter
