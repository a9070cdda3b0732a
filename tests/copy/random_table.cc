#include "copy/random_table.h"

#include <cstdlib>
#include <iostream>

#include "klip/bytes.h"

namespace klip::ops {
namespace {

void Check(const Status& status) {
  if (!status.ok()) {
    std::cerr << status.ToString() << "\n";
    std::abort();
  }
}

std::string RandomRow(Random* random) {
  static const std::vector<std::string> kRows = {"a",
                                                 "b",
                                                 "c",
                                                 "cc",
                                                 "m",
                                                 "zz",
                                                 std::string(1, '\0'),
                                                 std::string("c\0\xff", 3),
                                                 "\xff",
                                                 "\xff\xff",
                                                 std::string(kMaxRowBytes, 'l'),
                                                 std::string(kMaxRowBytes, '\xff')};
  return random->OneIn(3) ? random->Pick(kRows) : "row" + std::to_string(random->Below(400));
}

Delete RandomDelete(Random* random, const std::string& row, const std::string& family, const std::string& qualifier) {
  Delete del = {.row = row};
  const int64_t at_ms = random->Between(1, 20);
  switch (random->Below(4)) {
    case 0:
      return del.AddFamily(family, at_ms);
    case 1:
      return del.AddFamilyVersion(family, at_ms);
    case 2:
      return del.AddColumns(family, qualifier, at_ms);
    default:
      return del.AddColumn(family, qualifier, at_ms);
  }
}

}  // namespace

TableDescriptor CopiedDescriptor(std::string name, bool new_versions) {
  TableDescriptor descriptor = {.name = std::move(name)};
  descriptor.families.push_back(
      {.name = "f", .max_versions = kAllVersions, .keep_deleted_cells = KeepDeletedCells::kTrue});
  descriptor.families.push_back({.name = "g", .max_versions = 3, .ttl_s = 2'000'000'000, .compression = "GZ"});
  if (new_versions) {
    descriptor.families.push_back({.name = "n", .max_versions = 3, .new_version_behavior = true});
  }
  descriptor.attributes["KLIP_ROW_KEY"] = "all:text";
  return descriptor;
}

void WriteRandomRows(Table* table, uint64_t seed, int writes, bool new_versions) {
  static const std::vector<std::string> kQualifiers = {"", "q", "r", std::string("\0", 1), "\xff", "long qualifier"};
  const std::vector<std::string> families =
      new_versions ? std::vector<std::string>{"f", "g", "n"} : std::vector<std::string>{"f", "g"};
  Random random(seed);
  for (int i = 0; i < writes; ++i) {
    const std::string row = RandomRow(&random);
    const std::string& family = random.Pick(families);
    const std::string& qualifier = random.Pick(kQualifiers);
    if (random.OneIn(5)) {
      Check(table->Delete(RandomDelete(&random, row, family, qualifier)));
      continue;
    }
    Put put = {.row = row, .ttl_ms = random.OneIn(10) ? int64_t{4'000'000'000'000} : 0};
    put.Add(family, qualifier, std::string(random.Below(40), static_cast<char>(random.Below(256))),
            random.Between(1, 20));
    put.Add("f", kQualifiers[random.Below(kQualifiers.size())], "second", random.Between(21, 30));
    Check(table->Put(put));
  }
  Check(table->Put(
      Put{.row = "large"}.Add("f", "q", std::string(1 << 20, '\xfe'), 7).Add("f", "r", std::string(1 << 20, '\0'), 7)));
}

std::vector<std::string> Cells(Table* table, bool raw, bool with_tags) {
  Scan scan = {.max_versions = kAllVersions, .raw = raw};
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(scan);
  Check(scanner.status());
  std::vector<std::string> lines;
  Result row;
  while (true) {
    const Expected<bool> more = (*scanner)->Next(&row);
    Check(more.status());
    if (!*more) {
      return lines;
    }
    for (const Cell& cell : row) {
      lines.push_back(ToStringBinary(cell.row) + " " + std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) +
                      "@" + std::to_string(cell.timestamp_ms) + " " + std::to_string(static_cast<int>(cell.type)) +
                      "=" + ToStringBinary(cell.value) + (with_tags ? " " + ToStringBinary(cell.tags) : ""));
    }
  }
}

std::unique_ptr<Connection> OpenOrDie(const std::string& uri) {
  ConnectionOptions options;
  options.block_cache_bytes = 8 << 20;
  options.memtable_bytes = 128 << 20;  // no flush, which would drop surplus versions on one side
  options.sync_wal = false;
  Expected<std::unique_ptr<Connection>> opened = Connection::Open(uri, options);
  Check(opened.status());
  return *std::move(opened);
}

std::unique_ptr<Table> TableOf(Connection* connection, const std::string& name) {
  Expected<std::unique_ptr<Table>> table = connection->GetTable(name);
  Check(table.status());
  return *std::move(table);
}

}  // namespace klip::ops
