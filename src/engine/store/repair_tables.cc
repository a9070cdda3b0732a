// A table consists of blocks with checksums, in the order of their keys, and an index with the last key of each. RocksDB's iterator
// stops at a damaged block and does not tell where the next one begins. But a seek to a key behind the damaged block succeeds, and
// one to a key in it fails. So a binary search finds the smallest key with which a seek succeeds.
//
// Example: the block with the rows e to k is damaged. The iterator returns the cells up to row d, then fails. Seeks fail for e, g
// and k, and succeed from k1 on, with row l: the rows from d to l are reported.
#include "engine/store/repair_tables.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "rocksdb/env.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"

#include "engine/layout/cell_key.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/rocks/rocksdb_options.h"

namespace klip::engine {
namespace {

constexpr size_t kSearchedBytes = 256;  // of a key: enough to tell apart the last key of a block and the next one

std::string RowOf(std::string_view key) {
  CellKeyView view;
  std::string storage;
  return ParseCellKey(key, &view) ? std::string(Unescape(view.escaped_row, &storage)) : std::string(key);
}

// The mean of two numbers of the same length in base 256.
std::string Middle(const std::string& low, const std::string& high) {
  std::string middle(low.size(), '\0');
  unsigned carry = 0;  // the sum's byte before, modulo 2, and the carry of the bytes behind
  std::string sum(low.size() + 1, '\0');
  for (size_t i = low.size(); i-- > 0;) {
    const unsigned digit = static_cast<uint8_t>(low[i]) + static_cast<uint8_t>(high[i]) + carry;
    sum[i + 1] = static_cast<char>(digit & 0xFF);
    carry = digit >> 8;
  }
  sum[0] = static_cast<char>(carry);
  for (size_t i = 0; i < middle.size(); ++i) {
    const unsigned two = static_cast<unsigned>(static_cast<uint8_t>(sum[i]) << 8) | static_cast<uint8_t>(sum[i + 1]);
    middle[i] = static_cast<char>((two >> 1) & 0xFF);
  }
  return middle;
}

class Cells {
 public:
  explicit Cells(rocksdb::SstFileReader* reader) : reader_(reader) {}

  // False: what follows `key` cannot be read. A new iterator each time, since one keeps the error of a failed seek.
  bool Seek(const std::string& key) {
    rocksdb::ReadOptions how;
    how.fill_cache = false;
    at_.reset(reader_->NewIterator(how));
    at_->Seek(key);
    return at_->Valid() || at_->status().ok();
  }
  // Moves behind the damaged block that follows the key `last`, if any more can be read.
  bool SkipBlock(std::string last) {
    const size_t bytes = std::max(kSearchedBytes, last.size() + 1);
    std::string low = std::move(last);
    low.resize(bytes, '\0');
    std::string high(bytes, '\xFF');
    for (std::string middle = Middle(low, high); middle != low; middle = Middle(low, high)) {
      (Seek(middle) ? high : low) = middle;
    }
    return Seek(high) && at_->Valid();
  }
  rocksdb::Iterator* operator->() { return at_.get(); }

 private:
  rocksdb::SstFileReader* const reader_;
  std::unique_ptr<rocksdb::Iterator> at_;
};

}  // namespace

Expected<std::optional<WrittenTable>> SalvageTable(const std::string& to, DamagedTable* table) {
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(rocksdb::Env::Default(), table->file));
  if (!there) {
    table->missing = true;
    table->lost.push_back({});
    return std::optional<WrittenTable>();
  }
  rocksdb::SstFileReader reader{rocksdb::Options()};
  if (const rocksdb::Status opened = reader.Open(table->file); !opened.ok()) {
    if (opened.IsIOError()) {
      return FromRocks(opened, "opening " + table->file);
    }
    table->lost.push_back({});
    return std::optional<WrittenTable>();
  }
  const rocksdb::Options options({}, FamilyOptions({}, nullptr, {}));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  if (!to.empty()) {
    KLIP_RETURN_IF_ERROR(FromRocks(writer.Open(to), "creating " + to));
  }
  WrittenTable written;
  Cells cells(&reader);
  (void)cells.Seek("");
  bool more = true;
  while (true) {
    for (; cells->Valid(); cells->Next()) {
      if (table->kept_cells++ == 0) {
        written.smallest_key = cells->key().ToString();
      }
      written.largest_key = cells->key().ToString();
      if (!to.empty()) {
        KLIP_RETURN_IF_ERROR(FromRocks(writer.Put(cells->key(), cells->value()), "writing " + to));
      }
    }
    if (cells->status().ok() || !more) {
      break;
    }
    more = cells.SkipBlock(written.largest_key);
    if (more && table->kept_cells > 0 && cells->key().compare(written.largest_key) <= 0) {
      return Status(Code::kIoError, table->file + ": reads return different results");
    }
    table->lost.push_back({RowOf(written.largest_key), more ? RowOf(cells->key().ToStringView()) : ""});
  }
  if (table->kept_cells == 0) {
    return std::optional<WrittenTable>();
  }
  if (!to.empty()) {
    rocksdb::ExternalSstFileInfo info;
    KLIP_RETURN_IF_ERROR(FromRocks(writer.Finish(&info), "writing " + to));
    written.bytes = info.file_size;
  }
  return std::optional(std::move(written));
}

}  // namespace klip::engine
