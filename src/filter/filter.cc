#include "klip/filter.h"

#include "filter/row_set.h"

namespace klip {

std::shared_ptr<const filter::RowSet> Filter::Rows(bool /*reversed*/, bool* exact) const {
  *exact = false;
  return nullptr;
}

}  // namespace klip
