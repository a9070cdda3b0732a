#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/write_batch.h"

#include "engine/layout/little_endian.h"
#include "engine/log/log_cells.h"
#include "engine/log/log_mark.h"
#include "engine/log/log_reader.h"
#include "engine/log/nonce_log.h"
#include "fuzz/targets.h"
#include "rpc/cell_block.h"

namespace klip::fuzz {
namespace {

constexpr size_t kBlockBytes = 32 << 10;
constexpr size_t kHeadBytes = 7;
constexpr size_t kLengthAt = 4;
constexpr size_t kTypeAt = 6;

// The first `*written` bytes of a file.
class GrowingFile final : public rocksdb::RandomAccessFile {
 public:
  GrowingFile(std::string_view bytes, const size_t* written) : bytes_(bytes), written_(written) {}

  rocksdb::Status Read(uint64_t offset, size_t bytes, rocksdb::Slice* read, char* scratch) const override {
    const std::string_view there = bytes_.substr(0, *written_);
    const std::string_view wanted = offset < there.size() ? there.substr(offset, bytes) : std::string_view();
    *read = rocksdb::Slice(scratch, wanted.copy(scratch, wanted.size()));
    return {};
  }

 private:
  const std::string_view bytes_;
  const size_t* const written_;
};

struct Found {
  std::vector<std::string> records;
  std::string error;

  bool operator==(const Found&) const = default;
};

void ReadOn(engine::LogReader* reader, Found* found) {
  std::string record;
  Expected<bool> more = reader->Next(&record);
  for (; more.ok() && *more; more = reader->Next(&record)) {
    reader->Undo();
    std::string again;
    const Expected<bool> same = reader->Next(&again);
    Check(same.ok() && *same && again == record);
    found->records.push_back(record);
  }
  found->error = more.status().ToString();
}

// The result does not depend on how much of the file existed at first.
Found ReadLog(std::string_view bytes, size_t first) {
  size_t written = first;
  engine::LogReader reader(std::make_unique<GrowingFile>(bytes, &written), "log");
  Found found;
  ReadOn(&reader, &found);
  written = bytes.size();
  ReadOn(&reader, &found);
  return found;
}

// Without this, every change of a log would fail at its checksum.
std::string WithChecksums(std::string bytes) {
  for (size_t at = 0; at + kHeadBytes <= bytes.size();) {
    const size_t left = kBlockBytes - at % kBlockBytes;
    const auto length = engine::ReadLittleEndian<uint16_t>(&bytes[at + kLengthAt]);
    if (left < kHeadBytes) {
      at += left;
      continue;
    }
    if (length > bytes.size() - at - kHeadBytes) {
      break;
    }
    const uint32_t checksum = engine::LogChecksum(std::string_view(bytes).substr(at + kTypeAt, length + size_t{1}));
    std::memcpy(&bytes[at], &checksum, sizeof(checksum));
    at += kHeadBytes + length;
  }
  return bytes;
}

// Each cell can be sent to a peer, who reads the same.
void ReadCells(const std::string& record) {
  engine::LogRecordHead head;
  (void)engine::ReadLogRecordHead(record, &head);
  (void)engine::ForEachLoggedCell(record, [](const engine::LoggedCell& logged) {
    Cell cell = logged.cell;
    cell.family = "f";
    rpc::Buffer block;
    rpc::AppendCell(cell, rpc::CellCodec::kKeyValueWithTags, &block);
    rpc::CellBlockReader reader(block.view(), rpc::CellCodec::kKeyValueWithTags);
    Cell same;
    Check(reader.Next(&same) && reader.offset() == block.size());
    Check(same.row == cell.row && same.qualifier == cell.qualifier && same.timestamp_ms == cell.timestamp_ms &&
          same.type == cell.type && same.value == cell.value && same.tags == cell.tags);
    return Status::Ok();
  });
}

void ReadNonces(const std::string& record) {
  engine::NonceRecovery nonces;
  nonces.LogRecordFound(0, "", rocksdb::WriteBatch(record), nullptr, nullptr);
  Check(nonces.Take(0).size() <= record.size());
}

void ReadMark(std::string_view bytes) {
  engine::ClusterIds clusters;
  if (engine::DecodeClusters(bytes, &clusters)) {
    Check(engine::EncodeClusters(clusters) == bytes);
  }
}

}  // namespace

void FuzzLog(std::string_view bytes) {
  const size_t first = engine::LogChecksum(bytes) % (bytes.size() + 1);
  for (const std::string& log : {std::string(bytes), WithChecksums(std::string(bytes))}) {
    const Found found = ReadLog(log, log.size());
    Check(ReadLog(log, first) == found);
    for (const std::string& record : found.records) {
      ReadCells(record);
      ReadNonces(record);
    }
  }
  ReadCells(std::string(bytes));
  ReadNonces(std::string(bytes));
  ReadMark(bytes);
}

}  // namespace klip::fuzz
