// Random writes of rows with columns f:a and g:c that an index may have, on klip serve and on HBase. Tables have families f and g.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "klip/filter.h"
#include "klip/table.h"

namespace klip::client {

class IndexHistory {
 public:
  // `pairs`: of an index on both columns. Deletes no single versions.
  explicit IndexHistory(unsigned seed, bool pairs = false) : random_(seed), pairs_(pairs) {}

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string Row() { return "r" + std::to_string(100 + Pick(pairs_ ? 20 : 100)).substr(1); }
  std::string Value() { return std::string(1, static_cast<char>('a' + Pick(pairs_ ? 3 : 5))); }

  // One write of any kind.
  Status Write(Table* table) {
    const Put put = RandomPut();
    switch (Pick(7)) {
      case 0:
        return table->Put(std::vector<Put>{put, Put{.row = Row()}.Add("f", "a", Value())});
      case 1:
        return table->Mutate({.row = put.row, .mutations = {put, Delete{.row = put.row}.AddColumns("g", "c")}})
            .status();
      case 2:
        return table->CheckAndMutate({.row = put.row, .condition = RowCondition::IfNotExists("f", "a"), .action = put})
            .status();
      case 3:
        return pairs_ ? table->Delete(Delete{.row = Row()}.AddColumns("g", "c", 1 + Pick(1000)))
                      : table->Delete(Delete{.row = Row()}.AddColumn("f", "a"));  // what was before shows again
      case 4:
        return table->Delete(Pick(2) == 0 ? Delete{.row = Row()} : Delete{.row = Row()}.AddColumns("f", "a"));
      case 5:
        return table->Batch(std::vector<Action>{put, Get{.row = "r"}})[0].status();
      default:
        return table->Put(put);
    }
  }

 private:
  Put RandomPut() {
    Put put = {.row = Row()};
    const int kind = pairs_ ? Pick(6) : 0;
    if (kind == 0) {
      return std::move(put).Add("f", "a", Value(), 1 + Pick(1000)).Add("g", "c", Value());
    }
    if (kind == 1) {
      put.timestamp_ms = 1 + Pick(1000);
    }
    if (kind != 2) {
      put.Add("f", "a", Value());
    }
    if (kind != 3) {
      put.Add("g", "c", Value());
    }
    return put;
  }

  std::mt19937 random_;
  const bool pairs_;
};

// Rows with this value of f:a, or of another column.
inline FilterPtr ValueIs(const std::string& value, const std::string& family = "f", const std::string& column = "a") {
  return SingleColumnValueFilter({.family = family,
                                  .qualifier = column,
                                  .op = CompareOp::kEqual,
                                  .comparator = BinaryComparator(value),
                                  .filter_if_missing = true});
}

// Rows of a scan, as "row row ".
inline std::string RowsByScan(Table* table, const Scan& scan) {
  std::string rows;
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(scan);
  Result row;
  Expected<bool> more = scanner.ok() ? (*scanner)->Next(&row) : Expected<bool>(scanner.status());
  for (; more.ok() && *more; more = (*scanner)->Next(&row)) {
    rows.append(row.row()).append(" ");
  }
  return more.ok() ? rows : more.status().ToString();
}

// A condition on older versions: a scan with a time range, or of any version, or both.
inline Scan RandomPastScan(IndexHistory* history) {
  // Most writes have the time of the server, others one of 1 to 1000.
  const int64_t now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
  const int kind = history->Pick(4);
  Scan scan;
  if (kind != 0) {
    scan.time_range.min_ms = history->Pick(3) == 0 ? 0 : history->Pick(1000);
    scan.time_range.max_ms =
        history->Pick(3) == 0 ? now - history->Pick(2000) : 1 + history->Pick(1000) + scan.time_range.min_ms;
  }
  scan.max_versions = kind == 1 ? 1 : 3;
  scan.filter = SingleColumnValueFilter({.family = "f",
                                         .qualifier = "a",
                                         .op = CompareOp::kEqual,
                                         .comparator = BinaryComparator(history->Value()),
                                         .filter_if_missing = true,
                                         .latest_version_only = kind != 0 && history->Pick(2) == 0});
  return scan;
}

// The scan with a page that never fills, which no index can answer.
inline Scan WithoutIndex(Scan scan) {
  scan.filter = FilterList(ListOperator::kMustPassAll, {scan.filter, *PageFilter(INT64_MAX)});
  return scan;
}

// The same rows by a scan that no index answers.
inline std::string RowsWith(Table* table, const std::string& value) {
  std::string rows;
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({.columns = {{"f", "a"}}});
  Result row;
  Expected<bool> more = scanner.ok() ? (*scanner)->Next(&row) : Expected<bool>(scanner.status());
  for (; more.ok() && *more; more = (*scanner)->Next(&row)) {
    rows.append(row[0].value == value ? std::string(row.row()) + " " : "");
  }
  return more.ok() ? rows : more.status().ToString();
}

// The rows from `start` to `stop` with these values of f:a and g:c, by a scan without an index.
inline std::string RowsWithPair(Table* table, const std::string& a, const std::string& c, const std::string& start = "",
                                const std::string& stop = "") {
  std::string rows;
  Expected<std::unique_ptr<ResultScanner>> scanner =
      table->Scan({.start_row = start, .stop_row = stop, .columns = {{"f", "a"}, {"g", "c"}}});
  Result row;
  Expected<bool> more = scanner.ok() ? (*scanner)->Next(&row) : Expected<bool>(scanner.status());
  for (; more.ok() && *more; more = (*scanner)->Next(&row)) {
    const bool equal = row.size() == 2 && row[0].value == a && row[1].value == c;
    rows.append(equal ? std::string(row.row()) + " " : "");
  }
  return more.ok() ? rows : more.status().ToString();
}

}  // namespace klip::client
