// Converts CREATE TABLE and CREATE VIEW to definitions and back: the catalog stores a table's definition as the text of
// its statement.
#pragma once

#include <string>
#include <vector>

#include "klip/admin.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// Of a table that is created, or altered. Errors: 1050 (43A07), TTL of a family; 1053 (43A10), a property of the table in
// ALTER TABLE ADD.
Status CheckProperty(const Property& property, bool adds_columns);

// Errors: 1021 (42Y80), SALT_BUCKETS out of range; 1110 (XCL10), of a local index; 10949 (44A30), TTL.
Status CheckIndexProperties(const CreateIndex& index);

// The definition of a CREATE TABLE or CREATE VIEW with its own columns. Errors, with Phoenix's numbers: no primary key
// (509), a column named twice (514), a key column in a family (1003), VARBINARY before the end of a key (1005),
// SALT_BUCKETS out of range (1021), an unknown key column (512).
Expected<TableDefinition> Define(const CreateTable& statement);

// The definition of an HBase table with a row-key schema: the fields of its keys are columns. Its cells can be named as
// dynamic columns, or declared by CREATE VIEW. `columns`: of such a view. Errors: those of the schema.
Expected<TableDefinition> DefineBySchema(const TableName& name, const TableDescriptor& table,
                                         const std::vector<ColumnDefinition>& columns);

// Adds the columns that a view declares to those of its base; its key columns follow the base's. Errors: 514, it exists;
// 1036 (42J04), values of the base's last key column have no fixed width; 1003, 1005, 512.
Status AddViewColumns(const CreateTable& view, TableDefinition* table);

// Of columns as a statement declares them; stored definitions may be older than the rules. Errors: 514, a name occurs twice;
// 203, 201, 206, the DEFAULT is no value of the column's type; 504, the DEFAULT is a column.
Status CheckDeclared(const TableName& table, const std::vector<ColumnDefinition>& columns);

// ALTER TABLE ADD and DROP COLUMN. Errors: 514, it exists; 504, it does not exist; 506, it belongs to the key.
Status AddColumns(const std::vector<ColumnDefinition>& columns, bool if_not_exists, TableDefinition* table);
Status DropColumns(const std::vector<std::pair<std::string, std::string>>& columns, bool if_exists,
                   TableDefinition* table);

// The SELECT of a view AS SELECT; empty: it is no such view.
std::string SelectText(const TableDefinition& view);

// A statement from which Define makes the same definition.
std::string ToStatement(const TableDefinition& table);

// The families of its markers, columns and properties.
std::vector<std::string> FamiliesOf(const TableDefinition& table);

// The definition's HBase table: its families, their settings, and the row-key schema that corresponds to the primary key.
// `descriptor`: of the existing table; what the definition does not say stays.
Expected<TableDescriptor> DescriptorOf(const TableDefinition& table, TableDescriptor descriptor = {});

// The first keys of all buckets except the first.
std::vector<std::string> SaltSplits(int buckets);

// The name of SQL's table in HBase: "T", "S.T".
std::string PhysicalName(const TableName& name);

}  // namespace klip::sql
