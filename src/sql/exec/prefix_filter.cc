#include "sql/exec/prefix_filter.h"

#include <utility>

#include "klip/bytes.h"
#include "klip/filter_state.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using filter::CellHint;
using filter::ReturnCode;

// The bytes of the row up to the end of the columns, separators included.
std::string_view PrefixOf(const TableDefinition& table, size_t columns, std::string_view row) {
  size_t at = 0;
  for (size_t i = 0; i < columns && at < row.size(); ++i) {
    const TableColumn& column = table.key(i);
    const std::optional<char> separator = KeySeparator(column);
    if (!separator.has_value()) {
      at += static_cast<size_t>(FixedBytes(column.type));
    } else if (column.descending && row[at] == '\0') {  // NULL
      ++at;
    } else {
      const size_t end = row.find(*separator, at);
      at = end == std::string_view::npos ? row.size() : end + 1;
    }
  }
  return row.substr(0, at);
}

class FirstOfPrefixState final : public filter::FilterState {
 public:
  FirstOfPrefixState(TablePtr table, size_t columns) : table_(std::move(table)), columns_(columns) {}

  uint8_t Calls() const override { return filter::kReset; }
  void Reset() override { new_row_ = true; }

  ReturnCode FilterCell(const Cell& cell) override {
    if (std::exchange(new_row_, false)) {
      const std::string_view prefix = PrefixOf(*table_, columns_, cell.row);
      known_ = seen_ && prefix == last_;
      last_ = prefix;
      seen_ = true;
    }
    return known_ ? ReturnCode::kSeekNextUsingHint : ReturnCode::kInclude;
  }

  filter::HintKind Hints() const override { return filter::HintKind::kRows; }

  // A row without what may follow the columns is its own prefix: those that start with it, and a separator, have other values.
  bool NextHint(const Cell& current, CellHint* hint) override {
    hint->row = current.row == last_ ? std::string(current.row) + '\0' : PrefixSuccessor(last_);
    return !hint->row.empty();
  }

 private:
  TablePtr table_;
  size_t columns_;
  std::string last_;
  bool seen_ = false;
  bool new_row_ = true;
  bool known_ = false;
};

class FirstOfPrefix final : public Filter {
 public:
  FirstOfPrefix(TablePtr table, size_t columns) : table_(std::move(table)), columns_(columns) {}

  std::string_view name() const override { return "FirstOfPrefix"; }
  std::string ToString() const override { return "FirstOfPrefix(" + std::to_string(columns_) + ")"; }
  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<FirstOfPrefixState>(table_, columns_);
  }

 private:
  TablePtr table_;
  size_t columns_;
};

}  // namespace

FilterPtr FirstOfPrefixFilter(TablePtr table, size_t columns) {
  return std::make_shared<FirstOfPrefix>(std::move(table), columns);
}

}  // namespace klip::sql
