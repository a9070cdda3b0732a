// Regions: key ranges in the catalog. Splitting and merging them moves no data: it is one write of the catalog.
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

// Thread-safe. Texts and checks are HBase's.
class Regions {
 public:
  // All outlive it.
  Regions(const Database* database, CatalogFile* catalog, Storage* storage, Writer* writer)
      : database_(database), catalog_(catalog), storage_(storage), writer_(writer) {}

  std::vector<RegionInfo> List(const TableView& table) const;
  RegionInfo InfoOf(const TableView& table, const Region& region) const;
  // At that key; an empty one: every region at its middle.
  Status SplitRegion(std::string_view table, std::string_view split_key);
  Status MergeRegions(std::span<const std::string> regions, bool forcible);
  // Deletes all rows of the region that begins at `start_key`. `before`: called first, when nobody writes to the table any more; for
  // what has to go with the rows. Errors: kInvalidArgument when there is none, those of `before`.
  Status TruncateRegion(std::string_view table, std::string_view start_key,
                        const std::function<Status(const Region&)>& before = nullptr);

  Expected<int> RunSplitPolicies();
  // From here on a thread does that after each flush. Stopping it stops the database's events too.
  void StartSplitter();
  void StopSplitter();
  // What HBase's catalog janitor does: views tell no longer which regions those of now have replaced. Returns of how
  // many splits and merges that was.
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
