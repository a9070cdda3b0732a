// Opening by URI, table attributes, atomic batches, bulk loads, limits of rows and timestamps.
#include <algorithm>
#include <filesystem>

#include "table/table_test_util.h"

namespace klip::table {
namespace {

class ConnectionTest : public TableTest {
 protected:
  ConnectionTest() { Create("t", {Family("f"), Family("g")}); }

  static Code OpenCode(std::string_view uri) { return Connection::Open(uri).status().code(); }
};

TEST_F(ConnectionTest, Uris) {
  EXPECT_EQ(OpenCode("hbase+zk://localhost:0"), Code::kInvalidArgument);
  EXPECT_EQ(OpenCode("hbase+rpc://"), Code::kInvalidArgument);
  EXPECT_EQ(OpenCode("klip:"), Code::kInvalidArgument);
  EXPECT_EQ(Connection::Open("file:/x").status().message(),
            "not a klip URI: 'file:/x'; write klip:<directory>, hbase+rpc://host:port or hbase+zk://host:port");
}

TEST_F(ConnectionTest, RowAndTimestampLimits) {
  EXPECT_EQ(PutOne("", "f:q", "v"), "InvalidArgument: Row length is 0");
  EXPECT_EQ(PutOne(std::string(kMaxRowBytes, 'r'), "f:q", "v"), "ok");
  EXPECT_EQ(PutOne(std::string(kMaxRowBytes + 1, 'r'), "f:q", "v"), "InvalidArgument: Row length 32768 is > 32767");
  EXPECT_EQ(PutOne("r", "f:q", "v", -5), "InvalidArgument: Timestamp cannot be negative. ts=-5");
  EXPECT_EQ(table_->Put({.row = "r"}).ToString(), "InvalidArgument: No columns to insert");
  EXPECT_TRUE(PutOne("r", "f:q", std::string(10 << 20, 'v')).starts_with("InvalidArgument: KeyValue size too large: "));
  EXPECT_EQ(table_->Increment({.row = "r"}).status().code(), Code::kInvalidArgument);
}

TEST_F(ConnectionTest, SanityChecksCanBeSwitchedOff) {
  TableDescriptor unchecked = {
      .name = "unchecked", .families = {Family("f")}, .attributes = {{"MAX_FILESIZE", "1000"}}};
  EXPECT_EQ(admin().CreateTable(unchecked).code(), Code::kDoNotRetry);
  options_.table_sanity_checks = false;
  Open();
  EXPECT_EQ(admin().CreateTable(unchecked).ToString(), "ok");
  unchecked.name = "checked";
  unchecked.attributes["hbase.table.sanity.checks"] = "true";  // the table's setting takes precedence
  EXPECT_EQ(admin().CreateTable(unchecked).code(), Code::kDoNotRetry);
}

TEST_F(ConnectionTest, ReadOnlyTable) {
  Create("ro", {Family("f")}, {{"READONLY", "true"}});
  EXPECT_EQ(PutOne("r", "f:q", "v"), "DoNotRetry: region is read only");
  EXPECT_EQ(GetText("r"), "");
}

TEST_F(ConnectionTest, NamesWithAndWithoutTheDefaultNamespaceAreOneTable) {
  PutOne("r", "f:q", "v");
  Use("default:t");
  EXPECT_EQ(table_->name(), "t");
  EXPECT_EQ(GetText("r"), "f:q@1000000=v");
  const AtomicBatch both = {
      .steps = {{"t", Put{.row = "r"}.Add("f", "a", "1")}, {"default:t", Put{.row = "r"}.Add("f", "b", "2")}}};
  EXPECT_TRUE(*connection_->Apply(both));
  EXPECT_EQ(GetText("r"), "f:a@1000000=1 f:b@1000000=2 f:q@1000000=v");
}

TEST_F(ConnectionTest, AtomicBatchIsAllOrNothing) {
  Create("index", {Family("i")});
  Use("t");
  AtomicBatch batch;
  batch.conditions = {{"t", "r", RowCondition::IfNotExists("f", "q")}};
  batch.steps = {{"t", Put{.row = "r"}.Add("f", "q", "1")}, {"index", Put{.row = "1_r"}.Add("i", "", "")}};
  EXPECT_TRUE(*connection_->Apply(batch));
  EXPECT_FALSE(*connection_->Apply(batch));
  batch.conditions.clear();
  batch.steps[0] = {"t", Put{.row = "r"}.Add("f", "q", "2")};
  batch.steps[1] = {"index", Put{.row = "2_r"}.Add("nof", "", "")};
  EXPECT_EQ(connection_->Apply(batch).status().code(), Code::kNoSuchColumnFamily);
  batch.steps[1].table = "nosuch";
  EXPECT_EQ(connection_->Apply(batch).status().code(), Code::kTableNotFound);
  EXPECT_EQ(GetText("r"), "f:q@1000000=1");
  EXPECT_EQ(RowsText(*Handle("index"), {}), "1_r");
  EXPECT_TRUE(*connection_->Apply({}));
}

TEST_F(ConnectionTest, AcknowledgedWritesSurviveReopening) {
  options_.sync_wal = true;
  Open();
  Use("t");
  PutOne("r", "f:q", "v");
  Open();
  Use("t");
  EXPECT_EQ(GetText("r"), "f:q@1000000=v");
}

TEST_F(ConnectionTest, BulkLoad) {
  PutOne("m", "f:q", "before");
  auto loader = connection_->NewBulkLoader("t");
  ASSERT_TRUE(loader.ok());
  for (int i = 0; i < 1000; ++i) {
    Put put = {.row = "r" + std::to_string(1000 + i)};
    put.Add("g", "z", "3").Add("f", "b", "old").Add("f", "a", "1", 7).Add("f", "b", "2");
    ASSERT_TRUE((*loader)->Add(put).ok());
  }
  EXPECT_EQ((*loader)->Add(Put{.row = "r1000"}.Add("f", "q", "v")).code(), Code::kInvalidArgument);
  EXPECT_EQ((*loader)->Add(Put{.row = "s"}.Add("nof", "q", "v")).code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(RowsText({}), "m");
  EXPECT_EQ((*loader)->Finish().ToString(), "ok");
  EXPECT_EQ(GetText("r1500"), "f:a@7=1 f:b@1000000=2 g:z@1000000=3");
  EXPECT_EQ(table_->LastRow()->row(), "r1999");
  EXPECT_EQ(table_->FirstRow()->row(), "m");
}

TEST_F(ConnectionTest, PrependErrors) {
  const auto prepend = [this](Prepend one) { return table_->Prepend(one).status().ToString(); };
  EXPECT_EQ(prepend({.family = "f", .qualifier = "q"}), "InvalidArgument: No columns to insert");
  EXPECT_EQ(prepend({.family = "f", .qualifier = "q", .columns = {{"f", "other", "v"}}}).substr(0, 33),
            "InvalidArgument: the check column");
  EXPECT_EQ(*table_->Prepend({.last_key = 1, .family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}), 1U);
  EXPECT_EQ(*table_->Prepend({.last_key = 1, .family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}), 0U);
  EXPECT_NE(prepend({.last_key = 1, .family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).find("key 0"),
            std::string::npos);
  PutOne(std::string(1, '\0'), "f:q", "short");
  EXPECT_NE(prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).find("not an 8-byte key"),
            std::string::npos);
}

TEST_F(ConnectionTest, ExpiredSnapshotsAreCleanedUp) {
  ASSERT_TRUE(admin().Snapshot("s", "t", {.ttl_s = 1}).ok());
  now_ms_ += 2000;
  ASSERT_TRUE(*admin().cluster().SetSwitch(MasterSwitch::kSnapshotCleanup, false));
  EXPECT_TRUE(*admin().cluster().RunCleanerChore());
  EXPECT_EQ(admin().ListSnapshots()->size(), 1U);
  EXPECT_EQ(admin().Snapshot("s", "t").code(), Code::kSnapshotExists);
  ASSERT_FALSE(*admin().cluster().SetSwitch(MasterSwitch::kSnapshotCleanup, true));
  ASSERT_TRUE(admin().Snapshot("s", "t").ok()) << "which cleans up";
  EXPECT_EQ((*admin().ListSnapshots())[0].ttl_s, 0);
}

TEST_F(ConnectionTest, FamiliesAreFlushedAndCompactedByThemselves) {
  const auto put = [this] { EXPECT_TRUE(table_->Put(Put{.row = "r"}.Add("f", "q", "v").Add("g", "q", "v")).ok()); };
  const auto files = [this] { return (*admin().GetRegionMetrics("t"))[0].store_files; };
  put();
  ASSERT_EQ(files(), 0);
  ASSERT_TRUE(admin().Flush("t", "f").ok());
  EXPECT_EQ(files(), 1);
  ASSERT_TRUE(admin().Flush("t").ok());
  EXPECT_EQ(files(), 2);
  put();
  ASSERT_TRUE(admin().Flush("t").ok());
  ASSERT_EQ(files(), 4);
  ASSERT_TRUE(admin().MajorCompact("t", "g").ok());
  EXPECT_EQ(files(), 3);
  ASSERT_TRUE(admin().Compact("t", "f").ok());
  EXPECT_EQ(files(), 2);
  for (const Status& refused : {admin().Flush("t", "z"), admin().Compact("t", "z"), admin().MajorCompact("t", "z")}) {
    EXPECT_EQ(refused.ToString(), "NoSuchColumnFamily: Column family z does not exist in table t");
  }
}

// Also while somebody holds a Table of that name, perhaps unused for long.
TEST_F(ConnectionTest, WhatTablesAndFamiliesHeldIsGivenBackWithThem) {
  constexpr int64_t kBytes = 300'000;
  const auto memory = [this] { return admin().Metrics()->memtable_bytes; };
  const auto fill = [&](const std::string& column) { PutOne("r", column, std::string(kBytes, 'v')); };
  const int64_t empty = memory();
  const auto gives_back = [&](const Status& done) {
    EXPECT_EQ(done.ToString(), "ok");
    EXPECT_LT(memory(), empty + kBytes);
  };
  fill("f:q");
  EXPECT_GT(memory(), kBytes);
  ASSERT_TRUE(admin().DisableTable("t").ok());
  gives_back(admin().TruncateTable("t", /*preserve_splits=*/false));
  fill("g:q");
  EXPECT_GT(memory(), kBytes);
  gives_back(admin().DeleteFamily("t", "g"));
  fill("f:q");
  ASSERT_TRUE(admin().Flush("t").ok());
  fill("f:q");
  ASSERT_TRUE(admin().DisableTable("t").ok());
  const auto files = [this] {
    return std::ranges::count_if(std::filesystem::directory_iterator(root_ + "/store"),
                                 [](const auto& file) { return file.path().extension() == ".sst"; });
  };
  EXPECT_EQ(files(), 1);
  gives_back(admin().DeleteTable("t"));
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(PutOne("r", "f:q", "v"), "TableNotFound: t");
}

TEST_F(ConnectionTest, AdminFamilyErrors) {
  EXPECT_EQ(admin().AddFamily("t", Family("f")).ToString(),
            "InvalidFamilyOperation: Column family 'f' in table 't' already exists so cannot be added");
  EXPECT_EQ(admin().ModifyFamily("t", Family("z")).ToString(),
            "InvalidFamilyOperation: Family 'z' does not exist, so it cannot be modified");
  EXPECT_EQ(admin().DeleteFamily("t", "z").ToString(),
            "InvalidFamilyOperation: Family 'z' does not exist, so it cannot be deleted");
  EXPECT_TRUE(admin().DeleteFamily("t", "g").ok());
  EXPECT_EQ(admin().DeleteFamily("t", "f").ToString(),
            "InvalidFamilyOperation: Family 'f' is the only column family in the table, so it cannot be deleted");
  EXPECT_TRUE(*admin().TableExists("t"));
  EXPECT_FALSE(*admin().TableExists("nosuch"));
}

}  // namespace
}  // namespace klip::table
