// CompareTables: walks both tables side by side, cell by cell, so a row of any size needs little memory. All data of both
// sides passes through here anyway. So comparing cells costs no more than comparing hashes, and shows the different rows
// at once.
//
// Example: the source has a, b and d, the target a, c and d. At "b" the source's cell comes first: only in the source. At
// "c" the target's does: only in the target. A row that differs is read once more from both sides, since it may have been
// written between the two reads.
#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "copy/copier.h"
#include "copy/table_source.h"
#include "copy/work_queue.h"
#include "klip/bytes.h"
#include "klip/copy.h"

namespace klip {
namespace copy {
namespace {

constexpr int64_t kComparedBytes = 1 << 20;

// HBase's order of cells: newest first, higher types first.
auto OrderOf(const Cell& cell) {
  return std::make_tuple(cell.row, cell.family, cell.qualifier, -cell.timestamp_ms, -static_cast<int>(cell.type));
}

std::string NameOf(const Cell& cell) {
  std::string name =
      std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "@" + std::to_string(cell.timestamp_ms);
  return cell.type == CellType::kPut ? name : name + " (delete marker)";
}

// The cells of a scan one by one.
class CellStream {
 public:
  Status Open(Table* table, const Scan& scan) {
    KLIP_ASSIGN_OR_RETURN(scanner_, table->Scan(scan));
    return Advance();
  }

  // nullptr at the end.
  const Cell* cell() const { return at_end_ ? nullptr : &cells_[index_]; }
  const CopyCounts& counts() const { return counts_; }

  // Counts the cell and moves to the next.
  Status Next() {
    const Cell& cell = cells_[index_];
    ++counts_.cells;
    counts_.delete_markers += cell.type == CellType::kPut ? 0 : 1;
    counts_.bytes += BytesOf(cell);
    if (cell.row != row_) {
      row_.assign(cell.row);
      ++counts_.rows;
    }
    ++index_;
    return index_ < cells_.size() ? Status::Ok() : Advance();
  }

  // Moves to the next row.
  Status SkipRow(std::string_view row) {
    while (cell() != nullptr && cell()->row == row) {
      KLIP_RETURN_IF_ERROR(Next());
    }
    return Status::Ok();
  }

 private:
  Status Advance() {
    index_ = 0;
    do {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&cells_));
      at_end_ = !more;
    } while (!at_end_ && cells_.empty());
    return Status::Ok();
  }

  std::unique_ptr<ResultScanner> scanner_;
  Result cells_;
  size_t index_ = 0;
  bool at_end_ = false;
  std::string row_;
  CopyCounts counts_;
};

// Walks two streams up to the first difference, and past its row. nullopt: no difference.
Expected<std::optional<RowDifference>> NextDifference(CellStream* source, CellStream* target) {
  while (source->cell() != nullptr || target->cell() != nullptr) {
    const Cell* a = source->cell();
    const Cell* b = target->cell();
    if (a != nullptr && b != nullptr && OrderOf(*a) == OrderOf(*b) && a->value == b->value) {
      KLIP_RETURN_IF_ERROR(source->Next());
      KLIP_RETURN_IF_ERROR(target->Next());
      continue;
    }
    const bool source_first = b == nullptr || (a != nullptr && OrderOf(*a) < OrderOf(*b));
    const bool same_cell = a != nullptr && b != nullptr && OrderOf(*a) == OrderOf(*b);
    const Cell& first = same_cell || source_first ? *a : *b;
    RowDifference difference = {std::string(first.row), NameOf(first)};
    difference.what += same_cell ? ": values differ" : source_first ? ": only in the source" : ": only in the target";
    KLIP_RETURN_IF_ERROR(source->SkipRow(difference.row));
    KLIP_RETURN_IF_ERROR(target->SkipRow(difference.row));
    return std::optional<RowDifference>(std::move(difference));
  }
  return std::optional<RowDifference>();
}

// Several ranges for each worker: halves ranges at keys between their first and last row until there are enough.
std::vector<KeyRange> EnoughRanges(TableSource* source, int threads) {
  constexpr size_t kRangesPerThread = 8;  // TUNING: so that no worker is left alone with a long range at the end
  const size_t enough = threads > 1 ? kRangesPerThread * static_cast<size_t>(threads) : 1;
  std::vector<KeyRange> ranges = source->Ranges();
  for (size_t before = 0; ranges.size() < enough && ranges.size() > before;) {
    before = ranges.size();
    std::vector<KeyRange> halves;
    for (const KeyRange& range : ranges) {
      const std::optional<std::string> first = source->FirstRow(range);
      const std::optional<std::string> last = source->LastRow(range);
      const std::optional<std::string> middle =
          first && last && *first < *last ? MiddleKey(*first, *last) : std::nullopt;
      std::ranges::move(CutAt(range, {middle.value_or(range.start)}), std::back_inserter(halves));
    }
    ranges = std::move(halves);
  }
  return ranges;
}

class Comparison {
 public:
  Comparison(Table* source, Table* target, const CopyOptions& options, const CompareOptions& compare,
             std::vector<KeyRange> ranges)
      : source_(source),
        target_(target),
        options_(options),
        compare_(compare),
        ranges_(static_cast<int64_t>(ranges.size())),
        queue_(std::move(ranges)) {}

  Expected<CompareReport> Run() {
    std::vector<std::thread> workers;
    for (int i = 1; i < options_.threads; ++i) {
      workers.emplace_back([this] { Work(); });
    }
    Work();
    for (std::thread& worker : workers) {
      worker.join();
    }
    KLIP_RETURN_IF_ERROR(status_);
    std::ranges::sort(report_.differences, {}, &RowDifference::row);
    return std::move(report_);
  }

 private:
  void Work() {
    while (const std::optional<KeyRange> range = queue_.Take()) {
      const Status status = CompareRange(*range);
      if (!status.ok()) {
        const std::scoped_lock lock(mutex_);
        status_ = status_.ok() ? status : status_;
        queue_.Cancel();
      }
      queue_.Finish();
    }
  }

  Scan ScanFor(const KeyRange& range) const {
    Scan scan = ScanOf(options_, range);
    scan.raw = compare_.raw;
    scan.allow_partial_results = true;
    scan.max_result_bytes = kComparedBytes;
    return scan;
  }

  Expected<std::optional<RowDifference>> CompareOnce(const KeyRange& range) const {
    CellStream source;
    CellStream target;
    KLIP_RETURN_IF_ERROR(source.Open(source_, ScanFor(range)));
    KLIP_RETURN_IF_ERROR(target.Open(target_, ScanFor(range)));
    return NextDifference(&source, &target);
  }

  Status CompareRange(const KeyRange& range) {
    CellStream source;
    CellStream target;
    KLIP_RETURN_IF_ERROR(source.Open(source_, ScanFor(range)));
    KLIP_RETURN_IF_ERROR(target.Open(target_, ScanFor(range)));
    while (!queue_.cancelled()) {
      KLIP_ASSIGN_OR_RETURN(const std::optional<RowDifference> found, NextDifference(&source, &target));
      if (!found) {
        break;
      }
      // Compares once more, this time reading both at the same time.
      KLIP_ASSIGN_OR_RETURN(std::optional<RowDifference> still, CompareOnce({found->row, found->row + '\0'}));
      if (still) {
        const std::scoped_lock lock(mutex_);
        ++report_.differing_rows;
        if (report_.differences.size() < compare_.max_differences) {
          report_.differences.push_back(*std::move(still));
        }
      }
    }
    const std::scoped_lock lock(mutex_);
    report_.source += source.counts();
    report_.target += target.counts();
    ++done_;
    if (options_.progress != nullptr) {
      options_.progress(
          {.counts = report_.source, .fraction = static_cast<double>(done_) / static_cast<double>(ranges_)});
    }
    return Status::Ok();
  }

  Table* const source_;
  Table* const target_;
  const CopyOptions& options_;
  const CompareOptions& compare_;
  const int64_t ranges_;
  WorkQueue queue_;
  std::mutex mutex_;
  int64_t done_ = 0;      // guarded by mutex_
  Status status_;         // guarded by mutex_
  CompareReport report_;  // guarded by mutex_
};

}  // namespace
}  // namespace copy

Expected<CompareReport> CompareTables(Connection& source, std::string_view source_table, Connection& target,
                                      std::string_view target_table, const CopyOptions& options,
                                      const CompareOptions& compare) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> source_handle, source.GetTable(source_table));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> target_handle, target.GetTable(target_table));
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, source.admin().GetRegions(source_table));
  copy::TableSource from(source_handle.get(), options, regions, /*families=*/{});
  return copy::Comparison(source_handle.get(), target_handle.get(), options, compare,
                          copy::EnoughRanges(&from, options.threads))
      .Run();
}

}  // namespace klip
