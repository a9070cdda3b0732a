// Store file trackers: how HBase knows the files of a family. RocksDB keeps track of its own, so here they are only settings of
// tables and families. They change as in HBase all the same: a table that is copied to a cluster has to be one that it takes.
#pragma once

#include <string_view>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::table {

// Errors: kDoNotRetry, a family with a tracker that none can begin with.
Status CheckTrackersOfNewTable(const TableDescriptor& table);

// Another tracker is reached by way of MIGRATION, from the one that there is to the one that is wanted. Errors: kDoNotRetry;
// kTableNotEnabled, a migration that ends while no region is open to do it.
Status CheckChangeOfTrackers(const TableDescriptor& before, const TableDescriptor& after, bool enabled);

// The whole way at once, of a table or, where `family` is not null, of one of its families. True: *table was changed. Errors:
// kDoNotRetry, nothing that can be changed to.
Expected<bool> SetTracker(std::string_view tracker, TableDescriptor* table, FamilyDescriptor* family);

}  // namespace klip::table
