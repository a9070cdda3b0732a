// Chooses indexes for the lab to try, on the columns in the conditions of queries.
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

// Returns an index per form of query, on its columns: those with few values first, then ranges. Also one index per single
// column. Names differ from those of `present`.
//
// Example: queries "city=bonn age>30" and "city=ulm" give the candidates by_city_age, by_city and by_age.
std::vector<IndexDescriptor> IndexesFor(const std::vector<LabQuery>& queries,
                                        const std::vector<IndexDescriptor>& present);

// An index of a table with a certain layout of keys.
struct LabIndex {
  rowkey::IndexDefinition definition;
  KeyLayout entries;
  rowkey::AccessPath path;   // its schema is that of `entries`: do not move the index
  double bytes_per_row = 0;  // of the entries' keys, per row of the table
};

// Errors: kInvalidArgument: the index does not match the sample, or its columns followed by the row key do not form a
// schema.
Expected<std::unique_ptr<const LabIndex>> LayOutIndex(const IndexDescriptor& index, const Sample& sample,
                                                      const KeyLayout& rows);

}  // namespace klip::advise
