// Reading the log back: all writes come out, cell by cell and in order, while log files are rotated and deleted.
#include "engine/store/log_tail.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "rocksdb/db.h"
#include "rocksdb/transaction_log.h"

#include "engine/layout/batch_reader.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_cells.h"
#include "engine/log/nonce_log.h"
#include "engine/store/peers.h"
#include "engine/store/store_fixture_test.h"

namespace klip::engine {
namespace {

std::string CellText(std::string_view family, const Cell& cell, const ClusterIds& clusters) {
  std::string text = std::string(cell.row) + "/" + std::string(family) + ":" + std::string(cell.qualifier) + "/" +
                     std::to_string(cell.timestamp_ms) + "/" + std::to_string(static_cast<int>(cell.type)) + "=" +
                     std::string(cell.value) + "[" + std::string(cell.tags) + "]";
  for (const ClusterId& cluster : clusters) {
    text += " " + std::to_string(cluster.high) + "." + std::to_string(cluster.low);
  }
  return text;
}

class LogTailTest : public StoreTest {
 protected:
  void AddPeer(const std::string& id) {
    ASSERT_EQ(store_->peers().Add({.id = id, .config = {.cluster_key = "h:1:/hbase"}}).ToString(), "ok");
  }
  LogPosition PositionOf(const std::string& id) {
    const Expected<LogPosition> position = store_->peers().Position(id);
    EXPECT_TRUE(position.ok()) << position.status().ToString();
    return position.ok() ? *position : LogPosition();
  }

  // All cells that the tail has now, as text.
  std::vector<std::string> Read(LogTail* tail) {
    std::vector<std::string> out;
    const std::map<uint32_t, LoggedFamily> families = store_->views().LoggedFamilies();
    std::string record;
    for (Expected<bool> more = tail->Next(&record);; more = tail->Next(&record)) {
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) {
        return out;
      }
      const Status read = ForEachLoggedCell(record, [&](const LoggedCell& logged) {
        const auto family = families.find(logged.column_family);
        EXPECT_NE(family, families.end());
        out.push_back(CellText(family->second.family->descriptor.name, logged.cell, *logged.clusters));
        return Status::Ok();
      });
      EXPECT_EQ(read.ToString(), "ok");
    }
  }

  size_t KeptFiles() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + "/" + kReplicationDirectory)) {
      count += entry.path().extension() == ".log" ? 1 : 0;
    }
    return count;
  }
};

// Batches of random cells, some replicated, some without log; flushes, which start new log files; and restarts.
TEST_F(LogTailTest, RandomWritesComeBack) {
  std::mt19937 random(20261122);
  const auto below = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const auto bytes = [&](uint32_t most) {
    std::string out(below(most) + 1, '\0');
    for (char& c : out) {
      c = below(4) == 0 ? '\0' : static_cast<char>(random());
    }
    return out;
  };
  Open();
  TableDescriptor ordered = Descriptor("t", {"a", "b"});
  ordered.families[1].new_version_behavior = true;
  ASSERT_TRUE(store_->catalog().CreateTable(ordered, {}).ok());
  AddPeer("1");
  auto tail = std::make_unique<LogTail>(store_.get(), PositionOf("1"));
  constexpr CellType kTypes[] = {CellType::kPut, CellType::kDelete, CellType::kDeleteFamilyVersion,
                                 CellType::kDeleteColumn, CellType::kDeleteFamily};
  std::vector<std::string> expected;
  std::vector<std::string> found;
  for (int round = 0; round < 400; ++round) {
    WriteSet writes;
    const bool logged = below(4) != 0;
    ClusterIds clusters;
    if (below(3) == 0) {
      clusters.assign(below(3) + 1, {random(), random()});
      writes.BeginReplicated(clusters);
    }
    const Family& family = View("t")->families[below(2)];  // of one family, since SKIP_WAL on several is logged
    for (uint32_t i = below(8) + 1; i > 0; --i) {
      Cell cell;
      const std::string row = bytes(20);
      const std::string qualifier = bytes(6);
      const std::string value = bytes(below(20) == 0 ? 100'000 : 200);
      const std::string tags = below(4) == 0 ? TtlTag(1000 + below(1000)) : "";
      cell = {row, {}, qualifier, static_cast<int64_t>(below(1000)), kTypes[below(5)], value, tags};
      writes.Add(family, cell.row, cell.qualifier, cell.timestamp_ms, cell.type, cell.value, cell.tags);
      if (logged) {
        expected.push_back(CellText(family.descriptor.name, cell, clusters));
      }
    }
    if (!clusters.empty()) {
      writes.EndReplicated();
    }
    ASSERT_TRUE(store_->Write(&writes, logged ? Durability::kAsyncWal : Durability::kSkipWal).ok());
    if (below(20) == 0) {
      ASSERT_TRUE(store_->storage().Flush("t").ok());
    }
    if (below(3) == 0) {
      for (std::string& one : Read(tail.get())) {
        found.push_back(std::move(one));
      }
      ASSERT_EQ(found.size(), expected.size()) << "round " << round;
    }
    if (below(60) == 0) {
      for (std::string& one : Read(tail.get())) {
        found.push_back(std::move(one));
      }
      const LogPosition position = tail->position();
      tail = nullptr;
      Open();
      tail = std::make_unique<LogTail>(store_.get(), position);
    }
  }
  for (std::string& one : Read(tail.get())) {
    found.push_back(std::move(one));
  }
  EXPECT_FALSE(tail->skipped_logs());
  EXPECT_EQ(found, expected);
}

// RocksDB writes the batches of several threads as one record.
TEST_F(LogTailTest, MarksOfGroupedWritesStayApart) {
  Open();
  Create("t", {"f"});
  AddPeer("1");
  LogTail tail(store_.get(), PositionOf("1"));
  constexpr int kThreads = 4;
  constexpr int kWrites = 300;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      const TablePtr view = View("t");
      for (int i = 0; i < kWrites; ++i) {
        WriteSet writes;
        if (thread % 2 == 1) {
          writes.BeginReplicated({{7, static_cast<uint64_t>(thread)}});
        }
        writes.Add(view->families[0], std::to_string(thread), std::to_string(i), 1, CellType::kPut, "v");
        if (thread % 2 == 1) {
          writes.EndReplicated();
        }
        EXPECT_TRUE(store_->Write(&writes, Durability::kFsyncWal).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::vector<std::string> found = Read(&tail);
  EXPECT_EQ(found.size(), static_cast<size_t>(kThreads * kWrites));
  for (const std::string& cell : found) {
    const bool marked = cell.find(" 7.") != std::string::npos;
    EXPECT_EQ(marked, cell[0] == '1' || cell[0] == '3') << cell;
    EXPECT_TRUE(!marked || cell.ends_with(std::string(" 7.") + cell[0])) << cell;
  }
}

// Logs are kept while a peer needs them, and deleted when all peers have passed them, or none is left.
TEST_F(LogTailTest, LogsAreKeptAsLongAsNeeded) {
  Open();
  Create("t", {"f"});
  const auto write_and_flush = [this] {
    ASSERT_TRUE(Put("t", "row", "v").ok());
    ASSERT_TRUE(store_->storage().Flush("t").ok());
    rocksdb::VectorLogPtr logs;
    ASSERT_TRUE(store_->db()->GetSortedWalFiles(logs).ok());  // waits for the deletion of what the flush made obsolete
  };
  write_and_flush();
  EXPECT_FALSE(std::filesystem::exists(path_ + "/" + kReplicationDirectory));
  AddPeer("1");
  AddPeer("2");
  for (int i = 0; i < 3; ++i) {
    write_and_flush();
  }
  EXPECT_GE(KeptFiles(), 2U);
  const auto backlogs = ReadPeerBacklogs(path_);
  ASSERT_TRUE(backlogs.ok()) << backlogs.status().ToString();
  ASSERT_EQ(backlogs->size(), 2U);
  EXPECT_EQ((*backlogs)[0].peer.id, "1");
  EXPECT_EQ((*backlogs)[0].log_files, KeptFiles());
  EXPECT_GT((*backlogs)[0].log_bytes, 0U);
  LogTail tail(store_.get(), PositionOf("1"));
  EXPECT_EQ(Read(&tail).size(), 3U);
  ASSERT_TRUE(store_->peers().SetPosition("1", tail.position()).ok());
  EXPECT_GE(KeptFiles(), 2U) << "2 has not passed them";
  const auto less = ReadPeerBacklogs(path_);
  ASSERT_TRUE(less.ok());
  EXPECT_LT((*less)[0].log_bytes, (*backlogs)[0].log_bytes) << "1 has passed some";
  EXPECT_EQ((*less)[1].log_bytes, (*backlogs)[1].log_bytes);
  Open();
  EXPECT_EQ(PositionOf("1"), tail.position());
  LogTail second(store_.get(), PositionOf("2"));
  EXPECT_EQ(Read(&second).size(), 3U);
  ASSERT_TRUE(store_->peers().SetPosition("2", second.position()).ok());
  const size_t left = KeptFiles();
  EXPECT_LE(left, 1U) << "1 stands in a log of before the store was opened";
  write_and_flush();
  EXPECT_GT(KeptFiles(), left);
  ASSERT_TRUE(store_->peers().Remove("1").ok());
  ASSERT_TRUE(store_->peers().Remove("2").ok());
  EXPECT_EQ(KeptFiles(), 0U);
  write_and_flush();
  EXPECT_EQ(KeptFiles(), 0U);
}

// A peer does not receive writes from before it was added.
TEST_F(LogTailTest, PeerBeginsAtTheEnd) {
  Open();
  Create("t", {"f"});
  ASSERT_TRUE(Put("t", "before", "v").ok());
  AddPeer("1");
  ASSERT_TRUE(Put("t", "after", "v").ok());
  LogTail tail(store_.get(), PositionOf("1"));
  EXPECT_EQ(Read(&tail), std::vector<std::string>{"after/f:q/1/4=v[]"});
}

TEST_F(LogTailTest, PeersSurviveAsTheyAre) {
  Open();
  const ReplicationPeer peer = {.id = "p\x01q",
                                .enabled = false,
                                .config = {.cluster_key = "h:2181:/hbase",
                                           .configuration = {{"k", "v"}},
                                           .data = {{std::string("\xFF\0", 2), "\x80"}},
                                           .replicate_all = false,
                                           .table_families = {{"t", {"f", "g"}}, {"n:u", {}}},
                                           .namespaces = {"m"},
                                           .bandwidth = 5,
                                           .serial = true}};
  ASSERT_EQ(store_->peers().Add(peer).ToString(), "ok");
  EXPECT_EQ(store_->peers().Add(peer).message(), "Replication peer p\x01q already exists");
  Open();
  ASSERT_EQ(store_->peers().List().size(), 1U);
  const ReplicationPeer read = store_->peers().List()[0];
  EXPECT_EQ(read.id, peer.id);
  EXPECT_EQ(read.enabled, peer.enabled);
  EXPECT_EQ(read.config, peer.config);
  EXPECT_EQ(store_->peers().SetEnabled("1", true).message(),
            "org.apache.hadoop.hbase.ReplicationPeerNotFoundException: 1");
  EXPECT_EQ(store_->peers().SetEnabled(peer.id, false).message(), "Replication peer p\x01q has already been disabled");
}

// A log that ends within a record, as after a crash, and one with a changed byte.
TEST_F(LogTailTest, TornAndDamagedLogs) {
  Open();
  Create("t", {"f"});
  AddPeer("1");
  ASSERT_TRUE(Put("t", "one", "v").ok());
  ASSERT_TRUE(Put("t", "two", std::string(100'000, 'v')).ok());
  LogTail tail(store_.get(), PositionOf("1"));
  ASSERT_EQ(Read(&tail).size(), 2U);
  const std::string log = path_ + "/" + std::to_string(1'000'000 + tail.position().log).substr(1) + ".log";
  const std::string copy = root_ + "/copy.log";
  const auto records = [&copy, this](const std::function<void()>& damage) {
    damage();
    std::unique_ptr<rocksdb::RandomAccessFile> file;
    EXPECT_TRUE(store_->options().env->NewRandomAccessFile(copy, &file, rocksdb::EnvOptions()).ok());
    LogReader reader(std::move(file), "copy");
    std::string record;
    int count = 0;
    Expected<bool> more = reader.Next(&record);
    for (; more.ok() && *more; more = reader.Next(&record)) {
      ++count;
    }
    return std::to_string(count) + (more.ok() ? "" : " " + more.status().ToString());
  };
  std::filesystem::copy_file(log, copy);
  const uint64_t size = std::filesystem::file_size(copy);
  const std::string all = records([] {});
  EXPECT_EQ(all.find(' '), std::string::npos) << all;
  const std::string torn = records([&] { std::filesystem::resize_file(copy, size - 1); });
  EXPECT_EQ(std::stoi(torn), std::stoi(all) - 1);
  EXPECT_EQ(torn.find(' '), std::string::npos) << torn;
  const std::string damaged = records([&] {
    FILE* file = std::fopen(copy.c_str(), "r+");
    std::fseek(file, static_cast<long>(size) - 50'000, SEEK_SET);
    std::fputc('w', file);
    std::fclose(file);
  });
  EXPECT_NE(damaged.find("checksum mismatch"), std::string::npos) << damaged;
}

// In a log with a successor, an unreadable record was either the last one, cut off by a crash, or has others behind it.
class DamagedLogTest : public LogTailTest {
 protected:
  void SetUp() override {
    Open();
    Create("t", {"f"});
    AddPeer("1");
  }
  std::string LogPath(uint64_t number) const {
    const std::string log = std::to_string(1'000'000 + number).substr(1) + ".log";
    const std::string live = path_ + "/" + log;
    return std::filesystem::exists(live) ? live : path_ + "/" + kReplicationDirectory + "/" + log;
  }
  // Overwrites bytes of the log with that number.
  void Damage(uint64_t number, long from_end, const std::string& bytes) {
    const std::string path = LogPath(number);
    FILE* file = std::fopen(path.c_str(), "r+");
    ASSERT_NE(file, nullptr) << path;
    std::fseek(file, -from_end, SEEK_END);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  // Expects `good` records from there, then an error with that text, on every attempt.
  void ExpectStop(const LogPosition& from, int good, const std::string& text) {
    LogTail tail(store_.get(), from);
    std::string record;
    for (int i = 0; i < good; ++i) {
      const Expected<bool> more = tail.Next(&record);
      ASSERT_TRUE(more.ok()) << more.status().ToString();
      ASSERT_TRUE(*more);
    }
    for (int i = 0; i < 2; ++i) {
      EXPECT_NE(tail.Next(&record).status().ToString().find(text), std::string::npos);
    }
  }
};

TEST_F(DamagedLogTest, StopsWhereOthersFollow) {
  const LogPosition begin = PositionOf("1");
  LogTail tail(store_.get(), begin);
  ASSERT_TRUE(Put("t", "one", "v").ok());
  ASSERT_EQ(Read(&tail).size(), 1U);
  const uint64_t log = tail.position().log;
  const auto good_bytes = static_cast<long>(std::filesystem::file_size(LogPath(log)));
  ASSERT_TRUE(Put("t", "two", std::string(9000, 'v')).ok());
  ASSERT_TRUE(Put("t", "three", std::string(1000, 'v')).ok());
  Damage(log, 1500, "w");  // the second of three
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  LogTail waiting(store_.get(), begin);
  EXPECT_EQ(Read(&waiting).size(), 1U) << "the next log does not tell yet";
  ASSERT_TRUE(Put("t", "four", "v").ok());
  ExpectStop(begin, 1, "checksum mismatch");
  const auto bad_bytes = static_cast<long>(std::filesystem::file_size(LogPath(log))) - good_bytes;
  Damage(log, bad_bytes, std::string(8192, '\0'));  // its beginning too, as if the disk lost a sector
  ExpectStop(begin, 1, "a piece of type 0");
}

TEST_F(DamagedLogTest, StopsWhereALogWithASuccessorIsCutShort) {
  const LogPosition begin = PositionOf("1");
  for (const char* row : {"one", "two", "three"}) {
    ASSERT_TRUE(Put("t", row, "v").ok());
  }
  LogTail tail(store_.get(), begin);
  ASSERT_EQ(Read(&tail).size(), 3U);
  const uint64_t log = tail.position().log;
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_TRUE(Put("t", "four", "v").ok());
  std::filesystem::resize_file(LogPath(log), std::filesystem::file_size(LogPath(log)) - 1);
  ExpectStop(begin, 2, "a record is cut short");
}

TEST_F(DamagedLogTest, StopsAtTheFirstRecord) {
  ASSERT_TRUE(Put("t", "one", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  LogTail tail(store_.get(), PositionOf("1"));
  ASSERT_EQ(Read(&tail).size(), 1U);
  const LogPosition begin = tail.position();  // of a log that is still empty
  ASSERT_TRUE(Put("t", "two", std::string(1000, 'v')).ok());
  ASSERT_TRUE(Put("t", "three", "v").ok());
  Damage(begin.log, 500, "w");
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  ASSERT_TRUE(Put("t", "four", "v").ok());
  ExpectStop(begin, 0, "checksum mismatch");
}

// A log file of a session that wrote nothing.
TEST_F(DamagedLogTest, StopsBeforeAnEmptyLog) {
  const LogPosition begin = PositionOf("1");
  LogTail tail(store_.get(), begin);
  ASSERT_TRUE(Put("t", "one", "v").ok());
  ASSERT_EQ(Read(&tail).size(), 1U);
  ASSERT_TRUE(Put("t", "two", std::string(1000, 'v')).ok());
  ASSERT_TRUE(Put("t", "three", "v").ok());
  ASSERT_TRUE(store_->storage().Flush("t").ok());
  Damage(tail.position().log, 500, "w");
  Open();
  ASSERT_TRUE(Put("t", "four", "v").ok());
  ExpectStop(begin, 1, "checksum mismatch");
}

// The store loses such a record too, and continues after it.
TEST_F(DamagedLogTest, GoesOnAfterACrash) {
  ASSERT_TRUE(Put("t", "one", "v").ok());
  LogTail tail(store_.get(), PositionOf("1"));
  ASSERT_EQ(Read(&tail).size(), 1U);
  const LogPosition begin = tail.position();
  ASSERT_TRUE(Put("t", "two", std::string(1000, 'v')).ok());
  store_ = nullptr;
  Damage(begin.log, 500, "w");
  Open();
  ASSERT_TRUE(Put("t", "three", "v").ok());
  LogTail crashed(store_.get(), begin);
  EXPECT_EQ(Read(&crashed), std::vector<std::string>{"three/f:q/1/4=v[]"});
}

// As above, but the sequence numbers have a gap after the lost record: writes without log used some.
TEST_F(DamagedLogTest, GoesOnAfterACrashThatLostWritesWithoutLog) {
  Create("u", {"f"});
  ASSERT_TRUE(Put("t", "one", "v").ok());
  auto tail = std::make_unique<LogTail>(store_.get(), PositionOf("1"));
  for (const std::string& rest : {std::string("e"), std::string(600, '\0'), std::string(600, 'e')}) {
    ASSERT_EQ(Read(tail.get()).size(), 1U);
    const LogPosition begin = tail->position();
    ASSERT_TRUE(Put("u", "unlogged", "v", Durability::kSkipWal).ok());
    ASSERT_TRUE(store_->storage().Flush("u").ok());
    ASSERT_TRUE(Put("t", "lost", std::string(500, 'v')).ok());
    const uint64_t newest = LogNumbers(store_->options().env, path_)->back();
    const std::string copy = path_ + "_";  // closing might flush
    std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive);
    store_ = nullptr;
    path_ = copy;
    Damage(newest, static_cast<long>(rest.size() == 1 ? 300 : std::filesystem::file_size(LogPath(newest))), rest);
    Open();
    ASSERT_TRUE(Put("t", "two", "v").ok());
    LogTail crashed(store_.get(), begin);
    EXPECT_EQ(Read(&crashed), std::vector<std::string>{"two/f:q/1/4=v[]"});
    ASSERT_TRUE(Put("t", "three", "v").ok());
    tail = std::make_unique<LogTail>(store_.get(), crashed.position());
  }
}

// A complete fragment, and zeros to the end of its block, with and without a record behind them.
TEST_F(LogTailTest, OnlyTheEndOfTheNewestLogIsCut) {
  std::string piece("\0\0\0\0\5\0\1hello", 12);
  const uint32_t checksum = LogChecksum(std::string_view(piece).substr(6));
  std::memcpy(piece.data(), &checksum, sizeof(checksum));
  const std::string block = piece + std::string((32 << 10) - piece.size(), '\0');
  const auto left = [&](const std::string& bytes) {
    const std::string log = root_ + "/000012.log";
    std::ofstream(log, std::ios::binary) << bytes;
    std::ofstream(root_ + "/000011.log", std::ios::binary) << piece << "torn, but not the newest";
    EXPECT_EQ(CutTornLog(rocksdb::Env::Default(), root_).ToString(), "ok");
    EXPECT_GT(std::filesystem::file_size(root_ + "/000011.log"), piece.size());
    return std::filesystem::file_size(log);
  };
  EXPECT_EQ(CutTornLog(rocksdb::Env::Default(), root_ + "/nowhere").ToString(), "ok");
  EXPECT_EQ(left(""), 0U);
  EXPECT_EQ(left(piece), piece.size());
  EXPECT_EQ(left(piece + piece + "garbage that is no piece"), 2 * piece.size());
  EXPECT_EQ(left("garbage that is no piece"), 0U);
  EXPECT_EQ(left(piece + piece.substr(0, piece.size() - 1)), piece.size());
  EXPECT_EQ(left(piece + "\1"), piece.size());
  EXPECT_EQ(left(block), piece.size());
  EXPECT_EQ(left(block + std::string(100, '\0')), piece.size());
  EXPECT_EQ(left(block + "garbage that is no piece"), piece.size());
  EXPECT_EQ(left(block + piece), block.size() + piece.size()) << "RocksDB reads on behind the hole";
}

// A truncation deletes key by key from the last to the first, so that a crash leaves no older version without its newer
// one, in records of bounded size.
TEST_F(LogTailTest, TruncationsArePassedOver) {
  Open();
  Create("t", {"f", "g"}, {"m"});
  AddPeer("1");
  LogTail tail(store_.get(), PositionOf("1"));
  constexpr int kRows = 300;
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(Put("t", "row" + std::string(10'000, 'x') + std::to_string(1000 + i), "v", Durability::kAsyncWal).ok());
  }
  ASSERT_TRUE(Put("t", "a", "v").ok());
  ASSERT_EQ(Read(&tail).size(), 2U * (kRows + 1));
  LogTail raw(store_.get(), tail.position());
  ASSERT_TRUE(store_->regions().TruncateRegion("t", "m").ok());
  ASSERT_TRUE(Put("t", "n", "v").ok());
  EXPECT_EQ(Read(&tail).size(), 2U);
  EXPECT_EQ(Dump("t"), "a=v n=v | a=v n=v ");
  std::string record;
  std::map<uint32_t, std::vector<std::string>> deleted;
  int records = 0;
  while (*raw.Next(&record)) {
    EXPECT_LT(record.size(), 1'100'000U);
    ++records;
    BatchReader changes(record);
    LoggedChange change;
    while (*changes.Next(&change)) {
      if (change.kind == LoggedChange::Kind::kDelete) {
        deleted[change.column_family].emplace_back(change.key);
      }
    }
  }
  EXPECT_GE(records, 7);
  ASSERT_EQ(deleted.size(), 2U);
  for (const auto& [family, keys] : deleted) {
    EXPECT_EQ(keys.size(), static_cast<size_t>(kRows));
    EXPECT_TRUE(std::ranges::is_sorted(keys, std::greater<>()));
  }
  Open();
  EXPECT_EQ(Dump("t"), "a=v n=v | a=v n=v ");
}

// RocksDB asserts that it knows every record type.
TEST(LogCells, RecordsOfOthers) {
  const auto read = [](std::string_view changes, char count) {
    const std::string record = std::string(8, '\0') + count + std::string(3, '\0') + std::string(changes);
    NonceRecovery nonces;
    nonces.LogRecordFound(0, "", rocksdb::WriteBatch(record), nullptr, nullptr);
    return ForEachLoggedCell(record, [](const LoggedCell&) { return Status::Ok(); }).ToString();
  };
  const std::string_view put("\x01\1k\1v", 5);
  EXPECT_EQ(read(put, 1), "ok");
  EXPECT_EQ(read(std::string_view("\x04\2\1k", 4), 1), "ok");     // truncated
  EXPECT_EQ(read(std::string_view("\x0E\2\1k\1l", 6), 1), "ok");  // truncated by an older klip
  EXPECT_EQ(read(put, 2), "Corruption: a record of the log, offset 17: it announces more changes");
  EXPECT_EQ(read(put, 0), "Corruption: a record of the log, offset 17: it announces fewer changes");
  EXPECT_EQ(read(put.substr(0, 4), 1), "Corruption: a record of the log, offset 16: a change is cut off");
  for (const char other : {'\x00', '\x02', '\x09', '\x0A', '\x0B', '\x0C', '\x0D', '\x12', '\x13', '\x15', '\x7F'}) {
    EXPECT_EQ(read(std::string(1, other) + "\1x\1x", 1),
              "Corruption: a record of the log, offset 13: an unknown kind of change");
  }
  EXPECT_EQ(ForEachLoggedCell("short", [](const LoggedCell&) { return Status::Ok(); }).ToString(),
            "Corruption: a record of the log, offset 0: it is too short");
}

// An unreadable record is read again: a reader may meet bytes that are just being written.
TEST_F(LogTailTest, ErrorIsNotRemembered) {
  Open();
  const std::string log = root_ + "/copy.log";
  const std::string piece = std::string("\0\0\0\0\5\0\1hello", 12);
  const auto write = [&log](std::string bytes, uint32_t checksum) {
    std::memcpy(bytes.data(), &checksum, sizeof(checksum));
    FILE* file = std::fopen(log.c_str(), "w");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  };
  const uint32_t checksum = LogChecksum(std::string_view(piece).substr(6));
  write(piece, checksum + 1);
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  ASSERT_TRUE(store_->options().env->NewRandomAccessFile(log, &file, rocksdb::EnvOptions()).ok());
  LogReader reader(std::move(file), "copy");
  std::string record;
  EXPECT_EQ(reader.Next(&record).status().ToString(), "Corruption: copy, offset 0: checksum mismatch");
  write(piece, checksum);
  const Expected<bool> more = reader.Next(&record);
  ASSERT_TRUE(more.ok()) << more.status().ToString();
  EXPECT_TRUE(*more);
  EXPECT_EQ(record, "hello");
}

}  // namespace
}  // namespace klip::engine
