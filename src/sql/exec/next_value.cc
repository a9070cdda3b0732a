#include "sql/exec/next_value.h"

#include <utility>

namespace klip::sql {
namespace {

Status NoCount() {
  return SqlError(1215, "42Z15", "Sequence NEXT n VALUES FOR must be a positive integer or constant.");
}

class NextValue final : public KeepingExpression {
 public:
  NextValue(Sequences* sequences, TableName name, BoundPtr count, std::shared_ptr<NumbersOfRows> numbers)
      : KeepingExpression(Kind::kOther, {.type = Type::kBigint}),
        sequences_(sequences),
        name_(std::move(name)),
        count_(std::move(count)),
        numbers_(std::move(numbers)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    out_.Reset(type_, batch.rows);
    if (rows.empty()) {
      return &out_;
    }
    KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, sequences_->Find(name_));
    KLIP_ASSIGN_OR_RETURN(const int64_t block, Block());
    numbers_->Enter(batch);
    new_rows_.clear();
    for (const uint32_t row : rows) {
      const std::optional<int64_t> known = count_ == nullptr ? numbers_->Find(row) : std::nullopt;
      if (known.has_value()) {
        out_.SetWhole(row, *known);
      } else {
        new_rows_.push_back(row);
      }
    }
    if (new_rows_.empty()) {
      return &out_;
    }
    KLIP_ASSIGN_OR_RETURN(int64_t taken, Take(static_cast<int64_t>(new_rows_.size()), block));
    for (const uint32_t row : new_rows_) {
      KLIP_ASSIGN_OR_RETURN(const int64_t value, sequence.Value(taken, name_));
      KLIP_ASSIGN_OR_RETURN(const int64_t last, sequence.Value(taken + block - 1, name_));
      out_.SetWhole(row, value);
      numbers_->Set(row, count_ == nullptr ? value : last);
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
  std::shared_ptr<NumbersOfRows> numbers_;
  Selection new_rows_;
};

class CurrentValue final : public KeepingExpression {
 public:
  CurrentValue(Sequences* sequences, TableName name, std::shared_ptr<NumbersOfRows> numbers)
      : KeepingExpression(Kind::kOther, {.type = Type::kBigint}),
        sequences_(sequences),
        name_(std::move(name)),
        numbers_(std::move(numbers)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    out_.Reset(type_, batch.rows);
    KLIP_ASSIGN_OR_RETURN(const int64_t value, sequences_->Current(name_));
    numbers_->Enter(batch);
    for (const uint32_t row : rows) {
      out_.SetWhole(row, numbers_->Find(row).value_or(value));
    }
    return &out_;
  }

 private:
  Sequences* sequences_;
  TableName name_;
  std::shared_ptr<NumbersOfRows> numbers_;
};

}  // namespace

void NumbersOfRows::Enter(const Batch& batch) {
  if (batch.serial == 0 || batch_ != &batch || serial_ != batch.serial) {
    batch_ = &batch;
    serial_ = batch.serial;
    numbers_.assign(batch.serial == 0 ? 0 : batch.rows, std::nullopt);
  }
}

Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name, BoundPtr count,
                                 std::shared_ptr<NumbersOfRows> rows) {
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
  return BoundPtr(std::make_unique<NextValue>(sequences, name, std::move(count), std::move(rows)));
}

BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name, std::shared_ptr<NumbersOfRows> rows) {
  return std::make_unique<CurrentValue>(sequences, name, std::move(rows));
}

}  // namespace klip::sql
