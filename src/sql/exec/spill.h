// What a statement may take: memory, and beyond it a temporary file. Operators that can write to the file ask for memory with
// Reservation::TrySetTo, and write what they hold once there is no more.
//
// Example: a limit of 256 MB. A sort holds rows until TrySetTo refuses, writes them to the file as a sorted run (sorter.h) and starts
// again with an empty list. It never fails because other operators hold the memory: 16 MB (MemoryAccount::share) are always granted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "klip/status.h"
#include "sql/types/memory.h"

namespace klip::sql {

// What an operator has reserved; gives it back at its end.
class Reservation {
 public:
  Reservation() = default;
  ~Reservation() { Free(); }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;

  // Begins again with nothing, at this account.
  void Reset(MemoryAccount* account) {
    Free();
    account_ = account;
  }
  // Errors: those of MemoryAccount.
  Status SetTo(size_t bytes) {
    KLIP_RETURN_IF_ERROR(account_->Reserve(static_cast<int64_t>(bytes) - bytes_));
    bytes_ = static_cast<int64_t>(bytes);
    return Status::Ok();
  }
  // As SetTo, for operators that can do with less: false, and unchanged, if there is not as much. Never for what the account has for
  // sure.
  bool TrySetTo(size_t bytes);
  void Free() {
    if (account_ != nullptr) {
      account_->Release(std::exchange(bytes_, 0));
    }
  }

 private:
  MemoryAccount* account_ = nullptr;
  int64_t bytes_ = 0;
};

// A statement's temporary file, of blocks. It has no name, so nothing is left when the process ends, however
// that happens. One thread.
class TemporaryFile {
 public:
  // Where bytes are, and their checksum, which so needs no place in the file.
  struct Block {
    int64_t offset = 0;
    uint32_t bytes = 0;
    uint32_t checksum = 0;
    uint32_t file = 0;  // how often Close was called before
  };

  TemporaryFile() = default;
  // `directory`: where the file is created at the first Write; empty: $TMPDIR, or /var/tmp. `limit_bytes`: of blocks at a time.
  TemporaryFile(std::string directory, int64_t limit_bytes)
      : directory_(std::move(directory)), limit_bytes_(limit_bytes) {}

  // REQUIRES: fewer than 2 GB. Errors: 999 (50M01): the limit, or the file system's; kIoError; kCancelled: the thread's token.
  Expected<Block> Write(std::string_view bytes);
  // Replaces *bytes by the block's. Errors: kCorruption: not what was written; kIoError; kCancelled.
  Status Look(const Block& block, std::string* bytes) const;
  // The same, and gives its space back.
  Status Read(const Block& block, std::string* bytes) {
    KLIP_RETURN_IF_ERROR(Look(block, bytes));
    Free(block);
    return Status::Ok();
  }
  // Gives a block's space back.
  void Free(const Block& block);
  // Gives all space back. Blocks can no longer be read, and Free ignores them.
  void Close();
  // The same, and counts written bytes from 0.
  void Begin() {
    Close();
    written_bytes_ = 0;
  }

  int64_t written_bytes() const { return written_bytes_; }  // of all blocks, also of those given back

 private:
  Status Create();
  Status Failure(std::string_view what, int error) const;

  std::string directory_;
  int64_t limit_bytes_ = 0;
  base::Descriptor file_;
  uint32_t number_ = 0;  // of Block::file
  int64_t end_ = 0;
  int64_t used_bytes_ = 0;  // of the disk
  int64_t written_bytes_ = 0;
};

}  // namespace klip::sql
