#include "engine/store/catalog.h"

#include <gtest/gtest.h>

#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

Catalog Sample() {
  Catalog catalog = Catalog::Empty();
  TableRecord table;
  table.descriptor.name = "t";
  FamilyDescriptor family;
  family.name = "f";
  family.keep_deleted_cells = KeepDeletedCells::kTtl;
  family.bloom = BloomKind::kRowCol;
  table.descriptor.families.push_back(family);
  table.family_ids["f"] = 3;
  table.regions = {{"", "m", 1}, {"m", "", 2}};
  table.changes = {{.before = {{"a", "", 7}}, .after = {{"a", "b", 8}, {"b", "", 8}}}};
  catalog.tables["t"] = table;
  catalog.next_family_id = 4;
  return catalog;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CatalogTest, RoundTrip) {
  const std::string json = Sample().ToJson();
  const Expected<Catalog> parsed = Catalog::FromJson(json, "CATALOG");
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(parsed->ToJson(), json);
  EXPECT_EQ(parsed->tables.at("t").descriptor, Sample().tables.at("t").descriptor);
  EXPECT_EQ(parsed->tables.at("t").regions[0].end_key, "m");
}

TEST(CatalogTest, AFaultNamesItsKey) {
  const std::string json = Sample().ToJson();
  const struct {
    const char* from;
    const char* to;
    const char* text;
  } faults[] = {
      {"\"versions\": 1", "\"versions\": \"1\"",
       "CATALOG: catalog.tables.t.families.f.versions is not a whole number in range"},
      {"\"versions\": 1", "\"versions\": 99999999999",
       "catalog.tables.t.families.f.versions is not a whole number in range"},
      {"\"bloom\": \"ROWCOL\"", "\"bloom\": \"X\"", "catalog.tables.t.families.f.bloom is not a known name"},
      {"\"enabled\": true", "\"enabled\": 1", "catalog.tables.t.enabled is not true or false"},
      {"\"start\": \"m\"", "\"start\": \"\"", "catalog.tables.t.regions.1.start is not above the region before"},
      {"\"id\": 7", "\"id\": \"7\"", "catalog.tables.t.changes.0.before.0.id is not a whole number in range"},
      {"\"before\"", "\"x\"", "catalog.tables.t.changes.0.before is not a list"},
      {"\"split_enabled\"", "\"x\"", "catalog.split_enabled is not true or false"},
  };
  for (const auto& fault : faults) {
    const Status status = Catalog::FromJson(Replaced(json, fault.from, fault.to), "CATALOG").status();
    EXPECT_EQ(status.code(), Code::kCorruption);
    EXPECT_NE(status.message().find(fault.text), std::string::npos) << status.message();
  }
  EXPECT_EQ(Catalog::FromJson("{", "CATALOG").status().message(), "CATALOG: not JSON");
  EXPECT_EQ(Catalog::FromJson("[]", "CATALOG").status().code(), Code::kCorruption);
}

TEST(CatalogTest, TheSealShowsEveryChange) {
  const std::string sealed = Seal("some bytes\n");
  EXPECT_EQ(*Unseal(sealed, "f"), "some bytes\n");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string bad = sealed;
    bad[i] ^= 1;
    if (i + 1 < sealed.size()) {
      EXPECT_EQ(Unseal(bad, "f").status().code(), Code::kCorruption) << i;
    }
    EXPECT_EQ(Unseal(sealed.substr(0, i), "f").status().code(), Code::kCorruption) << i;
  }
}

}  // namespace
}  // namespace klip::engine
