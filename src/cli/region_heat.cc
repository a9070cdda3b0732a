#include "cli/region_heat.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace klip::cli {
namespace {

constexpr std::chrono::seconds kPollEvery{10};

// Since the last time. A region that was opened again counts from 0.
double Since(int64_t before, int64_t now) { return static_cast<double>(now >= before ? now - before : now); }

}  // namespace

RegionHeat::RegionHeat(Connection* connection, std::function<int64_t()> clock_ms)
    : connection_(connection), maps_(std::make_shared<table::HeatMaps>(std::move(clock_ms))) {}

RegionHeat::~RegionHeat() {
  {
    const std::lock_guard lock(stop_mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void RegionHeat::Start() {
  thread_ = std::thread([this] {
    std::unique_lock lock(stop_mutex_);
    while (!stopping_) {
      lock.unlock();
      Poll();
      lock.lock();
      stop_.wait_for(lock, kPollEvery, [this] { return stopping_; });
    }
  });
}

void RegionHeat::Poll() {
  const Expected<std::vector<TableDescriptor>> tables = connection_->admin().ListTables();
  if (!tables.ok()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(tables_, [&](const auto& known) {
      return std::ranges::find(*tables, known.first, &TableDescriptor::name) == tables->end();
    });
    for (const TableDescriptor& one : *tables) {
      if (tables_.size() < kMostTables && !tables_.contains(one.name)) {
        tables_[one.name].heat = maps_->Add();
      }
    }
  }
  for (const TableDescriptor& one : *tables) {
    const auto is_asked = [&] {
      const std::lock_guard lock(mutex_);
      return tables_.contains(one.name);
    };
    const auto is_stopping = [&] {
      const std::lock_guard lock(stop_mutex_);
      return stopping_;
    };
    if (is_stopping()) {
      return;
    }
    if (is_asked()) {
      (void)PollTable(one.name);  // its servers may be down
    }
  }
}

// The first time, the counts are those since the regions were opened: where they start.
Status RegionHeat::PollTable(const std::string& name) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, connection_->admin().GetRegions(name));
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionMetrics> metrics, connection_->admin().GetRegionMetrics(name));
  const std::lock_guard lock(mutex_);
  OfTable& table = tables_[name];
  if (table.heat == nullptr) {
    table.heat = maps_->Add();
  }
  const bool first = table.last.empty();
  std::map<std::string, Counts> last;
  for (const RegionInfo& region : regions) {
    const auto told = std::ranges::find(metrics, region.Name(), &RegionMetrics::name);
    if (told == metrics.end()) {
      continue;
    }
    const Counts now = {told->read_requests, told->write_requests};
    const auto before = table.last.find(region.Name());
    const Counts since = first ? now : before == table.last.end() ? Counts() : before->second;
    table.heat->Record(region.start_key,
                       {.reads = Since(since.reads, now.reads), .writes = Since(since.writes, now.writes)});
    last[region.Name()] = now;
  }
  table.last = std::move(last);
  return Status::Ok();
}

Expected<HeatMap> RegionHeat::Read(const std::string& table, const HeatQuery& query) {
  std::shared_ptr<table::TableHeat> heat;
  for (int attempt = 0; heat == nullptr; ++attempt) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = tables_.find(table);
      heat = found != tables_.end() && !found->second.last.empty() ? found->second.heat : nullptr;
    }
    if (heat == nullptr && attempt > 0) {
      return HeatMap();  // no region is open
    }
    if (heat == nullptr) {
      KLIP_RETURN_IF_ERROR(PollTable(table));
    }
  }
  return heat->Read(query);
}

}  // namespace klip::cli
