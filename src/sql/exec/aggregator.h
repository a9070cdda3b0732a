// Aggregate functions: each keeps a state per group.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sql/exec/operator.h"

namespace klip::sql {

class Aggregator {
 public:
  virtual ~Aggregator() = default;

  // There are so many groups from now on.
  virtual void Resize(size_t groups) = 0;
  // Takes the rows: rows[i] is of group groups[i].
  virtual Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
                     std::span<const uint32_t> groups) = 0;
  // From now on, what would need more memory for a group with each row goes to the temporary file. At most once. Errors, of both: those of
  // TemporaryFile.
  virtual Status Spill(Execution* /*execution*/) { return Status::Ok(); }
  // No more rows come.
  virtual Status Finish() { return Status::Ok(); }
  virtual Expected<Value> Result(size_t group) const = 0;
  // What it holds, once `more` rows have been added.
  virtual size_t memory_bytes(size_t more = 0) const = 0;
};

// An aggregator's arguments are those of the call, and then the values of WITHIN GROUP's terms. PERCENTILE: the first argument, a constant,
// gives way to the value that is sorted.
bool TakesSortedValue(const AggregateCall& call);
std::vector<DataType> ArgumentTypes(const AggregateCall& call);

// REQUIRES: CheckAggregate set the call's type.
std::unique_ptr<Aggregator> MakeAggregator(const AggregateCall& call);

}  // namespace klip::sql
