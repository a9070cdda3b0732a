// Many threads on one row, on one end of a table, and on tables that change meanwhile.
#include <set>
#include <thread>

#include "table/table_test_util.h"

namespace klip::table {
namespace {

constexpr int kThreads = 64;

class ConcurrencyTest : public TableTest {
 protected:
  ConcurrencyTest() { Create("t", {Family("f", 3)}); }

  // Runs `work(thread number)` on every thread.
  template <typename Work>
  static void OnThreads(int count, Work work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back(work, i);
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

TEST_F(ConcurrencyTest, IncrementsAreNotLost) {
  OnThreads(kThreads, [this](int) {
    for (int i = 0; i < 50; ++i) {
      Increment one = {.row = "r"};
      EXPECT_TRUE(table_->Increment(one.Add("f", "c")).ok());
    }
  });
  EXPECT_EQ(*table_->Get({.row = "r"})->Value("f", "c"), Number(kThreads * 50));
}

TEST_F(ConcurrencyTest, OneOfManyCheckedPutsWins) {
  for (int round = 0; round < 20; ++round) {
    const std::string row = "r" + std::to_string(round);
    std::atomic<int> winners = 0;
    OnThreads(8, [&](int thread) {
      const auto done = table_->CheckAndMutate({.row = row,
                                                .condition = RowCondition::IfNotExists("f", "q"),
                                                .action = Put{.row = row}.Add("f", "q", std::to_string(thread))});
      ASSERT_TRUE(done.ok());
      winners += done->success ? 1 : 0;
    });
    EXPECT_EQ(winners, 1);
  }
}

// A jump to the next leading value must know every value with which a row began when the scan started.
TEST_F(ConcurrencyTest, JumpsMissNoRowThatWasThere) {
  const auto name = [](int thread, int i) { return std::to_string(1000 + 8 * i + thread); };
  OnThreads(8, [&](int thread) {
    for (int i = 0; i < 100; ++i) {
      const std::string user = name(thread, i);
      for (const char* day : {"01", "02", "03"}) {
        ASSERT_TRUE(table_->Put(Put{.row = user + day}.Add("f", "q", "v")).ok());
      }
      const auto scanner =
          table_->Scan({.reversed = i % 2 == 1, .filter = *FuzzyRowFilter({FuzzyKeyFromPattern("????02")})});
      std::set<std::string> found;
      for (Result row; *(*scanner)->Next(&row);) {
        found.emplace(row.row());
      }
      for (int before = 0; before <= i; ++before) {
        ASSERT_TRUE(found.contains(name(thread, before) + "02")) << thread << " " << i << " " << before;
      }
    }
  });
}

// Each starts from the table's current descriptor, so that none undoes another.
TEST_F(ConcurrencyTest, ChangesOfFamiliesAreNotLost) {
  constexpr int kRounds = 5;
  ASSERT_TRUE(admin().AddFamily("t", Family("changed")).ok());
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(admin().AddFamily("t", Family("dropped")).ok());
    const std::string number = std::to_string(round);
    OnThreads(4, [&](int thread) {
      const std::string added = "added" + number + "_" + std::to_string(thread);
      const Status changed = thread == 0   ? admin().DeleteFamily("t", "dropped")
                             : thread == 1 ? admin().ModifyFamily("t", Family("changed", round + 2))
                                           : admin().AddFamily("t", Family(added));
      EXPECT_EQ(changed.ToString(), "ok");
      if (thread > 1) {
        EXPECT_EQ(PutOne("r", added + ":q", "v", 1), "ok");
      }
    });
    const TableDescriptor now = *admin().GetDescriptor("t");
    EXPECT_EQ(now.Find("dropped"), nullptr) << round;
    EXPECT_EQ(now.Find("changed")->max_versions, round + 2);
    EXPECT_EQ(now.families.size(), static_cast<size_t>(2 + 2 * (round + 1))) << round;
  }
  EXPECT_EQ(table_->Get({.row = "r"})->size(), size_t{2 * kRounds});
}

TEST_F(ConcurrencyTest, PrependsAreConsecutive) {
  constexpr int kEach = 30;
  const auto prepend = [this](int) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_TRUE(table_->Prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).ok());
    }
  };
  OnThreads(kThreads, prepend);
  Result row;
  const auto scanner = table_->Scan({});
  int64_t rows = 0;
  uint64_t first = 0;
  uint64_t last = 0;
  while (*(*scanner)->Next(&row)) {
    last = ReadBigEndian<uint64_t>(row.row().data());
    first = rows++ == 0 ? last : first;
  }
  EXPECT_EQ(rows, kThreads * kEach);
  EXPECT_EQ(last, 0x7fffffffffffffffU);
  EXPECT_EQ(last - first + 1, static_cast<uint64_t>(rows));
}

TEST_F(ConcurrencyTest, PrependsBesideOtherWriters) {
  const auto key_of_first = [this] { return ReadBigEndian<uint64_t>(table_->FirstRow()->row().data()); };
  ASSERT_TRUE(table_->Prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}}).ok());
  std::mutex mutex;
  std::set<uint64_t> keys = {key_of_first()};
  OnThreads(8, [&](int thread) {
    for (int i = 0; i < 25; ++i) {
      uint64_t key = 0;
      if (thread % 2 == 0) {
        key = *table_->Prepend({.family = "f", .qualifier = "q", .columns = {{"f", "q", "v"}}});
      } else {
        for (bool done = false; !done;) {  // by hand, as scenario B1 has it
          key = key_of_first() - 1;
          const std::string row = BigEndian(key);
          done = table_
                     ->CheckAndMutate({.row = row,
                                       .condition = RowCondition::IfNotExists("f", "q"),
                                       .action = Put{.row = row}.Add("f", "q", "v")})
                     ->success;
        }
      }
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(keys.insert(key).second);
    }
  });
  EXPECT_EQ(keys.size(), 201U);
  EXPECT_EQ(*keys.rbegin() - *keys.begin(), 200U);
}

TEST_F(ConcurrencyTest, BatchesOverRowsAndTablesKeepTheSum) {
  Create("u", {Family("f")});
  Increment start = {.row = "account"};
  EXPECT_TRUE(table_->Increment(start.Add("f", "sum", 1000)).ok());
  Use("t");
  EXPECT_TRUE(table_->Increment(start).ok());
  OnThreads(8, [this](int thread) {
    for (int i = 0; i < 25; ++i) {
      AtomicBatch batch;
      batch.steps = {{"t", Increment{.row = "account", .columns = {{"f", "sum", 1}}}},
                     {"u", Increment{.row = "account", .columns = {{"f", "sum", -1}}}}};
      if (thread % 2 == 1) {
        std::swap(batch.steps[0], batch.steps[1]);
      }
      const Expected<bool> done = connection_->Apply(batch);
      EXPECT_TRUE(done.ok() && *done);
    }
  });
  EXPECT_EQ(*table_->Get({.row = "account"})->Value("f", "sum"), Number(1200));
  EXPECT_EQ(*Handle("u")->Get({.row = "account"})->Value("f", "sum"), Number(800));
}

TEST_F(ConcurrencyTest, TablesChangeUnderWriters) {
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    const auto table = Handle("t");
    for (int i = 0; !stop; ++i) {
      const Status status = table->Put(Put{.row = "r" + std::to_string(i % 100)}.Add("f", "q", "v").Add("g", "q", "v"));
      if (!status.ok()) {
        EXPECT_TRUE(status.code() == Code::kNoSuchColumnFamily || status.code() == Code::kTableNotEnabled)
            << status.ToString();
      }
    }
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(admin().AddFamily("t", Family("g")).ToString(), "ok");
    EXPECT_EQ(admin().DisableTable("t").ToString(), "ok");
    EXPECT_EQ(admin().EnableTable("t").ToString(), "ok");
    EXPECT_EQ(admin().DeleteFamily("t", "g").ToString(), "ok");
  }
  stop = true;
  writer.join();
}

TEST_F(ConcurrencyTest, AnOpenScannerOutlivesItsTable) {
  for (int i = 0; i < 100; ++i) {
    PutOne("r" + std::to_string(100 + i), "f:q", "v");
  }
  const auto scanner = table_->Scan({});
  ASSERT_TRUE(scanner.ok());
  Result row;
  EXPECT_TRUE(*(*scanner)->Next(&row));
  EXPECT_TRUE(admin().DisableTable("t").ok());
  EXPECT_EQ(GetText("r100"), "TableNotEnabled: t is disabled.");
  EXPECT_EQ(PutOne("r100", "f:q", "v"), "TableNotEnabled: t is disabled.");
  EXPECT_TRUE(admin().DeleteTable("t").ok());
  EXPECT_EQ(table_->Put(Put{.row = "r"}.Add("f", "q", "v")).code(), Code::kTableNotFound);
  int rows = 1;
  while (*(*scanner)->Next(&row)) {
    ++rows;
  }
  EXPECT_EQ(rows, 100);
}

}  // namespace
}  // namespace klip::table
