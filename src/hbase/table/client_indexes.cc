#include "hbase/table/client_indexes.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "hbase/table/multi.h"
#include "klip/bytes.h"
#include "klip/index.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

const Get kGetDeclaration = {.row = kDeclarationRow, .columns = {{kDeclarationFamily, {}}}};

int64_t NowMs() { return std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1); }

bool HasNoIndexes(std::string_view table) { return table.starts_with("hbase:") || rowkey::IsIndexTable(table); }

std::string_view ValueOf(const Result& row, std::string_view qualifier) {
  const Cell* const cell = row.Find(kDeclarationFamily, qualifier);
  return cell == nullptr ? std::string_view() : std::string_view(cell->value);
}

// The table as far as the declaration needs it. Only the master has its descriptor, so the row holds it all.
TableDescriptor TableOf(std::string_view table, const IndexDescriptor& index, const Result& row) {
  TableDescriptor described = {.name = std::string(table)};
  for (const IndexField& field : index.fields) {
    if (field.key_field.empty()) {
      described.families.push_back({.name = field.column.substr(0, field.column.find(':'))});
    }
  }
  for (const auto& [column, value] : index.where) {
    described.families.push_back({.name = column.substr(0, column.find(':'))});
  }
  described.attributes[std::string(RowKeySchema::kTableAttribute)] = ValueOf(row, "row_key");
  return described;
}

Expected<ClientIndex> IndexOf(std::string_view table, std::string_view name, const Result& declaration) {
  KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse(name, ValueOf(declaration, "text")));
  const TableDescriptor described = TableOf(table, index, declaration);
  KLIP_ASSIGN_OR_RETURN(rowkey::IndexDefinition definition,
                        rowkey::DefineIndex(name, ValueOf(declaration, "text"), described));
  KLIP_ASSIGN_OR_RETURN(std::vector<EntryKind> kinds, KindsOf(definition, described));
  return ClientIndex{.definition = std::move(definition),
                     .kinds = std::move(kinds),
                     .building = ValueOf(declaration, "state") != "ready",
                     .table = rowkey::IndexTableOf(table, name),
                     .built_up_to = std::string(ValueOf(declaration, "built_up_to"))};
}

// The entries that puts need, by index.
class EntriesAhead {
 public:
  EntriesAhead(const std::string& table, const std::vector<ClientIndex>& indexes)
      : table_(table), indexes_(indexes), entries_(indexes.size()) {}

  // Errors: kUnsupported: what a reader would see is not known beforehand.
  Status Add(const ActionRef& action) {
    return std::visit([this](const auto* one) { return AddOne(*one); }, action);
  }
  std::vector<Put> Take(size_t index) { return std::move(entries_[index]); }

 private:
  Status AddOne(const Get&) { return {}; }
  Status AddOne(const Increment& one) { return CheckNone(one.columns, "incremented"); }
  Status AddOne(const Append& one) { return CheckNone(one.columns, "appended to"); }
  Status AddOne(const RowMutations& several) {
    for (const auto& mutation : several.mutations) {
      KLIP_RETURN_IF_ERROR(std::visit([this](const auto& one) { return AddOne(one); }, mutation));
    }
    return {};
  }
  Status AddOne(const CheckAndMutate& check) {
    return std::visit([this](const auto& one) { return AddOne(one); }, check.action);
  }
  // Its entries are dead from now on.
  Status AddOne(const Delete& one) {
    for (const ClientIndex& index : indexes_) {
      const std::vector<rowkey::IndexColumn>& columns = index.definition.columns;
      for (const Delete::Marker& marker : one.markers) {
        const bool whole_family = marker.type == CellType::kDeleteFamilyVersion;
        if (columns.size() == 1 || (marker.type != CellType::kDelete && !whole_family)) {
          continue;
        }
        const auto hit = std::ranges::find_if(columns, [&](const rowkey::IndexColumn& column) {
          return column.family == marker.family && (whole_family || column.qualifier == marker.qualifier);
        });
        if (hit != columns.end()) {
          return Refuse(index, *hit, "one version of",
                        "deleted: what would be visible then has perhaps no entry. "
                        "Delete all versions of the column or family");
        }
      }
    }
    return {};
  }

  Status AddOne(const Put& put) {
    for (size_t i = 0; i < indexes_.size(); ++i) {
      ColumnValues by_server(indexes_[i].definition.columns.size());  // cells with the server's timestamp
      for (const Put::Column& cell : put.columns) {
        const std::optional<size_t> column = indexes_[i].definition.ColumnIndex(cell.family, cell.qualifier);
        if (!column.has_value()) {
          continue;
        }
        const bool timed = cell.timestamp_ms != kLatestTimestamp || put.timestamp_ms != kLatestTimestamp;
        if (timed || by_server[*column].has_value()) {
          ColumnValues alone(by_server.size());
          alone[*column] = cell.value;
          KLIP_RETURN_IF_ERROR(AddEntry(i, put, alone));
        } else {
          by_server[*column] = cell.value;
        }
      }
      KLIP_RETURN_IF_ERROR(AddEntry(i, put, by_server));
    }
    return {};
  }

  Status AddEntry(size_t i, const Put& put, const ColumnValues& values) {
    size_t mask = 0;
    for (size_t column = 0; column < values.size(); ++column) {
      mask |= values[column].has_value() ? size_t{1} << column : 0;
    }
    if (mask == 0) {
      return {};
    }
    const EntryKind& kind = indexes_[i].kinds[mask - 1];
    KLIP_ASSIGN_OR_RETURN(std::optional<std::string> key, EntryKey(kind, put.row, values));
    if (key.has_value()) {
      entries_[i].push_back(EntryPut(kind, *std::move(key), put.durability));
    }
    return {};
  }

  template <typename Columns>
  Status CheckNone(const Columns& cells, const std::string& what) const {
    for (const ClientIndex& index : indexes_) {
      for (const auto& cell : cells) {
        if (const auto column = index.definition.ColumnIndex(cell.family, cell.qualifier); column.has_value()) {
          return Refuse(index, index.definition.columns[*column], "",
                        what + ": its value must be known beforehand. Use CheckAndMutate with a put");
        }
      }
    }
    return {};
  }

  Status Refuse(const ClientIndex& index, const rowkey::IndexColumn& column, std::string_view part,
                const std::string& why) const {
    return {Code::kUnsupported, std::string(part) + (part.empty() ? "" : " ") + column.Name() + " of table '" + table_ +
                                    "', whose clients maintain the index '" + index.definition.descriptor.name +
                                    "', cannot be " + why};
  }

  const std::string& table_;
  const std::vector<ClientIndex>& indexes_;
  std::vector<std::vector<Put>> entries_;
};

bool IsGone(const Status& status) {
  return status.code() == Code::kTableNotFound || status.code() == Code::kTableNotEnabled;
}

// Empty: there is no declaration, or the table is gone. A table that stays disabled is an error: rows written now would be missing from
// the index when it is enabled again.
Expected<Result> ReadDeclaration(Cluster* cluster, const std::string& index_table) {
  constexpr std::chrono::milliseconds kPause{100};
  constexpr int kTries = 50;  // a table is disabled while it is dropped
  for (int tries = 0; tries < kTries; ++tries) {
    Expected<Result> declaration = RunOne(cluster, index_table, &kGetDeclaration);
    if (declaration.status().code() == Code::kTableNotFound) {
      return Result();
    }
    if (declaration.status().code() != Code::kTableNotEnabled || !cluster->Sleep(kPause, Deadline::max())) {
      return declaration;
    }
  }
  return Status(Code::kTableNotEnabled, "table " + index_table + ", which has the entries of an index, is disabled: " +
                                            "enable it, or drop the index");
}

}  // namespace

Expected<std::vector<EntryKind>> KindsOf(const rowkey::IndexDefinition& index, const TableDescriptor& table) {
  const size_t count = index.columns.size();
  const IndexDescriptor& declared = index.descriptor;
  if (!index.include.empty() || declared.unique || declared.skip_invalid || index.has_optional() ||
      count > kMostIndexColumns) {
    return Status(Code::kUnsupported,
                  "index '" + declared.name +
                      "': an index on a cluster has at most three columns, those of WHERE included, "
                      "perhaps fields of the row key, and no INCLUDE, UNIQUE, SKIP INVALID or optional fields");
  }
  if (declared.history && count > 1) {
    return Status(Code::kUnsupported,
                  "index '" + declared.name +
                      "': an index on a cluster with HISTORY has one column, and no WHERE on another: "
                      "flushes may leave combinations of old versions that no put wrote");
  }
  const size_t all = (size_t{1} << count) - 1;
  std::vector<EntryKind> kinds;
  for (size_t mask = 1; mask <= all; ++mask) {
    IndexDescriptor some = {.name = declared.name, .history = declared.history};
    for (size_t part = 0; part < index.parts.size(); ++part) {
      const std::optional<size_t> column = index.parts[part].column;
      if (!column.has_value() || (mask >> *column & 1) != 0) {
        some.fields.push_back(declared.fields[part]);
      }
    }
    for (size_t i = 0; i < index.where.size(); ++i) {
      if ((mask >> index.where[i].column & 1) != 0) {
        some.where.push_back(declared.where[i]);
      }
    }
    std::vector<size_t> columns;
    std::string family = "e";
    for (size_t column = 0; column < count; ++column) {
      if ((mask >> column & 1) != 0) {
        columns.push_back(column);
        family += mask == all ? "" : std::to_string(column + 1);
      }
    }
    KLIP_ASSIGN_OR_RETURN(rowkey::IndexDefinition definition, rowkey::DefineIndex(some, table));
    kinds.push_back({std::move(definition), std::move(columns), std::move(family)});
  }
  return kinds;
}

Expected<std::optional<std::string>> EntryKey(const EntryKind& kind, std::string_view row, const ColumnValues& values) {
  std::vector<Cell> cells(kind.columns.size());
  std::vector<const Cell*> columns;
  std::string shown;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::optional<std::string_view> value = values[kind.columns[i]];
    if (!value.has_value()) {
      return std::optional<std::string>();
    }
    cells[i].value = *value;
    columns.push_back(&cells[i]);
    shown += (i == 0 ? "" : ", ") + kind.definition.columns[i].Name() + " = '" + ToStringBinary(*value) + "'";
  }
  if (!rowkey::MeetsWhere(kind.definition, columns)) {
    return std::optional<std::string>();
  }
  std::string key;
  if (rowkey::AppendEntryKey(kind.definition, row, columns, &key)) {
    return std::optional(std::move(key));
  }
  return Status(Code::kInvalidArgument, "index '" + kind.definition.descriptor.name + "': row '" + ToStringBinary(row) +
                                            "' with " + shown + " does not fit " +
                                            kind.definition.descriptor.ToString());
}

Put EntryPut(const EntryKind& kind, std::string key, Durability durability) {
  const bool stronger = durability == Durability::kFsyncWal;
  Put put = {.row = std::move(key), .durability = stronger ? durability : Durability::kUseDefault};
  return std::move(put).Add(kind.family, "", "", NowMs());
}

Status WriteEntries(Cluster* cluster, const ClientIndex& index, std::span<const Put> entries) {
  return RunAll<Put>(cluster, index.table, entries).status();
}

Expected<ClientIndexList> ClientIndexes::Read(const std::string& table) {
  auto indexes = std::make_shared<std::vector<ClientIndex>>();
  if (!HasNoIndexes(table)) {
    const std::string prefix = rowkey::IndexTableOf(table, "");
    const Deadline deadline = cluster_->OperationDeadline();
    std::set<std::string> names;
    KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
      names.clear();
      return cluster_->locations().TablesOf(prefix, cluster_->CallDeadline(deadline), &names);
    }));
    for (const std::string& name : names) {
      KLIP_ASSIGN_OR_RETURN(const Result declaration, ReadDeclaration(cluster_, name));
      if (declaration.empty()) {  // it is being created or dropped
        continue;
      }
      KLIP_ASSIGN_OR_RETURN(ClientIndex index,
                            IndexOf(table, std::string_view(name).substr(prefix.size()), declaration));
      indexes->push_back(std::move(index));
    }
  }
  const std::lock_guard lock(mutex_);
  known_[table] = {indexes, Clock::now()};
  return ClientIndexList(std::move(indexes));
}

Expected<ClientIndexList> ClientIndexes::Of(const std::string& table) {
  ClientIndexList old;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(table); found != known_.end()) {
      old = found->second.indexes;
      if (Clock::now() - found->second.read_at < fresh_for_) {
        return old;
      }
      // One thread reads, and the others use the old list for a little longer. All keep it if hbase:meta cannot be read.
      found->second.read_at = Clock::now() - fresh_for_ + fresh_for_ / 10;
    }
  }
  Expected<ClientIndexList> read = Read(table);
  return read.ok() || old == nullptr ? read : old;
}

Expected<bool> ClientIndexes::IsReady(const ClientIndex& index) {
  const Expected<Result> declaration = RunOne(cluster_, index.table, &kGetDeclaration);
  if (!declaration.ok()) {
    return IsGone(declaration.status()) ? Expected<bool>(false) : declaration.status();
  }
  return ValueOf(*declaration, "state") == "ready" &&
         ValueOf(*declaration, "text") == index.definition.descriptor.ToString();
}

void ClientIndexes::Forget(const std::string& table) {
  const std::lock_guard lock(mutex_);
  known_.erase(table);
}

Status ClientIndexes::WriteAhead(const std::string& table, std::span<const MultiItem> items) {
  for (bool again = false;; again = true) {
    KLIP_ASSIGN_OR_RETURN(const ClientIndexList indexes, again ? Read(table) : Of(table));
    if (indexes->empty()) {
      return {};
    }
    EntriesAhead ahead(table, *indexes);
    for (const MultiItem& item : items) {
      KLIP_RETURN_IF_ERROR(ahead.Add(item.action));
    }
    Status written;
    for (size_t i = 0; i < indexes->size() && written.ok(); ++i) {
      if (const std::vector<Put> entries = ahead.Take(i); !entries.empty()) {
        written = WriteEntries(cluster_, (*indexes)[i], entries);
      }
    }
    if (written.ok() || again || !IsGone(written)) {
      return written;
    }
  }
}

}  // namespace klip::client
