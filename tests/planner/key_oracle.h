// The brute-force counterpart of key queries and row filters: decodes each row and tests every condition. Shares only the
// public structs with rowkey/ and filter/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/filter.h"
#include "klip/row_key.h"
#include "ops/random.h"

namespace klip::ops {

// The bytes of each field of the row, complement taken off; nothing when the row does not fit the schema.
std::optional<std::vector<std::string>> SliceFields(const std::vector<KeyField>& fields, std::string_view row);

// True when the row fits one of the boxes.
bool RowFitsQuery(const std::vector<KeyField>& fields, const KeyQuery& query, std::string_view row);

// --- Random schemas, values and queries ---

std::string RandomSchema(Random* random);
// A value that the field can hold, from a small alphabet.
std::string RandomValue(const KeyField& field, Random* random);
KeyQuery RandomQuery(const std::vector<KeyField>& fields, Random* random);

// A filter and the test of a row that says the same.
struct FilterTwin {
  FilterPtr filter;
  std::function<bool(std::string_view)> test;
};
// Of row-key filters and lists of them. `rows` are rows of the table: constants are taken from them, so that filters hit.
FilterTwin RandomRowFilter(const std::vector<std::string>& rows, int depth, Random* random);

}  // namespace klip::ops
