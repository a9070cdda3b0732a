// FilterList with MUST_PASS_ALL.
#include <utility>

#include "filter/filters/filter_list_state.h"

namespace klip::filter {
namespace {

class AllState final : public ListState {
 public:
  using ListState::ListState;

  void Reset() override {
    hinting_.clear();
    for (const auto& member : members_) {
      member->Reset();
    }
  }

  bool FilterAllRemaining() override {
    for (const auto& member : members_) {
      if (member->FilterAllRemaining()) {
        return true;
      }
    }
    return false;
  }

  // Every member sees the row. A member that gives hints and passes the row keeps it, so that its hint is available.
  bool FilterRowKey(std::string_view row) override {
    bool dropped = false;
    bool hint_to_come = false;
    for (const auto& member : members_) {
      if (member->FilterAllRemaining()) {
        return true;
      }
      if (member->FilterRowKey(row)) {
        dropped = true;
      } else if (member->Hints() == HintKind::kRows) {
        hint_to_come = true;
      }
    }
    return dropped && !hint_to_come;
  }

  // Members after one that dropped the cell do not see it, unless they give hints (HBASE-20565).
  ReturnCode FilterCell(const Cell& cell) override {
    ReturnCode code = ReturnCode::kInclude;
    hinting_.clear();
    bool dropped = false;
    for (const auto& member : members_) {
      if (dropped && member->Hints() == HintKind::kNone) {
        continue;
      }
      if (member->FilterAllRemaining()) {
        if (dropped) {
          continue;
        }
        return ReturnCode::kNextRow;
      }
      ReturnCode of_member = member->FilterCell(cell);
      if (of_member == ReturnCode::kSeekNextUsingHint) {
        hinting_.push_back(member.get());
      }
      if (!dropped) {
        code = MergeAll(code, of_member);
        dropped = !IsInclude(code);
      }
    }
    return hinting_.empty() ? code : ReturnCode::kSeekNextUsingHint;
  }

  // The furthest hint wins.
  bool NextHint(const Cell& current, CellHint* hint) override {
    bool found = false;
    for (FilterState* member : hinting_) {
      CellHint of_member;
      if (!member->FilterAllRemaining() && member->NextHint(current, &of_member) &&
          (!found || Before(*hint, of_member))) {
        found = true;
        *hint = std::move(of_member);
      }
    }
    return found;
  }

  void TransformCell(Cell* cell, Result* result) override {
    for (const auto& member : members_) {
      member->TransformCell(cell, result);
    }
  }

  bool FilterRow() override {
    for (const auto& member : members_) {
      if (member->FilterRow()) {
        return true;
      }
    }
    return false;
  }

 private:
  std::vector<FilterState*> hinting_;  // members that gave a hint for the last cell
};

}  // namespace

std::unique_ptr<FilterState> NewAllState(StateList members, bool reversed) {
  return std::make_unique<AllState>(std::move(members), reversed);
}

}  // namespace klip::filter
