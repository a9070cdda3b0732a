#include "sweep/state.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "klip/bytes.h"
#include "klip/index.h"
#include "ops/store_session.h"

namespace klip::sweep {
namespace {

class Reader {
 public:
  Reader(Connection& connection, bool all) : connection_(connection), admin_(connection.admin()), all_(all) {}

  Expected<State> Run() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<NamespaceDescriptor> spaces, admin_.ListNamespaces());
    for (const NamespaceDescriptor& space : spaces) {
      lines_.push_back("namespace " + space.name);
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> tables, admin_.ListTables());
    for (const TableDescriptor& table : tables) {
      if (table.name != kProbeTable) {
        KLIP_RETURN_IF_ERROR(AddTable(table.name));
      }
    }
    KLIP_RETURN_IF_ERROR(AddSnapshots());
    std::ranges::sort(lines_);
    return std::move(lines_);
  }

 private:
  Status AddTable(const std::string& name) {
    KLIP_ASSIGN_OR_RETURN(bool enabled, admin_.IsTableEnabled(name));
    lines_.push_back("table " + name + (enabled ? " enabled" : " disabled"));
    if (!enabled && all_) {
      KLIP_RETURN_IF_ERROR(admin_.EnableTable(name));
      enabled = true;
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, admin_.GetRegions(name));
    for (const RegionInfo& region : regions) {
      lines_.push_back("region " + name + " " + ToStringBinary(region.start_key) + ".." +
                       ToStringBinary(region.end_key));
    }
    if (enabled) {
      KLIP_RETURN_IF_ERROR(AddIndexes(name));
      KLIP_RETURN_IF_ERROR(AddRows(name, "row " + name));
    }
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor table, admin_.GetDescriptor(name));  // an index may be complete by now
    for (const auto& [key, value] : table.attributes) {
      lines_.push_back("attribute " + name + " " + key + "=" + value);
    }
    for (const FamilyDescriptor& family : table.families) {
      lines_.push_back("family " + name + " " + ops::FormatFamily(family));
    }
    return {};
  }

  Status AddRows(const std::string& name, const std::string& prefix) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> table, connection_.GetTable(name));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, table->Scan({.max_versions = kAllVersions}));
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
      if (!more) {
        return {};
      }
      std::string line = prefix + " " + ToStringBinary(row.row());
      for (const Cell& cell : row) {
        line += " " + std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "=" +
                (cell.value.size() > 40 ? std::to_string(std::hash<std::string_view>()(cell.value))
                                        : ToStringBinary(cell.value));
      }
      lines_.push_back(std::move(line));
    }
  }

  Status AddIndexes(const std::string& table) {
    const Expected<IndexAdmin*> indexes = admin_.indexes();
    if (!all_ || !indexes.ok()) {
      return {};
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, (*indexes)->ListIndexes(table));
    for (const IndexInfo& info : all) {
      if (info.building) {
        KLIP_RETURN_IF_ERROR((*indexes)->CreateIndex(table, info.index));
      }
      KLIP_ASSIGN_OR_RETURN(const IndexCheck check, (*indexes)->VerifyIndex(table, info.index.name));
      lines_.push_back("index " + table + " " + info.index.name +
                       (check.ok() ? " agrees" : " differs: " + check.differences.front()));
    }
    return {};
  }

  Status AddSnapshots() {
    KLIP_ASSIGN_OR_RETURN(const std::vector<SnapshotInfo> snapshots, admin_.ListSnapshots());
    for (const SnapshotInfo& snapshot : snapshots) {
      lines_.push_back("snapshot " + snapshot.name + " of " + snapshot.table);
      if (all_) {
        const std::string clone = "clone_of_" + snapshot.name;
        KLIP_RETURN_IF_ERROR(admin_.CloneSnapshot(snapshot.name, clone));
        KLIP_RETURN_IF_ERROR(AddRows(clone, "snapshot " + snapshot.name));
      }
    }
    return {};
  }

  Connection& connection_;
  Admin& admin_;
  const bool all_;
  State lines_;
};

}  // namespace

Expected<State> ReadState(Connection& connection) { return Reader(connection, /*all=*/false).Run(); }
Expected<State> ReadAll(Connection& connection) { return Reader(connection, /*all=*/true).Run(); }

std::string Difference(const State& wanted, const State& found) {
  State missing;
  State surplus;
  std::ranges::set_difference(wanted, found, std::back_inserter(missing));
  std::ranges::set_difference(found, wanted, std::back_inserter(surplus));
  std::string out;
  for (const std::string& line : missing) {
    out += "- " + line + "\n";
  }
  for (const std::string& line : surplus) {
    out += "+ " + line + "\n";
  }
  return out;
}

bool IsBetween(const State& before, const State& after, const State& found) {
  State common;
  State either;
  std::ranges::set_intersection(before, after, std::back_inserter(common));
  std::ranges::set_union(before, after, std::back_inserter(either));
  return std::ranges::includes(found, common) && std::ranges::includes(either, found);
}

}  // namespace klip::sweep
