// Filters in scans of wide rows: results do not change if hints are followed, rows jumped over and families left
// unread.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"
#include "filter/rows/row_set.h"
#include "klip/filter_state.h"

namespace klip::engine {
namespace {

using filter::ReturnCode;

// The filter's decisions without its hints, so that the scan reads every cell.
class NoHints final : public Filter {
 public:
  explicit NoHints(FilterPtr inner) : inner_(std::move(inner)) {}

  std::string_view name() const override { return "NoHints"; }
  std::string ToString() const override { return inner_->ToString(); }
  std::unique_ptr<filter::FilterState> NewState(bool reversed) const override {
    return std::make_unique<State>(inner_->NewState(reversed));
  }

 private:
  class State final : public filter::FilterState {
   public:
    explicit State(std::unique_ptr<filter::FilterState> inner) : inner_(std::move(inner)) { inner_->ShowEveryCell(); }

    void Reset() override { inner_->Reset(); }
    bool FilterAllRemaining() override { return inner_->FilterAllRemaining(); }
    bool FilterRowKey(std::string_view row) override { return inner_->FilterRowKey(row); }
    ReturnCode FilterCell(const Cell& cell) override {
      const ReturnCode code = inner_->FilterCell(cell);
      return code == ReturnCode::kSeekNextUsingHint ? ReturnCode::kSkip : code;
    }
    filter::HintKind Hints() const override { return inner_->Hints(); }  // so that lists ask it equally often
    void TransformCell(Cell* cell, Result* result) override { inner_->TransformCell(cell, result); }
    void FilterRowCells(std::vector<Cell>* cells) override { inner_->FilterRowCells(cells); }
    bool FilterRow() override { return inner_->FilterRow(); }
    bool HasFilterRow() const override { return inner_->HasFilterRow(); }
    const Status* Error() const override { return inner_->Error(); }

   private:
    std::unique_ptr<filter::FilterState> inner_;
  };

  FilterPtr inner_;
};

// The same filter, with and without its hints.
struct Twin {
  FilterPtr jumping;
  FilterPtr plain;
};

class FilterScanTest : public StoreTest {
 protected:
  uint32_t Below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  std::string Bytes(size_t count, std::string_view letters) {
    std::string out(count, 'x');
    for (char& c : out) {
      c = letters[Below(static_cast<uint32_t>(letters.size()))];
    }
    return out;
  }
  std::string AnyRow() { return Bytes(1 + Below(3), {"\0ab\xff", 4}); }
  std::string AnyQualifier() { return Bytes(Below(4), {"\0xyz", 4}); }

  // Rows of 1 to 60 columns in three families, with versions and delete markers of every kind, in several files.
  void Fill() {
    FamilyDescriptor family;
    family.max_versions = 3;
    TableDescriptor table = Descriptor("t", {"f", "g", "h"});
    for (FamilyDescriptor& one : table.families) {
      one.max_versions = 3;
    }
    ASSERT_TRUE(store_->catalog().CreateTable(table, {"a", "b"}).ok());
    const TablePtr view = View("t");
    constexpr CellType kMarkers[] = {CellType::kDelete, CellType::kDeleteColumn, CellType::kDeleteFamily,
                                     CellType::kDeleteFamilyVersion};
    for (int file = 0; file < 3; ++file) {
      WriteSet writes;
      for (int i = 0; i < 40; ++i) {
        const std::string row = AnyRow();
        for (const Family& one : view->families) {
          for (uint32_t cells = Below(3) == 0 ? 0 : Below(Below(4) == 0 ? 60 : 6); cells > 0; --cells) {
            const int64_t timestamp = 1 + Below(6);
            if (Below(12) == 0) {
              const CellType marker = kMarkers[Below(4)];
              const bool of_family = marker == CellType::kDeleteFamily || marker == CellType::kDeleteFamilyVersion;
              writes.Add(one, row, of_family ? "" : AnyQualifier(), timestamp, marker, "");
            } else {
              writes.Add(one, row, AnyQualifier(), timestamp, CellType::kPut, Bytes(Below(2), "uv"));
            }
          }
        }
      }
      ASSERT_TRUE(store_->Write(&writes, Durability::kAsyncWal).ok());
      ASSERT_TRUE(store_->storage().Flush("t").ok());
    }
  }

  ComparatorPtr AnyComparator(const std::string& bytes) {
    switch (Below(4)) {
      case 0:
        return BinaryPrefixComparator(bytes);
      case 1:
        return SubstringComparator(bytes);
      default:
        return BinaryComparator(bytes);
    }
  }

  FilterPtr RowLeaf(CompareOp op, bool hints) {
    switch (Below(hints ? 6 : 3)) {
      case 0:
        return InclusiveStopFilter(AnyRow());
      case 1:
        return *PageFilter(1 + Below(5));
      case 3: {
        FuzzyKey fuzzy{AnyRow(), ""};
        for (size_t i = 0; i < fuzzy.key.size(); ++i) {
          fuzzy.mask.push_back(static_cast<char>(Below(2)));
        }
        return *FuzzyRowFilter({fuzzy});
      }
      case 4:
        return *MultiRowPrefixFilter({AnyRow(), AnyRow()});
      case 5:
        return PrefixFilter(AnyRow());
      default:
        return RowFilter(op, AnyComparator(AnyRow()));
    }
  }

  // Filters that jump over columns, in HBase too.
  FilterPtr ColumnLeaf() {
    switch (Below(4)) {
      case 0:
        return ColumnPrefixFilter(AnyQualifier());
      case 1:
        return *MultipleColumnPrefixFilter({"x", AnyQualifier() + "y", "zz"});
      case 2:
        return ColumnRangeFilter({AnyQualifier(), Below(2) == 0, AnyQualifier(), Below(2) == 0});
      default:
        return *TimestampsFilter({Below(7), Below(7)}, true);
    }
  }

  // Filters whose answers depend on other cells of the row. In a list with hinting filters they see other cells than in
  // a list without, as in HBase.
  FilterPtr RememberingLeaf(CompareOp op) {
    const std::string family(1, "fgh"[Below(3)]);
    const SingleColumnValue condition = {family,        Bytes(1, "xyz"), op, BinaryComparator(Below(3) == 0 ? "" : "v"),
                                         Below(3) != 0, Below(2) == 0};
    switch (Below(7)) {
      case 0:
        return *ColumnPaginationFilter(static_cast<int32_t>(Below(4)), static_cast<int32_t>(Below(4)));
      case 1:
        return *ColumnCountGetFilter(static_cast<int32_t>(Below(4)));
      case 2:
        return DependentColumnFilter({family, AnyQualifier(), Below(2) == 0});
      case 3:
        return FirstKeyOnlyFilter();
      case 4:
        return SingleColumnValueExcludeFilter(condition);
      default:
        return SingleColumnValueFilter(condition);
    }
  }

  FilterPtr CellLeaf(CompareOp op) {
    const std::string family(1, "fgh"[Below(3)]);
    const std::string value = Below(3) == 0 ? "" : "v";
    switch (Below(7)) {
      case 0:
        return *TimestampsFilter({Below(7), Below(7)});
      case 1:
        return FamilyFilter(op, BinaryComparator(family));
      case 2:
        return ValueFilter(op, BinaryComparator(value));
      case 3:
        return ColumnValueFilter(family, AnyQualifier(), op, BinaryComparator(value));
      case 4:
        return KeyOnlyFilter(Below(2) == 0);
      default:
        return QualifierFilter(op, AnyComparator(AnyQualifier()));
    }
  }

  Twin AnyLeaf(bool remembering) {
    const auto op = static_cast<CompareOp>(Below(6));
    const uint32_t kind = Below(3);
    const FilterPtr leaf = kind == 0   ? RowLeaf(op, !remembering)
                           : kind == 1 ? CellLeaf(op)
                                       : (remembering ? RememberingLeaf(op) : ColumnLeaf());
    return {leaf, std::make_shared<NoHints>(leaf)};
  }

  Twin AnyTree() {
    if (Below(12) == 0) {
      const FilterPtr leaf = *ColumnPaginationFilter(static_cast<int32_t>(Below(4)), AnyQualifier());
      return {leaf, std::make_shared<NoHints>(leaf)};
    }
    return AnyTree(3, Below(2) == 0);
  }

  Twin AnyTree(uint32_t depth, bool remembering) {
    if (depth == 0 || Below(3) == 0) {
      return AnyLeaf(remembering);
    }
    if (remembering && Below(6) == 0) {
      const Twin inner = AnyTree(depth - 1, remembering);
      return {SkipFilter(inner.jumping), SkipFilter(inner.plain)};
    }
    std::vector<FilterPtr> jumping;
    std::vector<FilterPtr> plain;
    for (uint32_t i = 0; i < 1 + Below(3); ++i) {
      const Twin member = AnyTree(depth - 1, remembering);
      jumping.push_back(member.jumping);
      plain.push_back(member.plain);
    }
    const ListOperator op = Below(2) == 0 ? ListOperator::kMustPassAll : ListOperator::kMustPassOne;
    return {FilterList(op, jumping), FilterList(op, plain)};
  }

  // What the scan returns, or its error.
  std::string Run(RowScanSpec spec, ScanStatistics* statistics) {
    std::string out;
    Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, View("t"), std::move(spec));
    if (!scanner.ok()) {
      return scanner.status().ToString();
    }
    Result result;
    while (true) {
      Expected<bool> next = (*scanner)->Next(&result);
      if (!next.ok()) {
        return next.status().ToString();
      }
      if (!*next) {
        break;
      }
      for (const Cell& cell : result) {
        out += ToStringBinary(cell.row) + " " + std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "@" +
               std::to_string(cell.timestamp_ms) + "=" + ToStringBinary(cell.value) + "\n";
      }
      out += "--\n";
    }
    *statistics = (*scanner)->statistics();
    return out;
  }

  Scan AnyScan() {
    Scan scan;
    scan.reversed = Below(2) == 0;
    scan.max_versions = static_cast<int32_t>(1 + Below(4));
    scan.batch = Below(5) == 0 ? 3 : 0;
    if (Below(3) == 0) {
      scan.columns = {{"f", std::nullopt}};
    } else if (Below(6) == 0) {
      scan.columns = {{"f", std::nullopt}, {"g", AnyQualifier()}, {"g", AnyQualifier()}};
    }
    if (Below(6) == 0) {
      scan.time_range = {2, 5};
    }
    if (Below(8) == 0) {
      scan.max_results_per_family = 3;
      scan.row_offset_per_family = static_cast<int32_t>(Below(3));
    }
    return scan;
  }

  std::mt19937 random_{20261121};
};

TEST_F(FilterScanTest, JumpingChangesNothing) {
  constexpr int kStores = 4;
  constexpr int kCasesPerStore = 1000;
  int64_t cells_jumping = 0;
  int64_t cells_plain = 0;
  int with_rows = 0;
  int with_result = 0;
  for (int store = 0; store < kStores; ++store) {
    path_ = root_ + "/store" + std::to_string(store);
    Open();
    ASSERT_NO_FATAL_FAILURE(Fill());
    for (int i = 0; i < kCasesPerStore; ++i) {
      const Twin twin = AnyTree();
      RowScanSpec spec;
      spec.scan = AnyScan();
      RowScanSpec plain = spec;
      plain.filter = twin.plain;
      if (plain.scan.max_results_per_family < 0) {
        plain.scan.max_results_per_family = INT32_MAX;  // with a limit, the scan would not use its path for simple rows
      }
      bool exact = false;
      spec.rows = Below(2) == 0 ? twin.jumping->Rows(spec.scan.reversed, &exact) : nullptr;
      spec.filter = spec.rows != nullptr && exact ? nullptr : twin.jumping;
      with_rows += spec.rows != nullptr ? 1 : 0;
      if (spec.filter == nullptr && spec.scan.batch > 0) {
        continue;  // the filter decides whether a batch may be set
      }
      const std::string how = twin.jumping->ToString() + " reversed " + std::to_string(spec.scan.reversed) + " batch " +
                              std::to_string(spec.scan.batch) + " store " + std::to_string(store);
      ScanStatistics jumped;
      ScanStatistics read;
      const std::string expected = Run(std::move(plain), &read);
      ASSERT_EQ(Run(std::move(spec), &jumped), expected) << ToStringBinary(how);
      cells_jumping += jumped.cells_read;
      cells_plain += read.cells_read;
      with_result += expected.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(with_result, kStores * kCasesPerStore / 4);
  EXPECT_LT(cells_jumping, cells_plain * 9 / 10);
  printf("[  cases   ] %d filters, %d with row sets, %d with a result; cells read %lld instead of %lld\n",
         kStores * kCasesPerStore, with_rows, with_result, static_cast<long long>(cells_jumping),
         static_cast<long long>(cells_plain));
}

TEST_F(FilterScanTest, FamiliesThatTheFilterDoesNotNeedAreReadForRowsThatPass) {
  Open();
  Create("t", {"big", "test"});
  const TablePtr table = View("t");
  WriteSet writes;
  for (int row = 0; row < 500; ++row) {
    const std::string key = std::to_string(1000 + row);
    for (int column = 0; column < 20; ++column) {
      writes.Add(table->families[0], key, "q" + std::to_string(10 + column), 1, CellType::kPut, "data");
    }
    writes.Add(table->families[1], key, "v", 1, CellType::kPut, row % 100 == 7 ? "yes" : "no");
  }
  ASSERT_TRUE(store_->Write(&writes, Durability::kAsyncWal).ok());
  for (const bool reversed : {false, true}) {
    RowScanSpec spec;
    spec.scan.reversed = reversed;
    spec.filter = SingleColumnValueFilter(
        {.family = "test", .qualifier = "v", .comparator = BinaryComparator("yes"), .filter_if_missing = true});
    ScanStatistics statistics;
    const std::string found = Run(spec, &statistics);
    EXPECT_EQ(std::count(found.begin(), found.end(), '='), 5 * 21);
    EXPECT_LE(statistics.cells_read, 500 + 5 * 21);
    EXPECT_TRUE(found.starts_with(reversed ? "1407 big:q10@1=data\n" : "1007 big:q10@1=data\n"));
  }
}

TEST_F(FilterScanTest, ColumnFiltersSeekInWideRows) {
  Open();
  Create("t", {"f"});
  const TablePtr table = View("t");
  WriteSet writes;
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 20000; ++column) {
      writes.Add(table->families[0], "row" + std::to_string(row), "q" + std::to_string(100000 + column), 1,
                 CellType::kPut, "v");
    }
  }
  ASSERT_TRUE(store_->Write(&writes, Durability::kAsyncWal).ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  const std::vector<FilterPtr> filters = {
      ColumnPrefixFilter("q11500"),
      *MultipleColumnPrefixFilter({"q10500", "q11500"}),
      ColumnRangeFilter({.min = "q115000", .max = "q115010"}),
      QualifierFilter(CompareOp::kEqual, BinaryPrefixComparator("q11500")),
      *ColumnPaginationFilter(10, std::string("q115000")),
      FilterList(ListOperator::kMustPassAll,
                 {ValueFilter(CompareOp::kEqual, BinaryComparator("v")), ColumnPrefixFilter("q11500")}),
  };
  for (const FilterPtr& one : filters) {
    RowScanSpec spec;
    spec.filter = one;
    ScanStatistics statistics;
    const std::string found = Run(spec, &statistics);
    const auto cells = std::count(found.begin(), found.end(), '=');
    EXPECT_EQ(cells, one == filters[1] ? 100 : 50) << one->ToString();
    EXPECT_LE(statistics.cells_read, cells + 15) << one->ToString();
    EXPECT_LE(statistics.steps, 5 * 100) << one->ToString();
  }
}

// Further reading would find nothing, or more than was requested.
TEST_F(FilterScanTest, LimitsAndPagesEndAScanAtOnce) {
  Open();
  Create("t", {"f"});
  for (int row = 100; row < 300; ++row) {
    ASSERT_TRUE(Put("t", std::to_string(row), "v").ok());
  }
  const auto scan = [this](FilterPtr filter, int64_t limit) {
    RowScanSpec spec;
    spec.filter = std::move(filter);
    spec.scan.limit_rows = limit;
    ScanStatistics statistics;
    const std::string found = Run(spec, &statistics);
    EXPECT_LE(statistics.rows_read, 4);
    return std::count(found.begin(), found.end(), '=');
  };
  EXPECT_EQ(scan(ValueFilter(CompareOp::kEqual, BinaryComparator("v")), 3), 3);
  EXPECT_EQ(scan(*PageFilter(3), 0), 3);
  EXPECT_EQ(scan(FilterList(ListOperator::kMustPassAll, {PrefixFilter("1"), *PageFilter(3)}), 0), 3);
}

TEST_F(FilterScanTest, FailuresOfComparatorsEndTheScan) {
  Open();
  Create("t", {"f"});
  ASSERT_TRUE(Put("t", "a", "12345678").ok());
  ASSERT_TRUE(Put("t", "b", "short").ok());
  const auto run = [this](const FilterPtr& one) {
    RowScanSpec spec;
    spec.filter = one;
    ScanStatistics statistics;
    return Run(spec, &statistics);
  };
  const FilterPtr fails = ValueFilter(CompareOp::kNotEqual, LongComparator(1));
  EXPECT_EQ(run(fails), "InvalidArgument: Wrong length: 5, expected 8");
  EXPECT_EQ(run(SkipFilter(fails)), "InvalidArgument: Wrong length: 5, expected 8");
  EXPECT_EQ(run(FilterList(ListOperator::kMustPassOne, {FirstKeyOnlyFilter(), WhileMatchFilter(fails)})),
            "InvalidArgument: Wrong length: 5, expected 8");
  EXPECT_EQ(run(RowFilter(CompareOp::kEqual, BinaryComponentComparator("xy", 0))),
            "InvalidArgument: BinaryComponentComparator: bytes 0 to 2 of 1");
  EXPECT_EQ(run(SingleColumnValueFilter({.family = "f", .qualifier = "q", .op = CompareOp::kNoOp})),
            "DoNotRetry: Unknown Compare op NO_OP");
}

}  // namespace
}  // namespace klip::engine
