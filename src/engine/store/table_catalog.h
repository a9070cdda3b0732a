// TableCatalog: creates, changes and drops namespaces and tables.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

class CatalogFile;
struct Database;
class Families;

// Thread-safe. Behaviour and error texts as in klip/admin.h.
class TableCatalog {
 public:
  // All outlive it.
  TableCatalog(const Database* database, CatalogFile* catalog, Families* families)
      : database_(database), catalog_(catalog), families_(families) {}

  Status CreateNamespace(const NamespaceDescriptor& descriptor);
  Status ModifyNamespace(const NamespaceDescriptor& descriptor);
  Status DeleteNamespace(std::string_view name);
  Expected<NamespaceDescriptor> GetNamespace(std::string_view name) const;
  std::vector<NamespaceDescriptor> ListNamespaces() const;

  Status CreateTable(TableDescriptor descriptor, std::vector<std::string> split_keys);
  Status DeleteTable(std::string_view table);
  Status TruncateTable(std::string_view table, bool preserve_splits);
  Status SetEnabled(std::string_view table, bool enabled);
  // Changes the table to match `descriptor`: families that it does not contain are dropped.
  Status ModifyTable(TableDescriptor descriptor);
  // Calls `edit` with the current descriptor and saves its changes; no other change of the catalog can intervene. An
  // error of `edit` is returned, and nothing changes. REQUIRES: `edit` does not call the store.
  using TableEdit = std::function<Status(const TableView& now, TableDescriptor* descriptor)>;
  Status ModifyTable(std::string_view table, const TableEdit& edit);
  // Puts the family in which an index was built again (kRebuiltMark) in the place of its present one, and drops these attributes of the table.
  // Errors: kInvalidArgument: there is none.
  Status TakeRebuiltIndex(std::string_view table, std::string_view index,
                          const std::vector<std::string>& drop_attributes);

 private:
  Status CheckIndexes(const TableDescriptor* before, const TableDescriptor& after) const;

  const Database* const database_;
  CatalogFile* const catalog_;
  Families* const families_;
};

}  // namespace klip::engine
