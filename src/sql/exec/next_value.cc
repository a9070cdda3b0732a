#include "sql/exec/next_value.h"

#include <utility>

namespace klip::sql {
namespace {

class NextValue final : public BoundExpression {
 public:
  NextValue(Sequences* sequences, TableName name)
      : BoundExpression(Kind::kOther, {.type = Type::kBigint}), sequences_(sequences), name_(std::move(name)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override {
    out_.Reset(type_, batch.rows);
    if (rows.empty()) {
      return &out_;
    }
    KLIP_ASSIGN_OR_RETURN(const SequenceDefinition sequence, sequences_->Find(name_));
    KLIP_ASSIGN_OR_RETURN(int64_t taken, sequences_->Take(name_, static_cast<int64_t>(rows.size())));
    for (const uint32_t row : rows) {
      KLIP_ASSIGN_OR_RETURN(const int64_t value, sequence.Value(taken++, name_));
      out_.SetWhole(row, value);
      sequences_->SetCurrent(name_, value);
    }
    return &out_;
  }

 private:
  Sequences* sequences_;
  TableName name_;
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

Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name) {
  KLIP_RETURN_IF_ERROR(sequences->Find(name).status());
  return BoundPtr(std::make_unique<NextValue>(sequences, name));
}

BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name) {
  return std::make_unique<CurrentValue>(sequences, name);
}

}  // namespace klip::sql
