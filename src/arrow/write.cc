// Writes rows from a stream.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/column_names.h"
#include "arrow/column_reader.h"
#include "arrow/value_type.h"
#include "klip/arrow.h"
#include "klip/bytes.h"

namespace klip {
namespace arrow {
namespace {

constexpr size_t kPutRows = 4096;               // written together
constexpr size_t kPutBytes = size_t{16} << 20;  // or once they hold this many

// The target of one column's values.
struct Target {
  std::string name;
  size_t column = 0;  // of the stream
  ColumnReader values;
  std::optional<size_t> key;      // this field of the key
  std::optional<ValueType> type;  // none: the row itself
  std::string family;
  std::string qualifier;
};

// A map of "family:qualifier", as printed, to values: all cells of a row.
struct CellMap {
  std::string name;
  size_t column = 0;  // of the stream
  ColumnReader keys;
  ColumnReader values;
  const ArrowArray* array = nullptr;
  int64_t offset = 0;

  Status Open(const ArrowSchema& schema) {
    const ArrowSchema* entries = schema.n_children == 1 ? schema.children[0] : nullptr;
    if (entries == nullptr || std::string_view(entries->format) != "+s" || entries->n_children != 2) {
      return BadColumn(name, "a map must have one struct of keys and values");
    }
    KLIP_ASSIGN_OR_RETURN(keys, ColumnReader::Open(*entries->children[0]));
    KLIP_ASSIGN_OR_RETURN(values, ColumnReader::Open(*entries->children[1]));
    const auto is_bytes = [](const ColumnReader& reader) {
      return reader.kind() == ValueKind::kText || reader.kind() == ValueKind::kBytes;
    };
    return is_bytes(keys) && is_bytes(values)
               ? Status::Ok()
               : BadColumn(name, "the keys and values of a map of cells must be texts or bytes");
  }

  Status Read(const ArrowArray* of, int64_t from) {
    if (of->n_buffers < 2 || of->n_children != 1 || of->children[0]->n_children != 2) {
      return BadColumn(name, "an array is not a map");
    }
    array = of;
    offset = of->offset + from;
    const ArrowArray& entries = *of->children[0];
    KLIP_RETURN_IF_ERROR(keys.Read(entries.children[0], entries.offset));
    return values.Read(entries.children[1], entries.offset);
  }

  // Appends the cells of a row. Errors: kInvalidArgument saying which entry is invalid.
  Status AddCells(int64_t row, Put* put) const {
    const auto* ends = static_cast<const int32_t*>(array->buffers[1]);
    for (int64_t i = ends[offset + row]; i < ends[offset + row + 1]; ++i) {
      if (values.is_null(i)) {
        continue;
      }
      const std::string_view key = keys.is_null(i) ? std::string_view() : keys.bytes(i);
      const size_t colon = key.find(':');
      if (colon == std::string_view::npos) {
        return {Code::kInvalidArgument, "'" + std::string(key) + "' is not family:qualifier"};
      }
      put->Add(FromStringBinary(key.substr(0, colon)), FromStringBinary(key.substr(colon + 1)),
               std::string(values.bytes(i)));
    }
    return Status::Ok();
  }
};

class Writer {
 public:
  Writer(Table* table, const ArrowWrite& write)
      : table_(table), timestamp_ms_(write.timestamp_ms), columns_(write.columns), schema_(table->row_key_schema()) {}

  Status Prepare(const ArrowSchema& schema) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ColumnNames(columns_, KeyNames(schema_)));
    for (size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].name = names[i];
    }
    if (std::string_view(schema.format) != "+s") {
      return {Code::kInvalidArgument,
              "expected a stream of structs, found one of Arrow's format '" + std::string(schema.format) + "'"};
    }
    if (schema_.has_value()) {
      for (const KeyField& field : schema_->fields()) {
        if (!field.derived()) {
          key_fields_.push_back(field);
        }
      }
    }
    for (int64_t i = 0; i < schema.n_children; ++i) {
      const ArrowSchema& column = *schema.children[i];
      if (std::string_view(column.format) == "+m" && !all_cells_.has_value()) {
        all_cells_ = CellMap{.name = column.name == nullptr ? "" : column.name, .column = static_cast<size_t>(i)};
        KLIP_RETURN_IF_ERROR(all_cells_->Open(column));
      } else {
        KLIP_RETURN_IF_ERROR(AddColumn(column));
        targets_.back().column = static_cast<size_t>(i);
      }
    }
    return CheckAll();
  }

  Status Write(const ArrowArray& array) {
    if (array.n_children != static_cast<int64_t>(targets_.size() + (all_cells_.has_value() ? 1 : 0))) {
      return {Code::kInvalidArgument, "an array's columns differ from the stream's schema"};
    }
    for (Target& target : targets_) {
      KLIP_RETURN_IF_ERROR(target.values.Read(array.children[target.column], array.offset));
    }
    if (all_cells_.has_value()) {
      KLIP_RETURN_IF_ERROR(all_cells_->Read(array.children[all_cells_->column], array.offset));
    }
    for (int64_t row = 0; row < array.length; ++row, ++rows_read_) {
      KLIP_RETURN_IF_ERROR(AddRow(row));
      if (puts_.size() >= kPutRows || bytes_ >= kPutBytes) {
        KLIP_RETURN_IF_ERROR(Flush());
      }
    }
    return Status::Ok();
  }

  Status Flush() {
    if (!puts_.empty()) {
      KLIP_RETURN_IF_ERROR(table_->Put(puts_));
    }
    written_ += static_cast<int64_t>(puts_.size());
    puts_.clear();
    bytes_ = 0;
    return Status::Ok();
  }

  int64_t written() const { return written_; }

 private:
  Status AddColumn(const ArrowSchema& schema) {
    Target target;
    target.name = schema.name == nullptr ? "" : schema.name;
    KLIP_ASSIGN_OR_RETURN(target.values, ColumnReader::Open(schema));
    const auto same = [&](const auto& other) { return other.name == target.name; };
    if (std::any_of(targets_.begin(), targets_.end(), same)) {
      return BadColumn(target.name, "the stream has two columns of this name");
    }
    const auto field = std::find_if(key_fields_.begin(), key_fields_.end(), same);
    const auto column = std::find_if(columns_.begin(), columns_.end(), same);
    if (column != columns_.end()) {
      Expected<ValueType> type = ValueType::OfCell(column->type);
      if (!type.ok()) {
        return BadColumn(target.name, type.status().message());
      }
      target.type = *std::move(type);
      target.family = column->family;
      target.qualifier = column->qualifier;
    } else if (field != key_fields_.end()) {
      target.key = static_cast<size_t>(field - key_fields_.begin());
      target.type = ValueType::OfKey(*field);
    } else if (!schema_.has_value() && target.name == "row") {
      target.key = 0;
      if (target.values.kind() != ValueKind::kText && target.values.kind() != ValueKind::kBytes) {
        return BadColumn(target.name, "a row key must be text or bytes");
      }
    } else {
      return BadColumn(target.name, "it is neither a field of the row key nor a column to write");
    }
    targets_.push_back(std::move(target));
    return Status::Ok();
  }

  Status CheckAll() const {
    const size_t fields = schema_.has_value() ? key_fields_.size() : 1;
    for (size_t i = 0; i < fields; ++i) {
      const auto is_this = [&](const Target& target) { return target.key == i; };
      if (std::none_of(targets_.begin(), targets_.end(), is_this)) {
        return BadColumn(schema_.has_value() ? key_fields_[i].name : "row",
                         "the stream lacks this part of the row key");
      }
    }
    for (const ArrowColumn& column : columns_) {
      const auto is_this = [&](const Target& target) { return !target.key.has_value() && target.name == column.name; };
      if (std::none_of(targets_.begin(), targets_.end(), is_this)) {
        return BadColumn(column.name, "the stream lacks it");
      }
    }
    return Status::Ok();
  }

  Status AddRow(int64_t row) {
    Put put;
    key_texts_.resize(key_fields_.size());
    for (const Target& target : targets_) {
      if (target.values.is_null(row)) {
        if (target.key.has_value()) {
          return BadValue(target, "null in the row key");
        }
        continue;
      }
      if (target.key.has_value()) {
        std::string* out = target.type.has_value() ? &key_texts_[*target.key] : &put.row;
        const Status read = target.type.has_value() ? target.type->ToText(target.values, row, out)
                                                    : (out->assign(target.values.bytes(row)), Status::Ok());
        if (!read.ok()) {
          return BadValue(target, read.message());
        }
        continue;
      }
      Put::Column cell = {.family = target.family, .qualifier = target.qualifier};
      const Status encoded = target.type->Encode(target.values, row, &cell.value);
      if (!encoded.ok()) {
        return BadValue(target, encoded.message());
      }
      bytes_ += cell.value.size();
      put.columns.push_back(std::move(cell));
    }
    if (schema_.has_value()) {
      Expected<std::string> key = schema_->Encode(key_texts_);
      if (!key.ok()) {
        return {key.status().code(), "row " + std::to_string(rows_read_) + " of the stream: " + key.status().message()};
      }
      put.row = *std::move(key);
    }
    if (all_cells_.has_value()) {
      const size_t before = put.columns.size();
      const Status added = all_cells_->AddCells(row, &put);
      if (!added.ok()) {
        return {added.code(), "row " + std::to_string(rows_read_) + " of the stream, column '" + all_cells_->name +
                                  "': " + added.message()};
      }
      for (size_t i = before; i < put.columns.size(); ++i) {
        bytes_ += put.columns[i].qualifier.size() + put.columns[i].value.size();
      }
    }
    if (!put.columns.empty()) {
      put.timestamp_ms = timestamp_ms_;
      bytes_ += put.row.size();
      puts_.push_back(std::move(put));
    }
    return Status::Ok();
  }

  Status BadValue(const Target& target, const std::string& why) const {
    return {Code::kInvalidArgument,
            "row " + std::to_string(rows_read_) + " of the stream, column '" + target.name + "': " + why};
  }

  Table* table_;
  int64_t timestamp_ms_;
  std::vector<ArrowColumn> columns_;  // each with its name
  std::optional<RowKeySchema> schema_;
  std::vector<KeyField> key_fields_;  // those that take a value
  std::vector<Target> targets_;
  std::optional<CellMap> all_cells_;
  std::vector<std::string> key_texts_;
  std::vector<Put> puts_;
  size_t bytes_ = 0;
  int64_t rows_read_ = 0;
  int64_t written_ = 0;
};

// Owns what a stream gave.
template <typename T>
class Owned {
 public:
  Owned() { value_.release = nullptr; }
  ~Owned() {
    if (value_.release != nullptr) {
      value_.release(&value_);
    }
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T* get() { return &value_; }

 private:
  T value_{};
};

Status StreamError(ArrowArrayStream* stream, int code) {
  const char* text = stream->get_last_error(stream);
  return {Code::kInvalidArgument,
          "the stream failed with error " + std::to_string(code) + (text == nullptr ? "" : std::string(": ") + text)};
}

Expected<int64_t> WriteAll(Table* table, const ArrowWrite& write, ArrowArrayStream* stream) {
  Writer writer(table, write);
  {
    Owned<ArrowSchema> schema;
    if (const int code = stream->get_schema(stream, schema.get()); code != 0) {
      return StreamError(stream, code);
    }
    KLIP_RETURN_IF_ERROR(writer.Prepare(*schema.get()));
  }
  while (true) {
    Owned<ArrowArray> array;
    if (const int code = stream->get_next(stream, array.get()); code != 0) {
      return StreamError(stream, code);
    }
    if (array.get()->release == nullptr) {
      break;
    }
    KLIP_RETURN_IF_ERROR(writer.Write(*array.get()));
  }
  KLIP_RETURN_IF_ERROR(writer.Flush());
  return writer.written();
}

}  // namespace
}  // namespace arrow

Expected<int64_t> WriteArrow(Table* table, const ArrowWrite& write, ArrowArrayStream* stream) {
  Expected<int64_t> written = arrow::WriteAll(table, write, stream);
  stream->release(stream);
  return written;
}

}  // namespace klip
