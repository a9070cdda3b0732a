#include "table/admin/file_trackers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::table {
namespace {

// "DEFAULT", "FILE", "" for no setting, or a migration: "DEFAULT>FILE".
void Set(const std::string& tracker, std::map<std::string, std::string>* settings) {
  const size_t arrow = tracker.find('>');
  if (arrow == std::string::npos) {
    if (!tracker.empty()) {
      (*settings)["hbase.store.file-tracker.impl"] = tracker;
    }
    return;
  }
  (*settings)["hbase.store.file-tracker.impl"] = "MIGRATION";
  (*settings)["hbase.store.file-tracker.migration.src.impl"] = tracker.substr(0, arrow);
  (*settings)["hbase.store.file-tracker.migration.dst.impl"] = tracker.substr(arrow + 1);
}

TableDescriptor TableWith(const std::string& tracker) {
  TableDescriptor table = {.name = "t", .families = {{.name = "f"}}, .attributes = {}, .configuration = {}};
  Set(tracker, &table.attributes);
  return table;
}

std::string ChangeOf(const std::string& before, const std::string& after, bool enabled = true) {
  return CheckChangeOfTrackers(TableWith(before), TableWith(after), enabled).ToString();
}

TEST(FileTrackers, NoTableBeginsWithAMigration) {
  EXPECT_TRUE(CheckTrackersOfNewTable(TableWith("")).ok());
  EXPECT_TRUE(CheckTrackersOfNewTable(TableWith("file")).ok());
  EXPECT_EQ(CheckTrackersOfNewTable(TableWith("DEFAULT>FILE")).ToString(),
            "DoNotRetry: Should not use MIGRATION as store file tracker for new family f of table t");
  EXPECT_EQ(CheckTrackersOfNewTable(TableWith("org.Mine")).ToString(),
            "DoNotRetry: hbase.store.file-tracker.impl is 'ORG.MINE' for family f of table t; use DEFAULT, FILE "
            "or MIGRATION");
}

// The rules of HBase's StoreFileTrackerValidationUtils.
TEST(FileTrackers, AnotherIsReachedByAMigrationFromTheOneThereIs) {
  for (const char* same : {"", "DEFAULT", "FILE", "DEFAULT>FILE"}) {
    EXPECT_EQ(ChangeOf(same, same), "ok");
  }
  EXPECT_EQ(ChangeOf("", "DEFAULT"), "ok");
  EXPECT_EQ(ChangeOf("", "DEFAULT>FILE"), "ok");
  EXPECT_EQ(ChangeOf("DEFAULT>FILE", "FILE"), "ok");
  EXPECT_EQ(ChangeOf("FILE>DEFAULT", ""), "ok");
  const std::string of = " for family f of table t";
  EXPECT_EQ(ChangeOf("", "FILE"), "DoNotRetry: Should change to MIGRATION first when migrating from DEFAULT" + of);
  EXPECT_EQ(ChangeOf("", "FILE>DEFAULT"),
            "DoNotRetry: Should use src tracker DEFAULT first but got FILE when migrating from DEFAULT" + of);
  EXPECT_EQ(ChangeOf("", "DEFAULT>DEFAULT"), "DoNotRetry: The src tracker and dst tracker are both DEFAULT" + of);
  EXPECT_EQ(ChangeOf("DEFAULT>FILE", "FILE>DEFAULT"),
            "DoNotRetry: The src tracker has been changed from DEFAULT to FILE" + of);
  EXPECT_EQ(ChangeOf("DEFAULT>FILE", "DEFAULT>DEFAULT"),
            "DoNotRetry: The dst tracker has been changed from FILE to DEFAULT" + of);
  EXPECT_EQ(ChangeOf("DEFAULT>FILE", "DEFAULT"), "DoNotRetry: Should migrate tracker to FILE but got DEFAULT" + of);
  EXPECT_EQ(ChangeOf("", "MIGRATION"),
            "DoNotRetry: MIGRATION as store file tracker of family f of table t needs "
            "hbase.store.file-tracker.migration.src.impl and hbase.store.file-tracker.migration.dst.impl, each DEFAULT "
            "or FILE");
}

TEST(FileTrackers, AMigrationOfADisabledTableDoesNotEnd) {
  EXPECT_EQ(ChangeOf("", "DEFAULT>FILE", /*enabled=*/false), "ok");
  EXPECT_EQ(ChangeOf("DEFAULT>FILE", "FILE", /*enabled=*/false),
            "TableNotEnabled: Should not change store file tracker implementation from MIGRATION while table t is "
            "disabled");
}

TEST(FileTrackers, AFamilysSettingStandsBeforeItsTables) {
  const TableDescriptor before = TableWith("DEFAULT");
  TableDescriptor after = TableWith("DEFAULT");
  Set("FILE", &after.families[0].configuration);
  EXPECT_FALSE(CheckChangeOfTrackers(before, after, true).ok());
  after.families = before.families;
  after.families.push_back({.name = "g"});
  Set("FILE", &after.families[1].configuration);
  EXPECT_TRUE(CheckChangeOfTrackers(before, after, true).ok()) << "a new family begins with any";
  Set("DEFAULT>FILE", &after.families[1].configuration);
  EXPECT_FALSE(CheckChangeOfTrackers(before, after, true).ok());
}

TEST(FileTrackers, TheWholeWayAtOnce) {
  TableDescriptor table = TableWith("DEFAULT>FILE");
  Expected<bool> changed = SetTracker("FILE", &table, nullptr);
  ASSERT_TRUE(changed.ok() && *changed);
  EXPECT_EQ(table, TableWith("FILE"));
  changed = SetTracker("FILE", &table, &table.families[0]);
  ASSERT_TRUE(changed.ok());
  EXPECT_FALSE(*changed) << "as its table has it";
  EXPECT_EQ(SetTracker("MIGRATION", &table, nullptr).status().ToString(),
            "DoNotRetry: Do not support changing the store file tracker to MIGRATION");
}

}  // namespace
}  // namespace klip::table
