// Window functions: RANK() OVER (PARTITION BY a ORDER BY b).
#pragma once

#include <string>
#include <vector>

#include "sql/exec/operator.h"
#include "sql/syntax/window_frame.h"

namespace klip::sql {

struct WindowCall {
  AggregateCall function;  // an aggregate's, or of a function that only windows have
  WindowFrame frame;
};

// Calls over the same partitions in the same order.
struct WindowSpec {
  std::vector<SortTerm> partition;
  std::vector<SortTerm> order;
  std::vector<WindowCall> calls;
  std::string text;  // for EXPLAIN
};

// Sets the type of the result, and converts arguments. Errors: SQL errors.
Status CheckWindowCall(WindowCall* call);

// The rows of `input`, each with the results of the calls as further columns. They come partition by partition, in the window's order. A
// partition must fit in memory, unless all calls are ROW_NUMBER, RANK or DENSE_RANK.
OperatorPtr MakeWindow(OperatorPtr input, WindowSpec spec);

}  // namespace klip::sql
