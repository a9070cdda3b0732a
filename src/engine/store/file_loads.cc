#include "engine/store/file_loads.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/sst_file_writer.h"

#include "engine/layout/batch_reader.h"
#include "engine/layout/cell_key.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/database.h"
#include "engine/store/views.h"
#include "engine/store/writer.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

// The files of one family, one open at a time.
class FamilyFiles {
 public:
  FamilyFiles(const Family& family, std::string prefix, rocksdb::DB* db)
      : family_(family), prefix_(std::move(prefix)), options_(db->GetOptions(family.handle.get())) {}

  Status Add(std::string_view row, const Cell& cell) {
    if (writer_ == nullptr) {
      KLIP_RETURN_IF_ERROR(Start());
    }
    key_.clear();
    value_.clear();
    AppendCellKey(row, cell.qualifier, cell.timestamp_ms, cell.type, &key_);
    const bool ordered = family_.descriptor.new_version_behavior;
    AppendCellValue(cell.value, cell.tags, ordered ? family_.state->next_sequence() : 0, ordered, &value_);
    const rocksdb::Status status = writer_->Put(key_, value_);
    if (status.IsInvalidArgument()) {
      return {Code::kInvalidArgument, "cells of row '" + ToStringBinary(row) +
                                          "' are out of order or repeated in family '" + family_.descriptor.name + "'"};
    }
    return FromRocks(status, "writing " + files_.back());
  }

  // Writes the changes of a WriteSet to a separate file. They are sorted; of two changes of one key, the later one
  // counts.
  Status AddFile(std::vector<LoggedChange> changes) {
    std::ranges::stable_sort(changes, {}, &LoggedChange::key);
    KLIP_RETURN_IF_ERROR(Start());
    for (size_t i = 0; i < changes.size(); ++i) {
      const LoggedChange& change = changes[i];
      if (i + 1 < changes.size() && changes[i + 1].key == change.key) {
        continue;
      }
      const rocksdb::Slice key(change.key.data(), change.key.size());
      const rocksdb::Slice value(change.value.data(), change.value.size());
      KLIP_RETURN_IF_ERROR(
          FromRocks(change.kind == LoggedChange::Kind::kPut ? writer_->Put(key, value) : writer_->Delete(key),
                    "writing " + files_.back()));
    }
    return EndFile();
  }

  // Called before the file becomes visible.
  void NoteRow(std::string_view row) {
    family_.state->NoteRowBytes(row.size());
    leads_.Add(family_.state->leads.get(), row);
  }

  // Ends a large file, so that files keep a size that suits compactions.
  Status EndRow() { return writer_ != nullptr && writer_->FileSize() >= kMaxFileBytes ? EndFile() : Status::Ok(); }

  Status EndFile() {
    if (writer_ == nullptr) {
      return Status::Ok();
    }
    const rocksdb::Status status = writer_->Finish();
    writer_.reset();
    return FromRocks(status, "writing " + files_.back());
  }

  const Family& family() const { return family_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  static constexpr uint64_t kMaxFileBytes = 64 << 20;

  Status Start() {
    files_.push_back(prefix_ + std::to_string(files_.size()) + ".sst");
    writer_ = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), options_, family_.handle.get(),
                                                       /*invalidate_page_cache=*/false);
    return FromRocks(writer_->Open(files_.back()), "creating " + files_.back());
  }

  const Family& family_;  // of the loader's TableView
  const std::string prefix_;
  const rocksdb::Options options_;
  std::unique_ptr<rocksdb::SstFileWriter> writer_;
  std::vector<std::string> files_;
  std::string key_;
  std::string value_;
  filter::LeadingValuesWriter leads_;
};

class TableFileLoader final : public FileLoader {
 public:
  TableFileLoader(const Database* database, const Views* views, Writer* writer, TablePtr table, std::string directory)
      : database_(database),
        views_(views),
        writer_(writer),
        table_(std::move(table)),
        directory_(std::move(directory)) {
    for (const Family& family : table_->families) {
      families_.emplace_back(family, PrefixOf(family), database_->db.get());
    }
  }
  ~TableFileLoader() override { RemoveTree(directory_); }

  Status AddRow(std::string_view row, std::span<const Cell> cells) override {
    if (has_row_ && row < last_row_) {
      return {Code::kInvalidArgument,
              "row '" + ToStringBinary(row) + "' is below the previous row, '" + ToStringBinary(last_row_) + "'"};
    }
    has_row_ = true;
    last_row_.assign(row);
    FamilyFiles* current = nullptr;
    for (const Cell& cell : cells) {
      if (current == nullptr || current->family().descriptor.name != cell.family) {
        current = Find(cell.family);
        if (current == nullptr) {
          return {Code::kNoSuchColumnFamily,
                  "Column family " + std::string(cell.family) + " does not exist in table " + table_->descriptor.name};
        }
        current->NoteRow(row);
      }
      KLIP_RETURN_IF_ERROR(current->Add(row, cell));
    }
    for (FamilyFiles& files : families_) {
      KLIP_RETURN_IF_ERROR(files.EndRow());
    }
    return Status::Ok();
  }

  Status ForEachRow(std::span<const FamilyColumns> families, const TakeLoadedRow& take) override {
    std::vector<LoadedFiles> all;
    for (const FamilyColumns& columns : families) {
      LoadedFiles& loaded = all.emplace_back(LoadedFiles{.columns = &columns});
      if (FamilyFiles* const files = FilesOf(columns.family->id); files != nullptr) {
        KLIP_RETURN_IF_ERROR(files->EndFile());
        loaded.files = files->files();
      }
    }
    return ForEachLoadedRow(database_->db.get(), all, take);
  }

  Status AddOver(TablePtr table, const WriteSet& writes) override {
    std::map<uint32_t, std::vector<LoggedChange>> changes;  // by column family
    BatchReader reader(writes.data());
    LoggedChange change;
    KLIP_ASSIGN_OR_RETURN(bool more, reader.Next(&change));
    while (more) {
      changes[change.column_family].push_back(change);
      KLIP_ASSIGN_OR_RETURN(more, reader.Next(&change));
    }
    for (const auto* const families : {&table->families, &table->indexes}) {
      for (const Family& family : *families) {
        if (const auto found = changes.find(family.handle->GetID()); found != changes.end()) {
          FamilyFiles* files = FilesOf(family.id);
          files = files != nullptr ? files : &over_.emplace_back(family, PrefixOf(family), database_->db.get());
          KLIP_RETURN_IF_ERROR(files->EndFile());
          KLIP_RETURN_IF_ERROR(files->AddFile(std::move(found->second)));
        }
      }
    }
    over_table_ = std::move(table);
    return Status::Ok();
  }

  Status Finish() override {
    std::vector<rocksdb::IngestExternalFileArg> all;
    for (auto* const families : {&families_, &over_}) {
      for (FamilyFiles& files : *families) {
        KLIP_RETURN_IF_ERROR(files.EndFile());
        if (files.files().empty()) {
          continue;
        }
        rocksdb::IngestExternalFileArg& one = all.emplace_back();
        one.column_family = files.family().handle.get();
        one.external_files = files.files();
        one.options.move_files = true;
        one.options.write_global_seqno = false;
      }
    }
    if (all.empty()) {
      return Status::Ok();
    }
    const std::string& name = table_->descriptor.name;
    KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
    KLIP_RETURN_IF_ERROR(CheckTableIsSame());
    const auto ingest = [&] { return IngestFiles(database_->db.get(), all); };
    return FromRocks(writer_->TakeFiles(ingest), "loading files into table '" + name + "'");
  }

 private:
  FamilyFiles* Find(std::string_view family) {
    for (FamilyFiles& files : families_) {
      if (files.family().descriptor.name == family) {
        return &files;
      }
    }
    return nullptr;
  }

  FamilyFiles* FilesOf(uint32_t id) {
    for (auto* const families : {&families_, &over_}) {
      for (FamilyFiles& files : *families) {
        if (files.family().id == id) {
          return &files;
        }
      }
    }
    return nullptr;
  }

  std::string PrefixOf(const Family& family) const { return directory_ + "/" + FamilyColumnName(family.id) + "-"; }

  // The table may have been altered since the loader was created.
  Status CheckTableIsSame() const {
    KLIP_ASSIGN_OR_RETURN(const TablePtr now, views_->GetTable(table_->descriptor.name));
    if (!now->enabled) {
      return {Code::kTableNotEnabled, now->descriptor.name + " is disabled."};
    }
    for (const FamilyFiles& files : families_) {
      const Family* family = now->Find(files.family().descriptor.name);
      if (!files.files().empty() && (family == nullptr || family->id != files.family().id)) {
        return {Code::kNoSuchColumnFamily, "Column family " + files.family().descriptor.name +
                                               " has been dropped or truncated in table " + now->descriptor.name};
      }
    }
    return Status::Ok();
  }

  const Database* const database_;
  const Views* const views_;
  Writer* const writer_;
  const TablePtr table_;
  const std::string directory_;
  std::deque<FamilyFiles> families_;
  TablePtr over_table_;
  std::deque<FamilyFiles> over_;  // of the indexes: families of over_table_ that table_ does not have
  std::string last_row_;
  bool has_row_ = false;
};

}  // namespace

rocksdb::Status IngestFiles(rocksdb::DB* db, const std::vector<rocksdb::IngestExternalFileArg>& files) {
  constexpr int kMostAttempts = 100;
  rocksdb::Status status = db->IngestExternalFiles(files);
  for (int attempt = 1; status.IsTryAgain() && attempt < kMostAttempts; ++attempt) {
    status = db->IngestExternalFiles(files);
  }
  return status;
}

Expected<std::unique_ptr<FileLoader>> FileLoads::NewFileLoader(TablePtr table) {
  KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
  KLIP_ASSIGN_OR_RETURN(std::string directory, NewDirectory());
  return std::unique_ptr<FileLoader>(
      std::make_unique<TableFileLoader>(database_, views_, writer_, std::move(table), std::move(directory)));
}

Expected<std::string> FileLoads::NewDirectory() {
  const std::string parent = database_->path() + "/load";
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDirIfMissing(parent), "creating " + parent));
  std::string directory = parent + "/" + std::to_string(directories_.fetch_add(1, std::memory_order_relaxed));
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDir(directory), "creating " + directory));
  return directory;
}

void FileLoads::RemoveUnfinished() { RemoveTree(database_->path() + "/load"); }

}  // namespace klip::engine
