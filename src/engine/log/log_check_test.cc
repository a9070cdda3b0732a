#include "engine/log/log_check.h"

#include <filesystem>
#include <fstream>

#include "engine/log/kept_logs.h"
#include "engine/store/repair.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

// A store after kill -9, whose newest log has 1,000 rows of about 120 bytes.
class LogCheckTest : public StoreTest {
 protected:
  static constexpr int kRows = 1000;

  void SetUp() override {
    Open();
    Create("t", {"f"});
    for (int i = 0; i < kRows; ++i) {
      ASSERT_TRUE(Put("t", "row" + std::to_string(1000 + i), std::string(100, 'v'), Durability::kAsyncWal).ok());
    }
    killed_ = root_ + "/killed";
    std::filesystem::copy(path_, killed_, std::filesystem::copy_options::recursive);
    log_ = LogName(LogNumbers(rocksdb::Env::Default(), killed_)->back());
  }
  // Opens a copy whose log `change` has changed.
  Status OpenAfter(const std::function<void(std::string*)>& change) {
    store_.reset();
    path_ = root_ + "/copy";
    std::filesystem::remove_all(path_);
    std::filesystem::copy(killed_, path_, std::filesystem::copy_options::recursive);
    std::ifstream in(killed_ + "/" + log_, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    change(&bytes);
    std::ofstream(path_ + "/" + log_, std::ios::binary) << bytes;
    return TryOpen();
  }
  int Rows() {
    const std::string dump = Dump("t");
    return static_cast<int>(std::count(dump.begin(), dump.end(), '='));
  }

  std::string killed_;
  std::string log_;
};

TEST_F(LogCheckTest, OneFlippedBitIsNoticedWhereverItIs) {
  const auto size = std::filesystem::file_size(killed_ + "/" + log_);
  for (size_t at = 3; at < size - 400; at += 6007) {
    const Status status = OpenAfter([&](std::string* log) { (*log)[at] ^= 0x10; });
    ASSERT_EQ(status.code(), Code::kCorruption) << at << ": " << status.ToString();
    EXPECT_NE(status.message().find(path_ + "/" + log_ + ", offset "), std::string::npos) << status.message();
    EXPECT_EQ(std::filesystem::file_size(path_ + "/" + log_), size) << "the log is kept";
    EXPECT_EQ(TryOpen().code(), Code::kCorruption) << "and the next open does not take it either";
  }
  EXPECT_EQ(OpenAfter([](std::string* log) { log->replace(40'000, 4096, 4096, '\0'); }).code(), Code::kCorruption);
}

TEST_F(LogCheckTest, ATornEndOpens) {
  ASSERT_EQ(OpenAfter([](std::string*) {}).ToString(), "ok");
  EXPECT_EQ(Rows(), kRows);
  const std::vector<std::function<void(std::string*)>> ends = {
      [](std::string* log) { log->pop_back(); },
      [](std::string* log) { (*log)[log->size() - 50] ^= 1; },
      [](std::string* log) { log->replace(log->size() - 50, 50, 50, '\0'); },
  };
  for (const auto& end : ends) {
    ASSERT_EQ(OpenAfter(end).ToString(), "ok");
    EXPECT_EQ(Rows(), kRows - 1);
  }
  for (const std::string& more : {std::string("e"), std::string(70'000, '\0'), std::string(5000, 'e')}) {
    ASSERT_EQ(OpenAfter([&](std::string* log) { *log += more; }).ToString(), "ok");
    EXPECT_EQ(Rows(), kRows);
  }
  ASSERT_EQ(OpenAfter([](std::string* log) { log->resize(log->size() / 2); }).ToString(), "ok");
  EXPECT_GT(Rows(), kRows / 3);
  ASSERT_EQ(OpenAfter([](std::string* log) { log->clear(); }).ToString(), "ok");
  EXPECT_EQ(Rows(), 0);
}

TEST_F(LogCheckTest, RepairKeepsWhatIsWhole) {
  ASSERT_EQ(OpenAfter([](std::string* log) {
              (*log)[20'000] ^= 1;
              log->replace(70'000, 300, 300, 'x');
            }).code(),
            Code::kCorruption);
  const std::string to = root_ + "/repaired";
  const Expected<RepairReport> said = RepairStore(path_, to, /*write=*/false);
  ASSERT_TRUE(said.ok()) << said.status().ToString();
  EXPECT_FALSE(std::filesystem::exists(to));
  const Expected<RepairReport> done = RepairStore(path_, to, /*write=*/true);
  ASSERT_TRUE(done.ok()) << done.status().ToString();
  ASSERT_EQ(done->logs.size(), 1U);
  const DamagedLog& log = done->logs[0];
  EXPECT_EQ(log.kept_writes, said->logs[0].kept_writes);
  EXPECT_GE(log.places, 2);
  EXPECT_LT(log.offset, 20'000U);
  EXPECT_GT(log.kept_behind, kRows * 3 / 4);
  EXPECT_EQ(TryOpen().code(), Code::kCorruption) << "the store itself is as it was";
  path_ = to;
  ASSERT_EQ(TryOpen().ToString(), "ok");
  EXPECT_EQ(Rows(), log.kept_writes);
  EXPECT_GE(Rows(), kRows - 6);
  EXPECT_EQ(RepairStore(path_, root_ + "/other", false).status().code(), Code::kStoreInUse);
  EXPECT_EQ(RepairStore(killed_, to, true).status().code(), Code::kInvalidArgument);
}

TEST_F(LogCheckTest, ADamagedLogOfWhatIsInTablesIsOfNoInterest) {
  ASSERT_EQ(OpenAfter([](std::string*) {}).ToString(), "ok");
  store_.reset();
  const Status status = [&] {
    std::string damaged;
    std::ifstream in(killed_ + "/" + log_, std::ios::binary);
    damaged.assign((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    damaged[50'000] ^= 1;
    std::ofstream(path_ + "/" + log_, std::ios::binary) << damaged;  // as if it had not been deleted yet
    return TryOpen();
  }();
  ASSERT_EQ(status.ToString(), "ok");
  EXPECT_EQ(Rows(), kRows);
}

}  // namespace
}  // namespace klip::engine
