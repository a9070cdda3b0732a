#include "cli/scan_options.h"

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/texts.h"
#include "klip/bytes.h"

namespace klip::cli {

void ScanOptions::AddTo(Arguments* args, bool with_columns) {
  args->Add("--start", &start_, "first row (with --reverse: the upper end), included");
  args->Add("--stop", &stop_, "end of the range, not included");
  args->Add("--prefix", &prefix_, "only rows that start with this");
  args->Add("--where", &where_,
            "conditions on key fields: \"date=20140628\", \"username=al* date=20140601..20140630\", "
            "\"domain=foo.bar,foo.com\", \"... OR ...\"");
  args->Add("--fuzzy", &fuzzy_, "row pattern, ? = any byte; several: rows that fit any");
  args->Add("--limit", &limit_, "at most so many rows").Between(0, INT64_MAX);
  args->Add("--threads", &threads_, "workers of the scan, 0 = one per core").Between(0, 1024);
  args->Add("--time-range", &time_range_, "only cells of MIN..MAX, milliseconds, MAX not included");
  args->AddFlag("--reverse", &reverse_, "from the last row to the first");
  if (with_columns) {
    args->Add("--columns", &columns_, "family or family:qualifier, several with commas").Commas();
    args->Add("--versions", &versions_, "versions of a column, newest first").Between(1, INT32_MAX);
    args->AddFlag("--raw", &raw_, "delete markers and hidden versions too");
  }
}

void ReplicaOptions::AddTo(Arguments* args) {
  args->Add("--consistency", &consistency_,
            "timeline: replicas of a region may answer too, with what may be old; strong, the default: they may not")
      .OneOf({"strong", "timeline"});
  args->Add("--replica", &replica_, "this replica is to answer, and no other; 0 is the primary").Between(0, INT32_MAX);
}

Status ReplicaOptions::Check() const {
  if (replica_ >= 0 && consistency_ == "strong") {
    return UsageError("--replica asks for what may be old: not with --consistency strong");
  }
  return Status::Ok();
}

bool ScanOptions::Everything() const {
  return start_.empty() && stop_.empty() && prefix_.empty() && where_.empty() && fuzzy_.empty() &&
         time_range_.empty() && limit_ == 0;
}

std::string ScanOptions::Text() const {
  return fmt::format("{}..{} prefix={} where={} fuzzy={} columns={} {} versions={} limit={}{}{}", start_, stop_,
                     prefix_, where_, fmt::join(fuzzy_, " "), fmt::join(columns_, ","), time_range_, versions_, limit_,
                     reverse_ ? " reverse" : "", raw_ ? " raw" : "");
}

Expected<Scan> ScanOptions::Make(const Table& table) const {
  Scan scan;
  if (!prefix_.empty()) {
    if (!start_.empty() || !stop_.empty() || reverse_) {
      return UsageError("--prefix takes the place of --start, --stop and --reverse");
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
  for (const std::string& column : columns_) {
    KLIP_ASSIGN_OR_RETURN(ColumnSpec spec, ParseColumn(column));
    scan.columns.push_back(std::move(spec));
  }
  if (!time_range_.empty()) {
    KLIP_ASSIGN_OR_RETURN(scan.time_range, ParseTimeRange(time_range_));
  }
  if (!fuzzy_.empty()) {
    std::vector<FuzzyKey> keys;
    for (const std::string& pattern : fuzzy_) {
      keys.push_back(FuzzyKeyFromPattern(FromStringBinary(pattern)));
    }
    KLIP_ASSIGN_OR_RETURN(scan.filter, FuzzyRowFilter(std::move(keys)));
  }
  if (!where_.empty()) {
    std::optional<RowKeySchema> schema = table.row_key_schema();
    if (!schema) {
      return UsageError(fmt::format("--where: table '{}' has no row-key schema", table.name()));
    }
    KLIP_ASSIGN_OR_RETURN(scan.where, schema->ParseQuery(where_));
  }
  return scan;
}

}  // namespace klip::cli
