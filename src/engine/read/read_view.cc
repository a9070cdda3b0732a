#include "engine/read/read_view.h"

#include <string>

#include "rocksdb/db.h"
#include "rocksdb/snapshot.h"

#include "engine/store/store.h"

namespace klip::engine {

ReadView::ReadView(const Store& store, int64_t max_age_ms)
    : store_(store),
      now_ms_(store.NowMs()),
      open_(store.open_snapshots().Open(now_ms_ + max_age_ms)),
      snapshot_(store.db()->GetSnapshot()) {}

ReadView::~ReadView() { store_.db()->ReleaseSnapshot(snapshot_); }

uint64_t ReadView::sequence() const { return snapshot_->GetSequenceNumber(); }

Status ReadView::CheckAge() const {
  if (store_.NowMs() > open_->until_ms) {
    open_->expired.store(true, std::memory_order_release);
  }
  if (open_->expired.load(std::memory_order_acquire)) {
    return {Code::kTimedOut, "the transaction or scan is older than its " + std::to_string(open_->until_ms - now_ms_) +
                                 " ms: begin another one"};
  }
  return Status::Ok();
}

}  // namespace klip::engine
