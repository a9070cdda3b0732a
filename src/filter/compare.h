// The test of all comparing filters: "bytes OP comparator".
#pragma once

#include "klip/filter.h"

namespace klip::filter {

// Is the cell or row kept? `order` is Comparator::CompareTo of its bytes: the comparator's place relative to them. kNoOp keeps
// nothing. Source: HBase CompareFilter.compare, which tells the opposite.
inline bool Keeps(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLess:
      return order > 0;
    case CompareOp::kLessOrEqual:
      return order >= 0;
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kGreaterOrEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order < 0;
    case CompareOp::kNoOp:
      return false;
  }
  return false;
}

}  // namespace klip::filter
