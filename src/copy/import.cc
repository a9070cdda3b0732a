// ImportTable and ReadExport: read the files of ExportTable back into a table.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "copy/cell_file.h"
#include "copy/copier.h"
#include "copy/copy_state.h"
#include "copy/manifest.h"
#include "copy/table_target.h"
#include "copy/tables.h"
#include "copy/write_order.h"

namespace klip {
namespace copy {
namespace {

constexpr int64_t kImportPieceBytes = 1 << 20;

// The cells of one part that lie in a range, as pieces of rows.
class PartReader final : public CellReader {
 public:
  // `in_write_order`: puts and markers of a row come in separate pieces, in the order of their writes (write_order.h).
  PartReader(std::unique_ptr<CellFileReader> file, const DonePart& part, KeyRange range, const CopyOptions& options,
             bool in_write_order)
      : file_(std::move(file)),
        part_(part),
        range_(std::move(range)),
        options_(options),
        in_write_order_(in_write_order) {}

  Expected<bool> Next(Result* cells) override {
    cells->Clear();
    int64_t bytes = 0;
    while (true) {
      if (!has_cell_) {
        KLIP_RETURN_IF_ERROR(ReadCell());
      }
      if (at_end_ || (!cells->empty() && (EndsPiece(*cells) || bytes >= kImportPieceBytes))) {
        return !cells->empty();
      }
      has_cell_ = false;
      if (Wanted()) {
        cells->AppendCopy(cell_);
        bytes += BytesOf(cell_);
      }
    }
  }

 private:
  bool EndsPiece(const Result& cells) const {
    return cell_.row != cells.row() ||
           (in_write_order_ && (cell_.type == CellType::kPut) != (cells[cells.size() - 1].type == CellType::kPut));
  }

  Status ReadCell() {
    KLIP_ASSIGN_OR_RETURN(const bool more, file_->Next(&cell_));
    if (more && (cell_.row < part_.range.start || !BelowStop(cell_.row, part_.range.stop))) {
      return Damaged("a row is outside the part");
    }
    // zstd checks a frame only at its end, when damaged rows were already read.
    if (more && cell_.row != last_row_) {
      if (cell_.row < last_row_) {
        return Damaged("its rows are not in order");
      }
      last_row_ = cell_.row;
    }
    cells_read_ += more ? 1 : 0;
    if (!more && cells_read_ != part_.counts.cells) {
      return Damaged("it holds " + std::to_string(cells_read_) + " cells, not " + std::to_string(part_.counts.cells));
    }
    has_cell_ = more;
    // Also reads the cells after the range: their number and checksum are at the end of the file.
    at_end_ = !more;
    return Status::Ok();
  }

  Status Damaged(const std::string& what) const {
    return {Code::kCorruption, "part '" + part_.file + "' does not match MANIFEST: " + what};
  }

  bool Wanted() const {
    const bool in_range = cell_.row >= range_.start && BelowStop(cell_.row, range_.stop);
    const bool in_time =
        cell_.timestamp_ms >= options_.time_range.min_ms && cell_.timestamp_ms < options_.time_range.max_ms;
    return in_range && in_time &&
           (options_.families.empty() || std::ranges::find(options_.families, cell_.family) != options_.families.end());
  }

  const std::unique_ptr<CellFileReader> file_;
  const DonePart& part_;
  const KeyRange range_;
  const CopyOptions& options_;
  const bool in_write_order_;
  Cell cell_;  // read but not returned, if has_cell_
  std::string last_row_;
  bool has_cell_ = false;
  bool at_end_ = false;
  int64_t cells_read_ = 0;
};

class DirectorySource final : public CopySource {
 public:
  DirectorySource(const std::string& directory, const Manifest& manifest, const CopyOptions& options)
      : directory_(directory),
        manifest_(manifest),
        options_(options),
        in_write_order_(NeedsWriteOrder(manifest.descriptor)) {}

  std::vector<KeyRange> Ranges() override {
    std::vector<KeyRange> ranges;
    for (const DonePart& part : manifest_.parts) {
      const std::string& start = std::max(part.range.start, options_.start_row);
      const std::string& stop = LowerStop(part.range.stop, options_.stop_row);
      if (BelowStop(start, stop)) {
        ranges.push_back({start, stop});
      }
    }
    return ranges;
  }

  Expected<std::unique_ptr<CellReader>> Open(const KeyRange& range) override {
    const auto above = std::ranges::upper_bound(manifest_.parts, range.start, {},
                                                [](const DonePart& part) { return part.range.start; });
    const DonePart& part = *std::prev(above);
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<CellFileReader> file, CellFileReader::Open(PathIn(directory_, part.file)));
    return std::unique_ptr<CellReader>(
        std::make_unique<PartReader>(std::move(file), part, range, options_, in_write_order_));
  }

  // One worker reads a file from start to end.
  std::optional<std::string> LastRow(const KeyRange& /*range*/) override { return std::nullopt; }

 private:
  const std::string& directory_;
  const Manifest& manifest_;
  const CopyOptions& options_;
  const bool in_write_order_;
};

class NowhereChunk final : public ChunkWriter {
 public:
  Status Add(const Result& /*cells*/, CopyCounts* /*counts*/) override { return Status::Ok(); }
  Expected<std::string> Finish() override { return std::string(); }
};

class Nowhere final : public CopyTarget {
 public:
  Expected<std::unique_ptr<ChunkWriter>> NewChunk() override {
    return std::unique_ptr<ChunkWriter>(std::make_unique<NowhereChunk>());
  }
};

}  // namespace
}  // namespace copy

Expected<CopyPlan> PlanImport(const std::string& directory, Connection& target, std::string_view table,
                              const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const copy::Manifest manifest, copy::ReadManifest(directory));
  CopyPlan plan = {.descriptor = manifest.descriptor, .split_keys = manifest.split_keys};
  KLIP_RETURN_IF_ERROR(copy::FitDescriptor(options, &plan.descriptor));
  plan.descriptor.name = table.empty() ? manifest.descriptor.name : std::string(table);
  for (const copy::DonePart& part : manifest.parts) {
    plan.size_bytes += part.counts.bytes;
  }
  KLIP_ASSIGN_OR_RETURN(plan.creates_table, copy::NeedsTable(target, plan.descriptor.name, plan.descriptor));
  return plan;
}

Expected<CopyCounts> ImportTable(const std::string& directory, Connection& target, std::string_view table,
                                 const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const copy::Manifest manifest, copy::ReadManifest(directory));
  KLIP_ASSIGN_OR_RETURN(const CopyPlan plan, PlanImport(directory, target, table, options));
  KLIP_ASSIGN_OR_RETURN(copy::CopyState state, copy::OpenState(target, plan, options));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> handle, target.GetTable(plan.descriptor.name));
  copy::DirectorySource from(directory, manifest, options);
  copy::TableTarget to(&target, handle.get(), copy::NeedsWriteOrder(plan.descriptor));
  KLIP_ASSIGN_OR_RETURN(const CopyCounts counts, copy::RunCopy(&from, &to, options, &state));
  KLIP_RETURN_IF_ERROR(state.Remove());
  return counts;
}

Expected<CopyCounts> CheckExport(const std::string& directory, const CopyOptions& options) {
  KLIP_ASSIGN_OR_RETURN(const copy::Manifest manifest, copy::ReadManifest(directory));
  copy::DirectorySource from(directory, manifest, options);
  copy::Nowhere to;
  copy::CopyState state;
  return copy::RunCopy(&from, &to, options, &state);
}

}  // namespace klip
