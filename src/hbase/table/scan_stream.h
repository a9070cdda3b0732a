// ScanStream: the pieces of rows that the regions of a range hold, in order, whatever happens to the regions meanwhile.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "hbase/cluster/cluster.h"
#include "klip/query.h"
#include "rpc/cell_block.h"

namespace klip::client {

// Not thread-safe. A piece is a row or, when a row's cells came in several answers or in batches, a part of one.
class ScanStream {
 public:
  ScanStream(Cluster* cluster, std::string table, klip::Scan scan);
  ~ScanStream();
  ScanStream(const ScanStream&) = delete;
  ScanStream& operator=(const ScanStream&) = delete;

  // Sends the first call, without waiting for its answer.
  void Begin();

  // Fetches until there is a piece. False: the end of the scan.
  Expected<bool> Fetch();

  // A whole row is at hand, in a cell block: it may be taken without Fetch.
  bool HasRow() const { return cells_at_hand() > 0 && !partial(); }

  // --- The piece at hand. REQUIRES: Fetch returned true. ---
  std::string_view row() const { return row_; }
  // More cells of the row may follow.
  bool partial() const {
    return piece_ < response_.partial_flag_per_result_size()
               ? response_.partial_flag_per_result(piece_)
               : piece_ < response_.results_size() && response_.results(piece_).partial();
  }
  // Appends its cells to *result and moves on. REQUIRES: Fetch returned true, or HasRow().
  Status Take(Result* result);

  // A new scanner begins at this row again: what was taken of it before is to be dropped. Once per such event.
  bool TakeRestarted() { return std::exchange(restarted_, false); }

  // The rows that may still come; the server stops after them.
  void set_rows_left(int64_t rows) { rows_left_ = rows; }

 private:
  Failure StartOpen(Deadline deadline);
  // Opens a scanner at a replica of region_, behind what was taken.
  Failure OpenAt(int replica, Deadline deadline, CallPtr* call);
  // The answer of the call that is on its way, or of another replica that was faster: with kTimeline.
  Reply WaitForReplicas(Deadline deadline);
  Failure NextCall(Deadline deadline);
  CallPtr StartNext(Deadline deadline);
  // Sends the request, with what every one of a scan asks for.
  CallPtr Ask(hbase::pb::ScanRequest* request, int replica, Deadline deadline);
  Failure Accept(Reply reply);
  // Goes to the region behind; false: there is none that matters.
  bool Advance();
  // The next call opens a scanner behind what was taken.
  void Reopen();
  // Before an error is told, after which the caller may go on: of the scanner answers may be lost, of the row at hand the pieces that
  // the caller has dropped. Both come once more, from another scanner.
  void GiveUp();
  // scan_ begins behind what was taken.
  void Rewind();
  // Without waiting for the answer: a scanner that is not closed ends with its lease.
  void CloseScanner();
  // -1: any.
  int WantedReplica() const;
  // Of the piece at hand, in a cell block. 0 too where it is not.
  uint32_t cells_at_hand() const {
    return piece_ < response_.cells_per_result_size() ? response_.cells_per_result(piece_) : 0;
  }
  Status LookAtPiece();
  // Before the answer at hand goes.
  void KeepLastRow();
  void RecycleAnswer();

  Cluster* cluster_;
  const std::string table_;
  klip::Scan scan_;  // start_row moves along
  int64_t rows_left_ = 0;

  RegionPtr region_;
  int replica_ = 0;  // of the region, where the scanner is
  std::optional<uint64_t> scanner_;
  uint64_t next_seq_ = 0;
  bool first_answer_ = true;  // of this scanner
  bool region_done_ = false;
  bool all_done_ = false;  // the server says so: the limit is reached, or the filter lets nothing more pass
  bool done_ = false;
  CallPtr ahead_;  // the next call, on its way

  // The answer at hand.
  Reply reply_;
  std::shared_ptr<Channel> reply_channel_;  // that it came from
  hbase::pb::ScanResponse response_;
  rpc::CellBlockReader block_;
  int piece_ = 0;
  int pieces_ = 0;
  bool have_piece_ = false;
  std::string_view row_;  // of the piece at hand

  // Of the last piece taken, except where that is the one that begins here in the answer at hand.
  std::string last_row_;
  std::optional<size_t> last_begin_;
  bool any_taken_ = false;
  bool last_partial_ = false;
  bool restarted_ = false;
};

}  // namespace klip::client
