// Scenario B2: concurrent prepends; and counters, conditions and scans under many threads.
#include <algorithm>
#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "acceptance/store_test.h"
#include "klip/bytes.h"

namespace klip::acceptance {
namespace {

constexpr int kThreads = 64;

class ConcurrencyTest : public StoreTest {
 protected:
  // Runs `body(thread)` on 64 threads.
  template <typename Body>
  static void OnThreads(Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&body, i] { body(i); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

TEST_F(ConcurrencyTest, PrependsComeOutConsecutive) {
  constexpr uint64_t kPerThread = 100;
  constexpr uint64_t kLast = 0x7fffffffffffffff;
  std::unique_ptr<Table> table = Create({.name = "t", .families = {{.name = "c"}}});
  std::vector<std::vector<uint64_t>> keys(kThreads);
  std::atomic<int> failures{0};
  OnThreads([&](int thread) {
    for (uint64_t i = 0; i < kPerThread; ++i) {
      Prepend prepend{.last_key = kLast, .family = "c", .qualifier = "w"};
      prepend.columns.push_back({"c", "w", std::to_string(thread) + "_" + std::to_string(i)});
      Expected<uint64_t> key = table->Prepend(prepend);
      if (key.ok()) {
        keys[static_cast<size_t>(thread)].push_back(*key);
      } else {
        ++failures;
      }
    }
  });
  EXPECT_EQ(failures, 0);
  std::set<uint64_t> all;
  for (const std::vector<uint64_t>& mine : keys) {
    all.insert(mine.begin(), mine.end());
    EXPECT_TRUE(std::ranges::is_sorted(mine, std::greater<>()));
  }
  ASSERT_EQ(all.size(), kThreads * kPerThread);
  EXPECT_EQ(*all.rbegin(), kLast);
  EXPECT_EQ(*all.begin(), kLast - kThreads * kPerThread + 1);
  std::set<std::string> values;
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
  ASSERT_TRUE(scanner.ok());
  Result row;
  while (*(*scanner)->Next(&row)) {
    values.emplace(row.Value("c", "w").value_or(""));
  }
  EXPECT_EQ(values.size(), kThreads * kPerThread);
  EXPECT_EQ(ReadBigEndian<uint64_t>(table->FirstRow()->row().data()), *all.begin());
}

// The same by hand, as the seed text does it.
TEST_F(ConcurrencyTest, CheckAndPutLetsOneWin) {
  std::unique_ptr<Table> table = Create({.name = "t", .families = {{.name = "c"}}});
  std::vector<std::atomic<int>> winners(50);
  OnThreads([&](int thread) {
    for (size_t i = 0; i < winners.size(); ++i) {
      const std::string row = "r" + std::to_string(i);
      CheckAndMutate check{.row = row,
                           .condition = RowCondition::IfNotExists("c", "w"),
                           .action = Put{.row = row}.Add("c", "w", std::to_string(thread))};
      Expected<CheckAndMutateResult> outcome = table->CheckAndMutate(check);
      winners[i] += outcome.ok() && outcome->success ? 1 : 0;
    }
  });
  for (const std::atomic<int>& count : winners) {
    EXPECT_EQ(count, 1);
  }
}

TEST_F(ConcurrencyTest, NoIncrementIsLostAndRowsAreSeenWhole) {
  std::unique_ptr<Table> table = Create({.name = "t", .families = {{.name = "f"}, {.name = "g"}}});
  constexpr int kPerThread = 50;
  std::atomic<bool> done{false};
  std::atomic<int> torn{0};
  std::thread reader([&] {
    Result row;
    while (!done) {
      Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
      while (scanner.ok() && *(*scanner)->Next(&row)) {
        torn += row.Value("f", "n") == row.Value("g", "n") ? 0 : 1;
      }
      Expected<Result> got = table->Get({.row = "r1"});
      torn += got.ok() && got->Value("f", "n") == got->Value("g", "n") ? 0 : 1;
    }
  });
  std::atomic<int> failures{0};
  OnThreads([&](int thread) {
    for (int i = 0; i < kPerThread; ++i) {
      const std::string row = "r" + std::to_string((thread + i) % 5);
      failures += table->Increment(Increment{.row = row}.Add("f", "n").Add("g", "n")).ok() ? 0 : 1;
      if (thread == 0 && i % 10 == 0) {
        failures += connection_->admin().Flush("t").ok() ? 0 : 1;
      }
    }
  });
  done = true;
  reader.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(torn, 0);
  uint64_t sum = 0;
  Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
  ASSERT_TRUE(scanner.ok());
  Result row;
  while (*(*scanner)->Next(&row)) {
    sum += ReadBigEndian<uint64_t>(row.Value("f", "n")->data());
  }
  EXPECT_EQ(sum, static_cast<uint64_t>(kThreads) * kPerThread);
}

// Tables come and go under readers and writers: the only errors are those of missing tables.
TEST_F(ConcurrencyTest, TablesDropUnderReadersAndWriters) {
  std::unique_ptr<Table> table = Create({.name = "t", .families = {{.name = "f"}, {.name = "g"}}});
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  auto expected = [](const Status& status) {
    return status.ok() || status.code() == Code::kTableNotFound || status.code() == Code::kTableNotEnabled ||
           status.code() == Code::kNoSuchColumnFamily;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Result row;
      while (!done) {
        wrong +=
            expected(table->Put(Put{.row = "r" + std::to_string(i)}.Add("f", "q", "v").Add("g", "q", "v"))) ? 0 : 1;
        Expected<std::unique_ptr<ResultScanner>> scanner = table->Scan({});
        wrong += expected(scanner.status()) ? 0 : 1;
        while (scanner.ok()) {
          Expected<bool> more = (*scanner)->Next(&row);
          wrong += expected(more.status()) ? 0 : 1;
          if (!more.ok() || !*more) {
            break;
          }
        }
      }
    });
  }
  Admin& admin = connection_->admin();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(admin.Flush("t").ok());
    EXPECT_TRUE(admin.DeleteFamily("t", "g").ok());
    EXPECT_TRUE(admin.AddFamily("t", {.name = "g"}).ok());
    EXPECT_TRUE(admin.DisableTable("t").ok());
    EXPECT_TRUE(i % 2 == 0 ? admin.TruncateTable("t", true).ok() : admin.DeleteTable("t").ok());
    if (i % 2 == 1) {
      EXPECT_TRUE(admin.CreateTable({.name = "t", .families = {{.name = "f"}, {.name = "g"}}}).ok());
    }
  }
  done = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace klip::acceptance
