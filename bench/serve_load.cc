// klip_serve_load: loads a server by klip's own client, in a separate process and without a JVM, so that the server can
// be measured and profiled alone. The rows are those of compat/bench: 10 bytes of user, 8 of date, 20 of domain.
//
//   klip_serve_load URI PID [--threads N] [--seconds N] [--users N] [--peer URI] case ...
//
// Cases: fill (creates the tables again), get, async-get (1000 at a time), multi-get, put, check, batch (of 1000 puts),
// scan, value (a filter over all), date (of all users, by a FuzzyRowFilter), day (the same by the planner), days (a
// week), cities (creates two tables of people, one with an index on their city), person and indexed-person (puts of one new
// row), peak (memory of this process so far); peer-on, peer-off, peer-none (from then on, writes are replicated to the
// server at --peer, kept for it, or neither); - reads names of cases from standard input. Prints operations per second,
// and the CPU time of both processes per operation. PID is the server's.
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <thread>

#include <unistd.h>

#include "harness.h"
#include "klip/async_table.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "klip/filter.h"
#include "klip/index.h"

namespace klip::bench {
namespace {

constexpr int kDays = 90;
constexpr int kDomains = 10;
constexpr int kSmallRows = 10'000;
constexpr std::string_view kYear = "bench_year";
constexpr std::string_view kSmall = "bench_small";
constexpr std::string_view kPeople = "bench_people";
constexpr std::string_view kIndexed = "bench_people_by_city";
constexpr std::string_view kBatch = "bench_batch";  // apart, so that batches slow no scan of the others

struct Load {
  std::string uri;
  std::string process;
  int threads = 1;
  int seconds = 2;
  int users = 300;
  std::string peer;
};

void SetDigits(int value, size_t begin, size_t end, std::string* row) {
  while (end > begin) {
    (*row)[--end] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

// Without printf, which would be a third of what a batch costs; the Java side does the same.
std::string YearRow(int user, int day, int domain) {
  std::string row = "user00000020140101domain0.com*********";
  SetDigits(user, 4, 10, &row);
  SetDigits(20140101 + day / 30 * 100 + day % 30, 10, 18, &row);
  SetDigits(domain, 24, 25, &row);
  return row;
}

// In microseconds.
double CpuOf(const std::string& process) {
  std::ifstream in("/proc/" + process + "/stat");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  int64_t user = 0;
  int64_t system = 0;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos ||
      std::sscanf(text.c_str() + name_end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) !=
          2) {
    Die("no process " + process);
  }
  return static_cast<double>(user + system) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

class Worker {
 public:
  Worker(Connection* connection, const Load& load, int seed)
      : year_(ValueOrDie(connection->GetTable(kYear), "table")),
        small_(ValueOrDie(connection->GetTable(kSmall), "table")),
        batch_(ValueOrDie(connection->GetTable(kBatch), "table")),
        async_year_(ValueOrDie(connection->GetTable(kYear), "table")),
        load_(load),
        random_(static_cast<uint32_t>(seed)),
        connection_(connection) {}

  // Each returns how many units it did.
  int64_t Get() {
    if (!ValueOrDie(year_->Get({.row = AnyRow()}), "get").exists()) {
      Die("a row is missing");
    }
    return 1;
  }

  int64_t AsyncGet() {
    constexpr int kGets = 1000;
    for (int i = 0; i < kGets; ++i) {
      async_year_.Get(klip::Get{.row = AnyRow()}, [](Expected<Result> row) {
        if (!ValueOrDie(std::move(row), "get").exists()) {
          Die("a row is missing");
        }
      });
    }
    async_year_.Wait();
    return kGets;
  }

  int64_t MultiGet() {
    std::vector<klip::Get> gets(100);
    for (klip::Get& get : gets) {
      get.row = AnyRow();
    }
    return static_cast<int64_t>(ValueOrDie(year_->Get(gets), "multi-get").size());
  }

  int64_t Put() {
    DieIfError(small_->Put(SmallPut()), "put");
    return 1;
  }

  int64_t Batch() {
    std::vector<klip::Put> puts(1000);
    for (klip::Put& put : puts) {
      put = klip::Put{.row = AnyRow()};
      put.Add("d", "visits", "3");
    }
    DieIfError(batch_->Put(puts), "batch");
    return static_cast<int64_t>(puts.size());
  }

  int64_t Person() { return PutPerson(kPeople); }
  int64_t IndexedPerson() { return PutPerson(kIndexed); }

  int64_t Check() {
    klip::Put put = SmallPut();
    klip::CheckAndMutate check = {.row = put.row, .condition = RowCondition::IfNotExists("d", "n"), .action = put};
    ValueOrDie(small_->CheckAndMutate(check), "check");
    return 1;
  }

  int64_t Scan() { return Count({}); }

  int64_t Value() {
    Count(Filtered("SingleColumnValueFilter('d', 'visits', =, 'binary:3')"));
    return int64_t{load_.users} * kDays * kDomains;
  }

  int64_t Date() {
    const std::string row = YearRow(0, kDays / 2, 0).substr(0, 18);
    klip::Scan scan;
    scan.filter = ValueOrDie(FuzzyRowFilter({{row, std::string(10, '\1') + std::string(8, '\0')}}), "filter");
    Count(scan);
    return 1;
  }

  int64_t Day() { return Where("day=20140215"); }
  int64_t Days() { return Where("day=20140212..20140218"); }

 private:
  int64_t Where(std::string_view query) {
    klip::Scan scan;
    scan.where = ValueOrDie(year_->row_key_schema()->ParseQuery(query), "query");
    if (Count(scan) == 0) {
      Die("no rows");
    }
    return 1;
  }

  int Below(int end) { return static_cast<int>(random_() % static_cast<uint32_t>(end)); }
  std::string AnyRow() { return YearRow(Below(load_.users), Below(kDays), Below(kDomains)); }

  int64_t PutPerson(std::string_view name) {
    if (people_ == nullptr) {
      people_ = ValueOrDie(connection_->GetTable(name), "table");
    }
    klip::Put put = {.row = BigEndian(static_cast<uint32_t>(random_())) + std::to_string(++people_put_)};
    put.Add("d", "city", "city" + std::to_string(Below(10'000))).Add("d", "name", "name" + std::to_string(people_put_));
    DieIfError(people_->Put(put), "put");
    return 1;
  }

  klip::Put SmallPut() {
    std::array<char, 16> row = {};
    std::snprintf(row.data(), row.size(), "row%05d", Below(kSmallRows));
    klip::Put put = {.row = row.data()};
    put.Add("d", "visits", std::string(100, '\0'));
    return put;
  }

  static klip::Scan Filtered(std::string_view text) {
    klip::Scan scan;
    scan.filter = ValueOrDie(ParseFilter(text), "filter");
    return scan;
  }

  int64_t Count(const klip::Scan& scan) {
    const std::unique_ptr<ResultScanner> rows = ValueOrDie(year_->Scan(scan), "scan");
    Result result;
    int64_t count = 0;
    while (ValueOrDie(rows->Next(&result), "scan")) {
      ++count;
    }
    return count;
  }

  const std::unique_ptr<Table> year_;
  const std::unique_ptr<Table> small_;
  const std::unique_ptr<Table> batch_;
  AsyncTable async_year_;
  const Load& load_;
  std::minstd_rand random_;
  Connection* const connection_;
  std::unique_ptr<Table> people_;  // null: not asked for
  int64_t people_put_ = 0;
};

void DropTable(Admin* admin, std::string_view name) {
  if (ValueOrDie(admin->TableExists(name), "exists")) {
    DieIfError(admin->DisableTable(name), "disable");
    DieIfError(admin->DeleteTable(name), "delete");
  }
}

// klip serve keeps the index; HBase ignores its declaration.
void MakeCities(Connection* connection) {
  Admin& admin = connection->admin();
  for (const std::string_view name : {kPeople, kIndexed}) {
    DropTable(&admin, name);
    TableDescriptor descriptor = {.name = std::string(name), .families = {{.name = "d"}}};
    if (name == kIndexed) {
      descriptor.attributes[std::string(IndexDescriptor::kTableAttribute) + "by_city"] =
          "d:city text INCLUDE d:city, d:name";
    }
    DieIfError(admin.CreateTable(descriptor), "create");
  }
}

void MakeTables(Connection* connection) {
  Admin& admin = connection->admin();
  for (const std::string_view name : {kYear, kSmall, kBatch}) {
    DropTable(&admin, name);
    TableDescriptor descriptor = {.name = std::string(name), .families = {{.name = "d", .replication_scope = 1}}};
    if (name == kYear) {
      descriptor.attributes["KLIP_ROW_KEY"] = "user:text(10) day:digits(8) domain:text(20,'*')";
    }
    DieIfError(admin.CreateTable(descriptor), "create");
  }
}

void Fill(Connection* connection, const Load& load) {
  MakeTables(connection);
  const std::unique_ptr<Table> table = ValueOrDie(connection->GetTable(kYear), "table");
  std::vector<Put> puts;
  for (int user = 0; user < load.users; ++user) {
    for (int day = 0; day < kDays; ++day) {
      for (int domain = 0; domain < kDomains; ++domain) {
        puts.emplace_back(Put{.row = YearRow(user, day, domain)}).Add("d", "visits", std::to_string(domain));
      }
    }
    DieIfError(table->Put(puts), "fill");
    puts.clear();
  }
  DieIfError(connection->admin().Flush(kYear), "flush");
  DieIfError(connection->admin().MajorCompact(kYear), "compact");
}

void SetPeer(Connection* connection, const Load& load, bool wanted, bool enabled) {
  constexpr std::string_view kPeer = "bench";
  Admin& admin = connection->admin();
  for (const ReplicationPeer& peer : ValueOrDie(admin.replication().ListReplicationPeers(), "peers")) {
    DieIfError(admin.replication().RemoveReplicationPeer(peer.id), "remove peer");
  }
  if (wanted) {
    MakeTables(ValueOrDie(Connection::Open(load.peer), "open the peer").get());
    DieIfError(admin.replication().AddReplicationPeer(kPeer, {.cluster_key = load.peer}, enabled), "add peer");
  }
}

using Work = int64_t (Worker::*)();
const std::map<std::string, Work, std::less<>> kCases = {
    {"get", &Worker::Get},
    {"async-get", &Worker::AsyncGet},
    {"multi-get", &Worker::MultiGet},
    {"put", &Worker::Put},
    {"batch", &Worker::Batch},
    {"check", &Worker::Check},
    {"scan", &Worker::Scan},
    {"value", &Worker::Value},
    {"date", &Worker::Date},
    {"day", &Worker::Day},
    {"days", &Worker::Days},
    {"person", &Worker::Person},
    {"indexed-person", &Worker::IndexedPerson},
};

void PrintPeak() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (int64_t kilobytes = 0; std::sscanf(line.c_str(), "VmHWM: %ld kB", &kilobytes) == 1) {
      std::printf("peak %.1f MB\n", static_cast<double>(kilobytes) / 1024);
      std::fflush(stdout);
    }
  }
}

int64_t RunFor(std::vector<std::unique_ptr<Worker>>* workers, Work work, double ms) {
  const double end = WallMs() + ms;
  std::atomic<int64_t> units = 0;
  std::vector<std::thread> threads;
  for (std::unique_ptr<Worker>& worker : *workers) {
    threads.emplace_back([&units, &worker, work, end] {
      int64_t mine = 0;
      do {
        mine += ((*worker).*work)();
      } while (WallMs() < end);
      units += mine;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return units;
}

void Run(Connection* connection, const Load& load, const std::string& name) {
  if (name == "fill") {
    Fill(connection, load);
    return;
  }
  if (name == "cities") {
    MakeCities(connection);
    return;
  }
  if (name.starts_with("peer-")) {
    SetPeer(connection, load, name != "peer-none", name == "peer-on");
    return;
  }
  if (name == "peak") {
    PrintPeak();
    return;
  }
  const auto found = kCases.find(name);
  if (found == kCases.end()) {
    Die("no case " + name);
  }
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < load.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(connection, load, i + 1));
  }
  RunFor(&workers, found->second, 300);
  const double server = CpuOf(load.process);
  const double client = CpuMs();
  const double start = WallMs();
  const int64_t units = RunFor(&workers, found->second, load.seconds * 1000.0);
  const double wall = WallMs() - start;
  const auto each = static_cast<double>(units);
  std::printf("%-14s %2d threads  %12.1f a second  server %9.4f us  client %9.3f us\n", name.c_str(), load.threads,
              each / wall * 1000, (CpuOf(load.process) - server) / each, (CpuMs() - client) * 1000 / each);
  std::fflush(stdout);
}

int ToNumber(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    Die("not a number above 0: " + std::string(text));
  }
  return number;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    Die("usage: klip_serve_load URI PID [--threads N] [--seconds N] [--users N] [--peer URI] case ...");
  }
  Load load = {.uri = arguments[0], .process = arguments[1]};
  const std::map<std::string, int*, std::less<>> options = {
      {"--threads", &load.threads}, {"--seconds", &load.seconds}, {"--users", &load.users}};
  const std::unique_ptr<Connection> connection = ValueOrDie(Connection::Open(load.uri), "open");
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (arguments[i] == "-") {
      for (std::string name; std::getline(std::cin, name);) {
        Run(connection.get(), load, name);
      }
    } else if (arguments[i] == "--peer" && i + 1 < arguments.size()) {
      load.peer = arguments[++i];
    } else if (const auto option = options.find(arguments[i]); option == options.end()) {
      Run(connection.get(), load, arguments[i]);
    } else if (++i < arguments.size()) {
      *option->second = ToNumber(arguments[i]);
    }
  }
  return 0;
}

}  // namespace
}  // namespace klip::bench

int main(int count, char** arguments) { return klip::bench::Main({arguments + 1, arguments + count}); }
