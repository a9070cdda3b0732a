// LogHooks: the configuration's WALObservers (hbase.coprocessor.wal.classes), as hooks of the writes of every table.
//
// HBase calls preWALWrite and postWALWrite for each entry of its log, which has the cells of one write in one region. klip
// calls them with the same cells, before and after the commit. An exception of preWALWrite fails the write. Changes of the
// WALEdit have no effect: klip's log is RocksDB's, and its entry is also what reads see.
#pragma once

#include <cstddef>
#include <vector>

#include "coprocessor/host.h"
#include "engine/view/table_view.h"
#include "rpc/buffer.h"
#include "table/info/hooks.h"

namespace klip::coprocessor {

// The cells of a commit in one region, in the format of frames.
struct RegionEdit {
  const engine::Region* region = nullptr;  // of the operation's view of the table
  size_t cells = 0;
  rpc::Buffer block;
};

// In the order of the regions. REQUIRES: the operation is in BeforeCommit or Written.
std::vector<RegionEdit> EditsOf(const table::WriteContext& write);

class LogHooks final : public table::OperationHooks {
 public:
  explicit LogHooks(Host* host) : host_(host) {}  // outlives the hooks

  Status BeforeCommit(table::WriteContext& write) override;
  Status Written(table::WriteContext& write) override;

 private:
  Status Call(table::WriteContext& write, std::string_view hook);

  Host* const host_;
};

}  // namespace klip::coprocessor
