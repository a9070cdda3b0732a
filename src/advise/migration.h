// The commands that create a table with other keys and move the rows into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "klip/advise.h"

namespace klip::advise {

// klip create, with the families of `like`, and a region for each bucket of a leading salt.
std::string CreateCommand(std::string_view uri, std::string_view table, const KeyDesign& design,
                          const TableDescriptor& like);

// The indexes of the table that serve reads.
std::vector<IndexDescriptor> IndexesOf(const TableDescriptor& table);

// klip index create, for those of the design.
std::vector<std::string> IndexCommands(std::string_view uri, std::string_view table,
                                       const std::vector<IndexDescriptor>& indexes);

// klip create, klip copy, and klip index create for the indexes of `like` and of the design.
std::vector<std::string> MigrationOf(std::string_view uri, std::string_view table, std::string_view target,
                                     const KeyDesign& design, const TableDescriptor& like);

}  // namespace klip::advise
