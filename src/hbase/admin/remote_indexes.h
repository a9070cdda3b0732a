// IndexAdmin on a cluster: of indexes that klip's clients keep (table/client_indexes.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/table/client_indexes.h"
#include "klip/admin.h"
#include "klip/index.h"

namespace klip::client {

class RemoteIndexAdmin final : public IndexAdmin {
 public:
  // All outlive it.
  RemoteIndexAdmin(Cluster* cluster, Admin* tables, ClientIndexes* indexes)
      : cluster_(cluster), tables_(tables), indexes_(indexes) {}

  Status CreateIndex(std::string_view table, const IndexDescriptor& index, const IndexProgress& progress) override;
  Status RebuildIndex(std::string_view table, std::string_view index, const IndexProgress& progress) override;
  Status SetUsable(std::string_view table, std::string_view index, bool usable) override;
  Status DropIndex(std::string_view table, std::string_view index) override;
  bool kept_by_clients() const override { return true; }
  Expected<std::vector<IndexInfo>> ListIndexes(std::string_view table) override;
  Expected<IndexCheck> VerifyIndex(std::string_view table, std::string_view index, bool repair,
                                   const IndexProgress& progress) override;

  // The tables of the indexes of a table that was dropped.
  Status DropAll(std::string_view table);

 private:
  // Creates the table of the entries with the declaration, or finds those of an index that is not built.
  Status Declare(const std::string& table, const IndexDescriptor& index);
  Status Build(const std::string& table, const ClientIndex& index, const IndexProgress& progress);
  Expected<ClientIndex> Find(const std::string& table, std::string_view index);
  Status PutState(const ClientIndex& index, std::string_view column, std::string_view value);
  Status DropTable(const std::string& name);

  Cluster* const cluster_;
  Admin* const tables_;
  ClientIndexes* const indexes_;
};

}  // namespace klip::client
