#include "sql/catalog/catalog.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <tuple>
#include <utility>
#include <variant>

#include "base/while_disabled.h"
#include "klip/sql.h"
#include "sql/catalog/column_encoding.h"
#include "sql/catalog/definition.h"
#include "sql/catalog/dropped_columns.h"
#include "sql/catalog/phoenix_catalog.h"
#include "sql/catalog/select_view.h"
#include "sql/catalog/system_tables.h"
#include "sql/catalog/tenant.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kStatementQualifier = "statement";

Status Undefined(const TableName& name) {
  return SqlError(1012, "42M03", "Table undefined. tableName=" + PhysicalName(name));
}

std::string ViewRow(const std::string& tenant, const TableName& name) {
  return TenantPrefix(tenant) + "view:" + PhysicalName(name);
}

Expected<Parsed> ParseDefinition(std::string_view statement) {
  KLIP_ASSIGN_OR_RETURN(Parsed parsed, ParseStatement(statement));
  if (!std::holds_alternative<CreateTable>(parsed.statement)) {
    return Status(Code::kCorruption, "not the definition of a table: " + std::string(statement));
  }
  return parsed;
}

Status HasViews(const TableDefinition& table, const std::vector<TablePtr>& views, const std::string& why) {
  std::string names;
  for (const TablePtr& view : views) {
    names += (names.empty() ? "" : ", ") + ToString(view->name);
  }
  return SqlError(1010, "42M01",
                  "Not allowed to mutate table. tableName=" + PhysicalName(table.name) + " has the view" +
                      (views.size() == 1 ? " " : "s ") + names + ": " + why);
}

// Whether a view cannot be used: its table is gone, has changed, or is not for the tenant. False: it cannot be read now.
bool IsInvalid(const Status& status) {
  return status.code() == Code::kTableNotFound || status.code() == Code::kUnsupported || ErrorOf(status).number != 0;
}

bool HasColumn(const TableDefinition& table, const std::string& family, const std::string& name) {
  return std::ranges::any_of(table.columns, [&](const TableColumn& column) {
    return column.key_position < 0 && column.family == family && column.name == name;
  });
}

// The columns that ALTER removes.
std::vector<TableColumn> Removed(const TableDefinition& before, const TableDefinition& after) {
  std::vector<TableColumn> removed;
  std::ranges::copy_if(before.columns, std::back_inserter(removed), [&](const TableColumn& column) {
    return column.key_position < 0 && !HasColumn(after, column.family, column.name);
  });
  return removed;
}

// Errors: 514, a declared column is the base's; 504, a named one is not. Later, the base may get and lose columns.
Status CheckNames(const TableDefinition& base, const CreateTable& view) {
  for (const ColumnDefinition& declared : view.columns) {
    const std::string& family = declared.family.empty() ? base.default_family : declared.family;
    if (HasColumn(base, family, declared.name)) {
      return SqlError(514, "42892",
                      "A duplicate column name was detected in the object definition or ALTER TABLE/VIEW statement. "
                      "columnName=" +
                          view.name.name + "." + declared.name);
    }
  }
  for (const SelectItem& item : view.as->items) {
    const Expression& named = *item.expression;
    const bool found = std::ranges::any_of(base.columns, [&](const TableColumn& column) {
      return column.name == named.name && (named.qualifier.empty() || named.qualifier == column.family);
    });
    if (named.kind == Expression::Kind::kColumn && !found) {
      return SqlError(504, "42703", "Undefined column. columnName=" + base.name.name + "." + named.name);
    }
  }
  return Status::Ok();
}

bool DeclaresKey(const CreateTable& statement) {
  return !statement.key.empty() || std::any_of(statement.columns.begin(), statement.columns.end(),
                                               [](const ColumnDefinition& column) { return column.primary_key; });
}

}  // namespace

// The definition in a descriptor; nullptr: none.
Expected<TablePtr> Catalog::DefinitionIn(const TableDescriptor& descriptor) {
  const auto statement = descriptor.attributes.find(std::string(kTableAttribute));
  if (statement == descriptor.attributes.end()) {
    return TablePtr();
  }
  Known& known = known_[descriptor.name];
  if (known.table != nullptr && known.statement == statement->second) {
    return known.table;
  }
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseDefinition(statement->second));
  KLIP_ASSIGN_OR_RETURN(TableDefinition table, Define(std::get<CreateTable>(parsed.statement)));
  // A copy or clone has the definition of its source table, under its own name.
  if (table.physical_name != descriptor.name) {
    const size_t dot = descriptor.name.find('.');
    table.name = dot == std::string::npos ? TableName{"", descriptor.name}
                                          : TableName{descriptor.name.substr(0, dot), descriptor.name.substr(dot + 1)};
    table.physical_name = descriptor.name;
  }
  KLIP_ASSIGN_OR_RETURN(TablePtr seen,
                        TableOfTenant(std::make_shared<const TableDefinition>(std::move(table)), tenant_));
  known = {statement->second, std::move(seen)};
  return known.table;
}

Expected<TablePtr> Catalog::Find(const TableName& name) { return LoadAnyCase(name); }

// Views precede tables without a definition, whose keys may still have a schema.
Expected<TablePtr> Catalog::Load(const TableName& name) {
  if (TablePtr system = FindSystemTable(name); system != nullptr) {
    return system;
  }
  if (!tenant_.empty()) {
    Expected<TablePtr> own = LoadOwn(name);
    if (own.ok() || ErrorOf(own.status()).number != 1012) {
      return own;
    }
  }
  const Expected<TableDescriptor> descriptor = connection_->admin().GetDescriptor(PhysicalName(name));
  if (descriptor.ok()) {
    KLIP_ASSIGN_OR_RETURN(TablePtr table, DefinitionIn(*descriptor));
    if (table != nullptr) {
      return table;
    }
  } else if (descriptor.status().code() != Code::kTableNotFound) {
    return descriptor.status();
  }
  Expected<TablePtr> view = LoadView(ViewRow({}, name), name);
  if (view.ok() || ErrorOf(view.status()).number != 1012) {
    return view;
  }
  Expected<TablePtr> phoenix = LoadPhoenix(name);
  if (phoenix.ok() || ErrorOf(phoenix.status()).number != 1012) {
    return phoenix;
  }
  if (descriptor.ok() && descriptor->attributes.contains(std::string(RowKeySchema::kTableAttribute))) {
    KLIP_ASSIGN_OR_RETURN(TableDefinition table, DefineBySchema(name, *descriptor, {}));
    table.read_only = true;
    return TablePtr(std::make_shared<const TableDefinition>(std::move(table)));
  }
  return view;
}

Expected<TablePtr> Catalog::LoadOwn(const TableName& name) {
  if (tenant_.empty()) {
    return Load(name);
  }
  KLIP_ASSIGN_OR_RETURN(const TablePtr view, LoadView(ViewRow(tenant_, name), name));
  auto own = std::make_shared<TableDefinition>(*view);
  own->tenant = tenant_;
  return TablePtr(std::move(own));
}

// A Phoenix view has the columns of its base and its own.
Expected<TablePtr> Catalog::LoadPhoenix(const TableName& name) {
  KLIP_ASSIGN_OR_RETURN(std::optional<PhoenixTable> found, ReadPhoenixTable(connection_, tenant_, name));
  if (!found.has_value()) {
    return Undefined(name);
  }
  if (found->select.empty()) {
    return TableOfTenant(std::make_shared<const TableDefinition>(std::move(found->table)), tenant_);
  }
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseDefinition("CREATE VIEW " + ToString(name) + " AS " + found->select));
  const auto& create = std::get<CreateTable>(parsed.statement);
  if (found->base.has_value()) {
    create.as->from->table = *found->base;
  }
  KLIP_ASSIGN_OR_RETURN(const TableDefinition view, DefineSelect(create));
  return TablePtr(std::make_shared<const TableDefinition>(ViewOver(view, *std::move(found))));
}

// HBase's names are often in lower case, while SQL converts names to upper case.
Expected<TablePtr> Catalog::LoadAnyCase(const TableName& name) {
  Expected<TablePtr> table = Load(name);
  if (table.ok() || ErrorOf(table.status()).number != 1012) {
    return table;
  }
  TableName lower = name;
  for (std::string* const part : {&lower.schema, &lower.name}) {
    std::transform(part->begin(), part->end(), part->begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  const bool only_upper = ToString(name).find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
  if (!only_upper || lower == name) {
    return table;
  }
  Expected<TablePtr> found = Load(lower);
  return found.ok() ? found : table;
}

Expected<TablePtr> Catalog::ViewOf(std::string_view statement) {
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseDefinition(statement));
  const auto& create = std::get<CreateTable>(parsed.statement);
  if (create.as != nullptr) {
    KLIP_ASSIGN_OR_RETURN(TableDefinition view, DefineSelect(create));
    return TablePtr(std::make_shared<const TableDefinition>(std::move(view)));
  }
  if (DeclaresKey(create)) {
    KLIP_ASSIGN_OR_RETURN(TableDefinition view, Define(create));
    return TableOfTenant(std::make_shared<const TableDefinition>(std::move(view)), tenant_);
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor base, connection_->admin().GetDescriptor(PhysicalName(create.name)));
  KLIP_ASSIGN_OR_RETURN(TableDefinition view, DefineBySchema(create.name, base, create.columns));
  view.read_only = true;
  return TablePtr(std::make_shared<const TableDefinition>(std::move(view)));
}

Expected<std::unique_ptr<Table>> Catalog::OpenCatalogTable() { return connection_->GetTable(kCatalogTable); }

// Null: it does not exist, as nothing has been stored in it.
Expected<std::unique_ptr<Table>> Catalog::FindCatalogTable() {
  Expected<std::unique_ptr<Table>> catalog = OpenCatalogTable();
  return !catalog.ok() && catalog.status().code() == Code::kTableNotFound ? Expected(std::unique_ptr<Table>())
                                                                          : std::move(catalog);
}

Status Catalog::ForEachRow(const std::string& prefix, const std::function<Status(const Result& row)>& take) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, FindCatalogTable());
  if (catalog == nullptr) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> rows, catalog->Scan(Scan::Prefix(prefix)));
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (!more) {
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(take(row));
  }
}

Expected<TablePtr> Catalog::LoadView(const std::string& row_key, const TableName& name) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, FindCatalogTable());
  if (catalog == nullptr) {
    return Undefined(name);
  }
  KLIP_ASSIGN_OR_RETURN(const Result row, catalog->Get({.row = row_key}));
  const std::optional<std::string_view> statement = row.Value(kCatalogFamily, kStatementQualifier);
  if (!statement.has_value()) {
    return Undefined(name);
  }
  return ViewOf(*statement);
}

Expected<std::vector<TablePtr>> Catalog::List() {
  std::vector<TablePtr> tables;
  KLIP_ASSIGN_OR_RETURN(const std::vector<TableDescriptor> descriptors, connection_->admin().ListTables());
  for (const TableDescriptor& descriptor : descriptors) {
    Expected<TablePtr> table = DefinitionIn(descriptor);
    if (ErrorOf(table.status()).number == 1041) {
      continue;  // it is not for this tenant
    }
    KLIP_RETURN_IF_ERROR(table.status());
    if (*table != nullptr) {
      tables.push_back(*std::move(table));
    }
  }
  std::set<std::string> owners = {{}, tenant_};
  for (const std::string& owner : owners) {
    KLIP_ASSIGN_OR_RETURN(std::vector<TablePtr> views, ListViews(owner));
    std::ranges::move(views, std::back_inserter(tables));
  }
  std::sort(tables.begin(), tables.end(), [](const TablePtr& a, const TablePtr& b) {
    return std::tie(a->name.schema, a->name.name) < std::tie(b->name.schema, b->name.name);
  });
  return tables;
}

// `tenant`: empty, or that of this catalog.
Expected<std::vector<TablePtr>> Catalog::ListViews(const std::string& tenant) {
  std::vector<TablePtr> found;
  KLIP_RETURN_IF_ERROR(ForEachRow(TenantPrefix(tenant) + "view:", [&](const Result& row) -> Status {
    const std::optional<std::string_view> statement = row.Value(kCatalogFamily, kStatementQualifier);
    const Expected<TablePtr> view = ViewOf(statement.value_or(""));
    if (!view.ok()) {
      return IsInvalid(view.status()) ? Status::Ok() : view.status();
    }
    auto owned = std::make_shared<TableDefinition>(**view);
    owned->tenant = tenant;
    found.push_back(std::move(owned));
    return Status::Ok();
  }));
  return found;
}

Expected<std::set<std::string>> Catalog::Tenants() {
  std::set<std::string> tenants;
  KLIP_RETURN_IF_ERROR(ForEachRow(std::string(kTenantPrefix), [&](const Result& row) {
    const std::string_view rest = row.row().substr(kTenantPrefix.size());
    tenants.emplace(rest.substr(0, rest.find('\0')));
    return Status::Ok();
  }));
  return tenants;
}

Expected<std::vector<ListedTable>> Catalog::ListAll() {
  std::vector<ListedTable> listed;
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> tables, List());
  const Expected<IndexAdmin*> indexes = connection_->admin().indexes();
  for (const TablePtr& table : tables) {
    listed.push_back({table, {}});
    if (indexes.ok() && !table->view) {
      KLIP_ASSIGN_OR_RETURN(listed.back().indexes, (*indexes)->ListIndexes(table->physical_name));
    }
  }
  for (const TablePtr& table : SystemTables()) {
    listed.push_back({table, {}});
  }
  return listed;
}

namespace {

std::vector<IndexInfo> DeclaredIndexes(const std::map<std::string, std::string>& attributes) {
  std::vector<IndexInfo> indexes;
  constexpr std::string_view kDeclaration = IndexDescriptor::kTableAttribute;
  for (auto at = attributes.lower_bound(std::string(kDeclaration));
       at != attributes.end() && at->first.starts_with(kDeclaration); ++at) {
    const std::string name = at->first.substr(kDeclaration.size());
    const auto is = [&](std::string_view state) { return attributes.contains(std::string(state) + name); };
    if (Expected<IndexDescriptor> index = IndexDescriptor::Parse(name, at->second); index.ok()) {
      indexes.push_back({.index = *std::move(index),
                         .building = is(IndexDescriptor::kBuildingAttribute),
                         .unusable = is(IndexDescriptor::kUnusableAttribute)});
    }
  }
  return indexes;
}

}  // namespace

std::shared_ptr<const OwnIndexes> Catalog::OwnIndexesOf(const TableDefinition& table) {
  static const auto kNone = std::make_shared<const OwnIndexes>();
  const Expected<IndexAdmin*> admin = connection_->admin().indexes();
  if (!admin.ok() || (*admin)->kept_by_clients()) {
    return kNone;
  }
  Expected<TableDescriptor> descriptor = connection_->admin().GetDescriptor(table.physical_name);
  if (!descriptor.ok()) {
    return kNone;
  }
  std::shared_ptr<const OwnIndexes>& known = known_indexes_[table.physical_name];
  if (known == nullptr || known->table != *descriptor) {
    std::vector<IndexInfo> all = DeclaredIndexes(descriptor->attributes);
    known = std::make_shared<const OwnIndexes>(OwnIndexes{.table = *std::move(descriptor), .all = std::move(all)});
  }
  return known;
}

std::vector<IndexInfo> Catalog::IndexesOf(const TableDefinition& table) {
  const Expected<IndexAdmin*> indexes = connection_->admin().indexes();
  Expected<std::vector<IndexInfo>> known =
      indexes.ok() ? (*indexes)->ListIndexes(table.physical_name) : Expected<std::vector<IndexInfo>>(indexes.status());
  return known.ok() ? *std::move(known) : std::vector<IndexInfo>();
}

Status Catalog::Create(const CreateTable& statement, const std::vector<std::string>& splits) {
  const bool only_cells = statement.view && statement.as == nullptr && !DeclaresKey(statement);
  const Expected<TablePtr> found = only_cells ? LoadAnyCase(statement.name) : Load(statement.name);
  // A table without a definition may get a view with its name; one AS SELECT would hide the table that it selects from.
  const bool replaceable =
      found.ok() && statement.view && statement.as == nullptr &&
      ((*found)->of_phoenix || ((*found)->schema.has_value() && (*found)->columns.size() == (*found)->key_columns));
  if (found.ok() && !replaceable) {
    return statement.if_not_exists
               ? Status::Ok()
               : SqlError(1013, "42M04", "Table already exists. tableName=" + PhysicalName(statement.name));
  }
  if (!found.ok() && ErrorOf(found.status()).number != 1012) {
    return found.status();
  }
  KLIP_RETURN_IF_ERROR(CheckDeclared(statement.name, statement.columns));
  if (statement.as != nullptr) {
    return CreateSelect(statement);
  }
  if (!tenant_.empty()) {
    return SqlError(1030, "42Y89", "Cannot create table for tenant-specific connection. Create a view AS SELECT.");
  }
  if (only_cells) {
    if (!found.ok()) {
      return SqlError(1012, "42M03",
                      "Table undefined. tableName=" + PhysicalName(statement.name) +
                          ": a view without a primary key has the name of its table, which has a row-key schema");
    }
    KLIP_ASSIGN_OR_RETURN(const TableDescriptor base, connection_->admin().GetDescriptor((*found)->physical_name));
    KLIP_ASSIGN_OR_RETURN(const TableDefinition view, DefineBySchema((*found)->name, base, statement.columns));
    return CreateView(view);
  }
  KLIP_ASSIGN_OR_RETURN(TableDefinition table, Define(statement));
  KLIP_RETURN_IF_ERROR(CheckTenantColumn(table));
  for (const Property& property : statement.properties) {
    const bool used = std::ranges::find(table.columns, property.family, &TableColumn::family) != table.columns.end();
    if (!property.family.empty() && !used) {
      return SqlError(1002, "42I02",
                      "Properties may not be defined for an unused family name. familyName=" + property.family);
    }
  }
  if (statement.view) {
    return CreateView(table);
  }
  Admin& admin = connection_->admin();
  KLIP_ASSIGN_OR_RETURN(const bool exists, admin.TableExists(table.physical_name));
  if (!exists) {  // the cells of existing rows have names
    KLIP_RETURN_IF_ERROR(BeginNumbering(&table));
  }
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, DescriptorOf(table));
  descriptor.attributes[std::string(kTableAttribute)] = ToStatement(table);
  if (!exists) {
    return admin.CreateTable(descriptor, splits.empty() ? SaltSplits(table.salt_buckets) : splits);
  }
  // Existing rows stay; as in Phoenix, they are visible only with a marker cell.
  KLIP_ASSIGN_OR_RETURN(TableDescriptor there, admin.GetDescriptor(table.physical_name));
  for (const FamilyDescriptor& family : descriptor.families) {
    if (there.Find(family.name) == nullptr) {
      there.families.push_back(family);
    }
  }
  there.attributes[std::string(kTableAttribute)] = ToStatement(table);
  return admin.ModifyTable(there);
}

Status Catalog::CreateCatalogTable(Connection* connection) {
  Admin& admin = connection->admin();
  KLIP_ASSIGN_OR_RETURN(const bool exists, admin.TableExists(kCatalogTable));
  if (exists) {
    return Status::Ok();
  }
  TableDescriptor catalog;
  catalog.name = kCatalogTable;
  catalog.families.emplace_back().name = kCatalogFamily;
  const Status made = admin.CreateTable(catalog);
  return made.code() == Code::kTableExists ? Status::Ok() : made;
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
  return PutView(view);
}

Status Catalog::PutView(const TableDefinition& view) {
  KLIP_RETURN_IF_ERROR(CreateCatalogTable(connection_));
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
  return catalog->Put(Put{.row = ViewRow(tenant_, view.name)}.Add(std::string(kCatalogFamily),
                                                                  std::string(kStatementQualifier), ToStatement(view)));
}

Expected<TableDefinition> Catalog::DefineSelect(const CreateTable& view) {
  constexpr int kMostViews = 32;  // on top of each other
  if (views_ == kMostViews) {
    return Status(Code::kUnsupported, "SQL: more than 32 views on top of each other: " + ToString(view.name));
  }
  ++views_;
  const Expected<TablePtr> base = LoadAnyCase(view.as->from->table);
  --views_;
  KLIP_RETURN_IF_ERROR(base.status());
  return DefineSelectView(**base, view);
}

Status Catalog::CreateSelect(const CreateTable& view) {
  KLIP_ASSIGN_OR_RETURN(const TableDefinition table, DefineSelect(view));
  KLIP_ASSIGN_OR_RETURN(const TablePtr base, LoadAnyCase(view.as->from->table));
  KLIP_RETURN_IF_ERROR(CheckNames(*base, view));
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor physical, connection_->admin().GetDescriptor(table.physical_name));
  for (const TableColumn& column : table.columns) {
    if (column.key_position < 0 && physical.Find(column.family) == nullptr) {
      return SqlError(1001, "42I01", "Undefined column family. familyName=" + column.family);
    }
  }
  if (table.own_key_columns > 0) {
    KLIP_RETURN_IF_ERROR(CheckLongerKey(table));
  }
  return PutView(table);
}

// Entries of indexes on columns of the key need the key that the table has.
Status Catalog::CheckLongerKey(const TableDefinition& view) {
  for (const IndexInfo& info : IndexesOf(view)) {
    const bool of_key =
        std::ranges::any_of(info.index.fields, [](const IndexField& field) { return !field.key_field.empty(); });
    if (of_key) {
      return Status(Code::kUnsupported, "SQL: the view " + ToString(view.name) +
                                            " adds columns to the key, of which the table has the index " +
                                            info.index.name);
    }
  }
  return Status::Ok();
}

// Errors: something reads the rows of the table by the key that it has.
Status Catalog::CheckSameKey(const TableDefinition& table) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> views, ViewsOn(table.name));
  for (const TablePtr& view : views) {
    if (view->own_key_columns > 0) {
      return HasViews(table, {view}, "it adds columns to the key");
    }
  }
  for (const IndexInfo& info : IndexesOf(table)) {
    if (!info.index.sql_table.empty()) {
      return Status(Code::kUnsupported, "SQL: ALTER TABLE ADD of a column of the primary key: the index " +
                                            info.index.name + " has expressions: drop it first");
    }
  }
  return Status::Ok();
}

Status Catalog::CheckIndex(const TableDefinition& table, const CreateIndex& index) {
  KLIP_RETURN_IF_ERROR(CheckIndexProperties(index));
  if (LoadOwn({.schema = table.name.schema, .name = index.name}).ok()) {
    return SqlError(1013, "42M04", "Table already exists. tableName=" + index.name);
  }
  const bool of_key = std::ranges::any_of(index.columns, [&](const OrderTerm& term) {
    return std::ranges::any_of(table.keys(),
                               [&](const TableColumn& key) { return NamesColumn(*term.expression, key.name); });
  });
  if (!of_key) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const TableDescriptor physical, connection_->admin().GetDescriptor(table.physical_name));
  if (!physical.attributes.contains(std::string(RowKeySchema::kTableAttribute))) {
    return Status::Ok();  // its indexes leave out the columns of the key
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> views, AllViews());
  for (const TablePtr& view : views) {
    if (view->physical_name == table.physical_name && view->own_key_columns > 0) {
      return Status(Code::kUnsupported, "SQL: the index " + index.name + " is on the key of " + ToString(table.name) +
                                            ", to which the view " + ToString(view->name) + " adds columns");
    }
  }
  return Status::Ok();
}

Status Catalog::Drop(const sql::Drop& statement) {
  const Expected<TablePtr> found = LoadOwn(statement.name);
  if (found.ok() && (*found)->system) {
    return SqlError(505, "42000", "Table is read only. tableName=" + ToString(statement.name));
  }
  if (found.ok() && (*found)->of_phoenix) {
    return Status(Code::kUnsupported, "SQL: DROP of a table that Phoenix created: " + ToString(statement.name));
  }
  const bool view = statement.what == sql::Drop::What::kView;
  if (!found.ok() && view && IsInvalid(found.status())) {
    KLIP_ASSIGN_OR_RETURN(const bool deleted, DeleteInvalidView(statement.name));
    if (deleted) {
      return Status::Ok();
    }
  }
  if (!found.ok()) {
    const bool undefined = ErrorOf(found.status()).number == 1012;
    return !undefined ? found.status() : statement.if_exists ? Status::Ok() : Undefined(statement.name);
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> views, ViewsOn((*found)->name));
  if (!views.empty() && !statement.cascade) {
    return HasViews(**found, views, "drop them first, or use CASCADE");
  }
  if ((*found)->view != view) {
    return statement.if_exists ? Status::Ok() : Undefined(statement.name);
  }
  for (const TablePtr& dependent : views) {
    KLIP_RETURN_IF_ERROR(DeleteView(*dependent));
  }
  if (view) {
    return DeleteView(**found);
  }
  Admin& admin = connection_->admin();
  const std::string& name = (*found)->physical_name;
  return base::WhileDisabled(&admin, name, [&] { return admin.DeleteTable(name); });
}

Status Catalog::DeleteView(const TableDefinition& view) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, OpenCatalogTable());
  return catalog->Delete(klip::Delete{.row = ViewRow(view.tenant, view.name)});
}

// False: the tenant has no such view.
Expected<bool> Catalog::DeleteInvalidView(const TableName& name) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> catalog, FindCatalogTable());
  if (catalog == nullptr) {
    return false;
  }
  const std::string row = ViewRow(tenant_, name);
  KLIP_ASSIGN_OR_RETURN(const bool exists, catalog->Exists({.row = row}));
  if (exists) {
    KLIP_RETURN_IF_ERROR(catalog->Delete(klip::Delete{.row = row}));
  }
  return exists;
}

// Those of the tenant; without one, those of everybody.
Expected<std::vector<TablePtr>> Catalog::AllViews() {
  KLIP_ASSIGN_OR_RETURN(std::vector<TablePtr> views, ListViews(tenant_));
  if (tenant_.empty()) {
    KLIP_ASSIGN_OR_RETURN(const std::set<std::string> tenants, Tenants());
    for (const std::string& tenant : tenants) {
      KLIP_ASSIGN_OR_RETURN(std::vector<TablePtr> own, Catalog(connection_, tenant).ListViews(tenant));
      std::ranges::move(own, std::back_inserter(views));
    }
  }
  return views;
}

Expected<std::vector<TablePtr>> Catalog::ViewsOn(const TableName& name) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> others, AllViews());
  const auto exists = [&](const std::string& tenant, const TableName& view) {
    return std::ranges::any_of(others,
                               [&](const TablePtr& other) { return other->tenant == tenant && other->name == view; });
  };
  std::vector<TablePtr> views;
  std::vector<std::pair<std::string, TableName>> bases = {{tenant_, name}};
  for (size_t i = 0; i < bases.size(); ++i) {
    const auto [owner, base] = bases[i];
    for (const TablePtr& other : others) {
      // A tenant's own view comes before another one of that name.
      const bool sees = other->tenant == owner || (owner.empty() && !exists(other->tenant, base));
      if (sees && other->base == base) {
        bases.emplace_back(other->tenant, other->name);
        views.push_back(other);
      }
    }
  }
  return views;
}

// Errors: 1010, a view has another column of a name to be added, or a condition on a column to be dropped.
Status Catalog::CheckViewsOn(const TableDefinition& table, const AlterTable& change) {
  if (change.add.empty() && change.drop.empty()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> views, ViewsOn(table.name));
  for (const TablePtr& view : views) {
    for (const ColumnDefinition& added : change.add) {
      const std::string& family = added.family.empty() ? table.default_family : added.family;
      const bool clashes = std::ranges::any_of(view->columns, [&](const TableColumn& column) {
        const bool same_cell = column.type == added.type && table.next_numbers.empty();
        return !column.inherited && column.name == added.name &&
               (column.key_position >= 0 || (column.family == family && !same_cell));
      });
      if (clashes) {
        return HasViews(table, {view}, "it has a column " + added.name);
      }
    }
    for (const auto& dropped : change.drop) {
      const bool uses = std::ranges::any_of(view->conditions, [&](const std::shared_ptr<const Expression>& condition) {
        return NamesColumn(*condition, dropped.second);
      });
      if (uses) {
        return HasViews(table, {view}, "its condition uses the column " + dropped.second);
      }
    }
  }
  return Status::Ok();
}

Expected<std::vector<TableColumn>> Catalog::Alter(const AlterTable& statement) {
  KLIP_ASSIGN_OR_RETURN(const TablePtr found, LoadOwn(statement.name));
  if (found->system) {
    return SqlError(505, "42000", "Table is read only. tableName=" + ToString(statement.name));
  }
  if (found->of_phoenix) {
    return Status(Code::kUnsupported, "SQL: ALTER of a table that Phoenix created: " + ToString(statement.name));
  }
  if (statement.view && !found->view) {
    return Undefined(statement.name);
  }
  if (found->base.has_value() && !statement.set.empty()) {
    return Status(Code::kUnsupported, "SQL: ALTER VIEW SET of a view AS SELECT: it has the properties of its table");
  }
  TableDefinition table = *found;
  KLIP_RETURN_IF_ERROR(CheckDeclared(statement.name, statement.add));
  KLIP_RETURN_IF_ERROR(AddColumns(statement.add, statement.if_not_exists, &table));
  KLIP_RETURN_IF_ERROR(DropColumns(statement.drop, statement.if_exists, &table));
  KLIP_RETURN_IF_ERROR(CheckViewsOn(*found, statement));
  KLIP_RETURN_IF_ERROR(table.key_columns > found->key_columns ? CheckSameKey(*found) : Status::Ok());
  for (const Property& property : statement.set) {
    const std::string name = property.family.empty() ? property.name : property.family + "." + property.name;
    KLIP_RETURN_IF_ERROR(CheckProperty(property, !statement.add.empty()));
    if (!property.family.empty() &&
        std::ranges::find(table.columns, property.family, &TableColumn::family) == table.columns.end()) {
      return SqlError(1001, "42I01", "Undefined column family. familyName=" + property.family);
    }
    if (name == "SALT_BUCKETS") {
      return SqlError(1024, "42Y82", "Salt bucket number may only be specified when creating a table.");
    }
    KLIP_RETURN_IF_ERROR(CheckStorageProperty(*found, name, property.value));
    std::erase_if(table.properties, [&](const auto& known) { return known.first == name; });
    table.properties.emplace_back(name, property.value);
  }
  KLIP_RETURN_IF_ERROR(CheckTenantColumn(table));
  const std::vector<TableColumn> removed = Removed(*found, table);
  if (table.view) {
    return AlterView(removed, std::move(table));
  }
  KLIP_RETURN_IF_ERROR(removed.empty() ? Status::Ok() : DropIndexesOn(connection_, *found, removed));
  KLIP_RETURN_IF_ERROR(Replace(*found, table));
  KLIP_RETURN_IF_ERROR(removed.empty() ? Status::Ok() : DeleteCellsOf(connection_, *found, removed));
  return std::vector<TableColumn>();
}

// A view that drops a column of its base names those that it keeps.
Expected<std::vector<TableColumn>> Catalog::AlterView(const std::vector<TableColumn>& removed, TableDefinition view) {
  if (!view.base.has_value()) {
    KLIP_RETURN_IF_ERROR(PutView(view));
    return std::vector<TableColumn>();
  }
  KLIP_ASSIGN_OR_RETURN(const TablePtr base, LoadAnyCase(*view.base));
  std::vector<TableColumn> own;
  for (const TableColumn& column : removed) {
    view.names_columns |= HasColumn(*base, column.family, column.name);
    KLIP_ASSIGN_OR_RETURN(const bool shared, IsShared(view, column));
    if (!shared) {
      own.push_back(column);
    }
  }
  for (const TableColumn& column : view.columns) {
    const bool differs = !column.inherited && std::ranges::any_of(base->columns, [&](const TableColumn& other) {
      return other.key_position < 0 && other.cell_name() == column.cell_name() && other.type != column.type;
    });
    if (differs) {
      return HasViews(*base, {std::make_shared<TableDefinition>(view)},
                      "its column " + column.name + " has another type");
    }
  }
  KLIP_RETURN_IF_ERROR(ViewOf(ToStatement(view)).status());
  if (view.read_only) {
    own.clear();
  }
  KLIP_RETURN_IF_ERROR(own.empty() ? Status::Ok() : DropIndexesOn(connection_, view, own));
  KLIP_RETURN_IF_ERROR(PutView(view));
  return own;
}

// Whether the table, or another view of it, has the column. Views on top of this one lose it, too.
Expected<bool> Catalog::IsShared(const TableDefinition& view, const TableColumn& dropped) {
  KLIP_ASSIGN_OR_RETURN(std::vector<TablePtr> all, List());
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> views, AllViews());
  std::ranges::copy(views, std::back_inserter(all));
  KLIP_ASSIGN_OR_RETURN(const std::vector<TablePtr> above, ViewsOn(view.name));
  return std::ranges::any_of(all, [&](const TablePtr& other) {
    const bool is_above = std::ranges::any_of(
        above, [&](const TablePtr& one) { return one->name == other->name && one->tenant == other->tenant; });
    const bool same = other->name == view.name && other->tenant == view.tenant;
    return !same && other->physical_name == view.physical_name &&
           std::ranges::any_of(other->columns, [&](const TableColumn& column) {
             return column.key_position < 0 && column.cell_name() == dropped.cell_name() &&
                    !(is_above && column.inherited);
           });
  });
}

Status Catalog::Replace(const TableDefinition& before, const TableDefinition& table) {
  Admin& admin = connection_->admin();
  KLIP_ASSIGN_OR_RETURN(TableDescriptor descriptor, admin.GetDescriptor(table.physical_name));
  const std::vector<std::string> families = FamiliesOf(table);
  for (const std::string& family : FamiliesOf(before)) {  // those of others stay
    if (std::ranges::find(families, family) == families.end()) {
      std::erase_if(descriptor.families, [&](const FamilyDescriptor& there) { return there.name == family; });
    }
  }
  KLIP_ASSIGN_OR_RETURN(descriptor, DescriptorOf(table, std::move(descriptor)));
  descriptor.attributes[std::string(kTableAttribute)] = ToStatement(table);
  return admin.ModifyTable(descriptor);
}

}  // namespace klip::sql
