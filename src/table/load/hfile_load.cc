#include "table/load/hfile_load.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>
#include <tuple>
#include <utility>

#include "klip/bytes.h"
#include "table/info/checks.h"

namespace klip::table {
namespace {

// HBase's order within a row, with deletes before the puts of their time.
auto OrderOf(const Cell& cell) {
  return std::make_tuple(cell.family, cell.qualifier, ~static_cast<uint64_t>(cell.timestamp_ms),
                         ~static_cast<unsigned>(cell.type));
}

bool IsHidden(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.empty() || name.front() == '_' || name.front() == '.';
}

// HBase loads cells of any size.
constexpr Limits kAnySize = {};

// The entries of a directory by name.
Expected<std::vector<std::filesystem::path>> List(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (!IsHidden(entries->path())) {
      paths.push_back(entries->path());
    }
  }
  if (error) {
    return Status(Code::kInvalidArgument, directory.string() + ": " + error.message());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Expected<std::vector<LoadedFile>> FindHFiles(const std::string& directory) {
  std::vector<LoadedFile> files;
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::filesystem::path> families, List(directory));
  for (const std::filesystem::path& family : families) {
    std::error_code error;
    if (!std::filesystem::is_directory(family, error)) {
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::filesystem::path> paths, List(family));
    for (const std::filesystem::path& path : paths) {
      if (!std::filesystem::is_directory(path, error)) {
        files.push_back({family.filename().string(), path.string()});
      }
    }
  }
  return files;
}

Expected<std::unique_ptr<HFileLoad>> HFileLoad::Open(Shared* shared, std::string_view table,
                                                     std::span<const LoadedFile> files, std::string_view row) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<BulkWrite> write, BulkWrite::Open(shared, table, {files, row}));
  std::unique_ptr<HFileLoad> load(new HFileLoad(std::move(write)));
  for (const LoadedFile& path : files) {
    if (load->write_->table().view->Find(path.family) == nullptr) {
      return Status(Code::kNoSuchColumnFamily, "No such column family " + ToStringBinary(path.family) + " in table '" +
                                                   load->write_->table().name() + "', for " + path.path);
    }
    Expected<std::unique_ptr<hfile::Source>> source = hfile::OpenFile(path.path);
    if (!source.ok()) {
      return Status(Code::kDoNotRetry, source.status().message());
    }
    File& file = load->files_.emplace_back();
    file.family = path.family;
    KLIP_ASSIGN_OR_RETURN(file.reader, hfile::Reader::Open(*std::move(source)));
    KLIP_RETURN_IF_ERROR(load->Advance(&file));
    file.first_row.assign(file.ended ? std::string_view() : file.cell.row);
  }
  return load;
}

bool HFileLoad::FitsInto(std::string_view start, std::string_view end) const {
  return std::all_of(files_.begin(), files_.end(), [&](const File& file) {
    return file.first_row.empty() || (file.first_row >= start && (end.empty() || file.reader->last_row() < end));
  });
}

Status HFileLoad::Run() {
  const auto above = [this](size_t a, size_t b) { return RowIsAbove(a, b); };
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].ended) {
      heap_.push_back(i);
    }
  }
  std::make_heap(heap_.begin(), heap_.end(), above);
  while (!heap_.empty()) {
    KLIP_RETURN_IF_ERROR(TakeRow());
    KLIP_RETURN_IF_ERROR(CheckCells(write_->table(), kAnySize, row_cells_));
    KLIP_RETURN_IF_ERROR(write_->AddRow(row_.row(), row_cells_));
    cells_ += static_cast<int64_t>(row_cells_.size());
  }
  return write_->Commit();
}

Status HFileLoad::TakeRow() {
  const auto above = [this](size_t a, size_t b) { return RowIsAbove(a, b); };
  row_.Clear();
  const std::string row(files_[heap_.front()].cell.row);
  std::vector<size_t> from;
  while (!heap_.empty() && files_[heap_.front()].cell.row == row) {
    std::pop_heap(heap_.begin(), heap_.end(), above);
    from.push_back(heap_.back());
    heap_.pop_back();
  }
  std::sort(from.begin(), from.end(), std::greater<>());  // the cells of later files first
  for (const size_t index : from) {
    File& file = files_[index];
    while (!file.ended && file.cell.row == row) {
      row_.AppendCopy(file.cell);
      KLIP_RETURN_IF_ERROR(Advance(&file));
    }
    if (!file.ended) {
      heap_.push_back(index);
      std::push_heap(heap_.begin(), heap_.end(), above);
    }
  }
  row_cells_.assign(row_.begin(), row_.end());
  if (from.size() > 1) {
    std::stable_sort(row_cells_.begin(), row_cells_.end(),
                     [](const Cell& a, const Cell& b) { return OrderOf(a) < OrderOf(b); });
  }
  const auto same_key = [](const Cell& a, const Cell& b) { return OrderOf(a) == OrderOf(b); };
  row_cells_.erase(std::unique(row_cells_.begin(), row_cells_.end(), same_key), row_cells_.end());
  return Status::Ok();
}

Status HFileLoad::Advance(File* file) const {
  KLIP_ASSIGN_OR_RETURN(const bool more, file->reader->Next(&file->cell));
  file->ended = !more;
  return more ? CheckCell(*file) : Status::Ok();
}

// Rejects what HBase does not check, but klip could not store or find again.
Status HFileLoad::CheckCell(const File& file) const {
  const Cell& cell = file.cell;
  const auto bad = [&](const std::string& what) {
    return Status(Code::kInvalidArgument,
                  file.reader->source().name() + ": row '" + ToStringBinary(cell.row) + "' " + what);
  };
  if (cell.family != file.family) {
    return bad("is of family " + ToStringBinary(cell.family) + ", the file is to be one of " + file.family);
  }
  if (cell.row.empty() || cell.row.size() > kMaxRowBytes) {
    return bad("has " + std::to_string(cell.row.size()) + " bytes");
  }
  if (cell.timestamp_ms < 0) {
    return bad("has a cell with timestamp " + std::to_string(cell.timestamp_ms));
  }
  if (cell.row > file.reader->last_row()) {
    return bad("is above the file's last row");
  }
  return Status::Ok();
}

}  // namespace klip::table
