#include "engine/read/read_setup.h"

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

#include "engine/blocks/block_database_test.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

class ReadSetupTest : public StoreTest {
 protected:
  // Writes both families of the table atomically.
  void PutBoth(uint64_t timestamp_ms, const std::string& value) {
    const TablePtr view = View("t");
    WriteSet writes;
    for (const Family& family : view->families) {
      writes.Add(family, "r", "q", static_cast<int64_t>(timestamp_ms), CellType::kPut, value);
    }
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  }
};

// Calls back when a table is opened for reading, once.
class TableHook final : public rocksdb::FileSystemWrapper {
 public:
  TableHook() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "TableHook"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    if (name.ends_with(".sst")) {
      if (const std::function<void()> call = std::exchange(once, nullptr)) {
        call();
      }
    }
    return FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
  }

  std::function<void()> once;
};

// A flush drops surplus versions even while readers need them. A flush in the middle of a read must not hide both
// versions. By both kinds of iterators: a hook of each is called after the moment is chosen, before the second family is
// read.
TEST_F(ReadSetupTest, FamiliesAreOfOneMomentWhateverIsFlushedMeanwhile) {
  for (const bool blocks : {true, false}) {
    SCOPED_TRACE(blocks ? "blocks" : "RocksDB");
    const ReaderInEnvironment reader_of_store(blocks ? "blocks" : "rocksdb");
    const auto files = std::make_shared<TableHook>();
    const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
    env_ = env.get();
    path_ = root_ + (blocks ? "/blocks" : "/rocksdb");
    Open();
    Create("t", {"a", "b"});
    PutBoth(1, "one");
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    PutBoth(2, "two");
    bool asked = false;
    const auto change = [&] {
      asked = true;
      PutBoth(3, "three");
      EXPECT_TRUE(store_->storage().Flush("t").ok());
    };

    const TablePtr view = View("t");
    const std::vector<ColumnSpec> all_columns;
    const std::map<std::string, TimeRange> no_ranges;
    ReadRequest request;
    request.columns = &all_columns;
    request.family_time_ranges = &no_ranges;
    std::vector<FamilyReader> readers = *MakeReaders(*view, request);
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    if (blocks) {
      files->once = change;
    } else {
      options.table_filter = [&](const rocksdb::TableProperties&) {
        if (!asked) {
          change();
        }
        return true;
      };
    }
    ScanStatistics statistics;
    ASSERT_TRUE(OpenCursors(*store_, nullptr, options, false, 0, &readers, &statistics).ok());
    EXPECT_TRUE(asked);
    ASSERT_EQ(readers.size(), 2U);
    for (const FamilyReader& reader : readers) {
      reader.cursor->SeekToStart("");
      ASSERT_FALSE(reader.cursor->at_end());
      EXPECT_TRUE(reader.cursor->value().ends_with("three")) << reader.name;
    }
    readers.clear();
    store_.reset();
  }
}

}  // namespace
}  // namespace klip::engine
