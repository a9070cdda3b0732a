// ObservedRewrite: a compaction of some rows of a family of which somebody else says what is left.
//
//   while (rewrite.Next(&row)) ...        the cells as a compaction would write them, as of one moment
//   rewrite.Keep(cell) ...                what is to be there in their place, in order, not far behind what was read
//   rewrite.Finish()                      all that was not kept is gone
//
// Cells that were written since that moment stay as they are, as they would in HBase, where they are not in the files. If the rewrite
// would change or remove such a cell, the whole row stays until the next one. So rewrites may overlap, and none counts cells of a row
// that another one has put together.
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
  // `only_memory`: what a flush would write, else all cells. All outlive it, and so does what the views point to. REQUIRES: the
  // family has no NEW_VERSION_BEHAVIOR, and the table no indexes.
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

  // The next row of which the policy leaves something. Errors: kIoError, kCorruption.
  Expected<bool> Next(Result* row);
  // Errors: kDoNotRetry, a cell out of order or outside of the rows; kIoError, the table has got an index; those of Store::Write.
  Status Keep(const Cell& cell);
  Status Finish();

 private:
  // Of one key; without a value in the store before or after, that is.
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
  std::unique_ptr<rocksdb::Iterator> at_;  // the first cell that is neither kept nor gone
  std::string last_key_;
  std::vector<Change> changes_;
};

}  // namespace klip::engine
