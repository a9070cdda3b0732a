// A subquery runs once for each different set of values of the outer columns that it uses (once, if it uses none), and what it gave is
// kept for this execution: for EXISTS whether there was a row, for IN the set of its rows.
#include "sql/exec/subquery.h"

#include <map>
#include <utility>

#include "sql/exec/key_table.h"

namespace klip::sql {
namespace {

class Subquery final : public BoundExpression {
 public:
  explicit Subquery(SubquerySpec spec) : BoundExpression(Kind::kOther, TypeOfSpec(spec)), spec_(std::move(spec)) {
    left_ = spec_.left.size();
    operands_ = std::move(spec_.left);
    for (BoundPtr& outer : spec_.outer) {
      operands_.push_back(std::move(outer));
    }
  }

  const Value* constant() override {
    if (!operands_.empty()) {
      return nullptr;
    }
    const Expected<const Answer*> answer = Run({});
    if (!answer.ok()) {
      return nullptr;
    }
    value_ = (*answer)->value;
    return &value_;
  }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    std::vector<const Vector*> operands;
    for (const BoundPtr& operand : operands_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, operand->Evaluate(batch, rows));
      operands.push_back(values);
    }
    out_.Reset(type_, batch.rows);
    const std::span<const Vector* const> left = std::span(operands).first(left_);
    const std::span<const Vector* const> outer = std::span(operands).subspan(left_);
    for (const uint32_t row : rows) {
      std::vector<Value> values;
      for (const Vector* const column : outer) {
        values.push_back(column->At(row));
      }
      KLIP_ASSIGN_OR_RETURN(const Answer* const answer, Run(values));
      if (spec_.kind == SubquerySpec::Kind::kScalar || spec_.kind == SubquerySpec::Kind::kExists) {
        out_.Set(row, answer->value);
      } else {
        out_.Set(row, spec_.kind == SubquerySpec::Kind::kIn ? In(*answer, left, row) : Quantified(*answer, left, row));
      }
    }
    return &out_;
  }

 private:
  struct Answer {
    Value value;                // kScalar, kExists
    KeyTable rows;              // kIn: the rows without NULL
    bool has_null = false;      // there are rows with one
    std::vector<Value> column;  // kAny, kAll

    size_t memory_bytes() const { return rows.memory_bytes() + column.capacity() * sizeof(Value); }
  };

  static DataType TypeOfSpec(const SubquerySpec& spec) {
    return spec.kind == SubquerySpec::Kind::kScalar ? spec.query->types()[0] : DataType{.type = Type::kBoolean};
  }

  Expected<const Answer*> Run(const std::vector<Value>& outer) {
    if (execution_number_ != spec_.execution->number) {
      answers_.clear();
      memory_.Reset(&spec_.execution->memory);
      kept_bytes_ = 0;
      execution_number_ = spec_.execution->number;
    }
    std::string key;
    for (size_t i = 0; i < outer.size(); ++i) {
      Vector one(operands_[left_ + i]->type());
      one.Resize(1);
      one.Set(0, outer[i]);
      AppendSortKey(one, 0, /*descending=*/false, /*nulls_last=*/false, &key);
    }
    const auto [at, added] = answers_.try_emplace(std::move(key));
    if (added) {
      for (size_t i = 0; i < outer.size(); ++i) {
        spec_.outer_parameters[i]->Set(outer[i]);
      }
      if (const Status run = RunQuery(&at->second); !run.ok()) {
        answers_.erase(at);
        return run;
      }
      kept_bytes_ += sizeof(Answer) + at->first.size() + at->second.memory_bytes();
      KLIP_RETURN_IF_ERROR(memory_.SetTo(kept_bytes_));
    }
    return &at->second;
  }

  Status RunQuery(Answer* answer) {
    using SpecKind = SubquerySpec::Kind;
    KLIP_RETURN_IF_ERROR(spec_.query->Open(spec_.execution));
    Batch batch;
    size_t rows = 0;
    std::string key;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, spec_.query->Next(&batch));
      if (!more) {
        break;
      }
      rows += batch.rows;
      if (spec_.kind == SpecKind::kExists) {
        break;
      }
      if (spec_.kind == SpecKind::kScalar) {
        if (rows > 1) {
          return SqlError(215, "22015", "Single-row sub-query returns more than one row.");
        }
        answer->value = batch.columns[0].At(0);
        continue;
      }
      for (size_t row = 0; row < batch.rows; ++row) {
        if (spec_.kind != SpecKind::kIn) {
          answer->column.push_back(batch.columns[0].At(row));
          continue;
        }
        key.clear();
        bool null = false;
        for (size_t column = 0; column < left_; ++column) {
          null |= batch.columns[column].is_null(row);
          AppendSortKey(batch.columns[column], row, /*descending=*/false, /*nulls_last=*/false, &key);
        }
        answer->has_null |= null;
        if (!null) {
          answer->rows.Insert(key);
        }
      }
      KLIP_RETURN_IF_ERROR(memory_.SetTo(kept_bytes_ + answer->memory_bytes()));
    }
    if (spec_.kind == SpecKind::kExists) {
      answer->value = Value::Boolean((rows > 0) != spec_.negated);
    }
    return Status::Ok();
  }

  Value In(const Answer& answer, std::span<const Vector* const> left, uint32_t row) const {
    std::string key;
    bool null = false;
    for (const Vector* const column : left) {
      null |= column->is_null(row);
      AppendSortKey(*column, row, /*descending=*/false, /*nulls_last=*/false, &key);
    }
    const bool empty = answer.rows.size() == 0 && !answer.has_null;
    if (null) {
      return empty ? Value::Boolean(spec_.negated) : Value();
    }
    if (answer.rows.Find(key) != KeyTable::kNone) {
      return Value::Boolean(!spec_.negated);
    }
    return answer.has_null ? Value() : Value::Boolean(spec_.negated);
  }

  Value Quantified(const Answer& answer, std::span<const Vector* const> left, uint32_t row) const {
    const bool all = spec_.kind == SubquerySpec::Kind::kAll;
    bool unknown = false;
    const Value value = left[0]->At(row);
    for (const Value& other : answer.column) {
      if (value.is_null() || other.is_null()) {
        unknown = true;
        continue;
      }
      if (Holds(spec_.compare, CompareValues(value, other)) != all) {
        return Value::Boolean(!all);
      }
    }
    return unknown ? Value() : Value::Boolean(all);
  }

  SubquerySpec spec_;
  size_t left_ = 0;  // operands that are compared; the rest are outer columns
  std::map<std::string, Answer> answers_;
  int64_t execution_number_ = -1;
  Reservation memory_;
  size_t kept_bytes_ = 0;  // of all answers
  Value value_;            // what constant() points to
  Vector out_;
};

}  // namespace

BoundPtr MakeSubquery(SubquerySpec spec) { return std::make_unique<Subquery>(std::move(spec)); }

}  // namespace klip::sql
