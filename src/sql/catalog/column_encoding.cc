#include "sql/catalog/column_encoding.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "sql/catalog/single_cell.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kBytesProperty = "COLUMN_ENCODED_BYTES";
constexpr std::string_view kSchemeProperty = "IMMUTABLE_STORAGE_SCHEME";
constexpr std::string_view kOneCellPerColumn = "ONE_CELL_PER_COLUMN";
constexpr std::string_view kOneCellForAll = "SINGLE_CELL_ARRAY_WITH_OFFSETS";
constexpr int kDefaultBytes = 2;

struct Encoding {
  int bytes = 0;  // of a qualifier; 0: names
  bool single_cell = false;
};

// In upper case; nullopt: NULL, as if the property were not set.
std::optional<std::string> UpperText(const Value& value) {
  if (value.is_null()) {
    return std::nullopt;
  }
  std::string text = value.ToString();
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::optional<std::string> PropertyOf(const TableDefinition& table, std::string_view name) {
  const auto found = std::ranges::find(table.properties, name, [](const auto& property) { return property.first; });
  return found == table.properties.end() ? std::nullopt : UpperText(found->second);
}

Status WrongProperty(std::string_view name, const std::string& value, std::string_view allowed) {
  return {Code::kInvalidArgument,
          "SQL: " + std::string(name) + "=" + value + ": the values are " + std::string(allowed)};
}

// As Phoenix reads the properties; but if neither is set, columns keep their names.
Expected<Encoding> EncodingOf(const TableDefinition& table) {
  const std::optional<std::string> bytes = PropertyOf(table, kBytesProperty);
  const std::optional<std::string> scheme = PropertyOf(table, kSchemeProperty);
  const bool immutable = table.HasProperty("IMMUTABLE_ROWS");
  if (scheme.has_value() && *scheme != kOneCellPerColumn && *scheme != kOneCellForAll) {
    return WrongProperty(kSchemeProperty, *scheme, "ONE_CELL_PER_COLUMN and SINGLE_CELL_ARRAY_WITH_OFFSETS");
  }
  const bool single_cell = immutable && scheme == kOneCellForAll;
  Encoding encoding;
  if (!bytes.has_value()) {
    encoding.bytes = single_cell ? kDefaultBytes : 0;
  } else if (bytes->size() == 1 && bytes->front() >= '0' && bytes->front() <= '4') {
    encoding.bytes = bytes->front() - '0';
  } else if (*bytes != "NONE") {
    return WrongProperty(kBytesProperty, *bytes, "0 (or NONE), 1, 2, 3 and 4");
  }
  if (single_cell && encoding.bytes == 0) {
    return SqlError(
        1137, "XCL37",
        "If IMMUTABLE_STORAGE_SCHEME property is not set to ONE_CELL_PER_COLUMN COLUMN_ENCODED_BYTES cannot "
        "be 0. tableName=" +
            ToString(table.name));
  }
  encoding.single_cell = immutable && encoding.bytes > 0 && scheme != kOneCellPerColumn;
  return encoding;
}

int64_t LargestNumber(const Encoding& encoding) {
  // Of four bytes, the next number must be an INTEGER too, as COLUMN_QUALIFIER_COUNTER has it.
  const int64_t of_width = encoding.bytes == 4 ? INT32_MAX - 1 : (int64_t{1} << (8 * encoding.bytes)) - 1;
  return encoding.single_cell ? std::min<int64_t>(of_width, INT16_MAX + kFirstColumnNumber - 1) : of_width;
}

}  // namespace

int64_t DecodeQualifier(std::string_view qualifier) {
  uint64_t number = 0;
  for (const char byte : qualifier) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  const size_t bits = qualifier.size() * 8;
  return static_cast<int64_t>(qualifier.size() <= 2 ? number ^ (uint64_t{1} << (bits - 1)) : number);
}

std::string EncodeQualifier(int64_t number, int bytes) {
  auto bits = static_cast<uint64_t>(number);
  bits ^= bytes <= 2 ? uint64_t{1} << (8 * bytes - 1) : 0;
  std::string qualifier;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    qualifier.push_back(static_cast<char>(bits >> shift));
  }
  return qualifier;
}

size_t ElementOf(int64_t number) {
  const int64_t element = number - kFirstColumnNumber + 1;
  return element < 1 || element > INT16_MAX ? 0 : static_cast<size_t>(element);
}

Status BeginNumbering(TableDefinition* table) {
  KLIP_ASSIGN_OR_RETURN(const Encoding encoding, EncodingOf(*table));
  if (encoding.bytes == 0) {
    return Status::Ok();
  }
  if (!encoding.single_cell) {  // also if the rows become immutable later
    std::erase_if(table->properties, [](const auto& property) { return property.first == kSchemeProperty; });
    table->properties.emplace_back(kSchemeProperty, Value::Text(std::string(kOneCellPerColumn)));
  }
  table->next_numbers.emplace(table->default_family, kFirstColumnNumber);
  return NumberColumns(table);
}

Status NumberColumns(TableDefinition* table) {
  if (table->next_numbers.empty()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const Encoding encoding, EncodingOf(*table));
  if (encoding.bytes == 0) {
    return {Code::kCorruption, "SQL: the columns of " + ToString(table->name) + " have numbers of 0 bytes"};
  }
  const auto counts_in = [&](const TableColumn& column) -> const std::string& {
    return encoding.single_cell ? column.family : table->default_family;
  };
  const auto next_of = [&](const TableColumn& column) -> int64_t& {
    return table->next_numbers.emplace(counts_in(column), kFirstColumnNumber).first->second;
  };
  const std::span cells = std::span(table->columns).subspan(table->key_columns);
  for (const TableColumn& column : cells) {
    next_of(column) = std::max(next_of(column), column.number + 1);
  }
  std::set<std::pair<std::string, int64_t>> used;
  for (TableColumn& column : cells) {
    column.number = column.number > 0 ? column.number : next_of(column)++;
    if (!used.emplace(counts_in(column), column.number).second) {
      return {Code::kInvalidArgument, "SQL: two columns have ENCODED_QUALIFIER " + std::to_string(column.number)};
    }
    if (column.number < kFirstColumnNumber || column.number > LargestNumber(encoding)) {
      return SqlError(1136, "XCL36",
                      "The maximum number of columns for the column encoding scheme is exceeded. columnName=" +
                          table->name.name + "." + column.name);
    }
    column.element = encoding.single_cell ? ElementOf(column.number) : 0;
    column.qualifier =
        encoding.single_cell ? std::string(kSingleCellQualifier) : EncodeQualifier(column.number, encoding.bytes);
  }
  table->empty_qualifier.assign(kEncodedEmptyQualifierBytes, '\0');
  table->immutable_rows = table->HasProperty("IMMUTABLE_ROWS");
  return Status::Ok();
}

Status CheckStorageProperty(const TableDefinition& table, std::string_view name, const Value& value) {
  const bool scheme_follows = !table.next_numbers.empty() && PropertyOf(table, kSchemeProperty) != kOneCellPerColumn;
  if (name == "IMMUTABLE_ROWS" && scheme_follows &&
      table.HasProperty(name) != (value.type() == Type::kBoolean && value.boolean())) {
    return SqlError(1133, "XCL33",
                    "IMMUTABLE_ROWS property can be changed only if the table storage scheme is ONE_CELL_PER_COLUMN. "
                    "tableName=" +
                        ToString(table.name));
  }
  static constexpr std::string_view kOfStorage[] = {kBytesProperty, kSchemeProperty, "ENCODING_SCHEME",
                                                    "DEFAULT_COLUMN_FAMILY", kMarkerFamilyProperty};
  const bool of_storage = std::ranges::find(kOfStorage, name) != std::end(kOfStorage);
  if (!of_storage || PropertyOf(table, name) == UpperText(value)) {
    return Status::Ok();
  }
  if (name == "DEFAULT_COLUMN_FAMILY") {
    return SqlError(1034, "42Y93", "Default column family property cannot be altered.");
  }
  return {Code::kUnsupported,
          "SQL: ALTER TABLE SET " + std::string(name) + ": create another table, and copy the rows"};
}

}  // namespace klip::sql
