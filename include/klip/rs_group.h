// Groups of region servers: each serves only the tables of its group.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cluster_admin.h"
#include "klip/status.h"

namespace klip {

struct RSGroupInfo {
  std::string name;                  // "default": everything that is in no other group
  std::vector<std::string> servers;  // "host:port", sorted, live or dead
  std::vector<std::string> tables;   // sorted
  std::map<std::string, std::string> configuration;

  bool operator==(const RSGroupInfo&) const = default;
};

// Groups of region servers. Thread-safe; lives as long as its Admin. Errors of all: kUnsupported if the cluster does not have groups
// enabled.
class RSGroupAdmin {
 public:
  virtual ~RSGroupAdmin() = default;

  virtual Expected<std::vector<RSGroupInfo>> ListRSGroups() = 0;  // by name
  // These three return nullopt if there is no such group, server ("host:port") or table.
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroup(std::string_view name) = 0;
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroupOfServer(std::string_view server) = 0;
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroupOfTable(std::string_view table) = 0;
  virtual Status AddRSGroup(std::string_view name) = 0;
  virtual Status RemoveRSGroup(std::string_view name) = 0;  // must be empty
  virtual Status RenameRSGroup(std::string_view name, std::string_view new_name) = 0;
  // Replaces the group's configuration.
  virtual Status UpdateRSGroupConfig(std::string_view name,
                                     const std::map<std::string, std::string>& configuration) = 0;
  virtual Expected<BalanceResult> BalanceRSGroup(std::string_view name, const BalanceOptions& options = {}) = 0;
  // Moves servers ("host:port"), tables, or both at once into the group. Regions follow.
  virtual Status MoveToRSGroup(std::string_view name, std::span<const std::string> servers,
                               std::span<const std::string> tables) = 0;
  // Removes dead or decommissioned servers from their groups.
  virtual Status RemoveServersFromRSGroup(std::span<const std::string> servers) = 0;
};

}  // namespace klip
