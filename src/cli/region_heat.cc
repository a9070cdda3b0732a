#include "cli/region_heat.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/cancel.h"

namespace klip::cli {
namespace {

constexpr std::chrono::seconds kPollEvery{10};

// Since the last time. A region that was opened again counts from 0.
double Since(int64_t before, int64_t now) { return static_cast<double>(now >= before ? now - before : now); }

// Of "table,start,id.encoded.". Only the start key may contain commas.
std::string_view StartKeyIn(std::string_view region) {
  const size_t start = region.find(',') + 1;
  return region.substr(start, region.rfind(',') - start);
}

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

bool RegionHeat::IsStopping() {
  const std::lock_guard lock(stop_mutex_);
  return stopping_;
}

// A call to a server that does not answer ends at once when the map is destroyed.
void RegionHeat::Start() {
  thread_ = std::thread([this] {
    const CancelScope scope(CancelToken::Asking([this] { return IsStopping(); }));
    while (!IsStopping()) {
      Poll();
      std::unique_lock lock(stop_mutex_);
      stop_.wait_for(lock, kPollEvery, [this] { return stopping_; });
    }
  });
}

void RegionHeat::Poll() {
  const Expected<std::vector<TableDescriptor>> tables = connection_->admin().ListTables();
  if (!tables.ok()) {
    return;
  }
  std::vector<std::string> counted;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(tables_, [&](const auto& known) {
      return std::ranges::find(*tables, known.first, &TableDescriptor::name) == tables->end();
    });
    for (const TableDescriptor& one : *tables) {
      if (tables_.size() < kMostTables) {
        tables_.try_emplace(one.name);
      }
    }
    for (const auto& [name, table] : tables_) {
      counted.push_back(name);
    }
  }
  for (const std::string& name : counted) {
    if (IsStopping()) {
      return;
    }
    (void)PollTable(name);  // its servers may be down
  }
}

std::vector<RegionCount> CountsSince(const std::vector<RegionMetrics>& regions, LastCounts* last) {
  std::vector<RegionCount> counts;
  LastCounts now;
  for (const RegionMetrics& region : regions) {
    const RequestCounts all = {region.read_requests, region.write_requests};
    const auto known = last->find(region.name);
    const RequestCounts before = last->empty() ? all : known == last->end() ? RequestCounts() : known->second;
    counts.push_back({std::string(StartKeyIn(region.name)),
                      {.reads = Since(before.reads, all.reads), .writes = Since(before.writes, all.writes)}});
    now[region.name] = all;
  }
  *last = std::move(now);
  return counts;
}

// Tables that are not used take no memory from the others.
Status RegionHeat::PollTable(const std::string& name) {
  int64_t polls = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto known = tables_.find(name);
    polls = known == tables_.end() ? 0 : known->second.polls;
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<RegionMetrics> regions, connection_->admin().GetRegionMetrics(name));
  const std::lock_guard lock(mutex_);
  OfTable& table = tables_[name];
  if (table.polls != polls) {
    return Status::Ok();  // another thread has newer counts: these would look like those of a restart
  }
  ++table.polls;
  if (table.heat == nullptr) {
    table.heat = maps_->Add();
  }
  const std::vector<RegionCount> counts = CountsSince(regions, &table.last);
  if (std::ranges::any_of(counts, [](const RegionCount& one) { return one.cell.reads + one.cell.writes > 0; })) {
    for (const RegionCount& one : counts) {
      table.heat->Record(one.start_key, one.cell);
    }
  }
  return Status::Ok();
}

std::shared_ptr<table::TableHeat> RegionHeat::HeatOf(const std::string& table) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  return found != tables_.end() && !found->second.last.empty() ? found->second.heat : nullptr;
}

Expected<HeatMap> RegionHeat::Read(const std::string& table, const HeatQuery& query) {
  std::shared_ptr<table::TableHeat> heat = HeatOf(table);
  if (heat == nullptr) {
    KLIP_RETURN_IF_ERROR(PollTable(table));
    heat = HeatOf(table);
  }
  return heat == nullptr ? HeatMap() : heat->Read(query);
}

}  // namespace klip::cli
