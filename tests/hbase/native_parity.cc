// klip_native_parity URI DIRECTORY: the golden op files below DIRECTORY, and random ops, through the client on a cluster
// and on an embedded store, compared line by line; then operations that only a cluster supports. Drops every table of the
// cluster. Exit code 1 if anything differs.
//
// Both use the system clock, so files that set the clock are skipped, and timestamps assigned by the store are not
// compared.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/temp_directory_test.h"
#include "hbase/cluster_golden.h"
#include "hbase/native_cluster.h"
#include "hbase/random_cases.h"
#include "klip/connection.h"
#include "ops/golden_file.h"
#include "ops/op_language.h"
#include "ops/store_session.h"
#include "parity/comparison.h"
#include "parity/left_out.h"

namespace klip::ops {
namespace {

struct Counts {
  size_t files = 0;
  size_t compared = 0;
  size_t left_out = 0;
  size_t differences = 0;
};

// For values that a comparator cannot compare, HBase's error shows the memory after them.
bool IsUndefined(const std::string& op) { return op.find("'long:") != std::string::npos; }

// Ops that only an embedded store has: what follows them cannot be compared with a cluster.
bool EndsFile(const std::string& op) { return op.starts_with("atomic") || op.starts_with("measure"); }

bool SetsClock(const std::vector<GoldenBlock>& blocks) {
  return std::ranges::any_of(blocks, [](const GoldenBlock& block) {
    return std::ranges::any_of(
        block.ops, [](const std::string& op) { return op.starts_with("clock ") || op.starts_with("advance "); });
  });
}

// HBase throws plain IOExceptions, which clients retry, although a retry does not help here.
ConnectionOptions Impatient() {
  ConnectionOptions options;
  options.operation_timeout_ms = 30'000;
  return options;
}

Status Wipe(Connection& cluster) {
  Admin& admin = cluster.admin();
  KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> tables, admin.ListTables());
  for (const TableDescriptor& table : tables) {
    KLIP_ASSIGN_OR_RETURN(const bool enabled, admin.IsTableEnabled(table.name));
    KLIP_RETURN_IF_ERROR(enabled ? admin.DisableTable(table.name) : Status());
    KLIP_RETURN_IF_ERROR(admin.DeleteTable(table.name));
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> snapshots, admin.ListSnapshots());
  for (const SnapshotInfo& snapshot : snapshots) {
    KLIP_RETURN_IF_ERROR(admin.DeleteSnapshot(snapshot.name));
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<NamespaceDescriptor> namespaces, admin.ListNamespaces());
  for (const NamespaceDescriptor& one : namespaces) {
    if (one.name != "default" && one.name != "hbase") {
      KLIP_RETURN_IF_ERROR(admin.DeleteNamespace(one.name));
    }
  }
  return Status::Ok();
}

void Compare(const std::string& name, const std::vector<GoldenBlock>& blocks, StoreSession& cluster, Counts* counts) {
  const TempDirectory directory(TempDirectory::Where::kMemory);
  const auto no_clock = std::make_shared<std::atomic<int64_t>>(0);
  StoreSession embedded([&] { return Connection::Open("klip:" + directory.path()); }, no_clock);
  for (const GoldenBlock& block : blocks) {
    for (const std::string& op : block.ops) {
      if (Tokens(op).empty()) {
        continue;
      }
      if (EndsFile(op)) {
        return;
      }
      if (IsEmbeddedOnly(op) || IsUndefined(op) || !LeftOut({}, op).empty() || IsGoldenDifference(name, op)) {
        ++counts->left_out;
        if (IsGoldenDifference(name, op)) {
          (void)embedded.Run(op);
          (void)cluster.Run(op);
        }
        continue;
      }
      const std::string expected = WithoutTimes(embedded.Run(op));
      const std::string actual = WithoutTimes(cluster.Run(op));
      ++counts->compared;
      if (!SameOutput(op, expected, actual)) {
        ++counts->differences;
        printf("%s: %s\n  embedded %s  cluster  %s", name.c_str(), op.c_str(),
               expected.empty() ? "\n" : expected.c_str(), actual.empty() ? "\n" : actual.c_str());
      }
    }
  }
}

// The number of cases that differ.
size_t CompareRandomCases(const std::string& uri) {
  constexpr uint64_t kCases = 10;  // making a table takes HBase a second
  constexpr size_t kOps = 300;
  size_t differences = 0;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    StoreSession cluster([&] { return Connection::Open(uri, Impatient()); }, std::make_shared<std::atomic<int64_t>>(0));
    if (const Status wiped = Wipe(cluster.connection()); !wiped.ok()) {
      printf("%s: cannot drop the tables: %s\n", uri.c_str(), wiped.ToString().c_str());
      return kCases;
    }
    const TempDirectory directory(TempDirectory::Where::kMemory);
    StoreSession embedded([&] { return Connection::Open("klip:" + directory.path()); },
                          std::make_shared<std::atomic<int64_t>>(0));
    const auto pass_time = [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // tidy-allow: HBase's clock cannot be handed in
    };
    if (const auto difference = RandomDifference(embedded, cluster, seed, kOps, pass_time); difference.has_value()) {
      printf("%s\n", difference->c_str());
      ++differences;
    }
  }
  printf("%lu cases of %zu random ops on %s: %zu differ\n", kCases, kOps, uri.c_str(), differences);
  return differences;
}

int Run(const std::string& uri, const std::string& golden) {
  Counts counts;
  for (const std::string& path : GoldenFiles(golden)) {
    const std::vector<GoldenBlock> blocks = ReadGoldenFile(path);
    if (SetsClock(blocks)) {
      continue;
    }
    StoreSession cluster([&] { return Connection::Open(uri, Impatient()); }, std::make_shared<std::atomic<int64_t>>(0));
    if (const Status wiped = Wipe(cluster.connection()); !wiped.ok()) {
      printf("%s: cannot drop the tables: %s\n", uri.c_str(), wiped.ToString().c_str());
      return 1;
    }
    Compare(std::filesystem::relative(path, golden).string(), blocks, cluster, &counts);
    ++counts.files;
  }
  printf("%zu golden files on %s: %zu ops are the same, %zu are left out, %zu differ\n", counts.files, uri.c_str(),
         counts.compared - counts.differences, counts.left_out, counts.differences);
  return counts.differences + CompareRandomCases(uri) + CheckCluster(uri) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace klip::ops

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: klip_native_parity URI DIRECTORY\n");
    return 2;
  }
  return klip::ops::Run(argv[1], argv[2]);
}
