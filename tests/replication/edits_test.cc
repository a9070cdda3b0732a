// Which edits of the log are sent to a peer, and in which form.
#include "replication/edits.h"

#include "engine/store/store_fixture_test.h"

namespace klip::replication {
namespace {

using EditsTest = engine::StoreTest;

// An unreadable record stops all later ones, so that the peer does not miss it unnoticed.
TEST_F(EditsTest, StopAtWhatCannotBeRead) {
  Open();
  TableDescriptor descriptor = Descriptor("t", {"f"});
  descriptor.families[0].replication_scope = 1;
  ASSERT_TRUE(store_->catalog().CreateTable(descriptor, {}).ok());
  ASSERT_TRUE(store_->peers().Add({.id = "1", .config = {.cluster_key = "h:1:/hbase"}}).ok());
  const engine::Family& family = View("t")->families[0];
  const auto write = [&](const std::string& row) {
    engine::WriteSet writes;
    writes.Add(family, row, "q", 5, CellType::kPut, "v");
    ASSERT_TRUE(store_->Write(&writes, Durability::kSyncWal).ok());
  };
  write("one");
  write("two");
  const engine::LogPosition start = *store_->peers().Position("1");
  rocksdb::WriteBatch bad;  // of a cell and of what is none
  std::string key;
  engine::AppendCellKey("three", "q", 5, CellType::kPut, &key);
  ASSERT_TRUE(bad.Put(family.handle.get(), key, std::string("\0v", 2)).ok());
  ASSERT_TRUE(bad.Put(family.handle.get(), "no key of a cell", "v").ok());
  ASSERT_TRUE(store_->db()->Write({}, &bad).ok());
  write("four");

  Edits edits;
  const Route route = {{1, 1}, {2, 2}};
  engine::LogTail tail(store_.get(), start);
  EXPECT_EQ(edits.Fill(*store_, {}, route, 0, &tail).code(), Code::kCorruption);
  EXPECT_EQ(edits.cells(), 2);
  EXPECT_EQ(edits.entries(), 2);

  const engine::LogPosition end = edits.end();
  edits.Clear();
  engine::LogTail again(store_.get(), end);
  EXPECT_EQ(edits.Fill(*store_, {}, route, 0, &again).code(), Code::kCorruption);
  EXPECT_TRUE(edits.empty());
  EXPECT_EQ(edits.request().entry_size(), 0);
  EXPECT_EQ(edits.end(), end);
}

}  // namespace
}  // namespace klip::replication
