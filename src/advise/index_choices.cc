#include "advise/index_choices.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "klip/admin.h"
#include "rowkey/index_definition.h"
#include "rowkey/query_names.h"

namespace klip::advise {
namespace {

constexpr size_t kMostColumns = 4;  // TUNING: each further column narrows a query less
constexpr size_t kMostCandidates = 10;

IndexDescriptor IndexOf(const std::vector<const ColumnMatch*>& columns) {
  IndexDescriptor index = {.name = "by"};
  for (const ColumnMatch* const column : columns) {
    std::string part = column->qualifier.empty() ? column->family : column->qualifier;
    std::ranges::replace_if(part, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    index.name += "_" + part;
    IndexField& field = index.fields.emplace_back();
    field.column = column->family + ":" + column->qualifier;
    const std::optional<base::LetterCase> letter_case = rowkey::CaseOfType(column->type);
    field.type = column->type.empty() || letter_case.has_value() ? "text" : column->type;
    if (letter_case.has_value()) {
      field.function = rowkey::FunctionOf(*letter_case);
    }
  }
  return index;
}

// The columns of one alternative by which entries can be found. A condition that a column is missing, or excludes values,
// matches too many.
std::vector<const ColumnMatch*> ColumnsOf(const KeyBox& box) {
  std::vector<const ColumnMatch*> columns;
  const auto is_range = [](const ColumnMatch* column) { return UseOfMatch(column->match) != FieldUse::kValues; };
  for (const ColumnMatch& column : box.columns) {
    const bool named = std::ranges::any_of(columns, [&](const ColumnMatch* one) {
      return one->family == column.family && one->qualifier == column.qualifier;
    });
    if (!column.missing && !named && !std::holds_alternative<NoneOf>(column.match)) {
      columns.push_back(&column);
    }
  }
  std::ranges::stable_sort(columns, std::less<>(), is_range);
  columns.resize(std::min(columns.size(), kMostColumns));
  return columns;
}

bool IsOn(const ColumnMatch& column, const IndexField& field) {
  return column.family + ":" + column.qualifier == field.column;
}

// Makes further fields optional that some alternative with a condition on the first one does not need.
void MakeOptional(const std::vector<LabQuery>& queries, IndexDescriptor* index) {
  for (const LabQuery& query : queries) {
    for (const KeyBox& box : query.where.any_of) {
      const std::vector<const ColumnMatch*> columns = ColumnsOf(box);
      const auto has = [&](const IndexField& field) {
        return std::ranges::any_of(columns, [&](const ColumnMatch* column) { return IsOn(*column, field); });
      };
      for (size_t i = 1; i < index->fields.size() && has(index->fields.front()); ++i) {
        index->fields[i].optional = index->fields[i].optional || !has(index->fields[i]);
      }
    }
  }
}

}  // namespace

std::vector<IndexDescriptor> IndexesFor(const std::vector<LabQuery>& queries,
                                        const std::vector<IndexDescriptor>& present) {
  std::vector<IndexDescriptor> indexes;
  std::set<std::string> declared;
  std::set<std::string> names;
  for (const IndexDescriptor& index : present) {
    names.insert(index.name);
  }
  const auto add = [&](const std::vector<const ColumnMatch*>& columns) {
    IndexDescriptor index = IndexOf(columns);
    MakeOptional(queries, &index);
    if (columns.empty() || indexes.size() == kMostCandidates || !declared.insert(index.ToString()).second) {
      return;
    }
    const std::string name = index.name;
    for (int number = 2; !names.insert(index.name).second; ++number) {
      index.name = name + "_" + std::to_string(number);
    }
    indexes.push_back(std::move(index));
  };
  for (const bool alone : {false, true}) {
    for (const LabQuery& query : queries) {
      for (const KeyBox& box : query.where.any_of) {
        const std::vector<const ColumnMatch*> columns = ColumnsOf(box);
        if (!alone) {
          add(columns);
        }
        for (size_t i = 0; alone && i < columns.size(); ++i) {
          add({columns[i]});
        }
      }
    }
  }
  return indexes;
}

Expected<std::unique_ptr<const LabIndex>> LayOutIndex(const IndexDescriptor& index, const Sample& sample,
                                                      const KeyLayout& rows) {
  TableDescriptor table = {.name = "sample"};
  for (const SampledColumn& column : sample.columns) {
    table.families.push_back({.name = column.family});
  }
  table.attributes[std::string(RowKeySchema::kTableAttribute)] = rows.schema.ToString();
  KLIP_ASSIGN_OR_RETURN(rowkey::IndexDefinition definition, rowkey::DefineIndex(index.name, index.ToString(), table));
  if (!definition.key_schema.has_value()) {
    return Status(Code::kInvalidArgument, "its keys are too long for a schema");
  }
  KLIP_ASSIGN_OR_RETURN(KeyLayout entries, LayOutEntries(sample, rows, definition));
  auto made = std::make_unique<LabIndex>(
      LabIndex{.definition = std::move(definition), .entries = std::move(entries), .path = {}});
  double bytes = 0;
  made->path = PathOf(made->entries, sample.Weight(), 1, &bytes);
  made->path.name = index.name;
  made->path.range = RowRange();
  made->path.needs_fetch = true;
  made->bytes_per_row = bytes / static_cast<double>(sample.size());
  return std::unique_ptr<const LabIndex>(std::move(made));
}

}  // namespace klip::advise
