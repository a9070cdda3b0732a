// Nonces survive a crash, and another one.
#include "engine/log/nonce_log.h"

#include <filesystem>

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class NonceLogTest : public StoreTest {
 protected:
  void Write(uint64_t number) {
    const TablePtr view = View("t");
    WriteSet writes;
    writes.Add(view->families[0], "r", "q", 1, CellType::kPut, "v");
    writes.AddNonce({1, number}, now_ms_);
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  }

  // Opens the current contents of the disk.
  void Kill() {
    const std::string copy = path_ + "+";
    std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive);
    store_.reset();
    path_ = copy;
    Open();
  }

  std::string Recovered() const {
    std::string text;
    for (const LoggedNonce& one : store_->RecoveredNonces()) {
      text += std::to_string(one.nonce.group) + "/" + std::to_string(one.nonce.number) + " ";
    }
    return text;
  }
};

TEST_F(NonceLogTest, OutlivesTwoKillsAndThenItsTime) {
  Open();
  Create("t", {"f"});
  Write(7);
  Write(0);
  now_ms_ += kNonceLifeMs / 2;
  Write(8);
  EXPECT_EQ(Recovered(), "");
  Kill();
  EXPECT_EQ(Recovered(), "1/7 1/8 ");
  EXPECT_EQ(Dump("t"), "r=v ");
  Kill();
  EXPECT_EQ(Recovered(), "1/7 1/8 ");
  now_ms_ += kNonceLifeMs / 2 + 1;
  Kill();
  EXPECT_EQ(Recovered(), "1/8 ");
}

}  // namespace
}  // namespace klip::engine
