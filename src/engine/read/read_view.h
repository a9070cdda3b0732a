// ReadView: what the reads of a transaction see.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/read/overlay.h"
#include "engine/view/open_snapshots.h"
#include "klip/status.h"

namespace rocksdb {
class DB;
class Snapshot;
}  // namespace rocksdb

namespace klip::engine {

class Store;

// The store as of a moment, with an overlay over it. Must not outlive the store. Readers hold a ReadViewPtr.
class ReadView {
 public:
  // A view of the current state. REQUIRES: max_age_ms >= 0.
  ReadView(const Store& store, int64_t max_age_ms);
  ~ReadView();
  ReadView(const ReadView&) = delete;
  ReadView& operator=(const ReadView&) = delete;

  const rocksdb::Snapshot* snapshot() const { return snapshot_; }
  uint64_t sequence() const;                  // of the last visible write
  int64_t now_ms() const { return now_ms_; }  // decides which TTLs have expired
  Overlay& overlay() const { return *overlay_; }

  // Call it after creating iterators: what they should see may have been compacted away before. Errors: kTimedOut; a
  // retry fails too.
  Status CheckAge() const;

 private:
  const Store& store_;
  const int64_t now_ms_;
  const std::shared_ptr<OpenSnapshots::One> open_;
  const rocksdb::Snapshot* const snapshot_;
  const std::shared_ptr<Overlay> overlay_ = std::make_shared<Overlay>();
};
using ReadViewPtr = std::shared_ptr<const ReadView>;  // null: the store as it is now

}  // namespace klip::engine
