// ScanStream: the pieces of rows in the regions of a range, in order, even if regions split or move meanwhile.
//
// Example: a scan of a table with the region [a,m) has returned row f, and three of the five cells of row g. Then the region
// splits at g, and the next call fails. The stream finds the region [g,m), opens a scanner there that starts at g, and
// reports the restart: the caller drops the three cells of g, and receives all five. Row f is not read again.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "hbase/cluster/cluster.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "rpc/cell_block.h"

namespace klip::client {

// Not thread-safe. A piece is a row or, if a row's cells came in several answers or in batches, a part of one.
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

  // Whether a whole row is available in a cell block: it may be taken without Fetch.
  bool HasRow() const { return cells_at_hand() > 0 && !partial(); }

  // --- The current piece. REQUIRES: Fetch returned true. ---
  std::string_view row() const { return row_; }
  // More cells of the row may follow.
  bool partial() const {
    return piece_ < response_.partial_flag_per_result_size()
               ? response_.partial_flag_per_result(piece_)
               : piece_ < response_.results_size() && response_.results(piece_).partial();
  }
  // Appends its cells to *result and moves on. REQUIRES: Fetch returned true, or HasRow().
  Status Take(Result* result);

  // Whether a new scanner starts this row again: then drop what was taken of it before. True once per such event.
  bool TakeRestarted() { return std::exchange(restarted_, false); }

  // What servers have reported so far of rows, blocks, and on klip serve of jumps and steps, those of lost answers included.
  const ScanStatistics& reported() const { return reported_; }

  // The maximum of further rows; the server stops after them.
  void set_rows_left(int64_t rows) { rows_left_ = rows; }

 private:
  Failure StartOpen(Deadline deadline);
  // Opens a scanner at a replica of region_, after what was taken.
  Failure OpenAt(int replica, Deadline deadline, CallPtr* call);
  // The answer of the outstanding call, or of another replica that was faster: with kTimeline.
  Reply WaitForReplicas(Deadline deadline);
  Failure NextCall(Deadline deadline);
  CallPtr StartNext(Deadline deadline);
  // Sends the request with the fields that every request of a scan has.
  CallPtr Ask(hbase::pb::ScanRequest* request, int replica, Deadline deadline);
  Failure Accept(Reply reply);
  // Moves to the next region; false: no relevant one is left.
  bool Advance();
  // The next call opens a scanner after what was taken.
  void Reopen();
  // Called before an error is returned, after which the caller may continue. Answers of the scanner may be lost, and
  // pieces of the current row that the caller has dropped: another scanner returns both again.
  void GiveUp();
  // Moves the start of scan_ after what was taken.
  void Rewind();
  // Does not wait for the answer: a scanner that is not closed ends with its lease.
  void CloseScanner();
  // -1: any.
  int WantedReplica() const;
  // Cells of the current piece in a cell block; 0 if it is not in one.
  uint32_t cells_at_hand() const {
    return piece_ < response_.cells_per_result_size() ? response_.cells_per_result(piece_) : 0;
  }
  Status LookAtPiece();
  // Call it before the current answer is dropped.
  void KeepLastRow();
  void RecycleAnswer();

  Cluster* cluster_;
  const std::string table_;
  klip::Scan scan_;  // start_row advances
  int64_t rows_left_ = 0;
  ScanStatistics reported_;

  RegionPtr region_;
  int replica_ = 0;  // of the region, where the scanner is
  std::optional<uint64_t> scanner_;
  uint64_t next_seq_ = 0;
  bool first_answer_ = true;  // of this scanner
  bool region_done_ = false;
  bool all_done_ = false;  // the server reported it: the limit is reached, or the filter passes nothing more
  bool done_ = false;
  CallPtr ahead_;  // the next call, already sent

  // The current answer.
  Reply reply_;
  std::shared_ptr<Channel> reply_channel_;  // that it came from
  hbase::pb::ScanResponse response_;
  rpc::CellBlockReader block_;
  int piece_ = 0;
  int pieces_ = 0;
  bool have_piece_ = false;
  std::string_view row_;  // of the current piece

  // Of the last piece taken, unless its row continues in the current answer.
  std::string last_row_;
  std::optional<size_t> last_begin_;
  bool any_taken_ = false;
  bool last_partial_ = false;
  bool restarted_ = false;
};

}  // namespace klip::client
