// A planned statement, and the rows of its execution.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "klip/cancel.h"
#include "klip/sql.h"
#include "sql/catalog/served_statement.h"
#include "sql/plan/change_plan.h"
#include "sql/plan/planner.h"
#include "sql/syntax/ast.h"
#include "sql/types/codec.h"

namespace klip::sql {

inline const std::vector<Column>& ExplainColumns() {
  const auto column = [](const char* label, Type type) {
    return Column{.label = label, .type = {.type = type}, .source = "PLAN_TABLE"};
  };
  static const std::vector<Column> kColumns = {column("PLAN", Type::kVarchar), column("EST_BYTES_READ", Type::kBigint),
                                               column("EST_ROWS_READ", Type::kBigint),
                                               column("EST_INFO_TS", Type::kBigint)};
  return kColumns;
}

// A planned statement. Shared by the Statement and the Rows of its last execution.
struct Prepared {
  Parsed parsed;  // the plan points into it
  Execution execution;
  Reservation memory;                // of what follows, and of `parsed`
  std::string text;                  // if it has parameters; else, of a served statement, the beginning
  std::shared_ptr<Prepared> origin;  // of a plan for one execution: the statement's own, whose executions count
  std::unique_ptr<Planner> planner;
  std::vector<DataType> parameters;
  // One of these, by kind of statement.
  PlannedQuery query;
  std::unique_ptr<ChangePlan> change;
  bool explain = false;

  // Of the statement's last execution.
  int64_t last_execution() const { return origin == nullptr ? execution.number : origin->execution.number; }

  // Of the result of an execution.
  const std::vector<Column>& columns() const {
    static const std::vector<Column> kNone;
    if (explain) {
      return ExplainColumns();
    }
    const auto* const cursor = std::get_if<CursorStatement>(&parsed.statement);
    return cursor != nullptr && cursor->what == CursorStatement::What::kDeclare ? kNone : query.columns;
  }
};

class QueryRows final : public Rows {
 public:
  // `served`: the statement whose rows these are; null: no server's.
  QueryRows(std::shared_ptr<Prepared> prepared, CancelToken cancel, std::shared_ptr<ServedStatement> served)
      : prepared_(std::move(prepared)),
        cancel_(std::move(cancel)),
        served_(std::move(served)),
        number_(prepared_->execution.number) {
    values_.resize(prepared_->query.columns.size());
  }
  ~QueryRows() override { Close(); }

  const std::vector<Column>& columns() const override { return prepared_->query.columns; }
  int64_t updated() const override { return -1; }

  Expected<bool> Next() override {
    if (number_ != prepared_->last_execution()) {
      return SqlError(1101, "XCL01", "The result is closed, because its statement was executed again");
    }
    if (ended_) {
      return false;
    }
    if (++row_ >= batch_.rows) {
      const Expected<bool> more = NextBatch();
      if (!more.ok()) {
        return served_ == nullptr ? more.status() : served_->InSql(more.status());
      }
      row_ = 0;
      ended_ = !*more;
      if (ended_) {
        Close();
        return false;
      }
    }
    for (size_t i = 0; i < values_.size(); ++i) {
      values_[i] = batch_.columns[i].At(row_);
    }
    return true;
  }

  const Value& value(size_t column) const override { return values_[column]; }
  int64_t temporary_bytes() const override { return prepared_->execution.temporary.written_bytes(); }

  // Of the calls from now on.
  void SetCancel(CancelToken cancel, std::shared_ptr<ServedStatement> served) {
    cancel_ = std::move(cancel);
    served_ = std::move(served);
  }

  // Releases what the execution holds, unless it belongs to a later one. Only value() may be called afterwards.
  void Close() {
    if (number_ == prepared_->last_execution()) {
      prepared_->query.root->Close();
      prepared_->execution.temporary.Close();
    }
    served_ = nullptr;
  }

 private:
  Expected<bool> NextBatch() {
    const ServedCall call(served_.get());
    const CancelScope cancel(cancel_);
    const AccountScope account(&prepared_->execution.memory);
    KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
    KLIP_ASSIGN_OR_RETURN(const bool more, prepared_->query.root->Next(&batch_));
    KLIP_RETURN_IF_ERROR(CheckColumns());
    return more;
  }

  std::shared_ptr<Prepared> prepared_;
  CancelToken cancel_;
  std::shared_ptr<ServedStatement> served_;
  int64_t number_;
  Batch batch_;
  size_t row_ = 0;
  bool ended_ = false;
  std::vector<Value> values_;
};

}  // namespace klip::sql
