#include "coprocessor/hooked_scanner.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "coprocessor/clip.h"
#include "coprocessor/region_calls.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"

namespace klip::coprocessor {
namespace {

constexpr uint8_t kScanChanged = 1;
constexpr uint8_t kKlipReads = 2;
constexpr uint32_t kMostRows = 1000;
constexpr uint32_t kMostBytes = 1 << 20;

class HookedScanner final : public ResultScanner {
 public:
  HookedScanner(Host* host, OpenTablePtr table, Scan scan, table::OpenScan open)
      : host_(host), table_(std::move(table)), scan_(std::move(scan)), open_(std::move(open)) {
    for (const OpenRegionPtr& region : table_->regions) {
      Scan part = scan_;
      if (ClipToRegion(region->start_key, region->end_key, &part)) {
        parts_.push_back({region, std::move(part)});
      }
    }
    if (scan_.reversed) {
      std::reverse(parts_.begin(), parts_.end());
    }
  }

  ~HookedScanner() override { (void)CloseRegion(); }

  // Opens the next region's scanner. REQUIRES: there is one.
  Status OpenRegion() {
    Part part = std::move(parts_.front());
    parts_.pop_front();
    Scan asked = part.scan;
    KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
    if (lease.generation() != part.region->generation) {
      return {Code::kIoError, "the coprocessor host was restarted after the scan began"};
    }
    generation_ = lease.generation();
    conditions_ = host_->region_calls().KeepConditions(*part.region, &part.scan);
    hbase::pb::Scan message;
    KLIP_RETURN_IF_ERROR(messages::FillScan(part.scan, &message));
    SetRange(part, &message);
    const Caller& caller = Caller::Current();
    FrameWriter call;
    call.Text(caller.user).Text(caller.address).U64(part.region->id).Message(message);
    begun_ = true;
    KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kScanOpen, call));
    const uint8_t bits = answer.U8();
    if ((bits & kScanChanged) != 0) {
      answer.Message(&message);
      KLIP_RETURN_IF_ERROR(answer.status());
      KLIP_ASSIGN_OR_RETURN(asked, messages::ToScan(message));
      asked.attributes.erase(std::string(RegionCalls::kConditionsAttribute));
      asked.where = part.scan.where;
      asked.rows = part.scan.rows;
      asked.allow_partial_results = part.scan.allow_partial_results;
      asked.max_result_bytes = part.scan.max_result_bytes;
      if (!ClipToRegion(part.region->start_key, part.region->end_key, &asked)) {
        return Status::Ok();  // the region contains nothing of the scan
      }
    }
    scanner_ = answer.U32();
    KLIP_RETURN_IF_ERROR(answer.status());
    if ((bits & kKlipReads) != 0) {
      KLIP_ASSIGN_OR_RETURN(own_, open_(asked));
    } else {
      remote_ = true;
      more_ = true;
    }
    return Status::Ok();
  }

  Expected<bool> Next(Result* result) override {
    while (scan_.limit_rows == 0 || returned_ < scan_.limit_rows) {
      KLIP_ASSIGN_OR_RETURN(const bool got, NextOfRegion(result));
      if (got) {
        returned_ += result->has_more_cells_in_row() ? 0 : 1;
        ++statistics_.rows_returned;
        return true;
      }
      KLIP_RETURN_IF_ERROR(CloseRegion());
      if (parts_.empty()) {
        break;
      }
      KLIP_RETURN_IF_ERROR(OpenRegion());
    }
    result->Clear();
    return false;
  }

  ScanStatistics statistics() const override { return statistics_; }

  Explain explain() const override { return own_ != nullptr ? own_->explain() : Explain(); }

  bool has_parts() const { return !parts_.empty(); }

 private:
  struct Part {
    OpenRegionPtr region;
    Scan scan;
  };

  // As HBase's client requests it: from the scan's or the region's first row to the scan's last one. So a hook that makes
  // the scan reversed gets the rows before that first row, as in HBase.
  void SetRange(const Part& part, hbase::pb::Scan* message) const {
    message->set_start_row(begun_ ? part.scan.start_row : scan_.start_row);
    message->set_include_start_row(begun_ ? part.scan.include_start : scan_.include_start);
    message->set_stop_row(scan_.stop_row);
    message->set_include_stop_row(scan_.include_stop);
  }

  Expected<bool> NextOfRegion(Result* result) {
    if (own_ != nullptr) {
      return own_->Next(result);
    }
    while (rows_.empty() && remote_ && more_) {
      KLIP_RETURN_IF_ERROR(Fetch());
    }
    if (rows_.empty()) {
      return false;
    }
    *result = std::move(rows_.front());
    rows_.pop_front();
    return true;
  }

  Status Fetch() {
    KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
    if (lease.generation() != generation_) {
      return {Code::kIoError, "the coprocessor host was restarted after the scan began"};
    }
    const int64_t wanted = scan_.limit_rows == 0 ? kMostRows : scan_.limit_rows - returned_;
    FrameWriter call;
    call.U32(scanner_).U32(static_cast<uint32_t>(std::min<int64_t>(wanted, kMostRows))).U32(kMostBytes);
    KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease.Call(Method::kScanNext, call));
    more_ = answer.U8() != 0;
    for (uint32_t count = answer.U32(); count > 0 && answer.status().ok(); --count) {
      KLIP_RETURN_IF_ERROR(messages::TakeCells(answer.cells(), answer.U32(), &rows_.emplace_back()));
    }
    return answer.status();
  }

  Status CloseRegion() {
    own_.reset();
    rows_.clear();
    const Status closed = CloseRemote();
    host_->region_calls().RemoveConditions(std::exchange(conditions_, 0));
    return closed;
  }

  Status CloseRemote() {
    if (!std::exchange(remote_, false)) {
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_->Take());
    return lease.generation() != generation_ ? Status::Ok()
                                             : lease.Call(Method::kScanClose, FrameWriter().U32(scanner_)).status();
  }

  Host* const host_;
  const OpenTablePtr table_;
  const Scan scan_;
  const table::OpenScan open_;
  std::deque<Part> parts_;  // of the remaining regions
  bool begun_ = false;      // one region was opened
  ScanStatistics statistics_;
  int64_t returned_ = 0;

  // Of the current region.
  uint64_t conditions_ = 0;             // kept in region_calls()
  std::unique_ptr<ResultScanner> own_;  // null: the host reads
  bool remote_ = false;
  uint64_t generation_ = 0;
  uint32_t scanner_ = 0;
  bool more_ = false;
  std::deque<Result> rows_;
};

}  // namespace

Expected<std::unique_ptr<ResultScanner>> OpenHookedScan(Host* host, OpenTablePtr table, const Scan& scan,
                                                        table::OpenScan open) {
  auto scanner = std::make_unique<HookedScanner>(host, std::move(table), scan, std::move(open));
  if (scanner->has_parts()) {
    KLIP_RETURN_IF_ERROR(scanner->OpenRegion());
  }
  return std::unique_ptr<ResultScanner>(std::move(scanner));
}

}  // namespace klip::coprocessor
