// Subqueries in expressions.
#pragma once

#include <memory>
#include <vector>

#include "sql/exec/operator.h"

namespace klip::sql {

struct SubquerySpec {
  enum class Kind : uint8_t { kScalar, kExists, kIn, kAny, kAll };
  Kind kind = Kind::kScalar;
  Compare compare = Compare::kEqual;  // kAny, kAll
  bool negated = false;               // kExists, kIn
  std::vector<BoundPtr> left;         // kIn, kAny, kAll: what is compared with the query's columns
  OperatorPtr query;
  // Columns of the query around it that the query uses, and the parameters that stand for them there. None: it runs once.
  std::vector<BoundPtr> outer;
  std::vector<Constant*> outer_parameters;
  Execution* execution = nullptr;
};

BoundPtr MakeSubquery(SubquerySpec spec);

}  // namespace klip::sql
