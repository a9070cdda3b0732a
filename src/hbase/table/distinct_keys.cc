// Table::DistinctKeys on a cluster: for each value, a scan of one row finds the first key after it.
#include <utility>

#include "hbase/table/remote_table.h"
#include "klip/bytes.h"
#include "rowkey/leading_fields.h"

namespace klip::client {

Expected<std::vector<KeyCount>> RemoteTable::DistinctKeys(int fields, bool count_rows) {
  KLIP_ASSIGN_OR_RETURN(const std::optional<RowKeySchema> schema, Schema());
  KLIP_ASSIGN_OR_RETURN(const auto leading, rowkey::LeadingFields::Make(schema, name_, fields));
  rowkey::KeyCounter counter(&leading, count_rows);
  klip::Scan scan;
  scan.filter = FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()});
  scan.limit_rows = count_rows ? 0 : 1;
  std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, name_, {.scan = scan});
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return counter.Take();
    }
    counter.Add(row.row());
    if (!count_rows) {
      const std::optional<std::string_view> prefix = leading.Cut(row.row());
      scan.start_row = prefix.has_value() ? PrefixSuccessor(*prefix) : std::string(row.row()) + '\0';
      if (scan.start_row.empty()) {
        return counter.Take();
      }
      scanner = OpenScanner(cluster_, name_, {.scan = scan});
    }
  }
}

}  // namespace klip::client
