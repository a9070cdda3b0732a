// Batches from the Results of a scan.
#pragma once

#include <memory>
#include <vector>

#include "klip/table.h"

namespace klip::rowkey {

// The rows of `scanner`, with the values of these columns in its Results.
std::unique_ptr<BatchScanner> BatchesOf(std::unique_ptr<ResultScanner> scanner,
                                        const std::vector<klip::ColumnName>& columns);

}  // namespace klip::rowkey
