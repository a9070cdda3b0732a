#include "sql/catalog/table_definition.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>

#include "base/clock.h"
#include "klip/bytes.h"
#include "klip/cell.h"
#include "rowkey/key_codec.h"
#include "sql/types/codec.h"

namespace klip::sql {

bool TableDefinition::HasProperty(std::string_view wanted) const {
  return std::ranges::any_of(properties, [&](const std::pair<std::string, Value>& property) {
    return property.first == wanted && property.second.type() == Type::kBoolean && property.second.boolean();
  });
}

const std::string& TableDefinition::DynamicFamily() const {
  const bool known = std::ranges::find(columns, default_family, &TableColumn::family) != columns.end();
  return known || !empty_family.has_value() ? default_family : *empty_family;
}

std::vector<size_t> TableDefinition::DeclaredOrder() const {
  std::vector<size_t> order(columns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t column) { return columns[column].hidden; });
  std::ranges::stable_sort(order, {}, [&](size_t column) { return columns[column].ordinal; });
  return order;
}

void ExtendKey(TableColumn column, TableDefinition* view) {
  const size_t position = view->key_columns++;
  ++view->own_key_columns;
  column.key_position = static_cast<int>(position);
  view->columns.insert(view->columns.begin() + static_cast<std::ptrdiff_t>(position), std::move(column));
}

Value NewRowId() {
  constexpr int kCountBits = 16;  // ids of a millisecond, before they run ahead of the clock
  static std::atomic<uint64_t> last{0};
  thread_local std::mt19937_64 random{std::random_device{}()};
  const uint64_t now = static_cast<uint64_t>(base::SystemMs()) << kCountBits;
  uint64_t before = last.load();
  uint64_t id = 0;
  do {
    id = std::max(before + 1, now);
  } while (!last.compare_exchange_weak(before, id));
  std::string bytes;
  AppendBigEndian(id, &bytes);
  AppendBigEndian(uint64_t{random()}, &bytes);
  return Value::Bytes(std::move(bytes));
}

std::optional<char> KeySeparator(const TableColumn& column) {
  if (FixedBytes(column.type) > 0) {
    return std::nullopt;
  }
  return column.descending ? '\xFF' : '\0';
}

char SaltOf(std::string_view row_without_salt, int buckets) {
  int32_t hash = 1;
  for (const char byte : row_without_salt) {
    hash = static_cast<int32_t>(31U * static_cast<uint32_t>(hash) +
                                static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(byte))));
  }
  const int32_t bucket = hash % buckets;
  return static_cast<char>(bucket < 0 ? -bucket : bucket);
}

Expected<std::string> SchemaText(const TableColumn& column, const Value& value) {
  if (value.is_null()) {
    return SqlError(218, "23018", "Constraint violation. " + column.name + " may not be null");
  }
  KLIP_ASSIGN_OR_RETURN(const Value converted, Convert(value, column.type));
  if (IsTimestamp(column.type.type)) {
    return std::to_string(converted.timestamp().ms);
  }
  return IsBytes(column.type.type) ? ToStringBinary(converted.text()) : converted.ToString();
}

Expected<Value> DecodeSchemaField(const TableDefinition& table, const TableColumn& column, std::string_view bytes) {
  if (IsBytes(column.type.type)) {
    return Value::Bytes(std::string(bytes));
  }
  const KeyField& field = table.schema->fields()[static_cast<size_t>(column.schema_field)];
  KLIP_ASSIGN_OR_RETURN(std::string text, rowkey::DecodeField(field, bytes));
  if (IsTimestamp(column.type.type)) {
    KLIP_ASSIGN_OR_RETURN(const Value ms, Convert(Value::Text(std::move(text)), {.type = Type::kBigint}));
    return Value(column.type.type, Value::Timestamp{.ms = ms.integer()});
  }
  return Convert(Value::Text(std::move(text)), column.type);
}

namespace {

Expected<std::string> EncodeSchemaRow(const TableDefinition& table, std::span<const Value> values) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < table.key_columns; ++i) {
    KLIP_ASSIGN_OR_RETURN(std::string text, SchemaText(table.key(i), values[i]));
    texts.push_back(std::move(text));
  }
  return table.schema->Encode(texts);
}

bool SplitSchemaRow(const TableDefinition& table, std::string_view row, std::span<std::string_view> bytes) {
  const Expected<std::vector<std::string_view>> fields = rowkey::SplitRow(table.schema->fields(), row);
  for (size_t i = 0; fields.ok() && i < table.key_columns; ++i) {
    bytes[i] = (*fields)[static_cast<size_t>(table.key(i).schema_field)];
  }
  return fields.ok();
}

}  // namespace

Expected<std::string> EncodeRow(const TableDefinition& table, std::span<const Value> values) {
  if (table.schema.has_value()) {
    return EncodeSchemaRow(table, values);
  }
  std::string row;
  size_t end = 0;  // after the last value that is not NULL
  for (size_t i = 0; i < table.key_columns; ++i) {
    const TableColumn& column = table.key(i);
    const std::optional<char> separator = KeySeparator(column);
    const size_t begin = row.size();
    if (values[i].is_null()) {
      if (column.not_null || !separator.has_value()) {
        return SqlError(218, "23018",
                        "Constraint violation. " + table.name.name + "." + column.name + " may not be null");
      }
    } else {
      EncodeValue(values[i], column.type, &row, column.descending);
      if (separator.has_value() && (column.descending || i + 1 < table.key_columns) &&
          row.find(*separator, begin) != std::string::npos) {
        return SqlError(201, "22000", "Illegal data. " + column.name + " contains the byte that separates key columns");
      }
      if (column.descending && separator.has_value()) {
        row.push_back(*separator);
      }
      end = row.size();
    }
    if (separator.has_value() && (values[i].is_null() || !column.descending)) {
      row.push_back('\0');  // removed again below, if only NULLs follow
    }
  }
  row.resize(end);
  if (row.empty()) {
    return SqlError(218, "23018", "Constraint violation. The primary key of " + table.name.name + " may not be null");
  }
  if (table.salt_buckets > 0) {
    row.insert(row.begin(), SaltOf(row, table.salt_buckets));
  }
  if (row.size() > kMaxRowBytes) {
    return SqlError(
        206, "22003",
        "The row key has " + std::to_string(row.size()) + " bytes; the maximum is " + std::to_string(kMaxRowBytes));
  }
  return row;
}

bool CanExtendKey(const TableDefinition& table) {
  const TableColumn& last = table.key(table.key_columns - 1);
  return !table.schema.has_value() && FixedBytes(last.type) > 0;
}

bool SplitRow(const TableDefinition& table, std::string_view row, std::span<std::string_view> bytes) {
  if (table.schema.has_value()) {
    return SplitSchemaRow(table, row, bytes);
  }
  if (table.salt_buckets > 0) {
    if (row.empty()) {
      return false;
    }
    row.remove_prefix(1);
  }
  for (size_t i = 0; i < table.key_columns; ++i) {
    const TableColumn& column = table.key(i);
    const int width = FixedBytes(column.type);
    if (row.empty() && i + table.own_key_columns >= table.key_columns) {  // a row of the base
      bytes[i] = {};
      continue;
    }
    if (width > 0) {
      if (row.size() < static_cast<size_t>(width)) {
        return false;
      }
      bytes[i] = row.substr(0, static_cast<size_t>(width));
      row.remove_prefix(static_cast<size_t>(width));
      continue;
    }
    // NULL; it is not stored at the end of a key, where a VARBINARY may begin with FF, inverted 00.
    if (column.descending && row.starts_with('\0') && i + 1 < table.key_columns) {
      bytes[i] = {};
      row.remove_prefix(1);
      continue;
    }
    const bool rest = i + 1 == table.key_columns && !column.descending;
    const size_t end = rest ? std::string_view::npos : row.find(*KeySeparator(column));
    bytes[i] = row.substr(0, end);
    row.remove_prefix(end == std::string_view::npos ? row.size() : end + 1);
  }
  return row.empty() || CanExtendKey(table);
}

}  // namespace klip::sql
