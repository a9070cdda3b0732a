// A store as one server of a cluster, itself: what the parts of EmbeddedAdmin have in common.
#pragma once

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "klip/admin.h"

namespace klip::table {

// Thread-safe, but for Serve.
class ServedStore {
 public:
  // `store` outlives this. Until Serve is called the server is called after this host, with port 0.
  explicit ServedStore(engine::Store* store);

  // The store is served under this name. To be called before any other function.
  void Serve(ServerName server, std::string cluster_id);

  engine::Store* store() const { return store_; }
  const ServerName& server() const { return server_; }
  const std::string& cluster_id() const { return cluster_id_; }  // empty unless the store is served

  bool SetSwitch(MasterSwitch which, bool on);  // returns the previous setting
  bool IsOn(MasterSwitch which) const;

  // Errors: kDoNotRetry: one of them is not this server.
  Status CheckServers(std::span<const ServerName> servers) const;
  // The region, on this server.
  RegionInfo InfoOf(const engine::TableView& table, const engine::Region& region) const;
  // Appends the metrics of the table's regions, none if it is disabled: then its regions are on no server. `compacts`: whether the
  // store does now, whatever the table.
  void AddMetrics(const engine::TableView& table, bool compacts, std::vector<RegionMetrics>* metrics) const;

 private:
  engine::Store* const store_;
  ServerName server_;
  std::string cluster_id_;
  // By MasterSwitch. The store keeps those of splits and merges.
  std::array<std::atomic<bool>, 9> switches_ = {true, true, true, true, true, true, true, true, true};
};

}  // namespace klip::table
