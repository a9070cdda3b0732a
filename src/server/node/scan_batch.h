// The answer to one call of Scan: results of an open scanner, up to the call's limits.
#pragma once

#include <cstdint>

#include "engine/read/row_scanner.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"
#include "server/rpc/memory.h"

namespace klip::server {

struct Call;
struct OpenScanner;

// How much to return according to the call, and until when.
struct BatchLimits {
  // A client that joins pieces of rows accepts at any time that there is more to come.
  bool MayPause() const { return heartbeats && cuts_rows; }

  int64_t max_results = 0;
  int64_t max_rows = 0;     // whole rows; 0: no limit
  bool cuts_rows = false;   // the client joins pieces of a row
  bool heartbeats = false;  // the client understands early answers
  bool metrics = false;
  int64_t out_of_time_us = 0;  // when to answer early, by MonotonicUs
  const Call* call = nullptr;  // that receives the batch
  rpc::CellCodec codec = rpc::CellCodec::kNone;
};

struct ScanBatch {
  BatchLimits limits;
  hbase::pb::ScanResponse message;  // results or their counts, heartbeat, cursor, metrics
  rpc::Buffer cells;
  net::MemoryLease memory;  // for what is read; when it is used up the batch ends
  int64_t results = 0;
  bool more_in_region = true;
  bool more_at_all = true;
  bool full_of_bytes = false;  // it ended because it was large enough, or memory was short
  Status status;               // not ok: the scanner is unusable

  // Whether a batch made for other limits also satisfies these.
  bool Fits(const BatchLimits& asked) const {
    return results <= asked.max_results && limits.max_rows == asked.max_rows && limits.cuts_rows == asked.cuts_rows &&
           limits.heartbeats == asked.heartbeats && limits.metrics == asked.metrics && limits.codec == asked.codec;
  }
};

// The watch that pauses or ends the scanner's reads during ReadBatch. It must not outlive the scanner.
engine::ScanWatch WatchOf(OpenScanner* scanner);

// REQUIRES: scanner->mutex is held, or no other thread knows the scanner.
void ReadBatch(OpenScanner* scanner, const BatchLimits& limits, ScanBatch* batch);

}  // namespace klip::server
