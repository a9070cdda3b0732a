// A store as one server of a cluster, itself: shared by the parts of EmbeddedAdmin.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "klip/admin.h"

namespace klip::table {

// The server's calls, as in ServerAdmin::GetSlowCalls. Called by any thread.
using SlowCallSource = std::function<std::vector<SlowCall>(const SlowCallQuery&)>;

// Thread-safe, except for Serve.
class ServedStore {
 public:
  // `store` outlives this. Until Serve is called, the server has this host's name and port 0.
  explicit ServedStore(engine::Store* store);

  // Sets the name under which the store is served; `slow_calls` returns its calls, null: unknown. Call it before any
  // other function.
  void Serve(ServerName server, std::string cluster_id, SlowCallSource slow_calls);

  engine::Store* store() const { return store_; }
  const ServerName& server() const { return server_; }
  std::vector<SlowCall> SlowCalls(const SlowCallQuery& query) const {
    return slow_calls_ != nullptr ? slow_calls_(query) : std::vector<SlowCall>();
  }
  const std::string& cluster_id() const { return cluster_id_; }  // empty if the store is not served

  bool SetSwitch(MasterSwitch which, bool on);  // returns the previous setting
  bool IsOn(MasterSwitch which) const;

  // Errors: kDoNotRetry: one of them is not this server.
  Status CheckServers(std::span<const ServerName> servers) const;
  // The region, on this server.
  RegionInfo InfoOf(const engine::TableView& table, const engine::Region& region) const;
  // Appends the metrics of the table's regions, none if it is disabled: then no server has its regions. `compacts`:
  // whether the store is compacting any table.
  void AddMetrics(const engine::TableView& table, bool compacts, std::vector<RegionMetrics>* metrics) const;

 private:
  engine::Store* const store_;
  ServerName server_;
  std::string cluster_id_;
  SlowCallSource slow_calls_;
  // By MasterSwitch. The store keeps those for splits and merges.
  std::array<std::atomic<bool>, 9> switches_ = {true, true, true, true, true, true, true, true, true};
};

}  // namespace klip::table
