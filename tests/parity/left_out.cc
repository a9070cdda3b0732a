#include "parity/left_out.h"

#include <algorithm>
#include <vector>

#include "ops/op_language.h"

namespace klip::ops {
namespace {

struct GoldenDifference {
  std::string_view file;
  std::string_view op;
  std::string_view reason;
};
constexpr std::string_view kClearerCode = "klip's error says more exactly what is wrong";
constexpr std::string_view kEnforced = "klip refuses rows that do not fit the table's schema";
constexpr std::string_view kOpenRange =
    "reversed, HBase takes a MultiRowRangeFilter's range without a stop row for the lowest one, and ends early";
constexpr GoldenDifference kGoldenDifferences[] = {
    {"admin/namespaces.txt", "namespace create bad-name", kClearerCode},
    {"admin/regions.txt", "split e", kClearerCode},
    {"admin/regions.txt", "split-keys hex 1", "HBase makes no keys of one region; klip says that it cannot"},
    {"admin/snapshots.txt", "restore nosuch", kClearerCode},
    {"admin/snapshots.txt", "snapshot y nosuch", kClearerCode},
    {"filter/columns.txt", "rows filter=FilterAllFilter()", "HBase's published jars do not have that class"},
    {"filter/rows.txt", "rows filter=MultiRowRangeFilter('b',true,'c',false,'d',true,'',true) reversed", kOpenRange},
    {"model/check_and_mutate.txt", "check r f:q no-op 7 then put r f:miss=5", kClearerCode},
    {"model/errors.txt", "get r versions=0", kClearerCode},
    {"scenarios/a6_hospital.txt", "put 1001-GLU?_first d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "put 1001 d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "increment 1001 d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "check x d:n absent then put x d:n=1", kEnforced},
    {"scenarios/a6_hospital.txt", "count", kEnforced},
};

bool Contains(const std::string& op, std::string_view text) { return op.find(text) != std::string::npos; }

// A filter that gives hints to columns.
bool HintsColumns(const std::string& op) {
  return Contains(op, "ColumnPrefixFilter") || Contains(op, "ColumnRangeFilter") ||
         Contains(op, "ColumnPaginationFilter") || Contains(op, "TimestampsFilter");
}

// A filter that may finish before the end of its region.
bool EndsRegions(const std::string& op) {
  static constexpr std::string_view kNames[] = {
      "WHILE ", "PageFilter(",    "InclusiveStopFilter(", "MultiRowRangeFilter(",
      "Fuzzy",  "=PrefixFilter(", " PrefixFilter(",       "(PrefixFilter("};
  return std::ranges::any_of(kNames, [&op](std::string_view name) { return Contains(op, name); });
}

// A read of columns, not of families.
bool NamesColumns(const std::string& op) {
  const std::vector<std::string> tokens = Tokens(op);
  const bool reads =
      tokens[0] == "get" || tokens[0] == "exists" || tokens[0] == "scan" || tokens[0] == "rows" || tokens[0] == "count";
  return reads && std::ranges::any_of(ParseArguments(tokens).words,
                                      [](const std::string& word) { return word.find(':') != std::string::npos; });
}

}  // namespace

std::string_view LeftOut(const CaseTraits& traits, const std::string& op) {
  if (Contains(op, " reversed") && Contains(op, "Fuzzy")) {
    return "fuzzy-reversed";
  }
  const bool sees_surplus = Contains(op, " time") || Contains(op, " raw") || Contains(op, "delete-version") ||
                            Contains(op, "delete-family-version");
  if (traits.few_versions && traits.flushes && sees_surplus) {
    return "surplus-versions";
  }
  if (traits.flushes && (traits.few_versions || traits.min_versions) && Contains(op, " ttl=")) {
    return "hidden-by-ttl";
  }
  if (traits.flushes && Contains(op, " raw")) {
    return "flushed-raw";
  }
  if (Contains(op, "ColumnCountGetFilter") && !op.starts_with("get ") && !op.starts_with("exists ") &&
      !op.starts_with("check ")) {
    return "column-count-scan";
  }
  if (Contains(op, " reversed") && (Contains(op, " AND ") || Contains(op, " OR ")) && HintsColumns(op)) {
    return "reversed-column-hints";
  }
  if (traits.regions && EndsRegions(op)) {
    return "region-done";
  }
  if (traits.empty_qualifier && HintsColumns(op) && !Contains(op, "ColumnPaginationFilter")) {
    return "hint-over-marker";
  }
  if (traits.empty_qualifier && (Contains(op, "ColumnPaginationFilter") || Contains(op, "ColumnCountGetFilter"))) {
    return "empty-qualifier-pages";
  }
  if (Contains(op, "SingleColumnValue") && Contains(op, "NO_OP")) {
    return "no-op";
  }
  if (traits.min_versions && NamesColumns(op)) {
    return "min-versions-columns";
  }
  if ((Contains(op, " batch=") || Contains(op, " partial=")) && Contains(op, " limit=")) {
    return "batch-limit";
  }
  if (traits.keep_deleted && traits.expires && op == "major") {
    return "keep-deleted-major";
  }
  return "";
}

bool IsGoldenDifference(std::string_view file, std::string_view op) {
  for (const GoldenDifference& difference : kGoldenDifferences) {
    if (difference.file == file && difference.op == op) {
      return true;
    }
  }
  return false;
}

const std::map<std::string_view, std::string_view>& LeftOutReasons() {
  static const std::map<std::string_view, std::string_view> kReasons = {
      {"fuzzy-reversed",
       "a reversed scan with a FuzzyRowFilter makes HBase's handlers loop for ever (HBASE-30226); not only when a "
       "fixed byte stands "
       "behind a wildcard"},
      {"column-count-scan",
       "in a scan, a ColumnCountGetFilter that has enough columns makes HBase close the family for the rows behind as "
       "well"},
      {"server-fault",
       "HBase answers with a NullPointerException or an ArrayIndexOutOfBoundsException: hints that are null, prefixes "
       "of rows that a "
       "lazy seek has made up"},
      {"empty-qualifier-pages",
       "HBase does not pass over the older versions of the column with the empty qualifier when a filter asks for the "
       "next column, so "
       "that a ColumnPaginationFilter or ColumnCountGetFilter counts them"},
      {"no-op",
       "HBase refuses a SingleColumnValueFilter with NO_OP when it meets the column; klip likewise, with a clearer "
       "code"},
      {"hint-over-marker",
       "a hint to a column, given at the column with the empty qualifier, takes HBase over a family's delete marker"},
      {"nested-ranges", "of three ranges, one inside another, HBase can make the outer one's stop row inclusive"},
      {"reversed-column-hints",
       "in a reversed scan HBase's lists of filters compare hints to columns the wrong way round, and lose cells"},
      {"region-done",
       "a filter that is done with a region of which HBase has returned no row ends the scan of all regions there"},
      {"flushed-raw",
       "masked and expired cells, and markers behind others, leave raw scans when files are written or merged, which "
       "is not at the same time"},
      {"keep-deleted-major",
       "HBase's major compaction drops delete markers that are older than every put of the files; klip keeps them. "
       "With a TTL "
       "the put that would keep them expires"},
      {"batch-limit", "HBase does not count a row against the limit when its last piece is full"},
      {"min-versions-columns", "of columns that are named HBase returns one expired version more than MIN_VERSIONS"},
      {"nvb-empty-qualifier",
       "with NEW_VERSION_BEHAVIOR HBase's family delete markers do not mask the column with the empty qualifier"},
      {"same-time-ttl",
       "a cell with a TTL that expires shows an older one of the same timestamp in HBase, until a flush"},
      {"hidden-by-ttl",
       "whether an older version comes back when a newer one's own TTL has passed depends on when files are written "
       "and merged, which is not at the same time"},
      {"surplus-versions",
       "whether a version above VERSIONS can be brought to light depends on when files are written, which is not the "
       "same"},
  };
  return kReasons;
}

}  // namespace klip::ops
