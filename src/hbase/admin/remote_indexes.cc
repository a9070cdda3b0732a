#include "hbase/admin/remote_indexes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "hbase/admin/index_checker.h"
#include "hbase/table/multi.h"
#include "hbase/table/scanner.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::client {
namespace {

constexpr size_t kWriteGroup = 1000;  // TUNING: entries of one write while an index is built

// As tables are named in hbase:meta.
std::string NameOf(std::string_view table) {
  constexpr std::string_view kDefault = "default:";
  return std::string(table.starts_with(kDefault) ? table.substr(kDefault.size()) : table);
}

Status MissingIndex(std::string_view table, std::string_view index) {
  return {Code::kInvalidArgument,
          "table '" + std::string(table) + "' has no index '" + std::string(index) + "' that clients keep"};
}

// An attempt that was cut off may have left the table, perhaps one of another declaration.
Status CheckFamilies(Admin& tables, const std::string& entries, const std::vector<EntryKind>& kinds) {
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, tables.GetDescriptor(entries));
  for (const EntryKind& kind : kinds) {
    if (descriptor.Find(kind.family) == nullptr) {
      return {Code::kInvalidArgument,
              "table " + entries + " exists without family '" + kind.family + "': drop it, and create the index again"};
    }
  }
  return {};
}

// The entries of a row by what it stores, also of versions that others hide: they may come back. That is each combination of stored
// values, or, where these are many, only what readers need: each value of the first column.
Status AppendEntries(const ClientIndex& index, std::string_view row,
                     const std::vector<std::vector<std::string_view>>& versions, std::vector<Put>* entries) {
  constexpr size_t kMostCombinations = 16;
  size_t combinations = 1;
  for (const std::vector<std::string_view>& of_column : versions) {
    combinations *= of_column.size();
  }
  const bool all = combinations <= kMostCombinations;
  const EntryKind& kind = all ? index.kinds.back() : index.kinds.front();
  for (size_t i = 0; i < (all ? combinations : versions.front().size()); ++i) {
    ColumnValues values(versions.size());
    size_t rest = i;
    for (const size_t column : kind.columns) {
      values[column] = versions[column][rest % versions[column].size()];
      rest /= versions[column].size();
    }
    KLIP_ASSIGN_OR_RETURN(std::optional<std::string> key, EntryKey(kind, row, values));
    if (key.has_value()) {
      entries->push_back(EntryPut(kind, *std::move(key), Durability::kUseDefault));
    }
  }
  return {};
}

class IndexBuild {
 public:
  IndexBuild(Cluster* cluster, const std::string& table, const ClientIndex& index)
      : cluster_(cluster), table_(table), index_(index) {}

  // Reads on, up to the end of a row with which a group is full. False: that was the last one.
  Expected<bool> NextGroup() {
    if (scanner_ == nullptr) {
      Scan scan = StoredVersionsOf(index_);
      scan.start_row = index_.built_up_to;
      scan.include_start = index_.built_up_to.empty();
      scanner_ = OpenScanner(cluster_, table_, {.scan = std::move(scan)});
    }
    Result row;
    while (entries_.size() < kWriteGroup) {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&row));
      if (!more) {
        return false;
      }
      ++rows_;
      last_row_ = row.row();
      KLIP_RETURN_IF_ERROR(Add(row));
    }
    return true;
  }

  std::vector<Put> TakeEntries() { return std::exchange(entries_, {}); }
  int64_t rows() const { return rows_; }
  const std::string& last_row() const { return last_row_; }

 private:
  Status Add(const Result& row) {
    std::vector<std::vector<std::string_view>> versions(index_.definition.columns.size());
    for (const Cell& cell : row) {
      const std::optional<size_t> column = index_.definition.ColumnIndex(cell.family, cell.qualifier);
      if (cell.type != CellType::kPut || !column.has_value()) {
        continue;
      }
      ColumnValues alone(versions.size());
      alone[*column] = cell.value;
      const Status fits = EntryKey(index_.kinds[(size_t{1} << *column) - 1], row.row(), alone).status();
      if (fits.ok()) {
        versions[*column].push_back(cell.value);
      } else {
        KLIP_RETURN_IF_ERROR(RefuseIfVisible(row.row(), cell, fits.message()));
      }
    }
    return AppendEntries(index_, row.row(), versions, &entries_);
  }

  // An old value that nobody sees does not matter, unless the index is of old values, too.
  Status RefuseIfVisible(std::string_view row, const Cell& cell, const std::string& why) {
    if (index_.definition.descriptor.history) {
      return {Code::kDoNotRetry, why + " (with HISTORY, all stored versions must)"};
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<Result> now, ReadColumns(cluster_, table_, index_, {std::string(row)}));
    const Cell* const seen = now.front().Find(cell.family, cell.qualifier);
    return seen != nullptr && seen->value == cell.value ? Status(Code::kDoNotRetry, why) : Status();
  }

  Cluster* const cluster_;
  const std::string& table_;
  const ClientIndex& index_;
  std::unique_ptr<ResultScanner> scanner_;
  std::vector<Put> entries_;
  int64_t rows_ = 0;
  std::string last_row_;
};

}  // namespace

Status RemoteIndexAdmin::PutState(const ClientIndex& index, std::string_view column, std::string_view value) {
  Put put = {.row = kDeclarationRow};
  put.Add(kDeclarationFamily, std::string(column), std::string(value));
  return RunOne(cluster_, index.table, &put).status();
}

Status RemoteIndexAdmin::Declare(const std::string& table, const IndexDescriptor& index) {
  const std::string text = index.ToString();
  KLIP_RETURN_IF_ERROR(IndexDescriptor::Parse(index.name, text).status());
  if (!index.sql_table.empty()) {
    return {Code::kUnsupported, "index '" + index.name + "': the indexes of a cluster have no SQL expressions"};
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor descriptor, tables_->GetDescriptor(table));
  KLIP_ASSIGN_OR_RETURN(const rowkey::IndexDefinition definition, rowkey::DefineIndex(index.name, text, descriptor));
  KLIP_ASSIGN_OR_RETURN(const std::vector<EntryKind> kinds, KindsOf(definition, descriptor));
  KLIP_ASSIGN_OR_RETURN(const ClientIndexList declared, indexes_->Read(table));
  for (const ClientIndex& other : *declared) {
    const IndexDescriptor& there = other.definition.descriptor;
    if (there.name == index.name) {
      return other.building && there.ToString() == text
                 ? Status()
                 : Status(Code::kInvalidArgument,
                          "table '" + table + "' has an index '" + index.name + "' already: " + there.ToString());
    }
  }
  const std::string entries = rowkey::IndexTableOf(table, index.name);
  KLIP_ASSIGN_OR_RETURN(const bool exists, tables_->TableExists(entries));
  if (exists) {
    KLIP_RETURN_IF_ERROR(CheckFamilies(*tables_, entries, kinds));
  } else {
    std::vector<FamilyDescriptor> families = {{.name = kDeclarationFamily}};
    for (const EntryKind& kind : kinds) {
      families.push_back({.name = kind.family});
    }
    KLIP_RETURN_IF_ERROR(tables_->CreateTable({.name = entries, .families = families}, {}));
  }
  const auto schema = descriptor.attributes.find(std::string(RowKeySchema::kTableAttribute));
  Put declaration = {.row = kDeclarationRow};
  declaration.Add(kDeclarationFamily, "text", text)
      .Add(kDeclarationFamily, "row_key", schema == descriptor.attributes.end() ? "" : schema->second)
      .Add(kDeclarationFamily, "state", "building");
  return RunOne(cluster_, entries, &declaration).status();
}

Expected<ClientIndex> RemoteIndexAdmin::Find(const std::string& table, std::string_view index) {
  KLIP_ASSIGN_OR_RETURN(const ClientIndexList all, indexes_->Read(table));
  const auto found = std::ranges::find(
      *all, index, [](const ClientIndex& one) -> std::string_view { return one.definition.descriptor.name; });
  return found == all->end() ? Expected<ClientIndex>(MissingIndex(table, index)) : *found;
}

Status RemoteIndexAdmin::CreateIndex(std::string_view table_name, const IndexDescriptor& index,
                                     const IndexProgress& progress) {
  const std::string table = NameOf(table_name);
  KLIP_RETURN_IF_ERROR(Declare(table, index));
  KLIP_ASSIGN_OR_RETURN(const ClientIndex declared, Find(table, index.name));
  // From then on every client writes entries.
  if (!cluster_->Sleep(2 * indexes_->fresh_for(), Deadline::max())) {
    return {Code::kCancelled, "creating index '" + index.name + "' of table '" + table + "' was cancelled"};
  }
  Status built = Build(table, declared, progress);
  if (built.code() == Code::kDoNotRetry) {  // the rows do not fit the index
    (void)DropIndex(table, index.name);
  }
  return built;
}

Status RemoteIndexAdmin::Build(const std::string& table, const ClientIndex& index, const IndexProgress& progress) {
  IndexBuild build(cluster_, table, index);
  for (bool more = true; more;) {
    KLIP_ASSIGN_OR_RETURN(more, build.NextGroup());
    KLIP_RETURN_IF_ERROR(WriteEntries(cluster_, index, build.TakeEntries()));
    if (more) {
      KLIP_RETURN_IF_ERROR(PutState(index, "built_up_to", build.last_row()));
    }
    if (progress != nullptr) {
      progress(build.rows());
    }
  }
  KLIP_RETURN_IF_ERROR(PutState(index, "state", "ready"));
  indexes_->Forget(table);
  return {};
}

Status RemoteIndexAdmin::RebuildIndex(std::string_view table, std::string_view index, const IndexProgress& progress) {
  KLIP_ASSIGN_OR_RETURN(const ClientIndex found, Find(NameOf(table), index));
  if (!found.building) {
    KLIP_RETURN_IF_ERROR(DropIndex(table, index));
  }
  return CreateIndex(table, found.definition.descriptor, progress);
}

Status RemoteIndexAdmin::SetUsable(std::string_view /*table*/, std::string_view index, bool /*usable*/) {
  return {Code::kUnsupported,
          "index '" + std::string(index) + "': an index of a cluster is always used when it is ready"};
}

// The declaration goes first: a client that finds the table disabled knows then that it is being dropped.
Status RemoteIndexAdmin::DropIndex(std::string_view table_name, std::string_view index) {
  const std::string table = NameOf(table_name);
  KLIP_ASSIGN_OR_RETURN(const ClientIndex found, Find(table, index));
  const Delete declaration = {.row = kDeclarationRow};
  KLIP_RETURN_IF_ERROR(RunOne(cluster_, found.table, &declaration).status());
  indexes_->Forget(table);
  return DropTable(found.table);
}

Status RemoteIndexAdmin::DropTable(const std::string& name) {
  Status disabled = tables_->DisableTable(name);
  if (!disabled.ok() && disabled.code() != Code::kTableNotEnabled) {
    return disabled;
  }
  return tables_->DeleteTable(name);
}

Status RemoteIndexAdmin::DropAll(std::string_view table_name) {
  const std::string table = NameOf(table_name);
  if (rowkey::IsIndexTable(table)) {
    return {};
  }
  std::set<std::string> names;
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
    names.clear();
    return cluster_->locations().TablesOf(rowkey::IndexTableOf(table, ""), cluster_->CallDeadline(deadline), &names);
  }));
  for (const std::string& name : names) {
    KLIP_RETURN_IF_ERROR(DropTable(name));
  }
  indexes_->Forget(table);
  return {};
}

Expected<std::vector<IndexInfo>> RemoteIndexAdmin::ListIndexes(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const ClientIndexList all, indexes_->Read(NameOf(table)));
  std::vector<IndexInfo> infos;
  for (const ClientIndex& index : *all) {
    infos.push_back({.index = index.definition.descriptor, .building = index.building, .kept_by_clients = true});
  }
  return infos;
}

Expected<IndexCheck> RemoteIndexAdmin::VerifyIndex(std::string_view table_name, std::string_view index, bool repair,
                                                   const IndexProgress& progress) {
  const std::string table = NameOf(table_name);
  KLIP_ASSIGN_OR_RETURN(const ClientIndex found, Find(table, index));
  return IndexChecker(cluster_, table, found, repair).Run(progress);
}

}  // namespace klip::client
