// ClientService.Scan: opening, reading, renewing and closing scanners, each over one region.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "klip/bytes.h"
#include "klip/filter_state.h"
#include "messages/decode.h"
#include "proto/Client.pb.h"
#include "server/node/scan_batch.h"
#include "server/node/services.h"
#include "server/region/meta_table.h"
#include "server/region/row_calls.h"

namespace klip::server {
namespace {

using hbase::pb::ScanRequest;
using hbase::pb::ScanResponse;

constexpr int64_t kMaxScanBytes = 100 << 20;  // hbase.server.scanner.max.result.size

// Rows longer than this are read in pieces, whatever the client's limit: a reader may use so much without asking for
// memory.
constexpr int64_t kPieceBytes = 256 << 10;

// Memory for a scan's answer.
constexpr size_t kLeastAnswer = 64 << 10;

constexpr uint32_t kManyRows = 100;

int FilterThreads() {
  constexpr unsigned kMost = 2;
  static const auto threads = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMost));
  return threads;
}

// The minimum, even if the client leaves less: hbase.region.server.min.scan.time.limit.delta
constexpr int64_t kLeastScanUs = 10 * 1000;

class EmptyScanner final : public ResultScanner {
 public:
  Expected<bool> Next(Result* result) override {
    result->Clear();
    return false;
  }
  ScanStatistics statistics() const override { return {}; }
  klip::Explain explain() const override { return {}; }
};

// One call of Scan on an open scanner.
class ScanCall {
 public:
  ScanCall(Node* node, const ScanRequest& request, ScanResponse* response, Call* call)
      : node_(node), request_(request), response_(response), call_(call) {}

  rpc::Error Run() {
    // Before anything happens, so that the client can repeat the call.
    if (!call_->answer.HoldInSteps(kLeastAnswer)) {
      return rpc::Error::Hbase("CallQueueTooBigException", "not enough memory for a scan at the moment (memory-limit)",
                               false);
    }
    if (request_.has_scanner_id()) {
      if (OpenScannerPtr scanner = node_->scanners.Find(request_.scanner_id()); scanner != nullptr) {
        scanner_ = std::move(scanner);
        return Continue();
      }
      return Missing();
    }
    if (!request_.has_scan()) {
      return Status(Code::kDoNotRetry, "Missing required input: scannerId or scan");
    }
    KLIP_RPC_RETURN_IF_ERROR(Open());
    return Read(/*opened=*/true);
  }

 private:
  rpc::Error Missing() {
    const uint64_t id = request_.scanner_id();
    if (const std::optional<uint64_t> next = node_->scanners.NextCallOfClosed(id); next.has_value()) {
      // HBase counts one call more than there was.
      if (request_.has_next_call_seq() && request_.next_call_seq() != *next + 1) {
        return OutOfOrder("Expected nextCallSeq for closed request: ", *next + 1);
      }
      response_->set_scanner_id(id);
      return {};
    }
    return rpc::Error::Hbase(
        "UnknownScannerException",
        "Unknown scanner '" + std::to_string(id) +
            "'. This can happen due to any of the following reasons: a) Scanner id given is wrong, b) Scanner lease "
            "expired because of long wait between consecutive client checkins, c) Server may be closing down, d) "
            "RegionServer restart during upgrade.",
        true);
  }

  rpc::Error OutOfOrder(std::string_view what, uint64_t expected) const {
    return rpc::Error::Hbase("exceptions.OutOfOrderScannerNextException",
                             std::string(what) + std::to_string(expected) +
                                 " But the nextCallSeq got from client: " + std::to_string(request_.next_call_seq()) +
                                 "; request=" + std::to_string(request_.scanner_id()),
                             true);
  }

  rpc::Error Open() {
    Expected<klip::Scan> scan = messages::ToScan(request_.scan());
    if (!scan.ok()) {
      return scan.status();
    }
    if (!request_.scan().has_include_stop_row() && !scan->start_row.empty() && scan->start_row == scan->stop_row) {
      scan->include_stop = true;  // with this, clients before 2.0 request one row
    }
    scanner_ = std::make_shared<OpenScanner>();
    scanner_->max_result_bytes = MaxBytes(request_.scan().max_result_size());
    scanner_->needs_cursor = request_.scan().need_cursor_result();
    scanner_->batched = scan->batch > 0;
    const std::string& name = request_.region().value();
    if (IsMetaRegion(name)) {
      return OpenRows(MetaTable(&node_->regions, &node_->self).Scan(*scan));
    }
    RegionRef region;
    KLIP_RPC_RETURN_IF_ERROR(node_->regions.Find(request_.region(), &region));
    scanner_->region_name = region.region->name;
    scanner_->stale = region.region->replica_id != 0;
    if (!ClipToRegion(*region.region, &*scan)) {
      scanner_->rows = std::make_unique<EmptyScanner>();
      return {};
    }
    // A filter that decides by the whole row gets it, and so does the client.
    scanner_->whole_rows = scan->filter != nullptr && scan->filter->NewState(scan->reversed)->HasFilterRow();
    if (scan->filter != nullptr && scan->filter->RemembersRows()) {
      scanner_->filter = Watch(std::move(scan->filter));
      scan->filter = scanner_->filter->filter();
    }
    if (request_.client_handles_partials() && !scanner_->whole_rows) {
      scan->allow_partial_results = true;
      scan->max_result_bytes = kPieceBytes;
    }
    if (MayLookFar(*scan)) {
      scan->threads = FilterThreads();
    }
    return OpenRows(region.table->Scan(*scan, WatchOf(scanner_.get())));
  }

  // A filter may pass few of many rows: worth a second core, unless the client soon has enough.
  bool MayLookFar(const klip::Scan& scan) const {
    return scan.filter != nullptr && scan.allow_partial_results && request_.number_of_rows() >= kManyRows &&
           request_.limit_of_rows() == 0 && !scan.reversed && !scanner_->batched && !scanner_->needs_cursor;
  }

  rpc::Error OpenRows(Expected<std::unique_ptr<ResultScanner>> rows) {
    if (!rows.ok()) {
      return rows.status();
    }
    scanner_->rows = *std::move(rows);
    return {};
  }

  static int64_t MaxBytes(uint64_t asked) {
    return asked == 0 ? kMaxScanBytes : static_cast<int64_t>(std::min<uint64_t>(asked, kMaxScanBytes));
  }

  rpc::Error Continue() {
    const std::lock_guard lock(scanner_->mutex);
    if (request_.has_next_call_seq()) {
      if (request_.next_call_seq() != scanner_->next_call_seq) {
        return OutOfOrder("Expected nextCallSeq: ", scanner_->next_call_seq);
      }
      ++scanner_->next_call_seq;
    }
    node_->scanners.RenewLease(scanner_.get());
    if (request_.renew()) {
      response_->set_scanner_id(scanner_->id);
      return {};
    }
    KLIP_RPC_RETURN_IF_ERROR(CheckRegion());
    return Read(/*opened=*/false);
  }

  // Meanwhile, the scanner's region may have been split, or its table disabled.
  rpc::Error CheckRegion() {
    if (scanner_->region_name.empty()) {
      return {};
    }
    hbase::pb::RegionSpecifier specifier;
    specifier.set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    specifier.set_value(scanner_->region_name);
    RegionRef region;
    rpc::Error error = node_->regions.Find(specifier, &region);
    if (!error.ok()) {
      node_->scanners.Drop(scanner_->id);
    }
    return error;
  }

  rpc::Error Read(bool opened) {
    ScanBatch batch;
    const BatchLimits limits = Limits();
    if (limits.max_results > 0 && scanner_->ahead != nullptr) {
      if (!scanner_->ahead->Fits(limits)) {
        // The client wants less, or in another way, than before: it starts again after its last row.
        return Fail(opened,
                    rpc::Error::Hbase("exceptions.ScannerResetException", "the scanner's limits have changed", true));
      }
      batch = std::move(*scanner_->ahead);
      scanner_->ahead.reset();
    } else if (limits.max_results > 0) {
      batch.memory = std::move(call_->answer);
      ReadBatch(scanner_.get(), limits, &batch);
    }
    if (!batch.status.ok()) {
      return Fail(opened, batch.status);
    }
    const bool ends = !batch.more_in_region || !batch.more_at_all || request_.close_scanner();
    if (!ends && !node_->scanners.Hold(scanner_.get(), *call_->scanners)) {
      // Java's client retries after hbase.client.pause.server.overloaded.
      return Fail(opened,
                  rpc::Error::Hbase("CallQueueTooBigException",
                                    std::to_string(node_->scanners.size()) +
                                        " scanners are open, and this client has reached its limit: close scanners, "
                                        "or wait until unused ones expire",
                                    false));
    }
    if (opened && !ends) {
      node_->scanners.Add(scanner_);
    }
    const bool read_ahead = !ends && ReadsAhead(opened, batch);
    net::MemoryBudget* const budget = batch.memory.budget();
    call_->answer = std::move(batch.memory);
    call_->region = scanner_->region_name;
    call_->rows = batch.results;
    response_->Swap(&batch.message);
    call_->out_cells = std::move(batch.cells);
    if (opened) {
      if (ends) {
        node_->scanners.AddClosed(scanner_.get());
      }
      response_->set_ttl(static_cast<uint32_t>(node_->scanners.lease_ms()));
      response_->set_mvcc_read_point(static_cast<uint64_t>(node_->NowMs()));
    } else if (ends) {
      node_->scanners.Close(*scanner_);
    } else {
      node_->scanners.RenewLease(scanner_.get());  // this call may have taken long
    }
    response_->set_scanner_id(scanner_->id);
    response_->set_more_results(batch.more_at_all);
    response_->set_more_results_in_region(batch.more_in_region);
    response_->set_stale(scanner_->stale);
    if (read_ahead) {
      call_->after_response = [scanner = scanner_, limits, sequence = scanner_->next_call_seq, budget] {
        const std::lock_guard lock(scanner->mutex);
        auto ahead = std::make_unique<ScanBatch>();
        ahead->memory = net::MemoryLease(budget, nullptr);
        if (scanner->ahead == nullptr && scanner->next_call_seq == sequence &&
            ahead->memory.HoldSpare(static_cast<size_t>(scanner->max_result_bytes))) {
          ReadBatch(scanner.get(), limits, ahead.get());
          scanner->ahead = std::move(ahead);
        }
      };
    }
    return {};
  }

  // A client that merely repeated its call would use a scanner that does not exist: it has to open another.
  rpc::Error Fail(bool opened, rpc::Error error) {
    if (!opened) {
      node_->scanners.Drop(scanner_->id);
    }
    if (node_->stopping) {
      return rpc::Error::Hbase("regionserver.RegionServerStoppedException", "the server is stopping", false);
    }
    if (opened || error.do_not_retry()) {
      return error;
    }
    return rpc::Error::Hbase(
        call_->client->knows_new_errors ? "exceptions.ScannerResetException" : "UnknownScannerException",
        "Scanner is closed on the server-side: " + error.java_class() + ": " + error.message(), true);
  }

  BatchLimits Limits() const {
    BatchLimits limits;
    limits.max_results = request_.has_number_of_rows() ? request_.number_of_rows() : (request_.close_scanner() ? 0 : 1);
    limits.max_rows = request_.limit_of_rows();
    limits.cuts_rows = request_.client_handles_partials();
    limits.heartbeats = request_.client_handles_heartbeats();
    limits.metrics = request_.track_scan_metrics();
    limits.codec = call_->client->codec;
    limits.call = call_;
    // As in HBase: half of the client's timeout.
    const int64_t now_us = MonotonicUs();
    const int64_t lease_us = node_->scanners.lease_ms() * 1000;
    const int64_t waits_us = call_->deadline_us == 0 ? lease_us : std::min(call_->deadline_us - now_us, lease_us);
    limits.out_of_time_us = now_us + std::max(waits_us / 2, kLeastScanUs);
    return limits;
  }

  // For scans that fill batch after batch, the next batch is read while the client processes this one.
  bool ReadsAhead(bool opened, const ScanBatch& batch) const {
    return batch.limits.max_results > 0 && batch.limits.max_rows == 0 && (!opened || batch.full_of_bytes) &&
           !batch.message.heartbeat_message() && !scanner_->region_name.empty();
  }

  Node* const node_;
  const ScanRequest& request_;
  ScanResponse* const response_;
  Call* const call_;
  OpenScannerPtr scanner_;
};

}  // namespace

void AddScanMethod(Node* node, MethodTable* methods) {
  Method* const scan = methods->Add<ScanRequest, ScanResponse>(
      "Scan", [node](const ScanRequest& request, ScanResponse* response, Call* call) {
        return ScanCall(node, request, response, call).Run();
      });
  scan->reads = true;
  scan->region = [node](std::string_view param) {
    ScanRequest request;
    request.ParsePartialFromArray(param.data(), static_cast<int>(param.size()));
    if (request.has_region() || !request.has_scanner_id()) {
      return request.region().value();
    }
    const OpenScannerPtr scanner = node->scanners.Find(request.scanner_id());
    if (scanner == nullptr) {
      return std::string();
    }
    return scanner->region_name.empty() ? std::string(kMetaRegion) : scanner->region_name;
  };
}

}  // namespace klip::server
