#include "engine/read/row_scanner.h"

#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/read/read_reference_test.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

using Rows = std::vector<std::string>;  // one text per row

std::string TextOf(const Cell& cell) {
  std::ostringstream out;
  out << cell.family << ":" << ToStringBinary(cell.qualifier) << "@" << cell.timestamp_ms << "/"
      << static_cast<int>(cell.type) << "=" << cell.value << " ";
  return out.str();
}

class RowScannerTest : public StoreTest {
 protected:
  void CreateTable(std::vector<FamilyDescriptor> families) {
    TableDescriptor descriptor;
    descriptor.name = "t";
    descriptor.families = std::move(families);
    ASSERT_EQ(store_->catalog().CreateTable(descriptor, {}).ToString(), "ok");
    reference_ = {};
    for (const FamilyDescriptor& family : descriptor.families) {
      reference_.families[family.name] = model::FamilyPolicy::From(family);
    }
  }

  void Add(const ReferenceCell& cell) {
    const TablePtr table = View("t");
    WriteSet writes;
    writes.Add(*table->Find(cell.family), cell.row, cell.qualifier, cell.timestamp_ms, cell.type, cell.value,
               cell.ttl_ms >= 0 ? TtlTag(cell.ttl_ms) : std::string());
    ASSERT_EQ(store_->Write(&writes, Durability::kAsyncWal).ToString(), "ok");
    reference_.Add(cell);
  }

  Rows Read(const Scan& scan, ScanStatistics* statistics = nullptr) {
    Rows rows;
    RowScanSpec spec;
    spec.scan = scan;
    Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, View("t"), std::move(spec));
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result result;
    bool more = false;
    while (scanner.ok()) {
      Expected<bool> next = (*scanner)->Next(&result);
      EXPECT_TRUE(next.ok()) << next.status().ToString();
      if (!next.ok() || !*next) {
        EXPECT_FALSE(more);
        break;
      }
      if (!more) {
        rows.push_back(ToStringBinary(result.row()) + ": ");
      }
      EXPECT_FALSE(result.empty());
      EXPECT_TRUE(scan.batch == 0 || result.size() <= static_cast<size_t>(scan.batch));
      for (const Cell& cell : result) {
        EXPECT_EQ(cell.row, result.row());
        rows.back() += TextOf(cell);
      }
      more = result.has_more_cells_in_row();
    }
    if (scanner.ok() && statistics != nullptr) {
      *statistics = (*scanner)->statistics();
    }
    return rows;
  }

  Rows Expect(const Scan& scan) const {
    Rows rows;
    for (const std::vector<ReferenceCell>& cells : reference_.Read(scan, now_ms_)) {
      rows.push_back(ToStringBinary(cells.front().row) + ": ");
      for (const ReferenceCell& cell : cells) {
        rows.back() += TextOf(
            {cell.row, cell.family, cell.qualifier, cell.timestamp_ms, cell.type, cell.value, std::string_view()});
      }
    }
    return rows;
  }

  std::string GetText(const Get& get) {
    Result result;
    const Status status = ReadRow(*store_, View("t"), get, 0, &result);
    if (!status.ok()) {
      return status.ToString();
    }
    std::string text;
    for (const Cell& cell : result) {
      EXPECT_EQ(cell.row, get.row);
      text += TextOf(cell);
    }
    return text;
  }

  Status OpenStatus(Scan scan) {
    RowScanSpec spec;
    spec.scan = std::move(scan);
    return RowScanner::Open(*store_, View("t"), std::move(spec)).status();
  }

  ReferenceTable reference_;
};

FamilyDescriptor FamilyNamed(std::string name, int32_t versions = 1) {
  FamilyDescriptor family;
  family.name = std::move(name);
  family.max_versions = versions;
  return family;
}

// Random cells over few rows, columns and timestamps, so that they collide.
class RandomCells {
 public:
  RandomCells(uint32_t seed, std::vector<std::string> families) : random_(seed), families_(std::move(families)) {}

  uint32_t Below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  std::string Row() {
    static const std::vector<std::string> kRows = {
        "a", std::string("a\0", 2), std::string("a\0b", 3), "ab", "b", "b\xff", "c", std::string(1, '\0'), "\xff\xff",
        "d"};
    return kRows[Below(static_cast<uint32_t>(kRows.size()))];
  }
  std::string Qualifier() {
    static const std::vector<std::string> kQualifiers = {"", "p", "q", std::string("q\0", 2), std::string(1, '\0'),
                                                         "z"};
    return kQualifiers[Below(static_cast<uint32_t>(kQualifiers.size()))];
  }
  const std::string& Family() { return families_[Below(static_cast<uint32_t>(families_.size()))]; }

  ReferenceCell Cell(int64_t base_ms, bool version_deletes) {
    ReferenceCell cell;
    cell.row = Row();
    cell.family = Family();
    cell.timestamp_ms = base_ms + Below(8);
    const uint32_t kind = Below(20);
    cell.qualifier = Qualifier();
    if (kind == 0) {
      cell.type = CellType::kDeleteFamily;
      cell.qualifier.clear();
    } else if (kind == 1) {
      cell.type = CellType::kDeleteColumn;
    } else if (kind == 2 && version_deletes) {
      cell.type = CellType::kDeleteFamilyVersion;
      cell.qualifier.clear();
    } else if (kind == 3 && version_deletes) {
      cell.type = CellType::kDelete;
    } else {
      cell.value = "v" + std::to_string(Below(1000));
      cell.ttl_ms = Below(10) == 0 ? 1 + Below(10) : -1;
    }
    return cell;
  }

  Scan RandomScan(int64_t base_ms, bool ranges) {
    Scan scan;
    scan.reversed = Below(3) == 0;
    if (Below(2) == 0) {
      scan.start_row = Row();
      scan.include_start = Below(3) != 0;
    }
    if (Below(2) == 0) {
      scan.stop_row = Row();
      scan.include_stop = Below(2) == 0;
    }
    scan.limit_rows = Below(4) == 0 ? 1 + Below(4) : 0;
    scan.max_versions = Below(2) == 0 ? 1 : static_cast<int32_t>(1 + Below(5));
    scan.batch = Below(3) == 0 ? static_cast<int32_t>(1 + Below(4)) : 0;
    if (Below(4) == 0) {
      scan.max_results_per_family = static_cast<int32_t>(Below(3));
      scan.row_offset_per_family = static_cast<int32_t>(Below(3));
    }
    scan.raw = ranges && Below(5) == 0;
    if (!scan.raw && Below(3) == 0) {
      const uint32_t columns = 1 + Below(3);
      for (uint32_t i = 0; i < columns; ++i) {
        scan.columns.push_back({Family(), Below(5) == 0 ? std::nullopt : std::optional(Qualifier())});
      }
    }
    if (ranges && Below(3) == 0) {
      scan.time_range.min_ms = base_ms + Below(8);
      scan.time_range.max_ms = scan.time_range.min_ms + Below(8);
    }
    if (ranges && Below(5) == 0) {
      scan.family_time_ranges[Family()] = {base_ms + 2, base_ms + 6};
    }
    return scan;
  }

 private:
  std::mt19937 random_;
  std::vector<std::string> families_;
};

std::string Describe(const Scan& scan) {
  std::ostringstream out;
  out << (scan.reversed ? "reversed " : "") << (scan.raw ? "raw " : "") << ToStringBinary(scan.start_row) << ".."
      << ToStringBinary(scan.stop_row) << " limit " << scan.limit_rows << " versions " << scan.max_versions << " batch "
      << scan.batch << " per family " << scan.max_results_per_family << "+" << scan.row_offset_per_family << " time "
      << scan.time_range.min_ms << ".." << scan.time_range.max_ms << " columns";
  for (const ColumnSpec& column : scan.columns) {
    out << " " << column.family << ":" << (column.qualifier ? ToStringBinary(*column.qualifier) : "*");
  }
  return out.str();
}

Get AsGet(const Scan& scan, std::string row) {
  Get get;
  get.row = std::move(row);
  get.columns = scan.columns;
  get.time_range = scan.time_range;
  get.family_time_ranges = scan.family_time_ranges;
  get.max_versions = scan.max_versions;
  get.max_results_per_family = scan.max_results_per_family;
  get.row_offset_per_family = scan.row_offset_per_family;
  return get;
}

struct Flavour {
  std::string name;
  int families = 1;
  bool shape_changes = false;  // flushes and compactions between the writes
  KeepDeletedCells keep = KeepDeletedCells::kFalse;
  int32_t ttl_s = kTtlForever;
  int32_t min_versions = 0;
  BloomKind bloom = BloomKind::kRow;
};

class RandomReads : public RowScannerTest, public testing::WithParamInterface<Flavour> {};

TEST_P(RandomReads, EqualTheReference) {
  const Flavour& flavour = GetParam();
  Open();
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    std::vector<FamilyDescriptor> families;
    std::vector<std::string> names;
    for (int i = 0; i < flavour.families; ++i) {
      names.push_back(std::string(1, static_cast<char>('f' + i)));
      FamilyDescriptor family = FamilyNamed(names.back(), flavour.shape_changes ? 100 : 1 + static_cast<int>(seed % 4));
      family.keep_deleted_cells = flavour.keep;
      family.ttl_s = flavour.ttl_s;
      family.min_versions = flavour.min_versions > 0 ? std::min(flavour.min_versions, family.max_versions) : 0;
      family.bloom = flavour.bloom;
      families.push_back(family);
    }
    CreateTable(families);
    RandomCells random(seed, names);
    const int64_t base = now_ms_ - (flavour.ttl_s == kTtlForever ? 8 : int64_t{flavour.ttl_s} * 1000 + 4);
    for (int i = 0; i < 250; ++i) {
      Add(random.Cell(base, true));
      if (flavour.shape_changes && i % 40 == 39) {
        ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");  // from the fourth on, RocksDB starts compactions
      }
    }
    if (flavour.shape_changes && seed % 3 == 0) {
      ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
      ASSERT_EQ(store_->storage().Compact("t", true).ToString(), "ok");
    }
    for (int i = 0; i < 200; ++i) {
      const Scan scan = random.RandomScan(base, !flavour.shape_changes);
      ASSERT_EQ(Read(scan), Expect(scan)) << "seed " << seed << ": " << Describe(scan);
      if (scan.raw) {
        continue;
      }
      Scan one = scan;
      one.start_row = one.stop_row = random.Row();
      one.include_start = one.include_stop = true;
      one.reversed = false;
      one.limit_rows = 0;
      const Rows expected = Expect(one);
      const std::string text = GetText(AsGet(one, one.start_row));
      ASSERT_EQ(ToStringBinary(one.start_row) + ": " + text,
                expected.empty() ? ToStringBinary(one.start_row) + ": " : expected[0])
          << "seed " << seed << ": get " << Describe(one);
    }
    ASSERT_EQ(store_->catalog().SetEnabled("t", false).ToString(), "ok");
    ASSERT_EQ(store_->catalog().DeleteTable("t").ToString(), "ok");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Flavours, RandomReads,
    testing::Values(Flavour{"one_family"}, Flavour{"three_families", 3}, Flavour{"shapes", 2, true},
                    Flavour{"keep_deleted", 2, false, KeepDeletedCells::kTrue},
                    Flavour{"keep_deleted_shapes", 1, true, KeepDeletedCells::kTrue},
                    Flavour{"ttl", 2, false, KeepDeletedCells::kFalse, 100},
                    Flavour{"ttl_shapes", 1, true, KeepDeletedCells::kTtl, 100},
                    Flavour{"min_versions", 2, false, KeepDeletedCells::kFalse, 100, 2},
                    Flavour{"row_col_bloom", 2, true, KeepDeletedCells::kFalse, kTtlForever, 0, BloomKind::kRowCol},
                    Flavour{"no_bloom", 1, true, KeepDeletedCells::kFalse, kTtlForever, 0, BloomKind::kNone}),
    [](const auto& flavour) { return flavour.param.name; });

TEST_F(RowScannerTest, ManyVersionsAreNotWalked) {
  Open();
  CreateTable({FamilyNamed("f", 100000)});
  const TablePtr table = View("t");
  WriteSet writes;
  for (int row = 0; row < 3; ++row) {
    for (int i = 1; i <= 10000; ++i) {
      writes.Add(table->families[0], "r" + std::to_string(row), "q", i, CellType::kPut, "v");
    }
    writes.Add(table->families[0], "r" + std::to_string(row), "z", 1, CellType::kPut, "w");
  }
  ASSERT_EQ(store_->Write(&writes, Durability::kAsyncWal).ToString(), "ok");
  for (bool columns : {false, true}) {
    Scan scan;
    if (columns) {
      scan.columns = {{"f", "z"}};
    }
    ScanStatistics statistics;
    const Rows rows = Read(scan, &statistics);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2], columns ? "r2: f:z@1/4=w " : "r2: f:q@10000/4=v f:z@1/4=w ");
    EXPECT_LT(statistics.steps, 400);
    EXPECT_EQ(statistics.rows_read, 3);
  }
  Scan reversed;
  reversed.reversed = true;
  ScanStatistics statistics;
  EXPECT_EQ(Read(reversed, &statistics).size(), 3U);
  EXPECT_LT(statistics.steps, 2000);
}

TEST_F(RowScannerTest, StatisticsOfAFullScanAreExact) {
  Open();
  CreateTable({FamilyNamed("f")});
  for (int i = 0; i < 50; ++i) {
    Add({"row" + std::to_string(100 + i), "f", "q", 1, CellType::kPut, "v"});
  }
  ScanStatistics statistics;
  EXPECT_EQ(Read({}, &statistics).size(), 50U);
  EXPECT_EQ(statistics.rows_returned, 50);
  EXPECT_EQ(statistics.rows_read, 50);
  EXPECT_EQ(statistics.cells_read, 50);
  EXPECT_EQ(statistics.steps, 50);
  EXPECT_EQ(statistics.seeks, 1);
}

TEST_F(RowScannerTest, NewVersionBehaviorFollowsTheOrderOfWrites) {
  Open();
  FamilyDescriptor family = FamilyNamed("f", 3);
  family.new_version_behavior = true;
  CreateTable({family});
  Add({"r", "f", "q", 5, CellType::kPut, "before"});
  Add({"r", "f", "q", 9, CellType::kDeleteColumn, ""});
  Add({"r", "f", "q", 3, CellType::kPut, "after"});
  Scan scan;
  scan.max_versions = 10;
  EXPECT_EQ(Read(scan), Rows({"r: f:q@3/4=after "}));
  Add({"r", "f", "q", 3, CellType::kDelete, ""});
  EXPECT_EQ(Read(scan), Rows());
  Add({"r", "f", "q", 3, CellType::kPut, "again"});
  EXPECT_EQ(Read(scan), Rows({"r: f:q@3/4=again "}));
  Add({"r", "f", "", 100, CellType::kDeleteFamily, ""});
  EXPECT_EQ(Read(scan), Rows());
  Add({"r", "f", "p", 50, CellType::kPut, "new"});
  EXPECT_EQ(Read(scan), Rows({"r: f:p@50/4=new "}));
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(Read(scan), Rows({"r: f:p@50/4=new "}));
  ASSERT_EQ(store_->storage().Compact("t", true).ToString(), "ok");
  EXPECT_EQ(Read(scan), Rows({"r: f:p@50/4=new "}));
  scan.raw = true;
  EXPECT_EQ(Read(scan), Rows({"r: f:p@50/4=new "}));
}

TEST_F(RowScannerTest, MajorCompactionTakesMarkersAndWhatTheyMask) {
  Open();
  CreateTable({FamilyNamed("f", 2)});
  for (int ts = 1; ts <= 4; ++ts) {
    Add({"r", "f", "q", ts, CellType::kPut, std::to_string(ts)});
    Add({"s", "f", "q", ts, CellType::kPut, std::to_string(ts)});
  }
  Add({"r", "f", "q", 2, CellType::kDeleteColumn, ""});
  Scan raw;
  raw.raw = true;
  raw.max_versions = kAllVersions;
  EXPECT_EQ(Read(raw)[0], "r: f:q@4/4=4 f:q@3/4=3 f:q@2/12= f:q@2/4=2 f:q@1/4=1 ");
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(Read(raw), Rows({"r: f:q@4/4=4 f:q@3/4=3 f:q@2/12= ", "s: f:q@4/4=4 f:q@3/4=3 "}));
  ASSERT_EQ(store_->storage().Compact("t", true).ToString(), "ok");
  EXPECT_EQ(Read(raw), Rows({"r: f:q@4/4=4 f:q@3/4=3 ", "s: f:q@4/4=4 f:q@3/4=3 "}));
}

TEST_F(RowScannerTest, ExpiredCellsGoAtTheNextFlush) {
  Open();
  FamilyDescriptor family = FamilyNamed("f");
  family.ttl_s = 10;
  CreateTable({family});
  Add({"old", "f", "q", now_ms_ - 10001, CellType::kPut, "v"});
  Add({"edge", "f", "q", now_ms_ - 10000, CellType::kPut, "v"});
  Add({"short", "f", "q", now_ms_, CellType::kPut, "v", 500});
  EXPECT_EQ(Read({}).size(), 2U);
  Scan raw;
  raw.raw = true;
  EXPECT_EQ(Read(raw).size(), 3U);
  now_ms_ += 501;
  EXPECT_EQ(Read({}).size(), 0U);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(Read(raw).size(), 0U);
}

TEST_F(RowScannerTest, BadRequestsAreRefused) {
  Open();
  CreateTable({FamilyNamed("f")});
  Scan scan;
  scan.columns = {{"nof", std::nullopt}};
  EXPECT_EQ(OpenStatus(scan).code(), Code::kNoSuchColumnFamily);
  EXPECT_TRUE(OpenStatus(scan).message().starts_with("Column family nof does not exist in region t,,"))
      << OpenStatus(scan).message();
  scan.columns = {{"f", "q"}};
  scan.raw = true;
  EXPECT_EQ(OpenStatus(scan).ToString(), "DoNotRetry: Cannot specify any column for a raw scan");
  scan = {};
  scan.time_range = {5, 4};
  EXPECT_EQ(OpenStatus(scan).ToString(), "InvalidArgument: maxStamp is smaller than minStamp");
  scan.time_range = {-1, 4};
  EXPECT_EQ(OpenStatus(scan).code(), Code::kInvalidArgument);
  scan = {};
  scan.max_versions = 0;
  EXPECT_EQ(OpenStatus(scan).code(), Code::kInvalidArgument);
}

TEST_F(RowScannerTest, TooLargeRowsAreRefused) {
  Open();
  CreateTable({FamilyNamed("f")});
  for (int i = 0; i < 10; ++i) {
    Add({"r", "f", "q" + std::to_string(i), 1, CellType::kPut, std::string(100, 'v')});
  }
  Get get;
  get.row = "r";
  Result result;
  EXPECT_TRUE(ReadRow(*store_, View("t"), get, 2000, &result).ok());
  const Status status = ReadRow(*store_, View("t"), get, 500, &result);
  EXPECT_EQ(status.code(), Code::kRowTooBig);
  EXPECT_TRUE(status.message().starts_with("Max row size allowed: 500, but the row is bigger than that"));
  EXPECT_TRUE(result.empty());
}

TEST_F(RowScannerTest, PiecesEndAtTheirBytes) {
  Open();
  for (const auto& families : {std::vector{FamilyNamed("f")}, std::vector{FamilyNamed("f"), FamilyNamed("g")}}) {
    CreateTable(families);
    for (const FamilyDescriptor& family : families) {
      for (int column = 10; column < 20; ++column) {
        Add({"r", family.name, std::to_string(column), 1, CellType::kPut, std::string(1000, 'v')});
      }
    }
    for (const bool filtered : {false, true}) {
      RowScanSpec spec;
      spec.scan.allow_partial_results = true;
      spec.scan.max_result_bytes = 2500;
      spec.filter = filtered ? ValueFilter(CompareOp::kNotEqual, BinaryComparator("w")) : nullptr;
      Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, View("t"), std::move(spec));
      ASSERT_TRUE(scanner.ok());
      std::vector<size_t> pieces;
      Result result;
      while (*(*scanner)->Next(&result)) {
        pieces.push_back(result.size());
      }
      EXPECT_EQ(pieces,
                families.size() == 1 ? std::vector<size_t>({3, 3, 3, 1}) : std::vector<size_t>({3, 3, 3, 3, 3, 3, 2}));
    }
    ASSERT_TRUE(store_->catalog().SetEnabled("t", false).ok() && store_->catalog().DeleteTable("t").ok());
  }
}

TEST_F(RowScannerTest, ExistenceIsAnsweredWithoutCells) {
  Open();
  CreateTable({FamilyNamed("f"), FamilyNamed("g")});
  Add({"r", "g", "q", 1, CellType::kPut, "v"});
  Get get;
  get.row = "r";
  get.check_existence_only = true;
  Result result;
  EXPECT_TRUE(ReadRow(*store_, View("t"), get, 0, &result).ok());
  EXPECT_TRUE(result.exists());
  EXPECT_TRUE(result.empty());
  get.row = "s";
  EXPECT_TRUE(ReadRow(*store_, View("t"), get, 0, &result).ok());
  EXPECT_FALSE(result.exists());
}

// The filter drops everything: without a watch, one call would read all of it.
TEST_F(RowScannerTest, AWatchPausesAndEndsAScanThatFindsNothing) {
  Open();
  CreateTable({FamilyNamed("f")});
  constexpr int kRows = 1000;
  for (int i = 0; i < kRows; ++i) {
    Add({"r" + std::to_string(10000 + i), "f", "q", 1, CellType::kPut, i == kRows - 1 ? "wanted" : "v"});
  }
  RowScanSpec spec;
  spec.filter = ValueFilter(CompareOp::kEqual, BinaryComparator("wanted"));
  std::vector<std::string> asked;
  ScanAdvice advice = ScanAdvice::kPause;
  spec.watch = [&](std::string_view row) {
    asked.emplace_back(row);
    return advice;
  };
  std::unique_ptr<RowScanner> scanner = *RowScanner::Open(*store_, View("t"), spec);
  Result result;
  int pauses = 0;
  while (*scanner->Next(&result) && result.empty()) {
    ++pauses;
    ASSERT_EQ(asked.size(), static_cast<size_t>(pauses));
    EXPECT_LT(scanner->statistics().rows_read, pauses * 100);
  }
  EXPECT_GT(pauses, kRows / 100);
  EXPECT_EQ(result.row(), "r10999");
  EXPECT_FALSE(*scanner->Next(&result));
  EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));

  advice = ScanAdvice::kEnd;
  scanner = *RowScanner::Open(*store_, View("t"), spec);
  EXPECT_EQ(scanner->Next(&result).status().code(), Code::kCancelled);
}

TEST_F(RowScannerTest, AWatchPausesWithinARowThatMayBeCut) {
  Open();
  CreateTable({FamilyNamed("f")});
  constexpr int kCells = 20000;
  for (int i = 0; i < kCells; ++i) {
    Add({"r", "f", "q" + std::to_string(100000 + i), 1, CellType::kPut, i % kCells < kCells - 2 ? "v" : "wanted"});
  }
  RowScanSpec spec;
  spec.filter = ValueFilter(CompareOp::kEqual, BinaryComparator("wanted"));
  spec.watch = [](std::string_view row) {
    EXPECT_EQ(row, "r");
    return ScanAdvice::kPause;
  };
  for (const bool may_cut : {true, false}) {
    spec.scan.allow_partial_results = may_cut;
    spec.scan.max_result_bytes = 1 << 20;
    std::unique_ptr<RowScanner> scanner = *RowScanner::Open(*store_, View("t"), spec);
    Result result;
    int pauses = 0;
    while (*scanner->Next(&result) && result.empty()) {
      EXPECT_TRUE(result.has_more_cells_in_row());
      ++pauses;
    }
    EXPECT_EQ(pauses, may_cut ? 4 : 0);
    EXPECT_EQ(result.size(), 2U);
    EXPECT_FALSE(result.has_more_cells_in_row());
    EXPECT_FALSE(*scanner->Next(&result));
  }
}

TEST_F(RowScannerTest, DamagedCellsAreNamed) {
  Open();
  CreateTable({FamilyNamed("f")});
  const TablePtr table = View("t");
  ASSERT_TRUE(store_->db()->Put({}, table->families[0].handle.get(), "bad\x01key", "x").ok());
  Result result;
  RowScanSpec spec;
  std::unique_ptr<RowScanner> scanner = *RowScanner::Open(*store_, table, std::move(spec));
  const Status status = scanner->Next(&result).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_NE(status.message().find("table 't', family 'f'"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("bad\\x01key"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace klip::engine
