#include "engine/store/cluster_id_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "engine/rocks/fault_file_system_test.h"

namespace klip::engine {
namespace {

TEST(ClusterIdTest, IsMadeOnceAndCheckedEachTime) {
  const TempDirectory temp;
  Faults faults;
  const auto env = rocksdb::NewCompositeEnv(std::make_shared<FaultFileSystem>(&faults));
  StoreOptions store = {.path = temp.path(), .env = env.get()};
  EXPECT_TRUE(CheckClusterId(store.path).ok());
  const Expected<std::string> made = ReadOrMakeClusterId(store);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->size(), 36U);
  EXPECT_EQ(faults.file_syncs, 1);  // otherwise a power cut may leave an empty file under the name
  EXPECT_EQ(faults.directory_syncs, 1);
  EXPECT_EQ(*ReadOrMakeClusterId(store), *made);
  EXPECT_TRUE(CheckClusterId(store.path).ok());
  std::string sealed;
  ASSERT_TRUE(rocksdb::ReadFileToString(env.get(), store.path + "/CLUSTER_ID", &sealed).ok());
  for (size_t at = 0; at < sealed.size(); ++at) {
    std::string changed = sealed;
    changed[at] ^= 1;
    std::ofstream(store.path + "/CLUSTER_ID") << changed;
    EXPECT_EQ(CheckClusterId(store.path).code(), Code::kCorruption) << at;
  }
  std::ofstream(store.path + "/CLUSTER_ID") << *made << "\n";  // as klip wrote it before
  EXPECT_EQ(*ReadOrMakeClusterId(store), *made);
  std::ofstream(store.path + "/CLUSTER_ID") << "none";
  EXPECT_EQ(ReadOrMakeClusterId(store).status().code(), Code::kCorruption);
  EXPECT_EQ(CheckClusterId(store.path).code(), Code::kCorruption);
  store.path += "/none";
  EXPECT_EQ(ReadOrMakeClusterId(store).status().code(), Code::kIoError);
}

}  // namespace
}  // namespace klip::engine
