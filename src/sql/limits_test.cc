// What statements cost at most, counted: bytes of memory, syncs of the log, rows. Nothing here measures time.
#include "sql/limits.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "base/temp_directory_test.h"
#include "klip/cancel.h"
#include "klip/connection.h"
#include "klip/sql.h"
#include "sql/catalog/served_statement.h"
#include "sql/rows_text_test.h"
#include "sql/session_fixture_test.h"

namespace {

std::atomic<int64_t> allocated_bytes{0};
std::atomic<int64_t> most_bytes{0};

}  // namespace

// Counts what the tests of this program have allocated.
void* operator new(size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) {
    std::abort();
  }
  const int64_t now = allocated_bytes += static_cast<int64_t>(::malloc_usable_size(memory));
  if (now > most_bytes) {
    most_bytes = now;
  }
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr) {
    allocated_bytes -= static_cast<int64_t>(::malloc_usable_size(memory));
    std::free(memory);
  }
}
void operator delete(void* memory, size_t /*size*/) noexcept { operator delete(memory); }

namespace klip::sql {
namespace {

// The most bytes that are allocated at a time while `f` runs, beside those from before.
template <typename F>
int64_t MostBytes(const F& f) {
  const int64_t before = allocated_bytes;
  most_bytes = before;
  f();
  return most_bytes - before;
}

class LimitsTest : public SessionFixture {
 protected:
  LimitsTest() : SessionFixture(TempDirectory::Where::kMemory) {
    Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, s VARCHAR, d DECIMAL)");
  }

  void FillTable(int rows) {
    ASSERT_TRUE(session_->SetAutoCommit(false).ok());
    const std::unique_ptr<Statement> upsert = *session_->Prepare("UPSERT INTO t VALUES (?, ?, ?, NULL)");
    for (int k = 0; k < rows; ++k) {
      const std::vector<Value> values = {Value::Integer(k), Value::Integer(k % 10),
                                         Value::Text("row " + std::to_string(k))};
      ASSERT_TRUE(upsert->Execute(values).ok());
    }
    ASSERT_TRUE(session_->SetAutoCommit(true).ok());
  }

  // `count` terms, each with its number in place of #, between `begin` and `end`.
  static std::string TextOf(std::string_view begin, std::string_view term, std::string_view between, int count,
                            std::string_view end = "") {
    std::string text(begin);
    for (int i = 0; i < count; ++i) {
      text += i == 0 ? "" : between;
      for (const char c : term) {
        c == '#' ? text.append(std::to_string(i)) : text.append(1, c);
      }
    }
    return text.append(end);
  }

  // What the same kind of statement takes for each byte of its text, with so many terms.
  double BytesPerByte(std::string_view begin, std::string_view term, std::string_view between, int count,
                      std::string_view end) {
    const std::string text = TextOf(begin, term, between, count, end);
    const int64_t bytes = MostBytes([&] {
      const Expected<std::unique_ptr<Statement>> prepared = session_->Prepare(text);
      ASSERT_TRUE(prepared.ok()) << prepared.status().message().substr(0, 300);
      const Expected<std::unique_ptr<Rows>> rows = (*prepared)->Execute();
      ASSERT_TRUE(rows.ok()) << rows.status().message().substr(0, 300);
      while (*(*rows)->Next()) {
      }
    });
    return static_cast<double>(bytes) / static_cast<double>(text.size());
  }
};

// Each kind of long statement takes memory in proportion to its text.
TEST_F(LimitsTest, MemoryGrowsWithTheTextOnly) {
  FillTable(1500);  // more than a batch
  struct Kind {
    std::string_view begin, term, between, end;
  };
  constexpr Kind kKinds[] = {
      {"SELECT k FROM t WHERE ", "v <> #", " AND ", ""},
      {"SELECT k FROM t WHERE ", "v > -#", " AND ", ""},
      {"SELECT k FROM t WHERE ", "k <> #", " AND ", ""},
      {"SELECT k FROM t WHERE ", "k > -#", " AND ", ""},
      {"SELECT k FROM t WHERE ", "k = 1", " AND ", ""},
      {"SELECT k FROM t WHERE ", "s NOT LIKE 'a#%'", " AND ", ""},
      {"SELECT k FROM t WHERE ", "k = #", " OR ", ""},
      {"SELECT k FROM t WHERE ", "v = # AND k = #", " OR ", ""},
      {"SELECT k FROM t WHERE ", "v = -#", " OR ", ""},
      {"SELECT k FROM t WHERE k IN (", "#", ", ", ")"},
      {"SELECT k FROM t WHERE v NOT IN (", "-#", ", ", ")"},
      {"SELECT k FROM t WHERE ", "k IN (1, 2, #)", " AND ", ""},
      {"SELECT CASE ", "WHEN v = -# THEN 1", " ", " ELSE 0 END FROM t"},
      {"SELECT a.k FROM t a, t b WHERE ", "a.k = b.k AND a.v <> -#", " AND ", ""},
      {"SELECT a.k FROM t a JOIN t b ON ", "a.k = b.k AND a.v <> b.v + #", " AND ", ""},
      {"SELECT COUNT(*) FROM t HAVING ", "COUNT(*) > #", " OR ", ""},
      {"UPSERT INTO t (k, v) VALUES ", "(#, 1)", ", ", ""},
      {"SELECT ", "s", " || ", " FROM t"},
      {"SELECT k FROM t ORDER BY ", "v", ", ", ""},
      {"SELECT MAX(v) FROM t GROUP BY ", "v", ", ", ""},
  };
  for (const Kind& kind : kKinds) {
    const double few = BytesPerByte(kind.begin, kind.term, kind.between, 1000, kind.end);
    const double many = BytesPerByte(kind.begin, kind.term, kind.between, 4000, kind.end);
    EXPECT_LT(many, 1.5 * few + 100) << kind.begin << kind.term << kind.between << ": " << few << ", " << many;
  }
}

// A statement of many rows syncs the log once per batch, also where it sets columns to NULL.
TEST(LogSyncsTest, OncePerBatch) {
  const TempDirectory directory(TempDirectory::Where::kDisk);
  const std::unique_ptr<Connection> connection = *Connection::Open("klip:" + directory.path());
  const std::unique_ptr<Session> session = *Session::Open(connection.get());
  const auto syncs = [&](std::string_view sql) {
    const int64_t before = connection->admin().Metrics()->wal_syncs;
    RunText(session.get(), sql);
    return connection->admin().Metrics()->wal_syncs - before;
  };
  ASSERT_EQ(RunText(session.get(), "CREATE TABLE a (k INTEGER PRIMARY KEY, v INTEGER, s VARCHAR)"), "0");
  ASSERT_EQ(RunText(session.get(), "CREATE TABLE b (k INTEGER PRIMARY KEY, v INTEGER, s VARCHAR)"), "0");
  std::string rows;
  for (int k = 0; k < 2000; ++k) {
    rows += (k == 0 ? "(" : ", (") + std::to_string(k) + ", " + std::to_string(k) + ", NULL)";
  }
  constexpr int64_t kBatches = 8;  // of 1,000 rows or fewer, and what else the store does
  EXPECT_LE(syncs("UPSERT INTO a VALUES " + rows), kBatches);
  EXPECT_LE(syncs("UPSERT INTO b SELECT k, v, NULL FROM a"), kBatches);
  EXPECT_LE(syncs("UPDATE b SET s = NULL, v = v + 1"), kBatches);
  EXPECT_EQ(RunText(session.get(), "SELECT COUNT(*), MIN(v), MAX(v), MAX(s) FROM b"), "2000|1|2000|null\n");
  EXPECT_LE(syncs("DELETE FROM b"), kBatches);
}

class ServedTest : public SessionFixture {
 protected:
  // Counts what is taken of `left`.
  struct Pool final : base::MemoryPool {
    bool Take(int64_t bytes, bool anyway) override {
      const bool there = bytes <= left;
      left -= there || anyway ? bytes : 0;
      least = std::min(least, left);
      return there;
    }
    void Give(int64_t bytes) override { left += bytes; }

    int64_t left = 8 << 20;
    int64_t least = left;
  };

  ServedTest() : SessionFixture(TempDirectory::Where::kMemory) {
    Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, s VARCHAR)");
    EXPECT_TRUE(session_->SetAutoCommit(false).ok());
    const std::unique_ptr<Statement> upsert = *session_->Prepare("UPSERT INTO t VALUES (?, ?, ?)");
    for (int k = 0; k < 5000; ++k) {
      const std::vector<Value> values = {Value::Integer(k), Value::Integer(k % 100),
                                         Value::Text("row " + std::to_string(k) + std::string(100, 'x'))};
      (void)upsert->Execute(values);
    }
    (void)session_->SetAutoCommit(true);
  }

  std::unique_ptr<ServedSession> Open(SessionLimits limits = {}, SessionOptions options = {}) {
    options.temporary_directory = directory_.path();
    return *ServedSession::Open(connection_.get(), options, limits);
  }
};

constexpr char kEndless[] = "SELECT COUNT(*) FROM t a, t b, t c WHERE a.v + b.v + c.v < 0";

TEST_F(ServedTest, AStatementEndsWithItsTime) {
  const std::unique_ptr<ServedSession> session = Open({.timeout_ms = 1});
  const Expected<std::unique_ptr<Rows>> rows = session->Execute(kEndless);
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(ErrorOf(rows.status()).number, 6000);
  EXPECT_EQ(ErrorOf(rows.status()).sql_state, "TIM01");
  EXPECT_EQ(RunText(session.get(), "SELECT k FROM t WHERE k = 7"), "7\n");
}

TEST_F(ServedTest, AStatementEndsWithItsCaller) {
  const std::unique_ptr<ServedSession> session = Open();
  const CancelToken caller = CancelToken::New();
  session->SetCaller(caller);
  caller.Cancel();
  EXPECT_EQ(session->Execute(kEndless).status().code(), Code::kCancelled);
  session->SetCaller(CancelToken());
  EXPECT_EQ(RunText(session.get(), "SELECT k FROM t WHERE k = 7"), "7\n");
}

// The calls of one statement may come from different connections of its client.
TEST_F(ServedTest, AResultOutlivesTheCallThatBeganIt) {
  const std::unique_ptr<ServedSession> session = Open();
  const CancelToken first = CancelToken::New();
  session->SetCaller(first);
  const Expected<std::unique_ptr<Rows>> rows = session->Execute("SELECT k FROM t");
  ASSERT_TRUE(rows.ok());
  session->SetCaller(CancelToken::New());
  first.Cancel();
  int64_t count = 0;
  while (*(*rows)->Next()) {
    ++count;
  }
  EXPECT_EQ(count, 5000);
}

TEST_F(ServedTest, WhatRunsIsListedAndCanBeEnded) {
  const std::unique_ptr<ServedSession> session = Open();
  const Caller alice = {.user = "alice", .address = "10.0.0.7:4711", .door = Door::kSql};
  const CallerScope scope(&alice);
  std::unique_ptr<Rows> rows = *session->Execute("SELECT k FROM t WHERE v >= 0");
  ASSERT_TRUE(*rows->Next());
  const std::vector<ServedStatement::Info> list = ServedStatement::List();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].user, "alice");
  EXPECT_EQ(list[0].address, "10.0.0.7:4711");
  EXPECT_EQ(list[0].text, "SELECT k FROM t WHERE v >= 0");
  EXPECT_GT(list[0].rows_read, 0);
  EXPECT_FALSE(list[0].working);
  EXPECT_EQ(Run("SELECT USER_NAME, CLIENT, DOOR, STATE, STATEMENT_TEXT FROM SYSTEM.STATEMENTS"),
            "alice|10.0.0.7:4711|sql|OPEN|SELECT k FROM t WHERE v >= 0\n");
  EXPECT_EQ(Run("DELETE FROM SYSTEM.STATEMENTS WHERE USER_NAME = 'bob'"), "0");
  EXPECT_EQ(Run("DELETE FROM SYSTEM.STATEMENTS WHERE USER_NAME = 'alice' AND SECONDS >= 0"), "1");
  Status ended;
  for (Expected<bool> more = true; ended.ok();) {
    more = rows->Next();
    ended = more.ok() && !*more ? Status(Code::kInvalidArgument, "all rows came") : more.status();
  }
  EXPECT_EQ(ended.code(), Code::kCancelled);
  rows.reset();
  EXPECT_TRUE(ServedStatement::List().empty());
  EXPECT_FALSE(ServedStatement::End(list[0].id));
}

// Sorts and others go to the temporary file when sessions have taken the memory, and give it back.
TEST_F(ServedTest, SessionsShareMemory) {
  Pool pool;
  {
    const std::unique_ptr<ServedSession> session = Open({.memory = &pool});
    std::vector<std::unique_ptr<Statement>> statements;
    std::vector<std::unique_ptr<Rows>> open;
    for (int i = 0; i < 40; ++i) {  // 600 KB each
      statements.push_back(*session->Prepare("SELECT s FROM t ORDER BY s DESC"));
      Expected<std::unique_ptr<Rows>> rows = statements.back()->Execute();
      ASSERT_TRUE(rows.ok()) << rows.status().ToString();
      const Expected<bool> more = (*rows)->Next();
      ASSERT_TRUE(more.ok()) << i << " " << more.status().ToString();
      EXPECT_EQ((*rows)->value(0).ToString().substr(0, 8), "row 9xxx");
      open.push_back(*std::move(rows));
    }
    EXPECT_EQ(open.front()->temporary_bytes(), 0);
    EXPECT_GT(open.back()->temporary_bytes(), 0);
    EXPECT_GT(pool.least, -(8 << 20));  // what is small is granted in any case
  }
  EXPECT_EQ(pool.left, 8 << 20);
}

TEST_F(ServedTest, WhatHasNoRoomEndsItsStatement) {
  Pool pool;
  const std::unique_ptr<ServedSession> session = Open({.memory = &pool});
  const auto number = [&](const std::string& sql) {
    const Expected<std::unique_ptr<Rows>> rows = session->Execute(sql);
    Status status = rows.status();
    for (bool more = rows.ok(); more;) {
      const Expected<bool> next = (*rows)->Next();
      more = next.ok() && *next;
      status = next.status();
    }
    return ErrorOf(status).number;
  };
  EXPECT_EQ(number("SELECT LPAD('x', 60000000) FROM t"), 999);
  EXPECT_EQ(number("SELECT LENGTH(LPAD(s, 100000)) FROM t"), 999);
  EXPECT_EQ(number("SELECT ARRAY_LENGTH(ARRAY_FILL(k, 100000)) FROM t"), 999);
  std::string list = "SELECT k FROM t WHERE k IN (0";
  for (int i = 1; i < 100'000; ++i) {
    list += "," + std::to_string(i);
  }
  EXPECT_EQ(number(list + ")"), 999);
  EXPECT_EQ(number("SELECT LENGTH(LPAD(s, 1000)) FROM t"), 0);
  EXPECT_EQ(pool.left, 8 << 20);
  EXPECT_GT(pool.least, -(16 << 20));
}

}  // namespace
}  // namespace klip::sql
