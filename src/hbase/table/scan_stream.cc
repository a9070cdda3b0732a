#include "hbase/table/scan_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "messages/decode.h"
#include "messages/encode.h"

namespace klip::client {
namespace {

constexpr uint64_t kAnswerBytes = 2 << 20;  // hbase.client.scanner.max.result.size
constexpr auto kMaxRows = std::numeric_limits<int32_t>::max();
constexpr uint32_t kClosePriority = 200;

void AddReported(const hbase::pb::ScanMetrics& metrics, ScanStatistics* sum) {
  for (const hbase::pb::NameInt64Pair& one : metrics.metrics()) {
    int64_t* const figure = one.name() == "ROWS_SCANNED"           ? &sum->rows_read
                            : one.name() == "BLOCK_READ_OPS_COUNT" ? &sum->blocks_read
                            : one.name() == messages::kSeeksMetric ? &sum->seeks
                            : one.name() == messages::kStepsMetric ? &sum->steps
                                                                   : nullptr;
    if (figure != nullptr) {
      *figure += one.value();
    }
  }
}

}  // namespace

ScanStream::ScanStream(Cluster* cluster, std::string table, klip::Scan scan)
    : cluster_(cluster), table_(std::move(table)), scan_(std::move(scan)) {}

ScanStream::~ScanStream() {
  ahead_.reset();
  if (!region_done_) {
    CloseScanner();
  }
  RecycleAnswer();
}

void ScanStream::RecycleAnswer() {
  if (reply_channel_ != nullptr) {
    reply_channel_->Recycle(std::move(reply_.frame));
  }
}

int ScanStream::WantedReplica() const { return scan_.consistency == Consistency::kTimeline ? scan_.replica_id : 0; }

void ScanStream::CloseScanner() {
  if (!scanner_.has_value()) {
    return;
  }
  hbase::pb::ScanRequest request;
  request.set_scanner_id(*scanner_);
  request.set_number_of_rows(0);
  request.set_close_scanner(true);
  const auto channel = cluster_->channels().Get(ServerOf(*region_, replica_), "ClientService");
  channel->Start({.method = "Scan",
                  .request = &request,
                  .deadline = Clock::now() + std::chrono::seconds(1),
                  .priority = kClosePriority});
}

Expected<bool> ScanStream::Fetch() {
  if (have_piece_) {
    return true;
  }
  std::optional<Deadline> deadline;  // of all waits; reading the clock costs a fifth of a row
  while (!done_) {
    if (piece_ < pieces_) {
      if (piece_ < response_.cells_per_result_size() && response_.cells_per_result(piece_) == 0) {
        ++piece_;
        continue;
      }
      if (Status looked = LookAtPiece(); !looked.ok()) {
        GiveUp();
        return looked;
      }
      return true;
    }
    if (region_done_ && !Advance()) {
      done_ = true;
      break;
    }
    if (!deadline.has_value()) {
      deadline = cluster_->OperationDeadline();
    }
    if (Status called = cluster_->Retry(*deadline, [&] { return NextCall(*deadline); }); !called.ok()) {
      GiveUp();
      return called;
    }
  }
  return false;
}

Failure ScanStream::StartOpen(Deadline deadline) {
  const bool last_region = scan_.reversed && scan_.start_row.empty();
  const Where where = scan_.reversed && (last_region || !scan_.include_start) ? Where::kBefore : Where::kHolds;
  if (region_ == nullptr) {
    const int wanted = WantedReplica();
    if (const Status found = cluster_->LocateReplica(table_, scan_.start_row, where, wanted, deadline, &region_);
        !found.ok()) {
      return {found};
    }
    replica_ = wanted < 0 ? FirstServed(*region_) : wanted;
  }
  next_seq_ = 0;
  first_answer_ = true;
  return OpenAt(replica_, deadline, &ahead_);
}

Failure ScanStream::OpenAt(int replica, Deadline deadline, CallPtr* call) {
  hbase::pb::ScanRequest request;
  FillRegion(*region_, request.mutable_region(), replica);
  hbase::pb::Scan* message = request.mutable_scan();
  if (const Status filled = messages::FillScan(scan_, message); !filled.ok()) {
    return {filled};
  }
  message->set_start_row(scan_.start_row);
  message->set_include_start_row(scan_.include_start);
  message->set_stop_row(scan_.stop_row);
  message->set_include_stop_row(scan_.include_stop);
  message->set_max_result_size(scan_.allow_partial_results && scan_.max_result_bytes > 0
                                   ? std::min(static_cast<uint64_t>(scan_.max_result_bytes), kAnswerBytes)
                                   : kAnswerBytes);
  *call = Ask(&request, replica, deadline);
  return {};
}

CallPtr ScanStream::StartNext(Deadline deadline) {
  hbase::pb::ScanRequest request;
  request.set_scanner_id(*scanner_);
  request.set_next_call_seq(next_seq_++);
  return Ask(&request, replica_, deadline);
}

CallPtr ScanStream::Ask(hbase::pb::ScanRequest* request, int replica, Deadline deadline) {
  const auto rows = static_cast<uint32_t>(rows_left_ > 0 ? std::min<int64_t>(rows_left_, kMaxRows) : kMaxRows);
  request->set_number_of_rows(scan_.batch == 0 ? rows : kMaxRows);  // counts pieces; with a batch, a row has several
  if (rows_left_ > 0) {
    request->set_limit_of_rows(rows);
  }
  request->set_close_scanner(false);
  request->set_client_handles_partials(true);
  request->set_client_handles_heartbeats(true);
  request->set_track_scan_metrics(true);
  return cluster_->channels()
      .Get(ServerOf(*region_, replica), "ClientService")
      ->Start({.method = "Scan", .request = request, .deadline = cluster_->CallDeadline(deadline)});
}

void ScanStream::Begin() {
  (void)StartOpen(cluster_->OperationDeadline());  // Fetch retries, and reports errors
}

Failure ScanStream::NextCall(Deadline deadline) {
  if (ahead_ == nullptr && scanner_.has_value()) {
    ahead_ = StartNext(deadline);
  } else if (ahead_ == nullptr) {
    if (Failure failure = StartOpen(deadline); !failure.ok()) {
      return failure;
    }
  }
  const bool any_replica = scan_.consistency == Consistency::kTimeline && scan_.replica_id < 0;
  const CallPtr call = any_replica ? nullptr : std::move(ahead_);
  Failure failure = Accept(any_replica ? WaitForReplicas(deadline) : call->Wait());
  if (failure.ok() || failure.recovery == Recovery::kNone) {
    return failure;
  }
  failure = cluster_->Learned(region_, std::move(failure), deadline, replica_);
  Reopen();
  return failure;
}

Failure ScanStream::Accept(Reply reply) {
  if (!reply.ok()) {
    return std::move(reply.failure);
  }
  KeepLastRow();
  response_.Clear();
  piece_ = pieces_ = 0;
  if (const Status parsed = reply.Parse(&response_); !parsed.ok()) {
    return {parsed};
  }
  AddReported(response_.scan_metrics(), &reported_);
  RecycleAnswer();
  reply_channel_ = cluster_->channels().Get(ServerOf(*region_, replica_), "ClientService");
  reply_ = std::move(reply);
  block_ = rpc::CellBlockReader(reply_.cells, rpc::CellCodec::kKeyValue);
  pieces_ = std::max(response_.cells_per_result_size(), response_.results_size());
  if (response_.has_scanner_id()) {
    scanner_ = response_.scanner_id();
  }
  if (!scanner_.has_value()) {
    return {Status(Code::kIoError, "the answer to opening a scanner has no id")};
  }
  all_done_ = response_.has_more_results() && !response_.more_results();
  region_done_ = all_done_ || (response_.has_more_results_in_region() && !response_.more_results_in_region());
  // While this answer is read, the next one is requested; not the first time, since the scan may end early.
  if (!region_done_ && !first_answer_ && rows_left_ == 0) {
    ahead_ = StartNext(cluster_->OperationDeadline());
  }
  first_answer_ = false;
  return {};
}

bool ScanStream::Advance() {
  scanner_.reset();
  ahead_.reset();
  region_done_ = false;
  if (all_done_) {
    return false;
  }
  const std::string border = scan_.reversed ? region_->start_key : region_->end_key;
  const std::string& stop = scan_.stop_row;
  if (border.empty()) {
    return false;
  }
  if (!stop.empty()) {
    const bool over = scan_.reversed ? border <= stop : border > stop || (border == stop && !scan_.include_stop);
    if (over) {
      return false;
    }
  }
  scan_.start_row = border;
  scan_.include_start = !scan_.reversed;
  any_taken_ = false;  // what was taken belongs to finished regions
  region_ = nullptr;
  return true;
}

void ScanStream::Reopen() {
  scanner_.reset();
  ahead_.reset();
  region_done_ = false;
  region_ = nullptr;
  Rewind();
  restarted_ = any_taken_ && last_partial_;
  piece_ = pieces_ = 0;
  response_.Clear();
}

void ScanStream::GiveUp() {
  ahead_.reset();
  if (!region_done_) {
    CloseScanner();
  }
  Reopen();
}

void ScanStream::KeepLastRow() {
  if (last_begin_.has_value()) {
    rpc::CellBlockReader block(std::string_view(reply_.cells).substr(*last_begin_), rpc::CellCodec::kKeyValue);
    Cell cell;
    (void)block.Next(&cell);  // skips cells read before
    last_row_ = cell.row;
    last_begin_.reset();
  }
}

void ScanStream::Rewind() {
  if (any_taken_) {
    KeepLastRow();
    scan_.start_row = last_row_;
    scan_.include_start = last_partial_;
  }
}

Reply ScanStream::WaitForReplicas(Deadline deadline) {
  struct Asked {
    int replica;
    CallPtr call;
  };
  std::vector<Asked> asked;
  std::vector<Call*> waiting;
  const auto add = [&](int replica, CallPtr call) {
    waiting.push_back(call.get());
    asked.push_back({replica, std::move(call)});
  };
  add(replica_, std::move(ahead_));
  Call* const current = waiting[0];
  bool others = true;
  Reply failed;  // of the current scanner, if it failed
  while (!waiting.empty()) {
    const Deadline until = others ? Clock::now() + cluster_->timeouts().primary_scan : cluster_->CallDeadline(deadline);
    Call* answered = WaitForAny(waiting, until);
    if (answered == nullptr && !others) {
      answered = waiting.front();  // returns the timeout
    }
    if (answered != nullptr) {
      Reply reply = answered->Wait();
      std::erase(waiting, answered);
      const bool over = reply.ok() || reply.failure.recovery == Recovery::kNone;
      if (over && answered != current) {
        CloseScanner();
        scanner_.reset();
        replica_ = std::ranges::find(asked, answered, [](const Asked& one) { return one.call.get(); })->replica;
        first_answer_ = true;
        next_seq_ = 0;
        restarted_ = any_taken_ && last_partial_;
      }
      if (over || reply.failure.recovery == Recovery::kReopenScanner) {
        return reply;
      }
      if (answered == current || failed.ok()) {
        failed = std::move(reply);
      }
    }
    if (std::exchange(others, false)) {
      Rewind();
      for (int replica = 0; replica < ReplicasOf(*region_); ++replica) {
        if (replica != replica_ && !ServerOf(*region_, replica).host.empty()) {
          CallPtr call;
          if (OpenAt(replica, deadline, &call).ok()) {
            add(replica, std::move(call));
          }
        }
      }
    }
  }
  return failed;
}

Status ScanStream::LookAtPiece() {
  if (piece_ < response_.cells_per_result_size()) {
    rpc::CellBlockReader ahead = block_;
    Cell first;
    if (!ahead.Next(&first)) {
      return {Code::kIoError, ahead.status().ok() ? "a scan's cell block ends too early" : ahead.status().message()};
    }
    row_ = first.row;
  } else {
    const hbase::pb::Result& result = response_.results(piece_);
    row_ = result.cell_size() > 0 ? std::string_view(result.cell(0).row()) : std::string_view();
  }
  have_piece_ = true;
  return Status::Ok();
}

Status ScanStream::Take(Result* result) {
  have_piece_ = false;
  result->set_stale(response_.stale());
  const bool in_block = piece_ < response_.cells_per_result_size();
  const size_t begin = block_.offset();
  Status taken = in_block ? messages::TakeCells(&block_, response_.cells_per_result(piece_), result)
                          : messages::TakeResult(response_.results(piece_), &block_, result);
  if (!taken.ok()) [[unlikely]] {
    GiveUp();
    return taken;
  }
  any_taken_ = true;
  last_partial_ = partial();
  ++piece_;
  if (in_block) {
    last_begin_ = begin;
  } else {
    last_begin_.reset();
    last_row_ = row_;
  }
  return taken;
}

}  // namespace klip::client
