// What runs a query: a tree of operators, each of which takes batches of rows from those below it. The planner builds the tree once
// for a statement; Open starts it for an execution, any number of times.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "klip/connection.h"
#include "klip/sql_value.h"
#include "klip/status.h"
#include "sql/exec/expression.h"
#include "sql/exec/spill.h"
#include "sql/exec/vector.h"

namespace klip::sql {

// What all operators of an execution share.
struct Execution {
  int64_t number = 0;  // counts the executions of a statement
  FunctionContext functions;
  MemoryAccount memory{int64_t{256} << 20};
  TemporaryFile temporary;
  std::atomic<int64_t>* rows_read = nullptr;  // the session's count of rows from scans
};

// The lines of EXPLAIN, from the outside in, and the rows that the scans among them read.
struct ExplainLines {
  std::vector<std::string> lines;
  double rows_read = 0;
  bool has_statistics = true;  // of all scans

  void push_back(std::string line) { lines.push_back(std::move(line)); }
  // Those of an operator below.
  void Append(const ExplainLines& below, std::string_view indent) {
    for (const std::string& line : below.lines) {
      lines.push_back(std::string(indent) + line);
    }
    rows_read += below.rows_read;
    has_statistics = has_statistics && below.has_statistics;
  }
};

class Operator {
 public:
  virtual ~Operator() = default;

  // Starts from the beginning.
  virtual Status Open(Execution* execution) = 0;
  // Fills *out with the next rows, at least one and at most kBatchRows; false at the end. *out stays valid until the next call.
  virtual Expected<bool> Next(Batch* out) = 0;
  // In place of Open: how many rows there would be, where that costs less than to make them; nullopt: it does not.
  virtual Expected<std::optional<int64_t>> CountRows(Execution* /*execution*/) { return std::optional<int64_t>(); }
  // Releases what an execution holds in the store; afterwards, only Open may be called.
  virtual void Close() {}
  // How many rows there will be, by statistics; nullopt: not known.
  virtual std::optional<double> EstimatedRows() const { return std::nullopt; }
  // Whether it gives rows in the order in which the scan below does. REQUIRES: it is open.
  virtual bool InOrder() const { return false; }
  // Phoenix's words for it and what is below it.
  virtual void Explain(ExplainLines* lines) const = 0;

  const std::vector<DataType>& types() const { return types_; }

 protected:
  std::vector<DataType> types_;  // of the columns
};
using OperatorPtr = std::unique_ptr<Operator>;

struct SortTerm {
  BoundPtr expression;
  bool descending = false;
  bool nulls_last = false;
  std::string text;  // for EXPLAIN
};

// One row without columns: SELECT 1.
OperatorPtr MakeOneRow();
// Rows that are made in each execution, with values of these types. `text`: EXPLAIN's line.
using RowMaker = std::function<Expected<std::vector<std::vector<Value>>>()>;
OperatorPtr MakeMadeRows(std::vector<DataType> types, RowMaker rows, std::string text);
// As FilterWhere. `met`: whether all rows of an execution meet the condition, which its input knows once it is open; null: no.
OperatorPtr MakeFilter(OperatorPtr input, BoundPtr condition, std::string text,
                       std::shared_ptr<const bool> met = nullptr);
OperatorPtr MakeHaving(OperatorPtr input, BoundPtr condition, std::string text);
OperatorPtr MakeProject(OperatorPtr input, std::vector<BoundPtr> expressions);
// The first columns alone: sort keys that are not wanted are cut.
OperatorPtr MakeCut(OperatorPtr input, size_t columns);
// `limit`, `offset`: whole numbers, known in each execution; null: none. A sort with a limit keeps only so many rows.
// `scan_in_order`: the scan below has this order already, but operators above it may change it.
OperatorPtr MakeSort(OperatorPtr input, std::vector<SortTerm> terms, BoundExpression* limit, BoundExpression* offset,
                     bool scan_in_order = false);
OperatorPtr MakeLimit(OperatorPtr input, BoundExpression* limit, BoundExpression* offset);
OperatorPtr MakeUnion(std::vector<OperatorPtr> inputs);

struct AggregateCall {
  std::string name;                 // "COUNT", "SUM", ...
  std::vector<BoundPtr> arguments;  // none: COUNT(*)
  bool distinct = false;
  std::vector<SortTerm> within;
  int scale = -1;  // of AVG's argument, if its columns declare it
  DataType type;   // of the result; CheckAggregate sets it
};
bool IsAggregate(std::string_view name);
bool IsPercentile(std::string_view aggregate);
// The argument of an aggregate whose value must be known when it is planned; nullopt: there is none.
std::optional<size_t> FixedArgument(std::string_view aggregate);
// Sets the type of the result, and converts arguments. Errors: SQL errors.
Status CheckAggregate(AggregateCall* call);
// Rows of the groups' values, then the aggregates, in the order of the groups: `descending` tells which values go down;
// those that it leaves out go up. Without groups: one row.
OperatorPtr MakeAggregate(OperatorPtr input, std::vector<BoundPtr> groups, std::vector<bool> descending,
                          std::vector<AggregateCall> calls, std::string text);
// Each different row once, in their order.
OperatorPtr MakeDistinct(OperatorPtr input, std::vector<bool> descending);

// kNotIn: as kAnti, but NULL on the right equals everything, and on the left everything that there is: a <> ALL (b).
enum class JoinKind : uint8_t { kInner, kLeft, kRight, kFull, kSemi, kAnti, kNotIn };
struct JoinKeys {
  std::vector<BoundPtr> left;  // over the left side's columns; as many on the right
  std::vector<BoundPtr> right;
  size_t null_values = 0;  // in so many first ones NULL equals NULL
};
// Left's columns, then right's (not for kSemi, kAnti, kNotIn). `condition`: over both sides' columns; null: none. No keys: every pair is tried.
OperatorPtr MakeJoin(OperatorPtr left, OperatorPtr right, JoinKind kind, JoinKeys keys, BoundPtr condition);

// Appends a value's bytes so that they sort as the values do; what follows them does not matter.
void AppendSortKey(const Vector& values, size_t row, bool descending, bool nulls_last, std::string* out);

// The number of a LIMIT or OFFSET; `otherwise` if there is none. Errors: 203, not a number or below 0.
Expected<int64_t> CountOf(BoundExpression* expression, int64_t otherwise);

}  // namespace klip::sql
