// ClientService.Scan: opening, reading, renewing and closing scanners, each over one region.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "klip/bytes.h"
#include "klip/filter_state.h"
#include "proto/Client.pb.h"
#include "server/meta_table.h"
#include "server/row_calls.h"
#include "server/services.h"

namespace klip::server {
namespace {

using hbase::pb::ScanRequest;
using hbase::pb::ScanResponse;

constexpr int64_t kMaxResponseBytes = 100 << 20;  // hbase.server.scanner.max.result.size

// A row longer than this is read in pieces, whatever the client's limit.
constexpr int64_t kPieceBytes = 1 << 20;

// HBase bounds responses by what cells take on its heap, and clients that ask for N bytes expect that many cells: a KeyValue's
// object, and its bytes in a buffer that others share.
int64_t HeapBytes(const Cell& cell) {
  constexpr int64_t kObjectBytes = 32;
  constexpr int64_t kLengthBytes = 4;  // in front of a cell in a block only
  return kObjectBytes + static_cast<int64_t>(rpc::EncodedBytes(cell)) - kLengthBytes;
}

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
      : node_(node), request_(request), response_(response), call_(call), output_(call->Block()) {}

  rpc::Error Run() {
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
    if (node_->scanners.WasClosed(id)) {
      response_->set_scanner_id(id);
      response_->set_more_results(false);
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

  rpc::Error Open() {
    Expected<klip::Scan> scan = ToScan(request_.scan());
    if (!scan.ok()) {
      return scan.status();
    }
    if (!request_.scan().has_include_stop_row() && !scan->start_row.empty() && scan->start_row == scan->stop_row) {
      scan->include_stop = true;  // how clients before 2.0 ask for one row
    }
    scanner_ = std::make_shared<OpenScanner>();
    scanner_->max_result_bytes = MaxBytes(request_.scan().max_result_size());
    scanner_->needs_cursor = request_.scan().need_cursor_result();
    const std::string& name = request_.region().value();
    if (name == kMetaRegion || name == kMetaEncodedName) {
      return OpenRows(MetaTable(&node_->regions, &node_->self).Scan(*scan));
    }
    RegionRef region;
    KLIP_RPC_RETURN_IF_ERROR(node_->regions.Find(request_.region(), &region));
    scanner_->region_name = region.region->name;
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
    if (MayCutRows()) {
      scan->allow_partial_results = true;
      scan->max_result_bytes = std::max(scanner_->max_result_bytes, kPieceBytes);
    }
    return OpenRows(region.table->Scan(*scan));
  }

  rpc::Error OpenRows(Expected<std::unique_ptr<ResultScanner>> rows) {
    if (!rows.ok()) {
      return rows.status();
    }
    scanner_->rows = *std::move(rows);
    return {};
  }

  static int64_t MaxBytes(uint64_t asked) {
    return asked == 0 ? kMaxResponseBytes : static_cast<int64_t>(std::min<uint64_t>(asked, kMaxResponseBytes));
  }

  bool MayCutRows() const { return request_.client_handles_partials() && !scanner_->whole_rows; }

  rpc::Error Continue() {
    const std::lock_guard lock(scanner_->mutex);
    if (request_.has_next_call_seq()) {
      if (request_.next_call_seq() != scanner_->next_call_seq) {
        return rpc::Error::Hbase(
            "exceptions.OutOfOrderScannerNextException",
            "Expected nextCallSeq: " + std::to_string(scanner_->next_call_seq) +
                " But the nextCallSeq got from client: " + std::to_string(request_.next_call_seq()) +
                "; request=" + std::to_string(scanner_->id),
            true);
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

  // The scanner's region may have been split, or its table disabled.
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
      node_->scanners.Remove(scanner_->id);
    }
    return error;
  }

  rpc::Error Read(bool opened) {
    int64_t max_results =
        request_.has_number_of_rows() ? request_.number_of_rows() : (request_.close_scanner() ? 0 : 1);
    bool more_in_region = true;
    bool more_at_all = true;
    if (max_results > 0) {
      const Status status = Fill(max_results, &more_in_region, &more_at_all);
      if (!status.ok()) {
        if (!opened) {
          node_->scanners.Remove(scanner_->id);
        }
        return status;
      }
    }
    const bool ends = !more_in_region || !more_at_all || request_.close_scanner();
    if (opened) {
      if (!ends) {
        node_->scanners.Add(scanner_);
      } else {
        node_->scanners.AddClosed(scanner_.get());
      }
      response_->set_ttl(static_cast<uint32_t>(kScannerLeaseMs));
      response_->set_mvcc_read_point(static_cast<uint64_t>(node_->NowMs()));
    } else if (ends) {
      node_->scanners.Remove(scanner_->id);
    }
    response_->set_scanner_id(scanner_->id);
    response_->set_more_results(more_at_all);
    response_->set_more_results_in_region(more_in_region);
    response_->set_stale(false);
    return {};
  }

  // As HBase: half of what the client waits, if it knows what an early answer means.
  bool OutOfTime() const {
    return request_.client_handles_heartbeats() && MayCutRows() && MonotonicUs() > heartbeat_us_;
  }
  void AddHeartbeat() {
    response_->set_heartbeat_message(true);
    if (scanner_->needs_cursor) {
      const std::string_view row = scanner_->result.row();
      response_->mutable_cursor()->set_row(row.data(), row.size());
    }
  }
  static int64_t HeartbeatAt(const Call& call) {
    const int64_t now_us = MonotonicUs();
    const int64_t lease_us = kScannerLeaseMs * 1000;
    return now_us + (call.deadline_us == 0 ? lease_us : std::min(call.deadline_us - now_us, lease_us)) / 2;
  }

  // Cells of the last row are still to be sent.
  bool RowIsOpen() const {
    return scanner_->taken < scanner_->result.size() || scanner_->result.has_more_cells_in_row();
  }

  // Moves to the next cells to send: those left of the last result, or the next one. False: the region has no more.
  Expected<bool> NextResult() {
    if (scanner_->taken < scanner_->result.size()) {
      return true;
    }
    scanner_->taken = 0;
    return scanner_->rows->Next(&scanner_->result);
  }

  Status Fill(int64_t max_results, bool* more_in_region, bool* more_at_all) {
    const int64_t limit_rows =
        request_.limit_of_rows() > 0 ? request_.limit_of_rows() : std::numeric_limits<int64_t>::max();
    int64_t whole_rows = 0;
    int64_t bytes = 0;
    const ScanStatistics before = scanner_->rows->statistics();
    int64_t results = 0;
    while (results < max_results && bytes < scanner_->max_result_bytes) {
      KLIP_ASSIGN_OR_RETURN(const bool found, NextResult());
      if (!found) {
        *more_in_region = false;
        FixLastPartial();
        break;
      }
      const bool partial = AddResult(&bytes);
      ++results;
      if (!partial && ++whole_rows >= limit_rows) {
        *more_at_all = false;
        break;
      }
      if (results < max_results && OutOfTime()) {
        AddHeartbeat();
        break;
      }
    }
    // A filter that is done ends its region; if it let nothing pass, the scan. A client that got rows goes on to the next region,
    // where the filter starts anew.
    if (scanner_->filter != nullptr && !RowIsOpen() && scanner_->filter->Done()) {
      *more_in_region = false;
      *more_at_all = *more_at_all && results > 0;
    }
    if (request_.track_scan_metrics()) {
      AddMetrics(before, scanner_->rows->statistics());
    }
    return Status::Ok();
  }

  // Adds cells of the current result until the response is full. True: more of the row follows.
  bool AddResult(int64_t* bytes) {
    const Result& result = scanner_->result;
    const size_t first = scanner_->taken;
    size_t end = first;
    while (end < result.size() && (!MayCutRows() || *bytes < scanner_->max_result_bytes)) {
      *bytes += HeapBytes(result[end++]);
    }
    scanner_->taken = end;
    const bool partial = end < result.size() || result.has_more_cells_in_row();
    if (output_.codec == rpc::CellCodec::kNone) {
      hbase::pb::Result* message = response_->add_results();
      for (size_t i = first; i < end; ++i) {
        FillCell(result[i], message->add_cell());
      }
      message->set_stale(false);
      message->set_partial(partial);
    } else {
      for (size_t i = first; i < end; ++i) {
        rpc::AppendCell(result[i], output_.codec, output_.block);
      }
      response_->add_cells_per_result(static_cast<uint32_t>(end - first));
      response_->add_partial_flag_per_result(partial);
    }
    return partial;
  }

  // A row that ended exactly where its piece did was said to go on; nothing followed.
  void FixLastPartial() {
    if (response_->results_size() > 0) {
      response_->mutable_results(response_->results_size() - 1)->set_partial(false);
    }
    if (response_->partial_flag_per_result_size() > 0) {
      response_->set_partial_flag_per_result(response_->partial_flag_per_result_size() - 1, false);
    }
  }

  void AddMetrics(const ScanStatistics& before, const ScanStatistics& after) {
    const auto add = [this](const char* name, int64_t value) {
      hbase::pb::NameInt64Pair* metric = response_->mutable_scan_metrics()->add_metrics();
      metric->set_name(name);
      metric->set_value(value);
    };
    const int64_t read = after.rows_read - before.rows_read;
    add("ROWS_SCANNED", read);
    add("ROWS_FILTERED", std::max<int64_t>(0, read - (after.rows_returned - before.rows_returned)));
  }

  Node* const node_;
  const ScanRequest& request_;
  ScanResponse* const response_;
  Call* const call_;
  const CellOutput output_;
  const int64_t heartbeat_us_ = HeartbeatAt(*call_);
  OpenScannerPtr scanner_;
};

}  // namespace

void AddScanMethod(Node* node, MethodTable* methods) {
  methods->Add<ScanRequest, ScanResponse>("Scan",
                                          [node](const ScanRequest& request, ScanResponse* response, Call* call) {
                                            return ScanCall(node, request, response, call).Run();
                                          });
}

}  // namespace klip::server
