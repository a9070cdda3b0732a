#include "engine/log/manifest.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "rocksdb/metadata.h"

#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class ManifestTest : public StoreTest {
 protected:
  std::string File() const {
    std::string name;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (entry.path().filename().string().starts_with("MANIFEST-") && entry.path() > name) {
        name = entry.path();
      }
    }
    return name;
  }
  Expected<ManifestState> Read(uint64_t bytes = UINT64_MAX) const {
    std::unique_ptr<rocksdb::RandomAccessFile> file;
    EXPECT_TRUE(rocksdb::Env::Default()->NewRandomAccessFile(File(), &file, rocksdb::EnvOptions()).ok());
    LogReader reader(std::move(file), "MANIFEST");
    return ReadManifest(&reader, "MANIFEST", bytes);
  }
  std::set<uint64_t> Live() const {
    std::vector<rocksdb::LiveFileMetaData> files;
    store_->db()->GetLiveFilesMetaData(&files);
    std::set<uint64_t> numbers;
    for (const auto& file : files) {
      numbers.insert(file.file_number);
    }
    return numbers;
  }
};

TEST_F(ManifestTest, NamesTheFilesThatRocksDBHas) {
  Open();
  Create("t", {"d", "e"});
  Create("u", {"d"});
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(Put("t", "row" + std::to_string(i), "v").ok());
    ASSERT_TRUE(Put("u", "row" + std::to_string(i), "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    ASSERT_TRUE(store_->storage().Flush("u").ok());
    if (i == 5) {
      ASSERT_TRUE(store_->storage().Compact("t", /*major=*/true).ok());
    }
    if (i == 8) {
      ASSERT_TRUE(store_->snapshots().Take("s", "t", {}).ok());
      ASSERT_TRUE(store_->snapshots().Clone("s", "v").ok());
    }
    if (i == 9) {
      ASSERT_TRUE(store_->catalog().SetEnabled("u", false).ok());
      ASSERT_TRUE(store_->catalog().TruncateTable("u", /*preserve_splits=*/false).ok());
    }
    const Expected<ManifestState> state = Read();
    ASSERT_TRUE(state.ok()) << state.status().ToString();
    std::set<uint64_t> named;
    for (const auto& [number, table] : state->tables) {
      named.insert(number);
    }
    EXPECT_EQ(named, Live()) << i;
    EXPECT_EQ(state->end, std::filesystem::file_size(File()));
  }
}

TEST_F(ManifestTest, EndsAtACutAndNamesDamage) {
  Open();
  Create("t", {"d"});
  ASSERT_TRUE(Put("t", "a", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  const std::string file = File();
  const uint64_t size = std::filesystem::file_size(file);
  ASSERT_EQ(Read()->tables.size(), 1U);
  uint64_t least = size;  // with the table
  while (Read(least - 1)->tables.size() == 1) {
    --least;
  }
  std::filesystem::resize_file(file, least - 1);
  EXPECT_EQ(Read()->tables.size(), 0U);
  EXPECT_LT(Read()->end, least - 1);
  const std::unique_ptr<FILE, int (*)(FILE*)> bytes(std::fopen(file.c_str(), "r+b"), std::fclose);
  std::fseek(bytes.get(), 20, SEEK_SET);
  std::fputc('!', bytes.get());
  std::fflush(bytes.get());
  EXPECT_EQ(Read().status().code(), Code::kCorruption);
}

TEST_F(ManifestTest, MayEndInZeros) {
  Open();
  Create("t", {"f"});
  store_.reset();
  const uint64_t end = Read()->end;
  std::ofstream file(File(), std::ios::binary | std::ios::app);
  for (const uint64_t zeros : {100, 40 << 10}) {  // up to the end of a block, and across blocks
    file << std::string(zeros, '\0') << std::flush;
    const Expected<ManifestState> state = Read();
    ASSERT_TRUE(state.ok()) << state.status().ToString();
    EXPECT_EQ(state->end, end);
  }
  Open();
  store_.reset();
  std::ofstream again(File(), std::ios::binary | std::ios::app);
  uint64_t offset = 64 << 10;
  std::string log(offset - std::filesystem::file_size(File()), '\0');
  AppendLogRecord("what zeros have cut off", &offset, &log);
  again << log << std::flush;
  EXPECT_EQ(Read().status().code(), Code::kCorruption);
}

}  // namespace
}  // namespace klip::engine
