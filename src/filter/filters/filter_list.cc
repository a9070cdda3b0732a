#include <algorithm>
#include <utility>

#include "filter/common/visitors.h"
#include "filter/filters/filter_list_state.h"
#include "filter/rows/row_set.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::RowSet;
using RowSetPtr = std::shared_ptr<const RowSet>;

class List final : public Filter {
 public:
  List(ListOperator op, std::vector<FilterPtr> filters) : op_(op), filters_(std::move(filters)) {}

  std::string_view name() const override { return "FilterList"; }
  std::string ToString() const override;
  bool RemembersRows() const override;
  FilterNeeds Needs() const override;
  void Accept(filter::FilterVisitor* visitor) const override { visitor->List(op_, filters_); }
  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override;

  RowSetPtr Rows(bool reversed, bool* exact) const override {
    *exact = true;
    if (filters_.empty()) {
      return RowSet::All();
    }
    return op_ == ListOperator::kMustPassAll ? RowsOfAll(reversed, exact) : RowsOfOne(reversed, exact);
  }

 private:
  RowSetPtr RowsOfAll(bool reversed, bool* exact) const;
  RowSetPtr RowsOfOne(bool reversed, bool* exact) const;

  ListOperator op_;
  std::vector<FilterPtr> filters_;
};

std::string List::ToString() const {
  const bool all = op_ == ListOperator::kMustPassAll;
  if (filters_.empty()) {
    return all ? "FilterList(MUST_PASS_ALL)" : "FilterList(MUST_PASS_ONE)";
  }
  std::string out = "(";
  for (size_t i = 0; i < filters_.size(); ++i) {
    out += i == 0 ? "" : all ? " AND " : " OR ";
    out += filters_[i]->ToString();
  }
  return out + ")";
}

bool List::RemembersRows() const {
  return std::any_of(filters_.begin(), filters_.end(), [](const FilterPtr& member) { return member->RemembersRows(); });
}

FilterNeeds List::Needs() const {
  FilterNeeds needs = FilterNeeds::kNothing;
  for (const FilterPtr& member : filters_) {
    needs = std::max(needs, member->Needs());
  }
  return needs;
}

std::unique_ptr<filter::FilterState> List::NewState(bool reversed) const {
  std::vector<std::unique_ptr<filter::FilterState>> states;
  states.reserve(filters_.size());
  for (const FilterPtr& member : filters_) {
    states.push_back(member->NewState(reversed));
  }
  if (Needs() != FilterNeeds::kNothing) {
    for (const auto& state : states) {
      state->ShowEveryCell();
    }
  }
  return op_ == ListOperator::kMustPassAll ? filter::NewAllState(std::move(states), reversed)
                                           : filter::NewOneState(std::move(states), reversed);
}

// Rows that pass all members are among the rows of every member that knows its rows.
RowSetPtr List::RowsOfAll(bool reversed, bool* exact) const {
  RowSetPtr rows;
  if (Needs() == FilterNeeds::kEveryRow) {
    *exact = false;
    return nullptr;
  }
  for (const FilterPtr& member : filters_) {
    bool member_exact = false;
    RowSetPtr of_member = member->Rows(reversed, &member_exact);
    RowSetPtr both = rows == nullptr || of_member == nullptr ? nullptr : RowSet::Intersect(*rows, *of_member);
    bool kept = rows == nullptr || both != nullptr;
    *exact = *exact && member_exact && of_member != nullptr && kept;
    if (both != nullptr) {
      rows = std::move(both);
    } else if (rows == nullptr) {
      rows = std::move(of_member);
    }
  }
  return rows;
}

// Rows that pass one member are known only if every member knows its rows.
RowSetPtr List::RowsOfOne(bool reversed, bool* exact) const {
  RowSetPtr rows = RowSet::None();
  for (const FilterPtr& member : filters_) {
    bool member_exact = false;
    RowSetPtr of_member = member->Rows(reversed, &member_exact);
    *exact = *exact && member_exact;
    if (of_member == nullptr || rows->boxes().size() + of_member->boxes().size() > RowSet::kMaxBoxes) {
      *exact = false;
      return nullptr;
    }
    rows = RowSet::Union(*rows, *of_member);
  }
  return rows;
}

}  // namespace

FilterPtr FilterList(ListOperator op, std::vector<FilterPtr> filters) {
  std::erase(filters, nullptr);
  return std::make_shared<List>(op, std::move(filters));
}

}  // namespace klip
