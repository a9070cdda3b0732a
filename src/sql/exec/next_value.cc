#include "sql/exec/next_value.h"

#include <utility>

namespace klip::sql {
namespace {

Status NoCount() {
  return SqlError(1215, "42Z15", "Sequence NEXT n VALUES FOR must be a positive integer or constant.");
}

class NextValue final : public BoundExpression {
 public:
  NextValue(Sequences* sequences, TableName name, BoundPtr count)
      : BoundExpression(Kind::kOther, {.type = Type::kBigint}),
        sequences_(sequences),
        name_(std::move(name)),
        count_(std::move(count)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    out_.Reset(type_, batch.rows);
    if (rows.empty()) {
      return &out_;
    }
    KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, sequences_->Find(name_));
    KLIP_ASSIGN_OR_RETURN(const int64_t block, Block());
    KLIP_ASSIGN_OR_RETURN(int64_t taken, Take(static_cast<int64_t>(rows.size()), block));
    for (const uint32_t row : rows) {
      KLIP_ASSIGN_OR_RETURN(const int64_t value, sequence.Value(taken, name_));
      KLIP_ASSIGN_OR_RETURN(const int64_t last, sequence.Value(taken + block - 1, name_));
      out_.SetWhole(row, value);
      sequences_->SetCurrent(name_, last);
      taken += block;
    }
    return &out_;
  }

 private:
  // How many numbers a row takes.
  Expected<int64_t> Block() {
    if (count_ == nullptr) {
      return 1;
    }
    const Value* const count = count_->constant();
    const bool whole = count != nullptr && !count->is_null() && IsWhole(count->type());
    return whole && count->integer() > 0 ? Expected<int64_t>(count->integer()) : Status(NoCount());
  }

  Expected<int64_t> Take(int64_t rows, int64_t block) {
    int64_t all = 0;
    if (__builtin_mul_overflow(rows, block, &all)) {
      return NoCount();
    }
    return count_ == nullptr ? sequences_->Take(name_, all) : sequences_->TakeBlock(name_, all);
  }

  Sequences* sequences_;
  TableName name_;
  BoundPtr count_;
  Vector out_;
};

class CurrentValue final : public BoundExpression {
 public:
  CurrentValue(Sequences* sequences, TableName name)
      : BoundExpression(Kind::kOther, {.type = Type::kBigint}), sequences_(sequences), name_(std::move(name)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    out_.Reset(type_, batch.rows);
    KLIP_ASSIGN_OR_RETURN(const int64_t value, sequences_->Current(name_));
    for (const uint32_t row : rows) {
      out_.SetWhole(row, value);
    }
    return &out_;
  }

 private:
  Sequences* sequences_;
  TableName name_;
  Vector out_;
};

}  // namespace

Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name, BoundPtr count) {
  if (count != nullptr) {
    const Value* const written = count->constant();
    if (written == nullptr || (!IsWhole(count->type().type) && count->type().type != Type::kNull)) {
      return NoCount();
    }
    KLIP_ASSIGN_OR_RETURN(count, MakeConvert(std::move(count), {.type = Type::kBigint}));
  }
  KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, sequences->Find(name));
  if (count != nullptr && sequence.cycle) {
    return SqlError(
        1216, "42Z16",
        "Sequence NEXT n VALUES FOR is not supported for Sequences with the CYCLE flag. tableName=" + ToString(name));
  }
  return BoundPtr(std::make_unique<NextValue>(sequences, name, std::move(count)));
}

BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name) {
  return std::make_unique<CurrentValue>(sequences, name);
}

}  // namespace klip::sql
