#include "sql/catalog/dropped_columns.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "klip/filter.h"
#include "klip/index.h"
#include "klip/row_batch.h"
#include "sql/catalog/index_table.h"

namespace klip::sql {
namespace {

constexpr size_t kRowsOfBatch = 1'000;

Status DeleteCells(Table* table, const std::vector<ColumnName>& columns) {
  Scan scan = {.filter = KeyOnlyFilter()};
  for (const ColumnName& column : columns) {
    scan.columns.push_back({column.family, column.qualifier});
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, table->Scan(scan));
  std::vector<Action> deletes;
  Result row;
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    if (more) {
      klip::Delete del = {.row = std::string(row.row())};
      for (const Cell& cell : row) {
        del.AddColumns(std::string(cell.family), std::string(cell.qualifier));
      }
      deletes.emplace_back(std::move(del));
    }
    if (deletes.size() == kRowsOfBatch || (!more && !deletes.empty())) {
      for (const Expected<Result>& done : table->Batch(deletes)) {
        KLIP_RETURN_IF_ERROR(done.status());
      }
      deletes.clear();
    }
  }
  return Status::Ok();
}

}  // namespace

Status DropIndexesOn(Connection* connection, const TableDefinition& table, const std::vector<TableColumn>& columns) {
  const Expected<IndexAdmin*> indexes = connection->admin().indexes();
  if (!indexes.ok()) {
    return indexes.status().code() == Code::kUnsupported ? Status::Ok() : indexes.status();
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> known, (*indexes)->ListIndexes(table.physical_name));
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection->admin().GetDescriptor(table.physical_name));
  for (const IndexInfo& info : known) {
    const bool uses = std::ranges::any_of(
        columns, [&](const TableColumn& column) { return IndexReads(info.index, descriptor, column.cell_name()); });
    KLIP_RETURN_IF_ERROR(uses ? (*indexes)->DropIndex(table.physical_name, info.index.name) : Status::Ok());
  }
  return Status::Ok();
}

Status DeleteCellsOf(Connection* connection, const TableDefinition& table, const std::vector<TableColumn>& columns) {
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, connection->admin().GetDescriptor(table.physical_name));
  std::vector<ColumnName> with_cells;
  for (const TableColumn& column : columns) {
    const bool has_family = std::ranges::any_of(
        descriptor.families, [&](const FamilyDescriptor& family) { return family.name == column.family; });
    if (has_family && column.element == 0) {
      with_cells.push_back({column.family, column.qualifier});
    }
  }
  if (with_cells.empty()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> rows, connection->GetTable(table.physical_name));
  return DeleteCells(rows.get(), with_cells);
}

}  // namespace klip::sql
