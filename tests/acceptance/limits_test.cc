// Sizes at, below and above the limits; empty tables; large cells; reclaimed space.
#include "acceptance/store_test.h"
#include "klip/bytes.h"
#include "ops/random.h"

namespace klip::acceptance {
namespace {

class LimitsTest : public StoreTest {
 protected:
  std::unique_ptr<Table> MakeTable() { return Create({.name = "t", .families = {{.name = "f"}}}); }
  static std::string Value(Table& table, const std::string& row, const std::string& qualifier = "q") {
    Expected<Result> result = table.Get({.row = row});
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return std::string(result->Value("f", qualifier).value_or("nothing"));
  }
};

TEST_F(LimitsTest, LongestRow) {
  std::unique_ptr<Table> table = MakeTable();
  const std::string longest(kMaxRowBytes, '\0');
  const std::string other = std::string(kMaxRowBytes - 1, '\0') + "\x01";
  KLIP_ASSERT_OK(table->Put(Put{.row = longest}.Add("f", "q", "v")));
  KLIP_ASSERT_OK(table->Put(Put{.row = other}.Add("f", "q", "w")));
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  EXPECT_EQ(Value(*table, longest), "v");
  EXPECT_EQ(Rows(*table, {}), (std::vector<std::string>{longest, other}));
  EXPECT_EQ(Rows(*table, {.reversed = true}), (std::vector<std::string>{other, longest}));
  EXPECT_EQ(Rows(*table, {.start_row = longest, .include_start = false}), std::vector<std::string>{other});
  const Status status = table->Put(Put{.row = longest + "x"}.Add("f", "q", "v"));
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(), "Row length 32768 is > 32767");
  EXPECT_FALSE(table->Get({.row = longest + "x"}).ok() && !table->Get({.row = longest + "x"})->empty());
}

TEST_F(LimitsTest, BigCells) {
  std::unique_ptr<Table> table = MakeTable();
  ops::Random random(1);
  std::string big(1 << 20, ' ');
  for (char& byte : big) {
    byte = static_cast<char>(random.Bits());
  }
  for (int i = 0; i < 5; ++i) {
    KLIP_ASSERT_OK(table->Put(Put{.row = "r" + std::to_string(i)}.Add("f", "q", big + std::to_string(i))));
  }
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  table.reset();
  Open();
  table = Use("t");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Value(*table, "r" + std::to_string(i)), big + std::to_string(i));
  }
  const std::string too_big(static_cast<size_t>(options_.max_cell_bytes) + 1, 'x');
  const Status status = table->Put(Put{.row = "x"}.Add("f", "ok", "v").Add("f", "q", too_big));
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("too large"), std::string::npos) << status.ToString();
  EXPECT_EQ(Value(*table, "x", "ok"), "nothing");
  // An append must not grow a cell beyond the limit either.
  KLIP_ASSERT_OK(
      table->Put(Put{.row = "y"}.Add("f", "q", std::string(static_cast<size_t>(options_.max_cell_bytes) - 1000, 'x'))));
  EXPECT_FALSE(table->Append(Append{.row = "y"}.Add("f", "q", std::string(2000, 'x'))).ok());
}

TEST_F(LimitsTest, RowTooBigToRead) {
  options_.max_row_read_bytes = 100000;
  Open();
  std::unique_ptr<Table> table = MakeTable();
  for (int i = 0; i < 30; ++i) {
    KLIP_ASSERT_OK(table->Put(Put{.row = "wide"}.Add("f", "q" + std::to_string(i), std::string(10000, 'x'))));
  }
  KLIP_ASSERT_OK(table->Put(Put{.row = "zz"}.Add("f", "q", "v")));
  EXPECT_EQ(table->Get({.row = "wide"}).status().code(), Code::kRowTooBig);
  EXPECT_TRUE(table->Get({.row = "wide", .columns = {{"f", "q1"}}}).ok());
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
  Result row;
  EXPECT_EQ((*scanner)->Next(&row).status().code(), Code::kRowTooBig);
  // In pieces it can be read.
  EXPECT_EQ(Rows(*table, {.batch = 5}).size(), 7u);
}

TEST_F(LimitsTest, WideRows) {
  std::unique_ptr<Table> table = MakeTable();
  Put put{.row = "r"};
  for (int i = 0; i < 50000; ++i) {
    put.Add("f", BigEndian(i), "v");
  }
  KLIP_ASSERT_OK(table->Put(put));
  EXPECT_EQ(table->Get({.row = "r"})->size(), 50000u);
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  EXPECT_EQ(table->Get({.row = "r"})->size(), 50000u);
  Expected<Result> one = table->Get({.row = "r", .columns = {{"f", BigEndian(40000)}}});
  EXPECT_EQ(one->size(), 1u);
  EXPECT_EQ(Rows(*table, {.batch = 1000}).size(), 50u);
  // Partial results put together are the row.
  Scan partial;
  partial.allow_partial_results = true;
  partial.max_result_bytes = 10000;
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan(partial);
  Result piece;
  size_t cells = 0;
  size_t pieces = 0;
  while (*(*scanner)->Next(&piece)) {
    cells += piece.size();
    ++pieces;
    EXPECT_EQ(piece.has_more_cells_in_row(), cells < 50000);
  }
  EXPECT_EQ(cells, 50000u);
  EXPECT_GT(pieces, 10u);
}

TEST_F(LimitsTest, NoRowAndOneRow) {
  std::unique_ptr<Table> table = MakeTable();
  auto expect_rows = [&](const std::vector<std::string>& rows) {
    EXPECT_EQ(Rows(*table, {}), rows);
    EXPECT_EQ(Rows(*table, {.reversed = true}), rows);
    EXPECT_EQ(Rows(*table, {.threads = 4}), rows);
    EXPECT_EQ(Rows(*table, {.filter = *FuzzyRowFilter({FuzzyKeyFromPattern("??")})}), rows);
    EXPECT_EQ(table->FirstRow()->row(), rows.empty() ? "" : rows[0]);
    EXPECT_EQ(table->LastRow()->row(), rows.empty() ? "" : rows[0]);
    EXPECT_TRUE(table->Explain({}).ok());
    EXPECT_TRUE(table->Statistics().ok());
  };
  expect_rows({});
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  KLIP_ASSERT_OK(connection_->admin().Compact("t"));
  KLIP_ASSERT_OK(connection_->admin().MajorCompact("t"));
  EXPECT_TRUE(connection_->admin().RunSplitPolicies().ok());
  expect_rows({});
  KLIP_ASSERT_OK(table->Put(Put{.row = "r"}.Add("f", "", "")));
  expect_rows({"r"});
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  expect_rows({"r"});
  KLIP_ASSERT_OK(table->Put(std::span<const Put>()));
  EXPECT_TRUE(table->Batch({}).empty());
  EXPECT_TRUE(table->Get(std::span<const Get>())->empty());
}

// Scenario C3: expired cells stop being read at once, and a major compaction gives the space back.
TEST_F(LimitsTest, ExpiredCellsFreeTheirSpace) {
  int64_t now = 1000000000;
  options_.clock_ms = [&now] { return now; };
  Open();
  std::unique_ptr<Table> table =
      Create({.name = "t", .families = {{.name = "f", .ttl_s = 100, .compression = "NONE"}}});
  ops::Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::string value(10000, ' ');
    for (char& byte : value) {
      byte = static_cast<char>(random.Bits());
    }
    KLIP_ASSERT_OK(table->Put(Put{.row = "r" + std::to_string(i)}.Add("f", "q", value)));
  }
  KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  EXPECT_GT(table->Statistics()->bytes_on_disk, 2900000);
  now += 100001;
  EXPECT_TRUE(Rows(*table, {}).empty());
  KLIP_ASSERT_OK(connection_->admin().MajorCompact("t"));
  EXPECT_LT(table->Statistics()->bytes_on_disk, 100000);
}

// Keys and values of any bytes come back as they were written, from memory and from files.
TEST_F(LimitsTest, AnyBytes) {
  std::unique_ptr<Table> table = MakeTable();
  ops::Random random(2);
  std::map<std::string, std::pair<std::string, std::string>> written;
  for (int i = 0; i < 300; ++i) {
    std::string parts[3];
    for (std::string& part : parts) {
      part.resize(1 + random.Below(20));
      for (char& byte : part) {
        byte = "\0\0\x01\xFFz"[random.Below(5)];
      }
    }
    written[parts[0]] = {parts[1], parts[2]};
    KLIP_ASSERT_OK(table->Delete({.row = parts[0], .timestamp_ms = 2 * i + 1}));
    KLIP_ASSERT_OK(table->Put(Put{.row = parts[0]}.Add("f", parts[1], parts[2], 2 * i + 2)));
  }
  for (int pass = 0; pass < 2; ++pass) {
    auto expected = written.begin();
    Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
    Result row;
    while (*(*scanner)->Next(&row)) {
      ASSERT_NE(expected, written.end());
      EXPECT_EQ(row.row(), expected->first);
      ASSERT_EQ(row.size(), 1u);
      EXPECT_EQ(row[0].qualifier, expected->second.first);
      EXPECT_EQ(row[0].value, expected->second.second);
      ++expected;
    }
    EXPECT_EQ(expected, written.end());
    KLIP_ASSERT_OK(connection_->admin().Flush("t"));
  }
}

// A loader's rows become visible together at Finish, beside rows that were put.
TEST_F(LimitsTest, BulkLoad) {
  std::unique_ptr<Table> table = MakeTable();
  KLIP_ASSERT_OK(table->Put(Put{.row = "r05"}.Add("f", "q", "put", 5)));
  Expected<std::unique_ptr<BulkLoader>> loader = connection_->NewBulkLoader("t");
  ASSERT_TRUE(loader.ok()) << loader.status().ToString();
  for (int i = 10; i < 60; ++i) {
    KLIP_ASSERT_OK((*loader)->Add(Put{.row = "r" + std::to_string(i)}.Add("f", "q", "loaded")));
  }
  EXPECT_EQ((*loader)->Add(Put{.row = "r11"}.Add("f", "q", "late")).code(), Code::kInvalidArgument);
  EXPECT_EQ(Rows(*table, {}).size(), 1u);
  KLIP_ASSERT_OK((*loader)->Finish());
  EXPECT_EQ(Rows(*table, {}).size(), 51u);
  EXPECT_EQ(Value(*table, "r05"), "put");
  EXPECT_EQ(Value(*table, "r33"), "loaded");
  // Not finished: nothing is loaded.
  Expected<std::unique_ptr<BulkLoader>> abandoned = connection_->NewBulkLoader("t");
  ASSERT_TRUE(abandoned.ok());
  KLIP_ASSERT_OK((*abandoned)->Add(Put{.row = "s"}.Add("f", "q", "v")));
  abandoned->reset();
  loader->reset();
  table.reset();
  Open();
  table = Use("t");
  EXPECT_EQ(Rows(*table, {}).size(), 51u);
  EXPECT_FALSE(connection_->NewBulkLoader("nosuch").ok());
}

}  // namespace
}  // namespace klip::acceptance
