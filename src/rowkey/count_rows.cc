// The default Table::CountRows: counts the rows of a scan.
#include <memory>

#include "klip/table.h"
#include "rowkey/column_filter.h"

namespace klip {

Expected<int64_t> Table::CountRows(const klip::Scan& scan) {
  klip::Scan keys = scan;
  rowkey::AskForKeysOnly(&keys);
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
