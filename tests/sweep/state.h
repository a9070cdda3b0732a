// The contents of a store as lines of text, to compare two stores.
#pragma once

#include <string>
#include <vector>

#include "klip/connection.h"

namespace klip::sweep {

// The table of writes that check whether a store still works after a fault. It is not in the lines.
inline constexpr const char* kProbeTable = "probe";

using State = std::vector<std::string>;  // sorted

// Namespaces, tables, families, regions, rows with all their versions (without timestamps, which a clock has given), indexes, names of
// snapshots. Rows of tables that are disabled are left out.
Expected<State> ReadState(Connection& connection);

// The same after enabling every table, completing and verifying every index, and with the rows of each snapshot: changes the store.
Expected<State> ReadAll(Connection& connection);

// Lines that only one of the two has, "-" before those of `wanted` and "+" before those of `found`; empty when they are equal.
std::string Difference(const State& wanted, const State& found);

// Whether each line of `found` is in one of the two, and each line that both have is in `found`: some of a change's parts are made.
bool IsBetween(const State& before, const State& after, const State& found);

}  // namespace klip::sweep
