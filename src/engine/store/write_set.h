// WriteSet: cells to be written as one atomic step, encoded as they are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "engine/log/cluster_id.h"
#include "engine/log/nonce.h"
#include "engine/view/table_view.h"
#include "klip/cell.h"

namespace rocksdb {
class WriteBatch;
}

namespace klip::engine {

class WriteSet {
 public:
  WriteSet();
  ~WriteSet();
  WriteSet(WriteSet&&) noexcept;
  WriteSet& operator=(WriteSet&&) noexcept;

  // `timestamp_ms` must be resolved (no kLatestTimestamp, except as HBase allows for deletes written raw).
  void Add(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms, CellType type,
           std::string_view value, std::string_view tags = {});
  // The same, of a put that a marker masks which was there before it. Only in a family without NEW_VERSION_BEHAVIOR, where the order
  // of writing does not count otherwise.
  void AddBeneath(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                  std::string_view value, std::string_view tags);
  // Takes a cell away from the store, without a marker: for entries of indexes, which have one version.
  void Remove(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms);
  // The same with a cell's key as it is stored.
  void RemoveKey(const Family& family, std::string_view key);
  // Calls `take` for each cell of the family that was added, in that order. It is valid during the call, and without its family.
  void ForEachCell(const Family& family, const std::function<void(const Cell& cell, uint64_t sequence)>& take) const;
  // Goes into the log with the cells, see Store::RecoveredNonces. One that is none (0) does nothing.
  void AddNonce(const Nonce& nonce, int64_t now_ms);
  // Says in the log that the cells added between Begin and End came by replication, from these clusters.
  void BeginReplicated(const ClusterIds& clusters);
  void EndReplicated();
  bool empty() const;
  size_t size_bytes() const;
  std::string_view data() const;  // for BatchReader, until the next change
  void Clear();

 private:
  friend class Store;
  struct Rep;
  void AddHead(const Family& family, std::string_view value);
  rocksdb::WriteBatch* batch();
  bool several_families() const;

  std::unique_ptr<Rep> rep_;
};

}  // namespace klip::engine
