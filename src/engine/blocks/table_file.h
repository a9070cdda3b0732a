// TableFile: reads the blocks of a table of RocksDB's block-based format.
//
//   data blocks | filters | index | dictionary | properties | where these are | footer
//
// Each block is followed by its kind of compression and a checksum. klip reads tables as RocksDB 7.8 to 9.10 write them with klip's
// options. Open rejects every other one, which RocksDB itself then reads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rocksdb/status.h"

#include "engine/blocks/block_index.h"
#include "engine/blocks/decoded_block.h"

namespace rocksdb {
class FileSystem;
class FSRandomAccessFile;
}  // namespace rocksdb

namespace klip::engine {

// Thread-safe. Keeps its file open, so that it stays readable when RocksDB has deleted it.
class TableFile {
 public:
  // What RocksDB's list of files says about it.
  struct Listed {
    std::string path;
    uint64_t bytes = 0;
    uint64_t largest_sequence = 0;
  };
  // Errors, naming the file: NotSupported: only RocksDB can read it; Corruption; IOError.
  static rocksdb::Status Open(rocksdb::FileSystem* files, const Listed& listed, std::shared_ptr<const TableFile>* out);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  // How many exist in this process: each has a descriptor.
  static size_t CountOpen();

  const std::string& path() const { return path_; }
  uint64_t id() const { return id_; }  // random, for keys of a cache

  // Errors, naming the file: Corruption; IOError.
  rocksdb::Status ReadIndex(std::unique_ptr<const BlockIndex>* out) const;
  // `number`: of a block of `index`, which is this table's. Errors: also NotSupported: an entry is of a kind that klip does not write.
  rocksdb::Status ReadBlock(const BlockIndex& index, size_t number, std::unique_ptr<const DecodedBlock>* out) const;

 private:
  using Named = std::map<std::string, std::string, std::less<>>;

  explicit TableFile(const Listed& listed);
  rocksdb::Status ReadTail(const Listed& listed);
  rocksdb::Status ReadFooter(std::string_view footer, BlockHandle* directory);
  rocksdb::Status ReadDirectory(const BlockHandle& directory, Named* properties);
  rocksdb::Status CheckProperties(const Named& properties, const Listed& listed);
  rocksdb::Status ReadStored(const BlockHandle& at, std::string* stored) const;
  // Reads and decompresses. `*plain` points into `*stored` or `*unpacked`.
  rocksdb::Status ReadPlain(const BlockHandle& at, const CompressionDictionary* dictionary, uint64_t max_bytes,
                            std::string* stored, std::string* unpacked, std::string_view* plain) const;
  rocksdb::Status InFile(const rocksdb::Status& status) const;  // with its name

  const std::string path_;
  const uint64_t bytes_;
  const uint64_t id_;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  BlockHandle index_;
  BlockHandle dictionary_;  // no bytes: none
  BlockIndex::Format index_format_;
  uint64_t sequence_ = DecodedBlock::kOwnSequences;  // see DecodedBlock::Decode
  uint64_t entry_bytes_ = 0;                         // of all keys and values
  uint64_t max_block_bytes_ = 0;                     // that a data block can have
};

}  // namespace klip::engine
