#include "hbase/cluster/locations.h"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include "klip/bytes.h"
#include "klip/cancel.h"
#include "messages/decode.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

constexpr size_t kMaxKept = 1 << 17;  // regions; beyond that, all are forgotten
// TUNING: for lost servers, while other servers of the region answer: the maximum time of a look-up in hbase:meta, and
// the pause between look-ups.
constexpr std::chrono::milliseconds kLookForLost{200};
constexpr std::chrono::seconds kLookAgain{1};
constexpr uint32_t kMetaRows = 100;  // per call
// TUNING: a gateway gets a table for each call. For so long, GetTable may return a table that others have dropped; its
// calls then fail.
constexpr std::chrono::seconds kBelieveFound{3};
constexpr std::string_view kAboveAllIds = "99999999999999";

// The number in "server_0001"; 0: another column.
size_t ReplicaOf(std::string_view qualifier) {
  constexpr std::string_view kPrefix = "server_";
  unsigned number = 0;
  if (qualifier.size() == kPrefix.size() + 4 && qualifier.starts_with(kPrefix)) {
    std::from_chars(qualifier.data() + kPrefix.size(), qualifier.data() + qualifier.size(), number, 16);
  }
  return number;
}

// The region of a row of hbase:meta. Null: the row's region is unusable, for example a split parent.
RegionPtr ToRegion(const Result& row) {
  const auto info_bytes = row.Value("info", "regioninfo");
  hbase::pb::RegionInfo info;
  constexpr std::string_view kMagic = "PBUF";
  if (!info_bytes.has_value() || !info_bytes->starts_with(kMagic) ||
      !info.ParseFromArray(info_bytes->data() + kMagic.size(), static_cast<int>(info_bytes->size() - kMagic.size())) ||
      info.offline() || info.split() || info.replica_id() != 0) {
    return nullptr;
  }
  auto region = std::make_shared<Region>();
  region->table = rpc::TableNameOf(info.table_name());
  region->start_key = info.start_key();
  region->end_key = info.end_key();
  region->region_id = static_cast<int64_t>(info.region_id());
  region->name = row.row();
  for (const Cell& cell : row) {
    const size_t replica = ReplicaOf(cell.qualifier);
    if (cell.family != "info" || (replica == 0 && cell.qualifier != "server") || replica > kMaxReplicas) {
      continue;
    }
    region->replicas.resize(std::max(region->replicas.size(), replica));
    if (Expected<Address> address = ParseAddress(cell.value, 0); address.ok()) {
      (replica == 0 ? region->server : region->replicas[replica - 1]) = *std::move(address);
    }
  }
  if (const auto start = row.Value("info", "serverstartcode"); start.has_value() && start->size() == sizeof(uint64_t)) {
    region->start_code = static_cast<int64_t>(ReadBigEndian<uint64_t>(start->data()));
  }
  return region;
}

}  // namespace

int FirstServed(const Region& region) {
  for (int replica = 0; replica < ReplicasOf(region); ++replica) {
    if (!ServerOf(region, replica).host.empty()) {
      return replica;
    }
  }
  return -1;
}

RegionPtr Locations::Cached(const std::string& table, std::string_view row, Where where) {
  const std::lock_guard lock(mutex_);
  const auto regions = tables_.find(table);
  if (regions == tables_.end()) {
    return nullptr;
  }
  const Regions& kept = regions->second;
  auto at = where == Where::kHolds ? kept.upper_bound(row) : row.empty() ? kept.end() : kept.lower_bound(row);
  if (at == kept.begin()) {
    return nullptr;
  }
  const RegionPtr& region = (--at)->second;
  const bool fits = where == Where::kHolds ? region->Contains(row)
                                           : region->end_key.empty() || (!row.empty() && row <= region->end_key);
  return fits ? region : nullptr;
}

void Locations::Keep(RegionPtr region) {
  const std::lock_guard lock(mutex_);
  if (kept_ >= kMaxKept) {
    tables_.clear();
    kept_ = 0;
  }
  Regions& kept = tables_[region->table];
  // Removes the regions that it replaces, after a split or a merge.
  auto at = kept.lower_bound(region->start_key);
  if (at != kept.begin() && std::prev(at)->second->Contains(region->start_key)) {
    --at;
  }
  while (at != kept.end() && (region->end_key.empty() || at->first < region->end_key)) {
    at = kept.erase(at);
    --kept_;
  }
  std::string start = region->start_key;
  kept[std::move(start)] = std::move(region);
  ++kept_;
}

void Locations::Learn(const RegionPtr& region, const Failure& failure, int replica) {
  if (failure.recovery == Recovery::kRelocate) {
    DistrustMetaReplicas(region->table);
  }
  if (failure.recovery == Recovery::kLeaveServer) {
    LeaveServer(ServerOf(*region, replica));
  } else if (failure.recovery == Recovery::kRelocate && replica == 0 && failure.moved_to.has_value()) {
    auto moved = std::make_shared<Region>(*region);
    moved->server = *failure.moved_to;
    Keep(std::move(moved));
  } else if (failure.recovery == Recovery::kRelocate) {
    Forget(region);
  }
}

void Locations::LeaveServer(const Address& server) {
  const std::lock_guard lock(mutex_);
  for (auto& [table, kept] : tables_) {
    for (auto& [start, region] : kept) {
      if (region->server != server && std::ranges::find(region->replicas, server) == region->replicas.end()) {
        continue;
      }
      auto left = std::make_shared<Region>(*region);  // other threads may read the old one
      if (left->server == server) {
        left->server = Address();
      }
      std::ranges::replace(left->replicas, server, Address());
      region = std::move(left);
    }
    kept_ -= std::erase_if(kept, [](const auto& entry) { return FirstServed(*entry.second) < 0; });
  }
}

void Locations::Forget(const RegionPtr& region) {
  const std::lock_guard lock(mutex_);
  if (const auto table = tables_.find(region->table); table != tables_.end()) {
    kept_ -= std::erase_if(table->second, [&](const auto& entry) { return entry.second == region; });
  }
}

bool Locations::TakeTurnToLook() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_look_) {
    return false;
  }
  next_look_ = now + kLookAgain;
  return true;
}

Failure Locations::FindAny(const std::string& table, std::string_view row, Where where, Deadline deadline,
                           RegionPtr* region) {
  const RegionPtr known = Cached(table, row, where);
  if (known == nullptr) {
    return FindOne(table, row, where, /*any_replica=*/true, deadline, region);
  }
  const bool all = std::ranges::all_of(std::views::iota(0, ReplicasOf(*known)),
                                       [&](int replica) { return !ServerOf(*known, replica).host.empty(); });
  if (!all && TakeTurnToLook()) {
    Failure found = Look(table, row, where, std::min(deadline, Clock::now() + kLookForLost), region,
                         /*any_replica=*/true);
    if (found.ok() || found.recovery == Recovery::kNone) {
      return found;
    }
  }
  *region = known;
  return {};
}

Failure Locations::ScanMeta(hbase::pb::Scan scan, uint32_t limit, int first, Deadline deadline,
                            std::vector<RegionPtr>* regions, std::string* last_row, bool* stale) {
  scan.add_column()->set_family("info");
  hbase::pb::ScanRequest request;
  *request.mutable_scan() = std::move(scan);
  request.set_number_of_rows(limit);
  request.set_close_scanner(true);
  Reply reply;
  const MetaCall call = {.method = "Scan", .request = &request, .region = request.mutable_region()};
  if (Failure failure = CallMeta(call, first, deadline, &reply); !failure.ok()) {
    return failure;
  }
  hbase::pb::ScanResponse response;
  const auto bad = [](const Status& status) { return Failure{status, Recovery::kRetry, {}}; };
  if (const Status parsed = reply.Parse(&response); !parsed.ok()) {
    return bad(parsed);
  }
  if (stale != nullptr) {
    *stale = response.stale();
  }
  rpc::CellBlockReader block(reply.cells, rpc::CellCodec::kKeyValue);
  const int count = std::max(response.cells_per_result_size(), response.results_size());
  for (int i = 0; i < count; ++i) {
    Result row;
    const Status taken = i < response.cells_per_result_size()
                             ? messages::TakeCells(&block, response.cells_per_result(i), &row)
                             : messages::TakeResult(response.results(i), &block, &row);
    if (!taken.ok()) {
      return bad(taken);
    }
    *last_row = row.row();
    if (RegionPtr region = ToRegion(row); region != nullptr) {
      regions->push_back(std::move(region));
    }
  }
  return {};
}

Failure Locations::Look(const std::string& table, std::string_view row, Where where, Deadline deadline,
                        RegionPtr* region, bool any_replica) {
  const int first = FirstMetaReplica(table);
  bool stale = false;
  Failure failure = LookAt(table, row, where, first, any_replica, deadline, region, &stale);
  // A replica may not know it yet.
  return failure.ok() || !stale ? failure
                                : LookAt(table, row, where, kPrimaryOnly, any_replica, deadline, region, &stale);
}

Failure Locations::LookAt(const std::string& table, std::string_view row, Where where, int first, bool any_replica,
                          Deadline deadline, RegionPtr* region, bool* stale) {
  hbase::pb::Scan scan;
  scan.set_reversed(true);
  if (where == Where::kBefore && row.empty()) {
    scan.set_start_row(table + '\0');
  } else {
    std::string start = table + ",";
    start += row;
    start += ',';
    start += where == Where::kHolds ? kAboveAllIds : std::string_view();
    scan.set_start_row(start);
  }
  scan.set_stop_row(table + ",,");
  scan.set_include_stop_row(true);
  std::vector<RegionPtr> regions;
  std::string last_row;
  constexpr uint32_t kRows = 3;  // above the region may be the daughter of one that is being split
  if (Failure failure = ScanMeta(std::move(scan), kRows, first, deadline, &regions, &last_row, stale); !failure.ok()) {
    return failure;
  }
  for (RegionPtr& found : regions) {
    const bool fits = where == Where::kHolds ? found->Contains(row)
                                             : found->end_key.empty() || (!row.empty() && row <= found->end_key);
    if (found->table == table && fits) {
      if (any_replica ? FirstServed(*found) < 0 : found->server.host.empty()) {
        return {Status(Code::kNotServingRegion, "region " + found->name + " is on no server"), Recovery::kRetry, {}};
      }
      Keep(found);
      *region = std::move(found);
      return {};
    }
  }
  if (!last_row.empty()) {
    return {Status(Code::kNotServingRegion, "hbase:meta has no open region for this row of table '" + table + "'"),
            Recovery::kRetry,
            {}};
  }
  return NotFound(table);
}

Failure Locations::Find(const std::string& table, std::string_view row, Where where, Deadline deadline,
                        RegionPtr* region) {
  return FindOne(table, row, where, /*any_replica=*/false, deadline, region);
}

Failure Locations::FindOne(const std::string& table, std::string_view row, Where where, bool any_replica,
                           Deadline deadline, RegionPtr* region) {
  const auto cached = [&] {
    *region = Cached(table, row, where);
    return *region != nullptr && (any_replica || !(*region)->server.host.empty());
  };
  if (cached()) {
    return {};
  }
  if (table == rpc::kMetaTable) {
    return FindMeta(deadline, region);
  }
  const CancelToken token = CancelToken::Current();
  std::unique_lock looking(look_mutex_, std::defer_lock);
  while (!looking.try_lock_until(token.armed() ? std::min(deadline, Clock::now() + kCancelTurn) : deadline) &&
         Clock::now() < deadline && !token.cancelled()) {
  }
  if (!looking.owns_lock()) {
    if (token.cancelled()) {
      return {token.status()};
    }
    return {
        Status(Code::kTimedOut, "no answer about the regions of table '" + table + "' in time"), Recovery::kRetry, {}};
  }
  if (cached()) {
    return {};
  }
  return Look(table, row, where, deadline, region, any_replica);
}

Failure Locations::FindByName(std::string_view name, Deadline deadline, RegionPtr* region) {
  region->reset();
  if (name == rpc::kMetaTable || name == rpc::kMetaRegion || name == rpc::kMetaEncodedName) {
    return FindMeta(deadline, region);
  }
  const bool full = name.find(',') != std::string_view::npos;
  const std::string ending = "." + std::string(name) + ".";
  std::string after;
  while (true) {
    hbase::pb::Scan scan;
    scan.set_start_row(full ? std::string(name) : after);
    scan.set_include_start_row(after.empty());
    std::vector<RegionPtr> found;
    std::string last_row;
    if (Failure failure = ScanMeta(std::move(scan), full ? 1 : kMetaRows, kPrimaryOnly, deadline, &found, &last_row);
        !failure.ok()) {
      return failure;
    }
    const auto wanted = std::ranges::find_if(
        found, [&](const RegionPtr& one) { return full ? one->name == name : one->name.ends_with(ending); });
    if (wanted != found.end()) {
      *region = std::move(*wanted);
      return {};
    }
    if (full || last_row.empty()) {
      return {};
    }
    after = std::move(last_row);
  }
}

Failure Locations::List(const std::string& table, Deadline deadline, std::vector<RegionPtr>* regions) {
  std::string after;
  while (true) {
    hbase::pb::Scan scan;
    scan.set_start_row(after.empty() ? table + ",," : after);
    scan.set_include_start_row(after.empty());
    scan.set_stop_row(table + " ,,");  // above all rows of the table, in the order of hbase:meta
    std::vector<RegionPtr> found;
    std::string last_row;
    if (Failure failure = ScanMeta(std::move(scan), kMetaRows, kPrimaryOnly, deadline, &found, &last_row);
        !failure.ok()) {
      return failure;
    }
    for (RegionPtr& region : found) {
      if (!region->server.host.empty()) {
        Keep(region);
      }
      regions->push_back(std::move(region));
    }
    if (last_row.empty()) {
      return {};
    }
    after = std::move(last_row);
  }
}

Failure Locations::TablesOf(const std::string& prefix, Deadline deadline, std::set<std::string>* tables) {
  std::string after = prefix;
  while (true) {
    hbase::pb::Scan scan;
    scan.set_start_row(after);
    scan.set_include_start_row(false);
    std::string stop = prefix;
    ++stop.back();
    scan.set_stop_row(std::move(stop));
    std::vector<RegionPtr> found;
    std::string last_row;
    if (Failure failure = ScanMeta(std::move(scan), kMetaRows, kPrimaryOnly, deadline, &found, &last_row);
        !failure.ok()) {
      return failure;
    }
    for (const RegionPtr& region : found) {
      if (region->table.starts_with(prefix)) {
        tables->insert(region->table);
      }
    }
    if (last_row.empty()) {
      return {};
    }
    after = std::move(last_row);
  }
}

Failure Locations::NotFound(const std::string& table) {
  ForgetTable(table);
  return {Status(Code::kTableNotFound, table)};
}

void Locations::ForgetTable(const std::string& table) {
  const std::lock_guard lock(mutex_);
  found_.erase(table);
}

Failure Locations::Exists(const std::string& table, Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = found_.find(table); found != found_.end() && Clock::now() < found->second) {
      return {};
    }
  }
  hbase::pb::TableState::State state = hbase::pb::TableState::ENABLED;
  Failure failure = State(table, deadline, &state);
  if (failure.ok()) {
    const Clock::time_point now = Clock::now();
    const std::lock_guard lock(mutex_);
    // including those dropped by others
    std::erase_if(found_, [now](const auto& entry) { return entry.second <= now; });
    found_[table] = now + kBelieveFound;
  }
  return failure;
}

Failure Locations::State(const std::string& table, Deadline deadline, hbase::pb::TableState::State* state) {
  return ReadState(table, meta_replicas_ != MetaReplicas::kNone, deadline, state);
}

Failure Locations::ReadState(const std::string& table, bool ask_any, Deadline deadline,
                             hbase::pb::TableState::State* state) {
  hbase::pb::GetRequest request;
  request.mutable_get()->set_row(table);
  hbase::pb::Column* column = request.mutable_get()->add_column();
  column->set_family("table");
  column->add_qualifier("state");
  Reply reply;
  const MetaCall call = {.method = "Get", .request = &request, .region = request.mutable_region()};
  const int first = ask_any ? 0 : kPrimaryOnly;
  if (Failure failure = CallMeta(call, first, deadline, &reply); !failure.ok()) {
    return failure;
  }
  hbase::pb::GetResponse response;
  Result row;
  rpc::CellBlockReader block(reply.cells, rpc::CellCodec::kKeyValue);
  Status status = reply.Parse(&response);
  status = status.ok() ? messages::TakeResult(response.result(), &block, &row) : status;
  if (!status.ok()) {
    return {status, Recovery::kRetry, {}};
  }
  const auto bytes = row.Value("table", "state");
  if (!bytes.has_value() && row.stale()) {
    return ReadState(table, /*ask_any=*/false, deadline, state);  // a replica may not know it yet
  }
  if (!bytes.has_value()) {
    return NotFound(table);
  }
  hbase::pb::TableState message;
  if (!message.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
    return {Status(Code::kIoError, "hbase:meta has an unreadable state of table '" + table + "'")};
  }
  *state = message.state();
  return {};
}

}  // namespace klip::client
