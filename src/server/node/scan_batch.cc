#include "server/node/scan_batch.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "messages/encode.h"
#include "server/node/scanner_table.h"
#include "server/rpc/call.h"

namespace klip::server {
namespace {

constexpr int64_t kResultsATime = 16;  // between readings of the clock, which cost as much as part of a row

// HBase limits responses by the memory of cells on its heap, and clients that request N bytes expect that many cells: a
// KeyValue object, and its bytes in a shared buffer.
int64_t HeapBytes(const Cell& cell) {
  constexpr int64_t kObjectBytes = 32;
  constexpr int64_t kCellLengthBytes = 4;  // before a cell in a block only
  return kObjectBytes + static_cast<int64_t>(rpc::EncodedBytes(cell)) - kCellLengthBytes;
}

class BatchReader {
 public:
  BatchReader(OpenScanner* scanner, const BatchLimits& limits, ScanBatch* batch)
      : scanner_(scanner), limits_(limits), batch_(batch), message_(&batch->message) {}

  Status Read() {
    const int64_t max_rows = limits_.max_rows > 0 ? limits_.max_rows : std::numeric_limits<int64_t>::max();
    int64_t& results = batch_->results;
    int64_t whole_rows = 0;
    while (results < limits_.max_results && !Full()) {
      KLIP_ASSIGN_OR_RETURN(const bool found, NextResult());
      if (found && scanner_->result.empty()) {
        AddHeartbeat(scanner_->paused_at);
        break;
      }
      if (!found) {
        batch_->more_in_region = false;
        FixLastPartial();
        break;
      }
      if (row_open_ && scanner_->result.row() != open_row_) {  // the filter has dropped the rest of the previous row
        FixLastPartial();
        row_open_ = false;
        if (++whole_rows >= max_rows) {
          batch_->more_at_all = false;
          break;
        }
      }
      results += row_open_ ? 0 : 1;
      const bool partial = AddResult();
      if (!partial && ++whole_rows >= max_rows) {
        batch_->more_at_all = false;
        break;
      }
      if (results % kResultsATime == 0 && results < limits_.max_results && OutOfTime()) {
        AddHeartbeat(scanner_->result.row());
        break;
      }
    }
    batch_->full_of_bytes = Full();
    // A filter that is done ends its region; if it passed nothing, the scan. A client that got rows continues in the next
    // region, where the filter starts from the beginning.
    if (scanner_->filter != nullptr && !RowIsOpen() && scanner_->filter->Done()) {
      batch_->more_in_region = false;
      batch_->more_at_all = batch_->more_at_all && results > 0;
    }
    // In hbase:meta the next row is cheap, and clients that look up a region save the call that would end their scan.
    if (scanner_->region_name.empty() && results > 0 && batch_->more_in_region && batch_->more_at_all && !RowIsOpen()) {
      KLIP_ASSIGN_OR_RETURN(batch_->more_in_region, NextResult());
    }
    if (limits_.metrics) {
      AddMetrics();
    }
    return Status::Ok();
  }

 private:
  bool Full() const { return bytes_ >= scanner_->max_result_bytes || short_of_memory_; }
  bool CutsRows() const { return limits_.cuts_rows && !scanner_->whole_rows; }
  bool OutOfTime() const { return limits_.MayPause() && MonotonicUs() > limits_.out_of_time_us; }

  // Whether cells of the last row are still to be sent.
  bool RowIsOpen() const {
    return scanner_->taken < scanner_->result.size() || scanner_->result.has_more_cells_in_row();
  }

  // Moves to the next cells to send: the rest of the last result, or the next one. False: the region has no more.
  Expected<bool> NextResult() {
    if (scanner_->taken < scanner_->result.size()) {
      return true;
    }
    scanner_->taken = 0;
    return scanner_->rows->Next(&scanner_->result);
  }

  // Adds cells of the current result until the batch is full. If the previous result is a piece of the same row, extends
  // it, since clients accept only the last result as incomplete. True: more of the row follows.
  bool AddResult() {
    const Result& result = scanner_->result;
    const size_t first = scanner_->taken;
    size_t end = first;
    while (end < result.size() && !(CutsRows() && Full())) {
      const int64_t bytes = HeapBytes(result[end++]);
      bytes_ += bytes;
      scanner_->largest_cell_bytes = std::max(scanner_->largest_cell_bytes, bytes);
    }
    scanner_->taken = end;
    short_of_memory_ = !batch_->memory.HoldInSteps(static_cast<size_t>(bytes_));
    const bool partial = end < result.size() || result.has_more_cells_in_row();
    const bool goes_on = std::exchange(row_open_, partial && !scanner_->batched);
    if (row_open_ && !goes_on) {
      open_row_ = result.row();
    }
    if (limits_.codec == rpc::CellCodec::kNone) {
      hbase::pb::Result* message =
          goes_on ? message_->mutable_results(message_->results_size() - 1) : message_->add_results();
      for (size_t i = first; i < end; ++i) {
        messages::FillCell(result[i], message->add_cell());
      }
      message->set_stale(scanner_->stale);
      message->set_partial(partial);
    } else {
      for (size_t i = first; i < end; ++i) {
        rpc::AppendCell(result[i], limits_.codec, &batch_->cells);
      }
      if (!goes_on) {
        message_->add_cells_per_result(0);
        message_->add_partial_flag_per_result(false);
      }
      const int last = message_->cells_per_result_size() - 1;
      message_->set_cells_per_result(last, message_->cells_per_result(last) + static_cast<uint32_t>(end - first));
      message_->set_partial_flag_per_result(last, partial);
    }
    return partial;
  }

  // A row that ended exactly at its piece's end was marked as incomplete, but nothing followed.
  void FixLastPartial() {
    if (message_->results_size() > 0) {
      message_->mutable_results(message_->results_size() - 1)->set_partial(false);
    }
    if (message_->partial_flag_per_result_size() > 0) {
      message_->set_partial_flag_per_result(message_->partial_flag_per_result_size() - 1, false);
    }
  }

  void AddHeartbeat(std::string_view row) {
    message_->set_heartbeat_message(true);
    if (scanner_->needs_cursor) {
      message_->mutable_cursor()->set_row(row.data(), row.size());
    }
  }

  void AddMetrics() {
    const auto add = [this](const char* name, int64_t value) {
      hbase::pb::NameInt64Pair* metric = message_->mutable_scan_metrics()->add_metrics();
      metric->set_name(name);
      metric->set_value(value);
    };
    const ScanStatistics before = std::exchange(scanner_->told, scanner_->rows->statistics());
    const ScanStatistics& after = scanner_->told;
    const int64_t read = after.rows_read - before.rows_read;
    add("ROWS_SCANNED", read);
    add("ROWS_FILTERED", std::max<int64_t>(0, read - (after.rows_returned - before.rows_returned)));
    add("BLOCK_READ_OPS_COUNT", after.blocks_read - before.blocks_read);
    add(messages::kSeeksMetric, after.seeks - before.seeks);
    add(messages::kStepsMetric, after.steps - before.steps);
  }

  OpenScanner* const scanner_;
  const BatchLimits& limits_;
  ScanBatch* const batch_;
  hbase::pb::ScanResponse* const message_;
  int64_t bytes_ = 0;
  bool short_of_memory_ = false;
  bool row_open_ = false;  // the last result is a piece of an incomplete row
  std::string open_row_;   // which
};

}  // namespace

void ReadBatch(OpenScanner* scanner, const BatchLimits& limits, ScanBatch* batch) {
  batch->limits = limits;
  scanner->limits = &limits;
  batch->status = BatchReader(scanner, limits, batch).Read();
  scanner->limits = nullptr;
  if (scanner->taken == scanner->result.size() && scanner->largest_cell_bytes > kScannerBytes) {
    scanner->result = Result();  // it would keep its memory until the next call
    scanner->taken = 0;
  }
}

engine::ScanWatch WatchOf(OpenScanner* scanner) {
  return [scanner](std::string_view row) {
    const BatchLimits& limits = *scanner->limits;
    if (limits.call->Abandoned()) {
      return engine::ScanAdvice::kEnd;
    }
    if (!limits.MayPause() || MonotonicUs() <= limits.out_of_time_us) {
      return engine::ScanAdvice::kGoOn;
    }
    scanner->paused_at.assign(row);
    return engine::ScanAdvice::kPause;
  };
}

}  // namespace klip::server
