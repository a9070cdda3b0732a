// The rows of a scan as a stream.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/column_names.h"
#include "arrow/stream.h"
#include "arrow/value_type.h"
#include "klip/arrow.h"
#include "klip/bytes.h"
#include "rowkey/key_codec.h"

namespace klip {
namespace arrow {
namespace {

constexpr const char* kAllCells = "cells";

struct KeyColumn {
  size_t part;  // index of the part of the row key
  ValueType type;
  size_t out;
};

struct CellColumn {
  std::string family;
  std::string qualifier;
  ValueType type;
  size_t out;
};

class ScanRows final : public RowSource {
 public:
  Status Prepare(const Table& table, const ArrowOptions& options) {
    if (options.key_fields) {
      KLIP_RETURN_IF_ERROR(AddKey(table.row_key_schema()));
    }
    KLIP_RETURN_IF_ERROR(AddCells(options.columns));
    if (options.all_cells) {
      const auto taken = [](const Field& field) { return field.name == kAllCells; };
      if (std::any_of(fields_.begin(), fields_.end(), taken)) {
        return BadColumn(kAllCells, "the column of all cells has the same name");
      }
      all_cells_ = fields_.size();
      fields_.push_back({kAllCells, "+m", {{"key", "u", {}, /*nullable=*/false}, {"value", "z"}}});
    }
    return fields_.empty() ? Status(Code::kInvalidArgument, "the stream would have no columns") : Status::Ok();
  }

  Status Start(Table* table, Scan scan) {
    std::vector<ColumnName> wanted;
    for (const CellColumn& cell : cells_) {
      wanted.push_back({cell.family, cell.qualifier});
    }
    if (all_cells_.has_value()) {
      row_batch_ = RowBatch(wanted);
      KLIP_ASSIGN_OR_RETURN(scanner_, table->Scan(scan));
      return Status::Ok();
    }
    for (const ColumnName& column : wanted) {
      scan.columns.push_back({column.family, column.qualifier});
    }
    KLIP_ASSIGN_OR_RETURN(batches_, table->ScanBatches(scan, wanted));
    return Status::Ok();
  }

  const std::vector<Field>& fields() const override { return fields_; }

  Expected<bool> AppendRow(std::vector<ColumnBuilder>* columns) override {
    KLIP_ASSIGN_OR_RETURN(const bool more, NextRow());
    if (!more) {
      return false;
    }
    KLIP_RETURN_IF_ERROR(AppendKey(columns));
    KLIP_RETURN_IF_ERROR(AppendCells(columns));
    if (all_cells_.has_value()) {
      AppendAllCells(&(*columns)[*all_cells_]);
    }
    return true;
  }

 private:
  // Moves to row_ of batch_; false at the end.
  Expected<bool> NextRow() {
    if (batch_ != nullptr && ++row_ < batch_->rows()) {
      return true;
    }
    row_ = 0;
    if (scanner_ == nullptr) {
      KLIP_ASSIGN_OR_RETURN(batch_, batches_->Next());
      return batch_ != nullptr;
    }
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&result_));
    row_batch_.Clear();
    if (more) {
      row_batch_.Add(result_);
    }
    batch_ = &row_batch_;
    return more;
  }

  std::string_view Row() const { return batch_->key(row_); }

  Status AddKey(std::optional<RowKeySchema> schema) {
    if (!schema.has_value()) {
      KLIP_ASSIGN_OR_RETURN(ValueType bytes, ValueType::OfCell("bytes"));
      keys_.push_back({0, std::move(bytes), 0});
      fields_.push_back({"row", "z"});
      return Status::Ok();
    }
    key_fields_ = schema->fields();
    for (size_t i = 0; i < key_fields_.size(); ++i) {
      if (!key_fields_[i].derived()) {
        ValueType type = ValueType::OfKey(key_fields_[i]);
        fields_.push_back({key_fields_[i].name, type.format()});
        keys_.push_back({i, std::move(type), fields_.size() - 1});
      }
    }
    return Status::Ok();
  }

  Status AddCells(const std::vector<ArrowColumn>& columns) {
    std::vector<std::string> key_names;
    for (const Field& field : fields_) {
      key_names.push_back(field.name);
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ColumnNames(columns, key_names));
    for (size_t i = 0; i < columns.size(); ++i) {
      Expected<ValueType> type = ValueType::OfCell(columns[i].type);
      if (!type.ok()) {
        return BadColumn(FullName(columns[i]), type.status().message());
      }
      fields_.push_back({names[i], type->format()});
      cells_.push_back({columns[i].family, columns[i].qualifier, *std::move(type), fields_.size() - 1});
    }
    return Status::Ok();
  }

  Status AppendKey(std::vector<ColumnBuilder>* columns) {
    if (keys_.empty()) {
      return Status::Ok();
    }
    if (key_fields_.empty()) {
      return keys_[0].type.Append(Row(), columns->data());
    }
    if (const Status split = rowkey::SplitRow(key_fields_, Row(), &parts_); !split.ok()) {
      return BadRow(split.message());
    }
    for (const KeyColumn& key : keys_) {
      const Status appended = key.type.Append(parts_[key.part], &(*columns)[key.out]);
      if (!appended.ok()) {
        return BadRow("field '" + fields_[key.out].name + "': " + appended.message());
      }
    }
    return Status::Ok();
  }

  Status AppendCells(std::vector<ColumnBuilder>* columns) {
    for (size_t i = 0; i < cells_.size(); ++i) {
      const CellColumn& cell = cells_[i];
      const std::optional<std::string_view> value = batch_->value(i, row_);
      if (!value.has_value()) {
        (*columns)[cell.out].AppendNull();
        continue;
      }
      if (const Status appended = cell.type.Append(*value, &(*columns)[cell.out]); !appended.ok()) {
        return BadRow("column '" + fields_[cell.out].name + "': " + appended.message());
      }
    }
    return Status::Ok();
  }

  void AppendAllCells(ColumnBuilder* map) const {
    for (const Cell& cell : result_) {
      map->items()[0].AppendBytes(ToStringBinary(cell.family) + ":" + ToStringBinary(cell.qualifier));
      map->items()[1].AppendBytes(cell.value);
    }
    map->AppendList();
  }

  Status BadRow(const std::string& why) const {
    return {Code::kInvalidArgument, "row " + rowkey::Shown(Row()) + ": " + why};
  }

  std::vector<Field> fields_;
  std::vector<KeyField> key_fields_;  // of the schema; empty: the table has none
  std::vector<KeyColumn> keys_;
  std::vector<CellColumn> cells_;
  std::optional<size_t> all_cells_;  // the column of the map
  std::unique_ptr<BatchScanner> batches_;
  std::unique_ptr<ResultScanner> scanner_;  // used instead, for the column of all cells
  Result result_;
  RowBatch row_batch_;  // of the Result
  const RowBatch* batch_ = nullptr;
  size_t row_ = 0;
  std::vector<std::string_view> parts_;  // of its key
};

}  // namespace
}  // namespace arrow

Status ScanArrow(Table* table, const Scan& scan, const ArrowOptions& options, ArrowArrayStream* out) {
  if (!scan.columns.empty()) {
    return {Code::kInvalidArgument, "set the columns of a stream in its options, not in the scan"};
  }
  if (scan.raw || scan.batch > 0 || scan.allow_partial_results || scan.max_versions != 1) {
    return {Code::kInvalidArgument,
            "a stream returns whole rows with their newest versions: raw, batch, partial results and versions are not "
            "supported"};
  }
  if (options.batch_rows < 1) {
    return {Code::kInvalidArgument, "batch_rows is below 1"};
  }
  auto rows = std::make_unique<arrow::ScanRows>();
  KLIP_RETURN_IF_ERROR(rows->Prepare(*table, options));
  KLIP_RETURN_IF_ERROR(rows->Start(table, scan));
  arrow::MakeStream(std::move(rows), options.batch_rows, out);
  return Status::Ok();
}

}  // namespace klip
