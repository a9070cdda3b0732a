#include "crash/crash_state.h"

#include <set>

#include "klip/bytes.h"
#include "klip/index.h"

namespace klip::crash {
namespace {

Status Torn(std::string what) { return {Code::kCorruption, std::move(what)}; }

std::string Describe(const Result& row) {
  std::string out = std::string(row.row());
  for (const Cell& cell : row) {
    out += " " + std::string(cell.family) + ":" + std::string(cell.qualifier) + "=" + ToStringBinary(cell.value);
  }
  return out;
}

Status AddCounter(const Result& row, Items* items) {
  const auto f = row.Value("f", "n");
  const auto g = row.Value("g", "n");
  if (!f.has_value() || !g.has_value() || *f != *g || f->size() != 8) {
    return Torn("counters differ: " + Describe(row));
  }
  (*items)["cnt:" + std::string(row.row().substr(3))] = std::to_string(ReadBigEndian<uint64_t>(f->data()));
  return {};
}

Status AddTriple(const Result& row, Items* items) {
  const auto a = row.Value("f", "a");
  if (row.size() != 3 || !a.has_value() || row.Value("f", "b") != a || row.Value("g", "a") != a) {
    return Torn("torn row: " + Describe(row));
  }
  (*items)[std::string(row.row().substr(0, 3)) + ":" + std::string(row.row().substr(3))] = *a;
  return {};
}

Status ReadBase(Connection* connection, Items* items) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> table, connection->GetTable("base"));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table->Scan({}));
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      return {};
    }
    const std::string kind(row.row().substr(0, 3));
    if (kind == "cnt") {
      KLIP_RETURN_IF_ERROR(AddCounter(row, items));
    } else if (kind == "app") {
      (*items)["app:" + std::string(row.row().substr(3))] = std::to_string(row.Value("f", "s").value_or("").size());
    } else if (kind == "idx") {
      (*items)["idx:" + std::string(row.row().substr(3))] = row.Value("f", "k").value_or("-");
    } else {
      KLIP_RETURN_IF_ERROR(AddTriple(row, items));
    }
  }
}

Status CheckIndex(Connection* connection, const Items& items) {
  std::set<std::string> wanted;
  for (const auto& [item, value] : items) {
    if (item.starts_with("idx:")) {
      wanted.insert(value + "_idx" + item.substr(4));
    }
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> table, connection->GetTable("index"));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table->Scan({}));
  std::set<std::string> found;
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    found.insert(std::string(row.row()));
  }
  if (found != wanted) {
    return Torn("base and index do not match: " + std::to_string(wanted.size()) + " rows wanted, " +
                std::to_string(found.size()) + " found");
  }
  return {};
}

// What one account gains, another one loses.
Status CheckBank(Connection* connection) {
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> table, connection->GetTable("bank"));
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<ResultScanner> scanner, table->Scan({}));
  uint64_t sum = 0;
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    sum += ReadBigEndian<uint64_t>(row.Value("f", "n").value_or(std::string(8, '\0')).data());
  }
  return sum == 0 ? Status() : Torn("a transfer was torn: the accounts' sum is " + std::to_string(sum));
}

// Secondary indexes of "base": none has an entry too many or too few, whatever was written to the rows.
Status VerifyIndexes(Connection* connection) {
  KLIP_ASSIGN_OR_RETURN(IndexAdmin* const indexes, connection->admin().indexes());
  KLIP_ASSIGN_OR_RETURN(const std::vector<IndexInfo> all, indexes->ListIndexes("base"));
  for (const IndexInfo& info : all) {
    if (info.building) {
      KLIP_RETURN_IF_ERROR(indexes->CreateIndex("base", info.index));
    }
    KLIP_ASSIGN_OR_RETURN(const IndexCheck check, indexes->VerifyIndex("base", info.index.name));
    if (!check.ok()) {
      return Torn("index '" + info.index.name + "' differs: " + check.differences.front());
    }
  }
  return {};
}

}  // namespace

Status CreateTables(Connection* connection) {
  KLIP_ASSIGN_OR_RETURN(bool base, connection->admin().TableExists("base"));
  if (!base) {
    KLIP_RETURN_IF_ERROR(connection->admin().CreateTable({.name = "base",
                                                          .families = {{.name = "f"}, {.name = "g"}},
                                                          .attributes = {{"KLIP_INDEX$a", "f:a text INCLUDE g:a"},
                                                                         {"KLIP_INDEX$k", "f:k text"},
                                                                         {"KLIP_INDEX$n", "f:n i64, g:n i64 desc"}}}));
  }
  KLIP_ASSIGN_OR_RETURN(bool index, connection->admin().TableExists("index"));
  if (!index) {
    KLIP_RETURN_IF_ERROR(connection->admin().CreateTable({.name = "index", .families = {{.name = "i"}}}));
  }
  KLIP_ASSIGN_OR_RETURN(bool bank, connection->admin().TableExists("bank"));
  if (!bank) {
    KLIP_RETURN_IF_ERROR(connection->admin().CreateTable({.name = "bank", .families = {{.name = "f"}}}));
  }
  return {};
}

Expected<Items> ReadItems(Connection* connection) {
  Items items;
  KLIP_RETURN_IF_ERROR(ReadBase(connection, &items));
  KLIP_RETURN_IF_ERROR(CheckIndex(connection, items));
  KLIP_RETURN_IF_ERROR(CheckBank(connection));
  KLIP_RETURN_IF_ERROR(VerifyIndexes(connection));
  KLIP_ASSIGN_OR_RETURN(std::vector<TableDescriptor> tables, connection->admin().ListTables());
  for (const TableDescriptor& table : tables) {
    if (table.name.starts_with("ddl")) {
      items["tab:" + table.name.substr(3)] = "yes";
    }
  }
  return items;
}

}  // namespace klip::crash
