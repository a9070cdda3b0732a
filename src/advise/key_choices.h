// The keys that the lab tries. None merges two rows, fails to hold a value of the sample, or loses an order that a query
// has now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/lab_query.h"
#include "advise/sample.h"
#include "klip/row_key.h"

namespace klip::advise {

struct KeyChoice {
  RowKeySchema schema;
  std::string what;  // "day, user"
};

// The fields in other orders: all orders if there are few fields, else those that start with the fields in queries'
// conditions.
std::vector<KeyChoice> OrdersOf(const Sample& sample, const std::vector<LabQuery>& queries);

// The same order, with numbers and short texts in fewer bytes, and preceded by salts and hashes.
std::vector<KeyChoice> VariantsOf(const KeyChoice& choice, const Sample& sample, const std::vector<LabQuery>& queries);

// The field in fewer bytes, such that every value of the sample fits, and no query needs a feature of the present bytes.
std::optional<KeyField> CompactField(const KeyField& field, const FieldValues& values,
                                     const std::vector<LabQuery>& queries);

}  // namespace klip::advise
