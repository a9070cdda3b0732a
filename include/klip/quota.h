// Quotas: limits of users, tables, namespaces and servers, and of the space of tables.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "klip/cluster_metrics.h"
#include "klip/status.h"

namespace klip {

// The counted quantity. HBase's numbers.
enum class ThrottleType : uint8_t {
  kRequestNumber = 1,
  kRequestSize,
  kWriteNumber,
  kWriteSize,
  kReadNumber,
  kReadSize,
  kRequestCapacityUnit,
  kWriteCapacityUnit,
  kReadCapacityUnit,
  kAtomicReadSize,
  kAtomicRequestNumber,
  kAtomicWriteSize,
  kRequestHandlerUsageMs,
};
enum class QuotaPeriod : uint8_t { kSecond, kMinute, kHour, kDay };

struct ThrottleQuota {
  std::optional<ThrottleType> type;  // none: all, to remove them
  std::optional<int64_t> limit;      // requests, bytes, capacity units or ms per period; none: removes the limit
  QuotaPeriod period = QuotaPeriod::kSecond;
  bool of_cluster = false;  // shared by the servers; otherwise the limit of each server
};

// The reaction when the limit is reached. HBase's numbers.
enum class SpaceViolationPolicy : uint8_t { kDisable = 1, kNoWritesCompactions, kNoWrites, kNoInserts };

struct SpaceQuota {
  std::optional<int64_t> limit_bytes;  // none: removes the limit
  SpaceViolationPolicy policy = SpaceViolationPolicy::kNoInserts;
};

// One setting. For whom: a user, optionally on one table or namespace; a table; a namespace; a server. What: one of the last three.
struct QuotaSettings {
  std::string user;
  std::string table;
  std::string name_space;
  std::string region_server;  // "all"
  std::optional<ThrottleQuota> throttle;
  std::optional<SpaceQuota> space;
  std::optional<bool> bypass_globals;  // only the user's own limits count, not those of tables, namespaces and servers
};

// A table with its own space quota, or one of its namespace.
struct SpaceQuotaState {
  std::string table;
  int64_t used_bytes = 0;
  int64_t limit_bytes = 0;
  std::optional<SpaceViolationPolicy> violated;  // the active policy; none: the limit is not reached
};

// Quotas of requests and of space. klip's own store answers like a cluster without quotas: it lists none, and setting
// one fails with kUnsupported. Thread-safe; lives as long as its Admin.
class QuotaAdmin {
 public:
  virtual ~QuotaAdmin() = default;

  virtual Expected<std::vector<QuotaSettings>> ListQuotas() = 0;  // by namespace, table and user
  virtual Status SetQuota(const QuotaSettings& settings) = 0;
  // Bytes on disk of each table, as the master counts them for space quotas.
  virtual Expected<std::map<std::string, int64_t>> GetSpaceQuotaTableSizes() = 0;
  // By snapshot: bytes on disk that only the snapshot still needs, of tables with space quotas.
  virtual Expected<std::map<std::string, int64_t>> GetSnapshotSizes() = 0;
  // Whether users may exceed their quotas while the server's own quota allows it. Returns the previous setting; false without quotas.
  virtual Expected<bool> SetExceedThrottleQuota(bool on) = 0;
  // Of tables with space quotas, as the master sees it; with `server`, as that server does.
  virtual Expected<std::vector<SpaceQuotaState>> GetSpaceQuotaStates(const std::optional<ServerName>& server = {}) = 0;
};

}  // namespace klip
