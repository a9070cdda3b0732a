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

bool HasNoIndexes(std::string_view table) {
  return table.starts_with("hbase:") || table.find(kIndexTableMark) != std::string_view::npos;
}

std::string_view ValueOf(const Result& row, std::string_view qualifier) {
  const Cell* const cell = row.Find(kDeclarationFamily, qualifier);
  return cell == nullptr ? std::string_view() : std::string_view(cell->value);
}

// Resolves the declaration without the table's descriptor, which only the master has: the row holds all that it needs.
Expected<rowkey::IndexDefinition> DefinitionOf(std::string_view table, std::string_view name, const Result& row) {
  KLIP_ASSIGN_OR_RETURN(const IndexDescriptor index, IndexDescriptor::Parse(name, ValueOf(row, "text")));
  TableDescriptor described = {.name = std::string(table)};
  for (const IndexField& field : index.fields) {
    if (field.key_field.empty()) {
      described.families.push_back({.name = field.column.substr(0, field.column.find(':'))});
    }
  }
  described.attributes[std::string(RowKeySchema::kTableAttribute)] = ValueOf(row, "row_key");
  return rowkey::DefineIndex(name, ValueOf(row, "text"), described);
}

// Collects the entries of actions by index, and refuses actions whose values are not known beforehand.
class EntriesAhead {
 public:
  EntriesAhead(const std::string& table, const std::vector<ClientIndex>& indexes)
      : table_(table), indexes_(indexes), entries_(indexes.size()) {}

  Status Add(const ActionRef& action) {
    return std::visit([this](const auto* one) { return AddOne(*one); }, action);
  }
  std::vector<Put> Take(size_t index) { return std::move(entries_[index]); }

 private:
  Status AddOne(const Get&) { return {}; }
  Status AddOne(const Delete&) { return {}; }  // its entries are dead from now on
  Status AddOne(const Increment& one) { return CheckNone(one, "incremented"); }
  Status AddOne(const Append& one) { return CheckNone(one, "appended to"); }
  Status AddOne(const RowMutations& several) {
    for (const auto& mutation : several.mutations) {
      KLIP_RETURN_IF_ERROR(std::visit([this](const auto& one) { return AddOne(one); }, mutation));
    }
    return {};
  }
  Status AddOne(const CheckAndMutate& check) {
    return std::visit([this](const auto& one) { return AddOne(one); }, check.action);
  }
  Status AddOne(const Put& put) {
    for (size_t i = 0; i < indexes_.size(); ++i) {
      const rowkey::IndexColumn& column = indexes_[i].column();
      for (const Put::Column& cell : put.columns) {
        if (cell.family != column.family || cell.qualifier != column.qualifier) {
          continue;
        }
        std::string key;
        KLIP_RETURN_IF_ERROR(AppendEntryKey(indexes_[i], put.row, cell.value, &key));
        entries_[i].push_back(EntryPut(std::move(key), put.durability));
      }
    }
    return {};
  }

  template <typename One>
  Status CheckNone(const One& mutation, std::string_view what) const {
    for (const ClientIndex& index : indexes_) {
      for (const auto& cell : mutation.columns) {
        if (cell.family == index.column().family && cell.qualifier == index.column().qualifier) {
          return {Code::kUnsupported, index.column().Name() + " of table '" + table_ + "' cannot be " +
                                          std::string(what) + ": on a cluster, clients keep its index '" +
                                          index.definition.descriptor.name +
                                          "', and must know the value beforehand. Use CheckAndMutate with a put"};
        }
      }
    }
    return {};
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

std::string IndexTableOf(std::string_view table, std::string_view index) {
  return std::string(table).append(kIndexTableMark).append(index);
}

Status AppendEntryKey(const ClientIndex& index, std::string_view row, const std::string& value, std::string* key) {
  Cell cell;
  cell.value = value;
  const Cell* const columns[] = {&cell};
  if (rowkey::AppendEntryKey(index.definition, row, columns, key)) {
    return {};
  }
  return {Code::kInvalidArgument, "index '" + index.definition.descriptor.name + "': row '" + ToStringBinary(row) +
                                      "' with " + index.column().Name() + " = '" + ToStringBinary(value) +
                                      "' does not fit " + index.definition.descriptor.ToString()};
}

Put EntryPut(std::string key, Durability durability) {
  const bool stronger = durability == Durability::kFsyncWal;
  Put put = {.row = std::move(key), .durability = stronger ? durability : Durability::kUseDefault};
  return std::move(put).Add(kEntryFamily, "", "", NowMs());
}

Status WriteEntries(Cluster* cluster, const ClientIndex& index, std::span<const Put> entries) {
  return RunAll<Put>(cluster, index.table, entries).status();
}

Expected<ClientIndexList> ClientIndexes::Read(const std::string& table) {
  auto indexes = std::make_shared<std::vector<ClientIndex>>();
  if (!HasNoIndexes(table)) {
    const std::string prefix = IndexTableOf(table, "");
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
      KLIP_ASSIGN_OR_RETURN(rowkey::IndexDefinition definition,
                            DefinitionOf(table, std::string_view(name).substr(prefix.size()), declaration));
      indexes->push_back({.definition = std::move(definition),
                          .building = ValueOf(declaration, "state") != "ready",
                          .table = name,
                          .built_up_to = std::string(ValueOf(declaration, "built_up_to"))});
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
