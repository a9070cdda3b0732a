// The states of FilterList, one per operator. Codes, hints and the order of calls are HBase's.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "klip/filter_state.h"

namespace klip::filter {

using StateList = std::vector<std::unique_ptr<FilterState>>;

std::unique_ptr<FilterState> NewAllState(StateList members, bool reversed);  // MUST_PASS_ALL
std::unique_ptr<FilterState> NewOneState(StateList members, bool reversed);  // MUST_PASS_ONE

// Shared by both operators.
class ListState : public FilterState {
 public:
  ListState(StateList members, bool reversed) : members_(std::move(members)), reversed_(reversed) {}

  void FilterRowCells(std::vector<Cell>* cells) override;
  bool HasFilterRow() const override;
  bool IsFamilyEssential(std::string_view family) const override;
  void ShowEveryCell() override;
  const Status* Error() const override;

 protected:
  // Whether `a` precedes `b` in scan order.
  bool Before(const CellHint& a, const CellHint& b) const;

  StateList members_;
  bool reversed_;
};

bool IsInclude(ReturnCode code);

// The merged code of members called in order. Source: HBase FilterListWithAND and FilterListWithOR, mergeReturnCode.
ReturnCode MergeAll(ReturnCode before, ReturnCode next);
ReturnCode MergeOne(ReturnCode before, ReturnCode next);

}  // namespace klip::filter
