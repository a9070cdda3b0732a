// The cost of one secondary index on writes, and its gain on reads: compared with the same table without it, and with a
// loop on plain RocksDB that maintains an index column family by hand. The loop reads the old value, removes its entry
// and adds the new one, all in one batch.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "cases.h"
#include "klip/filter.h"
#include "klip/index.h"

namespace klip::bench {

namespace {

constexpr int kCities = 10'000;  // of 1,000,000 rows one city has 1 in 10,000
constexpr size_t kPersonRowBytes = 12;
constexpr size_t kPersonBatch = 1000;
constexpr const char* kDeclaration = "f:city text INCLUDE f:city, f:name";

struct Person {
  std::string row;
  std::string name;
  uint32_t number;
};

std::string CityOf(const Person& person, uint32_t shift) {
  return "city" + std::to_string((person.number + shift) % kCities);
}

std::vector<Person> People(int64_t count) {
  std::vector<Person> people;
  for (int64_t i = 0; i < count; ++i) {
    const std::string digits = std::to_string(i);
    people.push_back({"row" + std::string(kPersonRowBytes - 3 - digits.size(), '0') + digits, "name of " + digits,
                      static_cast<uint32_t>(i)});
  }
  std::shuffle(people.begin(), people.end(), std::mt19937_64(1));
  return people;
}

// klip's table, in an empty directory. `index`: its declaration; empty: the table has none.
class KlipPeople {
 public:
  KlipPeople(const std::string& directory, const std::string& index) {
    std::filesystem::remove_all(directory);
    ConnectionOptions options;
    options.sync_wal = false;
    options.block_cache_bytes = int64_t{2458} << 20;
    options.memtable_bytes = int64_t{128} << 20;
    connection_ = ValueOrDie(Connection::Open("klip:" + directory, options), "opening");
    FamilyDescriptor family;
    family.name = "f";
    family.compression = "LZ4";
    TableDescriptor table = {.name = "t", .families = {family}};
    if (!index.empty()) {
      table.attributes["KLIP_INDEX$by_city"] = index;
    }
    DieIfError(connection_->admin().CreateTable(table), "creating the table");
    table_ = ValueOrDie(connection_->GetTable("t"), "opening the table");
  }

  void Write(const std::vector<Person>& people, uint32_t shift, size_t batch) {
    std::vector<Put> puts;
    for (const Person& person : people) {
      puts.push_back(Put{.row = person.row}.Add("f", "city", CityOf(person, shift)).Add("f", "name", person.name));
      if (puts.size() == batch) {
        DieIfError(table_->Put(puts), "writing");
        puts.clear();
      }
    }
  }
  void Load(const std::vector<Person>& sorted) {
    const auto loader = ValueOrDie(connection_->NewBulkLoader("t"), "loading");
    for (const Person& person : sorted) {
      DieIfError(loader->Add(Put{.row = person.row}.Add("f", "city", CityOf(person, 0)).Add("f", "name", person.name)),
                 "loading");
    }
    DieIfError(loader->Finish(), "loading");
  }
  void Settle() { DieIfError(connection_->admin().Flush("t"), "flushing"); }

  Outcome OfCity(const std::string& city, bool covered) {
    Scan scan;
    scan.filter = SingleColumnValueFilter({.family = "f",
                                           .qualifier = "city",
                                           .op = CompareOp::kEqual,
                                           .comparator = BinaryComparator(city),
                                           .filter_if_missing = true});
    if (covered) {
      scan.columns = {{"f", "city"}, {"f", "name"}};
    }
    const auto scanner = ValueOrDie(table_->Scan(scan), "scanning");
    Outcome outcome;
    Result row;
    while (ValueOrDie(scanner->Next(&row), "scanning")) {
      outcome.Add(row.row(), row.Value("f", "name").value_or(""));
    }
    return outcome;
  }
  IndexAdmin& indexes() { return *ValueOrDie(connection_->admin().indexes(), "indexes"); }

 private:
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
};

// The same by hand: no versions, no deletes, no types.
class RawPeople {
 public:
  explicit RawPeople(const std::string& directory) {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.compression = rocksdb::kLZ4Compression;
    options.write_buffer_size = size_t{128} << 20;
    options.max_background_jobs = 2;
    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_size = 16384;
    blocks.block_cache = rocksdb::NewLRUCache(size_t{2458} << 20);
    blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    blocks.whole_key_filtering = false;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    rocksdb::ColumnFamilyOptions base(options);
    base.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(kPersonRowBytes + 2));
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(
        options, directory,
        {{rocksdb::kDefaultColumnFamilyName, base}, {"index", rocksdb::ColumnFamilyOptions(options)}}, &handles, &db);
    if (!status.ok()) {
      Die("opening RocksDB: " + status.ToString());
    }
    db_.reset(db);
    base_.reset(handles[0]);
    index_.reset(handles[1]);
  }

  void Write(const std::vector<Person>& people, uint32_t shift, size_t batch_rows) {
    rocksdb::WriteBatch batch;
    size_t rows = 0;
    for (const Person& person : people) {
      AddRow(person, CityOf(person, shift), &batch);
      if (++rows == batch_rows) {
        Check(db_->Write({}, &batch));
        batch.Clear();
        rows = 0;
      }
    }
  }
  void Settle() { Check(db_->Flush({}, {base_.get(), index_.get()})); }

  Outcome OfCity(const std::string& city) {
    const std::string start = city + '\0';
    const std::string end = city + '\1';
    const rocksdb::Slice upper = end;
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, index_.get()));
    Outcome outcome;
    for (at->Seek(start); at->Valid(); at->Next()) {
      outcome.Add({at->key().data() + start.size(), kPersonRowBytes}, {at->value().data(), at->value().size()});
    }
    Check(at->status());
    return outcome;
  }

 private:
  static void Check(const rocksdb::Status& status) {
    if (!status.ok()) {
      Die("RocksDB: " + status.ToString());
    }
  }
  static std::string KeyOf(const Person& person, std::string_view qualifier) {
    std::string key = person.row;
    key.append("\0\1", 2).append(qualifier).append("\0\1", 2);
    return key.append(8, '\xFE').append(1, '\xFB');
  }

  void AddRow(const Person& person, const std::string& city, rocksdb::WriteBatch* batch) {
    const std::string city_key = KeyOf(person, "city");
    std::string entry;
    rocksdb::ReadOptions options;
    options.prefix_same_as_start = true;
    const std::unique_ptr<rocksdb::Iterator> at(db_->NewIterator(options, base_.get()));
    at->Seek(city_key);
    if (at->Valid() && at->key() == city_key) {
      entry.assign(at->value().data(), at->value().size()).append(1, '\0').append(person.row);
      Check(batch->Delete(index_.get(), entry));
    }
    Check(batch->Put(base_.get(), city_key, city));
    Check(batch->Put(base_.get(), KeyOf(person, "name"), person.name));
    entry.assign(city).append(1, '\0').append(person.row);
    Check(batch->Put(index_.get(), entry, person.name));
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::unique_ptr<rocksdb::ColumnFamilyHandle> base_;  // closed before the database
  std::unique_ptr<rocksdb::ColumnFamilyHandle> index_;
};

void RunWrites(const BenchSettings& settings, Report* report) {
  const std::vector<Person> people = People(200'000);
  const auto count = static_cast<int64_t>(people.size());
  KlipPeople plain(settings.directory + "/people", "");
  KlipPeople indexed(settings.directory + "/people-indexed", kDeclaration);
  KlipPeople immutable(settings.directory + "/people-immutable", std::string(kDeclaration) + " IMMUTABLE");
  RawPeople raw(settings.directory + "/people-raw");
  uint32_t round = 0;
  const auto sides = [&](size_t batch, uint32_t step) -> std::vector<Side> {
    const auto write = [&, batch, step](auto* table) {
      return [&, batch, step, table] {
        round += step;
        table->Write(people, round, batch);
        return Outcome{.rows = count};
      };
    };
    std::vector<Side> all = {
        {"one index", write(&indexed)}, {"plain", write(&plain)}, {"raw RocksDB with an index", write(&raw)}};
    if (step == 0) {
      all.push_back({"one index of rows that never change", write(&immutable)});
    }
    return all;
  };
  const auto tell = [&](const std::string& name, const std::vector<Measurement>& times, double most) {
    report->Cpu(name + ": one index / plain", times[0], times[1], most, count);
    report->Cpu(name + ": one index / raw loop with one", times[0], times[2], 1.3, count);
  };
  const auto fresh = RunAlternately("new rows", sides(kPersonBatch, 0), 1, false);
  tell("new rows, batches of 1000", fresh, 3);
  report->Cpu("new rows, batches of 1000: one immutable index / plain", fresh[3], fresh[1], 3, count);
  tell("updates, batches of 1000", RunAlternately("updates", sides(kPersonBatch, 7), 3, false), 8);
  tell("updates, single puts", RunAlternately("single puts", sides(1, 7), 3, false), 0);
}

// The 99th percentile of single puts, in microseconds, until `done` says so.
double SlowestPutsUs(KlipPeople* table, const std::vector<Person>& people, const std::function<bool(size_t)>& done) {
  std::vector<double> times_us;
  std::mt19937_64 random(2);
  for (size_t count = 0; !done(count); ++count) {
    const std::vector<Person> one = {people[random() % people.size()]};
    const double start_ms = WallMs();
    table->Write(one, 7, 1);
    times_us.push_back((WallMs() - start_ms) * 1000);
  }
  const auto slow = times_us.begin() + static_cast<ptrdiff_t>(times_us.size() * 99 / 100);
  std::ranges::nth_element(times_us, slow);
  return times_us.empty() ? 0 : *slow;
}

// A writer puts single rows before, during and after the build.
void RunBuild(const BenchSettings& settings, const std::vector<Person>& people, const IndexDescriptor& index,
              Report* report) {
  constexpr size_t kPuts = 200'000;
  const auto enough = [](size_t count) { return count == kPuts; };
  KlipPeople table(settings.directory + "/people-written", "");
  table.Load(people);
  const double before_us = SlowestPutsUs(&table, people, enough);
  std::atomic<bool> built{false};
  double build_ms = 0;
  std::thread builder([&] {
    const double start_ms = WallMs();
    DieIfError(table.indexes().CreateIndex("t", index), "building");
    build_ms = WallMs() - start_ms;
    built = true;
  });
  const double during_us = SlowestPutsUs(&table, people, [&](size_t) { return built.load(); });
  builder.join();
  const double after_us = SlowestPutsUs(&table, people, enough);
  const auto figure = [&](const char* name, const char* unit, double value) {
    report->Figure(name, unit, value, "", 0);
  };
  figure("build beside a writer", "rows a second, wall", static_cast<double>(people.size()) * 1000 / build_ms);
  figure("single puts before the build", "p99, us", before_us);
  figure("single puts during the build", "p99, us", during_us);
  figure("single puts with the index", "p99, us", after_us);
}

void RunReads(const BenchSettings& settings, Report* report) {
  std::vector<Person> people = People(1'000'000);
  const auto count = static_cast<int64_t>(people.size());
  KlipPeople plain(settings.directory + "/people", "");
  KlipPeople indexed(settings.directory + "/people-indexed", kDeclaration);
  RawPeople raw(settings.directory + "/people-raw");
  raw.Write(people, 0, kPersonBatch);
  raw.Settle();
  std::ranges::sort(people, {}, &Person::row);
  const auto loads = RunAlternately("bulk load",
                                    {{"one index", [&] { return indexed.Load(people), Outcome{.rows = count}; }},
                                     {"plain", [&] { return plain.Load(people), Outcome{.rows = count}; }}},
                                    1, false);
  report->Cpu("bulk load of new rows: one index / plain", loads[0], loads[1], 0, count);
  const IndexDescriptor index = ValueOrDie(IndexDescriptor::Parse("by_city", kDeclaration), "index");
  const double verify_ms = WallMs();
  const IndexCheck check = ValueOrDie(indexed.indexes().VerifyIndex("t", "by_city"), "verify");
  report->Figure("verify", "rows a second, wall", static_cast<double>(check.rows) * 1000 / (WallMs() - verify_ms), "",
                 0);
  if (!check.ok() || check.rows != count) {
    Die("the index differs");
  }
  KlipPeople built(settings.directory + "/people-built", "");
  built.Load(people);
  const double build_ms = WallMs();
  DieIfError(built.indexes().CreateIndex("t", index), "building");
  report->Figure("build", "rows a second, wall", static_cast<double>(count) * 1000 / (WallMs() - build_ms), "", 0);
  RunBuild(settings, people, index, report);

  const auto reads = RunAlternately("equality",
                                    {{"index", [&] { return indexed.OfCity("city77", false); }},
                                     {"covered", [&] { return indexed.OfCity("city77", true); }},
                                     {"full scan", [&] { return plain.OfCity("city77", false); }},
                                     {"raw", [&] { return raw.OfCity("city77"); }}},
                                    settings.rounds);
  report->Cpu("100 of 1,000,000 rows by one value: index and rows / full scan", reads[0], reads[2], 0.01);
  report->Cpu("100 of 1,000,000 rows by one value: index alone / full scan", reads[1], reads[2], 0.01);
  report->Cpu("100 of 1,000,000 rows by one value: index alone / raw loop", reads[1], reads[3], 1.3);
}

}  // namespace

void RunIndexCases(const BenchSettings& settings, Report* report) {
  report->Heading("A secondary index");
  report->Note("Rows of 12 bytes with two columns in random order, index '" + std::string(kDeclaration) +
               "', WAL without fsync, one writer; 200,000 rows written, 1,000,000 rows read.");
  RunWrites(settings, report);
  RunReads(settings, report);
}

}  // namespace klip::bench
