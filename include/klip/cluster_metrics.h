// The state of a cluster: ClusterMetrics, which describes servers and regions as HBase's master knows them; procedures, slow calls, and
// decisions of the balancer.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip {

// The HBase version that klip reports and behaves as.
inline constexpr const char* kHBaseVersion = "2.6.4";

// One run of a server process: after a restart at the same address it has another start code.
struct ServerName {
  std::string host;
  uint16_t port = 0;       // 0: of an embedded store, which has no port
  int64_t start_code = 0;  // ms since 1970

  // "host,port,startcode". Errors: kInvalidArgument.
  static Expected<ServerName> Parse(std::string_view text);
  std::string ToString() const;
  auto operator<=>(const ServerName&) const = default;
};

enum class CompactionState : uint8_t { kNone, kMinor, kMajor, kMajorAndMinor };
std::string_view CompactionStateName(CompactionState state);  // "MAJOR_AND_MINOR"

// HBase reports sizes in whole megabytes, those of indexes and blooms in kilobytes. Counts start when the region is opened, for klip
// serve when it starts. An embedded store counts no requests.
struct RegionMetrics {
  std::string name;    // "table,start,id.encoded."
  int32_t stores = 0;  // families
  int32_t store_files = 0;
  int32_t store_references = 0;  // of scanners to files
  int64_t uncompressed_file_bytes = 0;
  int64_t file_bytes = 0;
  int64_t memstore_bytes = 0;
  int64_t index_bytes = 0;  // in memory
  int64_t root_index_bytes = 0;
  int64_t static_index_bytes = 0;
  int64_t static_bloom_bytes = 0;
  int64_t read_requests = 0;
  int64_t filtered_read_requests = 0;  // reads whose filter passed nothing
  int64_t write_requests = 0;
  int64_t compacting_cells = 0;  // cells of the running compaction, and how many of them are done
  int64_t compacted_cells = 0;
  CompactionState compaction = CompactionState::kNone;
  int64_t last_major_compaction_ms = 0;  // ms since 1970 of its oldest file; 0: none
  int64_t completed_sequence_id = 0;     // of the last flush; -1: none
  float data_locality = 0;               // the share of its files that is on the server's own disk

  int64_t requests() const { return read_requests + write_requests; }
};

// What a server, or the master, reports that it is doing.
struct ServerTask {
  enum class State : uint8_t { kRunning, kWaiting, kComplete, kAborted };
  std::string description;
  std::string status;
  State state = State::kRunning;
  int64_t start_ms = 0;
  int64_t completion_ms = 0;  // -1: still running
};
std::string_view ServerTaskStateName(ServerTask::State state);  // "RUNNING"

// Replication from a server to a peer, through one of its queues.
struct ReplicationSource {
  std::string peer_id;
  std::string queue_id;
  bool recovered = false;  // the queue of a server that died
  bool running = false;
  bool edits_since_restart = false;
  int64_t age_of_last_shipped_ms = 0;
  int64_t last_shipped_ms = 0;  // ms since 1970; 0: none
  int64_t next_to_replicate_ms = 0;
  int64_t lag_ms = 0;
  int64_t queued_logs = 0;
  int64_t edits_read = 0;
  int64_t operations_shipped = 0;
};

// Replication into a server.
struct ReplicationSink {
  int64_t started_ms = 0;
  int64_t last_applied_ms = 0;  // ms since 1970; started_ms: none yet
  int64_t age_of_last_applied_ms = 0;
};

struct ServerMetrics {
  ServerName name;
  int64_t requests_per_second = 0;
  int64_t requests = 0;                // since it started
  int64_t used_heap_bytes = 0;         // for klip: resident memory
  int64_t max_heap_bytes = 0;          // 0: no limit
  std::vector<RegionMetrics> regions;  // by name
  std::vector<std::string> coprocessors;
  std::vector<ServerTask> tasks;
  std::vector<ReplicationSource> replication_sources;
  std::optional<ReplicationSink> replication_sink;
  int64_t report_ms = 0;  // when it reported to the master
};

struct RegionInTransition {
  std::string region;  // "table,start,id.encoded."
  std::string state;   // "OPENING"
  int64_t since_ms = 0;
};

struct ClusterMetrics {
  std::string version;     // "2.6.4"
  std::string cluster_id;  // a UUID; empty: an embedded store that was never served
  std::optional<ServerName> active_master;
  std::vector<ServerName> backup_masters;
  std::vector<ServerMetrics> live_servers;  // by name
  std::vector<ServerName> dead_servers;
  std::vector<ServerName> unknown_servers;  // neither live nor dead, yet hbase:meta has regions on them
  std::vector<RegionInTransition> regions_in_transition;
  std::vector<std::string> master_coprocessors;
  std::vector<ServerTask> master_tasks;
  bool balancer_on = false;

  int64_t region_count() const;
  int64_t request_count() const;  // of all regions, since they were opened
  double average_load() const;    // regions per live server
};
// One object; keys are the names above, servers "host,port,startcode", names of regions in HBase's printable form.
std::string ToJson(const ClusterMetrics& metrics);

// A change that the master makes step by step, and resumes after a restart. HBase also lists those of the last minutes.
struct ProcedureInfo {
  int64_t id = 0;
  std::optional<int64_t> parent_id;
  std::string class_name;  // "org.apache.hadoop.hbase.master.procedure.CreateTableProcedure"
  std::string state;       // "RUNNABLE"; "SUCCESS", "FAILED", "ROLLEDBACK" if it has ended
  std::string owner;       // a user; empty: unknown
  int64_t submitted_ms = 0;
  int64_t last_update_ms = 0;
  // The state of its steps, by the names of HBase's messages: "CreateTableStateData".
  std::vector<std::string> state_types;
};

// What a procedure holds or waits for.
struct ProcedureLock {
  std::string resource_type;  // SERVER, NAMESPACE, TABLE, REGION, PEER, META
  std::string resource_name;
  bool exclusive = false;
  std::optional<ProcedureInfo> owner;  // of an exclusive lock
  int32_t shared_count = 0;
  std::vector<ProcedureInfo> waiting;
};

// A call that was slow, or had a large response. HBase's servers keep the last ones if
// hbase.regionserver.slowlog.buffer.enabled is set, klip's always; an embedded store has no calls.
struct SlowCall {
  int64_t start_ms = 0;  // ms since 1970
  int32_t processing_ms = 0;
  int32_t queue_ms = 0;
  int64_t response_bytes = 0;
  int64_t block_bytes_scanned = 0;
  int64_t file_read_ms = 0;
  std::string client;        // "127.0.0.1:40060"
  std::string server_class;  // "HRegionServer"
  std::string method;        // "Scan"
  std::string call;          // "Scan(org.apache...ScanRequest)"
  std::string parameters;
  std::string user;
  std::string region;
  int32_t gets = 0;  // of a Multi
  int32_t mutations = 0;
  int32_t service_calls = 0;
};

// Selects slow calls. Empty texts match all.
struct SlowCallQuery {
  bool large = false;               // calls with large responses; otherwise slow calls
  std::vector<ServerName> servers;  // empty: all
  std::string region;
  std::string table;
  std::string client;
  std::string user;
  bool match_all = false;  // true: all of region, table, client and user must match; false: any of them
  int32_t limit = 10;      // per server
};

// A plan of the balancer, and one that it rejected. The master keeps the last ones if hbase.master.balancer.decision.
// (or rejection.)buffer.enabled is set.
struct BalancerDecision {
  std::string initial_function_costs;
  std::string final_function_costs;
  double initial_cost = 0;
  double final_cost = 0;
  int64_t steps = 0;
  std::vector<std::string> region_plans;
};
struct BalancerRejection {
  std::string reason;
  std::vector<std::string> function_costs;
};

// The result of clearing a block cache.
struct CacheEviction {
  int64_t blocks = 0;
  int64_t bytes = 0;
  int64_t max_cache_bytes = 0;  // of all servers together
};

}  // namespace klip
