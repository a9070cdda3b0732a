// Every row of a family begins with a known lead, however it was written; and the cases in which the store gives leads
// up.
#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"
#include "filter/rows/row_set.h"

namespace klip::engine {
namespace {

class StoreLeadsTest : public StoreTest {
 protected:
  StoreLeadsTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    StoreOptions options = Options();
    options.parse_row_key = [](std::string_view width) -> Expected<std::vector<KeyPart>> {
      return std::vector<KeyPart>{{.width_bytes = width[0] - '0'}};
    };
    store_ = *Store::Open(options);
  }

  void CreateOfWidth(std::string name, std::string width) {
    TableDescriptor table = Descriptor(std::move(name), {"f"});
    table.attributes["KLIP_ROW_KEY"] = std::move(width);
    ASSERT_EQ(store_->catalog().CreateTable(table, {}).ToString(), "ok");
  }

  std::string Leads(std::string_view table) {
    const auto known = View(table)->families[0].state->leads->Known();
    if (known == nullptr) {
      return "?";
    }
    std::string out;
    for (const std::string& value : known->values) {
      out.append(value).append(" ");
    }
    return out;
  }

  void Load(std::string_view table, std::string_view row) {
    auto loader = *store_->loads().NewFileLoader(View(table));
    Result cells;
    cells.AppendCopy({.row = row, .family = "f", .qualifier = "q", .timestamp_ms = 1, .type = CellType::kPut});
    const std::vector<Cell> all(cells.begin(), cells.end());
    EXPECT_TRUE(loader->AddRow(row, all).ok());
    const auto writing = store_->locks().LockForWrite(table);
    EXPECT_TRUE(loader->Finish().ok());
  }
};

TEST_F(StoreLeadsTest, AreKnownHoweverARowCameIn) {
  CreateOfWidth("t", "2");
  EXPECT_EQ(Leads("t"), "");
  EXPECT_TRUE(Put("t", "aa1", "v").ok());
  EXPECT_TRUE(Put("t", "aa2", "v").ok());
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  EXPECT_TRUE(Put("t", "bb1", "v").ok());
  Load("t", "cc1");
  EXPECT_EQ(Leads("t"), "aa bb cc ");
  Reopen();
  EXPECT_EQ(Leads("t"), "aa bb cc ");
  EXPECT_TRUE(Put("t", "d", "v").ok());
  EXPECT_TRUE(store_->snapshots().Take("s", "t").ok());
  EXPECT_TRUE(store_->snapshots().Clone("s", "c").ok());
  EXPECT_EQ(Leads("c"), "aa bb cc d ");
  EXPECT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
  EXPECT_EQ(Leads("t"), "aa bb cc d ");
  Reopen();
  EXPECT_EQ(Leads("t"), "aa bb cc d ");
  EXPECT_EQ(Leads("c"), "aa bb cc d ");
}

TEST_F(StoreLeadsTest, AreGivenUpWhenTheSchemaChanges) {
  CreateOfWidth("t", "2");
  EXPECT_TRUE(Put("t", "aa1", "v").ok());
  TableDescriptor table = View("t")->descriptor;
  table.attributes["OTHER"] = "x";
  EXPECT_TRUE(store_->catalog().ModifyTable(table).ok());
  EXPECT_EQ(Leads("t"), "aa ");
  EXPECT_TRUE(store_->storage().Flush("t").ok());
  table.attributes["KLIP_ROW_KEY"] = "3";
  EXPECT_TRUE(store_->catalog().ModifyTable(table).ok());
  EXPECT_EQ(Leads("t"), "?");
  EXPECT_TRUE(Put("t", "bbb1", "v").ok());
  Reopen();
  EXPECT_EQ(Leads("t"), "?");  // other bytes distinguish rows in one of the files
  EXPECT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
  Reopen();
  EXPECT_EQ(Leads("t"), "aa1 bbb ");
}

TEST_F(StoreLeadsTest, MakeOneSeekOfAJump) {
  CreateOfWidth("t", "4");
  const TablePtr view = View("t");
  WriteSet writes;
  for (int user = 0; user < 50; ++user) {
    for (int day = 0; day < 100; ++day) {
      const std::string row = std::to_string(1000 + 17 * user) + std::to_string(100 + day);
      writes.Add(view->families[0], row, "q", 1, CellType::kPut, "v");
    }
  }
  ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  filter::RowBox box;
  box.segments = {{.width_bytes = 4}, {.width_bytes = 3, .intervals = {{"150", "150"}}}};
  const auto seeks = [&](bool reversed) {
    RowScanSpec spec;
    spec.scan.reversed = reversed;
    spec.rows = filter::RowSet::FromBoxes({box});
    auto scanner = *RowScanner::Open(*store_, view, spec);
    Result row;
    int rows = 0;
    while (*scanner->Next(&row)) {
      ++rows;
    }
    EXPECT_EQ(rows, 50);
    return scanner->statistics().seeks;
  };
  EXPECT_LE(seeks(/*reversed=*/false), 51);
  EXPECT_LE(seeks(/*reversed=*/true), 51);
  view->families[0].state->leads->GiveUp();
  EXPECT_GE(seeks(/*reversed=*/false), 80);
  EXPECT_GE(seeks(/*reversed=*/true), 80);
}

}  // namespace
}  // namespace klip::engine
