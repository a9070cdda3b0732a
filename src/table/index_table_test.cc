// Indexes as tables: "t.klip_index.i" shows the entries of index i of t.
#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "klip/coprocessor.h"
#include "klip/filter.h"
#include "klip/index.h"
#include "klip/transaction.h"
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class IndexTableTest : public TableTest {
 protected:
  void CreateIndexed(const std::string& declaration, FamilyDescriptor family = Family("f", 3),
                     std::map<std::string, std::string> attributes = {}) {
    attributes["KLIP_INDEX$i"] = declaration;
    Create("t", {std::move(family), Family("d"), Family("g")}, std::move(attributes));
    shown_ = Handle("t.klip_index.i");
    ASSERT_NE(shown_, nullptr);
  }
  std::string Shown(Scan scan = {}) { return ScanText(*shown_, scan); }
  std::string ShownWhere(const std::string& where, Scan scan = {}) {
    const Expected<KeyQuery> query = shown_->ParseQuery(where);
    if (!query.ok()) {
      return query.status().ToString();
    }
    scan.where = *query;
    return RowsText(*shown_, scan);
  }

  // What the index "f:c text INCLUDE f:n" has to show for the rows a, b, c and d.
  std::string EntriesOfRows() {
    std::vector<std::string> entries;
    for (char one = 'a'; one < 'e'; ++one) {
      const Expected<Result> cells = table_->Get({.row = std::string(1, one)});
      if (const Cell* const city = cells->Find("f", "c"); city != nullptr) {
        const Cell* const name = cells->Find("f", "n");
        const std::string key = std::string(city->value) + std::string(1, '\0') + one;
        entries.push_back(
            ToStringBinary(key) + "{e:@0=" +
            (name == nullptr ? "" : " f:n@" + std::to_string(name->timestamp_ms) + "=" + ToStringBinary(name->value)) +
            "}");
      }
    }
    std::ranges::sort(entries);
    std::string text;
    for (const std::string& one : entries) {
      text += (text.empty() ? "" : " ") + one;
    }
    return text;
  }

  std::unique_ptr<Table> shown_;
};

TEST_F(IndexTableTest, ShowsEntriesAndIncludedColumns) {
  CreateIndexed("f:city text INCLUDE f:name, d:b, g:a");
  PutOne("7", "f:city", "ulm", 5);
  PutOne("7", "f:name", "Ann", 6);
  PutOne("7", "d:b", "1", 7);
  PutOne("8", "f:city", "bonn", 5);
  PutOne("9", "f:name", "no city", 5);
  // In the order of families, not in that of the stored qualifiers.
  EXPECT_EQ(Shown(), "bonn\\x008{e:@0=} ulm\\x007{d:b@7=1 e:@0= f:name@6=Ann}");
  EXPECT_EQ(Shown({.reversed = true, .limit_rows = 1}), "ulm\\x007{d:b@7=1 e:@0= f:name@6=Ann}");
  EXPECT_EQ(Shown({.columns = {{"f", "name"}}}), "ulm\\x007{f:name@6=Ann}");
  EXPECT_EQ(Shown({.columns = {{"x"}}}).substr(0, 32), "NoSuchColumnFamily: Column famil");
  EXPECT_EQ(Shown({.time_range = {.min_ms = 7}}), "ulm\\x007{d:b@7=1}");
  EXPECT_EQ(Shown({.start_row = "u", .max_results_per_family = 1, .row_offset_per_family = 0, .batch = 2}),
            "ulm\\x007{d:b@7=1 e:@0=}+ ulm\\x007{f:name@6=Ann}");
  EXPECT_EQ(Shown({.filter = SingleColumnValueFilter({.family = "f",
                                                      .qualifier = "name",
                                                      .op = CompareOp::kEqual,
                                                      .comparator = BinaryComparator("Ann"),
                                                      .filter_if_missing = true})}),
            "ulm\\x007{d:b@7=1 e:@0= f:name@6=Ann}");
  EXPECT_EQ(Shown({.filter = PrefixFilter("bonn")}), "bonn\\x008{e:@0=}");
  EXPECT_EQ(Show(shown_->Get({.row = std::string("ulm\0007", 5), .columns = {{"f"}}})), "f:name@6=Ann");
  EXPECT_EQ(Show(shown_->Get({.row = "ulm"})), "");
  EXPECT_EQ(*shown_->CountRows({}), 2);
  PutOne("7", "f:city", "bonn", 8);
  EXPECT_EQ(RowsText(*shown_, {}), "bonn\\x007 bonn\\x008");
}

TEST_F(IndexTableTest, TakesConditionsOnFieldsAndDescribesThem) {
  CreateIndexed("f:city text, f:age u8 INCLUDE f:name", Family("f"), {{"KLIP_ROW_KEY", "day:date user:text"}});
  for (int i = 0; i < 4; ++i) {
    const std::string row = "2026112" + std::to_string(i) + "u" + std::to_string(i);
    ASSERT_TRUE(table_
                    ->Put(Put{.row = row}
                              .Add("f", "city", i < 2 ? "bonn" : "ulm")
                              .Add("f", "age", std::string(1, static_cast<char>('a' + i)))
                              .Add("f", "name", "n" + std::to_string(i)))
                    .ok());
  }
  EXPECT_EQ(ShownWhere("city=ulm"), "ulm\\x00c20261122u2 ulm\\x00d20261123u3");
  EXPECT_EQ(ShownWhere("age>=98 day=20261121"), "bonn\\x00b20261121u1");
  EXPECT_EQ(ShownWhere("f:name=n3"), "ulm\\x00d20261123u3");
  EXPECT_EQ(ShownWhere("city=ulm", {.limit_rows = 1}), "ulm\\x00c20261122u2");
  const Expected<TableDescriptor> described = admin().GetDescriptor("t.klip_index.i");
  EXPECT_EQ(described->attributes.at("KLIP_ROW_KEY"), "city:text('\\x00') age:u8 day:date user:text");
  ASSERT_EQ(described->families.size(), 2);
  EXPECT_EQ(described->families[0].name + described->families[1].name, "ef");
}

// Random histories, in which older versions come back without a write, so that there are stale entries: the table shows
// what the visible rows say.
TEST_F(IndexTableTest, AgreesWithTheRowsAfterRandomWrites) {
  FamilyDescriptor family = Family("f", 2);
  family.ttl_s = 40;
  CreateIndexed("f:c text INCLUDE f:n", family);
  std::mt19937 random(20261127);
  const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  int shown_rows = 0;
  for (int step = 0; step < 3000; ++step) {
    const std::string row(1, static_cast<char>('a' + below(4)));
    const std::string qualifier = below(3) == 0 ? "n" : "c";
    const int64_t at_ms = now_ms_ - below(3) * 7'000;
    const int kind = below(8);
    if (kind < 4) {
      PutOne(row, "f:" + qualifier, std::string(1, static_cast<char>('v' + below(4))), at_ms);
    } else {
      const CellType types[] = {CellType::kDelete, CellType::kDeleteColumn, CellType::kDeleteFamily,
                                CellType::kDeleteFamilyVersion};
      const CellType type = types[kind - 4];
      const bool of_family = type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
      (void)table_->Delete(Delete{.row = row, .markers = {{type, "f", of_family ? "" : qualifier, at_ms}}});
    }
    now_ms_ += below(2000);
    if (below(100) == 0) {
      ASSERT_TRUE(admin().Flush("t").ok());
    }
    if (below(200) == 0) {
      ASSERT_TRUE(admin().MajorCompact("t").ok());
    }
    const std::string expected = EntriesOfRows();
    shown_rows += static_cast<int>(std::ranges::count(expected, '{'));
    ASSERT_EQ(Shown(), expected) << "step " << step;
  }
  EXPECT_GT(shown_rows, 3000);
}

TEST_F(IndexTableTest, RefusesChanges) {
  CreateIndexed("f:city text");
  const std::string name = "t.klip_index.i";
  const std::string error =
      "DoNotRetry: table 't.klip_index.i' shows the entries of index 'i' of table 't' and is read-only: klip changes "
      "it "
      "with that table";
  EXPECT_EQ(shown_->Put(Put{.row = "x"}.Add("e", "", "")).ToString(), error);
  EXPECT_EQ(shown_->Delete(Delete{.row = "x"}).ToString(), error);
  EXPECT_EQ(admin().DisableTable(name).ToString(), error);
  EXPECT_EQ(admin().DeleteTable(name).ToString(), error);
  EXPECT_EQ(admin().TruncateTable(name, false).ToString(), error);
  EXPECT_EQ(admin().Snapshot("s", name, {}).ToString(), error);
  EXPECT_EQ(admin().AddFamily(name, Family("x")).ToString(), error);
  EXPECT_EQ(admin().CreateTable({.name = name, .families = {Family("e")}}, {}).ToString(), error);
  EXPECT_EQ(admin().MajorCompact(name, "").ToString(), error);
  EXPECT_EQ((*admin().indexes())->CreateIndex(name, *IndexDescriptor::Parse("j", "e:x text"), nullptr).ToString(),
            error);
  EXPECT_EQ(connection_->NewBulkLoader(name).status().ToString(), error);
  EXPECT_TRUE(*admin().TableExists(name));
  EXPECT_EQ(admin().ListTables("")->size(), 1);
  const Expected<std::unique_ptr<Transaction>> transaction = connection_->Begin();
  EXPECT_EQ((*transaction)->GetTable(name).status().code(), Code::kUnsupported);
}

TEST_F(IndexTableTest, FollowsItsTable) {
  CreateIndexed("f:city text");
  PutOne("7", "f:city", "ulm");
  ASSERT_TRUE(admin().DisableTable("t").ok());
  EXPECT_EQ(Shown(), "TableNotEnabled: t.klip_index.i is disabled.");
  ASSERT_TRUE(admin().EnableTable("t").ok());
  EXPECT_EQ(RowsText(*shown_, {}), "ulm\\x007");
  ASSERT_TRUE((*admin().indexes())->DropIndex("t", "i").ok());
  EXPECT_EQ(Shown(), "TableNotFound: t.klip_index.i");
  EXPECT_EQ(connection_->GetTable("t.klip_index.i").status().code(), Code::kTableNotFound);
  EXPECT_FALSE(*admin().TableExists("t.klip_index.i"));
  // A table that was created with such a name is a table.
  ASSERT_TRUE(admin().CreateTable({.name = "t.klip_index.i", .families = {Family("e")}}, {}).ok());
  EXPECT_TRUE(Handle("t.klip_index.i")->Put(Put{.row = "x"}.Add("e", "", "1")).ok());
}

// Answers no get, and only reads itself what `PreBatchMutate` needs.
class Guard final : public Observer {
 public:
  Expected<bool> PreGet(CoprocessorContext& /*context*/, Get* /*get*/, Result* /*result*/) override {
    return Status(Code::kDoNotRetry, "no");
  }
  Status PreBatchMutate(BatchEvent& event) override {
    return event.Get("t.klip_index.i", {.row = std::string("ulm\0007", 5)}, &seen);
  }

  Result seen;
};

// Coprocessors may hide rows and cells of their table, so its index may not show them.
TEST_F(IndexTableTest, IsNotReadAroundCoprocessors) {
  CreateIndexed("f:city text INCLUDE f:name");
  EXPECT_EQ(table_->Put(Put{.row = "7"}.Add("f", "city", "ulm", 5).Add("f", "name", "Ann", 5)).ToString(), "ok");
  EXPECT_EQ(RowsText(*shown_, {}), "ulm\\x007");
  const auto guard = std::make_shared<Guard>();
  options_.observers = {{.tables = TableNamed("t"), .observer = guard}};
  shown_.reset();
  Open();
  shown_ = Handle("t.klip_index.i");
  const std::string error =
      "DoNotRetry: table 't.klip_index.i' cannot be read, because table 't' has coprocessors, which may restrict what "
      "is read: read that table instead";
  const Get get = {.row = std::string("ulm\0007", 5)};
  const std::vector<Get> gets = {get};
  const std::vector<Action> actions = {get};
  EXPECT_EQ(Show(shown_->Get(get)), error);
  EXPECT_EQ(shown_->Get(gets).status().ToString(), error);
  EXPECT_EQ(shown_->Exists(get).status().ToString(), error);
  EXPECT_EQ(shown_->Batch(actions).front().status().ToString(), error);
  EXPECT_EQ(Shown(), error);
  EXPECT_EQ(shown_->ScanBatches({}, {}).status().ToString(), error);
  EXPECT_EQ(shown_->CountRows({}).status().ToString(), error);
  EXPECT_EQ(shown_->Explain({}).status().ToString(), error);
  EXPECT_EQ(shown_->FirstRow().status().ToString(), error);
  EXPECT_EQ(shown_->DistinctKeys(1, false).status().ToString(), error);
  EXPECT_EQ(shown_->SampleKeys().status().ToString(), error);
  EXPECT_TRUE(admin().GetDescriptor("t.klip_index.i").ok());
  // The coprocessors themselves read it as others would without them.
  Use("t");
  EXPECT_EQ(PutOne("8", "f:city", "bonn"), "ok");
  EXPECT_EQ(Show(guard->seen), "e:@0= f:name@5=Ann");
}

// A write locks its row, and not the entries of it. So a condition on an entry would not hold until the commit.
TEST_F(IndexTableTest, IsNotInConditionsOfWrites) {
  CreateIndexed("f:city text");
  PutOne("7", "f:city", "ulm");
  const std::string error =
      "Unsupported: a condition cannot be on 't.klip_index.i', whose rows cannot be locked: use table 't'";
  const std::string entry("ulm\0007", 5);
  const AtomicBatch batch = {
      .conditions = {{.table = "t.klip_index.i", .row = entry, .condition = {.filter = PrefixFilter("ulm")}}},
      .steps = {{.table = "t", .mutation = Put{.row = "8"}.Add("f", "city", "bonn")}}};
  EXPECT_EQ(connection_->Apply(batch).status().ToString(), error);
  const Expected<std::unique_ptr<Transaction>> transaction = connection_->Begin();
  EXPECT_EQ((*transaction)->Apply(batch).status().ToString(), error);
  const CheckAndMutate check = {
      .row = entry, .condition = RowCondition::IfNotExists("e", "x"), .action = Put{.row = entry}.Add("e", "x", "")};
  EXPECT_EQ(shown_->CheckAndMutate(check).status().ToString(), error);
  EXPECT_EQ(RowsText({}), "7");
}

// The store looks for the rows of both only if that is quick.
TEST_F(IndexTableTest, TakesConditionsBesideFiltersOfManyRows) {
  CreateIndexed("f:a u8, f:b u8");
  std::string where = "a=";
  std::vector<FuzzyKey> keys;
  for (int i = 0; i < 70; ++i) {
    const std::string byte(1, static_cast<char>(i));
    ASSERT_TRUE(table_->Put(Put{.row = "r" + byte}.Add("f", "a", byte).Add("f", "b", byte)).ok());
    where += (i == 0 ? "" : ",") + std::to_string(2 * i);
    keys.push_back({.key = std::string(1, '\0') + static_cast<char>(3 * i), .mask = std::string("\1\0", 2)});
  }
  EXPECT_EQ(ShownWhere(where, {.start_row = "\x30", .filter = *FuzzyRowFilter(keys)}), "00r0 66r6 <<r< BBrB");
}

// What a transaction lays over the store is counted when it is committed, and not before or if that fails.
TEST_F(IndexTableTest, ATransactionCountsItsEntriesOnce) {
  CreateIndexed("f:city text");
  PutOne("7", "f:city", "ulm");
  for (const bool commits : {false, true}) {
    for (const bool rejected : {true, false}) {
      const Expected<std::unique_ptr<Transaction>> transaction = connection_->Begin();
      const auto table = *(*transaction)->GetTable("t");
      EXPECT_TRUE(table->Put(Put{.row = "7"}.Add("f", "city", "bonn")).ok());
      if (rejected) {
        EXPECT_EQ(PutOne("7", "f:name", "changed meanwhile"), "ok");
      }
      if (rejected || commits) {
        EXPECT_EQ((*transaction)->Commit().ok(), !rejected);
      } else {
        (*transaction)->Rollback();
      }
    }
    const auto states = static_cast<EmbeddedConnection&>(*connection_).IndexStates();
    EXPECT_EQ(states.at(0).counters->written, commits ? 2 : 1);
    EXPECT_EQ(states.at(0).counters->removed, commits ? 1 : 0);
  }
}

TEST_F(IndexTableTest, DistinctKeysJumpOverEntriesOfTheSameValue) {
  CreateIndexed("f:city text, f:n u8");
  const auto add = [&](int first, int rows, const std::string& city) {
    for (int i = first; i < first + rows; ++i) {
      klip::Put put = {.row = "r" + std::to_string(i)};
      ASSERT_TRUE(table_->Put(put.Add("f", "city", city).Add("f", "n", std::string(1, static_cast<char>(i % 3)))).ok());
    }
  };
  add(0, 2000, "bonn");
  add(2000, 1, "cork");
  add(2001, 16, "");
  add(2017, 17, "ulm\xFF\xFF");
  add(2034, 2000, "\xFF\xFF");
  const auto text = [&](int fields) {
    const Expected<std::vector<KeyCount>> keys = shown_->DistinctKeys(fields, false);
    std::string out;
    for (const KeyCount& one : *keys) {
      for (const std::string& value : one.values) {
        out += ToStringBinary(value) + ",";
      }
    }
    return out;
  };
  EXPECT_EQ(text(1), ",bonn,cork,ulm\\xFF\\xFF,\\xFF\\xFF,");
  EXPECT_EQ(text(2).substr(0, 34), ",0,,1,,2,bonn,0,bonn,1,bonn,2,cork");
  EXPECT_EQ(shown_->DistinctKeys(2, true)->size(), shown_->DistinctKeys(2, false)->size());
}

TEST_F(IndexTableTest, BelongsToTheTableBeforeTheLastMark) {
  ASSERT_TRUE(admin().CreateNamespace({.name = "ns"}).ok());
  for (const std::string table : {"ns:t", "t", "t.klip_index.a"}) {
    Create(table, {Family("f")}, {{"KLIP_INDEX$b", "f:city text"}});
    PutOne("of " + table, "f:city", "ulm");
    EXPECT_EQ(RowsText(*Handle(table + ".klip_index.b"), {}), "ulm\\x00of " + table);
  }
  EXPECT_EQ(Handle("default:t.klip_index.b")->name(), "t.klip_index.b");
  EXPECT_EQ(connection_->GetTable("t.klip_index.b.klip_index.b").status().code(), Code::kTableNotFound);
  EXPECT_EQ(connection_->GetTable(".klip_index.b").status().code(), Code::kTableNotFound);
  EXPECT_EQ(connection_->GetTable("t.klip_index.").status().code(), Code::kTableNotFound);
}

// Writers of the same rows, while the index is read, dropped and created again.
TEST_F(IndexTableTest, IsReadWhileWritersAndIndexesChange) {
  CreateIndexed("f:c text INCLUDE f:n");
  IndexAdmin& indexes = **admin().indexes();
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    threads.emplace_back([&, seed] {
      const auto table = Handle("t");
      std::mt19937 random(seed);
      while (!done) {
        const std::string row(1, static_cast<char>('a' + random() % 4));
        const std::string value(1, static_cast<char>('v' + random() % 4));
        ++now_ms_;
        EXPECT_TRUE(random() % 4 == 0 ? table->Delete(Delete{.row = row}.AddColumns("f", "c")).ok()
                                      : table->Put(Put{.row = row}.Add("f", "c", value).Add("f", "n", value)).ok());
      }
    });
  }
  std::atomic<int> scans = 0;
  threads.emplace_back([&] {
    while (!done) {
      const Expected<std::unique_ptr<ResultScanner>> scanner = shown_->Scan({});
      EXPECT_TRUE(scanner.ok() || scanner.status().code() == Code::kTableNotFound) << scanner.status().ToString();
      Result row;
      while (scanner.ok() && *(*scanner)->Next(&row)) {
        // Value and included column come from one commit.
        EXPECT_EQ(row.Value("f", "n"), row.row().substr(0, 1));
      }
      scans += scanner.ok() ? 1 : 0;
    }
  });
  for (int round = 0; round < 10; ++round) {
    EXPECT_TRUE(indexes.DropIndex("t", "i").ok());
    EXPECT_EQ(indexes.CreateIndex("t", *IndexDescriptor::Parse("i", "f:c text INCLUDE f:n"), nullptr).ToString(), "ok");
    const int before = scans;
    while (scans < before + 3) {
      std::this_thread::yield();
    }
  }
  done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Shown(), EntriesOfRows());
}

}  // namespace
}  // namespace klip::table
