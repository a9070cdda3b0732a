// Subqueries in expressions.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sql/exec/operator.h"

namespace klip::sql {

struct SubquerySpec {
  // kIn: whether a row of the query equals `left`: never NULL, as in Phoenix. kEqualsAny: = ANY, and negated <> ALL.
  enum class Kind : uint8_t { kScalar, kExists, kIn, kEqualsAny, kAny, kAll };
  Kind kind = Kind::kScalar;
  Compare compare = Compare::kEqual;  // kAny, kAll
  bool negated = false;               // kExists, kIn, kEqualsAny
  std::vector<BoundPtr> left;         // kIn, kEqualsAny, kAny, kAll: what is compared with the query's columns
  size_t null_values = 0;             // kIn: in so many first columns NULL equals NULL
  OperatorPtr query;
  // Columns of the query around it that the query uses, and the slots from which it reads them. None: it runs once.
  std::vector<BoundPtr> outer;
  std::vector<SlotPtr> outer_slots;
  Execution* execution = nullptr;
};

BoundPtr MakeSubquery(SubquerySpec spec);

// A join with the subquery's rows, which passes the rows that meet a condition.
struct SubqueryJoin {
  OperatorPtr query;
  JoinKind kind = JoinKind::kSemi;
  JoinKeys keys;
};
// Takes a condition apart that is nothing but a subquery; nullopt: a join cannot stand for it, and it stays.
std::optional<SubqueryJoin> TakeJoin(BoundExpression* condition);

}  // namespace klip::sql
