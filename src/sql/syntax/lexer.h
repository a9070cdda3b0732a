// Splits a statement into tokens, like Phoenix's lexer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace klip::sql {

// Words that are not names unless quoted: those of Phoenix 5.2.
// clang-format off: it cannot format lists of macros.
#define KLIP_SQL_WORDS(X)                                                                                             \
  X(Active, "ACTIVE") X(Add, "ADD") X(All, "ALL") X(Alter, "ALTER") X(And, "AND") X(Any, "ANY") X(Array, "ARRAY")     \
  X(As, "AS") X(Asc, "ASC") X(Async, "ASYNC") X(Between, "BETWEEN") X(By, "BY") X(Cache, "CACHE")                     \
  X(Cascade, "CASCADE") X(Case, "CASE") X(Cast, "CAST") X(Close, "CLOSE") X(Column, "COLUMN")                         \
  X(ColumnQualifierCounter, "COLUMN_QUALIFIER_COUNTER") X(Columns, "COLUMNS") X(Constant, "CONSTANT")                 \
  X(Constraint, "CONSTRAINT") X(Create, "CREATE") X(Current, "CURRENT") X(Cursor, "CURSOR") X(Cycle, "CYCLE")         \
  X(Declare, "DECLARE") X(Default, "DEFAULT") X(DefaultValue, "DEFAULTVALUE") X(Delete, "DELETE") X(Desc, "DESC")     \
  X(Disable, "DISABLE") X(Distinct, "DISTINCT") X(Drop, "DROP") X(Duplicate, "DUPLICATE") X(Else, "ELSE")             \
  X(EncodedQualifier, "ENCODED_QUALIFIER") X(EndCase, "END") X(Execute, "EXECUTE") X(Exists, "EXISTS")                \
  X(Explain, "EXPLAIN") X(False, "FALSE") X(Fetch, "FETCH") X(First, "FIRST") X(For, "FOR") X(From, "FROM")           \
  X(Full, "FULL") X(Function, "FUNCTION") X(Grant, "GRANT") X(Group, "GROUP") X(Having, "HAVING") X(If, "IF")         \
  X(Ignore, "IGNORE") X(Ilike, "ILIKE") X(Immutable, "IMMUTABLE") X(In, "IN") X(Include, "INCLUDE")                   \
  X(Increment, "INCREMENT") X(Index, "INDEX") X(Inner, "INNER") X(Into, "INTO") X(Is, "IS") X(Jar, "JAR")             \
  X(Jars, "JARS") X(Join, "JOIN") X(Key, "KEY") X(Last, "LAST") X(Left, "LEFT") X(Like, "LIKE") X(Limit, "LIMIT")     \
  X(List, "LIST") X(Local, "LOCAL") X(MaxValue, "MAXVALUE") X(MinValue, "MINVALUE") X(Next, "NEXT") X(Not, "NOT")     \
  X(NoVerify, "NOVERIFY") X(Null, "NULL") X(Nulls, "NULLS") X(Off, "OFF") X(Offset, "OFFSET") X(On, "ON")             \
  X(Only, "ONLY") X(Open, "OPEN") X(Or, "OR") X(Order, "ORDER") X(Outer, "OUTER") X(Primary, "PRIMARY")               \
  X(Rebuild, "REBUILD") X(Regions, "REGIONS") X(Replace, "REPLACE") X(Returns, "RETURNS") X(Revoke, "REVOKE")         \
  X(Right, "RIGHT") X(Row, "ROW") X(RowTimestamp, "ROW_TIMESTAMP") X(Rows, "ROWS") X(Sampling, "SAMPLING")            \
  X(Schema, "SCHEMA") X(Schemas, "SCHEMAS") X(Select, "SELECT") X(Sequence, "SEQUENCE") X(Session, "SESSION")         \
  X(Set, "SET") X(Show, "SHOW") X(Some, "SOME") X(Split, "SPLIT") X(Start, "START") X(Statistics, "STATISTICS")       \
  X(Table, "TABLE") X(Tables, "TABLES") X(TableSample, "TABLESAMPLE") X(Temporary, "TEMPORARY") X(Then, "THEN")       \
  X(To, "TO") X(Trace, "TRACE") X(True, "TRUE") X(Uncovered, "UNCOVERED") X(Union, "UNION") X(Unusable, "UNUSABLE")   \
  X(Update, "UPDATE") X(Upgrade, "UPGRADE") X(Upsert, "UPSERT") X(Usable, "USABLE") X(Use, "USE") X(Using, "USING")   \
  X(Value, "VALUE") X(Values, "VALUES") X(View, "VIEW") X(When, "WHEN") X(Where, "WHERE")                             \
  X(With, "WITH") X(Within, "WITHIN")
// clang-format on

enum class TokenKind : uint8_t {
  kEnd,
  kBad,      // a character that starts no token
  kTooMany,  // more than kMaxTokens
  kName,     // a name, unquoted
  kQuotedName,
  kText,      // 'text'
  kInteger,   // digits
  kDecimal,   // 1.5
  kDouble,    // 1.5e3, 1e3, 1.
  kHex,       // x'00ff'
  kBits,      // b'00000001'
  kQuestion,  // ?
  kNumbered,  // :1
  kHint,      // /*+ ... */
  kEqual,
  kLess,
  kGreater,
  kNotEqual,  // != or <>
  kConcat,
  kComma,
  kLeft,  // (
  kRight,
  kSemicolon,
  kLeftSquare,
  kRightSquare,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kDot,
  kOther,  // a token that no statement has: == : { } @ ~
#define KLIP_SQL_WORD(name, text) kWord##name,
  KLIP_SQL_WORDS(KLIP_SQL_WORD)
#undef KLIP_SQL_WORD
};

struct Token {
  TokenKind kind;
  uint32_t offset;  // in the statement
  uint32_t length;
};

constexpr size_t kMaxStatementBytes = size_t{16} << 20;
constexpr size_t kMaxTokens = size_t{1} << 20;

// The tokens; only the last one is kEnd, kBad or kTooMany. As in Phoenix, a text, name or comment without an end is
// ignored. REQUIRES: text.size() <= kMaxStatementBytes.
std::vector<Token> Tokenize(std::string_view text);

// Its name in Phoenix's messages: "RPAREN", "EOF", "SELECT".
std::string_view TokenName(TokenKind kind);

// All of KLIP_SQL_WORDS, in their order: for completion.
const std::vector<std::string_view>& ReservedWords();

// The meaning of a token. REQUIRES: it is a name or a text.
std::string NormalizedName(std::string_view token);  // in upper case, or as it is between its quotes
std::string TextOf(std::string_view token);          // of kText

}  // namespace klip::sql
