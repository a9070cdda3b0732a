#include "engine/blocks/table_file.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "rocksdb/file_system.h"
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "engine/blocks/coding.h"
#include "engine/blocks/xxh3.h"

namespace klip::engine {
namespace {

constexpr size_t kFooterBytes = 53;
constexpr size_t kHandlesAt = 1;
constexpr size_t kFormatAt = 41;
constexpr size_t kMagicAt = 45;
constexpr uint64_t kMagic = 0x88e241b785f4cff7;
constexpr uint32_t kFormat = 5;  // as klip's options say
constexpr char kChecksumXxh3 = 4;

// RocksDB's kinds of compression.
constexpr char kPlain = 0;
constexpr char kSnappy = 1;
constexpr char kLz4 = 4;
constexpr char kLz4Hc = 5;
constexpr char kZstd = 7;

constexpr uint64_t kMostMetaBytes = 1 << 30;
// All compressions of a sane table stay below. A higher one only costs the use of RocksDB's reader.
constexpr uint64_t kMostRatio = 1024;
constexpr uint64_t kAnySizeBytes = 64 << 20;
constexpr uint64_t kMostHeadBytes = 20;  // of an entry: three numbers, and its share of the list of restarts

constexpr std::string_view kCompressions[] = {"NoCompression", "Snappy", "LZ4", "LZ4HC", "ZSTD"};

// Properties that change nothing in how data blocks are read, or that CheckProperties looks at. A property that is not listed may be that
// of a newer format.
constexpr std::string_view kKnownProperties[] = {
    "rocksdb.block.based.table.decoupled.partitioned.filters",
    "rocksdb.block.based.table.index.type",
    "rocksdb.block.based.table.prefix.filtering",
    "rocksdb.block.based.table.whole.key.filtering",
    "rocksdb.column.family.id",
    "rocksdb.column.family.name",
    "rocksdb.comparator",
    "rocksdb.compression",
    "rocksdb.compression_options",
    "rocksdb.creating.db.identity",
    "rocksdb.creating.host.identity",
    "rocksdb.creating.session.identity",
    "rocksdb.creation.time",
    "rocksdb.data.size",
    "rocksdb.deleted.keys",
    "rocksdb.external_sst_file.global_seqno",
    "rocksdb.external_sst_file.version",
    "rocksdb.file.creation.time",
    "rocksdb.filter.policy",
    "rocksdb.filter.size",
    "rocksdb.fixed.key.length",
    "rocksdb.format.version",
    "rocksdb.index.key.is.user.key",
    "rocksdb.index.size",
    "rocksdb.index.value.is.delta.encoded",
    "rocksdb.key.largest.seqno",
    "rocksdb.merge.operands",
    "rocksdb.merge.operator",
    "rocksdb.newest.key.time",
    "rocksdb.num.data.blocks",
    "rocksdb.num.entries",
    "rocksdb.num.filter_entries",
    "rocksdb.num.range-deletions",
    "rocksdb.oldest.key.time",
    "rocksdb.original.file.number",
    "rocksdb.prefix.extractor.name",
    "rocksdb.property.collectors",
    "rocksdb.raw.key.size",
    "rocksdb.raw.value.size",
    "rocksdb.sample_for_compression.fast.data.size",
    "rocksdb.sample_for_compression.slow.data.size",
    "rocksdb.seqno.time.map",
    "rocksdb.tail.start.offset",
    "rocksdb.user.defined.timestamps.persisted",
};

constinit std::atomic<size_t> open_tables{0};

rocksdb::Status ForRocksDb(std::string_view what) { return rocksdb::Status::NotSupported(what); }
rocksdb::Status Damaged(std::string_view what) { return rocksdb::Status::Corruption(what); }

uint64_t NewId() {
  static std::atomic<uint64_t> last = [] {
    std::random_device random;
    return (uint64_t{random()} << 32) | random();
  }();
  constexpr uint64_t kOddStep = 0x9E3779B97F4A7C15;  // no id comes twice
  return last.fetch_add(kOddStep, std::memory_order_relaxed);
}

class ZstdContext {
 public:
  ZstdContext() : context_(ZSTD_createDCtx()) {}
  ~ZstdContext() { ZSTD_freeDCtx(context_); }
  ZstdContext(const ZstdContext&) = delete;
  ZstdContext& operator=(const ZstdContext&) = delete;
  ZSTD_DCtx* get() const { return context_; }

 private:
  ZSTD_DCtx* const context_;
};

bool UnpackLz4(std::string_view packed, const CompressionDictionary* dictionary, std::string* out) {
  const int in_bytes = static_cast<int>(packed.size());
  const int out_bytes = static_cast<int>(out->size());
  if (dictionary == nullptr) {
    return LZ4_decompress_safe(packed.data(), out->data(), in_bytes, out_bytes) == out_bytes;
  }
  const std::string_view bytes = dictionary->bytes();
  return LZ4_decompress_safe_usingDict(packed.data(), out->data(), in_bytes, out_bytes, bytes.data(),
                                       static_cast<int>(bytes.size())) == out_bytes;
}

bool UnpackZstd(std::string_view packed, const CompressionDictionary* dictionary, std::string* out) {
  thread_local const ZstdContext context;
  const size_t unpacked =
      dictionary == nullptr
          ? ZSTD_decompressDCtx(context.get(), out->data(), out->size(), packed.data(), packed.size())
          : ZSTD_decompress_usingDDict(context.get(), out->data(), out->size(), packed.data(), packed.size(),
                                       static_cast<const ZSTD_DDict*>(dictionary->zstd()));
  return unpacked == out->size();
}

// nullopt: damaged.
std::optional<std::string_view> Unpack(char kind, std::string_view packed, const CompressionDictionary* dictionary,
                                       uint64_t max_bytes, std::string* out) {
  if (kind == kPlain) {
    return packed.size() > max_bytes ? std::nullopt : std::optional(packed);
  }
  if (kind == kSnappy) {
    size_t bytes = 0;
    if (snappy_uncompressed_length(packed.data(), packed.size(), &bytes) != SNAPPY_OK || bytes > max_bytes) {
      return std::nullopt;
    }
    out->resize(bytes);
    const bool whole = snappy_uncompress(packed.data(), packed.size(), out->data(), &bytes) == SNAPPY_OK;
    return whole ? std::optional(std::string_view(*out)) : std::nullopt;
  }
  uint32_t bytes = 0;
  const char* const from = ReadVarint32(packed.data(), packed.data() + packed.size(), &bytes);
  if (from == nullptr || bytes > max_bytes || bytes > INT32_MAX || packed.size() > INT32_MAX) {
    return std::nullopt;
  }
  packed.remove_prefix(static_cast<size_t>(from - packed.data()));
  out->resize(bytes);
  const bool whole = (kind == kLz4 || kind == kLz4Hc) ? UnpackLz4(packed, dictionary, out)
                                                      : kind == kZstd && UnpackZstd(packed, dictionary, out);
  return whole ? std::optional(std::string_view(*out)) : std::nullopt;
}

// Calls use(key, value) for the entries of a block of names. False: damaged.
bool ForEachNamed(std::string_view block, const std::function<void(const std::string&, std::string_view)>& use) {
  EntryReader entries(block, /*has_sizes=*/true);
  if (!entries.ok()) {
    return false;
  }
  std::string key;
  while (!entries.AtEnd()) {
    if (!entries.Next(key.size())) {
      return false;
    }
    key.resize(entries.shared());
    key.append(entries.fresh());
    use(key, entries.value());
  }
  return true;
}

}  // namespace

TableFile::TableFile(const Listed& listed) : path_(listed.path), bytes_(listed.bytes), id_(NewId()) { ++open_tables; }

TableFile::~TableFile() { --open_tables; }

size_t TableFile::CountOpen() { return open_tables; }

rocksdb::Status TableFile::InFile(const rocksdb::Status& status) const {
  if (status.ok()) {
    return status;
  }
  const std::string text = std::string(status.getState() == nullptr ? "" : status.getState()) + " in " + path_;
  if (status.IsNotSupported()) {
    return rocksdb::Status::NotSupported(text);
  }
  return status.IsCorruption() ? rocksdb::Status::Corruption(text) : status;
}

rocksdb::Status TableFile::Open(rocksdb::FileSystem* files, const Listed& listed,
                                std::shared_ptr<const TableFile>* out) {
  std::shared_ptr<TableFile> table(new TableFile(listed));
  rocksdb::Status status = files->NewRandomAccessFile(listed.path, rocksdb::FileOptions(), &table->file_, nullptr);
  if (status.ok()) {
    status = table->InFile(table->ReadTail(listed));
  }
  if (status.ok()) {
    *out = std::move(table);
  }
  return status;
}

rocksdb::Status TableFile::ReadTail(const Listed& listed) {
  if (bytes_ < kFooterBytes) {
    return Damaged("no footer");
  }
  char footer[kFooterBytes];
  rocksdb::Slice read;
  rocksdb::Status status =
      file_->Read(bytes_ - kFooterBytes, kFooterBytes, rocksdb::IOOptions(), &read, footer, nullptr);
  if (!status.ok()) {
    return status;
  }
  BlockHandle directory;
  Named properties;
  status = ReadFooter(read.ToStringView(), &directory);
  if (status.ok()) {
    status = ReadDirectory(directory, &properties);
  }
  return status.ok() ? CheckProperties(properties, listed) : status;
}

rocksdb::Status TableFile::ReadFooter(std::string_view footer, BlockHandle* directory) {
  if (footer.size() != kFooterBytes) {
    return Damaged("the end is missing");
  }
  if (ReadLittleEndian<uint64_t>(footer.data() + kMagicAt) != kMagic) {
    return ForRocksDb("another kind of table");
  }
  if (const auto format = ReadLittleEndian<uint32_t>(footer.data() + kFormatAt); format != kFormat) {
    return ForRocksDb("format version " + std::to_string(format));
  }
  if (footer[0] != kChecksumXxh3) {
    return ForRocksDb("checksums of kind " + std::to_string(static_cast<int>(footer[0])));
  }
  const char* const end = footer.data() + kFormatAt;
  const char* const after = directory->Read(footer.data() + kHandlesAt, end);
  return after == nullptr || index_.Read(after, end) == nullptr ? Damaged("a damaged footer") : rocksdb::Status::OK();
}

rocksdb::Status TableFile::ReadDirectory(const BlockHandle& directory, Named* properties) {
  std::string stored;
  std::string unpacked;
  std::string_view plain;
  if (rocksdb::Status status = ReadPlain(directory, nullptr, kMostMetaBytes, &stored, &unpacked, &plain);
      !status.ok()) {
    return status;
  }
  BlockHandle of_properties;
  rocksdb::Status status;
  bool whole = true;
  const bool read = ForEachNamed(plain, [&](const std::string& name, std::string_view value) {
    BlockHandle handle;
    whole = handle.Read(value.data(), value.data() + value.size()) != nullptr && whole;
    if (name == "rocksdb.properties") {
      of_properties = handle;
    } else if (name == "rocksdb.compression_dict") {
      dictionary_ = handle;
    } else if (!name.starts_with("fullfilter.") && !name.starts_with("partitionedfilter.")) {
      status = ForRocksDb("a block named " + name);
    }
  });
  if (!read || !whole || !status.ok() || of_properties.bytes == 0) {
    return !status.ok() ? status : Damaged("a damaged list of blocks");
  }
  status = ReadPlain(of_properties, nullptr, kMostMetaBytes, &stored, &unpacked, &plain);
  if (!status.ok()) {
    return status;
  }
  const bool all =
      ForEachNamed(plain, [&](const std::string& name, std::string_view value) { (*properties)[name] = value; });
  return all ? rocksdb::Status::OK() : Damaged("damaged properties");
}

rocksdb::Status TableFile::CheckProperties(const Named& properties, const Listed& listed) {
  const auto text = [&](std::string_view name) {
    const auto found = properties.find(name);
    return found == properties.end() ? std::string_view() : std::string_view(found->second);
  };
  const auto number = [&](std::string_view name) {
    const std::string_view value = text(name);
    uint64_t out = 0;
    return ReadVarint64(value.data(), value.data() + value.size(), &out) == nullptr ? 0 : out;
  };
  for (const auto& [name, value] : properties) {
    if (!name.starts_with("klip.") && std::ranges::find(kKnownProperties, name) == std::end(kKnownProperties)) {
      return ForRocksDb("the unknown property " + name);
    }
  }
  for (const std::string_view none : {"rocksdb.merge.operands", "rocksdb.num.range-deletions"}) {
    if (number(none) != 0) {
      return ForRocksDb("the property " + std::string(none));
    }
  }
  const std::string_view index_type = text("rocksdb.block.based.table.index.type");
  if (index_type.size() != sizeof(uint32_t) || ReadLittleEndian<uint32_t>(index_type.data()) != 0) {
    return ForRocksDb("another kind of index");
  }
  if (text("rocksdb.comparator") != "leveldb.BytewiseComparator") {
    return ForRocksDb("another order of keys");
  }
  if (std::ranges::find(kCompressions, text("rocksdb.compression")) == std::end(kCompressions)) {
    return ForRocksDb("compression " + std::string(text("rocksdb.compression")));
  }
  if (number("rocksdb.index.key.is.user.key") == 0) {
    return ForRocksDb("a key in several blocks");
  }
  if (const std::string_view version = text("rocksdb.external_sst_file.version"); !version.empty()) {
    const std::string_view in_file = text("rocksdb.external_sst_file.global_seqno");
    const uint64_t sequence = in_file.size() == sizeof(uint64_t) ? ReadLittleEndian<uint64_t>(in_file.data()) : 0;
    if (version.size() != sizeof(uint32_t) || ReadLittleEndian<uint32_t>(version.data()) != 2 ||
        (sequence != 0 && sequence != listed.largest_sequence)) {
      return ForRocksDb("another kind of loaded table");
    }
    sequence_ = listed.largest_sequence;
  }
  entry_bytes_ = number("rocksdb.raw.key.size") + number("rocksdb.raw.value.size");
  max_block_bytes_ = entry_bytes_ + kMostHeadBytes * (number("rocksdb.num.entries") + 1);
  if (number("rocksdb.num.entries") == 0 || max_block_bytes_ < entry_bytes_ ||
      max_block_bytes_ / kMostRatio > bytes_ + kAnySizeBytes / kMostRatio) {
    return ForRocksDb("no entries, or too many for its size");
  }
  index_format_ = {.whole_keys = false,
                   .delta_handles = number("rocksdb.index.value.is.delta.encoded") != 0,
                   .blocks = number("rocksdb.num.data.blocks"),
                   .file_bytes = bytes_};
  return rocksdb::Status::OK();
}

rocksdb::Status TableFile::ReadStored(const BlockHandle& at, std::string* stored) const {
  if (at.offset > bytes_ || at.bytes > bytes_ || at.offset + at.bytes + kBlockTrailerBytes > bytes_) {
    return Damaged("a block outside of the file");
  }
  const size_t bytes = at.bytes + kBlockTrailerBytes;
  if (stored->size() < bytes) {
    stored->resize(bytes);
  }
  rocksdb::Slice read;
  rocksdb::Status status = file_->Read(at.offset, bytes, rocksdb::IOOptions(), &read, stored->data(), nullptr);
  if (!status.ok()) {
    return status;
  }
  if (read.size() != bytes) {
    return Damaged("truncated block read of " + std::to_string(read.size()) + " bytes at offset " +
                   std::to_string(at.offset));
  }
  if (read.data() != stored->data()) {
    std::copy_n(read.data(), bytes, stored->data());
  }
  const char* const data = stored->data();
  constexpr uint32_t kLastByteFactor = 0x6b9083d9;  // the hash is that of the block, this adds its kind of compression
  const uint32_t made = static_cast<uint32_t>(Xxh3({data, at.bytes})) ^
                        (static_cast<uint32_t>(static_cast<uint8_t>(data[at.bytes])) * kLastByteFactor);
  if (made != ReadLittleEndian<uint32_t>(data + at.bytes + 1)) {
    return Damaged("block checksum mismatch at offset " + std::to_string(at.offset) + ", " + std::to_string(at.bytes) +
                   " bytes,");
  }
  return status;
}

rocksdb::Status TableFile::ReadPlain(const BlockHandle& at, const CompressionDictionary* dictionary, uint64_t max_bytes,
                                     std::string* stored, std::string* unpacked, std::string_view* plain) const {
  rocksdb::Status status = ReadStored(at, stored);
  if (!status.ok()) {
    return status;
  }
  const auto out = Unpack((*stored)[at.bytes], {stored->data(), at.bytes}, dictionary, max_bytes, unpacked);
  if (!out.has_value()) {
    return Damaged("a compressed block that is damaged at offset " + std::to_string(at.offset));
  }
  *plain = *out;
  return status;
}

rocksdb::Status TableFile::ReadIndex(std::unique_ptr<const BlockIndex>* out) const {
  std::string stored;
  std::string unpacked;
  std::string_view plain;
  std::unique_ptr<const CompressionDictionary> dictionary;
  rocksdb::Status status;
  if (dictionary_.bytes > 0) {
    status = ReadPlain(dictionary_, nullptr, kMostMetaBytes, &stored, &unpacked, &plain);
    if (status.ok()) {
      dictionary = std::make_unique<const CompressionDictionary>(std::string(plain));
    }
  }
  if (status.ok()) {
    status = ReadPlain(index_, nullptr, kMostMetaBytes, &stored, &unpacked, &plain);
  }
  return InFile(status.ok() ? BlockIndex::Decode(plain, index_format_, std::move(dictionary), out) : status);
}

rocksdb::Status TableFile::ReadBlock(const BlockIndex& index, size_t number,
                                     std::unique_ptr<const DecodedBlock>* out) const {
  thread_local std::string stored;
  thread_local std::string unpacked;
  std::string_view plain;
  rocksdb::Status status =
      ReadPlain(index.handle(number), index.dictionary(), max_block_bytes_, &stored, &unpacked, &plain);
  if (status.ok()) {
    status = DecodedBlock::Decode(plain, sequence_, entry_bytes_, out);
  }
  if (status.ok()) {
    // With this, the order of a whole table follows from that of its blocks and of its index.
    const DecodedBlock& block = **out;
    if (block.Key(block.size() - 1) > index.Separator(number) ||
        (number > 0 && block.Key(0) <= index.Separator(number - 1))) {
      status = Damaged("keys outside of their block at offset " + std::to_string(index.handle(number).offset));
      out->reset();
    }
  }
  constexpr size_t kKept = 1 << 20;  // blocks of large cells must not leave their memory behind in each thread
  for (std::string* const scratch : {&stored, &unpacked}) {
    if (scratch->capacity() > kKept) {
      *scratch = std::string();
    }
  }
  return InFile(status);
}

}  // namespace klip::engine
