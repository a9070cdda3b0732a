// Coprocessors: users' code for the tables of one store. Java classes run in a separate JVM (host.h), which is started
// when a table or the configuration names one.
//
//   Coprocessors coprocessors({.class_path = "/opt/klip-coprocessor-host/*"});
//   auto connection = table::OpenEmbedded(directory, options, coprocessors.ForStore());
//   coprocessors.Serve(connection->get(), "127.0.0.1:16020");      // outlives the connection's operations
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "coprocessor/hook_arguments.h"
#include "coprocessor/host.h"
#include "coprocessor/master_hooks.h"
#include "coprocessor/store_hooks.h"
#include "klip/admin.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "table/embedded_connection.h"

namespace klip::coprocessor {

enum class Target : uint8_t { kRegion, kRegionServer, kMaster, kLog };

// An endpoint's answer: the name of its Java message class, and the message.
struct ServiceAnswer {
  std::string java_class;
  std::string bytes;
};

class Coprocessors {
 public:
  // `off`: nothing is loaded, as in HBase with hbase.coprocessor.enabled = false.
  Coprocessors(HostOptions options, bool off);
  ~Coprocessors();

  // The store's callbacks about its tables. The coprocessors must outlive them.
  table::StoreExtensions ForStore();
  // Call it before Serve.
  void Listen(HostListener listener);
  // Why a coprocessor has ended the server, see HostListener::aborted; empty: none has.
  std::string abort_reason();
  // Call it before the first operation. `address`: host:port of klip's own RPC, for coprocessors that are clients; empty:
  // none. Starts the JVM if the configuration or a table names a class. Errors: one of the configuration cannot be loaded.
  Status Serve(table::EmbeddedConnection* connection, std::string address);
  // Hooks that classes of the configuration override, but klip never calls: some of the region server.
  std::vector<std::string> UncalledHooks();
  // Ends the JVM; call it before the connection closes.
  void Stop();

  // Calls a service of the region's coprocessors. nullopt: no such service. Errors: the exception that it throws.
  Expected<std::optional<ServiceAnswer>> CallRegion(const engine::TablePtr& table, const engine::Region& region,
                                                    const hbase::pb::CoprocessorServiceCall& call);
  // Calls a region's hook without arguments and results, if a class has it. Errors: the exception that it throws.
  Status CallHook(std::string_view hook, const engine::TablePtr& table, const engine::Region& region);
  // As CallRegion, for the configuration's classes of a server.
  Expected<std::optional<ServiceAnswer>> CallServer(Target target, const hbase::pb::CoprocessorServiceCall& call);

  // Whether the configuration names classes of the master, the region server or the log.
  bool has_server_classes() const { return on_servers_; }
  // Calls `method` of HBase's host of such classes, if one of them has the hook. Returns the names that the hook has kept
  // of a list among its arguments; nullopt: the lists are unchanged. Errors: the exception that it throws.
  Expected<std::optional<std::vector<std::string>>> CallServerHook(Target target, std::string_view hook,
                                                                   std::string_view method,
                                                                   const HookArguments& arguments);

  // The regions that currently have coprocessors.
  std::vector<OpenRegionPtr> OpenRegions() { return host_.OpenRegions(); }
  // The tables that are closed since a coprocessor cannot be loaded.
  std::vector<Unloaded> UnloadedTables() { return host_.UnloadedTables(); }
  // As Host::Costs.
  Expected<std::vector<HookCost>> Costs() { return host_.Costs(); }

 private:
  bool Has(const TableDescriptor& table) const;
  Status Check(const TableDescriptor& table);
  Expected<ServiceAnswer> Call(Target target, Host::Lease* lease, uint64_t region,
                               const hbase::pb::CoprocessorServiceCall& call);

  const bool off_;
  const bool on_all_tables_;  // the configuration names classes for all regions; not if off
  const bool on_servers_;     // it names classes of the master, the region server or the log
  const bool on_log_;         // it names classes of the log
  Host host_;
  MasterHooks master_hooks_{&host_};
  StoreHooks store_hooks_{&host_, [this](const TableDescriptor& table) { return Has(table); }};
  table::EmbeddedConnection* connection_ = nullptr;
  uint64_t watch_ = 0;
  std::mutex mutex_;
  std::string abort_reason_;  // guarded by mutex_
};

}  // namespace klip::coprocessor
