// Families: opens, creates, imports and drops the column families of tables. A family is created before the catalog names
// it, and dropped after the catalog has forgotten it. So a crash in between leaves only orphans, which the next open
// drops.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/metadata.h"

#include "engine/store/catalog_file.h"
#include "engine/store/database.h"
#include "engine/store/sequence.h"
#include "engine/store/storage.h"
#include "engine/store/writer.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace klip::engine {

// Thread-safe. It takes ids from the catalog, and does not change it otherwise.
class Families {
 public:
  // All outlive it; `sequence` outlives all families.
  Families(std::shared_ptr<Database> database, Writer* writer, Sequence* sequence, Storage* storage)
      : database_(std::move(database)), writer_(writer), sequence_(sequence), storage_(storage) {}

  // Opens the database with the families of the catalog, and publishes their tables. REQUIRES: Database::Lock.
  // `keep_logs`: as in Database::Open. Errors: kCorruption: catalog and database do not match; those of Database::Open.
  Status Open(const LockedCatalog& catalog, bool keep_logs);

  // Without parts of rows if the table has no schema.
  Expected<TableKeyParts> KeyPartsOf(const TableDescriptor& descriptor) const;
  Expected<std::vector<Family>> Create(const LockedCatalog& catalog, const std::vector<FamilyDescriptor>& families,
                                       const TableKeyParts& parts);
  // Creates a family from the files of `meta`, which are moved in. `doing` is for error texts.
  Expected<Family> Import(const LockedCatalog& catalog, const FamilyDescriptor& descriptor, const TableKeyParts& parts,
                          const rocksdb::ExportImportFilesMetaData& meta, std::string_view doing);
  // Best effort: the next open drops what is left after an error. A read-only store drops nothing: the CATALOG on disk
  // may name these families.
  void Drop(const std::vector<Family>& families);
  // Gives the table these families, whether it existed before or not. On an error they are dropped.
  Status PutTable(const LockedCatalog& catalog, TableDescriptor descriptor, bool enabled, std::vector<Region> regions,
                  const std::vector<Family>& families);
  // Changes an open family from one descriptor to another.
  rocksdb::Status Alter(Family* family, const FamilyDescriptor& after, const TableKeyParts& parts);

 private:
  std::shared_ptr<FamilyState> NewState(const FamilyDescriptor& family, const TableKeyParts& parts);
  Family Own(const FamilyDescriptor& descriptor, uint32_t id, rocksdb::ColumnFamilyHandle* handle,
             std::shared_ptr<FamilyState> state) const;
  Status ForgetLostRebuilds(const LockedCatalog& catalog, const std::vector<std::string>& names) const;
  Expected<std::map<uint32_t, Family>> FamiliesOf(const Catalog& catalog);  // without handles
  Status DropOrphans(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);

  const std::shared_ptr<Database> database_;
  Writer* const writer_;
  Sequence* const sequence_;
  Storage* const storage_;
};

}  // namespace klip::engine
