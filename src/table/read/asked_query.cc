#include "table/read/asked_query.h"

#include <optional>
#include <string>
#include <utility>

#include "klip/caller.h"
#include "klip/query_log.h"
#include "rowkey/column_filter.h"
#include "rowkey/query_of.h"
#include "table/info/access_sampler.h"

namespace klip::table {
namespace {

// TUNING: a sample takes some 10 µs, mostly to format the query, so this is 0.2 % of a core.
constexpr int64_t kLooksASecond = 160;

// How many queries of this thread the next one stands for; 0: it is not logged.
int64_t TimesOfNext() {
  static thread_local constinit AccessSampler sampler(kLooksASecond);
  return sampler.Hit(1);
}

void Tell(const Settings& settings, const TableInfo& table, const std::optional<KeyQuery>& query, int64_t limit_rows,
          int64_t times) {
  if (query) {
    settings.query_log({.table = table.name(), .where = query->ToString(), .limit_rows = limit_rows, .times = times});
  }
}

// HBase's clients scan region by region. A scan that starts at a region's first row continues one that was logged in an
// earlier region; one that stops at a region's end continues in the next.
bool Continues(const TableInfo& table, const klip::Scan& scan) {
  return Caller::Current().door == Door::kRpc && !scan.start_row.empty() && !scan.reversed &&
         table.view->RegionOf(scan.start_row).start_key == scan.start_row;
}
RowRange RangeAsked(const TableInfo& table, const klip::Scan& scan) {
  RowRange range = rowkey::RangeOf(scan);
  if (Caller::Current().door == Door::kRpc && !range.stop.empty() &&
      table.view->RegionOf(range.start).end_key == range.stop) {
    range.stop.clear();
  }
  return range;
}

}  // namespace

void LogGet(const Settings& settings, const TableInfo& table, std::string_view row) {
  if (!table.schema) {
    return;
  }
  if (const int64_t times = TimesOfNext(); times > 0) {
    Tell(settings, table, rowkey::QueryOfRow(*table.schema, row), /*limit_rows=*/0, times);
  }
}

void LogScan(const Settings& settings, const klip::Scan& scan, const ScanRequest& request) {
  const TableInfo& table = *request.info;
  if (!table.schema || Continues(table, scan)) {
    return;
  }
  const int64_t times = TimesOfNext();
  if (times == 0) {
    return;
  }
  if (scan.where) {
    Tell(settings, table, rowkey::KeysOf(*scan.where), scan.limit_rows, times);
  } else if (request.by_index.rows == nullptr) {  // else the rows are those that the index found
    Tell(settings, table, rowkey::QueryOf(*table.schema, RangeAsked(table, scan), request.needs.rows.get()),
         scan.limit_rows, times);
  }
}

}  // namespace klip::table
