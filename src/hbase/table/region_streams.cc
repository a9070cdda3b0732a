#include "hbase/table/region_streams.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace klip::client {
namespace {

constexpr size_t kMaxStreams = 16;  // answers of up to 2 MB each
constexpr int64_t kFewRows = 1000;  // read from the first region before further ones are called

size_t StreamsOf(const klip::Scan& scan) {
  const bool few = scan.limit_rows > 0 && scan.limit_rows <= kFewRows;
  const bool remembers = scan.filter != nullptr && scan.filter->RemembersRows();
  if (scan.threads == 1 || scan.threads < 0 || few || remembers) {
    return 1;
  }
  return scan.threads == 0 ? kMaxStreams : std::min(static_cast<size_t>(scan.threads), kMaxStreams);
}

}  // namespace

RegionStreams::RegionStreams(Cluster* cluster, std::string table, klip::Scan scan)
    : cluster_(cluster), table_(std::move(table)), scan_(std::move(scan)), wanted_(StreamsOf(scan_)) {}

void RegionStreams::set_rows_left(int64_t rows) {
  rows_left_ = rows;
  for (const auto& stream : running_) {
    stream->set_rows_left(rows);
  }
}

Status RegionStreams::Cut() {
  klip::Scan part = scan_;
  std::vector<RegionPtr> regions;
  if (wanted_ > 1) {
    const Deadline deadline = cluster_->OperationDeadline();
    KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
      regions.clear();
      return cluster_->locations().List(table_, cluster_->CallDeadline(deadline), &regions);
    }));
  }
  // The range between two borders is a part, even if regions split or move.
  const std::string& low = scan_.reversed ? scan_.stop_row : scan_.start_row;
  const std::string& high = scan_.reversed ? scan_.start_row : scan_.stop_row;
  for (const RegionPtr& region : regions) {
    const std::string& border = region->start_key;
    if (border <= low || (!high.empty() && border >= high)) {
      continue;
    }
    klip::Scan below = part;
    if (scan_.reversed) {
      below.start_row = border;
      below.include_start = false;
      part.stop_row = border;
      part.include_stop = true;
      parts_.push_front(std::move(below));
    } else {
      below.stop_row = border;
      below.include_stop = false;
      part.start_row = border;
      part.include_start = true;
      parts_.push_back(std::move(below));
    }
  }
  scan_.reversed ? parts_.push_front(std::move(part)) : parts_.push_back(std::move(part));
  cut_ = true;
  return Status::Ok();
}

void RegionStreams::RunMore() {
  while (running_.size() < wanted_ && !parts_.empty()) {
    running_.push_back(std::make_unique<ScanStream>(cluster_, table_, std::move(parts_.front())));
    parts_.pop_front();
    running_.back()->set_rows_left(rows_left_);
    if (wanted_ > 1) {
      running_.back()->Begin();
    }
  }
}

Expected<bool> RegionStreams::Fetch() {
  if (!cut_) {
    KLIP_RETURN_IF_ERROR(Cut());
  }
  while (true) {
    RunMore();
    if (running_.empty()) {
      return false;
    }
    KLIP_ASSIGN_OR_RETURN(const bool more, running_.front()->Fetch());
    if (more) {
      return true;
    }
    reported_ += running_.front()->reported();
    running_.pop_front();
  }
}

ScanStatistics RegionStreams::reported() const {
  ScanStatistics all = reported_;
  for (const auto& stream : running_) {
    all += stream->reported();
  }
  return all;
}

}  // namespace klip::client
