// The same table in klip, through the public API only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness.h"
#include "klip/connection.h"
#include "raw_table.h"
#include "year_rows.h"

namespace klip::bench {

class KlipTable {
 public:
  // Creates the table when the store is new.
  KlipTable(const std::string& directory, const StorageSettings& settings, bool sync_wal = false);

  void BulkLoad(const RowSource& source);
  void BatchLoad(const std::vector<RowValue>& rows);  // 1000 puts a call
  void Settle();

  void GetRow(const std::string& row, Outcome* outcome);
  void ShortScan(const std::string& row, int limit, Outcome* outcome);
  Outcome Run(const Scan& scan);
  Outcome RunWhere(const std::string& where, int threads = 1, std::string_view stop = {});
  // Returns the rows of the date but reads all of them: the test is made here, not by the scan.
  Outcome WalkForDate(const std::string& date);

  std::string ExplainWhere(const std::string& where);
  StoreMetrics Metrics();

 private:
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
};

}  // namespace klip::bench
