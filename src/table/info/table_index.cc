#include "table/info/table_index.h"

#include <algorithm>
#include <utility>

#include "engine/store/catalog.h"
#include "table/info/table_info.h"

namespace klip::table {
namespace {

// The index's family as the only family of a table.
InfoPtr EntriesAsTable(const engine::TableView& table, const engine::Family& family,
                       const rowkey::IndexDefinition& definition) {
  auto view = std::make_shared<engine::TableView>();
  view->descriptor.name = table.descriptor.name + " index " + definition.descriptor.name;
  view->families.push_back(family);
  view->families.front().descriptor.name = kEntryFamily;
  view->descriptor.families.push_back(view->families.front().descriptor);
  view->regions = std::make_shared<const std::vector<engine::Region>>(1);
  auto info = std::make_shared<TableInfo>();
  info->view = std::move(view);
  info->schema = definition.keys();
  return info;
}

void AddIndexedColumns(const engine::TableView& table, const rowkey::IndexDefinition& definition,
                       std::vector<IndexedFamily>* families) {
  for (const rowkey::IndexColumn& column : definition.stored_columns()) {
    const engine::Family* const family = table.Find(column.family);
    auto at = std::ranges::find(*families, family, &IndexedFamily::family);
    if (at == families->end()) {
      at = families->insert(at, IndexedFamily{family, {}});
    }
    const auto place = std::ranges::lower_bound(at->qualifiers, column.qualifier);
    if (place == at->qualifiers.end() || *place != column.qualifier) {
      at->qualifiers.insert(place, column.qualifier);
    }
  }
}

// New ones after an index was created again, which is then in another column family.
std::shared_ptr<IndexCounters> CountersOf(const engine::Family& family, const TableIndexes* before) {
  for (const TableIndex& index : before == nullptr ? std::vector<TableIndex>() : before->all) {
    if (index.entries->view->families.front().id == family.id) {
      return index.counters;
    }
  }
  return std::make_shared<IndexCounters>();
}

}  // namespace

const char* TableIndex::why_unused() const {
  return building ? "it is being built" : unusable ? "it is UNUSABLE" : nullptr;
}

const TableIndex* TableIndexes::Find(std::string_view name, bool rebuilt) const {
  const auto found = std::ranges::find_if(
      all, [&](const TableIndex& index) { return index.name() == name && index.rebuilt == rebuilt; });
  return found == all.end() ? nullptr : &*found;
}

Expected<std::shared_ptr<const TableIndexes>> MakeTableIndexes(const engine::TablePtr& view,
                                                               const TableIndexes* before) {
  if (view->indexes.empty()) {
    return std::shared_ptr<const TableIndexes>();
  }
  auto indexes = std::make_shared<TableIndexes>();
  const auto& attributes = view->descriptor.attributes;
  for (const engine::Family& family : view->indexes) {
    std::string name = family.descriptor.name.substr(1);  // without engine::kIndexFamilyMark
    const bool rebuilt = name.ends_with(engine::kRebuiltMark);
    if (rebuilt) {
      name.pop_back();
    }
    const auto text = attributes.find(std::string(IndexDescriptor::kTableAttribute) + name);
    KLIP_ASSIGN_OR_RETURN(rowkey::IndexDefinition definition,
                          rowkey::DefineIndex(name, text == attributes.end() ? "" : text->second, view->descriptor));
    AddIndexedColumns(*view, definition, &indexes->families);
    InfoPtr entries = EntriesAsTable(*view, family, definition);
    indexes->all.push_back(
        {.definition = std::move(definition),
         .building = rebuilt || attributes.contains(std::string(IndexDescriptor::kBuildingAttribute) + name),
         .unusable = attributes.contains(std::string(IndexDescriptor::kUnusableAttribute) + name),
         .rebuilt = rebuilt,
         .family = &family,
         .entries = std::move(entries),
         .counters = CountersOf(family, before)});
  }
  return std::shared_ptr<const TableIndexes>(std::move(indexes));
}

}  // namespace klip::table
