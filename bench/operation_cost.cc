// klip_operation_cost: counts the instructions of each kind of operation on an embedded store. Counts of two commits are
// comparable even on a busy machine. Run it under callgrind, which counts inside Measure only:
//
//   valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='klip::bench::Measure*' klip_operation_cost DIR CASE
//
// prints "Collected: N". Divide N by the number of operations or rows that the program prints. DIR is emptied first.
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "klip/filter.h"
#include "klip/row_key.h"

namespace klip::bench {
namespace {

constexpr int kUsers = 100;
constexpr int kDays = 30;
constexpr int kDomains = 4;
constexpr int kRepeats = 200;

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "klip_operation_cost: %s\n", what.c_str());
  std::exit(1);
}

template <typename T>
T Must(Expected<T> value) {
  return value.ok() ? *std::move(value) : (Die(value.status().ToString()), *std::move(value));
}
void Must(const Status& status) {
  if (!status.ok()) {
    Die(status.ToString());
  }
}

std::string RowOf(int user, int day, int domain) {
  char row[64];
  std::snprintf(row, sizeof(row), "user%06d201401%02ddomain%d.com", user, day + 1, domain);
  return row;
}

Put PutOf(int number) {
  return Put{.row = RowOf(number % kUsers, number / kUsers % kDays, number % kDomains)}.Add("d", "visits", "12345678");
}

int64_t CountRows(Table* table, const Scan& scan) {
  const auto rows = Must(table->Scan(scan));
  Result row;
  int64_t count = 0;
  while (Must(rows->Next(&row))) {
    ++count;
  }
  return count;
}

using Case = std::function<int64_t(Table*)>;

const std::map<std::string, Case>& Cases() {
  static const std::map<std::string, Case> cases = {
      {"put",
       [](Table* table) {
         for (int i = 0; i < kRepeats; ++i) {
           Must(table->Put(PutOf(i)));
         }
         return int64_t{kRepeats};
       }},
      {"batch",
       [](Table* table) {
         std::vector<Put> puts;
         for (int i = 0; i < 10 * kRepeats; ++i) {
           puts.push_back(PutOf(i));
         }
         Must(table->Put(puts));
         return int64_t{10 * kRepeats};
       }},
      {"check",
       [](Table* table) {
         for (int i = 0; i < kRepeats; ++i) {
           Put put = PutOf(i);
           const std::string row = put.row;
           Must(table->CheckAndMutate({row, RowCondition::IfEquals("d", "visits", "12345678"), std::move(put)}));
         }
         return int64_t{kRepeats};
       }},
      {"get",
       [](Table* table) {
         for (int i = 0; i < kRepeats; ++i) {
           Must(table->Get(Get{.row = PutOf(i).row}));
         }
         return int64_t{kRepeats};
       }},
      {"multi-get",
       [](Table* table) {
         std::vector<Get> gets;
         for (int i = 0; i < 10 * kRepeats; ++i) {
           gets.push_back(Get{.row = PutOf(i).row});
         }
         return static_cast<int64_t>(Must(table->Get(gets)).size());
       }},
      {"scan", [](Table* table) { return CountRows(table, {}); }},
      {"reversed", [](Table* table) { return CountRows(table, {.reversed = true}); }},
      {"batches",
       [](Table* table) {
         const auto rows = Must(table->ScanBatches({}, {{"d", "visits"}}));
         int64_t count = 0;
         while (const RowBatch* const batch = Must(rows->Next())) {
           count += static_cast<int64_t>(batch->rows());
         }
         return count;
       }},
      // By reading: statistics do not know the rows from a given one on.
      {"count", [](Table* table) { return Must(table->CountRows({.start_row = "user"})); }},
      {"page", [](Table* table) { return CountRows(table, {.filter = Must(PageFilter(1'000'000))}); }},
      {"date",
       [](Table* table) {
         Scan scan;
         scan.where = Must(table->row_key_schema()->ParseQuery("date=20140107"));
         int64_t rows = 0;
         for (int i = 0; i < 20; ++i) {
           rows += CountRows(table, scan);
         }
         return rows;
       }},
      {"fuzzy",
       [](Table* table) {
         const std::string mask = std::string(4, '\0') + std::string(6, '\1') + std::string(8, '\0');
         const Scan scan{.filter = Must(FuzzyRowFilter({{"user______20140107", mask}}))};
         int64_t rows = 0;
         for (int i = 0; i < 20; ++i) {
           rows += CountRows(table, scan);
         }
         return rows;
       }},
  };
  return cases;
}

}  // namespace

// Under this name callgrind counts.
[[gnu::noinline]] int64_t Measure(const std::function<int64_t(Table*)>& one, Table* table) { return one(table); }

int Run(const std::string& directory, const std::string& name) {
  const auto found = Cases().find(name);
  if (found == Cases().end()) {
    Die("no case '" + name + "'");
  }
  std::filesystem::remove_all(directory);
  ConnectionOptions options;
  options.create_if_missing = true;
  options.sync_wal = false;
  const auto connection = Must(Connection::Open("klip:" + directory, options));
  TableDescriptor descriptor = {.name = "visits", .families = {{.name = "d"}}};
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text(10) date:digits(8) domain:text(11)";
  Must(connection->admin().CreateTable(descriptor));
  const auto table = Must(connection->GetTable("visits"));
  std::vector<Put> puts;
  for (int user = 0; user < kUsers; ++user) {
    for (int day = 0; day < kDays; ++day) {
      for (int domain = 0; domain < kDomains; ++domain) {
        puts.push_back(Put{.row = RowOf(user, day, domain)}.Add("d", "visits", "12345678"));
      }
    }
  }
  Must(table->Put(puts));
  Must(connection->admin().Flush("visits"));
  found->second(table.get());  // caches and statistics are there, as in a store that has run for a while
  const int64_t count = Measure(found->second, table.get());
  std::printf("%ld\n", static_cast<long>(count));
  return 0;
}

}  // namespace klip::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "klip_operation_cost DIR CASE\n");
    return 2;
  }
  return klip::bench::Run(argv[1], argv[2]);
}
