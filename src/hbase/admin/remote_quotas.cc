// Quotas: the master sets them, and stores them in the table hbase:quota, which clients read.
#include <string>
#include <utility>

#include "hbase/admin/remote_parts.h"
#include "hbase/table/scanner.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "proto/Quota.pb.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

// Rows are "n.NAMESPACE", "t.TABLE", "u.USER" and "r.SERVER".
constexpr const char* kQuotaTable = "hbase:quota";
constexpr const char* kSettingsFamily = "q";  // "s": of the row's owner; for a user also "s.TABLE" and "s.NAMESPACE:"
constexpr const char* kUsageFamily = "u";
constexpr std::string_view kSettings = "s";
constexpr std::string_view kSettingsOf = "s.";
constexpr std::string_view kUsage = "p";
constexpr std::string_view kSnapshotSize = "ss";  // "ssSNAPSHOT", of its table
constexpr std::string_view kQuotaMagic = "PBUF";

Status Damaged(std::string_view row) {
  return {Code::kIoError, "the quota in row '" + std::string(row) + "' of hbase:quota is damaged"};
}

QuotaPeriod ToPeriod(hbase::pb::TimeUnit unit) {
  switch (unit) {
    case hbase::pb::MINUTES:
      return QuotaPeriod::kMinute;
    case hbase::pb::HOURS:
      return QuotaPeriod::kHour;
    case hbase::pb::DAYS:
      return QuotaPeriod::kDay;
    default:
      return QuotaPeriod::kSecond;  // HBase's own client sets no shorter period
  }
}

hbase::pb::TimeUnit ToTimeUnit(QuotaPeriod period) {
  switch (period) {
    case QuotaPeriod::kSecond:
      return hbase::pb::SECONDS;
    case QuotaPeriod::kMinute:
      return hbase::pb::MINUTES;
    case QuotaPeriod::kHour:
      return hbase::pb::HOURS;
    case QuotaPeriod::kDay:
      return hbase::pb::DAYS;
  }
  return hbase::pb::SECONDS;
}

void AddThrottle(const QuotaSettings& owner, ThrottleType type, const hbase::pb::TimedQuota& quota,
                 std::vector<QuotaSettings>* settings) {
  QuotaSettings one = owner;
  one.throttle = ThrottleQuota{.type = type,
                               .limit = {},
                               .period = ToPeriod(quota.time_unit()),
                               .of_cluster = quota.scope() == hbase::pb::CLUSTER};
  if (quota.has_soft_limit()) {
    one.throttle->limit = static_cast<int64_t>(quota.soft_limit());
  }
  settings->push_back(std::move(one));
}

// A setting for each limit, in HBase's order.
void AddSettings(const QuotaSettings& owner, const hbase::pb::Quotas& quotas, std::vector<QuotaSettings>* settings) {
  const hbase::pb::Throttle& throttle = quotas.throttle();
  const auto add = [&](bool there, ThrottleType type, const hbase::pb::TimedQuota& quota) {
    if (there) {
      AddThrottle(owner, type, quota, settings);
    }
  };
  add(throttle.has_req_num(), ThrottleType::kRequestNumber, throttle.req_num());
  add(throttle.has_req_size(), ThrottleType::kRequestSize, throttle.req_size());
  add(throttle.has_write_num(), ThrottleType::kWriteNumber, throttle.write_num());
  add(throttle.has_write_size(), ThrottleType::kWriteSize, throttle.write_size());
  add(throttle.has_read_num(), ThrottleType::kReadNumber, throttle.read_num());
  add(throttle.has_read_size(), ThrottleType::kReadSize, throttle.read_size());
  add(throttle.has_req_capacity_unit(), ThrottleType::kRequestCapacityUnit, throttle.req_capacity_unit());
  add(throttle.has_read_capacity_unit(), ThrottleType::kReadCapacityUnit, throttle.read_capacity_unit());
  add(throttle.has_write_capacity_unit(), ThrottleType::kWriteCapacityUnit, throttle.write_capacity_unit());
  add(throttle.has_atomic_read_size(), ThrottleType::kAtomicReadSize, throttle.atomic_read_size());
  add(throttle.has_atomic_req_num(), ThrottleType::kAtomicRequestNumber, throttle.atomic_req_num());
  add(throttle.has_atomic_write_size(), ThrottleType::kAtomicWriteSize, throttle.atomic_write_size());
  add(throttle.has_req_handler_usage_ms(), ThrottleType::kRequestHandlerUsageMs, throttle.req_handler_usage_ms());
  if (quotas.bypass_globals()) {
    QuotaSettings one = owner;
    one.bypass_globals = true;
    settings->push_back(std::move(one));
  }
  if (quotas.has_space() && !quotas.space().remove()) {
    QuotaSettings one = owner;
    one.space = SpaceQuota{.limit_bytes = static_cast<int64_t>(quotas.space().soft_limit()),
                           .policy = static_cast<SpaceViolationPolicy>(quotas.space().violation_policy())};
    settings->push_back(std::move(one));
  }
}

// The owner of the row's settings; nullopt: another kind of row.
std::optional<QuotaSettings> OwnerOf(std::string_view row) {
  if (row.size() < 2 || row[1] != '.') {
    return std::nullopt;
  }
  QuotaSettings owner;
  const std::string name(row.substr(2));
  switch (row[0]) {
    case 'n':
      owner.name_space = name;
      return owner;
    case 't':
      owner.table = name;
      return owner;
    case 'u':
      owner.user = name;
      return owner;
    case 'r':
      owner.region_server = name;
      return owner;
    default:
      return std::nullopt;
  }
}

// The owner that a column of the row refers to; nullopt: another kind of column.
std::optional<QuotaSettings> OwnerIn(QuotaSettings owner, std::string_view qualifier) {
  if (qualifier == kSettings) {
    return owner;
  }
  if (!qualifier.starts_with(kSettingsOf) || owner.user.empty()) {
    return std::nullopt;
  }
  std::string name(qualifier.substr(kSettingsOf.size()));
  if (name.ends_with(':')) {
    name.pop_back();
    owner.name_space = std::move(name);
  } else {
    owner.table = std::move(name);
  }
  return owner;
}

SpaceQuotaState ToState(std::string table, const hbase::pb::SpaceQuotaSnapshot& message) {
  SpaceQuotaState state = {.table = std::move(table),
                           .used_bytes = static_cast<int64_t>(message.quota_usage()),
                           .limit_bytes = static_cast<int64_t>(message.quota_limit()),
                           .violated = {}};
  if (message.quota_status().in_violation()) {
    state.violated = static_cast<SpaceViolationPolicy>(message.quota_status().violation_policy());
  }
  return state;
}

hbase::pb::ThrottleRequest ToRequest(const ThrottleQuota& throttle) {
  hbase::pb::ThrottleRequest request;
  if (throttle.type.has_value()) {
    request.set_type(static_cast<hbase::pb::ThrottleType>(*throttle.type));
  }
  if (throttle.limit.has_value()) {
    hbase::pb::TimedQuota* quota = request.mutable_timed_quota();
    quota->set_time_unit(ToTimeUnit(throttle.period));
    quota->set_soft_limit(static_cast<uint64_t>(*throttle.limit));
    quota->set_scope(throttle.of_cluster ? hbase::pb::CLUSTER : hbase::pb::MACHINE);
  }
  return request;
}

hbase::pb::SpaceLimitRequest ToRequest(const SpaceQuota& space) {
  hbase::pb::SpaceLimitRequest request;
  if (space.limit_bytes.has_value()) {
    request.mutable_quota()->set_soft_limit(static_cast<uint64_t>(*space.limit_bytes));
    request.mutable_quota()->set_violation_policy(static_cast<hbase::pb::SpaceViolationPolicy>(space.policy));
  } else {
    request.mutable_quota()->set_remove(true);
  }
  return request;
}

}  // namespace

template <typename Take>
Status RemoteQuotaAdmin::ReadQuotaTable(const std::string& family, Take take) {
  const std::unique_ptr<ResultScanner> scanner =
      OpenScanner(cluster_, kQuotaTable, {.scan = {.columns = {{.family = family}}}});
  Result row;
  while (true) {
    const Expected<bool> more = scanner->Next(&row);
    if (!more.ok() || !*more) {  // a cluster whose quotas were never enabled does not have this table
      return more.status().code() == Code::kTableNotFound ? Status::Ok() : more.status();
    }
    for (const Cell& cell : row) {
      KLIP_RETURN_IF_ERROR(take(cell));
    }
  }
}

Expected<std::vector<QuotaSettings>> RemoteQuotaAdmin::ListQuotas() {
  std::vector<QuotaSettings> settings;
  KLIP_RETURN_IF_ERROR(ReadQuotaTable(kSettingsFamily, [&](const Cell& cell) -> Status {
    const std::optional<QuotaSettings> of_row = OwnerOf(cell.row);
    const std::optional<QuotaSettings> owner = of_row ? OwnerIn(*of_row, cell.qualifier) : std::nullopt;
    if (!owner.has_value()) {
      return Status::Ok();
    }
    hbase::pb::Quotas quotas;
    const std::string_view value = cell.value;
    if (!value.starts_with(kQuotaMagic) ||
        !quotas.ParseFromArray(value.data() + kQuotaMagic.size(),
                               static_cast<int>(value.size() - kQuotaMagic.size()))) {
      return Damaged(cell.row);
    }
    AddSettings(*owner, quotas, &settings);
    return Status::Ok();
  }));
  return settings;
}

Status RemoteQuotaAdmin::SetQuota(const QuotaSettings& settings) {
  hbase::pb::SetQuotaRequest request;
  if (!settings.user.empty()) {
    request.set_user_name(settings.user);
  }
  if (!settings.name_space.empty()) {
    request.set_namespace_(settings.name_space);
  }
  if (!settings.table.empty()) {
    rpc::FillTableName(settings.table, request.mutable_table_name());
  }
  if (!settings.region_server.empty()) {
    request.set_region_server(settings.region_server);
  }
  if (int{settings.throttle.has_value()} + settings.space.has_value() + settings.bypass_globals.has_value() != 1) {
    return {Code::kInvalidArgument, "a quota must have one of throttle, space and bypass_globals"};
  }
  if (settings.throttle.has_value()) {
    *request.mutable_throttle() = ToRequest(*settings.throttle);
  } else if (settings.space.has_value()) {
    *request.mutable_space_limit() = ToRequest(*settings.space);
  } else {
    request.set_bypass_globals(*settings.bypass_globals);
  }
  hbase::pb::SetQuotaResponse response;
  return CallMaster("SetQuota", request, &response);
}

Expected<std::map<std::string, int64_t>> RemoteQuotaAdmin::GetSpaceQuotaTableSizes() {
  hbase::pb::GetSpaceQuotaRegionSizesResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetSpaceQuotaRegionSizes", hbase::pb::GetSpaceQuotaRegionSizesRequest(), &response));
  std::map<std::string, int64_t> sizes;
  for (const auto& one : response.sizes()) {
    sizes[rpc::TableNameOf(one.table_name())] = static_cast<int64_t>(one.size());
  }
  return sizes;
}

Expected<std::map<std::string, int64_t>> RemoteQuotaAdmin::GetSnapshotSizes() {
  std::map<std::string, int64_t> sizes;
  KLIP_RETURN_IF_ERROR(ReadQuotaTable(kUsageFamily, [&](const Cell& cell) -> Status {
    const std::optional<QuotaSettings> owner = OwnerOf(cell.row);
    const std::string_view qualifier = cell.qualifier;
    if (!owner.has_value() || owner->table.empty() || !qualifier.starts_with(kSnapshotSize)) {
      return Status::Ok();
    }
    hbase::pb::SpaceQuotaSnapshot snapshot;
    if (!snapshot.ParseFromArray(cell.value.data(), static_cast<int>(cell.value.size()))) {
      return Damaged(cell.row);
    }
    sizes[std::string(qualifier.substr(kSnapshotSize.size()))] = static_cast<int64_t>(snapshot.quota_usage());
    return Status::Ok();
  }));
  return sizes;
}

Expected<bool> RemoteQuotaAdmin::SetExceedThrottleQuota(bool on) {
  hbase::pb::SwitchExceedThrottleQuotaRequest request;
  request.set_exceed_throttle_quota_enabled(on);
  hbase::pb::SwitchExceedThrottleQuotaResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("SwitchExceedThrottleQuota", request, &response));
  return response.previous_exceed_throttle_quota_enabled();
}

Expected<std::vector<SpaceQuotaState>> RemoteQuotaAdmin::GetSpaceQuotaStates(const std::optional<ServerName>& server) {
  std::vector<SpaceQuotaState> states;
  if (server.has_value()) {
    const hbase::pb::GetSpaceQuotaSnapshotsRequest request;
    hbase::pb::GetSpaceQuotaSnapshotsResponse response;
    KLIP_RETURN_IF_ERROR(
        cluster_
            ->StartAdmin({server->host, server->port}, "GetSpaceQuotaSnapshots", request, cluster_->OperationDeadline())
            ->WaitFor(&response));
    for (const auto& one : response.snapshots()) {
      states.push_back(ToState(rpc::TableNameOf(one.table_name()), one.snapshot()));
    }
    return states;
  }
  KLIP_RETURN_IF_ERROR(ReadQuotaTable(kUsageFamily, [&](const Cell& cell) -> Status {
    const std::optional<QuotaSettings> owner = OwnerOf(cell.row);
    if (!owner.has_value() || owner->table.empty() || cell.qualifier != kUsage) {
      return Status::Ok();
    }
    hbase::pb::SpaceQuotaSnapshot snapshot;
    if (!snapshot.ParseFromArray(cell.value.data(), static_cast<int>(cell.value.size()))) {
      return Damaged(cell.row);
    }
    states.push_back(ToState(owner->table, snapshot));
    return Status::Ok();
  }));
  return states;
}

}  // namespace klip::client
