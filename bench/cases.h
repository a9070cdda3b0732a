// The cases of klip_bench. Each prints its lines into the report.
#pragma once

#include <memory>
#include <string>

#include "harness.h"
#include "klip_table.h"
#include "raw_table.h"
#include "year_rows.h"

namespace klip::bench {

struct BenchSettings {
  YearSize size;
  std::string directory;  // data sets are kept in it and used again
  std::string compression = "LZ4";
  int rounds = 7;
  int64_t load_rows = 1'000'000;
  int64_t dense_rows = 1'000'000;
  std::string postgres;  // connection text; empty: leave PostgreSQL out
};

// Both sides with the same rows, loaded in bulk.
struct Pair {
  std::unique_ptr<KlipTable> klip;
  std::unique_ptr<RawTable> raw;
};
// Opens the data set; creates it if it does not exist.
Pair OpenYear(const BenchSettings& settings, const YearSize& size, const std::string& compression);
std::string KlipDirectory(const BenchSettings& settings, const YearSize& size, const std::string& compression);
// Opens the pair of this name; fills it from `source` if it does not exist.
Pair OpenPair(const BenchSettings& settings, const std::string& name, const std::string& compression,
              const std::function<RowSource()>& source);

void RunLoadCases(const BenchSettings& settings, Report* report);
void RunReadCases(const BenchSettings& settings, Report* report);
void RunHeadlineCases(const BenchSettings& settings, Report* report);
void RunWorstCases(const BenchSettings& settings, Report* report);
void RunFootprintCases(const BenchSettings& settings, Report* report);
void RunIndexCases(const BenchSettings& settings, Report* report);

// Opens one store, for the footprint case: a fresh process prints its memory and time.
int OpenAndPrint(const std::string& directory, const std::string& date);

// The same headline query in other databases.
#ifdef KLIP_BENCH_SQLITE
class SqlitePeer {
 public:
  // Loads the table when the file is new, and runs ANALYZE.
  SqlitePeer(const std::string& file, const YearSize& size);
  ~SqlitePeer();
  Outcome Date(const std::string& date);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};
#endif
#ifdef KLIP_BENCH_POSTGRES
class PostgresPeer {
 public:
  // Loads the table with a second index (date, username, domain) include (visits) if it does not exist.
  PostgresPeer(const std::string& connection, const YearSize& size);
  ~PostgresPeer();
  // CPU of the server process counts too.
  Outcome Date(const std::string& date);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};
#endif

}  // namespace klip::bench
