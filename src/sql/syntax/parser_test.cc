#include "sql/syntax/parser.h"

#include <gtest/gtest.h>

#include "sql/syntax/lexer.h"

namespace klip::sql {
namespace {

std::string Repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

// The statement's error, or "".
std::string ErrorIn(std::string_view sql) { return ParseStatement(sql).status().message(); }

template <typename T>
T StatementIn(std::string_view sql) {
  Expected<Parsed> parsed = ParseStatement(sql);
  EXPECT_TRUE(parsed.ok()) << sql << ": " << parsed.status().ToString();
  if (!parsed.ok() || !std::holds_alternative<T>(parsed->statement)) {
    ADD_FAILURE() << sql << " is another statement";
    return {};
  }
  return std::get<T>(std::move(parsed->statement));
}

std::string Printed(std::string_view sql) {
  Expected<ExpressionPtr> expression = ParseExpression(sql);
  return expression.ok() ? ToString(**expression) : expression.status().message();
}

std::string Sql(std::string_view sql) {
  Expected<ExpressionPtr> expression = ParseExpression(sql);
  return expression.ok() ? ToSql(**expression) : expression.status().message();
}

const Value& LiteralIn(const Expected<ExpressionPtr>& expression) { return (*expression)->value; }

TEST(Lexer, ReadsTokensOfEveryKind) {
  std::string_view text =
      "SELECT a\"b C\" 'it''s' 12 1.5 .5 1e3 2. x'0F' b'01' ? :12 /*+ HINT */ -- comment\n/* other */ != <> || // end";
  std::vector<std::string> seen;
  for (const Token& token : Tokenize(text)) {
    seen.push_back(std::string(TokenName(token.kind)) + ":" + std::string(text.substr(token.offset, token.length)));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"SELECT:SELECT", "NAME:a", "NAME:\"b C\"", "STRING_LITERAL:'it''s'",
                                            "NUMBER:12", "DECIMAL:1.5", "DECIMAL:.5", "DOUBLE:1e3", "DOUBLE:2.",
                                            "HEX_LITERAL:x'0F'", "BIN_LITERAL:b'01'", "QUESTION:?", "BIND_NAME::12",
                                            "ML_HINT:/*+ HINT */", "NOEQ1:!=", "NOEQ1:<>", "CONCAT:||", "EOF:"}));
}

TEST(Lexer, KnowsEveryReservedWordInAnyCase) {
  for (std::string_view word : ReservedWords()) {
    std::string lower(word);
    for (char& c : lower) {
      c = c == '_' ? c : static_cast<char>(c | 0x20);
    }
    EXPECT_EQ(TokenName(Tokenize(lower)[0].kind), word);
    EXPECT_EQ(Tokenize(lower + "1")[0].kind, TokenKind::kName);
  }
}

TEST(Lexer, UnescapesTexts) {
  EXPECT_EQ(TextOf(R"('a''b\n\t\\\'\_\%\x')"), "a'b\n\t\\'\\_\\%\\x");
  EXPECT_EQ(NormalizedName("abc_1"), "ABC_1");
  EXPECT_EQ(NormalizedName("\"aBc\""), "aBc");
  EXPECT_EQ(NormalizedName("grün"), "GRüN");
}

TEST(Parser, ReadsLiteralsWithPhoenixsTypes) {
  auto type_of = [](std::string_view sql) { return LiteralIn(ParseExpression(sql)).type(); };
  EXPECT_EQ(type_of("2147483647"), Type::kInteger);
  EXPECT_EQ(type_of("2147483648"), Type::kBigint);
  EXPECT_EQ(type_of("9223372036854775807"), Type::kBigint);
  EXPECT_EQ(type_of("9223372036854775808"), Type::kDecimal);
  EXPECT_EQ(type_of("1.5"), Type::kDecimal);
  EXPECT_EQ(type_of("1.5e3"), Type::kDouble);
  EXPECT_EQ(type_of("2."), Type::kDouble);
  EXPECT_EQ(type_of("'a'"), Type::kVarchar);
  EXPECT_EQ(type_of("x'00ff'"), Type::kBinary);
  EXPECT_EQ(type_of("TRUE"), Type::kBoolean);
  EXPECT_EQ(type_of("DATE '1970-01-02'"), Type::kDate);
  EXPECT_EQ(type_of("-9223372036854775808"), Type::kBigint);
  EXPECT_EQ(LiteralIn(ParseExpression("-9223372036854775808")).integer(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(LiteralIn(ParseExpression("-2147483648")).integer(), -2147483648LL);
  EXPECT_TRUE(LiteralIn(ParseExpression("''")).is_null());
  EXPECT_TRUE(LiteralIn(ParseExpression("null")).is_null());
  EXPECT_EQ(LiteralIn(ParseExpression("x'4142' '43'")).text(), "ABC");
  EXPECT_EQ(LiteralIn(ParseExpression("b'0100 0001'")).text(), "A");
}

TEST(Parser, PrintsExpressionsAsPhoenix) {
  EXPECT_EQ(Printed("count(*)"), "COUNT(1)");
  EXPECT_EQ(Printed("count(distinct a)"), "DISTINCT_COUNT(A)");
  EXPECT_EQ(Printed("id || '-' || s"), "(ID || '-' || S)");
  EXPECT_EQ(Printed("note like 'a%'"), "NOTE LIKE 'a%'");
  EXPECT_EQ(Printed("note not like 'a%'"), "NOT (NOTE LIKE 'a%')");
  EXPECT_EQ(Printed("a[2]"), "ARRAY_ELEM(A, 2)");
  EXPECT_EQ(Printed("next value for sq"), "NEXT[1] VALUE(S) FOR SQ");
  EXPECT_EQ(Printed("next 5 values for s.sq"), "NEXT[5] VALUE(S) FOR S.SQ");
  EXPECT_EQ(Printed("current value for sq"), "CURRENT VALUE FOR SQ");
  EXPECT_EQ(Printed("a + b + c"), "(A + B + C)");
  EXPECT_EQ(Printed("(a + b) + c"), "((A + B) + C)");
  EXPECT_EQ(Printed("a * b / c % d"), "(((A * B) / C) % D)");
  EXPECT_EQ(Printed("a between 1 and 5"), "(A >= 1 AND A <= 5)");
  EXPECT_EQ(Printed("a not between 1 and 5"), "NOT ((A >= 1 AND A <= 5))");
  EXPECT_EQ(Printed("a in (1, 2)"), "A IN (1,2)");
  EXPECT_EQ(Printed("a not in (1)"), "NOT (A IN (1))");
  EXPECT_EQ(Printed("not a = 1"), "NOT (A = 1)");
  EXPECT_EQ(Printed("a <> 1 or b is not null and c is null"), "(A != 1 OR (B IS NOT NULL AND C IS NULL))");
  EXPECT_EQ(Printed("case a when 1 then 'x' when 2 then 'y' else 'z' end"),
            "CASE WHEN A = 1 THEN 'x'WHEN A = 2 THEN 'y' ELSE 'z' END");
  EXPECT_EQ(Printed("cast(a as bigint)"), "TO_BIGINT(A)");
  EXPECT_EQ(Printed("(a, b) > (1, 'it''s')"), "(A, B) > (1, 'it''s')");
  EXPECT_EQ(Printed("array[1,2]"), "ARRAY[1,2]");
  EXPECT_EQ(Printed("-a"), "(A * -1)");
  EXPECT_EQ(Printed("-5"), "-5");
  EXPECT_EQ(Printed("f.\"q x\""), "F.\"q x\"");
  EXPECT_EQ(Printed("percentile_cont(0.9) within group (order by a desc)"), "PERCENTILE_CONT(A, false, 0.9)");
  EXPECT_EQ(Printed("date '1000-01-01'"), "DATE '1000-01-01 00:00:00.000'");
}

TEST(Parser, BindsOperatorsAsPhoenix) {
  // Minus binds tighter than plus, and || tighter than both; labels show that.
  EXPECT_EQ(Printed("a - b + c - d"), "((A - B) + (C - D))");
  EXPECT_EQ(Printed("a + b - c"), "(A + (B - C))");
  EXPECT_EQ(Printed("a - b - c"), "(A - B - C)");
  EXPECT_EQ(Printed("a + b || c"), "(A + (B || C))");
  EXPECT_EQ(Printed("a || b * c"), "(A || (B * C))");
  EXPECT_EQ(Printed("a or b and not c = 1"), "(A OR (B AND NOT (C = 1)))");
}

TEST(Parser, PrintsSqlThatReadsAsTheSame) {
  for (std::string_view sql : {"a = 1 and (b = 2) = c",
                               "(a between 1 and 2) = b",
                               "(a not between 1 and 2) = b",
                               "a like 'x''\\\\y\\%' or not b ilike '%z'",
                               "a between 1 and 2.50",
                               "a not in (1, ?, :3)",
                               "case when a then 1 when b then 2 end",
                               "cast(a as decimal(10, 2)) + 1e3",
                               "count(distinct a, b) + count(*)",
                               "- -5 - -a",
                               "\"select\".\"a b\"",
                               "next 3 values for s + current value for s",
                               "(a || b)[2] = any(c)",
                               "first_value(a) within group (order by b, c desc)",
                               "x'00ff' < date '2014-06-28'",
                               "-(-(-a))",
                               "array[1, 2][1]",
                               "(a, b) in ((1, 2), (3, 4))",
                               "1 = all(c)",
                               "a is null is not null"}) {
    Expected<ExpressionPtr> first = ParseExpression(sql);
    if (sql.starts_with("- -") || sql.ends_with("is not null")) {
      EXPECT_FALSE(first.ok()) << sql;  // two signs or two tests are not an expression
      continue;
    }
    ASSERT_TRUE(first.ok()) << sql << ": " << first.status().ToString();
    std::string printed = ToSql(**first);
    EXPECT_EQ(Sql(printed), printed) << sql;
    EXPECT_EQ(ToSql(*Clone(**first)), printed) << sql;
    EXPECT_EQ(Printed(printed), ToString(**first)) << sql;
  }
}

TEST(Parser, ReadsSelect) {
  auto select = StatementIn<Select>(
      "SELECT /*+ SKIP_SCAN index(t \"i\" J) */ DISTINCT t.*, s.t.*, a AS x, b y, sum(c) FROM s.t AS t (d INTEGER, f.e "
      "VARCHAR(5)) "
      "WHERE a = ? AND b = :4 GROUP BY a, b HAVING sum(c) > 1 ORDER BY a DESC NULLS LAST, b LIMIT 10 OFFSET ? ROWS");
  EXPECT_EQ(select.hints, (std::vector<std::string>{"SKIP_SCAN", "INDEX(T i J)"}));
  EXPECT_TRUE(select.distinct);
  ASSERT_EQ(select.items.size(), 5U);
  EXPECT_EQ(select.items[0].expression->qualifier, "T");
  EXPECT_EQ(select.items[1].expression->schema, "S");
  EXPECT_EQ(select.items[2].alias, "X");
  EXPECT_EQ(select.items[3].alias, "Y");
  EXPECT_EQ(select.from->table, (TableName{"S", "T"}));
  ASSERT_EQ(select.from->dynamic_columns.size(), 2U);
  EXPECT_EQ(select.from->dynamic_columns[1].family, "F");
  EXPECT_EQ(select.from->dynamic_columns[1].type.max_length, 5);
  EXPECT_EQ(ToString(*select.where), "(A = ? AND B = ?)");
  EXPECT_EQ(select.group_by.size(), 2U);
  EXPECT_TRUE(select.order_by[0].descending);
  EXPECT_EQ(select.order_by[0].nulls_last, true);
  EXPECT_FALSE(select.order_by[1].nulls_last.has_value());
  EXPECT_EQ(select.offset->position, 4);
  EXPECT_EQ(ParseStatement("SELECT ? FROM t WHERE a = :4 AND b = ?")->parameters, 5);
  EXPECT_EQ(StatementIn<Select>("select 1 from t fetch first 3 rows only").limit->value.integer(), 3);
  EXPECT_EQ(ToString(*StatementIn<Select>("select 1 from t limit 5 offset (a, b) = (1, 2)").offset), "(A, B) = (1, 2)");
}

TEST(Parser, ReadsJoinsUnionsAndSubqueries) {
  auto select = StatementIn<Select>(
      "SELECT a FROM t LEFT OUTER JOIN (SELECT b FROM u) v ON t.x = v.b, w CROSS JOIN z UNION ALL SELECT 2 FROM y "
      "ORDER BY 1");
  const FromItem& cross = *select.from;
  EXPECT_EQ(cross.join, FromItem::Join::kCross);
  EXPECT_EQ(cross.left->join, FromItem::Join::kLeft);
  EXPECT_EQ(cross.left->right->alias, "V");
  EXPECT_EQ(ToString(*cross.left->on), "T.X = V.B");
  EXPECT_EQ(cross.right->join, FromItem::Join::kCross);
  EXPECT_EQ(select.set_operands.size(), 1U);
  EXPECT_EQ(select.order_by.size(), 1U);
  auto nested = StatementIn<Select>(
      "SELECT (SELECT max(a) FROM u) FROM t WHERE a IN (SELECT b FROM v) AND NOT EXISTS (SELECT 1 FROM w WHERE w.c = "
      "t.c) "
      "AND d = ANY (SELECT e FROM x) AND f > (SELECT 1)");
  EXPECT_EQ(nested.items[0].expression->kind, Expression::Kind::kSubquery);
  const auto& conditions = nested.where->operands;
  ASSERT_EQ(conditions.size(), 4U);
  EXPECT_NE(conditions[0]->select, nullptr);
  EXPECT_EQ(conditions[1]->operands[0]->kind, Expression::Kind::kExists);
  EXPECT_EQ(conditions[2]->kind, Expression::Kind::kQuantified);
  EXPECT_FALSE(conditions[2]->all);
  EXPECT_EQ(conditions[3]->operands[1]->kind, Expression::Kind::kSubquery);
  EXPECT_EQ(Clone(nested)->where->operands.size(), 4U);
}

TEST(Parser, ReadsChanges) {
  auto upsert = StatementIn<Upsert>(
      "UPSERT INTO s.t (a, f.b, c INTEGER) VALUES (1, 'x', ?), (2, NULL, 3) ON DUPLICATE KEY UPDATE f.b = b + 1, c = "
      "2");
  EXPECT_FALSE(upsert.insert);
  EXPECT_EQ(upsert.columns[1].family, "F");
  EXPECT_EQ(upsert.columns[1].type.type, Type::kNull);
  EXPECT_EQ(upsert.columns[2].type.type, Type::kInteger);
  EXPECT_EQ(upsert.rows.size(), 2U);
  EXPECT_EQ(upsert.on_duplicate.size(), 2U);
  EXPECT_TRUE(StatementIn<Upsert>("upsert into t values (1) on duplicate key ignore").ignore_duplicate);
  EXPECT_NE(StatementIn<Upsert>("upsert /*+ x */ into t select * from u").select, nullptr);
  EXPECT_TRUE(StatementIn<Upsert>("insert into t values (1)").insert);
  auto update = StatementIn<Update>("UPDATE t SET a = 1, f.b = a + 1 WHERE c = 2");
  EXPECT_EQ(update.assignments[1].family, "F");
  EXPECT_EQ(ToString(*update.where), "C = 2");
  auto removal = StatementIn<Delete>("DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 5;");
  EXPECT_EQ(removal.limit->value.integer(), 5);
  EXPECT_EQ(StatementIn<UpdateStatistics>("update statistics s.t all").table.schema, "S");
}

TEST(Parser, ReadsTablesAndViews) {
  auto table = StatementIn<CreateTable>(
      "CREATE TABLE IF NOT EXISTS s.t (a CHAR(3) NOT NULL, b DECIMAL(10, 2) DEFAULT 1 + 1, f.c INTEGER ARRAY, d "
      "BIGINT[4], "
      "e UNSIGNED_DATE CONSTRAINT pk PRIMARY KEY (a DESC, e ROW_TIMESTAMP)) "
      "SALT_BUCKETS=4, f.COMPRESSION=Snappy, \"TTL\"='x', IMMUTABLE_ROWS=true SPLIT ON ('a', 'b')");
  EXPECT_TRUE(table.if_not_exists);
  EXPECT_TRUE(table.columns[0].not_null);
  EXPECT_EQ(table.columns[0].type.max_length, 3);
  EXPECT_EQ(table.columns[1].type.precision, 10);
  EXPECT_EQ(table.columns[1].type.scale, 2);
  EXPECT_EQ(ToString(*table.columns[1].default_value), "(1 + 1)");
  EXPECT_TRUE(table.columns[2].type.array && table.columns[3].type.array);
  EXPECT_EQ(table.key_name, "PK");
  ASSERT_EQ(table.key.size(), 2U);
  EXPECT_TRUE(table.key[0].descending && table.key[1].row_timestamp);
  ASSERT_EQ(table.properties.size(), 4U);
  EXPECT_EQ(table.properties[1].family, "F");
  EXPECT_EQ(table.properties[1].value.text(), "Snappy");
  EXPECT_EQ(table.split_on.size(), 2U);
  EXPECT_TRUE(StatementIn<CreateTable>("create table t (k varchar primary key desc)").columns[0].descending);
  EXPECT_EQ(StatementIn<CreateTable>("create immutable table t (k varchar primary key)").properties[0].name,
            "IMMUTABLE_ROWS");
  EXPECT_EQ(StatementIn<CreateTable>("create table t (a integer, b integer, primary key (a, b))").key.size(), 2U);
  EXPECT_TRUE(StatementIn<CreateTable>("create table t (a integer)").key.empty());
  auto view = StatementIn<CreateTable>("CREATE VIEW v (x INTEGER) AS SELECT * FROM t WHERE a = 'y' TTL=5");
  EXPECT_TRUE(view.view);
  EXPECT_EQ(ToSql(*view.as->where), "A = 'y'");
  EXPECT_EQ(view.properties.size(), 1U);
  EXPECT_EQ(StatementIn<CreateTable>("create view \"t\" (pk varchar primary key, \"f\".\"q\" unsigned_long)").name.name,
            "t");
}

TEST(Parser, ReadsOtherDefinitions) {
  auto index = StatementIn<CreateIndex>(
      "CREATE LOCAL INDEX IF NOT EXISTS i ON s.t (a DESC, UPPER(b)) INCLUDE (c, f.d) ASYNC TTL=5 SPLIT ON ('x')");
  EXPECT_TRUE(index.local && index.if_not_exists && index.async && index.columns[0].descending);
  EXPECT_EQ(index.include[1], std::make_pair(std::string("F"), std::string("D")));
  EXPECT_EQ(index.split_on.size(), 1U);
  EXPECT_NE(StatementIn<CreateIndex>("create uncovered index i on t (a) where b > 1").where, nullptr);
  EXPECT_EQ(StatementIn<AlterIndex>("alter index if exists i on t rebuild async").action, "REBUILD");
  auto drop = StatementIn<Drop>("DROP INDEX IF EXISTS i ON s.t");
  EXPECT_EQ(drop.on.schema, "S");
  EXPECT_TRUE(StatementIn<Drop>("drop table t cascade").cascade);
  EXPECT_EQ(StatementIn<Drop>("drop sequence s.q").name.schema, "S");
  auto alter =
      StatementIn<AlterTable>("ALTER TABLE t ADD IF NOT EXISTS a INTEGER, f.b VARCHAR(3) TTL=5 CASCADE INDEX ALL");
  EXPECT_EQ(alter.add.size(), 2U);
  EXPECT_EQ(alter.set.size(), 1U);
  EXPECT_EQ(StatementIn<AlterTable>("alter view v drop column if exists a, f.b").drop.size(), 2U);
  EXPECT_EQ(StatementIn<AlterTable>("alter table t set ttl=5, f.versions=3").set[1].family, "F");
  auto sequence = StatementIn<CreateSequence>(
      "CREATE SEQUENCE s.q START WITH 5 INCREMENT BY 2 MINVALUE 1 MAXVALUE 10 CYCLE CACHE 3");
  EXPECT_TRUE(sequence.cycle);
  EXPECT_EQ(sequence.max->value.integer(), 10);
  EXPECT_EQ(sequence.cache->value.integer(), 3);
  EXPECT_EQ(StatementIn<CreateSchema>("create schema if not exists x").name, "X");
  EXPECT_EQ(StatementIn<UseSchema>("use x").name, "X");
  EXPECT_EQ(StatementIn<UseSchema>("use default").name, "");
  EXPECT_EQ(StatementIn<Transaction>("rollback to savepoint a").savepoint, "A");
  EXPECT_EQ(StatementIn<Transaction>("start transaction").what, Transaction::What::kBegin);
  EXPECT_EQ(StatementIn<Transaction>("begin isolation level serializable").isolation,
            Transaction::Isolation::kSerializable);
  EXPECT_EQ(StatementIn<Transaction>("set transaction isolation level repeatable read").isolation,
            Transaction::Isolation::kSnapshot);
  EXPECT_EQ(StatementIn<Transaction>("set transaction isolation level read committed").what,
            Transaction::What::kSetIsolation);
  EXPECT_EQ(StatementIn<Transaction>("commit;").what, Transaction::What::kCommit);
  auto explain = StatementIn<std::unique_ptr<Explain>>("explain with regions select 1");
  EXPECT_TRUE(std::holds_alternative<Select>(explain->statement));
}

TEST(Parser, SaysThatAStatementIsEmpty) {
  EXPECT_EQ(ErrorIn(""), "ERROR 601 (42P00): Syntax error. Encountered \"<EOF>\" at line 1, column 1.");
}

TEST(Parser, RefusesDepthThatWouldOverflowTheStack) {
  constexpr int kMany = 100'000;
  for (const std::string& sql :
       {"SELECT " + Repeated("(", kMany), "SELECT " + Repeated("f(", kMany), "SELECT 1" + Repeated("*1", kMany),
        "SELECT " + Repeated("(SELECT ", kMany), "SELECT 1 FROM " + Repeated("(", kMany),
        "SELECT 1 FROM t" + Repeated(", t", kMany), "SELECT " + Repeated("CASE WHEN ", kMany),
        "SELECT " + Repeated("a[", kMany), "SELECT " + Repeated("EXISTS (SELECT ", kMany),
        "SELECT " + Repeated("(SELECT 1" + Repeated("*1", 100) + "*", 100),
        "SELECT " + Repeated("CASE ", 40) + "1" + Repeated(" WHEN 1 THEN 1 WHEN 2 THEN 2 END", 40)}) {
    EXPECT_NE(ErrorIn(sql), "") << sql.substr(0, 40);
  }
  EXPECT_EQ(ErrorIn("SELECT 1" + Repeated(" + 1", kMany)), "");
  EXPECT_EQ(ErrorIn("SELECT a FROM t WHERE b IN (1" + Repeated(",1", kMany) + ")"), "");
  EXPECT_EQ(ErrorIn("SELECT " + Repeated("(", 200) + "1" + Repeated(")", 200)), "");
  EXPECT_NE(ErrorIn("SELECT 1" + Repeated(",1", 20'000)), "");
  EXPECT_NE(ErrorIn("SELECT a FROM t WHERE b IN (1" + Repeated(",1", 600'000) + ")").find("tokens"), std::string::npos);
  EXPECT_NE(ErrorIn("SELECT '" + std::string(kMaxStatementBytes, 'x') + "'").find("bytes"), std::string::npos);
}

TEST(Parser, SplitsScripts) {
  auto statements = SplitScript("select ';'; -- a; b\n\n/* ; */ select \"x;\"\n from t ;; // end\n select 3 # ';' ");
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(statements[0].text, "select ';'");
  EXPECT_EQ(statements[1].text, "select \"x;\"\n from t");
  EXPECT_EQ(statements[1].line, 3);
  EXPECT_TRUE(statements[1].ended);
  EXPECT_EQ(statements[2].text, "select 3 # ';'");
  EXPECT_EQ(statements[2].line, 5);
  EXPECT_FALSE(statements[2].ended);
  EXPECT_TRUE(SplitScript(" ; -- nothing").empty());
  EXPECT_FALSE(SplitScript("select 'a; ").front().ended);
}

TEST(Parser, KnowsWhichNamesNeedQuotes) {
  EXPECT_EQ(QuotedName("ABC_1"), "ABC_1");
  EXPECT_EQ(QuotedName("abc"), "\"abc\"");
  EXPECT_EQ(QuotedName("SELECT"), "\"SELECT\"");
  EXPECT_EQ(QuotedName("1A"), "\"1A\"");
  EXPECT_EQ(QuotedName(""), "\"\"");
  EXPECT_EQ(ToString(TableName{"S", "a b"}), "S.\"a b\"");
}

}  // namespace
}  // namespace klip::sql
