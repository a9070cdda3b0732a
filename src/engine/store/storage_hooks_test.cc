// Hooks of code above the store: for its tables, RocksDB drops nothing on its own.
#include "engine/store/storage_hooks.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/read/observed_rewrite.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class StorageHooksTest : public StoreTest, public StorageHooks {
 protected:
  StorageHooksTest() {
    OpenHooked();
    Create("t", {"f"});
  }

  void OpenHooked() {
    store_.reset();
    StoreOptions options = Options();
    options.storage_hooks = this;
    Expected<std::unique_ptr<Store>> opened = Store::Open(std::move(options));
    ASSERT_EQ(opened.status().ToString(), "ok");
    store_ = *std::move(opened);
  }

  bool KeepsAll(const TableDescriptor& /*table*/) const override { return keeps_all_; }
  Status AroundFlush(const TablePtr& /*table*/, std::span<const Family> /*families*/,
                     const std::function<Status()>& run) override {
    return run();
  }
  Status AroundCompaction(const TablePtr& table, const Family& family, bool /*major*/,
                          const std::function<Status(const model::FamilyPolicy*)>& run) override {
    if (rewrite_) {
      KLIP_RETURN_IF_ERROR(rewrite_(table, family));
    }
    return run(policy_.has_value() ? &*policy_ : nullptr);
  }

  void PutVersions(const std::string& row, int count) {
    for (int i = 1; i <= count; ++i) {
      Write(row, i, std::to_string(i));
    }
  }
  void Write(const std::string& row, int64_t timestamp_ms, const std::string& value) {
    WriteSet writes;
    writes.Add(View("t")->families.front(), row, "q", timestamp_ms, CellType::kPut, value);
    ASSERT_EQ(store_->Write(&writes, Durability::kSyncWal).ToString(), "ok");
  }

  // Sums the versions of each row into the oldest one, as WriteHeavyIncrementObserver of hbase-examples does.
  Status Sum(const TablePtr& table, const Family& family, const std::function<void()>& meanwhile = {}) {
    const auto rewrite = Begin(*table, family);
    if (meanwhile) {
      meanwhile();
    }
    return SumRows(rewrite.get());
  }
  std::unique_ptr<ObservedRewrite> Begin(const TableView& table, const Family& family, bool only_memory = false) {
    return std::make_unique<ObservedRewrite>(
        store_.get(),
        ObservedRewrite::Rows{.table = &table, .family = &family, .start = "", .end = "", .only_memory = only_memory},
        model::FamilyPolicy{.max_versions = 1000});
  }
  static Status SumRows(ObservedRewrite* rewrite) {
    Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, rewrite->Next(&row));
      if (!more) {
        return rewrite->Finish();
      }
      int sum = 0;
      for (const Cell& cell : row) {
        sum += std::stoi(std::string(cell.value));
      }
      const std::string value = std::to_string(sum);
      Cell cell = row[row.size() - 1];
      cell.value = value;
      KLIP_RETURN_IF_ERROR(rewrite->Keep(cell));
    }
  }

  bool keeps_all_ = true;
  std::optional<model::FamilyPolicy> policy_;
  std::function<Status(const TablePtr&, const Family&)> rewrite_;
};

TEST_F(StorageHooksTest, FlushesAndOwnCompactionsKeepAll) {
  PutVersions("r", 3);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  PutVersions("r", 4);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  ASSERT_EQ(store_->db()->CompactRange({}, View("t")->families.front().handle.get(), nullptr, nullptr).ToString(),
            "OK");
  EXPECT_EQ(Dump("t"), "r=4 r=3 r=2 r=1 ");
  OpenHooked();  // what the log holds is flushed
  EXPECT_EQ(Dump("t"), "r=4 r=3 r=2 r=1 ");
}

TEST_F(StorageHooksTest, ACompactionThatWasAskedForDropsWhatTheHooksSay) {
  PutVersions("r", 3);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  ASSERT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=3 r=2 r=1 ");
  policy_ = model::FamilyPolicy{.max_versions = 2};
  ASSERT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=3 r=2 ");
}

TEST_F(StorageHooksTest, AReleasedViewDropsAgainAndTheNextOneKeeps) {
  FamilyState& state = *View("t")->families.front().state;
  state.released_view = View("t")->number;
  PutVersions("r", 3);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=3 ");
  TableDescriptor changed = View("t")->descriptor;
  changed.attributes["a"] = "b";
  ASSERT_EQ(store_->catalog().ModifyTable(changed).ToString(), "ok");
  PutVersions("r", 3);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=3 r=2 r=1 ");
}

TEST_F(StorageHooksTest, ARewriteLeavesWhatItsReaderKeeps) {
  for (int row = 1; row <= 700; ++row) {  // more changes than are written at once
    PutVersions("r" + std::to_string(1000 + row), 3);
  }
  rewrite_ = [this](const TablePtr& table, const Family& family) { return Sum(table, family); };
  ASSERT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  std::string expected;
  for (int row = 1; row <= 700; ++row) {
    expected += "r" + std::to_string(1000 + row) + "=6 ";
  }
  EXPECT_EQ(Dump("t"), expected);
}

TEST_F(StorageHooksTest, ARewriteLeavesWhatIsWrittenMeanwhile) {
  PutVersions("r", 3);
  PutVersions("s", 3);
  rewrite_ = [this](const TablePtr& table, const Family& family) {
    return Sum(table, family, [this] {
      Write("r", 4, "4");
      Write("s", 3, "30");  // one of the summed cells: the row waits for the next compaction
    });
  };
  ASSERT_EQ(store_->storage().Compact("t", /*major=*/true).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=4 r=6 s=30 s=2 s=1 ");
}

TEST_F(StorageHooksTest, OverlappingRewritesLoseNothing) {
  PutVersions("r", 3);
  const TablePtr table = View("t");
  const auto first = Begin(*table, table->families.front());
  Write("r", 4, "4");
  const auto second = Begin(*table, table->families.front());  // has read what the first one sums, and one more cell
  ASSERT_EQ(SumRows(first.get()).ToString(), "ok");
  ASSERT_EQ(SumRows(second.get()).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=4 r=6 ");
}

TEST_F(StorageHooksTest, ACompactionDuringAFlushCountsNothingTwice) {
  PutVersions("r", 2);
  ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
  Write("r", 3, "3");
  Write("r", 4, "4");
  const TablePtr table = View("t");
  const auto flush = Begin(*table, table->families.front(), /*only_memory=*/true);
  const auto compaction = Begin(*table, table->families.front());
  ASSERT_EQ(SumRows(flush.get()).ToString(), "ok");
  ASSERT_EQ(SumRows(compaction.get()).ToString(), "ok");
  EXPECT_EQ(Dump("t"), "r=7 r=2 r=1 ");
}

TEST_F(StorageHooksTest, AKillInTheMiddleOfARewriteLeavesEachRowAsItWasOrIs) {
  constexpr int kRows = 1400;
  std::vector<std::string> rows;
  for (int row = 0; row < kRows; ++row) {
    rows.push_back("r" + std::to_string(1000 + row));
    PutVersions(rows.back(), 3);
    if (row == kRows / 3) {
      ASSERT_EQ(store_->storage().Flush("t").ToString(), "ok");
    }
  }
  const std::string killed = root_ + "/killed";
  {
    const TablePtr table = View("t");
    const auto rewrite = Begin(*table, table->families.front());
    Result cells;
    for (int row = 0; row < kRows; ++row) {
      ASSERT_TRUE(rewrite->Next(&cells).ok());
      Cell sum = cells[cells.size() - 1];
      sum.value = "6";
      ASSERT_EQ(rewrite->Keep(sum).ToString(), "ok");
      if (row == kRows / 2) {
        ASSERT_EQ(store_->storage().FlushFamilies(table->families).ToString(), "ok");  // by RocksDB's own choice
      }
    }
    std::filesystem::copy(path_, killed, std::filesystem::copy_options::recursive);
  }  // without a Finish
  path_ = killed;
  OpenHooked();
  const std::string left = Dump("t");
  std::string expected;
  int summed = 0;
  for (const std::string& row : rows) {
    const std::string sum = row + "=6 ";
    const bool is_summed = left.substr(expected.size(), sum.size()) == sum;
    summed += is_summed ? 1 : 0;
    expected += is_summed ? sum : row + "=3 " + row + "=2 " + row + "=1 ";
  }
  EXPECT_EQ(left, expected);
  EXPECT_GT(summed, 0);
  EXPECT_LT(summed, kRows);
}

TEST_F(StorageHooksTest, ARewriteEndsWhenTheTableGetsAnIndex) {
  PutVersions("r", 3);
  rewrite_ = [this](const TablePtr& table, const Family& family) {
    return Sum(table, family, [this, &table] {
      TableDescriptor changed = table->descriptor;
      changed.attributes["KLIP_INDEX$i"] = "f:q text";
      ASSERT_EQ(store_->catalog().ModifyTable(changed).ToString(), "ok");
    });
  };
  EXPECT_EQ(store_->storage().Compact("t", /*major=*/true).code(), Code::kIoError);
  EXPECT_EQ(Dump("t"), "r=3 r=2 r=1 ");
}

TEST_F(StorageHooksTest, ARewriteRefusesCellsOfOtherPlaces) {
  PutVersions("m", 1);
  const TablePtr table = View("t");
  ObservedRewrite rewrite(store_.get(),
                          {.table = table.get(), .family = &table->families.front(), .start = "f", .end = "p"}, {});
  const Cell cell = {.row = "m", .family = "f", .qualifier = "q", .timestamp_ms = 5, .value = "v"};
  EXPECT_EQ(rewrite.Keep(cell).ToString(), "ok");
  EXPECT_EQ(rewrite.Keep(cell).code(), Code::kDoNotRetry);
  Cell other = cell;
  other.row = "p";
  EXPECT_EQ(rewrite.Keep(other).code(), Code::kDoNotRetry);
}

}  // namespace
}  // namespace klip::engine
