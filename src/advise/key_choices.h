// Which other keys the lab tries: none that makes two rows one, that cannot hold a value of the sample, or that takes an order from a
// query that it has now.
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

// The fields in other orders: all of few fields, else those that put what queries ask for first.
std::vector<KeyChoice> OrdersOf(const Sample& sample, const std::vector<LabQuery>& queries);

// The same order, with numbers and short texts in fewer bytes, and with salts and hashes before it.
std::vector<KeyChoice> VariantsOf(const KeyChoice& choice, const Sample& sample, const std::vector<LabQuery>& queries);

// The field in fewer bytes: every value of the sample has its own, and no query asks for what only the present bytes have.
std::optional<KeyField> CompactField(const KeyField& field, const FieldValues& values,
                                     const std::vector<LabQuery>& queries);

}  // namespace klip::advise
