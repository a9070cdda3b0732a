// Stores definitions. A table's definition is an attribute of its HBase table, KLIP_SQL, with the text of its CREATE
// TABLE, so it survives snapshots, copies and clones. Views and sequences are rows of the table KLIP_SQL. Tables without
// such a definition may be Phoenix's (phoenix_catalog.h).
// The catalog of a tenant also has the tenant's own views (tenant.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "klip/index.h"
#include "sql/catalog/table_definition.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// A table or view, and its indexes.
struct ListedTable {
  TablePtr table;
  std::vector<IndexInfo> indexes;
};

// The indexes that the store keeps itself for a table.
struct OwnIndexes {
  TableDescriptor table;
  std::vector<IndexInfo> all;  // by name
};

class Catalog {
 public:
  static constexpr std::string_view kTableAttribute = "KLIP_SQL";
  static constexpr std::string_view kCatalogTable = "KLIP_SQL";  // of views and sequences
  static constexpr std::string_view kCatalogFamily = "d";

  // `connection` must outlive it. `tenant`: empty: none.
  explicit Catalog(Connection* connection, std::string tenant = {})
      : connection_(connection), tenant_(std::move(tenant)) {}

  // The current definition, even if another session changed it. Errors: 1012 (42M03), no such table.
  Expected<TablePtr> Find(const TableName& name);

  // All tables and views, by name, except views whose table is gone or has changed so that they are invalid.
  Expected<std::vector<TablePtr>> List();
  // The same with the schema SYSTEM, and with the indexes of all.
  Expected<std::vector<ListedTable>> ListAll();

  // Empty on a cluster, and for a view.
  std::vector<IndexInfo> IndexesOf(const TableDefinition& table);

  // As ListIndexes, without those of a cluster, for which it would ask the cluster, and without counts of skipped rows.
  // Not null. Each execution of a scan asks, so declarations are parsed only when the table's descriptor has changed.
  std::shared_ptr<const OwnIndexes> OwnIndexesOf(const TableDefinition& table);

  // Creates the table or view. An HBase table without a definition gets this one. Errors: 1013 (42M04), it exists,
  // without if_not_exists; 1030 (42Y89), a table of a tenant; 1040 (42Y96), a MULTI_TENANT table without a column for the
  // tenant.
  Status Create(const CreateTable& statement, const std::vector<std::string>& splits);

  // Views whose table is gone or has changed can be dropped too. Errors: 1012, also for what does not belong to the tenant;
  // 1010 (42M01), it has views, and the statement is without CASCADE.
  Status Drop(const sql::Drop& statement);

  // Adds and drops columns, sets properties. A table's dropped columns lose their cells and indexes (dropped_columns.h).
  // Returns the columns of a view that were dropped, and that neither its table nor another view has: their cells are
  // left, and belong to nobody. Errors: 1012, 504, 514, 506 (42817): a column of the key; 1010 (42M01): a view prevents
  // it, or the base of a view has a column of the name with another type; 1132 (XCL32): the view's condition uses it.
  Expected<std::vector<TableColumn>> Alter(const AlterTable& statement);

  // Whether the table may have the index. Errors: kUnsupported: on a column of the key, to which a view adds columns.
  Status CheckIndex(const TableDefinition& table, const CreateIndex& index);

  // Creates the table KLIP_SQL if it does not exist.
  static Status CreateCatalogTable(Connection* connection);

 private:
  Expected<TablePtr> Load(const TableName& name);
  // What the tenant may drop and change.
  Expected<TablePtr> LoadOwn(const TableName& name);
  Expected<TablePtr> DefinitionIn(const TableDescriptor& descriptor);
  Expected<TablePtr> LoadAnyCase(const TableName& name);
  Expected<TablePtr> ViewOf(std::string_view statement);
  Expected<TableDefinition> DefineSelect(const CreateTable& view);
  Status CreateSelect(const CreateTable& view);
  Status CheckLongerKey(const TableDefinition& view);
  Status CheckSameKey(const TableDefinition& table);
  Expected<TablePtr> LoadView(const std::string& row, const TableName& name);
  Expected<std::vector<TablePtr>> ListViews(const std::string& tenant);
  Expected<std::set<std::string>> Tenants();
  Expected<std::vector<TablePtr>> AllViews();
  Expected<TablePtr> LoadPhoenix(const TableName& name);
  Expected<std::unique_ptr<Table>> OpenCatalogTable();
  Expected<std::unique_ptr<Table>> FindCatalogTable();
  // Those of the catalog's table, if it exists.
  Status ForEachRow(const std::string& prefix, const std::function<Status(const Result& row)>& take);
  Status Replace(const TableDefinition& before, const TableDefinition& table);
  Status CreateView(const TableDefinition& view);
  Status DeleteView(const TableDefinition& view);
  Expected<bool> DeleteInvalidView(const TableName& name);
  // The views AS SELECT on top of it, those of tenants too, each after its base.
  Expected<std::vector<TablePtr>> ViewsOn(const TableName& name);
  Expected<std::vector<TableColumn>> AlterView(const std::vector<TableColumn>& removed, TableDefinition view);
  Expected<bool> IsShared(const TableDefinition& view, const TableColumn& dropped);
  Status CheckViewsOn(const TableDefinition& table, const AlterTable& change);
  Status PutView(const TableDefinition& view);

  // The result of parsing a statement's text, which is parsed once.
  struct Known {
    std::string statement;
    TablePtr table;
  };

  Connection* connection_;
  std::string tenant_;
  // By the name of HBase's table.
  std::map<std::string, Known> known_;
  std::map<std::string, std::shared_ptr<const OwnIndexes>> known_indexes_;
  int views_ = 0;  // being read, each for the one on top of it
};

}  // namespace klip::sql
