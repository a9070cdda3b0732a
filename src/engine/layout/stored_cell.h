// A stored key and its value as a model::StoredCell.
#pragma once

#include <string_view>
#include <vector>

#include "klip/status.h"
#include "model/shown_versions.h"

namespace klip::engine {

// Errors: kCorruption.
Status AppendStoredCell(std::string_view key, std::string_view value, std::vector<model::StoredCell>* cells);

}  // namespace klip::engine
