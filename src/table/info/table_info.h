// What table/ derives from a table's descriptor and keeps until the table changes: its row-key schema, durability,
// whether it is writable.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "klip/mutation.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "table/info/hooks.h"
#include "table/info/table_index.h"

namespace klip::engine {
class Store;
}  // namespace klip::engine

namespace klip::table {

struct Settings;
class TableHeat;

// An index of another table whose entries a table shows.
struct ShownIndex {
  std::shared_ptr<const TableInfo> table;
  const TableIndex* index = nullptr;  // of that table; null: the table shows its own rows
};

// A table at one moment. Immutable.
struct TableInfo {
  engine::TablePtr view;
  std::string schema_text;
  std::optional<RowKeySchema> schema;
  bool enforce_schema = false;
  bool read_only = false;
  Status not_writable;  // an error: why not: its Java coprocessors do not run, or it shows the entries of an index
  Durability durability = Durability::kSyncWal;
  std::optional<int64_t> max_cell_bytes;  // the table's hbase.server.keyvalue.maxsize, else the connection's; 0: none

  HookChainPtr hooks;                           // null: none
  std::shared_ptr<const TableIndexes> indexes;  // null: none
  ShownIndex shown;                             // read-only, see read/shown_entries.h
  std::shared_ptr<TableHeat> heat;              // kept when the table changes

  const std::string& name() const { return view->descriptor.name; }
  // Errors: kTableNotEnabled.
  Status CheckEnabled() const;
  // Errors: kDoNotRetry for an index of a table with hooks, which do not see reads of its entries.
  Status CheckReadable() const;
  // Errors: also kDoNotRetry for a READONLY table, and `not_writable`.
  Status CheckWritable() const;
  Durability Resolve(Durability asked) const { return asked == Durability::kUseDefault ? durability : asked; }
};
using InfoPtr = std::shared_ptr<const TableInfo>;

// The TableInfo of one name. Recomputed after the table has changed, and removed when the table is dropped. Thread-safe.
class TableSlot {
 public:
  // All pointers outlive the slot.
  TableSlot(const engine::Store* store, const Settings* settings, std::string name)
      : store_(store), settings_(settings), name_(std::move(name)) {}
  // The slot of an index of `table`, as a table.
  TableSlot(const engine::Store* store, const Settings* settings, std::shared_ptr<TableSlot> table, std::string index);

  const std::string& name() const { return name_; }
  bool shows_index() const { return indexed_ != nullptr; }
  // Errors: kTableNotFound; kInvalidArgument if the table's row-key schema cannot be read.
  Expected<InfoPtr> Current();

 private:
  Expected<InfoPtr> Make(const TableInfo* before) const;
  bool IsCurrent() const;

  const engine::Store* const store_;
  const Settings* const settings_;
  const std::string name_;
  const std::shared_ptr<TableSlot> indexed_;  // null: a table of its own
  const std::string index_;
  std::mutex mutex_;
  InfoPtr info_;          // guarded by mutex_
  uint64_t version_ = 0;  // of the store when info_ was read; guarded by mutex_
};
using SlotPtr = std::shared_ptr<TableSlot>;

// Parses the schema of the view, or reuses that of `before` if the text is the same.
Expected<InfoPtr> MakeTableInfo(engine::TablePtr view, const TableInfo* before, const Settings& settings);

// The entries of an index as a table, "TABLE.klip_index.INDEX". Its view is that of the stored entries, with the descriptor
// that users see. Null: the table has no such index.
InfoPtr ShowIndex(InfoPtr table, std::string_view index, const TableInfo* before, const Settings& settings);
inline constexpr const char* kShownFamily = "e";  // has one empty cell in each row, as on a cluster
// The error of changing that table. kDoNotRetry.
Status NotWritable(std::string_view table, std::string_view index);

// The leading fixed-width or delimited parts of a schema text, in the form that the engine's statistics need.
Expected<std::vector<engine::KeyPart>> ParseKeyParts(std::string_view schema_text);
// Empty if this build cannot read the declaration.
std::vector<engine::KeyPart> IndexKeyParts(const TableDescriptor& table, std::string_view index);

}  // namespace klip::table
