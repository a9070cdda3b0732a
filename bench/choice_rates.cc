// What the choice of a plan costs, and whether it pays: scans as they choose between the table and three indexes themselves, and by each
// plan that they can have. Usage: klip_choice_rates DIRECTORY [ROWS], 100,000 by default; the table is created once. Prints for each
// query its rows, and the third fastest of nine runs: as it chooses itself, and by the best plan. A run opens the scan and reads all of it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "klip/connection.h"
#include "klip/index.h"

namespace {

using namespace klip;  // NOLINT(google-build-using-namespace)

constexpr const char* kKeys = "user:u32 day:date seq:u32";
constexpr const char* kQueries[] = {"d:n=77",
                                    "d:city=c5",
                                    "d:city=c5 d:kind=k1",
                                    "d:kind=k1",
                                    "day=20140105 d:city=c5",
                                    "user=1 d:city=c5",
                                    "user=3 d:kind=k2",
                                    "user=3..5 d:city=c9",
                                    "day=20140105 d:kind=k2",
                                    "user=7 day=20140105 d:kind=k1",
                                    "d:n=1..9",
                                    "user=2 d:n=1..300"};

// Half of the rows are of user 1, a sixth of user 2, and so on. `city` has 200 values, `kind` 5, and `n` 20,000.
Status Fill(Connection* connection, int rows) {
  TableDescriptor descriptor;
  descriptor.name = "t";
  descriptor.families.push_back({.name = "d"});
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = kKeys;
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(descriptor));
  KLIP_ASSIGN_OR_RETURN(const auto table, connection->GetTable("t"));
  KLIP_ASSIGN_OR_RETURN(const RowKeySchema keys, RowKeySchema::Parse(kKeys));
  std::mt19937 random(7);
  const auto pick = [&](unsigned count) { return std::to_string(random() % count); };
  std::vector<Put> puts;
  for (int i = 0; i < rows; ++i) {
    const double share = std::max(1e-6, static_cast<double>(random()) / 0x1p32);
    const std::string day = std::to_string(20140100 + 100 * (random() % 12) + 1 + random() % 28);
    const std::vector<std::string> values = {std::to_string(static_cast<int>(1 / share)), day, std::to_string(i)};
    KLIP_ASSIGN_OR_RETURN(const std::string row, keys.Encode(values));
    puts.push_back(
        Put{.row = row}.Add("d", "city", "c" + pick(200)).Add("d", "kind", "k" + pick(5)).Add("d", "n", pick(20'000)));
  }
  KLIP_RETURN_IF_ERROR(table->Put(puts));
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  for (const std::string column : {"city", "kind", "n"}) {
    KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse("by_" + column, "d:" + column + " text"));
    KLIP_RETURN_IF_ERROR(indexes->CreateIndex("t", index));
  }
  return connection->admin().Flush("t");
}

// In microseconds.
Expected<double> TimeOf(Table* table, const klip::Scan& scan, int* rows) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int run = 0; run < 9; ++run) {
    const Clock::time_point begin = Clock::now();
    KLIP_ASSIGN_OR_RETURN(const auto scanner, table->Scan(scan));
    Result row;
    *rows = 0;
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    while (more) {
      ++*rows;
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    }
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

Status Compare(Table* table, const char* query) {
  klip::Scan scan;
  KLIP_ASSIGN_OR_RETURN(scan.where, table->ParseQuery(query));
  int rows = 0;
  KLIP_ASSIGN_OR_RETURN(const double chosen, TimeOf(table, scan, &rows));
  KLIP_ASSIGN_OR_RETURN(const Explain explain, table->Explain(scan));
  double best = std::numeric_limits<double>::max();
  std::string best_plan;
  for (const Explain::Candidate& candidate : explain.candidates) {
    if (candidate.cost.time_us > 0) {  // otherwise it is not possible
      scan.plan = candidate.Name();
      KLIP_ASSIGN_OR_RETURN(const double time, TimeOf(table, scan, &rows));
      if (time < best) {
        best = time;
        best_plan = scan.plan;
      }
    }
  }
  std::printf("%-30s %6d rows: %8.0f us by %-14s best %8.0f us by %-14s %5.2f x\n", query, rows, chosen,
              explain.candidates.front().Name().c_str(), best, best_plan.c_str(), chosen / best);
  return {};
}

Status Run(const std::string& directory, int rows) {
  KLIP_ASSIGN_OR_RETURN(const auto connection, Connection::Open("klip:" + directory));
  KLIP_ASSIGN_OR_RETURN(const bool filled, connection->admin().TableExists("t"));
  if (!filled) {
    KLIP_RETURN_IF_ERROR(Fill(connection.get(), rows));
  }
  KLIP_ASSIGN_OR_RETURN(const auto table, connection->GetTable("t"));
  for (const char* const query : kQueries) {
    KLIP_RETURN_IF_ERROR(Compare(table.get(), query));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 2 ? std::atoi(argv[2]) : 100'000;
  if (argc < 2 || rows <= 0) {
    std::fprintf(stderr, "usage: klip_choice_rates DIRECTORY [ROWS]\n");
    return 2;
  }
  if (const Status status = Run(argv[1], rows); !status.ok()) {
    std::fprintf(stderr, "klip_choice_rates: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
