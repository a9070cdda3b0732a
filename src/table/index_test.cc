// Indexes as users see them: which ones are rejected, what is one commit, what stays hidden. index_twin_test.cc checks
// that entries are right.
#include "klip/index.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/views.h"
#include "klip/cancel.h"
#include "table/admin/region_truncation.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/read/index_entry.h"
#include "table/table_test_util.h"
#include "table/write/index_entries.h"

namespace klip::table {
namespace {

class IndexTest : public TableTest {
 protected:
  void CreateIndexed(const std::string& declaration, std::map<std::string, std::string> attributes = {}) {
    attributes["KLIP_INDEX$i"] = declaration;
    Create("t", {Family("f", 3), Family("g")}, attributes);
  }

  IndexAdmin& indexes() { return **admin().indexes(); }
  std::string Make(const std::string& declaration) {
    return indexes().CreateIndex("t", *IndexDescriptor::Parse("i", declaration)).ToString();
  }
  std::string List() {
    std::string out;
    const Expected<std::vector<IndexInfo>> all = indexes().ListIndexes("t");
    for (const IndexInfo& info : *all) {
      out += info.index.ToString() + (info.building ? ", building" : "");
    }
    return out;
  }
  std::string Verify(bool repair = false) {
    const Expected<IndexCheck> check = indexes().VerifyIndex("t", "i", repair);
    if (!check.ok()) {
      return check.status().ToString();
    }
    std::string out = "rows " + std::to_string(check->rows) + " entries " + std::to_string(check->entries);
    if (check->missing + check->wrong + check->stale > 0) {
      out += " missing " + std::to_string(check->missing) + " wrong " + std::to_string(check->wrong) + " stale " +
             std::to_string(check->stale);
    }
    for (const std::string& difference : check->differences) {
      out += (&difference == check->differences.data() ? ": " : "; ") + difference;
    }
    return out;
  }

  // The right entries of index "i" as "fields>row", with ? for those that had to be checked.
  std::string Entries(const std::string& table = "t", const std::string& name = "i", bool covered = false) {
    auto& connection = static_cast<EmbeddedConnection&>(*connection_);
    const InfoPtr info = *(*connection.FindSlot(table))->Current();
    const TableIndex& index = *info->indexes->Find(name);
    const Limits limits;
    Expected<EntryScanner> scanner = EntryScanner::Open(RowSource(&connection.store(), limits), *info, index, {});
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    std::string out;
    EntryScanner::Entry entry;
    for (Expected<bool> more = scanner->Next(&entry); more.ok() && *more; more = scanner->Next(&entry)) {
      out += (out.empty() ? "" : " ") + ToStringBinary(entry.key.substr(0, entry.key.size() - entry.row.size())) + ">" +
             ToStringBinary(entry.row) + (entry.certain ? "" : "?");
      for (const CoveredColumn& column : covered ? entry.covered : std::span<const CoveredColumn>()) {
        out += " " + index.definition.columns[column.column].Name() + "=" + std::string(column.value);
      }
    }
    return out;
  }
};

TEST_F(IndexTest, FollowsTheRows) {
  CreateIndexed("f:a text");
  EXPECT_EQ(PutOne("r1", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "w"), "ok");
  EXPECT_EQ(PutOne("r3", "f:b", "x"), "ok");
  EXPECT_EQ(Entries(), "w\\x00>r2 x\\x00>r1");
  EXPECT_EQ(PutOne("r1", "f:a", "v"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "old", 5), "ok");
  EXPECT_EQ(Entries(), "v\\x00>r1 w\\x00>r2");
  EXPECT_TRUE(table_->Delete({.row = "r2"}).ok());
  EXPECT_EQ(Entries(), "v\\x00>r1");
  Open();
  Use("t");
  EXPECT_EQ(Entries(), "v\\x00>r1");
}

TEST_F(IndexTest, ABadDeclarationIsRefusedWithTheTable) {
  TableDescriptor table;
  table.name = "t";
  table.families = {Family("f")};
  table.attributes["KLIP_INDEX$i"] = "h:a text";
  EXPECT_EQ(admin().CreateTable(table).ToString(),
            "InvalidArgument: index 'i': column 'h:a': table 't' has no family 'h'");
  table.attributes["KLIP_INDEX$i"] = "f:a text";
  EXPECT_EQ(admin().CreateTable(table).ToString(), "ok");
  table.families[0].ttl_s = 7;
  EXPECT_NE(admin().ModifyTable(table).message().find("index 'i' has to be dropped before the TTL"), std::string::npos);
  table.families[0].ttl_s = kTtlForever;
  table.attributes["KLIP_INDEX$i"] = "f:b text";
  EXPECT_NE(admin().ModifyTable(table).message().find("can only be changed by Admin::indexes()"), std::string::npos);
}

TEST_F(IndexTest, AValueOfAnotherTypeIsRefused) {
  CreateIndexed("f:n i32");
  const std::string refused =
      "InvalidArgument: index 'i': column f:n of row 'r': field 'n': 1 bytes are stored, its type has 4";
  EXPECT_EQ(PutOne("r", "f:n", "x"), refused);
  EXPECT_EQ(PutOne("r", "f:n", BigEndian<int32_t>(7)), "ok");
  EXPECT_EQ(PutOne("r", "f:n", "x", 5), refused);  // an older version may come back
  EXPECT_NE(table_->Append({.row = "r", .columns = {{"f", "n", "x"}}}).status().message().find("5 bytes are stored"),
            std::string::npos);
  EXPECT_EQ(GetText("r"), "f:n@1000000=\\x00\\x00\\x00\\x07");
  // A rejected change of a batch does not stop the others.
  const std::vector<Action> actions = {klip::Put{.row = "r"}.Add("f", "n", "x"),
                                       klip::Put{.row = "s"}.Add("f", "n", BigEndian<int32_t>(8))};
  const auto outcomes = table_->Batch(actions);
  EXPECT_EQ(outcomes[0].status().ToString(), refused);
  EXPECT_TRUE(outcomes[1].ok());
  EXPECT_EQ(Entries(), "\\x80\\x00\\x00\\x07>r \\x80\\x00\\x00\\x08>s");
}

TEST_F(IndexTest, DeletedValuesOfAnotherTypeDoNotStopABuild) {
  Create("t", {Family("f", 3)});
  ASSERT_EQ(PutOne("r", "f:n", "x", 5), "ok");
  const std::string refused =
      "InvalidArgument: index 'i': column f:n of row 'r': field 'n': 1 bytes are stored, its type has 4";
  EXPECT_EQ(Make("f:n i32"), refused);
  ASSERT_EQ(PutOne("r", "f:n", BigEndian<int32_t>(7), 6), "ok");
  EXPECT_EQ(Make("f:n i32"), refused);  // it comes back if the newer version is deleted
  ASSERT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumn("f", "n", 5)).ok());
  EXPECT_EQ(Make("f:n i32"), "ok");
  EXPECT_EQ(Entries(), "\\x80\\x00\\x00\\x07>r");
  ASSERT_TRUE(indexes().DropIndex("t", "i").ok());

  ASSERT_EQ(PutOne("s", "f:n", "x", 5), "ok");
  ASSERT_TRUE(table_->Delete(Delete{.row = "s"}).ok());
  EXPECT_EQ(Make("f:n i32"), "ok");
  EXPECT_EQ(Verify(), "rows 2 entries 1");
}

// A compaction may drop a marker of such a family before what it masks.
TEST_F(IndexTest, ADeletedValueThatMayComeBackStopsABuild) {
  FamilyDescriptor keeps = Family("f", 3);
  keeps.keep_deleted_cells = KeepDeletedCells::kTrue;
  FamilyDescriptor newer = Family("g", 3);
  newer.new_version_behavior = true;
  Create("t", {keeps, newer});
  ASSERT_EQ(PutOne("r", "f:n", "x", 5), "ok");
  ASSERT_EQ(PutOne("r", "g:n", "x", 5), "ok");
  ASSERT_TRUE(table_->Delete(Delete{.row = "r"}.AddColumns("f", "n").AddColumns("g", "n")).ok());
  EXPECT_EQ(Make("f:n i32"),
            "InvalidArgument: index 'i': column f:n of row 'r': field 'n': 1 bytes are stored, its type has 4");
  EXPECT_EQ(Make("g:n i32"), "ok");
}

TEST_F(IndexTest, ALongValueIsRefused) {
  CreateIndexed("f:a text");
  EXPECT_NE(PutOne("r", "f:a", std::string(32766, 'x')).find("index 'i': the entry of row 'r' has 32768 bytes"),
            std::string::npos);
  EXPECT_EQ(PutOne("r", "f:a", std::string(32765, 'x')), "ok");
}

TEST_F(IndexTest, ARowThatDoesNotFitTheSchemaIsRefused) {
  CreateIndexed("key.day, f:a text", {{"KLIP_ROW_KEY", "user:text('|') day:date"}});
  EXPECT_EQ(PutOne("bob|20140628", "f:a", "x"), "ok");
  EXPECT_NE(PutOne("bob", "f:a", "x").find("index 'i': the row 'bob' cannot be indexed"), std::string::npos);
  EXPECT_EQ(PutOne("bob", "f:b", "x"), "ok");  // it has no entry
  EXPECT_EQ(Entries(), "20140628x\\x00>bob|20140628");
}

TEST_F(IndexTest, AUniqueValueIsGivenOnce) {
  CreateIndexed("f:a text UNIQUE");
  EXPECT_EQ(PutOne("r1", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r1", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "xy"), "ok");
  EXPECT_EQ(
      PutOne("r2", "f:a", "x"),
      "DoNotRetry: index 'i' of table 't' is unique: row 'r1' has the value 'x\\x00' already, row 'r2' cannot have it");
  EXPECT_EQ(GetText("r2"), "f:a@1000000=xy");
  EXPECT_TRUE(table_->Delete({.row = "r1"}).ok());
  now_ms_ += 1;
  EXPECT_EQ(PutOne("r2", "f:a", "x"), "ok");
}

// Rows of one group of a build, and of one commit.
TEST_F(IndexTest, ADeletedValueIsFree) {
  for (const bool keeps : {false, true}) {
    FamilyDescriptor family = Family("f", 3);
    family.keep_deleted_cells = keeps ? KeepDeletedCells::kTrue : KeepDeletedCells::kFalse;
    const std::string name = keeps ? "keeps" : "drops";
    Create(name, {family}, {{"KLIP_INDEX$i", "f:a text UNIQUE"}});
    ASSERT_EQ(PutOne("r1", "f:a", "x", 5), "ok");
    AtomicBatch moves;
    moves.steps = {{name, klip::Put{.row = "r2"}.Add("f", "a", "x", 9)},
                   {name, Delete{.row = "r1"}.AddColumns("f", "a", 8)}};
    EXPECT_EQ(connection_->Apply(moves).status().ToString(), "ok");
    ASSERT_EQ(PutOne("r1", "f:a", "x", 7), "ok") << "the marker masks it";
    ASSERT_EQ(PutOne("r1", "f:a", "x", 10).substr(0, 11), "DoNotRetry:");
    EXPECT_EQ(indexes().RebuildIndex(name, "i").ToString(), "ok");
    ASSERT_TRUE(indexes().DropIndex(name, "i").ok());
    EXPECT_EQ(indexes().CreateIndex(name, *IndexDescriptor::Parse("i", "f:a text UNIQUE")).ToString(), "ok");
    ASSERT_EQ(PutOne("r3", "f:a", "x", 10).substr(0, 11), "DoNotRetry:");
    EXPECT_EQ(Entries(name), "x\\x00>r2");
  }
}

// The deletion of a version shows an older one.
TEST_F(IndexTest, AValueThatComesBackMustBeFree) {
  CreateIndexed("f:a text UNIQUE");
  ASSERT_EQ(PutOne("r1", "f:a", "x", 5), "ok");
  ASSERT_EQ(PutOne("r1", "f:a", "y", 6), "ok");
  ASSERT_EQ(PutOne("r2", "f:a", "x", 5), "ok");
  EXPECT_EQ(
      table_->Delete(Delete{.row = "r1"}.AddColumn("f", "a", 6)).ToString(),
      "DoNotRetry: index 'i' of table 't' is unique: row 'r2' has the value 'x\\x00' already, row 'r1' cannot have it");
  EXPECT_EQ(GetText("r1"), "f:a@6=y");
  ASSERT_EQ(PutOne("r2", "f:a", "z", 7), "ok");
  EXPECT_EQ(table_->Delete(Delete{.row = "r1"}.AddColumn("f", "a", 6)).ToString(), "ok");
}

TEST_F(IndexTest, RowsThatLackAnOptionalColumnAreNotComparedWithOthers) {
  CreateIndexed("f:a text, f:b text optional UNIQUE");
  EXPECT_EQ(PutOne("r1", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r1", "f:b", "y"), "ok");
  EXPECT_EQ(PutOne("r2", "f:b", "y").substr(0, 40), "DoNotRetry: index 'i' of table 't' is un");
  EXPECT_EQ(PutOne("r2", "f:b", "z"), "ok");
  EXPECT_EQ(Entries(), "x\\x00\\x01y\\x00>r1 x\\x00\\x01z\\x00>r2");
}

TEST_F(IndexTest, AUniqueValueMovesInOneCommit) {
  CreateIndexed("f:a text UNIQUE");
  EXPECT_EQ(PutOne("r1", "f:a", "x", 1), "ok");
  AtomicBatch swap;
  swap.steps = {{"t", klip::Put{.row = "r1"}.Add("f", "a", "y", 2)},
                {"t", klip::Put{.row = "r2"}.Add("f", "a", "x", 2)}};
  EXPECT_EQ(connection_->Apply(swap).status().ToString(), "ok");
  EXPECT_EQ(Entries(), "x\\x00>r2 y\\x00>r1");
  AtomicBatch twice;
  twice.steps = {{"t", klip::Put{.row = "r3"}.Add("f", "a", "z")}, {"t", klip::Put{.row = "r4"}.Add("f", "a", "z")}};
  EXPECT_NE(connection_->Apply(twice).status().message().find("row 'r3' has the value 'z\\x00' already"),
            std::string::npos);
  EXPECT_EQ(Entries(), "x\\x00>r2 y\\x00>r1");
}

TEST_F(IndexTest, AUniqueValueIsWonByOneOfManyWriters) {
  CreateIndexed("f:a text UNIQUE");
  constexpr int kWriters = 4;
  constexpr int kValues = 100;
  std::atomic<int> won = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      const auto table = Handle("t");
      for (int value = 0; value < kValues; ++value) {
        const std::string row = "r" + std::to_string(writer) + "-" + std::to_string(value);
        Status status;
        do {
          status = table->Put(klip::Put{.row = row}.Add("f", "a", "v" + std::to_string(value)));
        } while (status.code() == Code::kRegionTooBusy);
        won += status.ok() ? 1 : 0;
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(won, kValues);
}

TEST_F(IndexTest, FieldsHaveTheirOwnOrder) {
  CreateIndexed("f:n i32 desc, f:a text");
  for (const int32_t n : {-5, 3, 0}) {
    ASSERT_TRUE(
        table_->Put(klip::Put{.row = "r" + std::to_string(n)}.Add("f", "n", BigEndian(n)).Add("f", "a", "x")).ok());
  }
  const std::string entries = Entries();
  EXPECT_LT(entries.find(">r3"), entries.find(">r0"));
  EXPECT_LT(entries.find(">r0"), entries.find(">r-5"));
}

TEST_F(IndexTest, OnlyRowsOfItsConditionHaveEntries) {
  CreateIndexed("f:a text WHERE f:on = 1 AND g:x = y");
  EXPECT_TRUE(table_->Put(klip::Put{.row = "r1"}.Add("f", "a", "v").Add("f", "on", "1").Add("g", "x", "y")).ok());
  EXPECT_TRUE(table_->Put(klip::Put{.row = "r2"}.Add("f", "a", "v").Add("f", "on", "0").Add("g", "x", "y")).ok());
  EXPECT_EQ(Entries(), "v\\x00>r1");
  EXPECT_EQ(PutOne("r2", "f:on", "1"), "ok");
  EXPECT_EQ(PutOne("r1", "g:x", "n"), "ok");
  EXPECT_EQ(Entries(), "v\\x00>r2");
}

TEST_F(IndexTest, StaysOutOfSight) {
  CreateIndexed("f:a text");
  EXPECT_EQ(PutOne("r", "f:a", "x"), "ok");
  EXPECT_EQ(admin().GetDescriptor("t")->families.size(), 2u);
  EXPECT_EQ(ScanText({}), "r{f:a@1000000=x}");
  EXPECT_EQ(ScanText({.max_versions = kAllVersions, .raw = true}), "r{f:a@1000000=x}");
  EXPECT_EQ(PutOne("r", ":i:q", "x").substr(0, 20), "NoSuchColumnFamily: ");
  EXPECT_TRUE(table_->Delete({.row = "r"}).ok());
  EXPECT_EQ(ScanText({}), "");
}

TEST_F(IndexTest, TravelsWithSnapshotsAndGoesWithTruncation) {
  CreateIndexed("f:a text");
  EXPECT_EQ(PutOne("r", "f:a", "x"), "ok");
  EXPECT_TRUE(admin().Snapshot("s", "t").ok());
  EXPECT_EQ(PutOne("r", "f:a", "y"), "ok");
  EXPECT_TRUE(admin().CloneSnapshot("s", "c").ok());
  EXPECT_EQ(Entries("c"), "x\\x00>r");
  EXPECT_TRUE(admin().DisableTable("t").ok());
  EXPECT_TRUE(admin().RestoreSnapshot("s").ok());
  EXPECT_TRUE(admin().EnableTable("t").ok());
  EXPECT_EQ(Entries(), "x\\x00>r");
  Use("c");
  EXPECT_EQ(PutOne("r", "f:a", "z"), "ok");
  EXPECT_EQ(Entries("c"), "z\\x00>r");
  EXPECT_TRUE(admin().DisableTable("c").ok());
  EXPECT_TRUE(admin().TruncateTable("c", false).ok());
  EXPECT_EQ(Entries("c"), "");
}

// A column expires by the TTL of its family; the entry that contains it may live longer.
TEST_F(IndexTest, ACoveredColumnEndsBeforeItsEntry) {
  FamilyDescriptor mortal = Family("g");
  mortal.ttl_s = 1;
  Create("t", {Family("f"), mortal}, {{"KLIP_INDEX$i", "f:a text INCLUDE g:c, f:b"}});
  EXPECT_TRUE(table_->Put(klip::Put{.row = "r"}.Add("f", "a", "x").Add("f", "b", "y").Add("g", "c", "z")).ok());
  EXPECT_EQ(Entries("t", "i", /*covered=*/true), "x\\x00>r g:c=z f:b=y");
  now_ms_ += 1500;
  EXPECT_EQ(Entries("t", "i", /*covered=*/true), "x\\x00>r f:b=y");
  EXPECT_EQ(Verify(), "rows 1 entries 1");
}

// --- Created, verified and dropped while there are rows ---

TEST_F(IndexTest, IsBuiltOfTheRowsThatAreThere) {
  Create("t", {Family("f", 3), Family("g")});
  for (int i = 0; i < 1000; ++i) {  // several groups
    ASSERT_EQ(PutOne("r" + std::to_string(i), "f:a", i % 10 == 0 ? "ten" : "x", 5), "ok");
  }
  EXPECT_EQ(PutOne("r0", "f:a", "new", 6), "ok");
  EXPECT_TRUE(table_->Delete({.row = "r10", .timestamp_ms = 7}).ok());
  std::string progress;
  const IndexProgress tell = [&](int64_t rows) { progress += std::to_string(rows) + " "; };
  EXPECT_TRUE(indexes().CreateIndex("t", *IndexDescriptor::Parse("i", "f:a text INCLUDE f:b"), tell).ok());
  EXPECT_TRUE(progress.starts_with("16 32 48 ") && progress.ends_with(" 992 1000 ")) << progress;
  EXPECT_EQ(List(), "f:a text INCLUDE f:b");
  const std::string entries = Entries();
  EXPECT_EQ(std::count(entries.begin(), entries.end(), '>'), 999);
  EXPECT_TRUE(entries.starts_with("new\\x00>r0 ten\\x00>r100 ten\\x00>r110")) << entries.substr(0, 80);
  EXPECT_EQ(Verify(), "rows 1000 entries 999");
  EXPECT_EQ(PutOne("r11", "f:a", "aaa"), "ok");
  EXPECT_TRUE(Entries().starts_with("aaa\\x00>r11 "));
  EXPECT_EQ(Verify(), "rows 1000 entries 999");
  EXPECT_EQ(indexes().DropIndex("t", "i").ToString(), "ok");
  EXPECT_EQ(List(), "");
  EXPECT_EQ(indexes().DropIndex("t", "i").ToString(), "InvalidArgument: table 't' has no index 'i'");
  EXPECT_EQ(admin().GetDescriptor("t")->attributes.size(), 0u);
}

TEST_F(IndexTest, WhatRowsHaveDecidesWhetherItCanBeBuilt) {
  Create("t", {Family("f")});
  EXPECT_EQ(PutOne("r1", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "x"), "ok");
  EXPECT_EQ(Make("f:a u32"),
            "InvalidArgument: index 'i': column f:a of row 'r1': field 'a': 1 bytes are stored, its type has 4");
  EXPECT_EQ(List(), "");
  EXPECT_EQ(
      Make("f:a text UNIQUE"),
      "DoNotRetry: index 'i' of table 't' is unique: row 'r1' has the value 'x\\x00' already, row 'r2' cannot have it");
  EXPECT_EQ(List(), "");
  EXPECT_EQ(Make("h:a text"), "InvalidArgument: index 'i': column 'h:a': table 't' has no family 'h'");
  EXPECT_EQ(Make("f:a text"), "ok");
  EXPECT_EQ(Make("f:a text"), "InvalidArgument: table 't' has an index 'i' already: f:a text");
  EXPECT_EQ(Make("f:b text"), "InvalidArgument: table 't' has an index 'i' already: f:a text");
}

// Only writes see the new one until it is complete.
TEST_F(IndexTest, ARebuildLeavesTheIndexInForceUntilItIsDone) {
  CreateIndexed("f:a text UNIQUE");
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(PutOne("r" + std::to_string(1000 + i), "f:a", "v" + std::to_string(i)), "ok");
  }
  ASSERT_TRUE(indexes().SetUsable("t", "i", false).ok());
  {
    const CancelScope scope(CancelToken::Asking([asked = 0]() mutable { return ++asked > 3; }));
    EXPECT_EQ(indexes().RebuildIndex("t", "i").code(), Code::kCancelled);
  }
  ASSERT_TRUE(indexes().SetUsable("t", "i", true).ok());
  Open();
  Use("t");
  EXPECT_EQ(List(), "f:a text UNIQUE");
  const Scan scan = {.where = *table_->ParseQuery("f:a=v599")};
  EXPECT_EQ(table_->Explain(scan)->index, "i");
  EXPECT_EQ(table_->Explain(scan)->candidates.size(), 2U) << "the new one is no candidate";
  EXPECT_EQ(RowsText(scan), "r1599");
  EXPECT_EQ(PutOne("s", "f:a", "v599").substr(0, 11), "DoNotRetry:") << "a row that the new one does not have yet";
  EXPECT_EQ(PutOne("r1001", "f:a", "w"), "ok");
  EXPECT_EQ(PutOne("r1598", "f:a", "w2"), "ok");
  EXPECT_EQ(Verify(), "rows 600 entries 600");
  ASSERT_TRUE(indexes().SetUsable("t", "i", false).ok());
  EXPECT_EQ(indexes().RebuildIndex("t", "i").ToString(), "ok");
  EXPECT_EQ(table_->Explain(scan)->index, "i") << "a rebuild makes it usable";
  EXPECT_EQ(Verify(), "rows 600 entries 600");
  EXPECT_EQ(PutOne("s", "f:a", "v599").substr(0, 11), "DoNotRetry:");
}

TEST_F(IndexTest, AFailedRebuildLeavesTheIndexInForce) {
  CreateIndexed("f:a text UNIQUE");
  ASSERT_EQ(PutOne("r1", "f:a", "x"), "ok");
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  engine::WriteSet writes;  // past the index
  writes.Add(*info->view->Find("f"), "r2", "a", 5, CellType::kPut, "x");
  ASSERT_TRUE(connection.store().Write(&writes, Durability::kSyncWal).ok());
  const std::string refused =
      "DoNotRetry: index 'i' of table 't' is unique: row 'r1' has the value 'x\\x00' already, row 'r2' cannot have it";
  EXPECT_EQ(indexes().RebuildIndex("t", "i").ToString(), refused);
  EXPECT_EQ(List(), "f:a text UNIQUE");
  EXPECT_EQ(PutOne("r3", "f:a", "x").substr(0, 11), "DoNotRetry:");
  EXPECT_EQ(Entries(), "x\\x00>r1");
  EXPECT_EQ(indexes().RebuildIndex("t", "i").ToString(), refused);
  EXPECT_TRUE(table_->Delete({.row = "r2"}).ok());
  EXPECT_EQ(indexes().RebuildIndex("t", "i").ToString(), "ok");
  EXPECT_EQ(Verify(), "rows 2 entries 1");
}

TEST_F(IndexTest, ADroppedIndexTakesItsRebuildAlong) {
  CreateIndexed("f:a text");
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(PutOne("r" + std::to_string(1000 + i), "f:a", "x"), "ok");
  }
  {
    const CancelScope scope(CancelToken::Asking([asked = 0]() mutable { return ++asked > 1; }));
    EXPECT_EQ(indexes().RebuildIndex("t", "i").code(), Code::kCancelled);
  }
  EXPECT_TRUE(indexes().DropIndex("t", "i").ok());
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  EXPECT_TRUE((*connection.store().views().GetTable("t"))->indexes.empty());
  EXPECT_EQ(Make("f:b text"), "ok");
}

// The state after a crash: declared, some rows done, with the position.
TEST_F(IndexTest, ABuildGoesOnWhereItWas) {
  Create("t", {Family("f")});
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(PutOne("r" + std::to_string(1000 + i), "f:a", i < 500 ? "x" : "y"), "ok");
  }
  {
    const CancelScope scope(CancelToken::Asking([asked = 0]() mutable { return ++asked > 1; }));
    EXPECT_EQ(indexes().CreateIndex("t", *IndexDescriptor::Parse("i", "f:a text")).code(), Code::kCancelled);
  }
  Open();
  Use("t");
  EXPECT_EQ(List(), "f:a text, building");
  const std::string some = Entries();
  EXPECT_EQ(std::count(some.begin(), some.end(), '>'), 16);
  EXPECT_EQ(PutOne("r1000", "f:a", "written meanwhile"), "ok");
  EXPECT_EQ(Make("f:a text"), "ok");
  EXPECT_EQ(List(), "f:a text");
  EXPECT_EQ(Verify(), "rows 600 entries 600");
}

TEST_F(IndexTest, IsBuiltWhileRowsAreWritten) {
  Create("t", {Family("f", 2), Family("g")});
  constexpr int kWrittenRows = 2000;
  std::vector<klip::Put> puts;
  for (int i = 0; i < kWrittenRows; ++i) {
    puts.push_back(klip::Put{.row = "r" + std::to_string(i)}.Add("f", "a", "old"));
  }
  ASSERT_TRUE(table_->Put(puts).ok());
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (unsigned seed = 1; seed <= 2; ++seed) {
    writers.emplace_back([&, seed] {
      const auto table = Handle("t");
      std::mt19937 random(seed);
      while (!done) {
        const std::string row = "r" + std::to_string(random() % kWrittenRows);
        const int64_t at_ms = now_ms_ + static_cast<int64_t>(random() % 20) - 10;
        if (random() % 4 == 0) {
          EXPECT_TRUE(table->Delete(klip::Delete{.row = row}.AddColumns("f", "a", at_ms)).ok());
        } else {
          EXPECT_TRUE(table->Put(klip::Put{.row = row}.Add("f", "a", "v" + std::to_string(random() % 5), at_ms)).ok());
        }
      }
    });
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(Make("f:a text"), "ok");
    const Expected<IndexCheck> check = indexes().VerifyIndex("t", "i");  // while they write on
    EXPECT_TRUE(check.ok() && check->ok()) << check.status().ToString();
    EXPECT_TRUE(round == 2 || indexes().DropIndex("t", "i").ok());
  }
  done = true;
  for (std::thread& writer : writers) {
    writer.join();
  }
  const Expected<IndexCheck> check = indexes().VerifyIndex("t", "i");
  EXPECT_TRUE(check.ok() && check->ok()) << check.status().ToString();
}

TEST_F(IndexTest, VerifyFindsAndMendsWhatDiffers) {
  CreateIndexed("f:a text INCLUDE f:b");
  for (const char* row : {"r1", "r2", "r3"}) {
    EXPECT_TRUE(table_->Put(klip::Put{.row = row}.Add("f", "a", "x").Add("f", "b", "y")).ok());
  }
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  const engine::Family& family = *info->indexes->all[0].family;
  const std::string fields("x\0", 2);
  engine::WriteSet writes;
  writes.Remove(family, fields + "r1", "", 0);
  std::string not_y(kCovering);
  AppendCovered(
      {.column = *info->indexes->all[0].definition.ColumnIndex("f", "b"), .timestamp_ms = now_ms_, .value = "not y"},
      &not_y);
  writes.Add(family, fields + "r2", "", 0, CellType::kPut, not_y);
  writes.Add(family, fields + "r4", "", 0, CellType::kPut, kCovering);
  writes.Add(family, fields + "r5", "", 0, CellType::kPut, kCheck);
  ASSERT_TRUE(connection.store().Write(&writes, Durability::kSyncWal).ok());
  EXPECT_EQ(Verify(),
            "rows 3 entries 4 missing 2 wrong 1 stale 1: missing: x\\x00r1; different: x\\x00r2; "
            "wrong: x\\x00r4; stale: x\\x00r5");
  EXPECT_EQ(Verify(/*repair=*/true).substr(0, 41), "rows 3 entries 5 missing 2 wrong 1 stale ");
  EXPECT_EQ(Verify(), "rows 3 entries 3");
  EXPECT_EQ(Entries(), "x\\x00>r1 x\\x00>r2 x\\x00>r3");
}

// They have a cell for each covered column.
TEST_F(IndexTest, ChecksEntriesOfOlderVersions) {
  CreateIndexed("f:a text INCLUDE f:b");
  for (const char* row : {"r1", "r2"}) {
    EXPECT_TRUE(table_->Put(klip::Put{.row = row}.Add("f", "a", "x").Add("f", "b", "y")).ok());
  }
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  const engine::Family& family = *info->indexes->all[0].family;
  engine::WriteSet writes;
  for (const char* row : {"r1", "r2"}) {
    const std::string entry = std::string("x\0", 2) + row;
    writes.Add(family, entry, "", kEntryMs, CellType::kPut, kCertain);
    writes.Add(family, entry, "f:b", now_ms_, CellType::kPut, "y");
  }
  ASSERT_TRUE(connection.store().Write(&writes, Durability::kSyncWal).ok());
  EXPECT_EQ(Entries("t", "i", /*covered=*/true), "x\\x00>r1? x\\x00>r2?");
  EXPECT_EQ(Verify(), "rows 2 entries 2");
  EXPECT_EQ(PutOne("r1", "f:b", "z"), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "w"), "ok");
  EXPECT_EQ(Entries("t", "i", /*covered=*/true), "w\\x00>r2 f:b=y x\\x00>r1 f:b=z");
  EXPECT_EQ(Verify(), "rows 2 entries 2");
}

// --- Files that are loaded, regions that are truncated ---

TEST_F(IndexTest, KeepsOlderVersionsWithHistory) {
  CreateIndexed("f:a u8, g:b text HISTORY");
  const auto put = [&](const std::string& a, int64_t at_ms) {
    ASSERT_TRUE(table_->Put(klip::Put{.row = "r"}.Add("f", "a", a, at_ms).Add("g", "b", "x", at_ms)).ok());
  };
  put("1", 1);
  put("2", 2);
  EXPECT_EQ(Entries(), "2x\\x00>r");  // a Get shows only the newest
  const klip::Scan past = {
      .time_range = {0, 2},
      .filter = FilterList(
          ListOperator::kMustPassAll,
          {SingleColumnValueFilter(
               {.family = "f", .qualifier = "a", .comparator = BinaryComparator("1"), .filter_if_missing = true}),
           SingleColumnValueFilter(
               {.family = "g", .qualifier = "b", .comparator = BinaryComparator("x"), .filter_if_missing = true})})};
  EXPECT_EQ(table_->Explain(past)->index, "i");
  EXPECT_EQ(RowsText(*table_, past), "r");
  EXPECT_EQ(Verify(), "rows 1 entries 2");

  // Versions that a compaction drops leave stale entries, which a major one sweeps.
  constexpr int kMore = 5;
  for (int i = 3; i < 3 + kMore; ++i) {
    put(std::to_string(i), i);
  }
  EXPECT_EQ(Verify(), "rows 1 entries " + std::to_string(kMore + 2));
  ASSERT_TRUE(admin().Flush("t").ok());
  EXPECT_EQ(Verify().substr(0, 46), "rows 1 entries 7 missing 0 wrong 0 stale 4: st");
  ASSERT_TRUE(connection_->admin().MajorCompact("t").ok());
  EXPECT_EQ(RowsText(*table_, past), "");
  EXPECT_EQ(Verify(), "rows 1 entries 3");
}

// A row with too many sets of stored values has a record instead of the older entries, so that scans of the past read it.
TEST_F(IndexTest, RowsWithTooManyVersionsAreRecorded) {
  CreateIndexed("f:a u8, g:b text HISTORY");
  constexpr int kVersions = 17;  // of both columns: 289 sets of values
  for (int i = 1; i <= kVersions; ++i) {
    const std::string value(1, static_cast<char>('a' + i));
    ASSERT_TRUE(table_->Put(klip::Put{.row = "r"}.Add("f", "a", value, i).Add("g", "b", value, i)).ok());
    EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, i * i > static_cast<int>(kMostCombinations) ? 1 : 0) << i;
  }
  const klip::Scan past = {
      .time_range = {0, 4},
      .filter = FilterList(
          ListOperator::kMustPassAll,
          {SingleColumnValueFilter(
               {.family = "f", .qualifier = "a", .comparator = BinaryComparator("d"), .filter_if_missing = true}),
           SingleColumnValueFilter(
               {.family = "g", .qualifier = "b", .comparator = BinaryComparator("d"), .filter_if_missing = true})})};
  EXPECT_EQ(table_->Explain(past)->index, "i");
  EXPECT_EQ(RowsText(*table_, past), "r");
  EXPECT_EQ(Verify(), "rows 1 entries 1");

  // With fewer versions it gets the entries back, whether a write or a compaction took the others away.
  ASSERT_TRUE(table_->Delete(klip::Delete{.row = "r"}.AddColumn("f", "a", 1)).ok());
  ASSERT_TRUE(table_->Delete(klip::Delete{.row = "r"}.AddColumn("f", "a", 2)).ok());
  EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, 0);
  EXPECT_EQ(RowsText(*table_, past), "r");
  EXPECT_EQ(Verify(), "rows 1 entries 255");
  for (int i = 1; i <= 2; ++i) {
    ASSERT_TRUE(table_->Put(klip::Put{.row = "r"}.Add("f", "a", "z", kVersions + i)).ok());
  }
  EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, 1);
  ASSERT_TRUE(admin().Flush("t").ok());
  ASSERT_TRUE(connection_->admin().MajorCompact("t").ok());
  EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, 0);
  EXPECT_TRUE(indexes().VerifyIndex("t", "i")->ok());
  EXPECT_EQ(indexes().VerifyIndex("t", "i")->stale, 0);
}

TEST_F(IndexTest, IncompleteRowsAreLimitedAcrossTheirKinds) {
  CreateIndexed("f:a u8, g:b text SKIP INVALID HISTORY");
  ASSERT_TRUE(table_->Put(klip::Put{.row = "skipped"}.Add("f", "a", "22").Add("g", "b", "x")).ok());
  for (int i = 1; i <= 17; ++i) {
    const std::string value(1, static_cast<char>('a' + i));
    ASSERT_TRUE(table_->Put(klip::Put{.row = "many"}.Add("f", "a", value, i).Add("g", "b", value, i)).ok());
  }
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  const Limits limits;
  const RowSource source(&connection.store(), limits);
  for (const size_t most : {1, 2, 3}) {
    EXPECT_EQ(IncompleteRows(source, info->indexes->all[0], most)->size(), std::min<size_t>(most, 2)) << most;
  }
}

TEST_F(IndexTest, SkipsAndCountsRowsWithValuesOfAnotherType) {
  CreateIndexed("f:a u8, g:b text SKIP INVALID");
  const auto put = [&](const std::string& row, const std::string& a) {
    return table_->Put(klip::Put{.row = row}.Add("f", "a", a).Add("g", "b", "x")).ToString();
  };
  EXPECT_EQ(put("r1", "1"), "ok");
  EXPECT_EQ(put("r2", "22"), "ok");
  EXPECT_EQ(put("r3", ""), "ok");
  EXPECT_EQ(put("r4", "4444"), "ok");
  EXPECT_EQ(Entries(), "1x\\x00>r1");
  EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, 3);
  EXPECT_EQ(put("r4", "4"), "ok");
  EXPECT_TRUE(table_->Delete(klip::Delete{.row = "r3"}).ok());
  EXPECT_TRUE(table_->Put(klip::Put{.row = "r5"}.Add("f", "a", "no g:b, so no entry in any case")).ok());
  EXPECT_EQ(Entries(), "1x\\x00>r1 4x\\x00>r4");
  EXPECT_EQ(indexes().VerifyIndex("t", "i")->skipped, 1);
  EXPECT_EQ(Verify(), "rows 5 entries 2");  // r3 is a marker

  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  const engine::Family& family = *info->indexes->all[0].family;
  engine::WriteSet writes;
  writes.Remove(family, "", "skipped:r2", 0);
  writes.Add(family, "", "skipped:r1", 0, CellType::kPut, kCheck);
  writes.Add(family, "", "skipped:gone", 0, CellType::kPut, kCheck);
  ASSERT_TRUE(connection.store().Write(&writes, Durability::kSyncWal).ok());
  EXPECT_EQ(Verify(/*repair=*/true),
            "rows 5 entries 2 missing 1 wrong 0 stale 2: missing: skipped:r2; stale: "
            "skipped:gone; stale: skipped:r1");
  EXPECT_EQ(indexes().VerifyIndex("t", "i")->skipped, 1);
  EXPECT_TRUE(indexes().DropIndex("t", "i").ok());
  EXPECT_EQ(Make("f:a u8, g:b text"),
            "InvalidArgument: index 'i': column f:a of row 'r2': field 'a': 2 bytes are stored, "
            "its type has 1");
  EXPECT_EQ(Make("f:a u8, g:b text SKIP INVALID"), "ok");
  EXPECT_EQ(indexes().ListIndexes("t")->at(0).skipped, 1);
  // Bulk loads, snapshots and truncation.
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r6"}.Add("f", "a", "66").Add("g", "b", "x")).ok());
  EXPECT_TRUE(loader->Finish().ok());
  EXPECT_EQ(indexes().VerifyIndex("t", "i")->skipped, 2);
  ASSERT_TRUE(admin().Snapshot("s", "t").ok());
  ASSERT_TRUE(admin().CloneSnapshot("s", "copy").ok());
  EXPECT_EQ(indexes().VerifyIndex("copy", "i")->skipped, 2);
  ASSERT_TRUE(admin().DisableTable("t").ok());
  ASSERT_TRUE(admin().TruncateTable("t", false).ok());
  EXPECT_EQ(indexes().VerifyIndex("t", "i")->skipped, 0);
}

TEST_F(IndexTest, LoadedRowsHaveEntries) {
  CreateIndexed("f:a text INCLUDE f:b WHERE g:on = 1");
  EXPECT_TRUE(table_->Put(klip::Put{.row = "r1"}.Add("f", "a", "old").Add("g", "on", "1")).ok());
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_EQ(PutOne("r0", "g:on", "1"), "ok");  // after the loader was created
  for (int i = 0; i < 1000; ++i) {
    klip::Put put = {.row = "r" + std::to_string(10000 + i)};
    ASSERT_TRUE(
        loader->Add(put.Add("f", "a", "v" + std::to_string(i % 3)).Add("f", "b", "c").Add("g", "on", "1")).ok());
  }
  EXPECT_EQ(Entries(), "old\\x00>r1");
  EXPECT_EQ(loader->Finish().ToString(), "ok");
  const std::string entries = Entries();
  EXPECT_EQ(std::count(entries.begin(), entries.end(), '>'), 1001);
  EXPECT_EQ(Verify(), "rows 1002 entries 1001");
  loader.reset();
  Open();
  Use("t");
  EXPECT_EQ(Verify(), "rows 1002 entries 1001");
}

TEST_F(IndexTest, ALoadReplacesEntries) {
  CreateIndexed("f:a text");
  EXPECT_EQ(PutOne("r1", "f:a", "x", 5), "ok");
  EXPECT_EQ(PutOne("r2", "f:a", "x", 50), "ok");
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r1"}.Add("f", "a", "new", 10)).ok());
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r2"}.Add("f", "a", "too old", 10)).ok());
  EXPECT_EQ(loader->Finish().ToString(), "ok");
  EXPECT_EQ(Entries(), "new\\x00>r1 x\\x00>r2");
}

// A concurrent major compaction drops only the marker.
TEST_F(IndexTest, ALoadTellsOfPutsBeneathAMarker) {
  CreateIndexed("f:a text");
  EXPECT_TRUE(table_->Delete(klip::Delete{.row = "r"}.AddColumns("f", "a", 10)).ok());
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r"}.Add("f", "a", "x", 5)).ok());
  EXPECT_EQ(loader->Finish().ToString(), "ok");
  auto& connection = static_cast<EmbeddedConnection&>(*connection_);
  const InfoPtr info = *(*connection.FindSlot("t"))->Current();
  const IndexedCells cells =
      *ReadIndexedCells(RowSource(&connection.store(), connection.shared().settings.limits), *info->indexes, "r");
  ASSERT_EQ(cells[0].size(), 2u);
  EXPECT_TRUE(cells[0][1].beneath);
  EXPECT_EQ(Entries(), "");
}

TEST_F(IndexTest, NothingIsLoadedOfWhatAnIndexRefuses) {
  CreateIndexed("f:n u32");
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r1"}.Add("f", "n", BigEndian<uint32_t>(1))).ok());
  const Cell bad = {"r2", "f", "n", 5, CellType::kPut, "x"};
  EXPECT_TRUE(loader->Add(std::vector<Cell>{bad}).ok());
  EXPECT_EQ(loader->Finish().ToString(),
            "InvalidArgument: index 'i': column f:n of row 'r2': field 'n': 1 bytes are stored, its type has 4");
  EXPECT_EQ(ScanText({}), "");
  EXPECT_EQ(Entries(), "");
}

TEST_F(IndexTest, AUniqueValueIsLoadedOnce) {
  CreateIndexed("f:a text UNIQUE");
  EXPECT_EQ(PutOne("q", "f:a", "v77"), "ok");
  const auto load = [&](int rows, int values) {
    auto loader = *connection_->NewBulkLoader("t");
    for (int i = 0; i < rows; ++i) {
      klip::Put put = {.row = "r" + std::to_string(1000 + i)};
      EXPECT_TRUE(loader->Add(put.Add("f", "a", "v" + std::to_string(i % values))).ok());
    }
    return loader->Finish().ToString();
  };
  EXPECT_EQ(load(600, 500),
            "DoNotRetry: index 'i' of table 't' is unique: row 'r1000' has the value 'v0\\x00' already, row 'r1500' "
            "cannot have it");
  EXPECT_NE(load(100, 100).find("row 'q' has the value 'v77"), std::string::npos);
  EXPECT_EQ(load(70, 70), "ok");
  EXPECT_EQ(Verify(), "rows 71 entries 71");
}

TEST_F(IndexTest, MadeWhileALoaderIsOpenItHasItsRows) {
  Create("t", {Family("f")});
  auto loader = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(loader->Add(klip::Put{.row = "r"}.Add("f", "a", "x")).ok());
  EXPECT_EQ(Make("f:a text"), "ok");
  EXPECT_EQ(loader->Finish().ToString(), "ok");
  EXPECT_EQ(Entries(), "x\\x00>r");
  auto late = *connection_->NewBulkLoader("t");
  EXPECT_TRUE(late->Add(klip::Put{.row = "s"}.Add("f", "a", "y")).ok());
  EXPECT_TRUE(indexes().DropIndex("t", "i").ok());
  EXPECT_EQ(late->Finish().ToString(), "ok");
  EXPECT_EQ(GetText("s"), "f:a@1000000=y");
}

TEST_F(IndexTest, WritersWaitForALoad) {
  CreateIndexed("f:a text");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    const auto table = Handle("t");
    for (int i = 0; !done; ++i) {
      const std::string row = "r" + std::to_string(1000 + i % 1000);
      EXPECT_TRUE(table->Put(klip::Put{.row = row}.Add("f", "a", "written", now_ms_ + i % 2)).ok());
    }
  });
  for (int round = 0; round < 10; ++round) {
    auto loader = *connection_->NewBulkLoader("t");
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(loader->Add(klip::Put{.row = "r" + std::to_string(1000 + i)}.Add("f", "a", "loaded")).ok());
    }
    EXPECT_EQ(loader->Finish().ToString(), "ok");
  }
  done = true;
  writer.join();
  EXPECT_EQ(Verify(), "rows 1000 entries 1000");
}

TEST_F(IndexTest, EntriesGoWithATruncatedRegion) {
  Create("t", {Family("f"), Family("g")}, {{"KLIP_INDEX$i", "f:a text"}}, {"m"});
  EXPECT_EQ(PutOne("a", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("n", "f:a", "x"), "ok");
  EXPECT_EQ(PutOne("n", "g:a", "y"), "ok");
  EXPECT_EQ(PutOne("o", "f:a", "y", 5), "ok");
  EXPECT_TRUE(table_->Delete({.row = "p"}).ok());
  Shared* const shared = &static_cast<EmbeddedConnection&>(*connection_).shared();
  EXPECT_EQ(TruncateRegion(shared, "t", "m").ToString(), "ok");
  EXPECT_EQ(ScanText({.max_versions = kAllVersions, .raw = true}), "a{f:a@1000000=x}");
  EXPECT_EQ(Entries(), "x\\x00>a");
  EXPECT_EQ(Verify(), "rows 1 entries 1");
  EXPECT_EQ(PutOne("o", "f:a", "older", 4), "ok");
  EXPECT_EQ(Entries(), "older\\x00>o x\\x00>a");
}

TEST_F(IndexTest, AnImmutableOneReadsNothingBeforeAPut) {
  CreateIndexed("f:a text IMMUTABLE");
  EXPECT_EQ(PutOne("r", "f:a", "x"), "ok");
  EXPECT_EQ(Entries(), "x\\x00>r");
  EXPECT_TRUE(table_->Delete({.row = "r"}).ok());
  EXPECT_EQ(Entries(), "");
}

}  // namespace
}  // namespace klip::table
