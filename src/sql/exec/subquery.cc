// A subquery runs once for each different set of values of the outer columns that it uses (once, if it uses none). What it
// gave is kept for this execution, and forgotten where memory ends: for EXISTS whether there was a row, for IN the set of
// its rows, which is in the temporary file if memory has no room for it, for other comparisons with ANY and ALL the smallest
// and the largest value, which decide: a > ANY (1, 5, 9) is a > 1.
#include "sql/exec/subquery.h"

#include <map>
#include <utility>

#include "sql/exec/key_file.h"
#include "sql/exec/key_table.h"
#include "sql/exec/sorter.h"

namespace klip::sql {
namespace {

class Subquery final : public KeepingExpression {
 public:
  explicit Subquery(SubquerySpec spec) : KeepingExpression(Kind::kSubquery, TypeOfSpec(spec)), spec_(std::move(spec)) {
    left_ = spec_.left.size();
    operands_ = std::move(spec_.left);
    for (BoundPtr& outer : spec_.outer) {
      operands_.push_back(std::move(outer));
    }
  }

  // Whether a join can stand for it.
  bool IsJoin() const {
    using SpecKind = SubquerySpec::Kind;
    return (spec_.kind == SpecKind::kIn || spec_.kind == SpecKind::kEqualsAny) && spec_.outer_slots.empty();
  }
  // REQUIRES: IsJoin().
  SubqueryJoin Take() {
    SubqueryJoin join;
    join.kind = !spec_.negated                          ? JoinKind::kSemi
                : spec_.kind == SubquerySpec::Kind::kIn ? JoinKind::kAnti
                                                        : JoinKind::kNotIn;
    join.keys.null_values = spec_.null_values;
    join.keys.left = std::move(operands_);
    for (size_t i = 0; i < join.keys.left.size(); ++i) {
      join.keys.right.push_back(MakeColumn(i, spec_.query->types()[i]));
    }
    join.query = std::move(spec_.query);
    return join;
  }

  const Value* constant() override {
    if (!operands_.empty() || spec_.execution->number == 0) {  // a query does not run while it is planned
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
        const bool set = spec_.kind == SubquerySpec::Kind::kIn || spec_.kind == SubquerySpec::Kind::kEqualsAny;
        KLIP_ASSIGN_OR_RETURN(const Value value, set ? In(*answer, left, row) : Quantified(*answer, left, row));
        out_.Set(row, value);
      }
    }
    return &out_;
  }

 private:
  struct Answer {
    Value value;                              // kScalar, kExists
    KeyTable rows;                            // kIn, kEqualsAny: the rows without NULL
    std::unique_ptr<KeyFile> file = nullptr;  // in place of `rows`, beyond memory
    bool has_null = false;                    // there are rows with one
    Value smallest, largest;                  // kAny, kAll; NULL: there is none

    size_t memory_bytes() const { return file == nullptr ? rows.memory_bytes() : file->memory_bytes(); }
    bool empty() const { return file == nullptr && rows.size() == 0; }
    Status Add(std::string_view key) {
      if (file != nullptr) {
        return file->Add(key);
      }
      rows.Insert(key);
      return Status::Ok();
    }
    Expected<bool> Contains(std::string_view key) const {
      return file == nullptr ? rows.Find(key) != KeyTable::kNone : file->Contains(key);
    }
    void Extend(const Value& one) {
      if (smallest.is_null() || CompareValues(one, smallest) < 0) {
        smallest = one;
      }
      if (largest.is_null() || CompareValues(one, largest) > 0) {
        largest = one;
      }
    }
  };

  static DataType TypeOfSpec(const SubquerySpec& spec) {
    return spec.kind == SubquerySpec::Kind::kScalar ? spec.query->types()[0] : DataType{.type = Type::kBoolean};
  }

  Expected<const Answer*> Run(const std::vector<Value>& outer) {
    if (execution_number_ != spec_.execution->number) {
      Forget();
      memory_.Reset(&spec_.execution->memory);
      execution_number_ = spec_.execution->number;
    }
    std::string key;
    for (size_t i = 0; i < outer.size(); ++i) {
      Vector one(operands_[left_ + i]->type());
      one.Resize(1);
      one.Set(0, outer[i]);
      AppendSortKey(one, 0, /*descending=*/false, /*nulls_last=*/false, &key);
    }
    if (const auto known = answers_.find(key); known != answers_.end()) {
      return &known->second;
    }
    for (size_t i = 0; i < outer.size(); ++i) {
      spec_.outer_slots[i]->Set(outer[i]);
    }
    Answer answer;
    const Status run = RunQuery(&answer);
    spec_.query->Close();
    KLIP_RETURN_IF_ERROR(run);
    const size_t bytes = kEntryBytes + key.size() + answer.memory_bytes();
    if (!memory_.TrySetTo(kept_bytes_ + bytes)) {
      Forget();
      KLIP_RETURN_IF_ERROR(memory_.SetTo(bytes));
    }
    kept_bytes_ += bytes;
    return &answers_.insert_or_assign(std::move(key), std::move(answer)).first->second;
  }

  void Forget() {
    answers_.clear();
    kept_bytes_ = 0;
  }

  // Makes room for the rows of the running query, beside what is kept, or writes them to the temporary file.
  Status Hold(Answer* answer) {
    if (answer->file != nullptr || memory_.TrySetTo(kept_bytes_ + answer->rows.memory_bytes())) {
      return Status::Ok();
    }
    Forget();
    if (memory_.TrySetTo(answer->rows.memory_bytes())) {
      return Status::Ok();
    }
    memory_.Free();
    answer->file = std::make_unique<KeyFile>(spec_.execution);
    for (size_t row = 0; row < answer->rows.size(); ++row) {
      KLIP_RETURN_IF_ERROR(answer->file->Add(answer->rows.key(row)));
    }
    answer->rows = KeyTable();
    return Status::Ok();
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
      const std::vector<const Vector*> columns = Pointers(batch.columns);
      for (size_t row = 0; row < batch.rows; ++row) {
        key.clear();
        const bool null = AppendKey(columns, row, &key);
        answer->has_null |= null;
        if (!null && (spec_.kind == SpecKind::kAny || spec_.kind == SpecKind::kAll)) {
          answer->Extend(batch.columns[0].At(row));
        } else if (!null) {
          KLIP_RETURN_IF_ERROR(answer->Add(key));
        }
      }
      KLIP_RETURN_IF_ERROR(Hold(answer));
    }
    if (spec_.kind == SpecKind::kExists) {
      answer->value = Value::Boolean((rows > 0) != spec_.negated);
    }
    return answer->file == nullptr ? Status::Ok() : answer->file->Finish();
  }

  // Appends the values of a row; whether it has a NULL that equals nothing.
  bool AppendKey(std::span<const Vector* const> columns, size_t row, std::string* key) const {
    bool null = false;
    for (size_t column = 0; column < left_; ++column) {
      null |= column >= spec_.null_values && columns[column]->is_null(row);
      AppendSortKey(*columns[column], row, /*descending=*/false, /*nulls_last=*/false, key);
    }
    return null;
  }

  Expected<Value> In(const Answer& answer, std::span<const Vector* const> left, uint32_t row) const {
    std::string key;
    const bool null = AppendKey(left, row, &key);
    KLIP_ASSIGN_OR_RETURN(const bool found, null ? Expected(false) : answer.Contains(key));
    if (spec_.kind == SubquerySpec::Kind::kIn) {
      return Value::Boolean(found != spec_.negated);
    }
    const bool empty = answer.empty() && !answer.has_null;
    if (null) {
      return empty ? Value::Boolean(spec_.negated) : Value();
    }
    if (found) {
      return Value::Boolean(!spec_.negated);
    }
    return answer.has_null ? Value() : Value::Boolean(spec_.negated);
  }

  Expected<Value> Quantified(const Answer& answer, std::span<const Vector* const> left, uint32_t row) const {
    const bool all = spec_.kind == SubquerySpec::Kind::kAll;
    const Value value = left[0]->At(row);
    const bool empty = answer.smallest.is_null() && !answer.has_null;
    if (empty || value.is_null()) {
      return empty ? Value::Boolean(all) : Value();
    }
    for (const Value* const other : {&answer.smallest, &answer.largest}) {
      if (!other->is_null() && Holds(spec_.compare, CompareValues(value, *other)) != all) {
        return Value::Boolean(!all);
      }
    }
    return answer.has_null ? Value() : Value::Boolean(all);
  }

  static constexpr size_t kEntryBytes = sizeof(Answer) + 8 * sizeof(void*);

  SubquerySpec spec_;
  size_t left_ = 0;  // operands that are compared; the rest are outer columns
  std::map<std::string, Answer> answers_;
  int64_t execution_number_ = -1;
  Reservation memory_;
  size_t kept_bytes_ = 0;  // of all answers
  Value value_;            // what constant() points to
};

}  // namespace

BoundPtr MakeSubquery(SubquerySpec spec) { return std::make_unique<Subquery>(std::move(spec)); }

std::optional<SubqueryJoin> TakeJoin(BoundExpression* condition) {
  if (condition->kind() != BoundExpression::Kind::kSubquery) {
    return std::nullopt;
  }
  auto* const subquery = static_cast<Subquery*>(condition);
  return subquery->IsJoin() ? std::optional(subquery->Take()) : std::nullopt;
}

}  // namespace klip::sql
