#include "engine/store/peer_records.h"

#include <set>
#include <utility>

#include "engine/layout/file_lookup.h"
#include "engine/log/kept_logs.h"
#include "engine/store/json_reader.h"
#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

Json NamesJson(const std::set<std::string>& names) {
  Json out = Json::object();
  for (const std::string& name : names) {
    out[Text(name)] = "";
  }
  return out;
}

std::set<std::string> NamesFrom(const JsonReader& in, const char* field) {
  std::set<std::string> names;
  for (const auto& [name, nothing] : in.Strings(field)) {
    names.insert(name);
  }
  return names;
}

Json TablesJson(const TableFamilies& tables) {
  Json out = Json::object();
  for (const auto& [table, families] : tables) {
    out[Text(table)] = {{"families", NamesJson(families)}};
  }
  return out;
}

TableFamilies TablesFrom(const JsonReader& in, const char* field) {
  TableFamilies tables;
  in.Each(field,
          [&](const std::string& table, const JsonReader& fields) { tables[table] = NamesFrom(fields, "families"); });
  return tables;
}

Json PeerJson(const PeerRecord& record) {
  const ReplicationPeerConfig& config = record.peer.config;
  return {{"enabled", record.peer.enabled},
          {"cluster_key", Text(config.cluster_key)},
          {"endpoint_class", Text(config.endpoint_class)},
          {"configuration", Strings(config.configuration)},
          {"data", Strings(config.data)},
          {"replicate_all", config.replicate_all},
          {"tables", TablesJson(config.table_families)},
          {"namespaces", NamesJson(config.namespaces)},
          {"exclude_tables", TablesJson(config.exclude_table_families)},
          {"exclude_namespaces", NamesJson(config.exclude_namespaces)},
          {"bandwidth", config.bandwidth},
          {"serial", config.serial},
          {"log", record.position.log},
          {"sequence", record.position.sequence}};
}

PeerRecord PeerFrom(std::string id, const JsonReader& in) {
  PeerRecord record;
  record.peer.id = std::move(id);
  record.peer.enabled = in.Bool("enabled");
  ReplicationPeerConfig& config = record.peer.config;
  config.cluster_key = in.String("cluster_key");
  config.endpoint_class = in.String("endpoint_class");
  config.configuration = in.Strings("configuration");
  config.data = in.Strings("data");
  config.replicate_all = in.Bool("replicate_all");
  config.table_families = TablesFrom(in, "tables");
  config.namespaces = NamesFrom(in, "namespaces");
  config.exclude_table_families = TablesFrom(in, "exclude_tables");
  config.exclude_namespaces = NamesFrom(in, "exclude_namespaces");
  config.bandwidth = in.Number<int64_t>("bandwidth");
  config.serial = in.Bool("serial");
  record.position = {in.Number<uint64_t>("log"), in.Number<uint64_t>("sequence")};
  return record;
}

}  // namespace

std::string PeersToJson(const PeerRecords& peers) {
  Json all = Json::object();
  for (const auto& [id, record] : peers) {
    all[Text(id)] = PeerJson(record);
  }
  return Json{{"peers", all}}.dump(1) + "\n";
}

Expected<PeerRecords> PeersFromJson(std::string_view json, std::string_view file) {
  const Json root = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    return Status(Code::kCorruption, std::string(file) + ": not JSON");
  }
  Status status;
  const JsonReader in(root, std::string(file) + ": replication", &status);
  PeerRecords peers;
  in.Each("peers", [&](const std::string& id, const JsonReader& fields) { peers[id] = PeerFrom(id, fields); });
  if (!status.ok()) {
    return status;
  }
  return peers;
}

Expected<PeerRecords> ReadPeerRecords(rocksdb::Env* env, const std::string& store) {
  const std::string file = store + "/" + kReplicationDirectory + "/" + kPeersName;
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, file));
  if (!there) {
    return PeerRecords();
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
  return PeersFromJson(json, file);
}

Expected<std::vector<PeerBacklog>> ReadPeerBacklogs(const std::string& store) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  KLIP_ASSIGN_OR_RETURN(PeerRecords records, ReadPeerRecords(env, store));
  std::vector<PeerBacklog> backlogs;
  if (records.empty()) {
    return backlogs;
  }
  KLIP_ASSIGN_OR_RETURN(const auto logs, KeptLogBytes(env, store));
  for (auto& [id, record] : records) {
    PeerBacklog& backlog = backlogs.emplace_back(PeerBacklog{.peer = std::move(record.peer)});
    for (auto log = logs.lower_bound(record.position.log); log != logs.end(); ++log) {
      ++backlog.log_files;
      backlog.log_bytes += log->second;
    }
  }
  return backlogs;
}

}  // namespace klip::engine
