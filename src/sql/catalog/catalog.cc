#include "sql/catalog/catalog.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "klip/sql.h"
#include "sql/catalog/definition.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kStatementQualifier = "statement";

Status Undefined(const TableName& name) {
  return SqlError(1012, "42M03", "Table undefined. tableName=" + PhysicalName(name));
}

std::string ViewRow(const TableName& name) { return "view:" + PhysicalName(name); }

Expected<TableDefinition> DefinitionOf(std::string_view statement) {
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseStatement(statement));
  const auto* const create = std::get_if<CreateTable>(&parsed.statement);
  if (create == nullptr) {
    return Status(Code::kCorruption, "no definition of a table: " + std::string(statement));
  }
  return Define(*create);
}

// The definition in a descriptor; nullptr: it has none.
Expected<TablePtr> DefinitionIn(const TableDescriptor& descriptor) {
  const auto statement = descriptor.attributes.find(std::string(Catalog::kTableAttribute));
  if (statement == descriptor.attributes.end()) {
    return TablePtr();
  }
  KLIP_ASSIGN_OR_RETURN(TableDefinition table, DefinitionOf(statement->second));
  // A copy or clone has the definition of the table that it was made of, under its own name.
  if (table.physical_name != descriptor.name) {
    const size_t dot = descriptor.name.find('.');
    table.name = dot == std::string::npos ? TableName{"", descriptor.name}
                                          : TableName{descriptor.name.substr(0, dot), descriptor.name.substr(dot + 1)};
    table.physical_name = descriptor.name;
  }
  return std::make_shared<const TableDefinition>(std::move(table));
}

}  // namespace

Expected<TablePtr> Catalog::Find(const TableName& name) {
  TablePtr& known = known_[ToString(name)];
  if (known == nullptr) {
    KLIP_ASSIGN_OR_RETURN(known, Load(name));
  }
  return known;
}

Expected<TablePtr> Catalog::Load(const TableName& name) {
  const Expected<TableDescriptor> descriptor = connection_->admin().GetDescriptor(PhysicalName(name));
  if (descriptor.ok()) {
    KLIP_ASSIGN_OR_RETURN(TablePtr table, DefinitionIn(*descriptor));
    if (table != nullptr) {
      return table;
    }
  } else if (descriptor.status().code() != Code::kTableNotFound) {
    return descriptor.status();
  }
  return LoadView(name);
}

Expected<std::unique_ptr<Table>> Catalog::OpenCatalogTable() { return connection_->GetTable(kCatalogTable); }

Expected<TablePtr> Catalog::LoadView(const TableName& name) {
  Expected<std::unique_ptr<Table>> catalog = OpenCatalogTable();
  if (!catalog.ok()) {
    return catalog.status().code() == Code::kTableNotFound ? Undefined(name) : catalog.status();
  }
  KLIP_ASSIGN_OR_RETURN(const Result row, (*catalog)->Get({.row = ViewRow(name)}));
  const std::optional<std::string_view> statement = row.Value(kCatalogFamily, kStatementQualifier);
  if (!statement.has_value()) {
    return Undefined(name);
  }
  KLIP_ASSIGN_OR_RETURN(TableDefinition view, DefinitionOf(*statement));
  return TablePtr(std::make_shared<const TableDefinition>(std::move(view)));
}

Expected<std::vector<TablePtr>> Catalog::List() {
  std::vector<TablePtr> tables;
  KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> descriptors, connection_->admin().ListTables());
  bool has_catalog = false;
  for (const TableDescriptor& descriptor : descriptors) {
    has_catalog |= descriptor.name == kCatalogTable;
    KLIP_ASSIGN_OR_RETURN(TablePtr table, DefinitionIn(descriptor));
    if (table != nullptr) {
      tables.push_back(std::move(table));
    }
  }
  if (has_catalog) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> views, catalog->Scan(Scan::Prefix("view:")));
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, views->Next(&row));
      if (!more) {
        break;
      }
      const std::optional<std::string_view> statement = row.Value(kCatalogFamily, kStatementQualifier);
      KLIP_ASSIGN_OR_RETURN(TableDefinition view, DefinitionOf(statement.value_or("")));
      tables.push_back(std::make_shared<const TableDefinition>(std::move(view)));
    }
  }
  std::sort(tables.begin(), tables.end(), [](const TablePtr& a, const TablePtr& b) {
    return std::tie(a->name.schema, a->name.name) < std::tie(b->name.schema, b->name.name);
  });
  return tables;
}

Status Catalog::Create(const CreateTable& statement, const std::vector<std::string>& splits) {
  Forget();
  if (const Expected<TablePtr> found = Load(statement.name); found.ok()) {
    return statement.if_not_exists
               ? Status::Ok()
               : SqlError(1013, "42M04", "Table already exists. tableName=" + PhysicalName(statement.name));
  } else if (ErrorOf(found.status()).number != 1012) {
    return found.status();
  }
  KLIP_ASSIGN_OR_RETURN(const TableDefinition table, Define(statement));
  if (statement.view) {
    return CreateView(table);
  }
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, DescriptorOf(table));
  descriptor.attributes[std::string(kTableAttribute)] = ToStatement(table);
  Admin& admin = connection_->admin();
  KLIP_ASSIGN_OR_RETURN(const bool exists, admin.TableExists(table.physical_name));
  if (!exists) {
    return admin.CreateTable(descriptor, splits.empty() ? SaltSplits(table.salt_buckets) : splits);
  }
  // Rows that are there stay; they need their marker to be seen, as in Phoenix.
  KLIP_ASSIGN_OR_RETURN(TableDescriptor there, admin.GetDescriptor(table.physical_name));
  for (const FamilyDescriptor& family : descriptor.families) {
    if (there.Find(family.name) == nullptr) {
      there.families.push_back(family);
    }
  }
  there.attributes[std::string(kTableAttribute)] = ToStatement(table);
  return admin.ModifyTable(there);
}

Status Catalog::CreateView(const TableDefinition& view) {
  Admin& admin = connection_->admin();
  const Expected<TableDescriptor> base = admin.GetDescriptor(view.physical_name);
  if (!base.ok()) {
    return base.status().code() == Code::kTableNotFound ? Undefined(view.name) : base.status();
  }
  for (const TableColumn& column : view.columns) {
    if (column.key_position < 0 && base->Find(column.family) == nullptr) {
      return SqlError(505, "42000",
                      "Table is read only. The table " + view.physical_name + " has no column family " + column.family);
    }
  }
  KLIP_ASSIGN_OR_RETURN(const bool has_catalog, admin.TableExists(kCatalogTable));
  if (!has_catalog) {
    TableDescriptor catalog;
    catalog.name = kCatalogTable;
    catalog.families.emplace_back().name = kCatalogFamily;
    if (const Status made = admin.CreateTable(catalog); !made.ok() && made.code() != Code::kTableExists) {
      return made;
    }
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
  return catalog->Put(Put{.row = ViewRow(view.name)}.Add(std::string(kCatalogFamily), std::string(kStatementQualifier),
                                                         ToStatement(view)));
}

Status Catalog::Drop(const sql::Drop& statement) {
  Forget();
  const Expected<TablePtr> found = Load(statement.name);
  const bool view = statement.what == sql::Drop::What::kView;
  if (!found.ok() || (*found)->view != view) {
    if (!found.ok() && ErrorOf(found.status()).number != 1012) {
      return found.status();
    }
    return statement.if_exists ? Status::Ok() : Undefined(statement.name);
  }
  if (view) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
    return catalog->Delete(klip::Delete{.row = ViewRow(statement.name)});
  }
  Admin& admin = connection_->admin();
  if (const Status disabled = admin.DisableTable((*found)->physical_name);
      !disabled.ok() && disabled.code() != Code::kTableNotEnabled) {
    return disabled;
  }
  return admin.DeleteTable((*found)->physical_name);
}

Status Catalog::Replace(const TableDefinition& table) {
  Forget();
  if (table.view) {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
    return catalog->Put(Put{.row = ViewRow(table.name)}.Add(std::string(kCatalogFamily),
                                                            std::string(kStatementQualifier), ToStatement(table)));
  }
  Admin& admin = connection_->admin();
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, admin.GetDescriptor(table.physical_name));
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor wanted, DescriptorOf(table));
  for (const FamilyDescriptor& family : wanted.families) {
    if (descriptor.Find(family.name) == nullptr) {
      descriptor.families.push_back(family);
    }
  }
  descriptor.attributes[std::string(kTableAttribute)] = ToStatement(table);
  return admin.ModifyTable(descriptor);
}

}  // namespace klip::sql
