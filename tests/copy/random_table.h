// Random tables with everything that a copy must preserve, and the contents of a table as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "klip/connection.h"
#include "ops/random.h"

namespace klip::ops {

// Families "f" (all versions), "g" (three, a TTL) and, if `new_versions`, "n" with NEW_VERSION_BEHAVIOR; regions "c" and "m".
TableDescriptor CopiedDescriptor(std::string name, bool new_versions);

// Rows, versions, deletes of all kinds, cell TTLs, empty qualifiers and values, bytes 00 and FF, rows of 32,767 bytes.
void WriteRandomRows(Table* table, uint64_t seed, int writes, bool new_versions);

// A line per cell. `raw`: delete markers and hidden cells too; else what readers see, all versions.
std::vector<std::string> Cells(Table* table, bool raw, bool with_tags = false);

std::unique_ptr<Connection> OpenOrDie(const std::string& uri);
std::unique_ptr<Table> TableOf(Connection* connection, const std::string& name);

}  // namespace klip::ops
