// Namespaces and tables, and altering them: what happens, and which errors appear, with HBase's texts.
#include "rocksdb/slice_transform.h"

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

constexpr const char* kBypass =
    " Set hbase.table.sanity.checks to false at conf or table descriptor if you want to bypass sanity checks";

class StoreTablesTest : public StoreTest {
 protected:
  StoreTablesTest() { Open(); }

  std::string CreateText(const TableDescriptor& table, std::vector<std::string> splits = {}) {
    return store_->catalog().CreateTable(table, std::move(splits)).ToString();
  }
  // Creates a table with one family changed by `change`.
  template <typename Change>
  std::string WithFamily(Change change) {
    TableDescriptor table = Descriptor("x", {"f"});
    change(&table.families[0]);
    return CreateText(table);
  }
  std::string WithAttribute(const std::string& key, const std::string& value) {
    TableDescriptor table = Descriptor("x", {"f"});
    table.attributes[key] = value;
    return CreateText(table);
  }
};

TEST_F(StoreTablesTest, Names) {
  EXPECT_EQ(CreateText(Descriptor("", {"f"})), "InvalidArgument: Table qualifier must not be empty");
  EXPECT_EQ(CreateText(Descriptor("-x", {"f"})),
            "InvalidArgument: Illegal first character <45> at 0. User-space table qualifiers can only start with "
            "'alphanumeric characters' from any language: -x");
  EXPECT_EQ(CreateText(Descriptor("bad name", {"f"})),
            "InvalidArgument: Illegal character code:32, < > at 3. User-space table qualifiers may only contain "
            "'alphanumeric characters' and digits: bad name");
  EXPECT_EQ(CreateText(Descriptor("nope:t", {"f"})), "NamespaceNotFound: nope");
  EXPECT_EQ(CreateText(Descriptor("a.b-c_1", {"f"})), "ok");
  EXPECT_EQ(CreateText(Descriptor("Stra\xc3\x9f"
                                  "e",
                                  {"f"})),
            "ok");
  EXPECT_EQ(CreateText(Descriptor("default:t", {"f"})), "ok");
  EXPECT_EQ(CreateText(Descriptor("t", {"f"})), "TableExists: t");
}

TEST_F(StoreTablesTest, FamilyNames) {
  for (const char* bad : {"", "a:b", "a/b", "a\\b", ".a", "a\nb", "recovered.edits"}) {
    EXPECT_EQ(store_->catalog().CreateTable(Descriptor("x", {bad}), {}).code(), Code::kInvalidArgument) << bad;
  }
  EXPECT_EQ(CreateText(Descriptor("x", {"a b", "\xc3\xa4"})), "ok");
  EXPECT_NE(CreateText(Descriptor("y", {"f", "f"})), "ok");
}

TEST_F(StoreTablesTest, SanityChecks) {
  EXPECT_EQ(CreateText(Descriptor("x", {})),
            std::string("DoNotRetry: Table should have at least one column family.") + kBypass);
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->min_versions = 2; }),
            std::string("DoNotRetry: Min versions for column family f must be less than the Max versions.") + kBypass);
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->ttl_s = 0; }),
            std::string("DoNotRetry: TTL for column family f must be positive.") + kBypass);
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->block_bytes = 1023; }),
            std::string("DoNotRetry: Block size for column family f  must be between 1K and 16MB.") + kBypass);
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->max_versions = 0; }),
            "InvalidArgument: Maximum versions must be positive");
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->bloom = BloomKind::kRowPrefixFixedLength; }),
            "DoNotRetry: Failed to get bloom filter param");
  EXPECT_EQ(WithFamily([](FamilyDescriptor* f) { f->compression = "SQUASH"; }),
            std::string("DoNotRetry: Compression algorithm 'SQUASH' previously failed test.") + kBypass);
  EXPECT_NE(WithAttribute("MAX_FILESIZE", "1000").find("is too small, which might cause over splitting"),
            std::string::npos);
  EXPECT_NE(WithAttribute("MEMSTORE_FLUSHSIZE", "1000").find("is too small, which might cause very frequent flushing"),
            std::string::npos);
  EXPECT_NE(WithAttribute("SPLIT_POLICY", "com.example.Nope").find("Unable to load configured region split policy"),
            std::string::npos);
  EXPECT_NE(WithAttribute("REGION_REPLICATION", "0").find("should be at least one"), std::string::npos);
  EXPECT_NE(WithAttribute("REGION_REPLICATION", "65").find("should be 64 at most"), std::string::npos);
  TableDescriptor bypassed = Descriptor("x", {"f"});
  bypassed.attributes = {{"MAX_FILESIZE", "1000"}, {"hbase.table.sanity.checks", "false"}};
  EXPECT_EQ(CreateText(bypassed), "ok");
  TableDescriptor of_phoenix = Descriptor("y", {"f"});
  of_phoenix.attributes = {{"SPLIT_POLICY", "org.apache.phoenix.hbase.index.IndexRegionSplitPolicy"}};
  EXPECT_EQ(CreateText(of_phoenix), "ok");
}

// HBase rejects them even if the sanity checks are off.
TEST_F(StoreTablesTest, SettingsOfCompactionThatExcludeEachOther) {
  const std::string policy = "hbase.hstore.defaultengine.compactionpolicy.class";
  const std::string blocking_files = "hbase.hstore.blockingStoreFiles";
  TableDescriptor table = Descriptor("x", {"f"});
  FamilyDescriptor& family = table.families[0];
  table.attributes = {{"hbase.table.sanity.checks", "false"},
                      {policy, "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy"}};
  EXPECT_EQ(CreateText(table), std::string("DoNotRetry: Default TTL is not supported for FIFO compaction") + kBypass);
  family.ttl_s = 100;
  family.min_versions = 1;
  EXPECT_EQ(CreateText(table),
            std::string("DoNotRetry: MIN_VERSION > 0 is not supported for FIFO compaction") + kBypass);
  family.min_versions = 0;
  EXPECT_EQ(CreateText(table), "DoNotRetry: Blocking file count '" + blocking_files +
                                   "' 16 is below recommended minimum of 1000 for column family f" + kBypass);
  family.configuration[blocking_files] = "999";
  EXPECT_NE(CreateText(table), "ok");
  family.configuration[blocking_files] = "1000";
  table.attributes["hbase.hstore.datatiering.type"] = "TIME_RANGE";
  EXPECT_EQ(
      CreateText(table),
      std::string("DoNotRetry: Time Range Data Tiering should be enabled with Date Tiered Compaction.") + kBypass);
  table.attributes["hbase.hstore.engine.class"] = "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine";
  EXPECT_EQ(CreateText(table), "ok");
}

TEST_F(StoreTablesTest, SplitKeys) {
  EXPECT_EQ(CreateText(Descriptor("x", {"f"}), {"a", "a"}),
            "InvalidArgument: All split keys must be unique, found duplicate: a, a");
  EXPECT_EQ(CreateText(Descriptor("x", {"f"}), {"a", ""}),
            "InvalidArgument: Empty split key must not be passed in the split keys.");
  EXPECT_EQ(CreateText(Descriptor("x", {"f"}), {"c", "a", "b"}), "ok");
  std::string borders;
  for (const RegionInfo& region : store_->regions().List(*View("x"))) {
    borders += region.start_key + ".." + region.end_key + " ";
  }
  EXPECT_EQ(borders, "..a a..b b..c c.. ");
}

TEST_F(StoreTablesTest, States) {
  Create("t", {"f"});
  EXPECT_EQ(store_->catalog().DeleteTable("t").ToString(),
            "TableNotDisabled: Not DISABLED; tableName=t, state=ENABLED");
  EXPECT_EQ(store_->catalog().TruncateTable("t", false).ToString(), "TableNotDisabled: t");
  EXPECT_EQ(store_->catalog().SetEnabled("t", true).code(), Code::kTableNotDisabled);
  EXPECT_EQ(store_->catalog().SetEnabled("t", false).ToString(), "ok");
  EXPECT_EQ(store_->catalog().SetEnabled("t", false).ToString(), "TableNotEnabled: t");
  EXPECT_EQ(store_->catalog().SetEnabled("nope", false).ToString(), "TableNotFound: nope");
  Open();
  EXPECT_FALSE(View("t")->enabled);
  EXPECT_EQ(store_->catalog().DeleteTable("t").ToString(), "ok");
  Open();
  EXPECT_EQ(store_->views().GetTable("t").status().code(), Code::kTableNotFound);
}

TEST_F(StoreTablesTest, Truncate) {
  Create("t", {"f"}, {"m"});
  EXPECT_TRUE(Put("t", "r", "v").ok());
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_TRUE(store_->catalog().TruncateTable("t", true).ok());
  EXPECT_TRUE(View("t")->enabled);
  EXPECT_EQ(View("t")->regions->size(), 2u);
  EXPECT_EQ(Dump("t"), "");
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_TRUE(store_->catalog().TruncateTable("t", false).ok());
  EXPECT_EQ(View("t")->regions->size(), 1u);
}

TEST_F(StoreTablesTest, AlterAddsAndDropsFamilies) {
  Create("t", {"a", "b"});
  EXPECT_TRUE(Put("t", "r", "v").ok());
  TablePtr before = View("t");
  TableDescriptor after = before->descriptor;
  after.families.erase(after.families.begin());
  after.families.push_back(Descriptor("", {"c"}).families[0]);
  EXPECT_EQ(store_->catalog().ModifyTable(after).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=v | ");
  EXPECT_EQ(Dump(*before), "r=v | r=v ");  // open scanners continue
  before.reset();
  Open();
  EXPECT_EQ(Dump("t"), "r=v | ");
  EXPECT_EQ(View("t")->families[1].descriptor.name, "c");
}

TEST_F(StoreTablesTest, AlterChangesSettingsInPlace) {
  Create("t", {"f"});
  EXPECT_TRUE(Put("t", "r1", "v").ok());
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  TableDescriptor after = View("t")->descriptor;
  for (const BloomKind bloom :
       {BloomKind::kRowCol, BloomKind::kRowPrefixFixedLength, BloomKind::kNone, BloomKind::kRow}) {
    after.families[0].bloom = bloom;
    after.families[0].bloom_prefix_bytes = bloom == BloomKind::kRowPrefixFixedLength ? 2 : 0;
    after.families[0].compression = bloom == BloomKind::kNone ? "LZ4" : "ZSTD";
    after.families[0].block_bytes = 8192;
    after.families[0].max_versions = 7;
    EXPECT_EQ(store_->catalog().ModifyTable(after).ToString(), "ok");
    const Family& family = View("t")->families[0];
    EXPECT_EQ(family.state->policy.load()->max_versions, 7);
    const rocksdb::Options options = store_->db()->GetOptions(family.handle.get());
    const std::string extractor = options.prefix_extractor == nullptr ? "" : options.prefix_extractor->Name();
    EXPECT_EQ(extractor, *family.state->bloom.load());
    EXPECT_EQ(options.compression, bloom == BloomKind::kNone ? rocksdb::kLZ4Compression : rocksdb::kZSTD);
    EXPECT_TRUE(Put("t", "r2", "w").ok());
    EXPECT_TRUE(store_->storage().Flush("t").ok());
  }
  EXPECT_EQ(Dump("t"), "r1=v r2=w ");
  Open();
  EXPECT_EQ(Dump("t"), "r1=v r2=w ");
  EXPECT_EQ(View("t")->descriptor, after);
}

TEST_F(StoreTablesTest, AttributesOfAnyBytesSurvive) {
  TableDescriptor table = Descriptor("t", {"f"});
  table.attributes["k\xff\x01\\"] = std::string("v\0\n\x80", 4);
  table.families[0].configuration["a.b"] = "\\x00";
  table.families[0].attributes["DATA_BLOCK_ENCODING"] = "DIFF";
  EXPECT_EQ(CreateText(table, {std::string("\0\xff", 2)}), "ok");
  Open();
  EXPECT_EQ(View("t")->descriptor, table);
  EXPECT_EQ(View("t")->regions->at(1).start_key, std::string("\0\xff", 2));
}

TEST_F(StoreTablesTest, BadRowKeySchemaIsRefused) {
  store_.reset();
  StoreOptions options = Options();
  options.parse_row_key = [](std::string_view text) -> Expected<std::vector<KeyPart>> {
    if (text != "good") {
      return Status(Code::kInvalidArgument, "bad schema");
    }
    return std::vector<KeyPart>{{.width_bytes = 3}};
  };
  store_ = *Store::Open(options);
  TableDescriptor table = Descriptor("t", {"f"});
  table.attributes["KLIP_ROW_KEY"] = "bad";
  EXPECT_EQ(CreateText(table), "InvalidArgument: bad schema");
  table.attributes["KLIP_ROW_KEY"] = "good";
  EXPECT_EQ(CreateText(table), "ok");
  EXPECT_EQ(View("t")->families[0].state->key_parts.load()->size(), 1u);
  table.attributes["KLIP_ROW_KEY"] = "bad";
  EXPECT_EQ(store_->catalog().ModifyTable(table).ToString(), "InvalidArgument: bad schema");
}

TEST_F(StoreTablesTest, EditsOfADescriptor) {
  Create("t", {"g"});
  const auto add = [](const TableView& now, TableDescriptor* descriptor) {
    EXPECT_EQ(now.descriptor, *descriptor);
    descriptor->name = "another";  // not a rename
    descriptor->families.push_back({.name = "f"});
    return Status::Ok();
  };
  EXPECT_EQ(store_->catalog().ModifyTable("default:t", add).ToString(), "ok");
  EXPECT_EQ(View("t")->descriptor, Descriptor("t", {"f", "g"}));
  const auto refuse = [](const TableView&, TableDescriptor* descriptor) {
    descriptor->families.pop_back();
    return Status(Code::kInvalidFamilyOperation, "no");
  };
  EXPECT_EQ(store_->catalog().ModifyTable("t", refuse).ToString(), "InvalidFamilyOperation: no");
  EXPECT_EQ(View("t")->descriptor, Descriptor("t", {"f", "g"}));
  EXPECT_EQ(store_->catalog().ModifyTable("u", add).ToString(), "TableNotFound: u");
  EXPECT_EQ(store_->catalog().ModifyTable("t", add).ok(), false) << "two families of one name";
}

TEST_F(StoreTablesTest, WhoWatchesIsToldOfEachChange) {
  std::vector<std::string> told;
  const uint64_t watch = store_->views().WatchTables([&](const std::string& table) {
    told.push_back(table + (store_->views().GetTable(table).ok() ? "" : " is gone"));
  });
  Create("t", {"f"}, {"m"});
  ASSERT_TRUE(store_->regions().SplitRegion("t", "x").ok());
  ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  ASSERT_TRUE(store_->catalog().TruncateTable("t", /*preserve_splits=*/false).ok());
  ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  ASSERT_TRUE(store_->catalog().DeleteTable("t").ok());
  EXPECT_EQ(told, (std::vector<std::string>{"t", "t", "t", "t", "t", "t is gone"}));
  store_->views().Unwatch(watch);
  Create("u", {"f"});
  EXPECT_EQ(told.size(), 6U);
}

TEST_F(StoreTablesTest, Namespaces) {
  EXPECT_EQ(store_->catalog().ListNamespaces().size(), 2u);
  EXPECT_EQ(store_->catalog().CreateNamespace({.name = "n"}).ToString(), "ok");
  EXPECT_EQ(store_->catalog().CreateNamespace({.name = "n"}).code(), Code::kNamespaceExists);
  EXPECT_EQ(store_->catalog().CreateNamespace({.name = "default"}).code(), Code::kNamespaceExists);
  EXPECT_EQ(store_->catalog().CreateNamespace({.name = "a-b"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->catalog().DeleteNamespace("m").ToString(), "NamespaceNotFound: m");
  EXPECT_EQ(store_->catalog().DeleteNamespace("default").code(), Code::kConstraintViolation);
  Create("n:t", {"f"});
  Create("u", {"f"});
  EXPECT_EQ(store_->views().ListTables("n").size(), 1u);
  EXPECT_EQ(store_->views().ListTables("default")[0].name, "u");
  EXPECT_EQ(store_->catalog().DeleteNamespace("n").ToString(),
            "ConstraintViolation: Only empty namespaces can be removed. Namespace n has 1 tables");
  EXPECT_EQ(store_->catalog().ModifyNamespace({.name = "n", .configuration = {{"k", "v"}}}).ToString(), "ok");
  Open();
  EXPECT_EQ(store_->catalog().GetNamespace("n")->configuration.at("k"), "v");
}

}  // namespace
}  // namespace klip::engine
