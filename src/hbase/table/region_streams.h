// RegionStreams: the rows of a scan in order, with calls for later regions already sent.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "hbase/table/scan_stream.h"

namespace klip::client {

// Not thread-safe. One stream for everything; with scan.threads, one per region, and so many at a time: the first answer
// of each waits until the rows before it are read.
class RegionStreams {
 public:
  RegionStreams(Cluster* cluster, std::string table, klip::Scan scan);

  // As ScanStream::Fetch.
  Expected<bool> Fetch();
  bool HasRow() const { return !running_.empty() && running_.front()->HasRow(); }
  std::string_view row() const { return running_.front()->row(); }
  bool partial() const { return running_.front()->partial(); }
  Status Take(Result* result) { return running_.front()->Take(result); }
  bool TakeRestarted() { return !running_.empty() && running_.front()->TakeRestarted(); }
  void set_rows_left(int64_t rows);
  // As ScanStream::reported.
  ScanStatistics reported() const;

 private:
  // The parts of the scan, region by region in scan order.
  Status Cut();
  void RunMore();

  Cluster* cluster_;
  const std::string table_;
  const klip::Scan scan_;
  const size_t wanted_;  // streams at a time
  int64_t rows_left_ = 0;
  bool cut_ = false;
  std::deque<klip::Scan> parts_;  // not started yet
  std::deque<std::unique_ptr<ScanStream>> running_;
  ScanStatistics reported_;  // of the finished ones
};

}  // namespace klip::client
