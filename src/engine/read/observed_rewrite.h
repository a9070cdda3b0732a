// ObservedRewrite: compacts some rows of a family, and lets an observer decide which cells remain.
//
//   while (rewrite.Next(&row)) ...        the cells as a compaction would write them, as of one moment
//   rewrite.Keep(cell) ...                the cells to store instead, in order, close behind the row read last
//   rewrite.Finish()                      removes all cells that were not kept
//
// Cells that were written since that moment stay unchanged, as in HBase, whose files do not contain them yet. If the
// rewrite would change or remove such a cell, the whole row stays until the next rewrite. So rewrites may overlap, and
// none counts the cells of a row that another one has combined.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "engine/view/table_view.h"
#include "klip/table.h"
#include "model/compaction_matcher.h"

namespace rocksdb {
class Iterator;
class Snapshot;
}  // namespace rocksdb

namespace klip::engine {

class ObservedRewrite {
 public:
  // `only_memory`: only what a flush would write, else all cells. The store, the views and what they point to must
  // outlive the rewrite. REQUIRES: the family has no NEW_VERSION_BEHAVIOR, and the table no indexes.
  struct Rows {
    const TableView* table;
    const Family* family;
    std::string_view start;
    std::string_view end;  // "": to the end
    bool only_memory = false;
  };
  ObservedRewrite(Store* store, const Rows& rows, const model::FamilyPolicy& policy);
  ~ObservedRewrite();
  ObservedRewrite(const ObservedRewrite&) = delete;
  ObservedRewrite& operator=(const ObservedRewrite&) = delete;

  // The next row that still has cells under the policy. Errors: kIoError, kCorruption.
  Expected<bool> Next(Result* row);
  // Errors: kDoNotRetry, the cell is out of order or outside the rows; kIoError, an index was added to the table; those
  // of Store::Write.
  Status Keep(const Cell& cell);
  Status Finish();

 private:
  // The change of one key; no value means that the store has none, before or after.
  struct Change {
    std::string key;
    std::string row;
    std::optional<std::string> before;
    std::optional<Result> after;
  };

  std::unique_ptr<rocksdb::Iterator> Open() const;
  Status RemoveUpTo(std::string_view key);
  Status Add(Change change);
  Status Apply();

  Store* const store_;
  const Rows rows_;
  const std::string lower_;
  const std::string upper_;  // "": none
  const rocksdb::Snapshot* const snapshot_;
  model::CompactionMatcher matcher_;
  std::unique_ptr<rocksdb::Iterator> input_;
  std::unique_ptr<rocksdb::Iterator> at_;  // the first cell that was neither kept nor removed
  std::string last_key_;
  std::vector<Change> changes_;
};

}  // namespace klip::engine
