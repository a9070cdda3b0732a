// klip_fault_load URI [--no-counters]: loads a cluster during faults (compat/faults).
//
// Two threads write rows, one increments counters, and one reads acknowledged rows. Another one reads from replicas, once
// they exist. No operation may fail or exceed its timeout, and no increment may be lost or executed twice. Lines of
// standard input:
//
//   replicas            makes a second table, whose regions have two replicas, and waits until both have its rows; and until the
//                       replica of hbase:meta knows them
//   timeline WHAT       reads that table with Consistency::kTimeline while a server stands still: all rows, and some from a replica
//   new WHAT            reads a row of it with a new connection, which must find out where it is
//   split ROW, merge    splits the region that holds the row there, or merges the table's last two
//   progress WHAT       waits until every thread has done some more operations, begun from now on, and prints how long they took
//   end                 every acknowledged row must be there: exit code 1 when anything was wrong
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "klip/bytes.h"
#include "klip/connection.h"

namespace klip {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kOperationMs = 120'000;
constexpr int64_t kCallMs = 5'000;
constexpr int kMoreOperations = 30;
constexpr std::string_view kTable = "faults";
constexpr std::string_view kReplicated = "replicated";
constexpr const char* kMetaReplicas = "?meta-replicas=hedged-read";

int64_t MsSince(Clock::time_point start) { return (Clock::now() - start) / std::chrono::milliseconds(1); }

std::string RowOf(int writer, int64_t number) {
  // Spread over all regions: the last digit first.
  std::string digits = std::to_string(number);
  digits.insert(0, 9 - digits.size(), '0');
  return std::string(digits.rbegin(), digits.rend()) + "w" + std::to_string(writer);
}

class FaultLoad {
 public:
  FaultLoad(std::string uri, const ConnectionOptions& options, Connection* connection, std::unique_ptr<Table> table)
      : uri_(std::move(uri)), options_(options), connection_(connection), table_(std::move(table)) {}

  void Start(bool counters) {
    for (int i = 0; i < kWriters; ++i) {
      Run("put", [this, i] { return Write(i); });
    }
    if (counters) {
      Run("increment", [this] { return Count(); });
    }
    Run("read", [this] { return Read(); });
  }

  void Progress(const std::string& what) {
    std::unique_lock lock(mutex_);
    std::vector<int64_t> targets;
    for (const auto& worker : workers_) {
      worker->longest_ms = 0;
      targets.push_back(worker->done + 1 + kMoreOperations);  // one may be under way
    }
    const auto start = Clock::now();
    const bool all = changed_.wait_for(lock, std::chrono::milliseconds(2 * kOperationMs), [&] {
      for (size_t i = 0; i < workers_.size(); ++i) {
        if (workers_[i]->done < targets[i] && !wrong_) {
          return false;
        }
      }
      return true;
    });
    std::string longest;
    for (const auto& worker : workers_) {
      longest += " " + std::string(worker->name) + " " + std::to_string(worker->longest_ms);
    }
    std::printf("%s: %s after %ld ms; longest, ms:%s\n", what.c_str(), all && !wrong_ ? "all continue" : "NO PROGRESS",
                static_cast<long>(MsSince(start)), longest.c_str());
    std::fflush(stdout);
    wrong_ = wrong_ || !all;
  }

  // True if there was no error.
  bool Finish() {
    stopping_ = true;
    for (const auto& worker : workers_) {
      worker->thread.join();
    }
    for (int i = 0; i < kWriters && !wrong_; ++i) {
      CheckRows(i);
    }
    std::printf("%ld + %ld puts, %ld increments, %ld reads: %s\n", static_cast<long>(written_[0]),
                static_cast<long>(written_[1]), static_cast<long>(counted_), static_cast<long>(reads_),
                wrong_ ? "WRONG" : "nothing lost, nothing twice, none failed");
    return !wrong_;
  }

  void MakeReplicas() {
    TableDescriptor descriptor = {.name = std::string(kReplicated), .families = {{.name = "f"}}};
    descriptor.attributes["REGION_REPLICATION"] = "2";
    const std::vector<std::string> borders = {"2", "4", "6", "8"};
    Status status = connection_->admin().CreateTable(descriptor, borders);
    auto table = connection_->GetTable(kReplicated);
    if (status.ok() && table.ok()) {
      replicated_ = *std::move(table);
      std::vector<Put> puts;
      for (int i = 0; i < kReplicatedRows; ++i) {
        puts.push_back(Put{.row = RowOf(0, i)}.Add("f", "n", std::to_string(i)));
      }
      status = replicated_->Put(puts);
      status = status.ok() ? connection_->admin().Flush(kReplicated) : status;
    }
    const auto deadline = Clock::now() + std::chrono::milliseconds(kOperationMs);
    while (status.ok() && Clock::now() < deadline) {  // region servers look for new files of the primary
      const auto rows = replicated_->Get(ReplicatedGets(/*replica_id=*/1));
      if (rows.ok() && std::ranges::all_of(*rows, [](const Result& row) { return row.stale() && !row.empty(); })) {
        status = AwaitMeta(deadline);
        if (status.ok()) {
          std::printf("replicas: both have all rows\n");
          std::fflush(stdout);
          return Run("timeline get", [this] { return ReadAny(); });
        }
      }
    }
    Wrong("replicas: " + (status.ok() ? std::string("the rows do not come") : status.ToString()));
  }

  void New(const std::string& what) {
    const auto start = Clock::now();
    const auto connection = Connection::Open(uri_ + kMetaReplicas, options_);
    if (!connection.ok()) {
      return Wrong(what + ": " + connection.status().ToString());
    }
    const auto table = (*connection)->GetTable(kReplicated);
    const auto row = table.ok() ? (*table)->Get(ReplicatedGets().front()) : Expected<Result>(table.status());
    if (!row.ok() || row->empty()) {
      return Wrong(what + ": " + (row.ok() ? "the row is missing" : row.status().ToString()));
    }
    std::printf("%s: a new connection reads a row after %ld ms\n", what.c_str(), static_cast<long>(MsSince(start)));
    std::fflush(stdout);
  }

  void Timeline(const std::string& what) {
    const auto start = Clock::now();
    const auto single = GetEach(replicated_.get());
    if (!single.ok()) {
      return Wrong(what + ": get " + single.status().ToString());
    }
    auto together = replicated_->Get(ReplicatedGets());
    if (!together.ok()) {
      return Wrong(what + ": multi-get " + together.status().ToString());
    }
    const auto scanner = replicated_->Scan({.consistency = Consistency::kTimeline});
    std::vector<Result> scanned(1);
    while (scanner.ok()) {
      const auto more = (*scanner)->Next(&scanned.back());
      if (!more.ok()) {
        return Wrong(what + ": scan " + more.status().ToString());
      }
      if (!*more) {
        scanned.pop_back();
        break;
      }
      scanned.emplace_back();
    }
    std::printf("%s: rows from a replica of %d: get %d, multi-get %d, scan %d; after %ld ms\n", what.c_str(),
                kReplicatedRows, Stale("get", *single), Stale("multi-get", *together), Stale("scan", scanned),
                static_cast<long>(MsSince(start)));
    std::fflush(stdout);
  }

  void Admin(const std::string& command) {
    klip::Admin& admin = connection_->admin();
    Status status;
    if (command.starts_with("split ")) {
      status = admin.Split(kTable, command.substr(command.find(' ') + 1));
    } else {
      const auto regions = admin.GetRegions(kTable);
      if (!regions.ok() || regions->size() < 2) {
        return Wrong("merge: no two regions");
      }
      const std::vector<std::string> last_two = {regions->end()[-2].encoded_name, regions->back().encoded_name};
      status = admin.MergeRegions(last_two);
    }
    if (!status.ok()) {
      Wrong(command + ": " + status.ToString());
    }
  }

 private:
  static constexpr int kWriters = 2;
  static constexpr int kReplicatedRows = 50;

  static std::vector<Get> ReplicatedGets(int32_t replica_id = -1) {
    std::vector<Get> gets;
    for (int i = 0; i < kReplicatedRows; ++i) {
      gets.push_back({.row = RowOf(0, i), .consistency = Consistency::kTimeline, .replica_id = replica_id});
    }
    return gets;
  }

  static Expected<std::vector<Result>> GetEach(Table* table) {
    std::vector<Result> rows;
    for (const Get& get : ReplicatedGets()) {
      KLIP_ASSIGN_OR_RETURN(Result row, table->Get(get));
      rows.push_back(std::move(row));
    }
    return rows;
  }

  // Until the replica of hbase:meta has the replicated table.
  Status AwaitMeta(Clock::time_point deadline) {
    KLIP_RETURN_IF_ERROR(connection_->admin().FlushRegion("1588230740"));
    KLIP_ASSIGN_OR_RETURN(const auto connection, Connection::Open(uri_ + kMetaReplicas, options_));
    KLIP_ASSIGN_OR_RETURN(const auto meta, connection->GetTable("hbase:meta"));
    while (Clock::now() < deadline) {
      Result row;
      KLIP_ASSIGN_OR_RETURN(const auto scanner, meta->Scan({.start_row = std::string(kReplicated) + ",",
                                                            .limit_rows = 1,
                                                            .consistency = Consistency::kTimeline,
                                                            .replica_id = 1}));
      KLIP_ASSIGN_OR_RETURN(const bool found, scanner->Next(&row));
      if (found && row.stale() && row.row().starts_with(kReplicated)) {
        return Status::Ok();
      }
    }
    return {Code::kTimedOut, "the replica of hbase:meta does not know the table"};
  }

  // One replica at least is there at any time.
  Status ReadAny() {
    const std::vector<Get> gets = ReplicatedGets();
    const Get& get = gets[static_cast<size_t>(any_reads_++) % gets.size()];
    KLIP_ASSIGN_OR_RETURN(const Result row, replicated_->Get(get));
    return row.empty() ? Status(Code::kCorruption, "row " + get.row + " is lost") : Status();
  }

  // How many of all rows a replica gave. Wrong: none of them, or rows are missing.
  int Stale(const std::string& how, const std::vector<Result>& rows) {
    const auto stale = std::ranges::count_if(rows, [](const Result& row) { return row.stale(); });
    const bool whole = std::ranges::none_of(rows, [](const Result& row) { return row.empty(); });
    if (rows.size() != kReplicatedRows || !whole || stale == 0) {
      Wrong(how + ": " + std::to_string(rows.size()) + " rows, " + std::to_string(stale) + " from a replica");
    }
    return static_cast<int>(stale);
  }

  struct Worker {
    const char* name;
    int64_t done = 0;  // guarded by mutex_, as is longest_ms
    int64_t longest_ms = 0;
    std::thread thread;
  };

  void Run(const char* name, std::function<Status()> operation) {
    workers_.push_back(std::make_unique<Worker>(Worker{.name = name}));
    Worker* worker = workers_.back().get();
    worker->thread = std::thread([this, worker, operation = std::move(operation)] {
      while (!stopping_) {
        const auto start = Clock::now();
        const Status status = operation();
        const int64_t took_ms = MsSince(start);
        if (!status.ok()) {
          Wrong(std::string(worker->name) + " after " + std::to_string(took_ms) + " ms: " + status.ToString());
          return;
        }
        const std::lock_guard lock(mutex_);
        ++worker->done;
        worker->longest_ms = std::max(worker->longest_ms, took_ms);
        changed_.notify_all();
      }
    });
  }

  void Wrong(const std::string& text) {
    std::printf("WRONG: %s\n", text.c_str());
    const std::lock_guard lock(mutex_);
    wrong_ = true;
    changed_.notify_all();
  }

  // Every tenth time a hundred rows at once.
  Status Write(int writer) {
    const int64_t first = written_[writer];
    const int64_t rows = first % 1000 == 0 ? 100 : 1;
    std::vector<Put> puts;
    for (int64_t i = first; i < first + rows; ++i) {
      puts.push_back(Put{.row = RowOf(writer, i)}.Add("f", "n", std::to_string(i)));
    }
    KLIP_RETURN_IF_ERROR(rows == 1 ? table_->Put(puts[0]) : table_->Put(puts));
    written_[writer] = first + rows;
    return Status::Ok();
  }

  Status Count() {
    // Three counters, so that they are in several regions.
    const std::string row = std::to_string(counted_ % 3 * 3) + "counter";
    KLIP_ASSIGN_OR_RETURN(const Result counted, table_->Increment(Increment{.row = row}.Add("f", "n", 1)));
    const auto value = counted.Value("f", "n");
    if (!value.has_value() || value->size() != sizeof(int64_t)) {
      return {Code::kCorruption, "an increment of " + row + " gave no counter"};
    }
    const auto is = ReadBigEndian<int64_t>(value->data());
    if (is != counted_ / 3 + 1) {
      return {Code::kCorruption, "counter " + row + " is " + std::to_string(is) + " after " +
                                     std::to_string(counted_ / 3) + " increments before"};
    }
    ++counted_;
    return Status::Ok();
  }

  Status Read() {
    const int writer = static_cast<int>(reads_ % kWriters);
    const int64_t written = written_[writer];
    ++reads_;
    if (written == 0) {
      return Status::Ok();
    }
    if (reads_ % 200 == 0) {
      return Scan();
    }
    const int64_t number = reads_ * 7919 % written;
    KLIP_ASSIGN_OR_RETURN(const Result row, table_->Get(Get{.row = RowOf(writer, number)}));
    return row.Value("f", "n") == std::to_string(number)
               ? Status()
               : Status(Code::kCorruption, "row " + RowOf(writer, number) + " is lost");
  }

  // Despite all faults, rows arrive in order, each once, and none is missing that existed before.
  Status Scan() {
    const int64_t before = written_[0] + written_[1];
    KLIP_ASSIGN_OR_RETURN(const auto scanner, table_->Scan({}));
    int64_t rows = 0;
    std::string last;
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
      if (!more) {
        break;
      }
      if (row.row() <= last) {
        return {Code::kCorruption, "a scan came from " + last + " to " + std::string(row.row())};
      }
      last = row.row();
      rows += last.ends_with("counter") ? 0 : 1;
    }
    return rows >= before ? Status()
                          : Status(Code::kCorruption,
                                   "a scan found " + std::to_string(rows) + " rows of " + std::to_string(before));
  }

  void CheckRows(int writer) {
    constexpr int64_t kAtOnce = 1000;
    for (int64_t first = 0; first < written_[writer]; first += kAtOnce) {
      std::vector<Get> gets;
      for (int64_t i = first; i < std::min(first + kAtOnce, written_[writer].load()); ++i) {
        gets.push_back(Get{.row = RowOf(writer, i)});
      }
      const auto rows = table_->Get(gets);
      if (!rows.ok()) {
        return Wrong(rows.status().ToString());
      }
      for (size_t i = 0; i < gets.size(); ++i) {
        if ((*rows)[i].Value("f", "n") != std::to_string(first + static_cast<int64_t>(i))) {
          Wrong("row " + gets[i].row + " is lost");
        }
      }
    }
  }

  const std::string uri_;
  const ConnectionOptions options_;
  Connection* const connection_;
  const std::unique_ptr<Table> table_;
  std::unique_ptr<Table> replicated_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> written_[kWriters] = {};  // rows acknowledged
  int64_t counted_ = 0;
  int64_t reads_ = 0;
  int64_t any_reads_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool wrong_ = false;
};

int Fail(const Status& status) {
  std::fprintf(stderr, "klip_fault_load: %s\n", status.ToString().c_str());
  return 1;
}

int Main(const std::string& uri, bool counters) {
  ConnectionOptions options;
  options.rpc_timeout_ms = kCallMs;
  options.operation_timeout_ms = kOperationMs;
  options.primary_scan_timeout_ms = 100;  // a server stands still no longer than calls may take
  const auto connection = Connection::Open(uri, options);
  if (!connection.ok()) {
    return Fail(connection.status());
  }
  const std::vector<std::string> borders = {"2", "4", "6", "8"};
  if (const Status status =
          (*connection)->admin().CreateTable({.name = std::string(kTable), .families = {{.name = "f"}}}, borders);
      !status.ok()) {
    return Fail(status);
  }
  auto table = (*connection)->GetTable(kTable);
  if (!table.ok()) {
    return Fail(table.status());
  }
  FaultLoad load(uri, options, connection->get(), *std::move(table));
  load.Start(counters);
  for (std::string line; std::getline(std::cin, line) && line != "end";) {
    if (line.starts_with("progress ")) {
      load.Progress(line.substr(line.find(' ') + 1));
    } else if (line == "replicas") {
      load.MakeReplicas();
    } else if (line.starts_with("timeline ")) {
      load.Timeline(line.substr(line.find(' ') + 1));
    } else if (line.starts_with("new ")) {
      load.New(line.substr(line.find(' ') + 1));
    } else {
      load.Admin(line);
    }
  }
  return load.Finish() ? 0 : 1;
}

}  // namespace
}  // namespace klip

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: klip_fault_load URI [--no-counters]\n");
    return 2;
  }
  return klip::Main(arguments[1], count < 3);
}
