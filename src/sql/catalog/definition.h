// CREATE TABLE and CREATE VIEW to definitions and back: the catalog keeps a table's definition as the text of its statement.
#pragma once

#include <string>
#include <vector>

#include "klip/admin.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// What a CREATE TABLE or CREATE VIEW with columns of its own declares.
// Errors, with Phoenix's numbers: no primary key (509), a column named twice (514), a key column in a family (1003), VARBINARY before the
// end of a key (1005), SALT_BUCKETS out of range (1021), an unknown key column (512).
Expected<TableDefinition> Define(const CreateTable& statement);

// A table of HBase's with a row-key schema, as it is: the fields of its keys are columns. Its cells can be named as dynamic columns, or be
// declared by CREATE VIEW. `columns`: of such a view.
// Errors: those of the schema.
Expected<TableDefinition> DefineBySchema(const TableName& name, const TableDescriptor& table,
                                         const std::vector<ColumnDefinition>& columns);

// ALTER TABLE ADD and DROP COLUMN. Errors: 514, there is one; 504, there is none; 506, it is of the key.
Status AddColumns(const std::vector<ColumnDefinition>& columns, bool if_not_exists, TableDefinition* table);
Status DropColumns(const std::vector<std::pair<std::string, std::string>>& columns, bool if_exists,
                   TableDefinition* table);

// A statement that Define makes the same definition of.
std::string ToStatement(const TableDefinition& table);

// HBase's table for the definition: its families, their settings, and the row-key schema that says the same as the primary key.
Expected<TableDescriptor> DescriptorOf(const TableDefinition& table);

// The first keys of the buckets but the first.
std::vector<std::string> SaltSplits(int buckets);

// HBase's name of SQL's table: "T", "S.T".
std::string PhysicalName(const TableName& name);

}  // namespace klip::sql
