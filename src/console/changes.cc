// Changes of rows, tables and indexes, for a console that allows them.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/while_disabled.h"
#include "console/api.h"
#include "klip/bytes.h"
#include "klip/index.h"
#include "klip/mutation.h"

namespace klip::console {
namespace {

constexpr std::string_view kFieldPrefix = "field ";  // of the parameters with a row's key fields

Json Done(std::string what) { return {{"done", std::move(what)}}; }

Status Missing(std::string_view name) { return {Code::kInvalidArgument, std::string(name) + " is missing"}; }

Expected<std::string> Required(const Parameters& parameters, std::string_view name) {
  std::string text = Text(parameters, name);
  return text.empty() ? Expected<std::string>(Missing(name)) : std::move(text);
}

// The row: a key in printable form, or its fields.
Expected<std::string> RowOf(const Table& table, const Parameters& parameters) {
  if (const std::string row = Text(parameters, "row"); !row.empty()) {
    return FromStringBinary(row);
  }
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [name, value] : parameters) {
    if (name.starts_with(kFieldPrefix)) {
      fields.emplace_back(name.substr(kFieldPrefix.size()), value);
    }
  }
  const std::optional<RowKeySchema> schema = table.row_key_schema();
  return fields.empty() || !schema.has_value() ? Expected<std::string>(Missing("row")) : schema->EncodeNamed(fields);
}

struct ColumnText {
  std::string family;
  std::string qualifier;
};

Expected<ColumnText> ColumnOf(const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(const std::string text, Required(parameters, "column"));
  const size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return Status(Code::kInvalidArgument, "column '" + text + "' is not of the form family:qualifier");
  }
  return ColumnText{text.substr(0, colon), FromStringBinary(text.substr(colon + 1))};
}

// What cannot be undone needs the table's name a second time.
Status Confirmed(const Parameters& parameters, const std::string& table) {
  return Text(parameters, "confirm") == table
             ? Status::Ok()
             : Status(Code::kInvalidArgument, "type the name of the table to confirm: " + table);
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at) {
      words.push_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return words;
}

Status DisableAnd(Admin& admin, const std::string& table, const std::string& action) {
  return base::WhileDisabled(
      &admin, table, [&] { return action == "drop" ? admin.DeleteTable(table) : admin.TruncateTable(table, true); });
}

}  // namespace

Expected<Json> PutCell(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection->GetTable(Text(parameters, "table")));
  KLIP_ASSIGN_OR_RETURN(std::string row, RowOf(*table, parameters));
  KLIP_ASSIGN_OR_RETURN(const ColumnText column, ColumnOf(parameters));
  const std::string shown = ToStringBinary(row);
  KLIP_RETURN_IF_ERROR(table->Put(
      Put{.row = std::move(row)}.Add(column.family, column.qualifier, FromStringBinary(Text(parameters, "value")))));
  return Done("put a cell of row " + shown);
}

Expected<Json> DeleteCells(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection->GetTable(Text(parameters, "table")));
  KLIP_ASSIGN_OR_RETURN(std::string row, RowOf(*table, parameters));
  Delete del = {.row = std::move(row)};
  const std::string shown = ToStringBinary(del.row);
  if (!Text(parameters, "column").empty()) {
    KLIP_ASSIGN_OR_RETURN(const ColumnText column, ColumnOf(parameters));
    del.AddColumns(column.family, column.qualifier);
  }
  const bool whole = del.markers.empty();
  KLIP_RETURN_IF_ERROR(table->Delete(del));
  return Done((whole ? "deleted row " : "deleted a column of row ") + shown);
}

Expected<Json> CreateOneTable(Connection* connection, const Parameters& parameters) {
  TableDescriptor table;
  KLIP_ASSIGN_OR_RETURN(table.name, Required(parameters, "table"));
  for (std::string& family : Words(Text(parameters, "families"))) {
    table.families.push_back({.name = std::move(family)});
  }
  if (table.families.empty()) {
    return Missing("families");
  }
  if (std::string key = Text(parameters, "key"); !key.empty()) {
    table.attributes[std::string(RowKeySchema::kTableAttribute)] = std::move(key);
  }
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(table));
  return Done("created table " + table.name);
}

Expected<Json> ChangeTable(Connection* connection, const Parameters& parameters) {
  Admin& admin = connection->admin();
  KLIP_ASSIGN_OR_RETURN(const std::string table, Required(parameters, "table"));
  KLIP_ASSIGN_OR_RETURN(const std::string action, Required(parameters, "action"));
  if (action == "flush") {
    KLIP_RETURN_IF_ERROR(admin.Flush(table));
  } else if (action == "compact") {
    KLIP_RETURN_IF_ERROR(admin.MajorCompact(table));
  } else if (action == "split") {
    KLIP_RETURN_IF_ERROR(admin.Split(table, FromStringBinary(Text(parameters, "key"))));
  } else if (action == "enable") {
    KLIP_RETURN_IF_ERROR(admin.EnableTable(table));
  } else if (action == "disable") {
    KLIP_RETURN_IF_ERROR(admin.DisableTable(table));
  } else if (action == "truncate" || action == "drop") {
    KLIP_RETURN_IF_ERROR(Confirmed(parameters, table));
    KLIP_RETURN_IF_ERROR(DisableAnd(admin, table, action));
  } else {
    return Status(Code::kInvalidArgument, "unknown action '" + action +
                                              "': flush, compact, split, enable, disable, truncate and drop are known");
  }
  return Done(action + " of table " + table + " is done");
}

Expected<Json> ChangeIndex(Connection* connection, const Parameters& parameters) {
  KLIP_ASSIGN_OR_RETURN(const std::string table, Required(parameters, "table"));
  KLIP_ASSIGN_OR_RETURN(const std::string name, Required(parameters, "index"));
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  const std::string declaration = Text(parameters, "on");
  if (declaration.empty()) {
    KLIP_RETURN_IF_ERROR(indexes->DropIndex(table, name));
    return Done("dropped index " + name);
  }
  KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse(name, declaration));
  KLIP_RETURN_IF_ERROR(indexes->CreateIndex(table, index));
  return Done("created index " + name);
}

}  // namespace klip::console
