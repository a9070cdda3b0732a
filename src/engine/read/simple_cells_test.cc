// The short paths of scans against the general path, which a limit on the cells of a family selects: the same Results, piece by piece.
// Random rows, most of which consist of visible puts, so that runs of cells are long.
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/read/row_scanner.h"
#include "engine/store/store_fixture_test.h"
#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/filter_state.h"
#include "klip/row_batch.h"

namespace klip::engine {
namespace {

constexpr int kManyRows = 200;  // RowScanner::Rep::NextSimple reads rows after the first 64

struct FamilyKind {
  std::string name;
  int32_t max_versions = 1;
  bool new_version_behavior = false;
  int32_t ttl_s = kTtlForever;
  int32_t min_versions = 0;
};

struct PathRead {
  std::vector<std::string> results;  // a text for each
  int64_t rows_read = 0;
  int64_t rows_returned = 0;
};

// Ends a row at a value, whatever follows there.
class UntilValueFilter final : public Filter {
 public:
  explicit UntilValueFilter(std::string value) : value_(std::move(value)) {}

  std::string_view name() const override { return "UntilValueFilter"; }
  std::string ToString() const override { return "UntilValueFilter(" + value_ + ")"; }
  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<State>(value_);
  }

 private:
  class State final : public filter::FilterState {
   public:
    explicit State(std::string value) : value_(std::move(value)) {}
    filter::ReturnCode FilterCell(const Cell& cell) override {
      return cell.value == value_ ? filter::ReturnCode::kNextRow : filter::ReturnCode::kInclude;
    }

   private:
    const std::string value_;
  };

  const std::string value_;
};

class SimpleCellsTest : public StoreTest, public testing::WithParamInterface<FamilyKind> {
 protected:
  uint32_t Below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }
  bool OneIn(uint32_t many) { return Below(many) == 0; }

  std::string RowName(int number) {
    return "row" + std::to_string(1000 + number) + (number % 5 == 0 ? std::string("\0\0x\xff", 4) : "");
  }
  std::string AnyRow() { return RowName(static_cast<int>(Below(kManyRows))); }
  std::string AnyQualifier() {
    static const std::vector<std::string> kNames = {"",
                                                    "a",
                                                    "ab",
                                                    "b",
                                                    std::string("b\0", 2),
                                                    std::string(1, '\0'),
                                                    "c",
                                                    "\xff",
                                                    "a name of more than sixteen bytes"};
    return kNames[OneIn(3) ? Below(static_cast<uint32_t>(kNames.size())) : 1 + Below(3)];
  }

  void AddCell(const std::string& row, bool plain, WriteSet* writes) {
    constexpr CellType kMarkers[] = {CellType::kDelete, CellType::kDeleteColumn, CellType::kDeleteFamily,
                                     CellType::kDeleteFamilyVersion};
    const Family& family = view_->families[0];
    const int64_t timestamp =
        now_ms_ - 4 + Below(4) - (OneIn(4) ? 1000 : 0);  // the old ones are expired if there is a TTL
    const CellType type = plain || !OneIn(5) ? CellType::kPut : kMarkers[Below(4)];
    const bool of_family = type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
    const std::string tags = !plain && type == CellType::kPut && OneIn(6) ? TtlTag(1 + Below(4)) : "";
    const std::string value =
        type != CellType::kPut ? "" : std::string(OneIn(9) ? 300 : 1, static_cast<char>('u' + Below(3)));
    writes->Add(family, row, of_family ? "" : AnyQualifier(), timestamp, type, value, tags);
  }

  void Fill() {
    TableDescriptor table = Descriptor("t", {"f"});
    FamilyDescriptor& family = table.families[0];
    family.max_versions = GetParam().max_versions;
    family.new_version_behavior = GetParam().new_version_behavior;
    family.ttl_s = GetParam().ttl_s;
    family.min_versions = GetParam().min_versions;
    ASSERT_EQ(store_->catalog().CreateTable(table, {}).ToString(), "ok");
    view_ = View("t");
    for (int file = 0; file < 2; ++file) {
      WriteSet writes;
      for (int row = 0; row < kManyRows; ++row) {
        const bool plain = row % 4 != 0;
        for (uint32_t cells = Below(OneIn(8) ? 40 : 6); cells > 0; --cells) {
          AddCell(RowName(row), plain, &writes);
        }
      }
      for (int i = 0; i < 300; ++i) {  // more cells, and versions, than the short paths read of a row
        writes.Add(view_->families[0], RowName(77), "q" + std::to_string(1000 + i), now_ms_, CellType::kPut, "v");
        writes.Add(view_->families[0], RowName(78), i < 200 ? "a" : "b", now_ms_ - i % 200, CellType::kPut, "v");
      }
      ASSERT_EQ(store_->Write(&writes, Durability::kAsyncWal).ToString(), "ok");
      if (file == 0) {
        ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
      }
    }
  }

  FilterPtr AnyLeaf() {
    const auto op = static_cast<CompareOp>(Below(6));
    switch (Below(10)) {
      case 0:
        return KeyOnlyFilter(OneIn(2));
      case 1:
        return FirstKeyOnlyFilter();
      case 2:
        return QualifierFilter(op, BinaryComparator(AnyQualifier()));
      case 3:
        return *TimestampsFilter({now_ms_ - 1, now_ms_ - 3}, OneIn(2));
      case 4:
        return *ColumnPaginationFilter(static_cast<int32_t>(1 + Below(3)), static_cast<int32_t>(Below(3)));
      case 5:
        return SingleColumnValueFilter({.family = "f",
                                        .qualifier = AnyQualifier(),
                                        .op = op,
                                        .comparator = BinaryComparator("v"),
                                        .filter_if_missing = OneIn(2)});
      case 6:
        return ColumnPrefixFilter(AnyQualifier());
      case 7:
        return std::make_shared<UntilValueFilter>("v");
      default:
        return ValueFilter(op, BinaryComparator(OneIn(2) ? "v" : "u"));
    }
  }

  FilterPtr AnyFilter() {
    switch (Below(8)) {
      case 0:
        return WhileMatchFilter(ValueFilter(CompareOp::kNotEqual, BinaryComparator("w")));
      case 1:
        return WhileMatchFilter(AnyLeaf());
      case 2:
        return SkipFilter(AnyLeaf());
      case 3:
        return FilterList(ListOperator::kMustPassAll, {AnyLeaf(), KeyOnlyFilter(true)});
      case 4:
        return FilterList(ListOperator::kMustPassOne, {AnyLeaf(), AnyLeaf()});
      case 5:
        return FilterList(ListOperator::kMustPassAll, {AnyLeaf(), *PageFilter(1 + Below(100))});
      default:
        return AnyLeaf();
    }
  }

  RowScanSpec AnySpec() {
    RowScanSpec spec;
    Scan& scan = spec.scan;
    scan.max_versions = OneIn(3) ? static_cast<int32_t>(2 + Below(2)) : 1;
    scan.limit_rows = OneIn(6) ? 1 + Below(kManyRows) : 0;
    scan.batch = OneIn(8) ? static_cast<int32_t>(1 + Below(3)) : 0;
    if (OneIn(4)) {
      scan.start_row = AnyRow();
    }
    if (OneIn(4)) {
      scan.time_range = {now_ms_ - 3, OneIn(2) ? kLatestTimestamp : now_ms_ - 1};
    }
    if (OneIn(4)) {
      scan.allow_partial_results = true;
      scan.max_result_bytes = 1 + Below(400);
    }
    if (OneIn(3)) {
      for (uint32_t columns = 1 + Below(3); columns > 0; --columns) {
        scan.columns.push_back({"f", AnyQualifier()});
      }
    }
    if (OneIn(4)) {
      spec.rows = filter::RowSet::FromRanges({{.start = RowName(10), .stop = RowName(60)},
                                              {.start = RowName(61), .stop = AnyRow() + "z"},
                                              {.start = RowName(150), .stop = RowName(190)}});
    }
    if (OneIn(4)) {
      spec.watch = [](std::string_view /*row*/) { return ScanAdvice::kPause; };
    }
    if (OneIn(2)) {
      spec.filter = AnyFilter();
    }
    return spec;
  }

  static std::string TextOf(const Result& result) {
    std::string text;
    for (const Cell& cell : result) {
      text += ToStringBinary(cell.row) + " " + std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "@" +
              std::to_string(cell.timestamp_ms) + "=" + ToStringBinary(cell.value) + " ";
    }
    return text + (result.has_more_cells_in_row() ? "more" : "");
  }

  // Finished rows, and the values of the batch's columns in them.
  PathRead Next(const RowScanSpec& spec, const std::vector<ColumnName>& columns = {},
                std::vector<std::string>* rows = nullptr) {
    PathRead read;
    Expected<std::unique_ptr<RowScanner>> scanner = RowScanner::Open(*store_, view_, spec);
    if (!scanner.ok()) {
      return {.results = {scanner.status().ToString()}};
    }
    Result result;
    while (*(*scanner)->Next(&result)) {
      if (result.empty()) {
        continue;  // a pause
      }
      read.results.push_back(TextOf(result));
      if (rows != nullptr) {
        std::string text(result.row());
        for (const ColumnName& column : columns) {
          const Cell* const cell = result.Find(column.family, column.qualifier);
          text += cell == nullptr ? "|none" : "|" + std::string(cell->value);
        }
        rows->push_back(std::move(text));
      }
    }
    read.rows_read = (*scanner)->statistics().rows_read;
    read.rows_returned = (*scanner)->statistics().rows_returned;
    return read;
  }

  std::vector<std::string> FillBatches(const RowScanSpec& spec, const std::vector<ColumnName>& columns) {
    std::vector<std::string> rows;
    const std::unique_ptr<RowScanner> scanner = *RowScanner::Open(*store_, view_, spec);
    RowBatch batch(columns);
    while (*scanner->Fill(&batch)) {
      for (size_t row = 0; row < batch.rows(); ++row) {
        std::string text(batch.key(row));
        for (size_t column = 0; column < columns.size(); ++column) {
          const std::optional<std::string_view> value = batch.value(column, row);
          text += value.has_value() ? "|" + std::string(*value) : "|none";
        }
        rows.push_back(std::move(text));
      }
      batch.Clear();
    }
    return rows;
  }

  std::mt19937 random_{20261127};
  TablePtr view_;
};

std::string TextOfSpec(const RowScanSpec& spec) {
  std::string text = "versions " + std::to_string(spec.scan.max_versions) + " batch " +
                     std::to_string(spec.scan.batch) + " piece " + std::to_string(spec.scan.max_result_bytes) +
                     " limit " + std::to_string(spec.scan.limit_rows) + (spec.rows != nullptr ? " row set" : "") +
                     (spec.watch ? " watched" : "") + " columns";
  for (const ColumnSpec& column : spec.scan.columns) {
    text += " " + ToStringBinary(*column.qualifier);
  }
  return text + (spec.filter != nullptr ? " filter " + ToStringBinary(spec.filter->ToString()) : "");
}

TEST_P(SimpleCellsTest, ShortPathsReadWhatTheGeneralOneReads) {
  Open();
  ASSERT_NO_FATAL_FAILURE(Fill());
  int64_t rows_found = 0;
  for (int i = 0; i < 400; ++i) {
    const RowScanSpec spec = AnySpec();
    RowScanSpec general = spec;
    general.scan.max_results_per_family = INT32_MAX;
    const std::vector<ColumnName> columns = {{"f", AnyQualifier()}, {"f", "a"}};
    std::vector<std::string> rows;
    const PathRead expected = Next(general, columns, &rows);
    const PathRead read = Next(spec);
    ASSERT_EQ(read.results, expected.results) << TextOfSpec(spec);
    ASSERT_EQ(read.rows_returned, expected.rows_returned) << TextOfSpec(spec);
    if (spec.filter == nullptr) {
      ASSERT_EQ(read.rows_read, expected.rows_read) << TextOfSpec(spec);
    }
    rows_found += expected.rows_returned;
    if (spec.scan.batch == 0 && !spec.scan.allow_partial_results) {
      ASSERT_EQ(FillBatches(spec, columns), rows) << TextOfSpec(spec);
      ASSERT_EQ(*(*RowScanner::Open(*store_, view_, spec))->CountRows(), expected.rows_returned) << TextOfSpec(spec);
    }
  }
  EXPECT_GT(rows_found, 10'000);
}

INSTANTIATE_TEST_SUITE_P(Families, SimpleCellsTest,
                         testing::Values(FamilyKind{"one_version"}, FamilyKind{"three_versions", 3},
                                         FamilyKind{"new_version_behavior", 3, true}, FamilyKind{"ttl", 1, false, 1},
                                         FamilyKind{"min_versions", 3, false, 1, 1}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace klip::engine
