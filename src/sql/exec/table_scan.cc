#include "sql/exec/table_scan.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "klip/filter.h"
#include "rowkey/explain_text.h"
#include "sql/catalog/single_cell.h"
#include "sql/exec/prefix_filter.h"

namespace klip::sql {
namespace {

// A wanted column that is a cell.
struct CellColumn {
  std::string family;
  std::string qualifier;
  size_t out;  // its place in the batch
  DataType type;
  size_t element;  // not 0: in a cell of several columns
  Value missing;   // of rows without it
};

struct KeyColumnWanted {
  size_t position;
  size_t out;
};

// "index BY_CITY: 41 jumps, 40 rows read, 40 returned, 176 us".
std::string FiguresOf(const klip::Explain& plan) {
  const std::string name = plan.index.empty() ? std::string(PlanKindName(plan.kind))
                                              : "index " + plan.index + (plan.index_only ? " alone" : "");
  if (!plan.has_statistics) {
    return name + ": no statistics yet";
  }
  const PlanCost& cost = plan.estimated;
  return name + ": " + rowkey::FormatCount(cost.seeks, "jump") + ", " +
         rowkey::FormatCount(std::max(cost.rows_read, plan.index_only ? cost.entries_read : 0.0), "row") + " read, " +
         rowkey::FormatCount(cost.rows_returned) + " returned, " + rowkey::FormatTime(cost.time_us);
}

class TableScan final : public Operator {
 public:
  explicit TableScan(TableScanSpec spec) : spec_(std::move(spec)), parts_(spec_.table->key_columns) {
    for (size_t i = 0; i < spec_.columns.size(); ++i) {
      const TableColumn& column = spec_.table->columns[spec_.columns[i]];
      types_.push_back(column.type);
      if (column.row_part == RowPart::kKey) {
        row_key_ = i;
      } else if (column.row_part == RowPart::kTime) {
        row_time_ = i;
      } else if (column.key_position >= 0) {
        keys_.push_back({static_cast<size_t>(column.key_position), i});
      } else {
        cells_.push_back({column.family, column.qualifier, i, column.type, column.element, column.missing});
      }
    }
    row_batch_ = RowBatch(CellNames());
    get_ = {.columns = Columns(/*scan=*/false), .time_range = spec_.tables->times()};
  }

  void Close() override {
    scanner_.reset();
    batches_.reset();
    points_.clear();
    next_point_ = 0;
    ended_ = true;
  }

  Status Open(Execution* execution) override {
    rows_read_ = execution->rows_read;
    KLIP_RETURN_IF_ERROR(Reset());
    KLIP_ASSIGN_OR_RETURN(const int64_t limit, CountOf(spec_.limit, static_cast<int64_t>(kBatchRows)));
    batch_rows_ = static_cast<size_t>(std::clamp<int64_t>(limit, 1, static_cast<int64_t>(kBatchRows)));
    RowsWanted rows;
    if (spec_.rows != nullptr) {
      KLIP_ASSIGN_OR_RETURN(rows, spec_.rows());
    }
    if (!rows.points.empty()) {
      return ReadPoints(std::move(rows.points));
    }
    ended_ = IsEmpty(rows);
    return ended_ ? Status::Ok() : OpenScan(std::move(rows.set));
  }

  // Single rows are few, and a limit may end the scan early.
  Expected<std::optional<int64_t>> CountRows(Execution* /*execution*/) override {
    if (!types_.empty() || spec_.limit != nullptr || spec_.distinct_prefix > 0 || spec_.sample < 1) {
      return std::optional<int64_t>();
    }
    RowsWanted rows;
    if (spec_.rows != nullptr) {
      KLIP_ASSIGN_OR_RETURN(rows, spec_.rows());
    }
    if (!rows.points.empty()) {
      return std::optional<int64_t>();
    }
    if (IsEmpty(rows)) {
      return std::optional<int64_t>(0);
    }
    KLIP_RETURN_IF_ERROR(Reset());
    klip::Scan scan = MakeScan(std::move(rows.set));
    scan.reversed = false;
    scan.order_by_index.clear();
    KLIP_ASSIGN_OR_RETURN(const int64_t count, table_->CountRows(scan));
    return std::optional(count);
  }

  Expected<bool> Next(Batch* out) override {
    out->columns.resize(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) {
      out->columns[i].Reset(types_[i], points_.empty() ? batch_rows_ : std::min(kBatchRows, points_.size()));
    }
    size_t rows = 0;
    if (!points_.empty()) {
      for (; next_point_ < points_.size() && rows < kBatchRows; ++next_point_) {
        if (!points_[next_point_].empty() && IsSampled(points_[next_point_].row())) {
          KLIP_RETURN_IF_ERROR(Take(points_[next_point_], rows++, out));
        }
      }
    } else if (batches_ != nullptr) {
      while (rows == 0 && !ended_) {
        KLIP_ASSIGN_OR_RETURN(rows, TakeBatch(out));
      }
    } else {
      while (!ended_ && rows < batch_rows_) {
        KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&result_));
        ended_ = !more;
        if (more && IsSampled(result_.row())) {
          KLIP_RETURN_IF_ERROR(Take(result_, rows++, out));
        }
      }
    }
    out->rows = rows;
    rows_read_->fetch_add(static_cast<int64_t>(rows), std::memory_order_relaxed);
    return rows > 0;
  }

  std::optional<double> EstimatedRows() const override {
    RowsWanted rows;
    if (spec_.rows != nullptr) {
      Expected<RowsWanted> wanted = spec_.rows();
      rows = wanted.ok() ? *std::move(wanted) : RowsWanted();
    }
    if (!rows.points.empty() || IsEmpty(rows)) {
      return static_cast<double>(rows.points.size());
    }
    const Expected<std::optional<double>> estimated = EstimateOfScan(std::move(rows.set));
    return estimated.ok() && estimated->has_value() ? std::optional(spec_.sample * **estimated) : std::nullopt;
  }

  bool InOrder() const override { return true; }

  void Explain(ExplainLines* lines) const override {
    if (spec_.explain != nullptr) {
      spec_.explain(lines);
    }
    const Expected<std::optional<klip::Explain>> plan = PlanOfScan();
    if (plan.ok() && plan->has_value() && (!(*plan)->index.empty() || (*plan)->has_statistics)) {
      lines->push_back("    " + FiguresOf(**plan));
    }
    if (plan.ok() && plan->has_value()) {
      for (const klip::Explain::Candidate& candidate : (*plan)->candidates) {
        if (!candidate.index.empty() && !candidate.why_not.empty()) {
          lines->push_back("    " + candidate.index + " is not used: " + candidate.why_not);
        }
      }
      lines->rows_read += (*plan)->estimated.rows_read;
      lines->has_statistics = lines->has_statistics && (*plan)->has_statistics;
    } else {
      lines->rows_read += EstimatedRows().value_or(0);  // single rows
    }
  }

 private:
  // The cells to ask for. A row exists if its marker does; tables of others have none, so there all cells are read.
  std::vector<ColumnSpec> Columns(bool scan) const {
    std::vector<ColumnSpec> whole;
    for (const std::string& family : spec_.table->families) {
      whole.push_back({.family = family});
    }
    if (!spec_.table->empty_family.has_value()) {
      return whole;
    }
    // TUNING: to pass over a few cells of a row costs more than to read them.
    constexpr size_t kFewCells = 4;
    const size_t all = spec_.table->columns.size() - spec_.table->key_columns;
    if (scan && all <= kFewCells + 2 * cells_.size()) {
      return whole;
    }
    std::vector<ColumnSpec> columns;
    columns.push_back({*spec_.table->empty_family, spec_.table->empty_qualifier});
    for (const CellColumn& cell : cells_) {
      columns.push_back({cell.family, cell.qualifier});
    }
    return columns;
  }

  Status ReadPoints(std::vector<std::string> points) {
    if (spec_.reversed) {
      std::reverse(points.begin(), points.end());
    }
    if (points.size() == 1) {
      get_.row = std::move(points[0]);
      KLIP_ASSIGN_OR_RETURN(Result row, table_->Get(get_));
      points_.push_back(std::move(row));
      return Status::Ok();
    }
    std::vector<Get> gets(points.size(), get_);
    for (size_t i = 0; i < points.size(); ++i) {
      gets[i].row = std::move(points[i]);
    }
    KLIP_ASSIGN_OR_RETURN(points_, table_->Get(gets));
    return Status::Ok();
  }

  static bool IsEmpty(const RowsWanted& rows) { return rows.set != nullptr && rows.set->empty(); }

  // Opens the table, before the first row.
  Status Reset() {
    Close();
    ended_ = false;
    KLIP_ASSIGN_OR_RETURN(table_, spec_.tables->Open(spec_.table->physical_name, &handle_));
    return Status::Ok();
  }

  Expected<std::optional<double>> EstimateOfScan(std::shared_ptr<const filter::RowSet> rows) const {
    KLIP_ASSIGN_OR_RETURN(const int64_t limit, CountOf(spec_.limit, 0));
    SessionTables::Handle handle;
    KLIP_ASSIGN_OR_RETURN(Table* const table, spec_.tables->Open(spec_.table->physical_name, &handle));
    klip::Scan scan = MakeScan(std::move(rows));
    scan.limit_rows = limit;
    return table->EstimateRows(scan);
  }

  // The store's plan; nullopt: rows are read one by one.
  Expected<std::optional<klip::Explain>> PlanOfScan() const {
    RowsWanted rows;
    if (spec_.rows != nullptr) {
      KLIP_ASSIGN_OR_RETURN(rows, spec_.rows());
    }
    if (!rows.points.empty() || IsEmpty(rows)) {
      return std::optional<klip::Explain>();
    }
    KLIP_ASSIGN_OR_RETURN(const int64_t limit, CountOf(spec_.limit, 0));
    SessionTables::Handle handle;
    KLIP_ASSIGN_OR_RETURN(Table* const table, spec_.tables->Open(spec_.table->physical_name, &handle));
    klip::Scan scan = MakeScan(std::move(rows.set));
    scan.limit_rows = limit;
    KLIP_ASSIGN_OR_RETURN(klip::Explain plan, table->Explain(scan));
    return std::optional(std::move(plan));
  }

  klip::Scan MakeScan(std::shared_ptr<const filter::RowSet> rows) const {
    klip::Scan scan;
    scan.columns = Columns(/*scan=*/true);
    scan.time_range = spec_.tables->times();
    scan.rows = std::move(rows);
    scan.reversed = spec_.reversed;
    scan.order_by_index = spec_.order_by_index;
    scan.threads = spec_.threads;
    scan.filter = spec_.filter == nullptr ? nullptr : spec_.filter();
    return scan;
  }

  Status OpenScan(std::shared_ptr<const filter::RowSet> rows) {
    KLIP_RETURN_IF_ERROR(spec_.check_order == nullptr ? Status::Ok() : spec_.check_order());
    klip::Scan scan = MakeScan(std::move(rows));
    if (cells_.empty() && !spec_.table->empty_family.has_value()) {
      scan.filter = FirstKeyOnlyFilter();
    }
    if (spec_.distinct_prefix > 0) {
      klip::Scan jumping = scan;
      jumping.filter = FirstOfPrefixFilter(spec_.table, spec_.distinct_prefix);
      jumping.threads = 1;
      Expected<std::unique_ptr<ResultScanner>> scanner = table_->Scan(jumping);
      if (scanner.ok()) {
        scanner_ = *std::move(scanner);
        return Status::Ok();
      }  // a cluster does not know the filter
    }
    // A batch would read more rows than are wanted; and it has no times.
    if (batch_rows_ < kBatchRows || row_time_.has_value()) {
      KLIP_ASSIGN_OR_RETURN(scanner_, table_->Scan(scan));
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(batches_, table_->ScanBatches(scan, CellNames()));
    return Status::Ok();
  }

  std::vector<ColumnName> CellNames() const {
    std::vector<ColumnName> names;
    for (const CellColumn& cell : cells_) {
      names.push_back({cell.family, cell.qualifier});
    }
    return names;
  }

  // How many rows of the next batch are wanted.
  Expected<size_t> TakeBatch(Batch* out) {
    static_assert(RowBatch::kMaxRows <= kBatchRows);
    if (ended_) {
      return size_t{0};
    }
    KLIP_ASSIGN_OR_RETURN(const RowBatch* batch, batches_->Next());
    if (batch == nullptr) {
      ended_ = true;
      return size_t{0};
    }
    size_t rows = 0;
    for (size_t row = 0; row < batch->rows(); ++row) {
      if (IsSampled(batch->key(row))) {
        KLIP_RETURN_IF_ERROR(TakeRow(*batch, row, rows++, out));
      }
    }
    return rows;
  }

  // The same rows each time.
  bool IsSampled(std::string_view row) const {
    constexpr double kParts = 1 << 20;
    return spec_.sample >= 1 || static_cast<double>(std::hash<std::string_view>()(row) % static_cast<size_t>(kParts)) <
                                    spec_.sample * kParts;
  }

  Status Take(const Result& result, size_t row, Batch* out) {
    row_batch_.Clear();
    row_batch_.Add(result);
    if (row_time_.has_value()) {
      out->columns[*row_time_].SetWhole(row, TimeOf(result));
    }
    return TakeRow(row_batch_, 0, row, out);
  }

  // Of the marker; without one, of the newest cell.
  int64_t TimeOf(const Result& result) const {
    int64_t newest = 0;
    for (const Cell& cell : result.cells()) {
      if (cell.family == spec_.table->empty_family && cell.qualifier == spec_.table->empty_qualifier) {
        return cell.timestamp_ms;
      }
      newest = std::max(newest, cell.timestamp_ms);
    }
    return newest;
  }

  Status TakeRow(const RowBatch& batch, size_t from, size_t row, Batch* out) {
    const std::string_view bytes = batch.key(from);
    if (row_key_.has_value()) {
      Vector& keys = out->columns[*row_key_];
      keys.SetText(row, keys.Store(bytes));
    }
    if (!keys_.empty()) {
      if (!SplitRow(*spec_.table, bytes, parts_)) {
        return Illegal(bytes, "does not have the columns of the primary key");
      }
      for (const KeyColumnWanted& key : keys_) {
        const TableColumn& column = spec_.table->key(key.position);
        if (const Status decoded = DecodeKey(column, parts_[key.position], row, &out->columns[key.out]);
            !decoded.ok()) {
          return Illegal(bytes, column.name + ": " + decoded.message());
        }
      }
    }
    for (size_t i = 0; i < cells_.size(); ++i) {
      const CellColumn& cell = cells_[i];
      if (const Status taken = TakeCell(cell, batch.value(i, from), row, &out->columns[cell.out]); !taken.ok()) {
        return Illegal(bytes, cell.family + "." + ToStringBinary(cell.qualifier) + ": " + taken.message());
      }
    }
    return Status::Ok();
  }

  static Status TakeCell(const CellColumn& cell, std::optional<std::string_view> value, size_t row, Vector* out) {
    if (value.has_value() && cell.element > 0) {
      KLIP_ASSIGN_OR_RETURN(value, SingleCellElement(*value, cell.element));
    }
    if (value.has_value()) {
      return DecodeInto(*value, cell.type, /*descending=*/false, row, out);
    }
    if (!cell.missing.is_null()) {
      out->Set(row, cell.missing);
    }
    return Status::Ok();
  }

  Status DecodeKey(const TableColumn& column, std::string_view bytes, size_t row, Vector* out) const {
    if (!spec_.table->schema.has_value()) {
      return DecodeInto(bytes, column.type, column.descending, row, out);
    }
    KLIP_ASSIGN_OR_RETURN(const Value value, DecodeSchemaField(*spec_.table, column, bytes));
    out->Set(row, value);
    return Status::Ok();
  }

  Status Illegal(std::string_view row, const std::string& why) const {
    return SqlError(201, "22000",
                    "Illegal data. Row " + ToStringBinary(row) + " of " + spec_.table->physical_name + ": " + why);
  }

  TableScanSpec spec_;
  std::vector<KeyColumnWanted> keys_;
  std::vector<CellColumn> cells_;
  std::optional<size_t> row_key_;  // their places in the batch
  std::optional<size_t> row_time_;
  std::vector<std::string_view> parts_;
  SessionTables::Handle handle_;
  Table* table_ = nullptr;  // of the handle
  std::unique_ptr<BatchScanner> batches_;
  std::unique_ptr<ResultScanner> scanner_;  // in their place, where few rows are wanted
  RowBatch row_batch_;                      // of one Result
  Get get_;                                 // of a single row
  std::vector<Result> points_;              // in place of a scanner
  size_t next_point_ = 0;
  bool ended_ = false;
  std::atomic<int64_t>* rows_read_ = nullptr;
  size_t batch_rows_ = kBatchRows;
  Result result_;
};

template <typename T>
Status DecodeBytes(std::string_view bytes, bool descending, T* out) {
  if (bytes.size() != sizeof(T)) {
    return SqlError(201, "22000",
                    "expected " + std::to_string(sizeof(T)) + " bytes, found " + std::to_string(bytes.size()));
  }
  *out = ReadBigEndian<T>(bytes.data());
  if (descending) {
    *out = static_cast<T>(~*out);
  }
  return Status::Ok();
}

// Signed types have their sign bit flipped.
template <typename T>
Status DecodeWhole(std::string_view bytes, bool is_signed, bool descending, size_t row, Vector* out) {
  T value = 0;
  KLIP_RETURN_IF_ERROR(DecodeBytes(bytes, descending, &value));
  constexpr T kSign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
  using Signed = std::make_signed_t<T>;
  out->SetWhole(row, is_signed ? static_cast<Signed>(static_cast<T>(value ^ kSign)) : static_cast<Signed>(value));
  return Status::Ok();
}

}  // namespace

Status DecodeInto(std::string_view bytes, const DataType& type, bool descending, size_t row, Vector* out) {
  if (bytes.empty()) {
    out->SetNull(row);
    return Status::Ok();
  }
  if (!type.array) {
    switch (type.type) {
      case Type::kInteger:
      case Type::kUnsignedInt:
        return DecodeWhole<uint32_t>(bytes, type.type == Type::kInteger, descending, row, out);
      case Type::kBigint:
      case Type::kDate:
      case Type::kTime:
        return DecodeWhole<uint64_t>(bytes, /*is_signed=*/true, descending, row, out);
      case Type::kUnsignedLong:
      case Type::kUnsignedDate:
      case Type::kUnsignedTime:
        return DecodeWhole<uint64_t>(bytes, /*is_signed=*/false, descending, row, out);
      case Type::kVarchar:
      case Type::kVarbinary:
        if (!descending) {
          out->SetText(row, out->Store(bytes));
          return Status::Ok();
        }
        break;
      default:
        break;
    }
  }
  KLIP_ASSIGN_OR_RETURN(const Value value, DecodeValue(bytes, type, descending));
  out->Set(row, value);
  return Status::Ok();
}

OperatorPtr MakeTableScan(TableScanSpec spec) { return std::make_unique<TableScan>(std::move(spec)); }

}  // namespace klip::sql
