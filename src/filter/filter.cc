#include "klip/filter.h"

#include "filter/common/visitors.h"
#include "filter/rows/row_set.h"

namespace klip {

std::shared_ptr<const filter::RowSet> Filter::Rows(bool /*reversed*/, bool* exact) const {
  *exact = false;
  return nullptr;
}

void Filter::Accept(filter::FilterVisitor* visitor) const { visitor->Custom(*this); }

Status Comparator::Failure(std::string_view /*bytes*/) const {
  return {Code::kInvalidArgument, "cannot be compared with " + ToString()};
}

void Comparator::Accept(filter::ComparatorVisitor* visitor) const { visitor->Custom(*this); }

}  // namespace klip
