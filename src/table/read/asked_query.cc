#include "table/read/asked_query.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "klip/caller.h"
#include "klip/query_log.h"
#include "rowkey/query_names.h"
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

// By fields of the row key, and by columns.
std::optional<KeyQuery> QueryOfScan(const klip::Scan& scan, const ScanRequest& request) {
  const TableInfo& table = *request.info;
  const bool by_index = request.by_index.rows != nullptr;  // then the requested rows are those that the index found
  std::optional<KeyQuery> query = rowkey::QueryOf(*table.schema, RangeAsked(table, scan),
                                                  by_index ? request.key_rows.get() : request.needs.rows.get());
  if (scan.filter == nullptr) {
    return query;
  }
  const Expected<rowkey::QueryNames> names = rowkey::QueryNamesOf(table.view->descriptor);
  if (!names.ok()) {
    return query;
  }
  const std::vector<ColumnMatch> columns = rowkey::ColumnsAskedBy(scan, names->types);
  if (!query && !columns.empty()) {
    query = KeyQuery{.any_of = {KeyBox{}}};
  }
  for (size_t i = 0; query && i < query->any_of.size(); ++i) {
    query->any_of[i].columns = columns;
  }
  return query;
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
  Tell(settings, table, scan.where ? scan.where : QueryOfScan(scan, request), scan.limit_rows, times);
}

}  // namespace klip::table
