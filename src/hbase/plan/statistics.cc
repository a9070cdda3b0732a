// Table::Statistics on a cluster, which keeps none: sizes come from the servers, the rest is estimated from runs of
// adjacent rows at the start and in the middle of some regions.
//
// Example: runs of 256 adjacent rows of the key "user date" show 8 changes of the user in 2,048 rows. A table of
// 1,000,000 rows then has about 1,000,000 * 8 / 2,048, that is 3,900 users.
#include <algorithm>
#include <optional>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "hbase/table/remote_table.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "rowkey/key_parts.h"
#include "rowkey/leading_fields.h"

namespace klip::client {
namespace {

constexpr size_t kRegions = 16;           // TUNING: a sample takes a millisecond or two
constexpr int64_t kRows = 256;            // per run
constexpr int kSmallRuns = 16;            // TUNING: a region of a megabyte has a few thousand rows, read in some 20 ms
constexpr int64_t kSmallBytes = 2 << 20;  // a size in whole megabytes is too coarse for smaller regions
constexpr size_t kFewRegions = 8;         // with so few, their starts alone are not representative
constexpr int64_t kKeyBytes = 24;         // added by HBase to a cell's row, qualifier and value

// Sums over runs of adjacent rows, added in key order. Within a run, the prefix of a key changes as often per row as in
// the whole table; that rate gives the number of prefixes.
class RunSum {
 public:
  explicit RunSum(const std::vector<rowkey::LeadingFields>* depths)
      : depths_(*depths), last_(depths->size()), changes_(depths->size()), seen_(depths->size()) {}

  void BeginRun() { in_run_ = false; }

  void Add(const Result& row) {
    ++rows_;
    pairs_ += in_run_ ? 1 : 0;
    for (const Cell& cell : row) {
      ++cells_;
      markers_ += cell.type == CellType::kPut ? 0 : 1;
      bytes_ += kKeyBytes + static_cast<int64_t>(cell.row.size() + cell.qualifier.size()) + ValueBytes(cell.value);
    }
    for (size_t i = 0; i < depths_.size(); ++i) {
      const std::optional<std::string_view> prefix = depths_[i].Cut(row.row());
      if (prefix.has_value() && last_[i] != *prefix) {
        changes_[i] += in_run_ ? 1 : 0;
        ++seen_[i];
        last_[i] = *prefix;
      }
    }
    in_run_ = true;
  }

  int64_t rows() const { return rows_; }
  double BytesPerRow() const { return rows_ == 0 ? 1 : static_cast<double>(bytes_) / static_cast<double>(rows_); }
  double CellsPerRow() const { return rows_ == 0 ? 1 : static_cast<double>(cells_) / static_cast<double>(rows_); }
  double MarkersPerRow() const { return rows_ == 0 ? 0 : static_cast<double>(markers_) / static_cast<double>(rows_); }

  // Distinct prefixes in a table of so many rows; `whole`: the runs were all of it.
  double Distinct(size_t depth, double rows, bool whole) const {
    const auto seen = static_cast<double>(seen_[depth]);
    const double rate = pairs_ == 0 ? 0 : static_cast<double>(changes_[depth]) / static_cast<double>(pairs_);
    return whole ? seen : std::max(seen, rate * rows);
  }

 private:
  // KeyOnlyFilter replaces the value by its length, as four bytes.
  static int64_t ValueBytes(std::string_view value) {
    return value.size() == sizeof(uint32_t) ? ReadBigEndian<uint32_t>(value.data()) : 0;
  }

  const std::vector<rowkey::LeadingFields>& depths_;
  std::vector<std::string> last_;
  std::vector<int64_t> changes_;  // between adjacent rows
  std::vector<int64_t> seen_;
  bool in_run_ = false;
  int64_t rows_ = 0;
  int64_t pairs_ = 0;
  int64_t cells_ = 0;
  int64_t markers_ = 0;
  int64_t bytes_ = 0;
};

int64_t BytesOf(const RegionMetrics& region) { return region.uncompressed_file_bytes + region.memstore_bytes; }

}  // namespace

// Reads up to kRows rows of [start, end). Returns their number.
Expected<int64_t> RemoteTable::SampleRun(const std::string& start, const std::string& end,
                                         const std::function<void(const Result&)>& add) const {
  klip::Scan scan = {.start_row = start, .stop_row = end};
  scan.filter = KeyOnlyFilter(/*length_as_value=*/true);
  scan.limit_rows = kRows;
  scan.max_versions = kAllVersions;
  scan.raw = true;  // files contain markers and masked cells
  const std::unique_ptr<ResultScanner> scanner = OpenScanner(cluster_, name_, {.scan = scan});
  Result row;
  for (int64_t rows = 0;; ++rows) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return rows;
    }
    add(row);
  }
}

// A row near the middle of the region; empty: unknown to its server.
std::string RemoteTable::MiddleOf(const RegionInfo& region) const {
  hbase::pb::GetRegionInfoRequest request;
  request.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  request.mutable_region()->set_value(region.Name());
  request.set_best_split_row(true);
  hbase::pb::GetRegionInfoResponse response;
  const Status status = cluster_
                            ->StartAdmin({region.server.host, region.server.port}, "GetRegionInfo", request,
                                         cluster_->OperationDeadline())
                            ->WaitFor(&response);
  return status.ok() ? response.best_split_row() : std::string();
}

Expected<TableStatistics> RemoteTable::Sample() const {
  KLIP_ASSIGN_OR_RETURN(const std::optional<RowKeySchema> schema, Schema());
  std::vector<std::string> names;
  std::vector<rowkey::LeadingFields> depths;
  for (const rowkey::KeyPart& part : schema.has_value() ? rowkey::KeyParts(*schema) : std::vector<rowkey::KeyPart>()) {
    names.push_back(part.name);
    KLIP_ASSIGN_OR_RETURN(auto leading, rowkey::LeadingFields::Make(schema, name_, static_cast<int>(names.size())));
    depths.push_back(std::move(leading));
  }
  RemoteAdmin admin(cluster_);
  KLIP_ASSIGN_OR_RETURN(std::vector<RegionInfo> regions, admin.GetRegions(name_));
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionMetrics> metrics, admin.GetRegionMetrics(name_));
  const auto of = [&metrics](const RegionInfo& region) {
    return std::ranges::find(metrics, region.Name(), &RegionMetrics::name);
  };
  bool whole = regions.size() <= kRegions && regions.size() == metrics.size();
  std::erase_if(regions, [&](const RegionInfo& region) { return of(region) == metrics.end(); });  // without a server

  TableStatistics out;
  int64_t bytes = 0;
  for (const RegionMetrics& region : metrics) {
    out.bytes_on_disk += region.file_bytes;
    out.bytes_in_memory += region.memstore_bytes;
    out.sorted_runs = std::max(out.sorted_runs, region.store_files / std::max(1, region.stores));
    bytes += BytesOf(region);
  }
  RunSum runs(&depths);
  int64_t counted_rows = 0;   // of regions that were read completely
  int64_t counted_bytes = 0;  // their bytes
  const size_t count = std::min(regions.size(), kRegions);
  for (size_t i = 0; i < count; ++i) {
    const RegionInfo& region = regions[i * regions.size() / count];
    runs.BeginRun();
    const int most_runs = BytesOf(*of(region)) <= kSmallBytes ? kSmallRuns : 1;
    std::string start = region.start_key;
    bool ended = false;
    int64_t rows = 0;
    for (int run = 0; run < most_runs && !ended; ++run) {
      KLIP_ASSIGN_OR_RETURN(const int64_t more, SampleRun(start, region.end_key, [&](const Result& row) {
                              runs.Add(row);
                              start.assign(row.row()).push_back('\0');
                            }));
      rows += more;
      ended = more < kRows;
    }
    if (ended) {
      counted_rows += rows;
      counted_bytes += BytesOf(*of(region));
      continue;
    }
    whole = false;
    if (const std::string middle = regions.size() < kFewRegions ? MiddleOf(region) : ""; !middle.empty()) {
      runs.BeginRun();
      KLIP_RETURN_IF_ERROR(SampleRun(middle, region.end_key, [&runs](const Result& row) { runs.Add(row); }).status());
    }
  }
  const double rest = static_cast<double>(bytes - counted_bytes) / runs.BytesPerRow();
  const double rows = whole ? static_cast<double>(counted_rows)
                            : std::max(static_cast<double>(runs.rows()), static_cast<double>(counted_rows) + rest);
  out.rows = static_cast<int64_t>(rows);
  out.cells = static_cast<int64_t>(rows * runs.CellsPerRow());
  out.delete_markers = static_cast<int64_t>(rows * runs.MarkersPerRow());
  for (size_t i = 0; i < depths.size(); ++i) {
    out.fields.push_back({.name = names[i], .distinct_prefixes = runs.Distinct(i, rows, whole)});
  }
  return out;
}

}  // namespace klip::client
