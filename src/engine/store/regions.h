// Regions: key ranges in the catalog. A split or a merge moves no data: it only writes the catalog.
//
// Example: splitting [a,z) at m replaces the region in the catalog by [a,m) and [m,z). All rows stay where they are in the
// families' files. Merging both creates [a,z) again, as a new region with a new name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

struct Catalog;
class CatalogFile;
struct Database;
class LockedCatalog;
class Storage;
class Writer;

// Thread-safe. Uses HBase's checks and error texts.
class Regions {
 public:
  // All outlive it.
  Regions(const Database* database, CatalogFile* catalog, Storage* storage, Writer* writer)
      : database_(database), catalog_(catalog), storage_(storage), writer_(writer) {}

  std::vector<RegionInfo> List(const TableView& table) const;
  RegionInfo InfoOf(const TableView& table, const Region& region) const;
  // Splits at that key; empty: splits every region at its middle.
  Status SplitRegion(std::string_view table, std::string_view split_key);
  Status MergeRegions(std::span<const std::string> regions, bool forcible);
  // Deletes all rows of the region that starts at `start_key`. Calls `before` first, once writes to the table are
  // blocked, to remove what belongs to the rows. Errors: kInvalidArgument if no region starts there, those of `before`.
  Status TruncateRegion(std::string_view table, std::string_view start_key,
                        const std::function<Status(const Region&)>& before = nullptr);

  Expected<int> RunSplitPolicies();
  // Starts a thread that does this after each flush. Stopping it also stops the database's events.
  void StartSplitter();
  void StopSplitter();
  // Does the work of HBase's catalog janitor: views no longer list the regions that the current ones have replaced.
  // Returns the number of splits and merges forgotten.
  Expected<int> ForgetRegionChanges();
  bool SetSplitEnabled(bool enabled);  // returns the previous setting
  bool SetMergeEnabled(bool enabled);
  bool IsSplitEnabled() const;
  bool IsMergeEnabled() const;

 private:
  Status SplitAt(const LockedCatalog& catalog, const TableView& view, std::string_view split_key);
  Expected<int> SplitByPolicy(const std::string& table);
  bool SetSwitch(bool Catalog::* which, bool enabled);

  const Database* const database_;
  CatalogFile* const catalog_;
  Storage* const storage_;
  Writer* const writer_;
  std::thread splitter_;
};

}  // namespace klip::engine
