// The client on klip's own server: the calls of the API, also while regions change.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "klip/async_table.h"
#include "server/raw_client_test.h"

namespace klip::client {
namespace {

class ClientTest : public server::ServerTest {
 protected:
  ClientTest() {
    Expected<std::unique_ptr<Connection>> opened =
        Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
  }

  std::unique_ptr<Table> NewTable(const std::string& name, std::vector<std::string> splits = {}) {
    const Status created =
        connection_->admin().CreateTable({.name = name, .families = {{.name = "f", .max_versions = 3}}}, splits);
    EXPECT_TRUE(created.ok()) << created.ToString();
    Expected<std::unique_ptr<Table>> table = connection_->GetTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return *std::move(table);
  }

  static std::string Key(int i) {
    std::string digits = std::to_string(i);
    return "row" + std::string(5 - digits.size(), '0') + digits;
  }

  static void Fill(Table* table, int rows, size_t value_bytes) {
    std::vector<Put> puts;
    for (int i = 0; i < rows; ++i) {
      puts.push_back(Put{.row = Key(i)}.Add("f", "q", std::string(value_bytes, 'v')).Add("f", "r", "2"));
    }
    const Status status = table->Put(puts);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // Row keys of a scan; `between` runs once, after the first row.
  static std::vector<std::string> Rows(Table* table, const Scan& scan, const std::function<void()>& between = {}) {
    std::vector<std::string> rows;
    Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result row;
    while (true) {
      const Expected<bool> more = (*scanner)->Next(&row);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) {
        return rows;
      }
      rows.emplace_back(row.row());
      if (rows.size() == 1 && between) {
        between();
      }
    }
  }

  std::unique_ptr<Connection> connection_;
};

std::vector<std::string> Reversed(std::vector<std::string> rows) {
  std::ranges::reverse(rows);
  return rows;
}

TEST_F(ClientTest, OneRow) {
  const auto table = NewTable("t");
  ASSERT_TRUE(table->Put(Put{.row = "r"}.Add("f", "q", "v1", 5).Add("f", "q", "v2", 6)).ok());
  Expected<Result> row = table->Get(Get{.row = "r", .max_versions = 2});
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  ASSERT_EQ(row->size(), 2U);
  EXPECT_EQ((*row)[0].value, "v2");
  EXPECT_EQ((*row)[1].timestamp_ms, 5);
  EXPECT_TRUE(*table->Exists(Get{.row = "r"}));
  ASSERT_TRUE(table->Delete(Delete{.row = "r"}.AddColumns("f", "q")).ok());
  EXPECT_FALSE(*table->Exists(Get{.row = "r"}));
  EXPECT_TRUE(table->Get(Get{.row = "none"})->empty());
  EXPECT_EQ(table->Put(Put{.row = "r"}.Add("nosuch", "q", "v")).code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(table->Put(Put{.row = ""}.Add("f", "q", "v")).code(), Code::kInvalidArgument);
  EXPECT_EQ(connection_->GetTable("nosuch").status().code(), Code::kTableNotFound);
}

TEST_F(ClientTest, CountersAndConditions) {
  const auto table = NewTable("t");
  for (int i = 1; i <= 3; ++i) {
    Expected<Result> counted = table->Increment(Increment{.row = "r"}.Add("f", "n", 2));
    ASSERT_TRUE(counted.ok()) << counted.status().ToString();
    EXPECT_EQ(ReadBigEndian<int64_t>(counted->Value("f", "n")->data()), 2 * i);
  }
  EXPECT_EQ(*table->Append(Append{.row = "r"}.Add("f", "a", "xy"))->Value("f", "a"), "xy");
  CheckAndMutate check = {.row = "r", .condition = RowCondition::IfNotExists("f", "a"), .action = Delete{.row = "r"}};
  EXPECT_FALSE(table->CheckAndMutate(check)->success);
  check.condition = RowCondition::IfEquals("f", "a", "xy");
  RowMutations both = {.row = "r"};
  both.mutations.emplace_back(Put{.row = "r"}.Add("f", "p", "1"));
  both.mutations.emplace_back(Increment{.row = "r"}.Add("f", "n", 10));
  check.action = both;
  const Expected<CheckAndMutateResult> met = table->CheckAndMutate(check);
  ASSERT_TRUE(met.ok()) << met.status().ToString();
  EXPECT_TRUE(met->success);
  EXPECT_EQ(ReadBigEndian<int64_t>(met->result.Value("f", "n")->data()), 16);
  EXPECT_EQ(table->Get(Get{.row = "r"})->size(), 3U);
}

TEST_F(ClientTest, ManyRowsOverManyRegions) {
  const auto table = NewTable("t", {Key(100), Key(200), Key(300)});
  Fill(table.get(), 400, 10);
  std::vector<Action> actions;
  for (int i = 399; i >= 0; i -= 7) {
    actions.emplace_back(Get{.row = Key(i)});
    actions.emplace_back(Put{.row = Key(i)}.Add("f", "new", std::to_string(i)));
  }
  actions.emplace_back(Put{.row = "x"}.Add("nosuch", "q", "v"));
  actions.emplace_back(
      CheckAndMutate{.row = Key(1), .condition = RowCondition::IfNotExists("f", "q"), .action = Delete{.row = Key(1)}});
  const std::vector<Expected<Result>> outcomes = table->Batch(actions);
  ASSERT_EQ(outcomes.size(), actions.size());
  for (size_t i = 0; i + 2 < actions.size(); ++i) {
    ASSERT_TRUE(outcomes[i].ok()) << outcomes[i].status().ToString();
    if (const auto* get = std::get_if<Get>(&actions[i])) {
      EXPECT_EQ(outcomes[i]->row(), get->row);
    }
  }
  EXPECT_EQ(outcomes[actions.size() - 2].status().code(), Code::kNoSuchColumnFamily);
  ASSERT_TRUE(outcomes.back().ok()) << outcomes.back().status().ToString();
  EXPECT_FALSE(outcomes.back()->exists());
  EXPECT_EQ(*table->Get(Get{.row = Key(399)})->Value("f", "new"), "399");
}

TEST_F(ClientTest, PackedCellBlocks) {
  const auto plain = NewTable("t");
  for (const char* compressor : {"gz", "snappy", "lz4", "zstd", "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec"}) {
    const auto packing =
        Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()) + "?compressor=" + compressor);
    ASSERT_TRUE(packing.ok()) << packing.status().ToString();
    const auto table = *(*packing)->GetTable("t");
    Fill(table.get(), 300, 3000);
    EXPECT_EQ(Rows(table.get(), {}), Rows(plain.get(), {}));
    const std::vector<Get> gets = {{.row = Key(1)}, {.row = Key(299)}};
    const auto rows = table->Get(gets);
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
    EXPECT_EQ((*rows)[1].Value("f", "q"), std::string(3000, 'v'));
    EXPECT_EQ(table->Get(gets[0])->size(), 2U);
    ASSERT_TRUE(table->Delete(Delete{.row = Key(7)}).ok());
    EXPECT_FALSE(*plain->Exists({.row = Key(7)}));
  }
  const Status unknown = Connection::Open("hbase+rpc://127.0.0.1:1?compressor=lzo").status();
  EXPECT_EQ(unknown.code(), Code::kInvalidArgument);
  EXPECT_NE(unknown.message().find("'lzo'"), std::string::npos) << unknown.message();
}

// Many calls at a time of one thread, by the connection that all share.
TEST_F(ClientTest, AsyncCalls) {
  constexpr int kCalls = 500;
  AsyncTable table(NewTable("t", {Key(200)}), {.max_threads = 8, .max_waiting = 20});
  std::atomic<int> failed{0};
  for (int i = 0; i < kCalls; ++i) {
    table.Increment(Increment{.row = Key(i % 300)}.Add("f", "n"),
                    [&](const Expected<Result>& counted) { failed += counted.ok() ? 0 : 1; });
  }
  table.Wait();
  EXPECT_EQ(failed, 0);
  int64_t sum = 0;
  Status scanned(Code::kIoError, "not called");
  table.Scan(
      {.threads = 2},
      [&](const Result& row) {
        sum += ReadBigEndian<int64_t>(row.Value("f", "n")->data());
        return true;
      },
      [&](Status status) { scanned = std::move(status); });
  table.Wait();
  EXPECT_TRUE(scanned.ok()) << scanned.ToString();
  EXPECT_EQ(sum, kCalls);
}

TEST_F(ClientTest, ScansOverRegions) {
  const auto table = NewTable("t", {Key(100), Key(200), Key(300)});
  Fill(table.get(), 400, 10);
  std::vector<std::string> all;
  for (int i = 0; i < 400; ++i) {
    all.push_back(Key(i));
  }
  const auto part = [&](int from, int to) { return std::vector<std::string>(all.begin() + from, all.begin() + to); };
  EXPECT_EQ(Rows(table.get(), {}), all);
  EXPECT_EQ(Rows(table.get(), {.reversed = true}), Reversed(all));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(50), .stop_row = Key(200)}), part(50, 200));
  EXPECT_EQ(
      Rows(table.get(), {.start_row = Key(50), .stop_row = Key(200), .include_start = false, .include_stop = true}),
      part(51, 201));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(300), .stop_row = Key(99), .reversed = true}),
            Reversed(part(100, 301)));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(300),
                               .stop_row = Key(100),
                               .include_start = false,
                               .include_stop = true,
                               .reversed = true}),
            Reversed(part(100, 300)));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(95), .limit_rows = 150}), part(95, 245));
  EXPECT_EQ(Rows(table.get(), {.limit_rows = 100}), part(0, 100));
  EXPECT_EQ(Rows(table.get(), {.filter = PrefixFilter("row0015")}), part(150, 160));
  // Several regions at a time.
  EXPECT_EQ(Rows(table.get(), {.threads = 3}), all);
  EXPECT_EQ(Rows(table.get(), {.reversed = true, .threads = 0}), Reversed(all));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(50), .stop_row = Key(300), .threads = 2}), part(50, 300));
  EXPECT_EQ(Rows(table.get(), {.start_row = Key(399), .stop_row = Key(150), .reversed = true, .threads = 2}),
            Reversed(part(151, 400)));
  EXPECT_EQ(table->FirstRow()->row(), Key(0));
  EXPECT_EQ(table->LastRow()->row(), Key(399));
  // Pieces of rows.
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({.limit_rows = 2, .batch = 1});
  Result piece;
  std::vector<std::string> pieces;
  while (*(*scanner)->Next(&piece)) {
    pieces.push_back(std::string(piece.row()) + std::string(piece[0].qualifier));
  }
  EXPECT_EQ(pieces, (std::vector<std::string>{Key(0) + "q", Key(0) + "r", Key(1) + "q", Key(1) + "r"}));
}

TEST_F(ClientTest, RegionsThatChangeWhileAScanRuns) {
  constexpr int kRows = 300;
  constexpr size_t kValueBytes = 40'000;  // several answers
  const auto table = NewTable("t", {Key(200)});
  Fill(table.get(), kRows, kValueBytes);
  std::vector<std::string> all;
  for (int i = 0; i < kRows; ++i) {
    all.push_back(Key(i));
  }
  Admin& admin = connection_->admin();
  EXPECT_EQ(Rows(table.get(), {}, [&] { EXPECT_TRUE(admin.Split("t", Key(50)).ok()); }), all);
  EXPECT_EQ(Rows(table.get(), {.threads = 4}, [&] { EXPECT_TRUE(admin.Split("t", Key(150)).ok()); }), all);
  EXPECT_EQ(Rows(table.get(), {.reversed = true}, [&] { EXPECT_TRUE(admin.Split("t", Key(250)).ok()); }),
            Reversed(all));
  const std::vector<RegionInfo> regions = *admin.GetRegions("t");
  ASSERT_EQ(regions.size(), 5U);
  EXPECT_EQ(Rows(table.get(), {},
                 [&] {
                   const Status merged =
                       admin.MergeRegions(std::vector{regions[0].encoded_name, regions[1].encoded_name});
                   EXPECT_TRUE(merged.ok()) << merged.ToString();
                 }),
            all);
  // A table that goes away, as a scan and other calls see it.
  EXPECT_TRUE(admin.DisableTable("t").ok());
  EXPECT_EQ(table->Get(Get{.row = "r"}).status().code(), Code::kTableNotEnabled);
  EXPECT_TRUE(admin.EnableTable("t").ok());
  EXPECT_TRUE(table->Get(Get{.row = "r"}).ok());
}

TEST_F(ClientTest, ThreadsShareAConnection) {
  const auto table = NewTable("t", {Key(100)});
  constexpr int kThreads = 8;
  constexpr int kRounds = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const std::string row = Key(t * kRounds + i);
        EXPECT_TRUE(table->Put(Put{.row = row}.Add("f", "q", row)).ok());
        EXPECT_EQ(table->Get(Get{.row = row})->Value("f", "q"), row);
        EXPECT_TRUE(table->Increment(Increment{.row = "row"}.Add("f", "n")).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(ReadBigEndian<int64_t>(table->Get(Get{.row = "row"})->Value("f", "n")->data()), kThreads * kRounds);
}

TEST_F(ClientTest, AdminOfTables) {
  Admin& admin = connection_->admin();
  ASSERT_TRUE(admin.CreateNamespace({.name = "ns"}).ok());
  EXPECT_EQ(admin.CreateNamespace({.name = "ns"}).code(), Code::kNamespaceExists);
  TableDescriptor descriptor = {.name = "ns:t", .families = {{.name = "a"}, {.name = "b", .ttl_s = 60}}};
  descriptor.attributes["NOTE"] = "x";
  ASSERT_TRUE(admin.CreateTable(descriptor, std::vector<std::string>{"m"}).ok());
  EXPECT_EQ(admin.CreateTable(descriptor).code(), Code::kTableExists);
  EXPECT_EQ(*admin.GetDescriptor("ns:t"), descriptor);
  EXPECT_EQ(admin.ListTables("ns")->size(), 1U);
  EXPECT_EQ(admin.GetRegions("ns:t")->size(), 2U);
  ASSERT_TRUE(admin.AddFamily("ns:t", {.name = "c"}).ok());
  ASSERT_TRUE(admin.DeleteFamily("ns:t", "a").ok());
  EXPECT_EQ(admin.GetDescriptor("ns:t")->families.size(), 2U);
  EXPECT_EQ(admin.DeleteTable("ns:t").code(), Code::kTableNotDisabled);
  const auto table = *connection_->GetTable("ns:t");
  ASSERT_TRUE(table->Put(Put{.row = "r"}.Add("b", "q", "v")).ok());
  ASSERT_TRUE(admin.Flush("ns:t").ok());
  ASSERT_TRUE(admin.MajorCompact("ns:t").ok());
  ASSERT_TRUE(admin.Snapshot("s", "ns:t", {.ttl_s = 3600, .max_file_bytes = 20'000'000, .skip_flush = true}).ok());
  EXPECT_EQ((*admin.ListSnapshots())[0].ttl_s, 3600);
  EXPECT_EQ((*admin.ListSnapshots())[0].max_file_bytes, 20'000'000);
  ASSERT_TRUE(admin.CloneSnapshot("s", "copy").ok());
  EXPECT_EQ(*(*connection_->GetTable("copy"))->Get(Get{.row = "r"})->Value("b", "q"), "v");
  ASSERT_TRUE(table->Delete(Delete{.row = "r"}).ok());
  EXPECT_EQ(admin.RestoreSnapshot("s").code(), Code::kTableNotDisabled);
  ASSERT_TRUE(admin.DisableTable("ns:t").ok());
  EXPECT_FALSE(*admin.IsTableEnabled("ns:t"));
  ASSERT_TRUE(admin.RestoreSnapshot("s").ok());
  ASSERT_TRUE(admin.EnableTable("ns:t").ok());
  EXPECT_EQ(*table->Get(Get{.row = "r"})->Value("b", "q"), "v");
  ASSERT_TRUE(admin.DeleteSnapshot("s").ok());
  EXPECT_EQ(admin.DeleteSnapshot("s").code(), Code::kSnapshotNotFound);
  ASSERT_TRUE(admin.DisableTable("ns:t").ok());
  ASSERT_TRUE(admin.DeleteTable("ns:t").ok());
  EXPECT_FALSE(*admin.TableExists("ns:t"));
}

// The Canary tool makes one.
TEST_F(ClientTest, TablesInTheSystemNamespace) {
  Admin& admin = connection_->admin();
  ASSERT_TRUE(
      admin.CreateTable({.name = "hbase:canary", .families = {{.name = "f"}}}, std::vector<std::string>{"m"}).ok());
  EXPECT_TRUE(*admin.TableExists("hbase:canary"));
  EXPECT_TRUE(*admin.IsTableEnabled("hbase:canary"));
  EXPECT_EQ(admin.GetRegions("hbase:canary")->size(), 2U);
  const auto table = *connection_->GetTable("hbase:canary");
  ASSERT_TRUE(table->Put(Put{.row = "r"}.Add("f", "q", "v")).ok());
  EXPECT_EQ(*table->Get(Get{.row = "r"})->Value("f", "q"), "v");
  EXPECT_TRUE(admin.ListTables()->empty());
  const std::vector<TableDescriptor> system = *admin.ListTables("hbase");
  ASSERT_EQ(system.size(), 2U);
  EXPECT_EQ(system[0].name, "hbase:canary");
  EXPECT_EQ(system[1].name, "hbase:meta");
  EXPECT_EQ(admin.TruncateTable("hbase:meta", false).message(), "Cannot change catalog table hbase:meta");
  ASSERT_TRUE(admin.DisableTable("hbase:canary").ok());
  ASSERT_TRUE(admin.DeleteTable("hbase:canary").ok());
}

TEST_F(ClientTest, RegionsTellWhatWasFilteredAndCompactedAndServersTheirMemory) {
  const std::unique_ptr<Table> table = NewTable("told");
  Fill(table.get(), /*rows=*/10, /*value_bytes=*/1);
  const auto region = [this] { return connection_->admin().GetRegionMetrics("told")->front(); };
  EXPECT_EQ(Rows(table.get(), {}).size(), 10U);
  EXPECT_EQ(region().filtered_read_requests, 0);
  EXPECT_EQ(region().last_major_compaction_ms, 0);
  EXPECT_EQ(Rows(table.get(), {.filter = *ParseFilter("RowFilter(=, 'substring:3')")}).size(), 1U);
  EXPECT_EQ(region().filtered_read_requests, 9);
  ASSERT_TRUE(connection_->admin().MajorCompact("told").ok());
  for (int tries = 0; tries < 20000 && region().last_major_compaction_ms == 0; ++tries) {
  }
  EXPECT_GT(region().last_major_compaction_ms, 0);
  EXPECT_GT(connection_->admin().cluster().GetClusterMetrics()->live_servers.front().max_heap_bytes, 128 << 20);
}

}  // namespace
}  // namespace klip::client
