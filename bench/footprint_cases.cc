// Start time, memory and bytes on disk, of a process that does nothing else.

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <unistd.h>

#include "cases.h"

namespace klip::bench {

namespace {

int64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") {
      int64_t kib = 0;
      status >> kib;
      return kib;
    }
  }
  return 0;
}

struct Memory {
  double resident_kib = 0;
  double cached_kib = 0;  // block cache and memtables, as klip counts them

  double Beyond() const { return (resident_kib - cached_kib) / 1024; }
};

struct Opened {
  double open_ms = 0;
  Memory idle;
  Memory used;
};

void PrintMemory(KlipTable* table) {
  StoreMetrics metrics = table->Metrics();
  std::printf(" %lld %lld", static_cast<long long>(ResidentKib()),
              static_cast<long long>((metrics.block_cache_bytes + metrics.memtable_bytes) / 1024));
}

Opened OpenInNewProcess(const std::string& directory, const std::string& date) {
  std::string command = "/proc/self/exe";
  char path[4096];
  ssize_t length = readlink(command.c_str(), path, sizeof(path));
  command = "'" + std::string(path, static_cast<size_t>(std::max<ssize_t>(length, 0))) + "' --open '" + directory +
            "' " + date;
  FILE* pipe = popen(command.c_str(), "r");
  Opened opened;
  if (pipe == nullptr ||
      std::fscanf(pipe, "%lf %lf %lf %lf %lf", &opened.open_ms, &opened.idle.resident_kib, &opened.idle.cached_kib,
                  &opened.used.resident_kib, &opened.used.cached_kib) != 5) {
    Die("cannot run " + command);
  }
  pclose(pipe);
  return opened;
}

}  // namespace

int OpenAndPrint(const std::string& directory, const std::string& date) {
  double start = WallMs();
  KlipTable table(directory, {});
  double open_ms = WallMs() - start;
  std::printf("%.3f", open_ms);
  PrintMemory(&table);
  table.RunWhere("date=" + date);
  PrintMemory(&table);
  std::printf("\n");
  return 0;
}

void RunFootprintCases(const BenchSettings& settings, Report* report) {
  report->Heading("Start, memory, disk");
  std::string date = MiddleDate(settings.size);
  for (const std::string compression : {"LZ4", "ZSTD"}) {
    int64_t raw_bytes = 0;
    int64_t klip_bytes = 0;
    {
      Pair pair = OpenYear(settings, settings.size, compression);
      raw_bytes = pair.raw->BytesOnDisk();
      klip_bytes = pair.klip->Metrics().bytes_on_disk;
    }
    std::string name = std::to_string(CountRows(settings.size)) + " rows, " + compression;
    std::string directory = KlipDirectory(settings, settings.size, compression);
    Opened least = OpenInNewProcess(directory, date);
    for (int i = 0; i < 8; ++i) {
      Opened next = OpenInNewProcess(directory, date);
      least.open_ms = std::min(least.open_ms, next.open_ms);
    }
    report->Figure(name, "open and find the table, best of 9 processes", least.open_ms, "ms", 50);
    report->Figure(name, "RSS after opening, beyond block cache and memtables", least.idle.Beyond(), "MiB", 25);
    report->Figure(name, "block cache (indexes and filters) and memtables then", least.idle.cached_kib / 1024, "MiB",
                   0);
    report->Figure(name, "RSS after the date query, beyond block cache and memtables", least.used.Beyond(), "MiB", 25);
    report->Figure(name, "bytes on disk, klip", static_cast<double>(klip_bytes) / 1e6, "MB",
                   compression == "ZSTD" ? 70 : 0);
    report->Figure(name, "bytes on disk, raw", static_cast<double>(raw_bytes) / 1e6, "MB", 0);
  }
}

}  // namespace klip::bench
