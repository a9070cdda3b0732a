// The column families of indexes: created, dropped and copied with their table, and never mistaken for its own families.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "engine/read/stored_cells.h"
#include "engine/store/store_fixture_test.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

std::string TextOf(const std::vector<model::StoredCell>& cells) {
  std::string text;
  for (const model::StoredCell& cell : cells) {
    text += cell.qualifier + "@" + std::to_string(cell.timestamp_ms) + "!" +
            std::to_string(static_cast<int>(cell.type)) + "=" + cell.value + " ";
  }
  return text;
}

class IndexFamiliesTest : public StoreTest {
 protected:
  IndexFamiliesTest() {
    Open();
    TableDescriptor table = Descriptor("t", {"f"});
    table.attributes["KLIP_INDEX$i"] = "f:a text";
    EXPECT_EQ(store_->catalog().CreateTable(table, {}).ToString(), "ok");
  }

  void PutEntry(const std::string& row) {
    WriteSet writes;
    writes.Add(View("t")->families.front(), row, "q", 1, CellType::kPut, "v");
    writes.Add(View("t")->indexes.front(), "entry of " + row, "", 0, CellType::kPut, "e");
    ASSERT_EQ(store_->Write(&writes, Durability::kSyncWal).ToString(), "ok");
  }
  std::string Entries(const std::string& table) {
    TableView view;
    view.families = View(table)->indexes;
    return view.families.empty() ? "no index" : Dump(view);
  }
  std::string Format() {
    std::ifstream file(path_ + "/FORMAT");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
};

TEST_F(IndexFamiliesTest, AreNoFamiliesOfTheTable) {
  PutEntry("r");
  EXPECT_EQ(View("t")->descriptor.families.size(), 1u);
  EXPECT_EQ(Dump("t"), "r=v ");
  EXPECT_EQ(Entries("t"), "entry of r=e ");
  EXPECT_EQ(View("t")->Find(":i"), nullptr);
  Open();
  EXPECT_EQ(Dump("t"), "r=v ");
  EXPECT_EQ(Entries("t"), "entry of r=e ");
}

TEST_F(IndexFamiliesTest, EntriesAreRemovedWithoutAMarker) {
  PutEntry("r");
  WriteSet writes;
  writes.Remove(View("t")->indexes.front(), "entry of r", "", 0);
  EXPECT_FALSE(writes.empty());
  EXPECT_EQ(store_->Write(&writes, Durability::kSyncWal).ToString(), "ok");
  EXPECT_EQ(Entries("t"), "");
}

class RebuiltIndexTest : public IndexFamiliesTest {
 protected:
  // Begins to build the index again, with other entries.
  RebuiltIndexTest() {
    PutEntry("r");
    const auto begin = [](const TableView&, TableDescriptor* table) {
      table->attributes[kRebuilding] = "true";
      return Status::Ok();
    };
    EXPECT_EQ(store_->catalog().ModifyTable("t", begin).ToString(), "ok");
    EXPECT_EQ(View("t")->indexes.size(), 2U);
    WriteSet writes;
    writes.Add(View("t")->indexes.back(), "new entry", "", 0, CellType::kPut, "e");
    EXPECT_EQ(store_->Write(&writes, Durability::kSyncWal).ToString(), "ok");
  }
  static constexpr const char* kRebuilding = "KLIP_INDEX_REBUILDING$i";
};

TEST_F(RebuiltIndexTest, TakesThePlaceOfThePresentOne) {
  EXPECT_EQ(Entries("t"), "entry of r=e | new entry=e ");
  Open();
  EXPECT_EQ(Entries("t"), "entry of r=e | new entry=e ");
  EXPECT_EQ(store_->catalog().TakeRebuiltIndex("t", "j", {}).code(), Code::kInvalidArgument);
  EXPECT_EQ(store_->catalog().TakeRebuiltIndex("t", "i", {kRebuilding}).ToString(), "ok");
  EXPECT_EQ(store_->catalog().TakeRebuiltIndex("t", "i", {kRebuilding}).code(), Code::kInvalidArgument);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Entries("t"), "new entry=e ");
    EXPECT_EQ(View("t")->indexes.front().descriptor.name, ":i");
    EXPECT_FALSE(View("t")->descriptor.attributes.contains(kRebuilding));
    Open();
  }
}

TEST_F(RebuiltIndexTest, IsDroppedWithItsAttribute) {
  const auto end = [](const TableView&, TableDescriptor* table) {
    table->attributes.erase(kRebuilding);
    return Status::Ok();
  };
  EXPECT_EQ(store_->catalog().ModifyTable("t", end).ToString(), "ok");
  EXPECT_EQ(Entries("t"), "entry of r=e ");
  Open();
  EXPECT_EQ(Entries("t"), "entry of r=e ");
}

// As an older klip leaves it.
TEST_F(RebuiltIndexTest, IsForgottenIfItsFamilyIsGone) {
  ASSERT_TRUE(store_->db()->DropColumnFamily(View("t")->indexes.back().handle.get()).ok());
  for (int i = 0; i < 2; ++i) {
    Open();
    EXPECT_EQ(Entries("t"), "entry of r=e ");
    EXPECT_FALSE(View("t")->descriptor.attributes.contains(kRebuilding));
  }
}

TEST_F(IndexFamiliesTest, TravelWithTheTable) {
  PutEntry("r");
  EXPECT_EQ(store_->snapshots().Take("s", "t", {}).ToString(), "ok");
  PutEntry("s");
  EXPECT_EQ(store_->snapshots().Clone("s", "c").ToString(), "ok");
  EXPECT_EQ(Entries("c"), "entry of r=e ");
  EXPECT_TRUE(store_->catalog().SetEnabled("t", false).ok());
  EXPECT_EQ(store_->snapshots().Restore("s").ToString(), "ok");
  EXPECT_EQ(Entries("t"), "entry of r=e ");
  EXPECT_EQ(store_->catalog().TruncateTable("t", false).ToString(), "ok");
  EXPECT_EQ(Entries("t"), "");
  Open();
  EXPECT_EQ(Entries("c"), "entry of r=e ");
  EXPECT_EQ(Entries("t"), "");
}

// One change of the catalog, so that the index exists after any crash.
TEST_F(IndexFamiliesTest, AnIndexThatIsToBeBuiltAgainIsEmpty) {
  PutEntry("r");
  const auto set_building = [this](bool building) {
    return store_->catalog().ModifyTable("t", [&](const TableView&, TableDescriptor* table) {
      table->attributes.erase("KLIP_INDEX_BUILDING$i");
      if (building) {
        table->attributes["KLIP_INDEX_BUILDING$i"] = "true";
      }
      return Status::Ok();
    });
  };
  const uint32_t id = View("t")->indexes[0].id;
  EXPECT_EQ(set_building(true).ToString(), "ok");
  EXPECT_EQ(Entries("t"), "");
  EXPECT_NE(View("t")->indexes[0].id, id);
  PutEntry("s");
  EXPECT_EQ(set_building(false).ToString(), "ok");  // complete: it keeps its entries
  EXPECT_EQ(Entries("t"), "entry of s=e ");
  Open();
  EXPECT_EQ(Entries("t"), "entry of s=e ");
  EXPECT_EQ(Dump("t"), "r=v s=v ");
}

TEST_F(IndexFamiliesTest, ComeAndGoWithTheirAttribute) {
  PutEntry("r");
  const auto modify = [this](auto change) {
    return store_->catalog().ModifyTable("t", [&](const TableView&, TableDescriptor* table) {
      change(table);
      return Status::Ok();
    });
  };
  EXPECT_TRUE(modify([](TableDescriptor* table) { table->attributes["KLIP_INDEX$j"] = "f:b text"; }).ok());
  ASSERT_EQ(View("t")->indexes.size(), 2u);
  EXPECT_EQ(View("t")->indexes[1].descriptor.name, ":j");
  EXPECT_TRUE(modify([](TableDescriptor* table) { table->attributes.erase("KLIP_INDEX$i"); }).ok());
  ASSERT_EQ(View("t")->indexes.size(), 1u);
  EXPECT_EQ(Entries("t"), "");
  Open();
  EXPECT_EQ(View("t")->indexes.size(), 1u);
  EXPECT_EQ(Dump("t"), "r=v ");
}

TEST_F(IndexFamiliesTest, RaiseTheFormatOfTheStore) {
  EXPECT_EQ(Format(), "klip store, format 2\n");
  path_ = root_ + "/plain";
  Open();
  Create("t", {"f"});
  EXPECT_EQ(Format(), "klip store, format 1\n");
  Open();  // a store of that format still opens
  EXPECT_EQ(View("t")->families.size(), 1u);
}

TEST_F(IndexFamiliesTest, StoredCellsAreAllVersionsAndMarkersOfTheColumnsAskedFor) {
  const Family family = View("t")->families.front();
  WriteSet writes;
  for (const std::string qualifier : {"", "a", "b", "c", "d", "e", "g", "h"}) {
    writes.Add(family, "r", qualifier, 1, CellType::kPut, "1" + qualifier);
    writes.Add(family, "r", qualifier, 2, CellType::kPut, "2" + qualifier);
  }
  writes.Add(family, "r", "", 1, CellType::kDeleteFamily, "");
  writes.Add(family, "r", "h", 2, CellType::kDelete, "");
  writes.Add(family, "r1", "h", 2, CellType::kPut, "other");
  writes.Add(family, "q", "h", 2, CellType::kPut, "other");
  ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  const auto stored = [&](std::vector<std::string> qualifiers) {
    std::vector<model::StoredCell> cells;
    EXPECT_TRUE(ReadStored(*store_, family, "r", qualifiers, &cells).ok());
    EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end()));
    std::string out;
    for (const model::StoredCell& cell : cells) {
      out += cell.type == CellType::kPut ? cell.value + " "
                                         : cell.qualifier + "!" + std::to_string(cell.timestamp_ms) + " ";
    }
    return out;
  };
  EXPECT_EQ(stored({"h"}), "2 !1 1 h!2 2h 1h ");
  EXPECT_EQ(stored({"", "b", "bb", "i"}), "2 !1 1 2b 1b ");
  EXPECT_EQ(stored({}), "2 !1 1 ");
}

// Rows that are prefixes of others or contain 00, absent rows, and rows of more cells than the reader steps over.
TEST_F(IndexFamiliesTest, AReaderOfManyRowsReadsTheSameAsOneOfEach) {
  const Family family = View("t")->families.front();
  const std::vector<std::string> qualifiers = {"", "c", "m"};
  std::mt19937 random(7);
  std::set<std::string> rows;
  for (int round = 0; round < 4; ++round) {
    WriteSet writes;
    for (int i = 0; i < 400; ++i) {
      std::string row(1 + random() % 4, '\0');
      std::ranges::generate(row, [&] { return "\0\1a\xFF"[random() % 4]; });
      const auto type = random() % 8 == 0 ? CellType::kDeleteFamily : CellType::kPut;
      const std::string qualifier(type == CellType::kPut ? random() % 2 : 0, static_cast<char>('a' + random() % 26));
      writes.Add(family, row, qualifier, static_cast<int64_t>(random() % 5), type, std::to_string(i));
      rows.insert(row);
      rows.insert(row + "?");
    }
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
    if (round % 2 == 0) {
      ASSERT_TRUE(store_->storage().FlushFamilies(View("t")->families).ok());
    }
  }
  StoredReader reader(*store_, family, qualifiers);
  size_t found = 0;
  for (const std::string& row : rows) {
    std::vector<model::StoredCell> one;
    ASSERT_TRUE(ReadStored(*store_, family, row, qualifiers, &one).ok());
    std::vector<model::StoredCell> many;
    ASSERT_TRUE(reader.Read(row, &many).ok());
    EXPECT_EQ(TextOf(many), TextOf(one)) << ToStringBinary(row);
    found += one.size();
  }
  EXPECT_GT(found, 200u);
}

}  // namespace
}  // namespace klip::engine
