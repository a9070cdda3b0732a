// RegionHeat: the heat maps of a cluster's tables, from the requests that its servers count by region. It asks them for the counts
// every ten seconds, and keeps the differences in the same bounded ring as a store (table/info/table_heat.h).
//
// Example: a table with the regions "" and "m", whose writes were 500 and 20, and ten seconds later 510 and 5,020. In this minute, 10
// writes count for the keys from "" on, and 5,000 for those from "m" on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "console/region_counts.h"
#include "klip/connection.h"
#include "table/info/table_heat.h"

namespace klip::cli {

// Since a region was opened.
struct RequestCounts {
  int64_t reads = 0;
  int64_t writes = 0;
};
// By the names of all regions that servers reported at the last poll.
using LastCounts = std::map<std::string, RequestCounts>;

struct RegionCount {
  std::string start_key;
  HeatCell cell;
};

// What the regions counted since the last poll, whose counts it replaces. 0 at the first poll: they may have been open for long. A region
// that no server reported at the last poll has been opened since, and counts from 0: it was moved, or split or merged from others.
std::vector<RegionCount> CountsSince(const std::vector<RegionMetrics>& regions, LastCounts* last);

// Thread-safe.
class RegionHeat final : public console::RegionCounts {
 public:
  static constexpr size_t kMostTables = 200;  // the others are counted once a page asked for them

  // The connection outlives it. `clock_ms` null: the system's.
  explicit RegionHeat(Connection* connection, std::function<int64_t()> clock_ms = nullptr);
  ~RegionHeat() override;

  // Polls from now on, in a thread.
  void Start();

  // Asks once for the counts of all tables. Skips those that do not answer.
  void Poll();

  Expected<HeatMap> Read(const std::string& table, const HeatQuery& query) override;

 private:
  struct OfTable {
    std::shared_ptr<table::TableHeat> heat;  // null: not polled yet
    LastCounts last;
    int64_t polls = 0;
  };

  bool IsStopping();
  Status PollTable(const std::string& name);
  // Null: no region of the table was counted yet.
  std::shared_ptr<table::TableHeat> HeatOf(const std::string& table);

  Connection* const connection_;
  const std::shared_ptr<table::HeatMaps> maps_;
  std::mutex mutex_;  // guards tables_
  std::map<std::string, OfTable> tables_;
  std::mutex stop_mutex_;  // guards stopping_
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace klip::cli
