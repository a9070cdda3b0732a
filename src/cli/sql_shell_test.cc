// `klip sql` on a store, and the shell on a session that gives what the test says.
#include "cli/sql_shell.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/temp_directory_test.h"
#include "cli/command.h"
#include "cli/sql_printer.h"

namespace klip::cli {
namespace {

using sql::Type;
using sql::Value;

// What is printed while it lives.
class Printed {
 public:
  explicit Printed(std::FILE* in = nullptr) {
    console_.in = in;
    console_.out = open_memstream(&out_, &out_bytes_);
    console_.err = open_memstream(&err_, &err_bytes_);
  }
  ~Printed() {
    std::fclose(console_.out);
    std::fclose(console_.err);
    std::free(out_);
    std::free(err_);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  const Console& console() const { return console_; }
  std::string out() {
    std::fflush(console_.out);
    return {out_, out_bytes_};
  }
  std::string err() {
    std::fflush(console_.err);
    return {err_, err_bytes_};
  }

 private:
  Console console_;
  char* out_ = nullptr;
  char* err_ = nullptr;
  size_t out_bytes_ = 0;
  size_t err_bytes_ = 0;
};

class GivenRows final : public sql::Rows {
 public:
  GivenRows(std::vector<sql::Column> columns, std::vector<std::vector<Value>> rows)
      : columns_(std::move(columns)), rows_(std::move(rows)) {}

  const std::vector<sql::Column>& columns() const override { return columns_; }
  int64_t updated() const override { return columns_.empty() ? 2 : -1; }
  Expected<bool> Next() override { return ++next_ <= rows_.size(); }
  const Value& value(size_t column) const override { return rows_[next_ - 1][column]; }

 private:
  std::vector<sql::Column> columns_;
  std::vector<std::vector<Value>> rows_;
  size_t next_ = 0;
};

// Remembers its statements; "bad" fails, and "wait" waits for Cancel.
class FakeSession final : public sql::Session {
 public:
  Expected<std::unique_ptr<sql::Statement>> Prepare(std::string_view) override { return Status(); }
  Expected<std::unique_ptr<sql::Rows>> Execute(std::string_view sql, std::span<const Value>) override {
    std::unique_lock lock(mutex_);
    statements.emplace_back(sql);
    changed_.notify_all();
    if (sql == "bad") {
      return Status(Code::kInvalidArgument, "ERROR 601 (42P00): Syntax error.");
    }
    if (sql == "wait") {
      changed_.wait(lock, [this] { return cancelled_; });
      return Status(Code::kCancelled, "cancelled");
    }
    return std::unique_ptr<sql::Rows>(
        std::make_unique<GivenRows>(std::vector<sql::Column>{}, std::vector<std::vector<Value>>{}));
  }
  bool auto_commit() const override { return true; }
  Status SetAutoCommit(bool) override { return Status::Ok(); }
  Status Commit() override { return Status::Ok(); }
  Status Rollback() override { return Status::Ok(); }
  void SetIsolation(std::optional<IsolationLevel> /*isolation*/) override {}
  Expected<std::unique_ptr<sql::Rows>> Tables(const sql::TablePattern&) override { return Status(); }
  Expected<std::unique_ptr<sql::Rows>> Columns(const sql::TablePattern&) override { return Status(); }
  Expected<std::unique_ptr<sql::Rows>> PrimaryKeys(const sql::TablePattern&) override { return Status(); }
  Expected<std::unique_ptr<sql::Rows>> Indexes(const sql::TablePattern&) override { return Status(); }
  Expected<std::unique_ptr<sql::Rows>> Schemas(const sql::TablePattern&) override { return Status(); }
  int64_t rows_read() const override { return 0; }
  void Cancel() override {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    changed_.notify_all();
  }
  void WaitFor(std::string_view sql) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !statements.empty() && statements.back() == sql; });
  }

  std::vector<std::string> statements;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool cancelled_ = false;
};

GivenRows SomeRows() {
  Value array(Type::kInteger, Value::Array{Value(Type::kInteger, int64_t{1}), Value(Type::kInteger, int64_t{2})});
  return {{{"NAME", {Type::kVarchar}}, {"N", {Type::kBigint}}, {"LIST", {.type = Type::kInteger, .array = true}}},
          {{Value::Text("Zoë, \"Z\""), Value::Integer(5), array}, {Value(), Value::Integer(-12), Value()}}};
}

std::string PrintedAs(OutputForm form) {
  Printed printed;
  GivenRows rows = SomeRows();
  EXPECT_EQ(*PrintSqlRows(printed.console(), form, &rows), 2);
  return printed.out();
}

TEST(SqlPrinter, PrintsTablesCsvAndJson) {
  EXPECT_EQ(PrintedAs(OutputForm::kText),
            "NAME     |   N | LIST\n"
            "---------+-----+-------\n"
            "Zoë, \"Z\" |   5 | [1, 2]\n"
            "null     | -12 | null\n");
  EXPECT_EQ(PrintedAs(OutputForm::kCsv), "NAME,N,LIST\n\"Zoë, \"\"Z\"\"\",5,\"[1, 2]\"\n,-12,\n");
  EXPECT_EQ(PrintedAs(OutputForm::kJson),
            "{\"NAME\":\"Zoë, \\\"Z\\\"\",\"N\":5,\"LIST\":[1,2]}\n{\"NAME\":null,\"N\":-12,\"LIST\":null}\n");
}

TEST(SqlShell, StopsAScriptAtTheFirstErrorAndNamesItsLine) {
  Printed printed;
  FakeSession session;
  SqlShell shell(printed.console(), &session, OutputForm::kText);
  EXPECT_FALSE(shell.RunScript("one; -- \\d\ntwo\n'\n\\q\n';\n\\timing\n\n\nthree; bad; four", "x.sql"));
  EXPECT_EQ(session.statements, (std::vector<std::string>{"one", "two\n'\n\\q\n'", "three", "bad"}));
  EXPECT_EQ(printed.err(), "klip: x.sql:9: ERROR 601 (42P00): Syntax error.\n");
  EXPECT_NE(printed.out().find("2 rows changed in "), std::string::npos);
  EXPECT_TRUE(shell.RunScript("five;\n!quit\nbad;", "x.sql"));
  EXPECT_FALSE(shell.RunScript("six;\n\\nothing\n", "y.sql"));
  EXPECT_NE(printed.err().find("klip: y.sql:2: no command '\\nothing'"), std::string::npos);
}

// A script is read once, not again for each line, which would take longer than the suite may.
TEST(SqlShell, RunsLongScripts) {
  constexpr size_t kStatements = 20'000;
  std::string script;
  for (size_t i = 0; i < kStatements; ++i) {
    script += "some words of statement " + std::to_string(i) + ";\n";
  }
  Printed printed;
  FakeSession session;
  SqlShell shell(printed.console(), &session, OutputForm::kText);
  EXPECT_TRUE(shell.RunScript(script + "!commit\nlast;", "x.sql"));
  EXPECT_EQ(session.statements.size(), kStatements + 1);
}

TEST(SqlShell, CancelsTheStatementAtAnInterrupt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Printed printed(fdopen(ends[0], "r"));
  FakeSession session;
  SqlShell shell(printed.console(), &session, OutputForm::kText);
  std::thread user([&] {
    ASSERT_EQ(write(ends[1], "wait;\n", 6), 6);
    session.WaitFor("wait");
    kill(getpid(), SIGINT);
    session.WaitFor("wait");
    ASSERT_EQ(write(ends[1], "se\nlect;\n", 9), 9);
    session.WaitFor("se\nlect");
    close(ends[1]);
  });
  shell.RunTerminal("");
  user.join();
  std::fclose(printed.console().in);
  EXPECT_EQ(session.statements, (std::vector<std::string>{"wait", "se\nlect"}));
  EXPECT_NE(printed.err().find("klip: cancelled"), std::string::npos);
}

TEST(SqlCommand, RunsStatementsOnAStore) {
  TempDirectory directory;
  auto run = [&](std::vector<std::string> rest, std::string* out, std::string* err) {
    Printed printed;
    std::vector<std::string> args = {"sql", directory.path() + "/store"};
    args.insert(args.end(), rest.begin(), rest.end());
    int code = RunCli(args, printed.console());
    *out = printed.out();
    *err = printed.err();
    return code;
  };
  std::string out;
  std::string err;
  std::string create = "CREATE TABLE t (k VARCHAR NOT NULL PRIMARY KEY, n INTEGER); UPSERT INTO t VALUES ('a', 1)";
  EXPECT_EQ(run({"-e", create, "-e", "SELECT * FROM t"}, &out, &err), kExitOk) << err;
  EXPECT_EQ(out, "K | N\n--+--\na | 1\n");
  EXPECT_EQ(err, "klip: created the store '" + directory.path() + "/store'\n");
  EXPECT_EQ(run({"-e", "!tables", "-e", "\\d t", "--csv"}, &out, &err), kExitOk);
  EXPECT_EQ(err, "");
  EXPECT_EQ(out,
            "TABLE_SCHEM,TABLE_NAME,TABLE_TYPE\n,T,TABLE\n"
            "TABLE_SCHEM,COLUMN_NAME,TYPE_NAME,COLUMN_SIZE,IS_NULLABLE\n,K,VARCHAR,,false\n,N,INTEGER,,true\n");
  EXPECT_EQ(run({"-e", "SELECT\nx FROM t"}, &out, &err), kExitError);
  EXPECT_NE(err.find("klip: -e:1: ERROR 504"), std::string::npos) << err;
  EXPECT_EQ(run({"-f", "/nowhere"}, &out, &err), kExitUsage);
  {
    const auto connection = *OpenStore(directory.path() + "/store");
    TableDescriptor table = *connection->admin().GetDescriptor("T");
    table.attributes["coprocessor$1"] = "|com.acme.Observer|1001|";
    ASSERT_TRUE(connection->admin().ModifyTable(table).ok());
  }
  const std::string upsert = "UPSERT INTO t VALUES ('b', 2)";
  EXPECT_EQ(run({"-e", upsert}, &out, &err), kExitError);
  EXPECT_NE(err.find("--no-coprocessors"), std::string::npos) << err;
  EXPECT_EQ(run({"--no-coprocessors", "-e", upsert}, &out, &err), kExitOk) << err;
}

}  // namespace
}  // namespace klip::cli
