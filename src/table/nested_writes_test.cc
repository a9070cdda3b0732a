// Hooks that write while their operation holds its locks: rows of the operation and others, by its thread and by others.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/store/lock_table.h"
#include "table/embedded_connection.h"
#include "table/embedded_table.h"
#include "table/info/hooks.h"
#include "table/table_test_util.h"
#include "table/write/write_operation.h"

namespace klip::table {
namespace {

Put PutOf(const std::string& row) { return Put{.row = row}.Add("f", "q", row); }

class Nesting final : public OperationHooks {
 public:
  Status InWrite(WriteContext& write) override { return in ? in(write) : Status::Ok(); }
  Status Written(WriteContext& write) override { return written ? written(write) : Status::Ok(); }
  Status AfterWrite(WriteContext& /*write*/) override {
    ++after;
    return after_status;
  }
  void Failed(WriteContext& /*write*/) override { ++failed; }

  std::function<Status(WriteContext&)> in;
  std::function<Status(WriteContext&)> written;
  Status after_status;
  std::atomic<int> after = 0;
  std::atomic<int> failed = 0;
};

class NestedWritesTest : public TableTest {
 protected:
  NestedWritesTest() {
    table_.reset();
    connection_.reset();
    auto opened = OpenEmbedded(
        root_ + "/store", options_, {.hooks = [this](const TableDescriptor& descriptor) -> HookChainPtr {
          return descriptor.attributes.contains("hooked") ? std::make_shared<const HookChain>(HookChain{hooks_})
                                                          : nullptr;
        }});
    EXPECT_TRUE(opened.ok());
    connection_ = std::move(*opened);
    Create("log", {Family("f")});
    Create("t", {Family("f")}, {{"hooked", "1"}});
  }

  EmbeddedTable& Embedded() { return static_cast<EmbeddedTable&>(*table_); }

  const std::shared_ptr<Nesting> hooks_ = std::make_shared<Nesting>();
};

std::vector<Put> Puts(const std::string& prefix, int count) {
  std::vector<Put> puts;
  for (int i = 0; i < count; ++i) {
    puts.push_back(PutOf(prefix + std::to_string(i)));
  }
  return puts;
}

// As a coprocessor does that is a client of its own server: another thread writes, while the hook waits for it.
TEST_F(NestedWritesTest, OtherThreadsMayWriteAllOtherRows) {
  std::atomic<bool> inner = false;
  hooks_->in = [&](WriteContext& write) {
    if (inner || write.changes().front()->row.starts_with("inner")) {
      return Status::Ok();
    }
    return std::async(std::launch::async,
                      [this] {
                        const std::unique_ptr<Table> log = Handle("log");
                        const std::vector<Put> same_names = Puts("r", 900);
                        KLIP_RETURN_IF_ERROR(log->Put(same_names));
                        return Handle("t")->Put(Puts("inner", 900));
                      })
        .get();
  };
  std::vector<std::thread> clients;
  std::atomic<int> failures = 0;
  for (int client = 0; client < 3; ++client) {
    clients.emplace_back([&, client] {
      const std::unique_ptr<Table> table = Handle("t");
      failures += table->Put(Puts("r" + std::to_string(client) + " ", 900)).ok() ? 0 : 1;
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(*Handle("log")->CountRows({}), 900);
  EXPECT_EQ(*table_->CountRows({}), 4 * 900);
}

TEST_F(NestedWritesTest, TheThreadOfTheHookMayWriteTheLockedRows) {
  hooks_->in = [&](WriteContext& /*write*/) {
    hooks_->in = nullptr;
    EXPECT_EQ(table_->Put(PutOf("r")).code(), Code::kUnsupported);
    const NestedWrites nested;
    KLIP_RETURN_IF_ERROR(table_->Put(Put{.row = "r"}.Add("f", "nested", "1")));
    KLIP_RETURN_IF_ERROR(table_->Put(PutOf("other")));
    KLIP_RETURN_IF_ERROR(table_->Increment(Increment{.row = "r"}.Add("f", "n", 2)).status());
    return Handle("log")->Put(PutOf("r"));
  };
  EXPECT_EQ(table_->Put(PutOf("r")).ToString(), "ok");
  EXPECT_EQ(Show(*table_->Get(Get{.row = "r"})).find("nested") == std::string::npos, false);
  EXPECT_FALSE(table_->Get(Get{.row = "other"})->empty());
  EXPECT_FALSE(Handle("log")->Get(Get{.row = "r"})->empty());
  EXPECT_TRUE(table_->Delete(Delete{.row = "r"}).ok());  // nothing stayed locked
}

// Nor may a change of the table, which waits for the operation, keep the nested write waiting.
TEST_F(NestedWritesTest, AWaitingChangeOfTheTableDoesNotStopThem) {
  std::future<Status> alter;
  hooks_->in = [&](WriteContext& /*write*/) {
    hooks_->in = nullptr;
    alter = std::async(std::launch::async, [&] {
      return connection_->admin().ModifyTable({.name = "t", .families = {Family("f"), Family("g")}});
    });
    EmbeddedConnection& embedded = static_cast<EmbeddedConnection&>(*connection_);
    while (std::async(std::launch::async, [&] {
             const std::shared_lock lock(embedded.store().locks().ForTable("t"), std::try_to_lock);
             return lock.owns_lock();
           }).get()) {
    }
    const NestedWrites nested;
    return table_->Put(PutOf("other"));
  };
  EXPECT_EQ(table_->Put(PutOf("r")).ToString(), "ok");
  EXPECT_EQ(alter.get().ToString(), "ok");
}

TEST_F(NestedWritesTest, AHookMayFailTheCallWhenTheRowIsWritten) {
  hooks_->written = [](WriteContext&) { return Status(Code::kIoError, "planned"); };
  EXPECT_EQ(table_->Put(PutOf("r")).message(), "planned");
  EXPECT_FALSE(table_->Get(Get{.row = "r"})->empty());
  EXPECT_EQ(hooks_->after, 1);
  EXPECT_EQ(hooks_->failed, 0);
  bool written = false;
  const RowMutations more = {.row = "n", .mutations = {Increment{.row = "n"}.Add("f", "n", 5)}};
  EXPECT_FALSE(Embedded().Mutate(more, {{}, false, &written}).ok());
  EXPECT_TRUE(written);  // so that a client's second attempt does not add it again
}

TEST_F(NestedWritesTest, HooksLearnThatAnOperationHasFailed) {
  hooks_->in = [](WriteContext&) { return Status(Code::kIoError, "planned"); };
  EXPECT_EQ(table_->Put(PutOf("r")).message(), "planned");
  EXPECT_TRUE(table_->Get(Get{.row = "r"})->empty());
  EXPECT_EQ(hooks_->failed, 1);
  EXPECT_EQ(hooks_->after, 0);
}

TEST_F(NestedWritesTest, AHookMayRejectOneOfManyAndReplaceKinds) {
  hooks_->in = [](WriteContext& write) {
    for (Change* const change : write.changes()) {
      if (change->row == "rejected") {
        EXPECT_TRUE(write.each_by_itself());
        change->status = Status(Code::kDoNotRetry, "planned");
      } else if (change->row == "deleted") {
        EXPECT_TRUE(write.Replace(change, Delete{.row = "deleted"}.AddColumns("f", "old")));
        write.SetCompanion(change, PutOf("deleted"));
      }
    }
    return Status::Ok();
  };
  ASSERT_TRUE(table_->Put(Put{.row = "deleted"}.Add("f", "old", "v")).ok());
  const std::vector<Action> actions = {PutOf("a"), PutOf("rejected"), Put{.row = "deleted"}.Add("f", "x", "v")};
  const std::vector<Expected<Result>> outcomes = table_->Batch(actions);
  EXPECT_TRUE(outcomes[0].ok());
  EXPECT_EQ(outcomes[1].status().message(), "planned");
  EXPECT_TRUE(outcomes[2].ok());
  EXPECT_FALSE(table_->Get(Get{.row = "a"})->empty());
  EXPECT_TRUE(table_->Get(Get{.row = "rejected"})->empty());
  const Result deleted = *table_->Get(Get{.row = "deleted"});
  ASSERT_EQ(deleted.size(), 1U);
  EXPECT_EQ(deleted.begin()->qualifier, "q");
}

}  // namespace
}  // namespace klip::table
