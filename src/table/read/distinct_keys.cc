#include "table/read/distinct_keys.h"

#include <string>
#include <string_view>
#include <utility>

#include "klip/bytes.h"
#include "klip/filter_state.h"
#include "rowkey/leading_fields.h"

namespace klip::table {
namespace {

// Passes the first cell of the first row of each prefix, then skips the prefix.
class FirstOfPrefixState final : public filter::FilterState {
 public:
  explicit FirstOfPrefixState(const rowkey::LeadingFields* fields) : fields_(fields) {}

  bool FilterAllRemaining() override { return at_end_; }

  bool FilterRowKey(std::string_view row) override { return !fields_->Cut(row).has_value(); }

  filter::ReturnCode FilterCell(const Cell& cell) override {
    const std::string_view prefix = *fields_->Cut(cell.row);
    if (any_ && prefix == last_) {
      return filter::ReturnCode::kSeekNextUsingHint;
    }
    last_ = prefix;
    any_ = true;
    return filter::ReturnCode::kIncludeAndSeekNextRow;
  }

  bool NextHint(const Cell& /*current*/, filter::CellHint* hint) override {
    *hint = {};
    hint->row = PrefixSuccessor(last_);
    at_end_ = hint->row.empty();
    return !at_end_;
  }

 private:
  const rowkey::LeadingFields* fields_;
  std::string last_;
  bool any_ = false;
  bool at_end_ = false;
};

class FirstOfPrefix final : public Filter {
 public:
  explicit FirstOfPrefix(rowkey::LeadingFields fields) : fields_(std::move(fields)) {}

  std::string_view name() const override { return "FirstOfPrefix"; }
  std::string ToString() const override { return "first row of each key prefix"; }
  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstOfPrefixState>(&fields_);
  }

 private:
  rowkey::LeadingFields fields_;
};

// The same for the entries of an index as a table, to which filters apply only after they are read.
Expected<std::vector<KeyCount>> DistinctEntries(const ReadOperation& read, const rowkey::LeadingFields& fields) {
  constexpr int kSteps = 16;  // TUNING: opening a scan costs about as much as reading so many entries
  rowkey::KeyCounter counter(&fields, /*count_rows=*/false);
  std::string prefix;
  std::string start;
  do {
    KLIP_ASSIGN_OR_RETURN(const auto rows, read.Scan({.start_row = start}, nullptr));
    Result row;
    for (int same = 0; same < kSteps;) {
      KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
      if (!more) {
        return counter.Take();
      }
      const std::string_view found = fields.Cut(row.row()).value_or(row.row());
      same = found == prefix ? same + 1 : 0;
      prefix = found;
      counter.Add(row.row());
    }
    start = PrefixSuccessor(prefix);
  } while (!start.empty());
  return counter.Take();
}

}  // namespace

// Jumps from one value of the leading key fields to the next.
Expected<std::vector<KeyCount>> DistinctKeys(const ReadOperation& read, int fields, bool count_rows) {
  KLIP_ASSIGN_OR_RETURN(const auto leading,
                        rowkey::LeadingFields::Make(read.table().schema, read.table().name(), fields));
  if (read.table().shown.index != nullptr && !count_rows) {
    return DistinctEntries(read, leading);
  }
  const FilterPtr filter = count_rows ? FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()})
                                      : FilterPtr(std::make_shared<FirstOfPrefix>(leading));
  KLIP_ASSIGN_OR_RETURN(const auto rows, read.Scan({.filter = filter}, nullptr));
  rowkey::KeyCounter counter(&leading, count_rows);
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      return counter.Take();
    }
    counter.Add(row.row());
  }
}

}  // namespace klip::table
