// Compares scans as columns with scans as rows: CPU time of one thread, alternating. The rows have a text, a date and a
// number in the key, and two cells. Usage: klip_arrow_rates DIRECTORY [ROWS [ROUNDS]]. The data stays there for the next
// run, and for arrow_rates.py.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "harness.h"
#include "klip/arrow.h"
#include "klip/bytes.h"
#include "klip/connection.h"

namespace klip::bench {
namespace {

// Of the day of 2014.
std::string DateText(int64_t day) {
  namespace chrono = std::chrono;
  const chrono::year_month_day date(chrono::sys_days(chrono::year(2014) / 1 / 1) + chrono::days(day));
  return std::to_string(static_cast<int>(date.year()) * 10000 +
                        static_cast<int>(static_cast<unsigned>(date.month())) * 100 +
                        static_cast<int>(static_cast<unsigned>(date.day())));
}

void Load(Connection* connection, int64_t rows) {
  TableDescriptor table = {.name = "visits", .families = {{.name = "d"}}};
  table.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text(10) day:date domain:u32";
  DieIfError(connection->admin().CreateTable(table), "creating the table");
  const RowKeySchema schema = *ValueOrDie(connection->GetTable("visits"), "opening the table")->row_key_schema();
  const std::unique_ptr<BulkLoader> loader = ValueOrDie(connection->NewBulkLoader("visits"), "a bulk load");
  constexpr int64_t kDomains = 30;
  constexpr int64_t kDays = 365;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t day = i / kDomains % kDays;
    const int64_t user = i / kDomains / kDays;
    Put put = {.row = ValueOrDie(
                   schema.Encode({"user" + std::to_string(10000 + user), DateText(day), std::to_string(i % kDomains)}),
                   "a key")};
    put.Add("d", "note", "note" + std::to_string(i % 100));
    put.Add("d", "visits", BigEndian<int64_t>(i % 1000));
    DieIfError(loader->Add(put), "loading");
  }
  DieIfError(loader->Finish(), "finishing the load");
}

double ScanMs(Table* table, const std::vector<ColumnSpec>& wanted, int64_t* rows) {
  const double start = CpuMs();
  const auto scanner = ValueOrDie(table->Scan({.columns = wanted}), "a scan");
  Result result;
  *rows = 0;
  while (ValueOrDie(scanner->Next(&result), "a row")) {
    ++*rows;
  }
  return CpuMs() - start;
}

double ArrowMs(Table* table, const ArrowOptions& options, int64_t* rows) {
  const double start = CpuMs();
  ArrowArrayStream stream;
  DieIfError(ScanArrow(table, {}, options, &stream), "a stream");
  *rows = 0;
  while (true) {
    ArrowArray array;
    if (stream.get_next(&stream, &array) != 0) {
      std::cerr << stream.get_last_error(&stream) << '\n';
      std::exit(1);
    }
    if (array.release == nullptr) {
      break;
    }
    *rows += array.length;
    array.release(&array);
  }
  stream.release(&stream);
  return CpuMs() - start;
}

double MiddleOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Main(int argc, char** argv) {
  const std::string directory = argv[1];
  const int64_t wanted = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const bool fresh = !std::filesystem::exists(directory);
  const auto connection = ValueOrDie(
      Connection::Open("klip:" + directory, {.block_cache_bytes = int64_t{2} << 30, .sync_wal = false}), "opening");
  if (fresh) {
    Load(connection.get(), wanted);
  }
  const auto table = ValueOrDie(connection->GetTable("visits"), "opening the table");
  const ArrowOptions typed = {.columns = {{"d", "note", "text"}, {"d", "visits", "i64"}}};
  std::vector<double> scans;
  std::vector<double> named;
  std::vector<double> columns;
  int64_t rows = 0;
  for (int i = 0; i < rounds; ++i) {
    scans.push_back(ScanMs(table.get(), {}, &rows));
    named.push_back(ScanMs(table.get(), {{"d", "note"}, {"d", "visits"}}, &rows));
    columns.push_back(ArrowMs(table.get(), typed, &rows));
  }
  const double by_columns = MiddleOf(columns);
  std::cout << rows << " rows of two cells, ms of CPU: columns " << by_columns << "; scan of these two cells "
            << MiddleOf(named) << " (ratio " << by_columns / MiddleOf(named) << "); scan of all cells "
            << MiddleOf(scans) << " (ratio " << by_columns / MiddleOf(scans) << ")\n";
  return 0;
}

}  // namespace
}  // namespace klip::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: klip_arrow_rates DIRECTORY [ROWS [ROUNDS]]\n";
    return 2;
  }
  return klip::bench::Main(argc, argv);
}
