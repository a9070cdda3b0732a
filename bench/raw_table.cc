#include "raw_table.h"

#include <chrono>
#include <thread>

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

namespace klip::bench {

namespace {

constexpr size_t kRowPartBytes = kRowBytes + 2;  // with the terminator 00 01

void DieIfRocks(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) {
    Die(what + ": " + status.ToString());
  }
}

// esc(row) esc(qualifier) ~timestamp ~type. The rows have no zero byte, so esc only adds the terminator.
void MakeKey(std::string_view row, std::string* key) {
  key->assign(row);
  key->append("\0\1n\0\1", 5);
  uint64_t inverted = ~static_cast<uint64_t>(kTimestampMs);
  for (int shift = 56; shift >= 0; shift -= 8) {
    key->push_back(static_cast<char>(inverted >> shift));
  }
  key->push_back(static_cast<char>(~4));
}

void MakeValue(std::string_view value, std::string* stored) {
  stored->assign(1, '\0');
  stored->append(value);
}

std::string_view RowOf(const rocksdb::Slice& key) { return {key.data(), kRowBytes}; }
std::string_view ValueOf(const rocksdb::Slice& stored) { return {stored.data() + 1, stored.size() - 1}; }

// As klip sets up its own, statistics included.
rocksdb::Options MakeOptions(const StorageSettings& settings) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = settings.compression == "ZSTD" ? rocksdb::kZSTD : rocksdb::kLZ4Compression;
  if (options.compression == rocksdb::kZSTD) {
    // One dictionary per file: rows of neighbouring blocks are similar. 16 % smaller here.
    options.compression_opts.max_dict_bytes = 16 << 10;
    options.compression_opts.zstd_max_train_bytes = 1 << 20;
    options.compression_opts.max_dict_buffer_bytes = 4 << 20;
  }
  options.write_buffer_size = static_cast<size_t>(settings.memtable_bytes);
  options.max_background_jobs = 2;
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kRowPartBytes));
  options.statistics = rocksdb::CreateDBStatistics();
  options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  rocksdb::BlockBasedTableOptions table;
  table.block_size = static_cast<size_t>(settings.block_bytes);
  table.block_cache = rocksdb::NewLRUCache(static_cast<size_t>(settings.cache_bytes));
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.whole_key_filtering = false;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = true;
  table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::ReadOptions ScanOptions() {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  return options;
}

// Runs two halves on two threads.
Outcome OnTwoThreads(const std::function<Outcome()>& low, const std::function<Outcome()>& high) {
  Outcome second;
  std::thread worker([&] { second = high(); });
  Outcome first = low();
  worker.join();
  first.rows += second.rows;
  first.checksum += second.checksum;
  return first;
}

}  // namespace

RawTable::RawTable(std::string directory, const StorageSettings& settings) {
  rocksdb::DB* db = nullptr;
  DieIfRocks(rocksdb::DB::Open(MakeOptions(settings), directory, &db), "open " + directory);
  db_.reset(db);
}

void RawTable::BulkLoad(const RowSource& source) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_->GetOptions());
  std::vector<std::string> files;
  std::string row;
  std::string value;
  std::string key;
  std::string stored;
  bool open = false;
  while (source(&row, &value)) {
    if (!open) {
      files.push_back(db_->GetName() + "/bulk" + std::to_string(files.size()));
      DieIfRocks(writer.Open(files.back()), "bulk file");
      open = true;
    }
    MakeKey(row, &key);
    MakeValue(value, &stored);
    DieIfRocks(writer.Put(key, stored), "bulk put");
    if (writer.FileSize() >= uint64_t{64} << 20) {
      DieIfRocks(writer.Finish(), "bulk finish");
      open = false;
    }
  }
  if (open) {
    DieIfRocks(writer.Finish(), "bulk finish");
  }
  rocksdb::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  DieIfRocks(db_->IngestExternalFile(files, ingest), "ingest");
}

void RawTable::BatchLoad(const std::vector<RowValue>& rows, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  rocksdb::WriteBatch batch;
  std::string key;
  std::string stored;
  for (const RowValue& row : rows) {
    MakeKey(row.row, &key);
    MakeValue(row.value, &stored);
    DieIfRocks(batch.Put(key, stored), "put");
    if (batch.Count() == 1000) {
      DieIfRocks(db_->Write(options, &batch), "write");
      batch.Clear();
    }
  }
  DieIfRocks(db_->Write(options, &batch), "write");
}

void RawTable::Settle() {
  DieIfRocks(db_->Flush(rocksdb::FlushOptions()), "flush");
  uint64_t pending = 1;
  while (pending != 0) {
    uint64_t running = 0;
    db_->GetIntProperty("rocksdb.num-running-compactions", &running);
    db_->GetIntProperty("rocksdb.compaction-pending", &pending);
    pending += running;
    if (pending != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

void RawTable::CompactAll() {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  DieIfRocks(db_->CompactRange(options, nullptr, nullptr), "compact");
}

void RawTable::GetRow(const std::string& row, Outcome* outcome) {
  std::string start = row + std::string("\0\1", 2);
  std::string end = row + std::string("\0\2", 2);
  rocksdb::Slice bound(end);
  rocksdb::ReadOptions options;
  options.prefix_same_as_start = true;
  options.iterate_upper_bound = &bound;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(options));
  for (it->Seek(start); it->Valid(); it->Next()) {
    outcome->Add(RowOf(it->key()), ValueOf(it->value()));
  }
}

void RawTable::ShortScan(const std::string& row, int limit, Outcome* outcome) {
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->Seek(row); it->Valid() && limit > 0; it->Next(), --limit) {
    outcome->Add(RowOf(it->key()), ValueOf(it->value()));
  }
}

Outcome RawTable::FullScan(std::string_view start, std::string_view stop) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->Seek({start.data(), start.size()}); it->Valid(); it->Next()) {
    std::string_view row = RowOf(it->key());
    if (!stop.empty() && row >= stop) {
      break;
    }
    outcome.Add(row, ValueOf(it->value()));
  }
  return outcome;
}

Outcome RawTable::FullScanOnTwoThreads(const std::string& middle) {
  return OnTwoThreads([&] { return FullScan({}, middle); }, [&] { return FullScan(middle, {}); });
}

Outcome RawTable::ScanQualifierPrefix(std::string_view prefix) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (std::string_view(it->key().data(), it->key().size()).substr(kRowPartBytes).starts_with(prefix)) {
      outcome.Add(RowOf(it->key()), ValueOf(it->value()));
    }
  }
  return outcome;
}

Outcome RawTable::FirstRows(int64_t limit) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->SeekToFirst(); it->Valid() && outcome.rows < limit; it->Next()) {
    outcome.Add(RowOf(it->key()), ValueOf(it->value()));
  }
  return outcome;
}

Outcome RawTable::ScanValue(std::string_view value) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (ValueOf(it->value()) == value) {
      outcome.Add(RowOf(it->key()), ValueOf(it->value()));
    }
  }
  return outcome;
}

Outcome RawTable::DateBySkipping(const std::string& date, std::string_view start, std::string_view stop) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  std::string target(kUserBytes + kDateBytes, '\0');
  it->Seek({start.data(), start.size()});
  while (it->Valid()) {
    std::string_view row = RowOf(it->key());
    if (!stop.empty() && row >= stop) {
      break;
    }
    int order = row.substr(kUserBytes, kDateBytes).compare(date);
    if (order == 0) {
      outcome.Add(row, ValueOf(it->value()));
      it->Next();
    } else if (order < 0) {
      target.assign(row.substr(0, kUserBytes)).append(date);
      it->Seek(target);
    } else {
      target.assign(row.substr(0, kUserBytes));
      ++target.back();  // users end below FF
      it->Seek(target);
    }
  }
  return outcome;
}

Outcome RawTable::DateBySkippingOnTwoThreads(const std::string& date, const std::string& middle) {
  return OnTwoThreads([&] { return DateBySkipping(date, {}, middle); },
                      [&] { return DateBySkipping(date, middle, {}); });
}

Outcome RawTable::DateOfUsers(const std::string& date, const std::vector<std::string>& users) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  std::string prefix;
  for (const std::string& user : users) {
    prefix.assign(user).append(date);
    for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next()) {
      outcome.Add(RowOf(it->key()), ValueOf(it->value()));
    }
  }
  return outcome;
}

Outcome RawTable::DateByWalking(const std::string& date) {
  Outcome outcome;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(ScanOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::string_view row = RowOf(it->key());
    if (row.substr(kUserBytes, kDateBytes) == date) {
      outcome.Add(row, ValueOf(it->value()));
    }
  }
  return outcome;
}

int64_t RawTable::BytesOnDisk() {
  uint64_t bytes = 0;
  db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes);
  return static_cast<int64_t>(bytes);
}

}  // namespace klip::bench
