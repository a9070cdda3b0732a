// Compares statements that exceed their memory limit with the same ones with enough memory.
#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "klip/cancel.h"
#include "klip/connection.h"
#include "klip/sql.h"
#include "sql/exec/operator.h"
#include "sql/open_temporary_files_test.h"
#include "sql/rows_text_test.h"

namespace klip::sql {
namespace {

class SpillingTest : public testing::Test {
 protected:
  SpillingTest() : directory_(TempDirectory::Where::kMemory) {
    connection_ = *Connection::Open("klip:" + directory_.path(), {.sync_wal = false});
    large_ = Open({});
    small_ = Open({.memory_bytes = 100'000});
  }

  std::unique_ptr<Session> Open(SessionOptions options) {
    options.temporary_directory = temporary_.path();
    return *Session::Open(connection_.get(), options);
  }

  // `few` has 50 values, of which one has a third of the rows; `many` has about as many as there are rows.
  void MakeTable(const std::string& name, int rows) {
    const std::unique_ptr<Session> session = Open({.auto_commit = false});
    ASSERT_EQ(RunText(session.get(), "CREATE TABLE " + name +
                                         " (k INTEGER PRIMARY KEY, few INTEGER, many BIGINT, t VARCHAR, r DOUBLE, n "
                                         "DECIMAL(20, 3), at TIMESTAMP)"),
              "0");
    const std::unique_ptr<Statement> upsert = *session->Prepare("UPSERT INTO " + name + " VALUES (?,?,?,?,?,?,?)");
    const auto or_null = [&](Value value) { return Pick(10) == 0 ? Value() : value; };
    for (int k = 0; k < rows; ++k) {
      const std::vector<Value> values = {
          Value::Integer(k),
          or_null(Value::Integer(Pick(3) == 0 ? 7 : Pick(50))),
          or_null(Value::Integer(Pick(rows * 2))),
          or_null(Value::Text("t" + std::to_string(Pick(500)) + std::string(static_cast<size_t>(Pick(60)), 'x'))),
          or_null(Value::Double(static_cast<double>(Pick(2'000)) / 7)),
          or_null(Value::Number(Decimal(Pick(100'000), 3))),
          or_null(
              Value(Type::kTimestamp, Value::Timestamp{Pick(100'000) * 1'000, static_cast<int32_t>(Pick(1'000'000))}))};
      ASSERT_TRUE(upsert->Execute(values).ok());
    }
    ASSERT_TRUE(session->Commit().ok());
  }

  int64_t Pick(int64_t below) { return std::uniform_int_distribution<int64_t>(0, below - 1)(random_); }
  std::string OneOf(const std::vector<std::string>& values) {
    return values[static_cast<size_t>(Pick(static_cast<int64_t>(values.size())))];
  }

  std::string OrderBy() {
    std::string text = " ORDER BY ";
    const int64_t terms = 1 + Pick(3);
    for (int64_t i = 0; i < terms; ++i) {
      text += (i == 0 ? "" : ", ") + OneOf({"few", "many", "t", "r", "n", "at", "k"}) + OneOf({"", " DESC"}) +
              OneOf({"", " NULLS LAST", " NULLS FIRST"});
    }
    return text + OneOf({"", "", " LIMIT 10", " LIMIT 2000", " LIMIT 700 OFFSET 1000"});
  }

  std::string Groups() { return OneOf({"few", "many", "t", "at", "r, few", "many, t", "n"}); }

  std::string Aggregates() {
    std::string text;
    const int64_t calls = 1 + Pick(3);
    for (int64_t i = 0; i < calls; ++i) {
      text += ", " +
              OneOf({"COUNT(*)", "SUM(r)", "AVG(n)", "MIN(t)", "MAX(at)", "MAX(t)", "STDDEV_POP(r)",
                     "COUNT(DISTINCT t)", "COUNT(DISTINCT many)", "SUM(DISTINCT r)", "AVG(DISTINCT n)",
                     "MIN(DISTINCT t)", "FIRST_VALUE(t) WITHIN GROUP (ORDER BY few DESC)",
                     "FIRST_VALUES(t, 3) WITHIN GROUP (ORDER BY few DESC)",
                     "LAST_VALUES(few, 2) WITHIN GROUP (ORDER BY t ASC)",
                     "LAST_VALUE(k) WITHIN GROUP (ORDER BY few ASC)", "NTH_VALUE(k, 3) WITHIN GROUP (ORDER BY r DESC)",
                     "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY many ASC)",
                     "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY r ASC)"});
    }
    return text;
  }

  // Runs a statement with much and with little memory. `ordered`: the language promises the order of the rows.
  void Compare(const std::string& sql, bool ordered) {
    const std::string expected = RunText(large_.get(), sql);
    const Expected<std::unique_ptr<Rows>> rows = small_->Execute(sql, {});
    ASSERT_TRUE(rows.ok()) << sql << ": " << rows.status().ToString();
    const std::string text = RowsText(rows->get());
    spilled_ += (*rows)->temporary_bytes() > 0 ? 1 : 0;
    EXPECT_FALSE(expected.starts_with("ERROR")) << sql << ": " << expected;
    ASSERT_EQ(FirstDifference(ordered ? text : Sorted(text), ordered ? expected : Sorted(expected)), "") << sql;
    EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty()) << sql;
  }

  // The end of the rows.
  static Status LastStatus(Rows* rows) {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next());
      if (!more) {
        return Status::Ok();
      }
    }
  }

  // The first line of `text` that is not in `expected`, and the one there; empty: they are equal.
  static std::string FirstDifference(const std::string& text, const std::string& expected) {
    std::istringstream in(text);
    std::istringstream expected_in(expected);
    for (int number = 1;; ++number) {
      std::string line;
      std::string expected_line;
      const bool more = static_cast<bool>(std::getline(in, line));
      const bool more_expected = static_cast<bool>(std::getline(expected_in, expected_line));
      if (more != more_expected || line != expected_line) {
        return "line " + std::to_string(number) + ": " + line + ", expected: " + expected_line;
      }
      if (!more) {
        return "";
      }
    }
  }

  static std::string Sorted(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    std::string sorted;
    for (const std::string& line : lines) {
      sorted += line + "\n";
    }
    return sorted;
  }

  TempDirectory directory_;
  TempDirectory temporary_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Session> large_;
  std::unique_ptr<Session> small_;
  std::mt19937 random_{11};
  int spilled_ = 0;  // statements that Compare saw write to a file
};

TEST_F(SpillingTest, SortsAsInMemory) {
  MakeTable("a", 6'000);
  for (int i = 0; i < 30; ++i) {
    Compare("SELECT * FROM a" + OrderBy(), /*ordered=*/true);
  }
  EXPECT_GT(spilled_, 15);
}

TEST_F(SpillingTest, GroupsAsInMemory) {
  MakeTable("a", 6'000);
  for (int i = 0; i < 50; ++i) {
    const std::string groups = Groups();
    Compare("SELECT " + groups + Aggregates() + " FROM a GROUP BY " + groups + OneOf({"", " ORDER BY 2, 1"}),
            /*ordered=*/true);
  }
  EXPECT_GT(spilled_, 30);
}

TEST_F(SpillingTest, AggregatesAllRowsAsInMemory) {
  MakeTable("a", 6'000);
  for (int i = 0; i < 30; ++i) {
    Compare("SELECT 1" + Aggregates() + " FROM a" + OneOf({"", " WHERE k < 0"}), /*ordered=*/true);
  }
  EXPECT_GT(spilled_, 10);
}

TEST_F(SpillingTest, FindsDifferentRowsAsInMemory) {
  MakeTable("a", 6'000);
  for (const char* const columns : {"few", "many", "t", "few, t", "r, n", "at", "few, few"}) {
    Compare(std::string("SELECT DISTINCT ") + columns + " FROM a", /*ordered=*/true);
  }
  EXPECT_GT(spilled_, 4);
}

TEST_F(SpillingTest, JoinsAsInMemory) {
  MakeTable("a", 1'500);
  MakeTable("b", 3'000);
  for (const char* const kind : {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"}) {
    for (const char* const condition :
         {"a.many = b.many", "a.t = b.t AND a.few < b.few", "a.few = b.few AND b.k < 2000 AND a.k > 1300",
          "a.many = b.many AND a.few = b.few", "a.k = b.k", "a.k = b.many AND a.r > b.r"}) {
      Compare(std::string("SELECT a.*, b.k, b.t, b.n FROM a ") + kind + " b ON " + condition, /*ordered=*/false);
      Compare(std::string("SELECT a.few, COUNT(*), SUM(b.n) FROM a ") + kind + " b ON " + condition +
                  " GROUP BY a.few HAVING SUM(b.k) > 10",
              /*ordered=*/true);
    }
  }
  EXPECT_EQ(spilled_, 48);
  Compare("SELECT COUNT(*), SUM(a.k * b.k), MIN(a.t || b.t) FROM a, b", /*ordered=*/true);
}

// `b` as a join of joins, of groups and of sorted rows: several operators write to the file.
TEST_F(SpillingTest, RunsManyOperatorsBeyondMemory) {
  MakeTable("a", 2'000);
  MakeTable("b", 3'000);
  for (const char* const sql :
       {"SELECT g.m, a.k, g.c FROM a JOIN (SELECT many AS m, COUNT(*) AS c, MAX(t) AS x FROM b GROUP BY many) AS g ON "
        "a.many = g.m ORDER BY g.c DESC, g.m, a.k",
        "SELECT DISTINCT x.t, y.few FROM b AS x LEFT JOIN a AS y ON x.many = y.many RIGHT JOIN b AS z ON x.k = z.k",
        "SELECT k FROM a WHERE few > (SELECT COUNT(DISTINCT t) / 100 FROM b WHERE b.few = a.few) ORDER BY t, k",
        "SELECT t FROM a UNION ALL SELECT t FROM b ORDER BY 1 DESC"}) {
    Compare(sql, /*ordered=*/true);
  }
  EXPECT_EQ(spilled_, 4);
}

// Sets of rows of IN and = ANY that are no joins: in OR, HAVING, the select list, and for each outer value.
TEST_F(SpillingTest, LooksForRowsOfSubqueriesBeyondMemory) {
  MakeTable("a", 2'000);
  MakeTable("b", 8'000);
  for (const char* const sql :
       {"SELECT k FROM a WHERE few = 7 OR many IN (SELECT many FROM b)",
        "SELECT k FROM a WHERE few = 7 OR many NOT IN (SELECT many FROM b WHERE many IS NOT NULL) ORDER BY k DESC "
        "LIMIT 50",
        "SELECT k FROM a WHERE k < 20 OR (t, n) IN (SELECT t, n FROM b) OR many <> ALL (SELECT many FROM b)",
        "SELECT k, many IN (SELECT many + 1 FROM b), t || 'x' = ANY (SELECT t || k FROM b) FROM a",
        "SELECT many, COUNT(*) FROM a GROUP BY many HAVING COUNT(*) > 2 OR many IN (SELECT k FROM b)",
        "SELECT k FROM a WHERE few < 3 AND (k = 1 OR many IN (SELECT b.many + a.few FROM b))",
        "SELECT k FROM a WHERE k = 3 OR t IN (SELECT t FROM b GROUP BY t, many)"}) {
    Compare(sql, /*ordered=*/true);
  }
  EXPECT_EQ(spilled_, 7);
}

// Repeats the same statement, also after reading only some of its rows.
TEST_F(SpillingTest, BeginsAgain) {
  MakeTable("a", 6'000);
  const std::string sql =
      "SELECT a.k, COUNT(DISTINCT b.k), MAX(b.t) FROM a JOIN a AS b ON a.many = b.many GROUP BY a.k";
  const std::string expected = RunText(large_.get(), sql);
  const std::unique_ptr<Statement> statement = *small_->Prepare(sql);
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<Rows> abandoned = *statement->Execute();
    ASSERT_TRUE(*abandoned->Next());
    const std::unique_ptr<Rows> rows = *statement->Execute();
    EXPECT_EQ(FirstDifference(RowsText(rows.get()), expected), "");
    EXPECT_GT(rows->temporary_bytes(), 100'000);
  }
  EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty());
  const std::unique_ptr<Rows> abandoned = *statement->Execute();
  EXPECT_EQ(OpenTemporaryFiles(temporary_.path()).size(), 1U);
  EXPECT_TRUE(std::filesystem::is_empty(temporary_.path()));
}

TEST_F(SpillingTest, ClosesTheFileOfRowsThatAreNotTaken) {
  MakeTable("a", 6'000);
  const std::unique_ptr<Statement> statement = *small_->Prepare("SELECT * FROM a ORDER BY t");
  std::unique_ptr<Rows> rows = *statement->Execute();
  ASSERT_TRUE(*rows->Next());
  EXPECT_EQ(OpenTemporaryFiles(temporary_.path()).size(), 1U);
  rows.reset();
  EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty());
}

// Cancels after this many checks of the token: while reading rows, merging runs and returning rows.
TEST_F(SpillingTest, StopsWhereverItIsCancelled) {
  MakeTable("a", 6'000);
  for (const char* const sql : {"SELECT * FROM a ORDER BY t", "SELECT many, COUNT(DISTINCT t) FROM a GROUP BY many",
                                "SELECT a.k FROM a FULL JOIN a AS b ON a.many = b.many"}) {
    const std::unique_ptr<Statement> statement = *small_->Prepare(sql);
    int asked_in_all = 0;
    {
      const CancelScope scope(CancelToken::Asking([&] { return ++asked_in_all < 0; }));
      ASSERT_FALSE(RowsText(statement->Execute()->get()).empty());
    }
    ASSERT_GT(asked_in_all, 20);
    for (int i = 1; i < 10; ++i) {
      int left = asked_in_all * i / 10;
      const CancelScope scope(CancelToken::Asking([&] { return --left < 0; }));
      const Expected<std::unique_ptr<Rows>> rows = statement->Execute();
      EXPECT_EQ(rows.ok() ? LastStatus(rows->get()).code() : rows.status().code(), Code::kCancelled) << sql;
      if (!rows.ok()) {
        EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty()) << sql;
      }
    }
  }
}

TEST_F(SpillingTest, FailsBeyondTheDiskSpaceThatItMayHave) {
  MakeTable("a", 6'000);
  const std::unique_ptr<Session> little = Open({.memory_bytes = 100'000, .temporary_bytes = 200'000});
  for (const char* const sql : {"SELECT * FROM a ORDER BY t", "SELECT k, SUM(few) FROM a GROUP BY k, t, at",
                                "SELECT * FROM a JOIN a AS b ON a.many = b.many"}) {
    EXPECT_EQ(RunText(little.get(), sql),
              "ERROR 999 (50M01): Unable to allocate enough disk space: the statement needs more than 200000 bytes for "
              "groups, sorted rows and joins");
    EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty());
  }
  const std::unique_ptr<Session> nowhere =
      *Session::Open(connection_.get(), {.memory_bytes = 100'000, .temporary_directory = "/none"});
  EXPECT_EQ(RunText(nowhere.get(), "SELECT * FROM a ORDER BY t"),
            "SQL: creating the temporary file of a statement in /none: No such file or directory");
  EXPECT_EQ(RunText(nowhere.get(), "SELECT COUNT(*) FROM a"), "6000\n");
}

TEST_F(SpillingTest, ChangesRowsBySortedOnes) {
  MakeTable("a", 6'000);
  ASSERT_EQ(RunText(small_.get(), "CREATE TABLE b (t VARCHAR PRIMARY KEY, c BIGINT)"), "0");
  const std::string count = RunText(large_.get(), "SELECT COUNT(DISTINCT t) FROM a");
  EXPECT_EQ(RunText(small_.get(), "UPSERT INTO b SELECT t, COUNT(*) FROM a WHERE t IS NOT NULL GROUP BY t") + "\n",
            count);
  EXPECT_EQ(RunText(small_.get(), "SELECT COUNT(*) FROM b"), count);
  EXPECT_TRUE(OpenTemporaryFiles(temporary_.path()).empty());
}

// All kinds of joins of random rows, with NULLs, and with one or a few keys whose rows exceed the memory.
class SpillingJoins : public testing::Test {
 protected:
  // A key, the row's number and a number below 100.
  RowMaker MakeRows(size_t count, int64_t keys) {
    std::vector<std::vector<Value>> rows;
    for (size_t i = 0; i < count; ++i) {
      const auto key = static_cast<int64_t>(random_()) % keys;
      rows.push_back({random_() % 8 == 0 ? Value() : Value::Integer(key), Value::Integer(static_cast<int64_t>(i)),
                      Value::Integer(static_cast<int64_t>(random_() % 100))});
    }
    return [rows] { return rows; };
  }

  std::vector<std::string> Run(OperatorPtr given, int64_t memory_bytes) {
    Execution execution;
    execution.memory.Limit(memory_bytes, nullptr);
    execution.temporary = TemporaryFile(directory_.path(), 1 << 30);
    const OperatorPtr join = std::move(given);  // its memory is of the execution
    EXPECT_TRUE(join->Open(&execution).ok());
    std::vector<std::string> rows;
    for (Batch batch; *join->Next(&batch);) {
      for (size_t row = 0; row < batch.rows; ++row) {
        std::string& text = rows.emplace_back();
        for (const Vector& column : batch.columns) {
          text += column.At(row).ToString() + "|";
        }
      }
    }
    written_bytes_ = execution.temporary.written_bytes();
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  TempDirectory directory_;
  std::mt19937 random_{3};
  int64_t written_bytes_ = 0;
};

TEST_F(SpillingJoins, GiveWhatTheyGiveInMemory) {
  const std::vector<DataType> types(3, DataType{.type = Type::kBigint});
  for (const int64_t keys : {1, 3, 400, 100'000}) {
    const RowMaker left_rows = MakeRows(keys < 10 ? 40 : 2'000, keys);
    const RowMaker right_rows = MakeRows(5'000, keys);
    for (const JoinKind kind :
         {JoinKind::kInner, JoinKind::kLeft, JoinKind::kRight, JoinKind::kFull, JoinKind::kSemi, JoinKind::kAnti}) {
      for (const bool few_pairs : {false, true}) {  // a left row meets one row at most, in one of its key's ranges
        const auto make = [&] {
          JoinKeys join_keys;
          join_keys.left.push_back(MakeColumn(0, types[0]));
          join_keys.right.push_back(MakeColumn(0, types[0]));
          return MakeJoin(MakeMadeRows(types, left_rows, ""), MakeMadeRows(types, right_rows, ""), kind,
                          std::move(join_keys),
                          few_pairs ? *MakeCompare(Compare::kEqual, MakeColumn(1, types[0]), MakeColumn(4, types[0]))
                                    : *MakeCompare(Compare::kLess, MakeColumn(2, types[0]), MakeColumn(5, types[0])));
        };
        const std::vector<std::string> expected = Run(make(), 1 << 30);
        EXPECT_EQ(written_bytes_, 0);
        for (const int64_t memory_bytes : {100'000, 400'000}) {  // less than a batch, and some batches
          EXPECT_TRUE(Run(make(), memory_bytes) == expected) << keys << " " << static_cast<int>(kind) << few_pairs;
          EXPECT_GT(written_bytes_, 50'000);
        }
      }
    }
  }
}

}  // namespace
}  // namespace klip::sql
