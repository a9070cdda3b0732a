#include "cli/scan_options.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/texts.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::cli {

void ScanOptions::AddTo(Arguments* args, bool with_columns, const std::string& columns_help) {
  args->Add("--start", &start_, "first row, included (with --reverse: the upper end)");
  args->Add("--stop", &stop_, "end of the range, not included");
  args->Add("--prefix", &prefix_, "only rows that start with this");
  args->Add("--where", &where_,
            "conditions on key fields and columns, such as \"date=2014-06 f:city!=berlin\" or \"user=al* (day=today OR "
            "at>=now-1h)\"; "
            "see klip help keys");
  args->Add("--filter", &filter_, "a filter in HBase's filter language: \"PrefixFilter('al') AND PageFilter(5)\"");
  args->Add("--fuzzy", &fuzzy_, "row pattern, ? is any byte; repeatable: rows that match any of them");
  args->Add("--limit", &limit_, "return at most this many rows").Between(0, INT64_MAX);
  args->Add("--threads", &threads_, "threads of the scan, 0 = one per core").Between(0, 1024);
  args->Add("--time-range", &time_range_, "only cells with timestamps MIN..MAX in milliseconds; MAX is not included");
  args->AddFlag("--reverse", &reverse_, "from the last row to the first");
  args->Add("--plan", &plan_,
            "use this plan instead of the cheapest; klip explain prints the names: \"full walk\", \"skip scan\", "
            "\"index NAME\"");
  if (with_columns) {
    args->Add("--columns", &columns_, columns_help).Commas();
    args->Add("--versions", &versions_, "return up to this many versions per column, newest first")
        .Between(1, INT32_MAX);
    args->AddFlag("--raw", &raw_, "include delete markers and hidden versions");
  }
}

void ReplicaOptions::AddTo(Arguments* args) {
  args->Add("--consistency", &consistency_,
            "strong (default): read from primary regions only; timeline: also from replicas, whose data may be stale")
      .OneOf({"strong", "timeline"});
  args->Add("--replica", &replica_, "read from this replica only; 0 is the primary").Between(0, INT32_MAX);
}

Status ReplicaOptions::Check() const {
  if (replica_ >= 0 && consistency_ == "strong") {
    return UsageError("--replica may return stale data, so it cannot be used with --consistency strong");
  }
  return Status::Ok();
}

bool ScanOptions::Everything() const {
  return start_.empty() && stop_.empty() && prefix_.empty() && where_.empty() && filter_.empty() && fuzzy_.empty() &&
         time_range_.empty() && limit_ == 0;
}

Expected<std::vector<std::string>> ScanOptions::ForFiles() const {
  if (!filter_.empty() || !fuzzy_.empty() || !time_range_.empty() || versions_ != 1 || reverse_ || raw_ ||
      !plan_.empty()) {
    return UsageError(
        "Parquet and Arrow files contain whole rows in key order: use them without --filter, --fuzzy, --time-range, "
        "--versions, --reverse, --raw and --plan");
  }
  std::vector<std::string> out;
  const auto add = [&out](std::string option, const std::string& value) {
    if (!value.empty()) {
      out.push_back(std::move(option) + "=" + value);
    }
  };
  add("--columns", fmt::format("{}", fmt::join(columns_, ",")));
  add("--start", start_);
  add("--stop", stop_);
  add("--prefix", prefix_);
  add("--where", where_);
  add("--limit", limit_ == 0 ? "" : std::to_string(limit_));
  add("--threads", std::to_string(threads_));
  return out;
}

std::string ScanOptions::Text() const {
  return fmt::format("{}..{} prefix={} where={} filter={} fuzzy={} columns={} {} versions={} limit={}{}{}", start_,
                     stop_, prefix_, where_, filter_, fmt::join(fuzzy_, " "), fmt::join(columns_, ","), time_range_,
                     versions_, limit_, reverse_ ? " reverse" : "", raw_ ? " raw" : "");
}

Expected<Scan> ScanOptions::Make(const Table& table) const {
  KLIP_ASSIGN_OR_RETURN(Scan scan, MakeRows(table));
  for (const std::string& column : columns_) {
    KLIP_ASSIGN_OR_RETURN(ColumnSpec spec, ParseColumn(column));
    scan.columns.push_back(std::move(spec));
  }
  return scan;
}

Expected<Scan> ScanOptions::MakeRows(const Table& table) const {
  Scan scan;
  if (!prefix_.empty()) {
    if (!start_.empty() || !stop_.empty() || reverse_) {
      return UsageError("--prefix cannot be combined with --start, --stop and --reverse");
    }
    scan = Scan::Prefix(FromStringBinary(prefix_));
  } else {
    KLIP_ASSIGN_OR_RETURN(scan.start_row, ParseRow(start_, table.row_key_schema()));
    KLIP_ASSIGN_OR_RETURN(scan.stop_row, ParseRow(stop_, table.row_key_schema()));
  }
  scan.reversed = reverse_;
  scan.limit_rows = limit_;
  scan.max_versions = versions_;
  scan.threads = threads_;
  scan.raw = raw_;
  scan.plan = plan_;
  if (!time_range_.empty()) {
    KLIP_ASSIGN_OR_RETURN(scan.time_range, ParseTimeRange(time_range_));
  }
  if (!filter_.empty() && !fuzzy_.empty()) {
    return UsageError("--filter and --fuzzy cannot be combined; write FuzzyRowFilter('...', '...') in the filter");
  }
  if (!filter_.empty()) {
    KLIP_ASSIGN_OR_RETURN(scan.filter, ParseFilter(filter_));
  }
  if (!fuzzy_.empty()) {
    std::vector<FuzzyKey> keys;
    for (const std::string& pattern : fuzzy_) {
      keys.push_back(FuzzyKeyFromPattern(FromStringBinary(pattern)));
    }
    KLIP_ASSIGN_OR_RETURN(scan.filter, FuzzyRowFilter(std::move(keys)));
  }
  if (!where_.empty()) {
    KLIP_ASSIGN_OR_RETURN(scan.where, table.ParseQuery(where_));
  }
  return scan;
}

}  // namespace klip::cli
