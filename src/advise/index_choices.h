// Indexes that the lab tries, on the columns that queries have conditions on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "advise/key_layout.h"
#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/index.h"
#include "klip/status.h"
#include "rowkey/index_definition.h"

namespace klip::advise {

// For each form of query an index of its columns: those with a few values first, then ranges. And one of each column by itself. Their
// names differ from those of `present`.
std::vector<IndexDescriptor> IndexesFor(const std::vector<LabQuery>& queries,
                                        const std::vector<IndexDescriptor>& present);

// An index of a table that is laid out in some way.
struct LabIndex {
  rowkey::IndexDefinition definition;
  KeyLayout entries;
  rowkey::AccessPath path;   // its schema is that of `entries`: do not move the index
  double bytes_per_row = 0;  // of keys of entries, for each row of the table
};

// Errors: kInvalidArgument: it does not fit the sample, or keys with its columns before them are no schema.
Expected<std::unique_ptr<const LabIndex>> LayOutIndex(const IndexDescriptor& index, const Sample& sample,
                                                      const KeyLayout& rows);

}  // namespace klip::advise
