// Table::CountRows, for tables that know no better way than a scan.
#include <memory>

#include "klip/filter.h"
#include "klip/table.h"
#include "rowkey/column_filter.h"

namespace klip {
namespace {

// One cell a row, without its value, is enough, unless a filter, conditions on columns or limits of the families have a say in
// what is left of a row.
bool NeedsOneCell(const Scan& scan) {
  const bool asks_columns = scan.where.has_value() && rowkey::AsksColumns(*scan.where);
  return !asks_columns && scan.filter == nullptr && !scan.raw && scan.max_results_per_family < 0 &&
         scan.row_offset_per_family == 0;
}

}  // namespace

Expected<int64_t> Table::CountRows(const klip::Scan& scan) {
  klip::Scan keys = scan;
  if (NeedsOneCell(scan)) {
    keys.filter = FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()});
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, Scan(keys));
  int64_t rows = 0;
  Result result;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&result));
    if (!more) {
      return rows;
    }
    rows += result.has_more_cells_in_row() ? 0 : 1;
  }
}

}  // namespace klip
