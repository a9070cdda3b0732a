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

#include "engine/store/views.h"
#include "klip/mutation.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "table/info/hooks.h"
#include "table/info/table_index.h"

namespace klip::table {

struct Settings;
class TableHeat;

// A table at one moment. Immutable.
struct TableInfo {
  engine::TablePtr view;
  std::string schema_text;
  std::optional<RowKeySchema> schema;
  bool enforce_schema = false;
  bool read_only = false;
  Status unhosted;  // an error: its Java coprocessors do not run, so it is not writable
  Durability durability = Durability::kSyncWal;
  std::optional<int64_t> max_cell_bytes;  // the table's hbase.server.keyvalue.maxsize, else the connection's; 0: none

  HookChainPtr hooks;                           // null: none
  std::shared_ptr<const TableIndexes> indexes;  // null: none
  std::shared_ptr<TableHeat> heat;              // kept when the table changes

  const std::string& name() const { return view->descriptor.name; }
  // Errors: kTableNotEnabled.
  Status CheckEnabled() const;
  // Errors: also kDoNotRetry for a READONLY table, and for one whose Java coprocessors do not run.
  Status CheckWritable() const;
  Durability Resolve(Durability asked) const { return asked == Durability::kUseDefault ? durability : asked; }
};
using InfoPtr = std::shared_ptr<const TableInfo>;

// The TableInfo of one name. Recomputed after the table has changed, and removed when the table is dropped. Thread-safe.
class TableSlot {
 public:
  // Both outlive the slot.
  TableSlot(const engine::Views* views, const Settings* settings, std::string name)
      : views_(views), settings_(settings), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // Errors: kTableNotFound; kInvalidArgument if the table's row-key schema cannot be read.
  Expected<InfoPtr> Current();

 private:
  const engine::Views* const views_;
  const Settings* const settings_;
  const std::string name_;
  std::mutex mutex_;
  InfoPtr info_;          // guarded by mutex_
  uint64_t version_ = 0;  // of the store when info_ was read; guarded by mutex_
};
using SlotPtr = std::shared_ptr<TableSlot>;

// Parses the schema of the view, or reuses that of `before` if the text is the same.
Expected<InfoPtr> MakeTableInfo(engine::TablePtr view, const TableInfo* before, const Settings& settings);

// The leading fixed-width or delimited parts of a schema text, in the form that the engine's statistics need.
Expected<std::vector<engine::KeyPart>> ParseKeyParts(std::string_view schema_text);
// Empty if this build cannot read the declaration.
std::vector<engine::KeyPart> IndexKeyParts(const TableDescriptor& table, std::string_view index);

}  // namespace klip::table
