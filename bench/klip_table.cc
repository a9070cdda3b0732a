#include "klip_table.h"

#include <chrono>
#include <thread>

namespace klip::bench {

namespace {

constexpr std::string_view kTable = "visits";

TableDescriptor Descriptor(const StorageSettings& settings) {
  TableDescriptor descriptor;
  descriptor.name = kTable;
  descriptor.families.push_back(
      {.name = std::string(kFamily), .compression = settings.compression, .block_bytes = settings.block_bytes});
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = kSchema;
  return descriptor;
}

void FillPut(const std::string& row, const std::string& value, Put* put) {
  put->row = row;
  put->timestamp_ms = kTimestampMs;
  if (put->columns.empty()) {
    put->Add(std::string(kFamily), std::string(kQualifier), value);
  } else {
    put->columns[0].value = value;
  }
}

}  // namespace

KlipTable::KlipTable(const std::string& directory, const StorageSettings& settings, bool sync_wal) {
  ConnectionOptions options;
  options.block_cache_bytes = settings.cache_bytes;
  options.memtable_bytes = settings.memtable_bytes;
  options.sync_wal = sync_wal;
  connection_ = ValueOrDie(Connection::Open("klip:" + directory, options), "open");
  if (!ValueOrDie(connection_->admin().TableExists(kTable), "table")) {
    DieIfError(connection_->admin().CreateTable(Descriptor(settings)), "create");
  }
  table_ = ValueOrDie(connection_->GetTable(kTable), "table");
}

void KlipTable::BulkLoad(const RowSource& source) {
  std::unique_ptr<BulkLoader> loader = ValueOrDie(connection_->NewBulkLoader(kTable), "bulk");
  std::string row;
  std::string value;
  Put put;
  while (source(&row, &value)) {
    FillPut(row, value, &put);
    DieIfError(loader->Add(put), "bulk add");
  }
  DieIfError(loader->Finish(), "bulk finish");
}

void KlipTable::BatchLoad(const std::vector<RowValue>& rows) {
  std::vector<Put> puts(1000);
  size_t filled = 0;
  for (const RowValue& row : rows) {
    FillPut(row.row, row.value, &puts[filled]);
    if (++filled == puts.size()) {
      DieIfError(table_->Put(puts), "put");
      filled = 0;
    }
  }
  puts.resize(filled);
  DieIfError(table_->Put(puts), "put");
}

void KlipTable::Settle() {
  DieIfError(connection_->admin().Flush(kTable), "flush");
  // A compaction that is due starts within a moment of the flush.
  for (int quiet = 0; quiet < 5;) {
    quiet = Metrics().running_compactions == 0 ? quiet + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void KlipTable::GetRow(const std::string& row, Outcome* outcome) {
  Result result = ValueOrDie(table_->Get(klip::Get{.row = row}), "get");
  for (const Cell& cell : result) {
    outcome->Add(cell.row, cell.value);
  }
}

void KlipTable::ShortScan(const std::string& row, int limit, Outcome* outcome) {
  Outcome found = Run({.start_row = row, .limit_rows = limit});
  outcome->rows += found.rows;
  outcome->checksum += found.checksum;
}

Outcome KlipTable::Run(const Scan& scan) {
  Outcome outcome;
  std::unique_ptr<ResultScanner> scanner = ValueOrDie(table_->Scan(scan), "scan");
  Result result;
  while (ValueOrDie(scanner->Next(&result), "next")) {
    for (const Cell& cell : result) {
      outcome.Add(cell.row, cell.value);
    }
  }
  return outcome;
}

Outcome KlipTable::RunWhere(const std::string& where, int threads, std::string_view stop) {
  RowKeySchema schema = ValueOrDie(RowKeySchema::Parse(kSchema), "schema");
  KeyQuery query = ValueOrDie(schema.ParseQuery(where), "where");
  return Run({.stop_row = std::string(stop), .where = query, .threads = threads});
}

Outcome KlipTable::WalkForDate(const std::string& date) {
  Outcome outcome;
  std::unique_ptr<ResultScanner> scanner = ValueOrDie(table_->Scan(Scan{}), "scan");
  Result result;
  while (ValueOrDie(scanner->Next(&result), "next")) {
    if (result.row().substr(kUserBytes, kDateBytes) == date) {
      for (const Cell& cell : result) {
        outcome.Add(cell.row, cell.value);
      }
    }
  }
  return outcome;
}

std::string KlipTable::ExplainWhere(const std::string& where) {
  RowKeySchema schema = ValueOrDie(RowKeySchema::Parse(kSchema), "schema");
  Scan scan{.where = ValueOrDie(schema.ParseQuery(where), "where")};
  return ValueOrDie(table_->Explain(scan), "explain").ToText();
}

StoreMetrics KlipTable::Metrics() { return ValueOrDie(connection_->admin().Metrics(), "metrics"); }

}  // namespace klip::bench
