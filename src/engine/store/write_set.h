// WriteSet: cells to be written atomically, encoded as they are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

  // `timestamp_ms` must be resolved (no kLatestTimestamp, except in deletes written raw, as HBase allows).
  void Add(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms, CellType type,
           std::string_view value, std::string_view tags = {});
  // The same for a put that an older marker masks. Only for a family without NEW_VERSION_BEHAVIOR, where the order of
  // writes does not matter otherwise.
  void AddBeneath(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                  std::string_view value, std::string_view tags);
  // Removes a cell from the store, without a marker: for entries of indexes, which have one version.
  void Remove(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms);
  // The same for the stored key of a cell.
  void RemoveKey(const Family& family, std::string_view key);
  // Calls `take` for each added cell of the family, in that order. The cell is valid during the call, and has no family.
  void ForEachCell(const Family& family, const std::function<void(const Cell& cell, uint64_t sequence)>& take) const;
  // The same for several families, in the order in which the cells were added. The cells have their families.
  void ForEachCell(std::span<const Family> families,
                   const std::function<void(const Cell& cell, uint64_t sequence)>& take) const;
  // Logged with the cells, see Store::RecoveredNonces. A nonce of 0 is ignored.
  void AddNonce(const Nonce& nonce, int64_t now_ms);
  // Marks the cells between Begin and End in the log as replicated from these clusters.
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
