#include "sql/catalog/phoenix_catalog.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sql/catalog/column_encoding.h"
#include "sql/catalog/single_cell.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kFamily = "0";
constexpr std::string_view kLocalFamily = "L#";  // prefix of the families with entries of local indexes

// Phoenix's numbers in the catalog.
constexpr int64_t kIndexLink = 1;
constexpr int64_t kTableLink = 2;
constexpr int64_t kParentLink = 3;
constexpr int64_t kExcludedColumn = 5;
constexpr int64_t kMappedView = 1;
constexpr int64_t kReadOnlyView = 2;
constexpr int64_t kSingleCell = 2;
constexpr int64_t kDescendingOrder = 1;
constexpr int64_t kArrays = 3000;

Status Unsupported(const TableName& name, const std::string& what) {
  return Status(Code::kUnsupported, "SQL: Phoenix's table " + ToString(name) + " " + what);
}

std::string HeaderKey(std::string_view tenant, const TableName& table) {
  return std::string(tenant).append(1, '\0').append(table.schema).append(1, '\0').append(table.name);
}

// "S.T", or "S:T" if Phoenix maps schemas to namespaces.
TableName LinkedName(const std::string& text) {
  const size_t dot = text.find_first_of(".:");
  return dot == std::string::npos ? TableName{"", text} : TableName{text.substr(0, dot), text.substr(dot + 1)};
}

// One row of SYSTEM.CATALOG. Missing cells are 0, false or empty.
class CatalogRow {
 public:
  explicit CatalogRow(const Result* row) : row_(row) {}

  std::string Text(std::string_view column) const { return std::string(row_->Value(kFamily, column).value_or("")); }

  Expected<int64_t> Number(std::string_view column, Type type = Type::kInteger) const {
    const std::optional<std::string_view> bytes = row_->Value(kFamily, column);
    if (!bytes.has_value() || bytes->empty()) {
      return 0;
    }
    const Expected<Value> value = DecodeValue(*bytes, {.type = type});
    if (!value.ok()) {
      return Status(Code::kCorruption, "SYSTEM.CATALOG: " + std::string(column) + ": " + value.status().message());
    }
    return value->integer();
  }

  bool Flag(std::string_view column) const { return Text(column) == std::string_view("\1", 1); }

 private:
  const Result* row_;
};

Expected<DataType> TypeIn(const CatalogRow& row, const TableName& table, const std::string& column) {
  KLIP_ASSIGN_OR_RETURN(const int64_t number, row.Number("DATA_TYPE"));
  DataType type;
  type.array = number > kArrays / 2;
  for (int i = static_cast<int>(Type::kBoolean); i <= static_cast<int>(Type::kUnsignedTimestamp); ++i) {
    if (PhoenixType({.type = static_cast<Type>(i), .array = type.array}) == number) {
      type.type = static_cast<Type>(i);
    }
  }
  if (type.type == Type::kNull) {
    return Unsupported(table, "has a column of an unsupported type: " + column + ", type " + std::to_string(number));
  }
  KLIP_ASSIGN_OR_RETURN(const int64_t size, row.Number("COLUMN_SIZE"));
  if (type.type == Type::kDecimal && size > 0) {
    KLIP_ASSIGN_OR_RETURN(const int64_t scale, row.Number("DECIMAL_DIGITS"));
    type.precision = static_cast<int>(size);
    type.scale = static_cast<int>(scale);
  } else if (IsText(type.type) || IsBytes(type.type)) {
    type.max_length = static_cast<int>(size);
  }
  if (FixedBytes(type) < 0 || type.max_length < 0) {
    return Status(Code::kCorruption, "SYSTEM.CATALOG: COLUMN_SIZE of " + column);
  }
  return type;
}

// (2 * -1), as Phoenix may write -2.
bool IsNegatedProduct(const Expression& expression) {
  return expression.kind == Expression::Kind::kArithmetic && ToString(*expression.operands[1]) == "-1" &&
         expression.operation == "*";
}

class TableReader {
 public:
  TableReader(Connection* connection, TableName name) : connection_(connection), name_(std::move(name)) {}

  Expected<std::optional<PhoenixTable>> Read(Table* catalog, const std::string& tenant) {
    const std::string key = HeaderKey(tenant, name_);
    table().tenant = tenant;
    Scan scan;
    scan.start_row = key;
    scan.stop_row = key + '\1';
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> rows, catalog->Scan(scan));
    Result row;
    bool found = false;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
      if (!more) {
        break;
      }
      const std::string_view rest = row.row().substr(key.size());
      if (rest.empty()) {
        found = true;
        KLIP_RETURN_IF_ERROR(TakeHeader(CatalogRow(&row)));
      } else if (found) {
        KLIP_RETURN_IF_ERROR(TakePart(rest.substr(1), CatalogRow(&row)));
      }
    }
    if (!found) {
      return std::optional<PhoenixTable>();
    }
    KLIP_RETURN_IF_ERROR(Finish());
    KLIP_RETURN_IF_ERROR(TakeFamilies());
    return std::optional(std::move(read_));
  }

 private:
  TableDefinition& table() { return read_.table; }

  Status TakeHeader(const CatalogRow& row) {
    const std::string type = row.Text("TABLE_TYPE");
    if (type == "i") {
      return Unsupported(name_, "is an index");
    }
    if (row.Flag("TRANSACTIONAL") || !row.Text("TRANSACTION_PROVIDER").empty()) {
      return Unsupported(name_, "is transactional");
    }
    if (!row.Text("PHYSICAL_TABLE_NAME").empty()) {
      return Unsupported(name_, "stores its data in another table: " + row.Text("PHYSICAL_TABLE_NAME"));
    }
    table().name = name_;
    table().of_phoenix = true;
    table().physical_name = name_.schema.empty()              ? name_.name
                            : row.Flag("IS_NAMESPACE_MAPPED") ? name_.schema + ":" + name_.name
                                                              : name_.schema + "." + name_.name;
    table().view = type == "v";
    table().immutable_rows = row.Flag("IMMUTABLE_ROWS");
    table().store_nulls = row.Flag("STORE_NULLS");
    if (row.Flag("MULTI_TENANT")) {
      table().properties.emplace_back("MULTI_TENANT", Value::Boolean(true));
    }
    optimized_keys_ = row.Flag("ROW_KEY_ORDER_OPTIMIZABLE");
    read_.select = row.Text("VIEW_STATEMENT");
    const std::string family = row.Text("DEFAULT_COLUMN_FAMILY");
    table().default_family = family.empty() ? std::string(kDefaultFamily) : family;
    KLIP_ASSIGN_OR_RETURN(const int64_t view_type, row.Number("VIEW_TYPE", Type::kUnsignedTinyint));
    KLIP_ASSIGN_OR_RETURN(const int64_t salt, row.Number("SALT_BUCKETS"));
    KLIP_ASSIGN_OR_RETURN(const int64_t encoding, row.Number("ENCODING_SCHEME", Type::kTinyint));
    KLIP_ASSIGN_OR_RETURN(const int64_t storage, row.Number("IMMUTABLE_STORAGE_SCHEME", Type::kTinyint));
    mapped_ = view_type == kMappedView;
    table().read_only = mapped_ || view_type == kReadOnlyView || type == "s";
    table().salt_buckets = static_cast<int>(salt);
    encoded_ = encoding != 0;
    single_cell_ = storage == kSingleCell;
    if (mapped_) {
      read_.select.clear();  // "SELECT * FROM itself"
    }
    return Status::Ok();
  }

  // `key` is the part after the table's name: column 00 family.
  Status TakePart(std::string_view key, const CatalogRow& row) {
    const size_t end = key.find('\0');
    const std::string column(key.substr(0, end));
    const std::string family(end == std::string_view::npos ? "" : key.substr(end + 1));
    KLIP_ASSIGN_OR_RETURN(const int64_t link, row.Number("LINK_TYPE", Type::kUnsignedTinyint));
    if (link == kExcludedColumn) {
      read_.dropped.emplace_back(family, column);
      return Status::Ok();
    }
    if (link == kIndexLink && column.empty()) {
      table().cannot_be_written = "klip does not maintain Phoenix's index " + family + " up to date";
      return Status::Ok();
    }
    if (link == kParentLink || (link == kTableLink && parent_.empty())) {
      parent_ = family;
    }
    return column.empty() ? Status::Ok() : TakeColumn(column, family, row);
  }

  Status TakeColumn(const std::string& name, const std::string& family, const CatalogRow& row) {
    TableColumn column;
    column.name = name;
    column.family = family;
    KLIP_ASSIGN_OR_RETURN(column.type, TypeIn(row, name_, name));
    KLIP_ASSIGN_OR_RETURN(const int64_t position, row.Number("ORDINAL_POSITION"));
    KLIP_ASSIGN_OR_RETURN(const int64_t key, row.Number("KEY_SEQ", Type::kSmallint));
    KLIP_ASSIGN_OR_RETURN(const int64_t order, row.Number("SORT_ORDER"));
    KLIP_ASSIGN_OR_RETURN(const int64_t nullable, row.Number("NULLABLE"));
    column.ordinal = static_cast<int>(position);
    column.not_null = nullable == 0;
    column.descending = order == kDescendingOrder;
    column.row_timestamp = row.Flag("IS_ROW_TIMESTAMP");
    row_timestamps_ = row_timestamps_ || column.row_timestamp;
    KLIP_RETURN_IF_ERROR(TakeDefault(row.Text("COLUMN_DEF"), &column));
    if (key > 0) {
      column.key_position = static_cast<int>(key);
      if (column.descending && !optimized_keys_ && KeySeparator(column).has_value()) {
        return Unsupported(name_, "ends values of the descending column " + name +
                                      " with 00, as ROW_KEY_ORDER_OPTIMIZABLE is not set");
      }
    } else {
      column.qualifier = row.Text("COLUMN_QUALIFIER");
      column.qualifier = column.qualifier.empty() ? name : column.qualifier;
      if (single_cell_) {
        column.element = column.qualifier.size() > 4 ? 0 : ElementOf(DecodeQualifier(column.qualifier));
        if (column.element == 0) {
          return Status(Code::kCorruption, "SYSTEM.CATALOG: COLUMN_QUALIFIER of " + name);
        }
        column.qualifier = kSingleCellQualifier;
      }
    }
    columns_.push_back(std::move(column));
    return Status::Ok();
  }

  // Phoenix does not write the defaults of columns outside the key; a row without the cell has the default.
  Status TakeDefault(const std::string& text, TableColumn* column) {
    if (text.empty()) {
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(ExpressionPtr parsed, ParseExpression(text));
    const bool negative = parsed->kind == Expression::Kind::kNegate || IsNegatedProduct(*parsed);
    const Expression& literal = negative ? *parsed->operands[0] : *parsed;
    if (literal.kind != Expression::Kind::kLiteral) {
      return Unsupported(name_, "has a DEFAULT that is not a literal: " + text);
    }
    const Value value = negative ? Value::Text("-" + literal.value.ToString()) : literal.value;
    KLIP_ASSIGN_OR_RETURN(column->missing, Convert(value, column->type));
    column->default_value = std::move(parsed);
    return Status::Ok();
  }

  // Views without a condition have no statement. One without a condition of its own has that of its base view, which
  // names the base view's table.
  void SetSelect() {
    if (!table().view || mapped_) {
      return;
    }
    if (read_.select.empty()) {
      read_.select = "SELECT * FROM \"" + parent_ + "\"";
    }
    if (!parent_.empty()) {
      read_.base = LinkedName(parent_);
    }
  }

  Status Finish() {
    SetSelect();
    std::ranges::stable_sort(columns_, {}, [](const TableColumn& column) {
      const bool cell = column.key_position < 0;
      return std::pair(cell, cell ? column.ordinal : column.key_position);
    });
    bool shares_defaults = false;
    for (TableColumn& column : columns_) {
      if (column.key_position >= 0) {
        column.key_position = static_cast<int>(table().key_columns++);
        column.missing = Value();
      } else {
        column.default_value = nullptr;
        shares_defaults = shares_defaults || (column.element > 0 && !column.missing.is_null());
      }
      table().columns.push_back(std::move(column));
    }
    if (table().key_columns == 0 && read_.select.empty()) {
      return Status(Code::kCorruption, "SYSTEM.CATALOG: no key of " + ToString(name_));
    }
    if (row_timestamps_) {
      table().cannot_be_written = "it has a ROW_TIMESTAMP column";
    } else if (shares_defaults) {
      table().cannot_be_written = "it has a DEFAULT, and several columns in one cell";
    }
    SetEmptyCell();
    return Status::Ok();
  }

  // Entries of local indexes, also of those on views, are rows of the table, in families of their own.
  Status TakeFamilies() {
    if (!read_.select.empty()) {
      return Status::Ok();  // they are those of the view's table
    }
    const Expected<TableDescriptor> descriptor = connection_->admin().GetDescriptor(table().physical_name);
    if (!descriptor.ok()) {
      return descriptor.status().code() == Code::kTableNotFound ? Status::Ok() : descriptor.status();
    }
    for (const FamilyDescriptor& family : descriptor->families) {
      if (!family.name.starts_with(kLocalFamily)) {
        table().families.push_back(family.name);
      }
    }
    if (table().families.size() == descriptor->families.size()) {
      table().families.clear();
    } else if (table().cannot_be_written.empty()) {
      table().cannot_be_written = "klip does not maintain Phoenix's local indexes on its views up to date";
    }
    return Status::Ok();
  }

  // It belongs to the family of the first column.
  void SetEmptyCell() {
    if (mapped_) {
      return;
    }
    table().empty_family = table().columns.size() == table().key_columns ? table().default_family
                                                                         : table().columns[table().key_columns].family;
    if (encoded_) {
      table().empty_qualifier.assign(kEncodedEmptyQualifierBytes, '\0');
    }
  }

  Connection* const connection_;
  const TableName name_;
  PhoenixTable read_;
  std::vector<TableColumn> columns_;  // until Finish, positions in the key count from 1
  std::string parent_;                // of a view: its base view or table
  bool optimized_keys_ = false;
  bool row_timestamps_ = false;
  bool mapped_ = false;
  bool encoded_ = false;
  bool single_cell_ = false;
};

}  // namespace

Expected<std::optional<PhoenixTable>> ReadPhoenixTable(Connection* connection, const std::string& tenant,
                                                       const TableName& name) {
  for (const char* const catalog_name : {"SYSTEM.CATALOG", "SYSTEM:CATALOG"}) {
    KLIP_ASSIGN_OR_RETURN(const bool exists, connection->admin().TableExists(catalog_name));
    if (!exists) {
      continue;
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, connection->GetTable(catalog_name));
    if (!tenant.empty()) {
      KLIP_ASSIGN_OR_RETURN(std::optional<PhoenixTable> own, TableReader(connection, name).Read(catalog.get(), tenant));
      if (own.has_value()) {
        return own;
      }
    }
    return TableReader(connection, name).Read(catalog.get(), {});
  }
  return std::optional<PhoenixTable>();
}

TableDefinition ViewOver(const TableDefinition& base, PhoenixTable found) {
  TableDefinition& view = found.table;
  TableDefinition table = base;
  table.of_phoenix = true;
  table.tenant = view.tenant;
  std::erase_if(table.columns, [&](const TableColumn& column) {
    const std::pair name(column.family, column.name);
    return column.key_position < 0 && std::ranges::find(found.dropped, name) != found.dropped.end();
  });
  for (TableColumn& column : view.columns) {
    if (column.key_position >= 0) {
      ExtendKey(std::move(column), &table);
    } else {
      table.columns.push_back(std::move(column));
    }
  }
  table.read_only = table.read_only || view.read_only;
  if (!view.cannot_be_written.empty()) {
    table.cannot_be_written = std::move(view.cannot_be_written);
  }
  return table;
}

}  // namespace klip::sql
