// MemoryAccount: what a statement may hold in memory. Its operators and expressions charge it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/memory_pool.h"
#include "klip/status.h"

namespace klip::sql {

// The memory of a statement, of two kinds. Operators reserve what they keep of many rows, and write it to the temporary file if there is
// no more. Columns of batches are counted as they grow, which cannot fail; a statement with too many of them ends at its next check.
// Both also come out of the pool that sessions share, if there is one. One thread.
class MemoryAccount {
 public:
  // `pool` null: none.
  explicit MemoryAccount(int64_t limit_bytes, base::MemoryPool* pool = nullptr)
      : limit_bytes_(limit_bytes), pool_(pool) {}
  ~MemoryAccount() { Give(0); }
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  // Begins again. REQUIRES: nothing is taken.
  void Limit(int64_t limit_bytes, base::MemoryPool* pool) {
    limit_bytes_ = limit_bytes;
    pool_ = pool;
  }

  // Errors: 999 (50M01), the statement needs more than it may have.
  Status Reserve(int64_t bytes);
  // Whether there were as many. `overdraw`: takes them even if not.
  bool Take(int64_t bytes, bool overdraw);
  void Release(int64_t bytes);

  // What each operator that writes to the temporary file has room for, even if others hold all memory. TUNING: with less than 64 KB, a
  // merge would have too few blocks.
  int64_t share() const { return std::max(limit_bytes_ / 16, kLeastShare); }
  // What it gets in any case. With a pool, the shares of all statements could be more than there is.
  int64_t sure() const { return pool_ == nullptr ? share() : kLeastShare; }

  // Of columns; below 0: they are gone.
  void Count(int64_t bytes);
  // Whether so many bytes of columns could be counted.
  bool HasRoomFor(int64_t bytes);
  // Whether columns take more memory than there is.
  bool over() const { return over_; }
  // Errors: 999 (50M01), that.
  Status Check() const { return over_ ? OverStatus() : Status::Ok(); }

  // The one of the statement that this thread works for; null: none.
  static MemoryAccount* Current() { return current_; }

 private:
  friend class AccountScope;

  static constexpr int64_t kLeastShare = int64_t{64} << 10;
  // TUNING: batches of a few columns have less, however little memory there is for what is kept of them.
  static constexpr int64_t kLeastColumns = int64_t{16} << 20;

  int64_t column_limit() const { return std::max(limit_bytes_, kLeastColumns); }

  Status OverStatus() const;
  bool TakeFromPool(bool anyway);
  // Returns what is not used to the pool, but for `spare` bytes.
  void Give(int64_t spare);

  static inline thread_local MemoryAccount* current_ = nullptr;

  int64_t limit_bytes_;
  base::MemoryPool* pool_;
  int64_t used_bytes_ = 0;    // reserved
  int64_t column_bytes_ = 0;  // counted
  int64_t pooled_bytes_ = 0;  // of the pool, for both
  bool over_ = false;
};

// While it exists, this thread works for the statement of the account.
class AccountScope {
 public:
  explicit AccountScope(MemoryAccount* account) : outer_(std::exchange(MemoryAccount::current_, account)) {}
  ~AccountScope() { MemoryAccount::current_ = outer_; }
  AccountScope(const AccountScope&) = delete;
  AccountScope& operator=(const AccountScope&) = delete;

 private:
  MemoryAccount* const outer_;
};

// The memory of a column: counted by the account of the thread that let it grow first, which outlives it.
class ColumnMemory {
 public:
  ColumnMemory() = default;
  ~ColumnMemory() { SetTo(0); }
  ColumnMemory(ColumnMemory&& other) noexcept { *this = std::move(other); }
  ColumnMemory& operator=(ColumnMemory&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    std::swap(reserved_, other.reserved_);
    return *this;
  }

  void SetTo(int64_t bytes) {
    account_ = account_ == nullptr && !reserved_ ? MemoryAccount::Current() : account_;
    if (account_ != nullptr && bytes != bytes_) {
      account_->Count(bytes - bytes_);
      bytes_ = bytes;
    }
  }
  // Its owner reserves it, so it counts no more.
  void SetReserved() {
    SetTo(0);
    account_ = nullptr;
    reserved_ = true;
  }

 private:
  MemoryAccount* account_ = nullptr;
  int64_t bytes_ = 0;
  bool reserved_ = false;
};

// Errors: 999 (50M01), the statement that this thread works for has no room for a value of so many bytes.
Status CheckRoomFor(size_t bytes);

// Errors: those of MemoryAccount::Check, of that statement.
inline Status CheckColumns() {
  const MemoryAccount* const account = MemoryAccount::Current();
  return account != nullptr && account->over() ? account->Check() : Status::Ok();
}

}  // namespace klip::sql
