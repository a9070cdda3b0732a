#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

#include "base/temp_directory_test.h"
#include "engine/blocks/block_index.h"
#include "engine/blocks/coding.h"
#include "engine/blocks/decoded_block.h"
#include "engine/blocks/table_file.h"
#include "engine/blocks/xxh3.h"
#include "fuzz/targets.h"

namespace klip::fuzz {
namespace {

using engine::BlockHandle;
using engine::BlockIndex;
using engine::DecodedBlock;
using engine::TableFile;

constexpr uint64_t kMostBytes = 1 << 20;

// What readers rely on.
void CheckBlock(const DecodedBlock& block) {
  Check(block.size() > 0);
  std::string all;
  for (uint32_t i = 0; i < block.size(); ++i) {
    const std::string_view key = block.Key(i);
    all.append(key).append(block.Value(i));
    Check(block.Sequence(i) <= block.max_sequence());
    const bool twice = i > 0 && block.Key(i - 1) == key;
    Check(i == 0 || block.Key(i - 1) <= key);
    Check(!twice || block.Sequence(i - 1) >= block.Sequence(i));
    Check(!(twice || block.Deleted(i)) || block.SpecialFrom(i) == i);
    const uint32_t first = block.LowerBound(key, 0, block.size());
    Check(first <= i && block.Key(first) == key && block.Gallop(key, 0) == first);
    Check(block.EndOfSpecialBefore(i) <= i);
  }
  Check(all.size() <= kMostBytes);
}

void FuzzBlock(std::string_view bytes) {
  std::unique_ptr<const DecodedBlock> block;
  if (DecodedBlock::Decode(bytes, DecodedBlock::kOwnSequences, kMostBytes, &block).ok()) {
    CheckBlock(*block);
  }
}

void FuzzIndex(std::string_view bytes) {
  for (const bool delta_handles : {false, true}) {
    for (const uint64_t blocks : {1, 2, 3}) {
      std::unique_ptr<const BlockIndex> index;
      const BlockIndex::Format format = {.delta_handles = delta_handles, .blocks = blocks, .file_bytes = kMostBytes};
      if (!BlockIndex::Decode(bytes, format, nullptr, &index).ok()) {
        continue;
      }
      Check(index->size() == blocks);
      for (size_t i = 0; i < index->size(); ++i) {
        Check(index->Find(index->Separator(i)) == i);
        const BlockHandle& handle = index->handle(i);
        Check(handle.offset + handle.bytes + engine::kBlockTrailerBytes <= kMostBytes);
      }
    }
  }
}

// A file whose bytes are in memory.
class OneFile final : public rocksdb::FileSystemWrapper {
 public:
  explicit OneFile(std::string_view bytes) : FileSystemWrapper(rocksdb::FileSystem::Default()), bytes_(bytes) {}
  const char* Name() const override { return "OneFile"; }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& /*name*/, const rocksdb::FileOptions& /*options*/,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* /*debug*/) override {
    *file = std::make_unique<Bytes>(bytes_);
    return rocksdb::IOStatus::OK();
  }

 private:
  class Bytes final : public rocksdb::FSRandomAccessFile {
   public:
    explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
    rocksdb::IOStatus Read(uint64_t offset, size_t n, const rocksdb::IOOptions& /*options*/, rocksdb::Slice* result,
                           char* /*scratch*/, rocksdb::IODebugContext* /*debug*/) const override {
      const std::string_view read = bytes_.substr(std::min<uint64_t>(offset, bytes_.size()), n);
      *result = {read.data(), read.size()};
      return rocksdb::IOStatus::OK();
    }

   private:
    const std::string_view bytes_;
  };

  const std::string_view bytes_;
};

// A table, and where its blocks are.
struct Sample {
  std::string bytes;
  std::vector<BlockHandle> blocks;
};

constexpr size_t kFooterBytes = 53;

std::string BlockAt(const Sample& sample, const BlockHandle& at) { return sample.bytes.substr(at.offset, at.bytes); }

Sample MakeSample(rocksdb::CompressionType compression) {
  const TempDirectory temp(TempDirectory::Where::kMemory);
  rocksdb::Options options;
  options.compression = compression;
  options.compression_opts.max_dict_bytes = 512;
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.block_size = 200;
  table.enable_index_compression = false;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  Check(writer.Open(temp.Sub("table")).ok());
  for (int i = 0; i < 40; ++i) {
    Check(writer.Put("key" + std::to_string(100 + i), std::string(static_cast<size_t>(i), 'v')).ok());
  }
  Check(writer.Finish().ok());
  Sample sample;
  Check(rocksdb::ReadFileToString(rocksdb::Env::Default(), temp.Sub("table"), &sample.bytes).ok());
  // Properties are never compressed. The list of blocks and, here, the index are not either.
  const char* const footer = sample.bytes.data() + sample.bytes.size() - kFooterBytes;
  BlockHandle list;
  BlockHandle index;
  const char* const after = list.Read(footer + 1, footer + kFooterBytes);
  Check(after != nullptr && index.Read(after, footer + kFooterBytes) != nullptr);
  sample.blocks = {list, index};
  const std::string listed = BlockAt(sample, list);
  engine::EntryReader entries(listed, /*has_sizes=*/true);
  Check(entries.ok());
  for (size_t key_bytes = 0; !entries.AtEnd(); key_bytes = entries.shared() + entries.fresh().size()) {
    Check(entries.Next(key_bytes));
    BlockHandle& handle = sample.blocks.emplace_back();
    Check(handle.Read(entries.value().data(), entries.value().data() + entries.value().size()) != nullptr);
  }
  sample.blocks.push_back({.offset = 0, .bytes = 0});
  std::shared_ptr<const TableFile> opened;
  OneFile file(sample.bytes);
  Check(TableFile::Open(&file, {.path = "table", .bytes = sample.bytes.size()}, &opened).ok());
  std::unique_ptr<const BlockIndex> blocks;
  Check(opened->ReadIndex(&blocks).ok());
  for (size_t i = 0; i < blocks->size(); ++i) {
    sample.blocks.push_back(blocks->handle(i));
  }
  std::erase_if(sample.blocks, [](const BlockHandle& handle) { return handle.bytes == 0; });
  return sample;
}

void Mend(const Sample& sample, std::string* bytes) {
  for (const BlockHandle& at : sample.blocks) {
    const std::string_view block = std::string_view(*bytes).substr(at.offset, at.bytes);
    const auto kind = static_cast<uint8_t>((*bytes)[at.offset + at.bytes]);
    const uint32_t sum = static_cast<uint32_t>(engine::Xxh3(block)) ^ (kind * 0x6b9083d9U);
    bytes->replace(at.offset + at.bytes + 1, sizeof(sum), reinterpret_cast<const char*>(&sum), sizeof(sum));
  }
}

// Up to 64 bytes of a good table change: each time two bytes for the place, and the new byte.
void FuzzTable(std::string_view changes) {
  static const std::vector<Sample> kSamples = {MakeSample(rocksdb::kNoCompression),
                                               MakeSample(rocksdb::kSnappyCompression),
                                               MakeSample(rocksdb::kLZ4Compression), MakeSample(rocksdb::kZSTD)};
  if (changes.empty()) {
    return;
  }
  const Sample& sample = kSamples[static_cast<uint8_t>(changes[0]) % kSamples.size()];
  std::string bytes = sample.bytes;
  for (size_t i = 1; i + 3 <= changes.size() && i < 192; i += 3) {
    const auto place = static_cast<uint8_t>(changes[i]) << 8 | static_cast<uint8_t>(changes[i + 1]);
    bytes[static_cast<size_t>(place) % bytes.size()] = changes[i + 2];
  }
  Mend(sample, &bytes);
  OneFile file(bytes);
  std::shared_ptr<const TableFile> table;
  std::unique_ptr<const BlockIndex> index;
  if (!TableFile::Open(&file, {.path = "table", .bytes = bytes.size()}, &table).ok() ||
      !table->ReadIndex(&index).ok()) {
    return;
  }
  for (size_t i = 0; i < index->size(); ++i) {
    std::unique_ptr<const DecodedBlock> block;
    if (table->ReadBlock(*index, i, &block).ok()) {
      CheckBlock(*block);
      Check(block->Key(block->size() - 1) <= index->Separator(i));
      Check(i == 0 || block->Key(0) > index->Separator(i - 1));
    }
  }
}

}  // namespace

void FuzzBlocks(std::string_view bytes) {
  FuzzBlock(bytes);
  FuzzIndex(bytes);
  FuzzTable(bytes);
}

}  // namespace klip::fuzz
