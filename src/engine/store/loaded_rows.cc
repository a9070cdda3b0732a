#include "engine/store/loaded_rows.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/layout/stored_cell.h"

namespace klip::engine {
namespace {

// Walks the effective cells of one family.
class LoadedCells {
 public:
  LoadedCells(rocksdb::DB* db, LoadedFiles files)
      : files_(std::move(files)), options_(db->GetOptions(files_.columns->family->handle.get())) {}

  bool ended() const { return ended_; }
  const std::string& row() const { return row_; }

  // Moves to the next effective cell; the first call moves to the first one.
  Status Next() {
    do {
      KLIP_RETURN_IF_ERROR(Step());
    } while (!ended_ && !Counts());
    return Status::Ok();
  }

  // Appends the cells of row(), and moves to the next row.
  Status TakeRow(std::vector<model::StoredCell>* cells) {
    const std::string row = row_;
    while (!ended_ && row_ == row) {
      KLIP_RETURN_IF_ERROR(AppendStoredCell(at_->key().ToStringView(), at_->value().ToStringView(), cells));
      cells->back().fresh = true;
      KLIP_RETURN_IF_ERROR(Next());
    }
    return Status::Ok();
  }

 private:
  Status Step() {
    if (at_ != nullptr) {
      at_->Next();
    }
    while (at_ == nullptr || !at_->Valid()) {
      KLIP_RETURN_IF_ERROR(at_ == nullptr ? Status::Ok() : FromRocks(at_->status(), "reading a file to be loaded"));
      at_.reset();
      ended_ = next_file_ == files_.files.size();
      if (ended_) {
        return Status::Ok();
      }
      const std::string& file = files_.files[next_file_++];
      reader_ = std::make_unique<rocksdb::SstFileReader>(options_);
      KLIP_RETURN_IF_ERROR(FromRocks(reader_->Open(file), "reading " + file));
      at_.reset(reader_->NewIterator(rocksdb::ReadOptions()));
      at_->SeekToFirst();
    }
    return ParseCellKey(at_->key().ToStringView(), &key_) ? Status::Ok()
                                                          : Status(Code::kCorruption, "a stored cell is unreadable");
  }

  bool Counts() {
    if (key_.type != CellType::kDeleteFamily && key_.type != CellType::kDeleteFamilyVersion &&
        !std::ranges::binary_search(files_.columns->qualifiers, Unescape(key_.escaped_qualifier, &qualifier_),
                                    std::less<>())) {
      return false;
    }
    std::string unescaped;
    row_.assign(Unescape(key_.escaped_row, &unescaped));
    return true;
  }

  const LoadedFiles files_;
  const rocksdb::Options options_;
  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::unique_ptr<rocksdb::Iterator> at_;  // of reader_
  size_t next_file_ = 0;
  bool ended_ = false;
  CellKeyView key_;
  std::string row_;
  std::string qualifier_;
};

}  // namespace

Status ForEachLoadedRow(rocksdb::DB* db, std::span<const LoadedFiles> families, const TakeLoadedRow& take) {
  std::vector<std::unique_ptr<LoadedCells>> all;
  for (const LoadedFiles& files : families) {
    all.push_back(std::make_unique<LoadedCells>(db, files));
    KLIP_RETURN_IF_ERROR(all.back()->Next());
  }
  while (true) {
    const LoadedCells* lowest = nullptr;
    for (const auto& cells : all) {
      lowest = !cells->ended() && (lowest == nullptr || cells->row() < lowest->row()) ? cells.get() : lowest;
    }
    if (lowest == nullptr) {
      return Status::Ok();
    }
    const std::string row = lowest->row();
    std::vector<std::vector<model::StoredCell>> of_row(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i]->ended() && all[i]->row() == row) {
        KLIP_RETURN_IF_ERROR(all[i]->TakeRow(&of_row[i]));
      }
    }
    KLIP_RETURN_IF_ERROR(take(row, std::move(of_row)));
  }
}

}  // namespace klip::engine
