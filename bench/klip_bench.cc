// klip_bench: compares klip with plain RocksDB, with the same rows, keys, block size, compression and cache, in one
// process.
//
//   klip_bench [--full] [--users N] [--days N] [--domains N] [--compression LZ4|ZSTD] [--rounds N] [--dir DIR]
//              [--postgres CONNECTION] [case ...]
//
// Cases: load read headline worst footprint index; all of them when none is named. Exit code 2: a bound was missed.

#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include <rocksdb/version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cases.h"

namespace klip::bench {

std::string KlipDirectory(const BenchSettings& settings, const YearSize& size, const std::string& compression) {
  return settings.directory + "/klip-" + size.Name() + "-" + compression;
}

namespace {

// Opens `directory`, filled by `source` unless an earlier run has finished that.
template <typename Table>
std::unique_ptr<Table> OpenFilled(const std::string& directory, const StorageSettings& storage,
                                  const std::function<RowSource()>& source) {
  std::string complete = directory + ".complete";
  bool filled = std::filesystem::exists(complete);
  if (!filled) {
    std::filesystem::remove_all(directory);
  }
  auto table = std::make_unique<Table>(directory, storage);
  if (!filled) {
    table->BulkLoad(source());
    std::ofstream(complete).flush();
  }
  return table;
}

}  // namespace

Pair OpenPair(const BenchSettings& settings, const std::string& name, const std::string& compression,
              const std::function<RowSource()>& source) {
  StorageSettings storage{.compression = compression};
  std::string suffix = name + "-" + compression;
  return {OpenFilled<KlipTable>(settings.directory + "/klip-" + suffix, storage, source),
          OpenFilled<RawTable>(settings.directory + "/raw-" + suffix, storage, source)};
}

Pair OpenYear(const BenchSettings& settings, const YearSize& size, const std::string& compression) {
  return OpenPair(settings, size.Name(), compression, [&] { return YearRows(size); });
}

namespace {

int ToNumber(std::string_view text, const std::string& option) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    Die(option + " takes a number above 0, not \"" + std::string(text) + "\"");
  }
  return number;
}

struct CommandLine {
  BenchSettings settings;
  std::vector<std::string> cases;
  bool keep = false;
};

void SetFull(BenchSettings* settings) {
  settings->size = {1000, 365, 30};
  settings->load_rows = CountRows(settings->size);
}

CommandLine Parse(int argc, char** argv) {
  CommandLine line;
  auto argument = [&](int* i) {
    if (*i + 1 >= argc) {
      Die(std::string(argv[*i]) + " takes a value");
    }
    return std::string(argv[++*i]);
  };
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--full") {
      SetFull(&line.settings);
    } else if (option == "--users") {
      line.settings.size.users = ToNumber(argument(&i), option);
    } else if (option == "--days") {
      line.settings.size.days = ToNumber(argument(&i), option);
    } else if (option == "--domains") {
      line.settings.size.domains = ToNumber(argument(&i), option);
    } else if (option == "--compression") {
      line.settings.compression = argument(&i);
    } else if (option == "--rounds") {
      line.settings.rounds = ToNumber(argument(&i), option);
    } else if (option == "--dir") {
      line.settings.directory = argument(&i);
      line.keep = true;
    } else if (option == "--postgres") {
      line.settings.postgres = argument(&i);
    } else if (option.starts_with("-")) {
      Die("unknown option " + option);
    } else {
      line.cases.push_back(option);
    }
  }
  return line;
}

void PrintSettings(const BenchSettings& settings, Report* report) {
  std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  utsname system{};
  uname(&system);
  report->Note(std::string(date) + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, Linux " +
               system.release + ", RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
               "." + std::to_string(ROCKSDB_PATCH) + "; " + std::to_string(settings.size.users) + " users, " +
               std::to_string(settings.size.days) + " days, " + std::to_string(CountRows(settings.size)) + " rows; " +
               settings.compression +
               ", blocks of 16 KB, bloom filters of 10 bits on rows, block cache 2458 MiB, warm; " +
               "memtables 128 MiB; medians of alternating rounds, CPU of the whole process, best in brackets.");
}

int Main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--open") {
    return OpenAndPrint(argv[2], argv[3]);
  }
  CommandLine line = Parse(argc, argv);
  BenchSettings& settings = line.settings;
  if (!line.keep) {
    settings.directory = std::filesystem::temp_directory_path() / ("klip_bench." + std::to_string(getpid()));
  }
  std::filesystem::create_directories(settings.directory);
  if (line.cases.empty()) {
    line.cases = {"load", "read", "headline", "worst", "footprint", "index"};
  }
  Report report;
  PrintSettings(settings, &report);
  for (const std::string& name : line.cases) {
    if (name == "load") {
      RunLoadCases(settings, &report);
    } else if (name == "read") {
      RunReadCases(settings, &report);
    } else if (name == "headline") {
      RunHeadlineCases(settings, &report);
    } else if (name == "worst") {
      RunWorstCases(settings, &report);
    } else if (name == "footprint") {
      RunFootprintCases(settings, &report);
    } else if (name == "index") {
      RunIndexCases(settings, &report);
    } else {
      Die("no case " + name);
    }
  }
  if (!line.keep) {
    std::filesystem::remove_all(settings.directory);
  }
  if (report.missed() > 0) {
    report.Note(std::to_string(report.missed()) + " bounds missed.");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace klip::bench

int main(int argc, char** argv) { return klip::bench::Main(argc, argv); }
