// Thrift1Handler: scanning.
#include "base/read_memory.h"
#include "klip/filter.h"
#include "thrift/attributes.h"
#include "thrift/thrift1_convert.h"
#include "thrift/thrift1_handler.h"

namespace klip::thrift {
namespace {

// An answer of this size ends early; clients continue until they get an empty one.
constexpr size_t kMaxAnswerBytes = 64 << 20;

// HBase's answer to an unknown or closed scanner.
[[noreturn]] void ThrowUnknownScanner() {
  thrift1::IllegalArgument error;
  error.__set_message("scanner ID is invalid");
  throw error;
}

// HBase interprets equal rows as that single row, not as an empty range.
void SetRange(const std::string& start, const std::string& stop, Scan* scan) {
  scan->start_row = start;
  scan->stop_row = stop;
  scan->include_stop = !start.empty() && start == stop;
}

size_t BytesOf(const Result& result) {
  size_t bytes = 0;
  for (const Cell& cell : result) {
    bytes += cell.family.size() + cell.qualifier.size() + cell.value.size();
  }
  return bytes;
}

}  // namespace

int32_t Thrift1Handler::scannerOpenWithScan(Text table, const thrift1::TScan& from, Attributes attributes) {
  Scan scan{.columns = ParseColumns(from.columns), .attributes = OthersFrom(attributes)};
  SetRange(from.startRow, from.stopRow, &scan);
  if (from.__isset.timestamp) {
    scan.time_range = {0, from.timestamp};
  }
  if (from.__isset.batchSize) {
    scan.batch = from.batchSize;
  }
  if (from.__isset.filterString) {
    scan.filter = Check(ParseFilter(from.filterString));
  }
  if (from.__isset.reversed) {
    scan.reversed = from.reversed;
  }
  if (from.__isset.cacheBlocks) {
    scan.cache_blocks = from.cacheBlocks;
  }
  return Check(Open(scanners_, connection_, table, scan, from.sortColumns));
}

int32_t Thrift1Handler::scannerOpen(Text table, Text start_row, Texts columns, Attributes attributes) {
  return scannerOpenWithStopTs(table, start_row, "", columns, kLatestTimestamp, attributes);
}

int32_t Thrift1Handler::scannerOpenWithStop(Text table, Text start_row, Text stop_row, Texts columns,
                                            Attributes attributes) {
  return scannerOpenWithStopTs(table, start_row, stop_row, columns, kLatestTimestamp, attributes);
}

int32_t Thrift1Handler::scannerOpenWithPrefix(Text table, Text prefix, Texts columns, Attributes attributes) {
  Scan scan = Scan::Prefix(prefix);
  scan.attributes = OthersFrom(attributes);
  scan.columns = ParseColumns(columns);
  return Check(Open(scanners_, connection_, table, scan, /*sort_columns=*/false));
}

int32_t Thrift1Handler::scannerOpenTs(Text table, Text start_row, Texts columns, int64_t timestamp_ms,
                                      Attributes attributes) {
  return scannerOpenWithStopTs(table, start_row, "", columns, timestamp_ms, attributes);
}

int32_t Thrift1Handler::scannerOpenWithStopTs(Text table, Text start_row, Text stop_row, Texts columns,
                                              int64_t timestamp_ms, Attributes attributes) {
  Scan scan{.columns = ParseColumns(columns), .time_range = {0, timestamp_ms}, .attributes = OthersFrom(attributes)};
  SetRange(start_row, stop_row, &scan);
  return Check(Open(scanners_, connection_, table, scan, /*sort_columns=*/false));
}

void Thrift1Handler::scannerGet(Rows& rows, int32_t id) { scannerGetList(rows, id, 1); }

void Thrift1Handler::scannerGetList(Rows& rows, int32_t id, int32_t count) {
  std::shared_ptr<OpenScanner> scanner = scanners_->Find(id);
  if (scanner == nullptr) {
    ThrowUnknownScanner();
  }
  std::lock_guard lock(scanner->mutex);
  Result result;
  size_t bytes = 0;
  for (int32_t i = 0; i < count && bytes < kMaxAnswerBytes; ++i) {
    if (!CheckArguments(scanner->rows->Next(&result))) {
      return;
    }
    bytes += BytesOf(result);
    Check(base::HoldAnswer(bytes));
    AppendRow(result, scanner->sort_columns, &rows);
  }
}

void Thrift1Handler::scannerClose(int32_t id) {
  if (!scanners_->Close(id)) {
    ThrowUnknownScanner();
  }
}

}  // namespace klip::thrift
