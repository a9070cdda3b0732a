// The parser's results: plain structs. Names are normalized: in upper case, unless they were quoted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "klip/sql_value.h"
#include "sql/syntax/window_frame.h"

namespace klip::sql {

struct Select;
struct Window;

// "schema"."table"; the schema is empty if none was written.
struct TableName {
  std::string schema;
  std::string name;
  bool operator==(const TableName&) const = default;
};

// In Phoenix's format: with quotes if the name needs them.
std::string ToString(const TableName& name);
std::string QuotedName(std::string_view name);  // name, or "name" if unquoted it would read otherwise

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// One node of an expression. The comments at the kinds list the members used.
struct Expression {
  enum class Kind : uint8_t {
    kLiteral,    // value; type: of '', which is NULL
    kColumn,     // qualifier (table, alias or family; schema too), name
    kStar,       // SELECT *, t.*, family.*: qualifier; COUNT(*) has it as argument
    kParameter,  // position from 0
    kNegate,     // -a
    kNot,
    kAnd,  // two or more operands
    kOr,
    kCompare,     // operation; a, b
    kArithmetic,  // operation: + and -: two or more operands, from left to right; * / %: a, b
    kConcat,      // a || b || ...
    kIsNull,      // a; negated
    kLike,        // a, pattern; negated; ignore_case
    kBetween,     // a, low, high; negated
    kIn,          // a, then the list; or a and `select`; negated
    kExists,      // select
    kQuantified,  // a operation ANY/ALL (b, or `select`); all
    kCase,        // condition, value, condition, value, ... [, else]; a simple CASE has been rewritten with `=`
    kCast,        // a; type
    kFunction,  // name (upper case), operands; distinct for COUNT(DISTINCT a); within: WITHIN GROUP (ORDER BY ...); over
    kRow,       // (a, b, c)
    kSubquery,   // select: one value, or a row of them
    kArray,      // ARRAY[a, b]
    kElement,    // a[b]
    kNextValue,  // name of the sequence in `sequence`; count in operands[0] if given. current: CURRENT VALUE FOR
  };

  Kind kind = Kind::kLiteral;
  std::vector<ExpressionPtr> operands;
  Value value;
  std::string schema;     // of a column: schema.table.name
  std::string qualifier;  // of a column
  std::string name;
  std::string operation;  // "=", "!=", "<", "<=", ">", ">="; "+", "-", "*", "/", "%"
  int position = 0;       // of a parameter
  bool negated = false;
  bool ignore_case = false;
  bool distinct = false;
  bool all = false;
  bool current = false;
  DataType type;
  TableName sequence;
  std::vector<std::pair<ExpressionPtr, bool>> within;  // and whether it is descending
  std::unique_ptr<Window> over;                        // of a window function
  std::unique_ptr<Select> select;
  int depth = 1;  // levels of nodes from here down, those of `select` too; the parser's are at most kMaxDepth
};

constexpr int kMaxDepth = 250;

// In Phoenix's format, for column labels and EXPLAIN: "COUNT(1)", "(ID || '-' || S)", "NOTE LIKE 'a%'".
std::string ToString(const Expression& expression);
// As SQL that parses to the same expression: what a catalog stores.
std::string ToSql(const Expression& expression);
// Equal for calls that have the same result in one query. ToString leaves out more: lengths of types, parameters, subqueries.
std::string CallIdentity(const Expression& expression);
// By which a select list's expression is found in GROUP BY: there, all parameters are alike, as in a + ?, and all subqueries.
std::string GroupIdentity(const Expression& expression);
ExpressionPtr Clone(const Expression& expression);
std::unique_ptr<Select> Clone(const Select& select);

struct OrderTerm {
  ExpressionPtr expression;
  bool descending = false;
  std::optional<bool> nulls_last;  // absent: NULL is the smallest value
};
// "A DESC NULLS LAST", as in plans. `meant`: what the term's expression refers to.
std::string SortText(const Expression& meant, const OrderTerm& term);

// OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
struct Window {
  std::vector<ExpressionPtr> partition_by;
  std::vector<OrderTerm> order_by;
  WindowFrame frame;
};

struct SelectItem {
  ExpressionPtr expression;
  std::string alias;
};

// A column with its type: in CREATE TABLE, or as a dynamic column in a statement.
struct ColumnDefinition {
  std::string family;
  std::string name;
  DataType type;
  bool not_null = false;
  bool nullable = false;     // NULL is written
  bool primary_key = false;  // declared at the column
  bool descending = false;
  bool row_timestamp = false;
  ExpressionPtr default_value;
  int encoded_qualifier = 0;  // ENCODED_QUALIFIER 11
};

struct FromItem {
  enum class Kind : uint8_t { kTable, kSelect, kJoin };
  enum class Join : uint8_t { kInner, kLeft, kRight, kFull, kCross };

  Kind kind = Kind::kTable;
  TableName table;
  std::string alias;
  std::vector<ColumnDefinition> dynamic_columns;
  ExpressionPtr sample;  // TABLESAMPLE(percent)
  std::unique_ptr<Select> select;
  std::vector<std::string> columns;  // their names, of WITH table (a, b) AS; empty: those of the select
  Join join = Join::kInner;
  std::unique_ptr<FromItem> left;
  std::unique_ptr<FromItem> right;
  ExpressionPtr on;  // null: kCross, as which FROM a, b reads
};

// A SELECT behind UNION, EXCEPT (also MINUS) or INTERSECT.
struct SetOperand {
  enum class Kind : uint8_t { kUnionAll, kUnion, kExcept, kIntersect };
  Kind kind = Kind::kUnionAll;
  std::unique_ptr<Select> select;
};

struct Select {
  std::vector<std::string> hints;  // "SKIP_SCAN", "INDEX(T I)"; names in upper case
  bool distinct = false;
  std::vector<SelectItem> items;
  std::unique_ptr<FromItem> from;  // null: SELECT 1
  ExpressionPtr where;
  std::vector<ExpressionPtr> group_by;
  ExpressionPtr having;
  std::vector<SetOperand> set_operands;  // from left to right; order_by, limit and offset then apply to the result
  std::vector<OrderTerm> order_by;
  ExpressionPtr limit;   // a literal or parameter
  ExpressionPtr offset;  // too, or (a, b) = (1, 2): after that row
};

struct Assignment {
  std::string family;
  std::string column;
  ExpressionPtr value;
};

struct Upsert {
  std::vector<std::string> hints;
  TableName table;
  bool insert = false;                    // INSERT: fails if the row exists
  std::vector<ColumnDefinition> columns;  // family and name; a type makes it dynamic. Empty: all in their order
  std::vector<std::vector<ExpressionPtr>> rows;
  std::unique_ptr<Select> select;  // instead of rows
  bool ignore_duplicate = false;   // ON DUPLICATE KEY IGNORE
  std::vector<Assignment> on_duplicate;
};

struct Update {  // klip's extension: UPDATE t SET a = 1 WHERE ...
  TableName table;
  std::vector<Assignment> assignments;
  ExpressionPtr where;
};

struct Delete {
  std::vector<std::string> hints;
  TableName table;
  ExpressionPtr where;
  std::vector<OrderTerm> order_by;
  ExpressionPtr limit;
};

struct Property {
  std::string family;
  std::string name;  // upper case
  Value value;
};

struct KeyColumn {  // of PRIMARY KEY (...)
  std::string name;
  bool descending = false;
  bool row_timestamp = false;
};

struct CreateTable {
  bool view = false;
  bool if_not_exists = false;
  TableName name;
  std::vector<ColumnDefinition> columns;
  std::string key_name;  // CONSTRAINT pk
  std::vector<KeyColumn> key;
  std::vector<Property> properties;
  std::vector<ExpressionPtr> split_on;
  std::vector<std::pair<std::string, int>> qualifier_counters;  // COLUMN_QUALIFIER_COUNTER ('0'=13): family, next one
  std::unique_ptr<Select> as;                                   // a view: AS SELECT * FROM base WHERE ...
};

struct Drop {
  enum class What : uint8_t { kTable, kView, kIndex, kSequence, kSchema };
  What what = What::kTable;
  bool if_exists = false;
  bool cascade = false;
  TableName name;
  TableName on;  // of an index: its table
};

struct AlterTable {
  bool view = false;
  TableName name;
  bool if_not_exists = false;  // ADD
  std::vector<ColumnDefinition> add;
  std::vector<std::pair<std::string, std::string>> drop;  // family, name
  bool if_exists = false;                                 // DROP
  std::vector<Property> set;
};

struct CreateIndex {
  bool local = false;
  bool uncovered = false;
  bool if_not_exists = false;
  bool async = false;
  std::string name;
  TableName table;
  std::vector<OrderTerm> columns;
  std::vector<std::pair<std::string, std::string>> include;  // family, name
  ExpressionPtr where;
  std::vector<Property> properties;
  std::vector<ExpressionPtr> split_on;
};

struct AlterIndex {
  bool if_exists = false;
  std::string name;
  TableName table;
  std::string action;  // "REBUILD", "DISABLE", "UNUSABLE", "USABLE", "ACTIVE"
};

struct CreateSequence {
  bool if_not_exists = false;
  TableName name;
  ExpressionPtr start, increment, min, max, cache;
  bool cycle = false;
};

struct CreateSchema {
  bool if_not_exists = false;
  std::string name;
};

struct UseSchema {
  std::string name;  // empty: USE DEFAULT
};

struct UpdateStatistics {
  TableName table;
};

struct Show {
  enum class What : uint8_t { kTables, kSchemas, kCreateTable };
  What what = What::kTables;
  std::optional<std::string> schema;  // SHOW TABLES IN schema
  std::optional<std::string> like;
  TableName table;  // SHOW CREATE TABLE
};

struct Transaction {
  enum class What : uint8_t { kBegin, kCommit, kRollback, kSavepoint, kRollbackTo, kSetIsolation };
  enum class Isolation : uint8_t { kReadCommitted, kSnapshot, kSerializable };
  What what = What::kBegin;
  std::string savepoint;
  std::optional<Isolation> isolation;  // of BEGIN and SET TRANSACTION
};

struct CursorStatement {
  enum class What : uint8_t { kDeclare, kOpen, kFetch, kClose };
  What what = What::kDeclare;
  std::string name;
  std::unique_ptr<Select> select;  // of DECLARE
  int rows = 1;                    // of FETCH
};

struct Explain;

using ParsedStatement = std::variant<Select, Upsert, Update, Delete, CreateTable, Drop, AlterTable, CreateIndex,
                                     AlterIndex, CreateSequence, CreateSchema, UseSchema, UpdateStatistics, Show,
                                     Transaction, CursorStatement, std::unique_ptr<Explain>>;

struct Explain {
  ParsedStatement statement;
};

struct Parsed {
  ParsedStatement statement;
  int parameters = 0;  // highest position + 1
};

}  // namespace klip::sql
