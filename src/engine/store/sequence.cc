#include "engine/store/sequence.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "engine/layout/file_lookup.h"
#include "engine/store/small_file.h"

namespace klip::engine {

Status Sequence::Read() {
  next_ = database_->db->GetLatestSequenceNumber() + 1;
  const std::string file = database_->path() + "/" + kSequenceName;
  KLIP_ASSIGN_OR_RETURN(const bool reserved_before, FileIsThere(database_->env, file));
  if (reserved_before) {
    KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(database_->env, file));
    KLIP_ASSIGN_OR_RETURN(const std::string_view text, Unseal(sealed, file));
    uint64_t reserved = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), reserved).ec != std::errc()) {
      return {Code::kCorruption, file + ": not a number"};
    }
    next_ = std::max(next_.load(), reserved);
  }
  limit_ = next_.load();
  return Status::Ok();
}

uint64_t Sequence::Next() {
  const uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number >= limit_.load(std::memory_order_acquire)) {
    Reserve(number);
  }
  return number;
}

// Reserves numbers on disk in large blocks, so that a restarted store never reuses one.
void Sequence::Reserve(uint64_t number) {
  constexpr uint64_t kAtOnce = 1 << 20;
  const std::lock_guard lock(mutex_);
  if (number < limit_.load(std::memory_order_acquire)) {
    return;
  }
  const std::string bytes = Seal(std::to_string(number + kAtOnce) + "\n");
  if (const Status saved = ReplaceFile(database_->env, database_->path(), kSequenceName, bytes); !saved.ok()) {
    (void)writer_->FailureOf(rocksdb::Status::IOError(saved.message()));  // numbers continue; writes stop
    return;
  }
  limit_.store(number + kAtOnce, std::memory_order_release);
}

}  // namespace klip::engine
