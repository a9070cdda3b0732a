#include "arrow/column_names.h"

#include <algorithm>
#include <map>

#include "klip/bytes.h"

namespace klip::arrow {

Expected<std::vector<std::string>> ColumnNames(const std::vector<ArrowColumn>& columns,
                                               const std::vector<std::string>& key_names) {
  const auto short_name = [](const ArrowColumn& column) {
    return column.name.empty() ? ToStringBinary(column.qualifier) : column.name;
  };
  std::map<std::string, int> wanted;
  for (const std::string& name : key_names) {
    ++wanted[name];
  }
  for (const ArrowColumn& column : columns) {
    ++wanted[short_name(column)];
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < columns.size(); ++i) {
    const ArrowColumn& column = columns[i];
    std::string name = short_name(column);
    if (column.name.empty() && wanted[name] > 1) {
      name = FullName(column);
    }
    const auto same_cell = [&](const ArrowColumn& other) {
      return other.family == column.family && other.qualifier == column.qualifier;
    };
    const auto here = columns.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(columns.begin(), here, same_cell)) {
      return BadColumn(FullName(column), "it is named twice");
    }
    if (std::find(names.begin(), names.end(), name) != names.end() ||
        std::find(key_names.begin(), key_names.end(), name) != key_names.end()) {
      return BadColumn(FullName(column), "another column has the name '" + name + "'");
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> KeyNames(const std::optional<RowKeySchema>& schema) {
  if (!schema.has_value()) {
    return {"row"};
  }
  std::vector<std::string> names;
  for (const KeyField& field : schema->fields()) {
    if (!field.derived()) {
      names.push_back(field.name);
    }
  }
  return names;
}

std::string FullName(const ArrowColumn& column) { return column.family + ":" + ToStringBinary(column.qualifier); }

Status BadColumn(const std::string& name, const std::string& why) {
  return {Code::kInvalidArgument, "column '" + name + "': " + why};
}

}  // namespace klip::arrow
