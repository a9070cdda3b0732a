// Table on a cluster. One .cc per kind of call: reads.cc, mutate.cc, multi.cc, prepend.cc, endpoints.cc,
// plan.cc, statistics.cc.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "hbase/table/client_indexes.h"
#include "hbase/table/scanner.h"
#include "klip/table.h"
#include "rowkey/query_names.h"

namespace klip::client {

class RemoteTable final : public Table {
 public:
  // Both outlive it.
  RemoteTable(Cluster* cluster, ClientIndexes* indexes, std::string name)
      : cluster_(cluster), indexes_(indexes), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }

  Expected<Result> Get(const klip::Get& get) override;
  Expected<std::vector<Result>> Get(std::span<const klip::Get> gets) override;
  Expected<bool> Exists(const klip::Get& get) override;
  Expected<std::unique_ptr<ResultScanner>> Scan(const klip::Scan& scan) override;
  Expected<KeyQuery> ParseQuery(std::string_view text) const override;
  Expected<klip::Explain> Explain(const klip::Scan& scan) override;
  Expected<Result> FirstRow() override;
  Expected<Result> LastRow() override;
  Expected<std::vector<KeyCount>> DistinctKeys(int fields, bool count_rows) override;

  Status Put(const klip::Put& put) override;
  Status Delete(const klip::Delete& del) override;
  Expected<Result> Increment(const klip::Increment& increment) override;
  Expected<Result> Append(const klip::Append& append) override;
  Expected<Result> Mutate(const RowMutations& mutations) override;
  Expected<CheckAndMutateResult> CheckAndMutate(const klip::CheckAndMutate& check) override;
  std::vector<Expected<Result>> Batch(std::span<const Action> actions) override;
  Status Put(std::span<const klip::Put> puts) override;
  Expected<uint64_t> Prepend(const klip::Prepend& prepend) override;

  Expected<std::vector<EndpointAnswer>> CallEndpoint(const EndpointRequest& call) override;

  std::optional<RowKeySchema> row_key_schema() const override;
  Expected<TableStatistics> Statistics() override { return Sample(); }

 private:
  // Sends one mutation, with an optional condition. `processed`: whether the condition held.
  template <typename One>
  Status MutateOne(const One& mutation, const RowCondition* condition, bool* processed, Result* result);
  // RunMulti, with the entries of indexes first.
  void RunIndexed(std::span<MultiItem> items);
  // An increment or append, which returns the new values.
  template <typename One>
  Expected<Result> Count(const One& mutation);
  // The keys and columns described in the table's descriptor, read by the first call. Errors: those of the master.
  Expected<std::shared_ptr<const rowkey::QueryNames>> Names() const;
  Expected<std::optional<RowKeySchema>> Schema() const;
  // `explain`: make a plan even if it would not be needed.
  Expected<ScanWork> Prepare(const klip::Scan& asked, bool explain) const;
  Expected<Result> EdgeRow(bool last);
  // Estimated statistics.
  Expected<TableStatistics> Sample() const;
  // The same, up to a minute old.
  std::optional<TableStatistics> SampledStatistics() const;
  Expected<int64_t> SampleRun(const std::string& start, const std::string& end,
                              const std::function<void(const Result&)>& add) const;
  std::string MiddleOf(const RegionInfo& region) const;

  Cluster* const cluster_;
  ClientIndexes* const indexes_;
  const std::string name_;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const rowkey::QueryNames> names_;  // guarded by mutex_; null: not read yet
};

}  // namespace klip::client
