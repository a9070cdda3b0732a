#include "engine/read/read_view.h"

#include <string>

#include "rocksdb/db.h"
#include "rocksdb/snapshot.h"

#include "engine/store/store.h"

namespace klip::engine {

ReadView::ReadView(const Store& store, int64_t max_age_ms)
    : store_(store),
      now_ms_(store.NowMs()),
      open_(store.open_snapshots().Open(max_age_ms)),
      snapshot_(store.db()->GetSnapshot()) {}

ReadView::~ReadView() { store_.db()->ReleaseSnapshot(snapshot_); }

uint64_t ReadView::sequence() const { return snapshot_->GetSequenceNumber(); }

Status ReadView::CheckAge() const {
  return open_->Expired() ? Status(Code::kTimedOut, "the transaction or scan is older than its " +
                                                        std::to_string(open_->max_age_ms()) + " ms: begin another one")
                          : Status::Ok();
}

}  // namespace klip::engine
