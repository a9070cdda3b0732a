#include "sql/types/memory.h"

#include <string>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int64_t kPoolStep = 16 << 10;  // TUNING: what an account takes from its pool at a time

}  // namespace

Status MemoryAccount::Reserve(int64_t bytes) {
  return Take(bytes, /*overdraw=*/false)
             ? Status::Ok()
             : SqlError(999, "50M01",
                        "Unable to allocate enough memory: the statement needs more than " +
                            std::to_string(limit_bytes_) + " bytes, or than others have left of the memory for SQL");
}

bool MemoryAccount::Take(int64_t bytes, bool overdraw) {
  if (bytes > 0 && !overdraw && bytes > limit_bytes_ - used_bytes_) {
    return false;
  }
  used_bytes_ += bytes;
  if (bytes > 0 && !TakeFromPool(overdraw) && !overdraw) {
    used_bytes_ -= bytes;
    return false;
  }
  return true;
}

void MemoryAccount::Release(int64_t bytes) {
  used_bytes_ -= bytes;
  Give(kPoolStep);
}

void MemoryAccount::Count(int64_t bytes) {
  // TUNING: a statement of a few columns has less, and would not help others by failing.
  constexpr int64_t kSmall = int64_t{1} << 20;
  column_bytes_ += bytes;
  if (bytes < 0) {
    over_ = over_ && column_bytes_ > kSmall;
    Give(kPoolStep);
    return;
  }
  const bool pooled = TakeFromPool(/*anyway=*/true);
  over_ = column_bytes_ > column_limit() || (!pooled && column_bytes_ > kSmall);
}

bool MemoryAccount::TakeFromPool(bool anyway) {
  const int64_t more = used_bytes_ + column_bytes_ - pooled_bytes_;
  if (pool_ == nullptr || more <= 0) {
    return true;
  }
  const int64_t steps = (more + kPoolStep - 1) / kPoolStep * kPoolStep;
  const bool taken = pool_->Take(steps, anyway);
  pooled_bytes_ += taken || anyway ? steps : 0;
  return taken;
}

void MemoryAccount::Give(int64_t spare) {
  const int64_t left = pooled_bytes_ - used_bytes_ - column_bytes_;
  if (pool_ != nullptr && left > 2 * spare) {
    pool_->Give(left - spare);
    pooled_bytes_ -= left - spare;
  }
}

Status MemoryAccount::OverStatus() const {
  return SqlError(999, "50M01",
                  "Unable to allocate enough memory: the values of the statement take " +
                      std::to_string(column_bytes_) + " bytes" +
                      (column_bytes_ > column_limit() ? ", and they may take " + std::to_string(column_limit())
                                                      : ", and others have taken the rest of the memory for SQL"));
}

bool MemoryAccount::HasRoomFor(int64_t bytes) {
  if (bytes > column_limit() - column_bytes_) {
    return false;
  }
  if (pool_ == nullptr) {
    return true;
  }
  const bool taken = pool_->Take(bytes, /*anyway=*/false);
  if (taken) {
    pool_->Give(bytes);
  }
  return taken;
}

Status CheckRoomFor(size_t bytes) {
  // TUNING: less is counted when it is there.
  constexpr size_t kLarge = size_t{1} << 20;
  MemoryAccount* const account = MemoryAccount::Current();
  // as the function's result, and in its column
  if (account == nullptr || bytes < kLarge || account->HasRoomFor(static_cast<int64_t>(2 * bytes))) {
    return Status::Ok();
  }
  return SqlError(999, "50M01",
                  "Unable to allocate enough memory: a value of " + std::to_string(bytes) +
                      " bytes is more than the statement may have beside its others");
}

}  // namespace klip::sql
