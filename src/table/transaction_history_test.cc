// Random transactions of several threads, and single writes beside them, on lists that they read and append to. The order
// of a list's elements is the order of the commits that wrote it. So the reads show which transaction must precede which
// other one. The histories are then searched for what each isolation level rules out (Adya's phenomena, as Elle looks for
// them).
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "klip/transaction.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

constexpr int kKeys = 6;

struct Done {
  int id = 0;
  bool committed = false;
  std::map<int, std::vector<int>> reads;  // key -> its list at Begin, without own elements
  std::set<int> appends;                  // keys; the element is the id
};

std::string KeyOf(int key) { return "key" + std::to_string(key); }

std::vector<int> ListOf(std::string_view text) {
  std::vector<int> list;
  int number = 0;
  for (const char c : text) {
    if (c == ',') {
      list.push_back(number);
      number = 0;
    } else {
      number = number * 10 + (c - '0');
    }
  }
  return list;
}

class TransactionHistoryTest : public TableTest {
 protected:
  TransactionHistoryTest() {
    options_.clock_ms = nullptr;
    Open();
    Create("t", {Family("f")});
  }

  // One transaction: some reads, by gets or one scan of all keys, and appends.
  static void RunOne(Connection* connection, IsolationLevel level, std::minstd_rand* random, Done* done) {
    const auto transaction = *connection->Begin({.isolation = level});
    const auto table = *transaction->GetTable("t");
    const auto note = [&](const Result& row, int key) {
      std::vector<int> list = ListOf(row.Value("f", "l").value_or(""));
      const bool own = !list.empty() && list.back() == done->id;
      EXPECT_EQ(own, done->appends.contains(key)) << "a transaction does not read its own writes";
      if (own) {
        list.pop_back();
      }
      const auto [at, first] = done->reads.emplace(key, list);
      EXPECT_EQ(at->second, list) << "a read was not repeatable";
    };
    for (int step = 0, steps = 1 + static_cast<int>((*random)() % 4); step < steps; ++step) {
      const int key = static_cast<int>((*random)() % kKeys);
      const auto kind = (*random)() % 5;
      if (kind == 0) {
        const auto rows = *table->Scan({});
        Result row;
        std::set<int> met;
        while (*rows->Next(&row)) {
          const int at = row.row().back() - '0';
          met.insert(at);
          note(row, at);
        }
        for (int other = 0; other < kKeys; ++other) {
          if (!met.contains(other)) {
            note(Result(), other);
          }
        }
      } else if (kind < 3 || done->appends.contains(key)) {
        note(*table->Get({.row = KeyOf(key)}), key);
      } else {
        const auto result =
            table->Append(klip::Append{.row = KeyOf(key)}.Add("f", "l", std::to_string(done->id) + ","));
        EXPECT_TRUE(result.ok()) << result.status().ToString();
        done->appends.insert(key);
      }
      std::this_thread::yield();
    }
    const Status status = transaction->Commit();
    EXPECT_TRUE(status.ok() || status.code() == Code::kTransactionConflict) << status.ToString();
    done->committed = status.ok();
  }

  std::vector<Done> RunAll(IsolationLevel level) {
    constexpr int kThreads = 4;
    constexpr int kEach = 400;
    std::atomic<int> next_id{1};
    std::vector<std::vector<Done>> all(kThreads);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::minstd_rand random(static_cast<unsigned>(thread + 1));
        for (int i = 0; i < kEach; ++i) {
          Done& done = all[static_cast<size_t>(thread)].emplace_back();
          done.id = next_id++;
          if (thread == 0 && i % 2 == 0) {  // a client without transactions
            const int key = static_cast<int>(random() % kKeys);
            done.appends.insert(key);
            done.committed =
                table_->Append(klip::Append{.row = KeyOf(key)}.Add("f", "l", std::to_string(done.id) + ",")).ok();
          } else {
            RunOne(connection_.get(), level, &random, &done);
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    std::vector<Done> flat;
    for (std::vector<Done>& of_thread : all) {
      flat.insert(flat.end(), of_thread.begin(), of_thread.end());
    }
    return flat;
  }

  // The transactions that must come after each one. `anti`: also those that overwrote what it read.
  using Edges = std::map<int, std::set<int>>;
  void Check(const std::vector<Done>& all, Edges* depends, Edges* anti) {
    std::map<int, std::vector<int>> lists;
    for (int key = 0; key < kKeys; ++key) {
      lists[key] = ListOf(table_->Get({.row = KeyOf(key)})->Value("f", "l").value_or(""));
    }
    int commits = 0;
    for (const Done& done : all) {
      commits += done.committed ? 1 : 0;
      for (int key = 0; key < kKeys; ++key) {
        const auto times = std::ranges::count(lists[key], done.id);
        ASSERT_EQ(times, done.committed && done.appends.contains(key) ? 1 : 0)
            << (done.committed ? "a lost update" : "an aborted write was kept");
      }
      for (const auto& [key, seen] : done.reads) {
        const std::vector<int>& list = lists[key];
        ASSERT_TRUE(seen.size() <= list.size() && std::equal(seen.begin(), seen.end(), list.begin()))
            << "an aborted or intermediate read";
        if (!done.committed) {
          continue;
        }
        if (!seen.empty()) {
          (*depends)[seen.back()].insert(done.id);
        }
        const bool own_is_next = seen.size() < list.size() && list[seen.size()] == done.id;
        ASSERT_TRUE(!done.appends.contains(key) || own_is_next)
            << "a lost update: another write between read and write";
        if (seen.size() < list.size() && !own_is_next) {
          (*anti)[done.id].insert(list[seen.size()]);
        }
      }
    }
    for (const auto& [key, list] : lists) {
      for (size_t i = 1; i < list.size(); ++i) {
        (*depends)[list[i - 1]].insert(list[i]);
      }
    }
    EXPECT_GT(commits, static_cast<int>(all.size()) / 8);
    EXPECT_LT(commits, static_cast<int>(all.size())) << "no conflict: nothing was tested";
  }

  // Read skew: the keys that a transaction read must together be one state of the store. In terms of edges: it must not
  // precede a transaction that it depends on, directly or indirectly.
  static bool HasCycle(const Edges& edges) {
    std::map<int, int> state;  // 1: on the way, 2: done
    std::function<bool(int)> visit = [&](int at) {
      int& mark = state[at];
      if (mark != 0) {
        return mark == 1;
      }
      mark = 1;
      if (const auto next = edges.find(at); next != edges.end()) {
        for (const int to : next->second) {
          if (visit(to)) {
            return true;
          }
        }
      }
      state[at] = 2;
      return false;
    };
    return std::ranges::any_of(edges, [&](const auto& edge) { return visit(edge.first); });
  }

  // G-single: a cycle with one anti-dependency.
  static bool HasReadSkew(const Edges& depends, const Edges& anti) {
    for (const auto& [from, all] : anti) {
      for (const int overwriter : all) {
        std::set<int> reached = {overwriter};
        std::vector<int> open = {overwriter};
        while (!open.empty()) {
          const int at = open.back();
          open.pop_back();
          if (const auto next = depends.find(at); next != depends.end()) {
            for (const int to : next->second) {
              if (reached.insert(to).second) {
                open.push_back(to);
              }
            }
          }
        }
        if (reached.contains(from)) {
          return true;
        }
      }
    }
    return false;
  }
};

TEST_F(TransactionHistoryTest, SnapshotIsolationHolds) {
  const std::vector<Done> all = RunAll(IsolationLevel::kSnapshot);
  Edges depends;
  Edges anti;
  Check(all, &depends, &anti);
  EXPECT_FALSE(HasCycle(depends)) << "G1c";
  EXPECT_FALSE(HasReadSkew(depends, anti)) << "G-single";
}

TEST_F(TransactionHistoryTest, SerializableHolds) {
  const std::vector<Done> all = RunAll(IsolationLevel::kSerializable);
  Edges depends;
  Edges anti;
  Check(all, &depends, &anti);
  for (const auto& [from, to] : anti) {
    depends[from].insert(to.begin(), to.end());
  }
  EXPECT_FALSE(HasCycle(depends)) << "G2";
}

}  // namespace
}  // namespace klip::table
