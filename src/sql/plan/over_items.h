// ORDER BY after DISTINCT.
#pragma once

#include <span>
#include <string>

#include "sql/plan/binder.h"

namespace klip::sql {

// An item of a select list.
struct ListedItem {
  const Expression* expression = nullptr;
  std::string label;
  DataType type;
};

// The expression over a batch of the items' values: each part of it that is an item stands for its value. Errors, with
// Phoenix's numbers: 511 (42890), it is a column that is no item; 1018 (42Y27), a part of it is.
Expected<BoundPtr> BindOverItems(const Expression& expression, std::span<const ListedItem> items, BinderHost* host);

}  // namespace klip::sql
