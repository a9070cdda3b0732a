#include "sql/catalog/system_tables.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "sql/catalog/definition.h"
#include "sql/catalog/served_statement.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Row = std::vector<Value>;

// As Phoenix 5.2 declares them.
constexpr std::string_view kSystemStatements[] = {
    "CREATE TABLE SYSTEM.\"CATALOG\" (TENANT_ID VARCHAR, TABLE_SCHEM VARCHAR, TABLE_NAME VARCHAR NOT NULL, "
    "COLUMN_NAME VARCHAR, COLUMN_FAMILY VARCHAR, TABLE_SEQ_NUM BIGINT, TABLE_TYPE CHAR(1), PK_NAME VARCHAR, "
    "COLUMN_COUNT INTEGER, SALT_BUCKETS INTEGER, DATA_TABLE_NAME VARCHAR, INDEX_STATE CHAR(1), IMMUTABLE_ROWS BOOLEAN, "
    "VIEW_STATEMENT VARCHAR, DEFAULT_COLUMN_FAMILY VARCHAR, DISABLE_WAL BOOLEAN, MULTI_TENANT BOOLEAN, "
    "VIEW_TYPE UNSIGNED_TINYINT, VIEW_INDEX_ID BIGINT, VIEW_INDEX_ID_DATA_TYPE INTEGER, DATA_TYPE INTEGER, "
    "COLUMN_SIZE INTEGER, DECIMAL_DIGITS INTEGER, NULLABLE INTEGER, ORDINAL_POSITION INTEGER, SORT_ORDER INTEGER, "
    "ARRAY_SIZE INTEGER, VIEW_CONSTANT VARBINARY, IS_VIEW_REFERENCED BOOLEAN, KEY_SEQ SMALLINT, "
    "LINK_TYPE UNSIGNED_TINYINT, TYPE_NAME VARCHAR, REMARKS VARCHAR, SELF_REFERENCING_COL_NAME VARCHAR, "
    "REF_GENERATION VARCHAR, BUFFER_LENGTH INTEGER, NUM_PREC_RADIX INTEGER, COLUMN_DEF VARCHAR, SQL_DATA_TYPE INTEGER, "
    "SQL_DATETIME_SUB INTEGER, CHAR_OCTET_LENGTH INTEGER, IS_NULLABLE VARCHAR, SCOPE_CATALOG VARCHAR, "
    "SCOPE_SCHEMA VARCHAR, SCOPE_TABLE VARCHAR, SOURCE_DATA_TYPE SMALLINT, IS_AUTOINCREMENT VARCHAR, "
    "INDEX_TYPE UNSIGNED_TINYINT, INDEX_DISABLE_TIMESTAMP BIGINT, STORE_NULLS BOOLEAN, BASE_COLUMN_COUNT INTEGER, "
    "IS_ROW_TIMESTAMP BOOLEAN, TRANSACTIONAL BOOLEAN, UPDATE_CACHE_FREQUENCY BIGINT, IS_NAMESPACE_MAPPED BOOLEAN, "
    "AUTO_PARTITION_SEQ VARCHAR, APPEND_ONLY_SCHEMA BOOLEAN, GUIDE_POSTS_WIDTH BIGINT, COLUMN_QUALIFIER VARBINARY, "
    "IMMUTABLE_STORAGE_SCHEME TINYINT, ENCODING_SCHEME TINYINT, \"COLUMN_QUALIFIER_COUNTER\" INTEGER, "
    "USE_STATS_FOR_PARALLELIZATION BOOLEAN, TRANSACTION_PROVIDER TINYINT "
    "CONSTRAINT PK PRIMARY KEY (TENANT_ID, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, COLUMN_FAMILY))",
    "CREATE TABLE SYSTEM.\"FUNCTION\" (TENANT_ID VARCHAR, FUNCTION_NAME VARCHAR NOT NULL, NUM_ARGS INTEGER, TYPE "
    "VARCHAR, "
    "ARG_POSITION VARCHAR, CLASS_NAME VARCHAR, JAR_PATH VARCHAR, RETURN_TYPE VARCHAR, IS_ARRAY BOOLEAN, "
    "IS_CONSTANT BOOLEAN, DEFAULT_VALUE VARCHAR, MIN_VALUE VARCHAR, MAX_VALUE VARCHAR "
    "CONSTRAINT PK PRIMARY KEY (TENANT_ID, FUNCTION_NAME))",
    "CREATE TABLE SYSTEM.\"SEQUENCE\" (TENANT_ID VARCHAR, SEQUENCE_SCHEMA VARCHAR, SEQUENCE_NAME VARCHAR NOT NULL, "
    "START_WITH BIGINT, CURRENT_VALUE BIGINT, INCREMENT_BY BIGINT, CACHE_SIZE BIGINT, MIN_VALUE BIGINT, "
    "MAX_VALUE BIGINT, CYCLE_FLAG BOOLEAN, LIMIT_REACHED_FLAG BOOLEAN "
    "CONSTRAINT PK PRIMARY KEY (TENANT_ID, SEQUENCE_SCHEMA, SEQUENCE_NAME))",
    "CREATE TABLE SYSTEM.STATS (PHYSICAL_NAME VARCHAR NOT NULL, COLUMN_FAMILY VARCHAR, GUIDE_POST_KEY VARBINARY, "
    "GUIDE_POSTS_WIDTH BIGINT, LAST_STATS_UPDATE_TIME DATE, GUIDE_POSTS_ROW_COUNT BIGINT "
    "CONSTRAINT PK PRIMARY KEY (PHYSICAL_NAME, COLUMN_FAMILY, GUIDE_POST_KEY))",
};

// klip's own, which Phoenix's clients do not see in the catalog.
constexpr std::string_view kRunningStatements =
    "CREATE TABLE SYSTEM.STATEMENTS (STATEMENT_ID BIGINT PRIMARY KEY, USER_NAME VARCHAR, CLIENT VARCHAR, DOOR VARCHAR, "
    "STARTED TIMESTAMP, SECONDS DOUBLE, STATE VARCHAR, ROWS_READ BIGINT, STATEMENT_TEXT VARCHAR)";

TablePtr DefineSystemTable(std::string_view statement) {
  const Expected<Parsed> parsed = ParseStatement(statement);
  Expected<TableDefinition> table = Define(std::get<CreateTable>(parsed->statement));
  table->system = true;
  table->read_only = true;
  return std::make_shared<const TableDefinition>(*std::move(table));
}

std::vector<TablePtr> DefineSystemTables() {
  std::vector<TablePtr> tables;
  for (const std::string_view statement : kSystemStatements) {
    tables.push_back(DefineSystemTable(statement));
  }
  return tables;
}

// Builds rows by column names.
class SystemRowList {
 public:
  explicit SystemRowList(const TableDefinition& table) : table_(table) {}

  void Begin() { rows_.emplace_back(table_.columns.size()); }
  void Set(std::string_view name, const Value& value) {
    const auto column = std::find_if(table_.columns.begin(), table_.columns.end(),
                                     [&](const TableColumn& candidate) { return candidate.name == name; });
    const Expected<Value> converted = Convert(value, column->type);
    rows_.back()[static_cast<size_t>(column - table_.columns.begin())] = converted.ok() ? *converted : Value();
  }
  void Set(std::string_view name, std::string_view text) { Set(name, Value::Text(std::string(text))); }
  void Set(std::string_view name, const char* text) { Set(name, std::string_view(text)); }
  void Set(std::string_view name, int64_t number) { Set(name, Value(Type::kBigint, number)); }
  void Set(std::string_view name, bool value) { Set(name, Value::Boolean(value)); }

  std::vector<Row> TakeUnsorted() { return std::move(rows_); }
  // In the order of keys, which are texts. NULL comes first.
  std::vector<Row> Take() {
    const auto text = [](const Value& value) { return value.is_null() ? std::string_view() : value.text(); };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
      for (size_t i = 0; i < table_.key_columns; ++i) {
        if (const int order = text(a[i]).compare(text(b[i])); order != 0) {
          return order < 0;
        }
      }
      return false;
    });
    return std::move(rows_);
  }

 private:
  const TableDefinition& table_;
  std::vector<Row> rows_;
};

void AddColumnRow(const TableDefinition& table, const TableColumn& column, int64_t position, SystemRowList* rows) {
  constexpr int64_t kAscending = 2;  // Phoenix's SortOrder
  constexpr int64_t kDescending = 1;
  rows->Begin();
  rows->Set("TABLE_SCHEM", table.name.schema);
  rows->Set("TABLE_NAME", table.name.name);
  rows->Set("COLUMN_NAME", column.name);
  rows->Set("COLUMN_FAMILY", column.family);
  rows->Set("DATA_TYPE", int64_t{PhoenixType(column.type)});
  if (const int size = column.type.type == Type::kDecimal ? column.type.precision : column.type.max_length; size > 0) {
    rows->Set("COLUMN_SIZE", int64_t{size});
  }
  if (column.type.scale >= 0) {
    rows->Set("DECIMAL_DIGITS", int64_t{column.type.scale});
  }
  rows->Set("NULLABLE", int64_t{column.not_null ? 0 : 1});
  rows->Set("ORDINAL_POSITION", position);
  rows->Set("SORT_ORDER", column.descending ? kDescending : kAscending);
  if (column.key_position >= 0) {
    rows->Set("KEY_SEQ", table.KeySequence(column));
    rows->Set("IS_ROW_TIMESTAMP", column.row_timestamp);
  } else {
    rows->Set("COLUMN_QUALIFIER", Value::Bytes(column.qualifier));
  }
  if (column.default_value != nullptr) {
    rows->Set("COLUMN_DEF", ToString(*column.default_value));
  }
}

void AddTableRows(const TableDefinition& table, SystemRowList* rows) {
  constexpr int64_t kMapped = 1;  // Phoenix's ViewType
  constexpr int64_t kReadOnly = 2;
  constexpr int64_t kUpdatable = 3;
  rows->Begin();
  rows->Set("TENANT_ID", table.tenant);
  rows->Set("TABLE_SCHEM", table.name.schema);
  rows->Set("TABLE_NAME", table.name.name);
  rows->Set("TABLE_SEQ_NUM", int64_t{0});
  rows->Set("TABLE_TYPE", table.system ? "s" : table.view ? "v" : "u");
  rows->Set("PK_NAME", "PK");
  rows->Set("COLUMN_COUNT", static_cast<int64_t>(table.columns.size()));
  if (table.salt_buckets > 0) {
    rows->Set("SALT_BUCKETS", int64_t{table.salt_buckets});
  }
  rows->Set("IMMUTABLE_ROWS", table.HasProperty("IMMUTABLE_ROWS"));
  rows->Set("DISABLE_WAL", false);
  rows->Set("MULTI_TENANT", table.HasProperty("MULTI_TENANT"));
  rows->Set("TRANSACTIONAL", table.transactional());
  rows->Set("IS_NAMESPACE_MAPPED", false);
  if (!table.default_family.empty() && table.default_family != kDefaultFamily) {
    rows->Set("DEFAULT_COLUMN_FAMILY", table.default_family);
  }
  if (table.view) {
    rows->Set("VIEW_TYPE", !table.base.has_value() ? kMapped : table.read_only ? kReadOnly : kUpdatable);
    rows->Set("VIEW_STATEMENT", SelectText(table));
  }
  int64_t position = 0;
  for (const size_t column : table.DeclaredOrder()) {
    AddColumnRow(table, table.columns[column], ++position, rows);
  }
}

void AddIndexRows(const TableDefinition& table, const IndexInfo& index, SystemRowList* rows) {
  rows->Begin();  // the link from the table
  rows->Set("TABLE_SCHEM", table.name.schema);
  rows->Set("TABLE_NAME", table.name.name);
  rows->Set("COLUMN_FAMILY", index.index.name);
  rows->Set("LINK_TYPE", int64_t{1});
  rows->Begin();
  rows->Set("TABLE_SCHEM", table.name.schema);
  rows->Set("TABLE_NAME", index.index.name);
  rows->Set("TABLE_SEQ_NUM", int64_t{0});
  rows->Set("TABLE_TYPE", "i");
  rows->Set("DATA_TABLE_NAME", table.name.name);
  rows->Set("INDEX_STATE", index.building ? "b" : index.unusable ? "i" : "a");
  rows->Set("INDEX_TYPE", int64_t{1});  // Phoenix's GLOBAL
}

Expected<std::vector<Row>> CatalogRows(const TableDefinition& system, Catalog* catalog) {
  SystemRowList rows(system);
  KLIP_ASSIGN_OR_RETURN(const std::vector<ListedTable> tables, catalog->ListAll());
  for (const ListedTable& listed : tables) {
    AddTableRows(*listed.table, &rows);
    for (const IndexInfo& index : listed.indexes) {
      AddIndexRows(*listed.table, index, &rows);
    }
  }
  return rows.Take();
}

Expected<std::vector<Row>> SequenceRows(const TableDefinition& system, Sequences* sequences) {
  SystemRowList rows(system);
  KLIP_ASSIGN_OR_RETURN(const std::vector<ListedSequence> listed, sequences->List());
  for (const ListedSequence& sequence : listed) {
    const Expected<int64_t> next = sequence.definition.Value(sequence.taken, sequence.name);
    rows.Begin();
    rows.Set("SEQUENCE_SCHEMA", sequence.name.schema);
    rows.Set("SEQUENCE_NAME", sequence.name.name);
    rows.Set("START_WITH", sequence.definition.start);
    rows.Set("INCREMENT_BY", sequence.definition.increment);
    rows.Set("CACHE_SIZE", sequence.definition.cache);
    rows.Set("MIN_VALUE", sequence.definition.min);
    rows.Set("MAX_VALUE", sequence.definition.max);
    rows.Set("CYCLE_FLAG", sequence.definition.cycle);
    rows.Set("LIMIT_REACHED_FLAG", !next.ok());
    rows.Set("CURRENT_VALUE", next.ok() ? *next : sequence.definition.BeyondEnd());
  }
  return rows.Take();
}

std::vector<Row> StatementRows(const TableDefinition& system) {
  constexpr double kMsPerSecond = 1000;
  SystemRowList rows(system);
  const int64_t now_ms = base::SystemMs();
  for (const ServedStatement::Info& statement : ServedStatement::List()) {
    rows.Begin();
    rows.Set("STATEMENT_ID", statement.id);
    rows.Set("USER_NAME", statement.user);
    rows.Set("CLIENT", statement.address);
    rows.Set("DOOR", statement.door);
    rows.Set("STARTED", Value(Type::kTimestamp, Value::Timestamp{.ms = statement.began_ms}));
    rows.Set("SECONDS", Value::Double(static_cast<double>(now_ms - statement.began_ms) / kMsPerSecond));
    rows.Set("STATE", statement.working ? "RUNNING" : "OPEN");
    rows.Set("ROWS_READ", statement.rows_read);
    rows.Set("STATEMENT_TEXT", statement.text);
  }
  return rows.TakeUnsorted();
}

}  // namespace

const TablePtr& StatementsTable() {
  static const TablePtr table = DefineSystemTable(kRunningStatements);
  return table;
}

const std::vector<TablePtr>& SystemTables() {
  static const std::vector<TablePtr> tables = DefineSystemTables();
  return tables;
}

TablePtr FindSystemTable(const TableName& name) {
  if (StatementsTable()->name == name) {
    return StatementsTable();
  }
  const auto found = std::find_if(SystemTables().begin(), SystemTables().end(),
                                  [&](const TablePtr& table) { return table->name == name; });
  return found == SystemTables().end() ? nullptr : *found;
}

Expected<std::vector<Row>> SystemRows(const TableDefinition& table, Catalog* catalog, Sequences* sequences) {
  return table.name.name == "CATALOG"            ? CatalogRows(table, catalog)
         : table.name.name == "SEQUENCE"         ? SequenceRows(table, sequences)
         : table.name == StatementsTable()->name ? StatementRows(table)
                                                 : std::vector<Row>();
}

}  // namespace klip::sql
