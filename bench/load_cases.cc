// Loading: batches of puts against WriteBatch, and sorted files against SstFileWriter. Every run has its own directory.

#include <algorithm>
#include <filesystem>

#include "cases.h"

namespace klip::bench {

namespace {

class FreshDirectory {
 public:
  explicit FreshDirectory(std::string path) : path_(std::move(path)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~FreshDirectory() { std::filesystem::remove_all(path_); }
  FreshDirectory(const FreshDirectory&) = delete;
  FreshDirectory& operator=(const FreshDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Outcome Loaded(size_t rows) { return {.rows = static_cast<int64_t>(rows)}; }

Side KlipBatch(const BenchSettings& settings, const std::vector<RowValue>& rows, bool sync) {
  return {"Table::Put of 1000", [&settings, &rows, sync] {
            FreshDirectory directory(settings.directory + "/load-klip");
            KlipTable table(directory.path(), {.compression = settings.compression}, sync);
            table.BatchLoad(rows);
            table.Settle();
            return Loaded(rows.size());
          }};
}

Side RawBatch(const BenchSettings& settings, const std::vector<RowValue>& rows, bool sync) {
  return {"WriteBatch of 1000", [&settings, &rows, sync] {
            FreshDirectory directory(settings.directory + "/load-raw");
            RawTable table(directory.path(), {.compression = settings.compression});
            table.BatchLoad(rows, sync);
            table.Settle();
            return Loaded(rows.size());
          }};
}

RowSource FromVector(const std::vector<RowValue>& rows) {
  return [&rows, next = size_t{0}](std::string* row, std::string* value) mutable {
    if (next == rows.size()) {
      return false;
    }
    *row = rows[next].row;
    *value = rows[next++].value;
    return true;
  };
}

}  // namespace

void RunLoadCases(const BenchSettings& settings, Report* report) {
  report->Heading("Loading");
  std::vector<RowValue> rows = RowsInTimeOrder(settings.size, static_cast<size_t>(settings.load_rows));
  auto count = static_cast<int64_t>(rows.size());
  report->Note(std::to_string(count) +
               " rows, one writer; batches in time order, with flush and compactions to the end; "
               "files in key order.");
  int rounds = count > 3'000'000 ? 1 : 3;
  auto batch =
      RunAlternately("batch load", {KlipBatch(settings, rows, false), RawBatch(settings, rows, false)}, rounds, false);
  report->Cpu("batch load, WAL without fsync", batch[0], batch[1], 1.5, count);
  report->Wall("batch load, WAL without fsync", batch[0], batch[1], 0);

  std::vector<RowValue> few(rows.begin(), rows.begin() + std::min<int64_t>(count, 200'000));
  auto synced = RunAlternately("batch load", {KlipBatch(settings, few, true), RawBatch(settings, few, true)}, 3, false);
  report->Cpu("batch load, one fsync a batch", synced[0], synced[1], 0, static_cast<int64_t>(few.size()));
  report->Wall("batch load, one fsync a batch", synced[0], synced[1], 0);

  std::sort(rows.begin(), rows.end(), [](const RowValue& a, const RowValue& b) { return a.row < b.row; });
  Side klip_bulk = {"BulkLoader", [&] {
                      FreshDirectory directory(settings.directory + "/load-klip");
                      KlipTable table(directory.path(), {.compression = settings.compression});
                      table.BulkLoad(FromVector(rows));
                      return Loaded(rows.size());
                    }};
  Side raw_bulk = {"SstFileWriter", [&] {
                     FreshDirectory directory(settings.directory + "/load-raw");
                     RawTable table(directory.path(), {.compression = settings.compression});
                     table.BulkLoad(FromVector(rows));
                     return Loaded(rows.size());
                   }};
  auto bulk = RunAlternately("bulk ingest", {klip_bulk, raw_bulk}, 3, false);
  report->Cpu("bulk ingest", bulk[0], bulk[1], 0, count);
  report->Wall("bulk ingest", bulk[0], bulk[1], 0);
  double speedup = batch[0].cpu_ms / bulk[0].cpu_ms;
  report->Cpu("batch load over bulk ingest", batch[0], bulk[0], 0, count);
  report->Wall("batch load over bulk ingest", batch[0], bulk[0], 0);
  report->Add({"bulk ingest against batch load, klip", "CPU, times faster", "", "", speedup, ">= 8", speedup >= 8});
}

}  // namespace klip::bench
