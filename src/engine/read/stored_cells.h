// The stored cells of some columns of a row: all versions and markers, visible or not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/read/read_view.h"
#include "engine/store/store.h"
#include "engine/view/table_view.h"
#include "klip/status.h"
#include "model/shown_versions.h"

namespace klip::engine {

// Appends the cells of these columns, and the family's markers, in order. REQUIRES: `qualifiers` are sorted and
// distinct; a caller that writes based on the cells holds the row's lock. Errors: kIoError, kCorruption.
Status ReadStored(const Store& store, const Family& family, std::string_view row,
                  std::span<const std::string> qualifiers, std::vector<model::StoredCell>* cells,
                  const ReadView* view = nullptr);

// Removes all cells of a row from the store, without a marker. REQUIRES: the row stays locked until they are written.
// Errors: kIoError, kCorruption.
Status RemoveRow(const Store& store, const Family& family, std::string_view row, WriteSet* writes);

}  // namespace klip::engine
