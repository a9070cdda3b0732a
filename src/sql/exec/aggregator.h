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
  virtual Expected<Value> Result(size_t group) const = 0;
  virtual size_t memory_bytes() const { return 0; }
};

// REQUIRES: CheckAggregate set the call's type.
std::unique_ptr<Aggregator> MakeAggregator(const AggregateCall& call);

}  // namespace klip::sql
