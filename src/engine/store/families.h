// Families: opens, makes, imports and drops the column families of tables. They are made before the catalog names
// them and dropped after it has forgotten them, so that a crash between leaves only orphans, which the next open
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

// Thread-safe. It changes nothing of the catalog but that ids are taken from it.
class Families {
 public:
  // All outlive it, and `sequence` all families.
  Families(std::shared_ptr<Database> database, Writer* writer, Sequence* sequence, Storage* storage)
      : database_(std::move(database)), writer_(writer), sequence_(sequence), storage_(storage) {}

  // Opens the database with the families of the catalog, and publishes their tables. REQUIRES: Database::Lock.
  // `keep_logs`: as in Database::Open. Errors: kCorruption: catalog and database do not fit together; those of
  // Database::Open.
  Status Open(const LockedCatalog& catalog, bool keep_logs);

  // Of the rows none where the table has no schema.
  Expected<TableKeyParts> KeyPartsOf(const TableDescriptor& descriptor) const;
  Expected<std::vector<Family>> Create(const LockedCatalog& catalog, const std::vector<FamilyDescriptor>& families,
                                       const TableKeyParts& parts);
  // One of the files of `meta`, which are moved in. `doing` is for texts.
  Expected<Family> Import(const LockedCatalog& catalog, const FamilyDescriptor& descriptor, const TableKeyParts& parts,
                          const rocksdb::ExportImportFilesMetaData& meta, std::string_view doing);
  // Best effort: what stays behind after an error is dropped at the next open. A read-only store drops nothing: the
  // CATALOG on disk may name these families.
  void Drop(const std::vector<Family>& families);
  // Makes these families the table's, whether there was such a table before or not. After an error they are dropped.
  Status PutTable(const LockedCatalog& catalog, TableDescriptor descriptor, bool enabled, std::vector<Region> regions,
                  const std::vector<Family>& families);
  // Changes a family that is open from one descriptor to another.
  rocksdb::Status Alter(Family* family, const FamilyDescriptor& after, const TableKeyParts& parts);

 private:
  std::shared_ptr<FamilyState> NewState(const FamilyDescriptor& family, const TableKeyParts& parts);
  Family Own(const FamilyDescriptor& descriptor, uint32_t id, rocksdb::ColumnFamilyHandle* handle,
             std::shared_ptr<FamilyState> state) const;
  Expected<std::map<uint32_t, Family>> FamiliesOf(const Catalog& catalog);  // without handles
  Status DropOrphans(const std::vector<rocksdb::ColumnFamilyHandle*>& handles);

  const std::shared_ptr<Database> database_;
  Writer* const writer_;
  Sequence* const sequence_;
  Storage* const storage_;
};

}  // namespace klip::engine
