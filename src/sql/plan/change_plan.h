// UPSERT, INSERT, UPDATE and DELETE: which rows they change, and how.
#pragma once

#include <memory>
#include <vector>

#include "sql/plan/changes.h"
#include "sql/plan/planner.h"

namespace klip::sql {

// A planned change. Not thread-safe.
class ChangePlan {
 public:
  virtual ~ChangePlan() = default;
  // Adds the changes; returns the number of rows. If `write` is set, writes `changes` whenever there are enough. Errors:
  // SQL errors.
  virtual Expected<int64_t> Run(Execution* execution, Changes* changes, bool write) = 0;
  // Whether it decides by what is stored when it writes, so that COMMIT must run it again: INSERT, ON DUPLICATE KEY. Then Run writes
  // everything, or, without `write`, adds what it would write now.
  virtual bool depends_on_stored() const { return false; }
  virtual void Explain(ExplainLines* lines) const = 0;
};

Expected<std::unique_ptr<ChangePlan>> PlanUpsert(Planner* planner, const Upsert& upsert);
Expected<std::unique_ptr<ChangePlan>> PlanUpdate(Planner* planner, const Update& update);
Expected<std::unique_ptr<ChangePlan>> PlanDelete(Planner* planner, const sql::Delete& del);

// Removes cells that are not columns of the table, and have any bytes, from its rows.
Expected<std::unique_ptr<ChangePlan>> PlanClearCells(Planner* planner, const TableName& table,
                                                     const std::vector<TableColumn>& cells);

}  // namespace klip::sql
