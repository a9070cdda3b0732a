// Connection on a store of this process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/store/store.h"
#include "klip/connection.h"
#include "table/info/shared.h"

namespace klip::table {

class EmbeddedAdmin;
struct Numbered;

class EmbeddedConnection final : public Connection {
 public:
  EmbeddedConnection(std::unique_ptr<engine::Store> store, Settings settings);
  ~EmbeddedConnection() override;

  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) override;
  Admin& admin() override;
  Expected<bool> Apply(const AtomicBatch& batch) override;
  Expected<std::unique_ptr<BulkLoader>> NewBulkLoader(std::string_view table) override;

  // The same for a client that may send it twice.
  Expected<bool> Apply(const AtomicBatch& batch, const Numbered& number);
  // For the server, which shows regions.
  Shared& shared() { return shared_; }
  // What Admin tells of this process. Before the first call.
  void Serve(ServerName server, std::string cluster_id);

 private:
  Shared shared_;
  std::unique_ptr<EmbeddedAdmin> admin_;
};

// "klip:<directory>". `hooks`: which hooks the tables have; null: none.
Expected<std::unique_ptr<Connection>> OpenEmbedded(std::string_view directory, const ConnectionOptions& options,
                                                   HookSource hooks = nullptr);

}  // namespace klip::table
