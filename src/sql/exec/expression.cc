#include "sql/exec/expression.h"

#include <algorithm>
#include <utility>

#include "klip/sql.h"

namespace klip::sql {
namespace {

class ColumnReference final : public BoundExpression {
 public:
  ColumnReference(size_t column, const DataType& type) : BoundExpression(Kind::kColumn, type) { column_ = column; }

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> /*rows*/) override {
    return &batch.columns[column_];
  }
};

// Evaluates into a vector of its own.
class Computed : public KeepingExpression {
 public:
  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) final {
    out_.Reset(type_, batch.rows);
    KLIP_RETURN_IF_ERROR(Compute(batch, rows));
    return &out_;
  }

 protected:
  using KeepingExpression::KeepingExpression;
  // Sets the rows of out_ that are not NULL.
  virtual Status Compute(const Batch& batch, std::span<const uint32_t> rows) = 0;
};

class Conversion final : public Computed {
 public:
  Conversion(BoundPtr a, const DataType& type, bool cast) : Computed(Kind::kConvert, type), cast_(cast) {
    operands_.push_back(std::move(a));
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const from, operands_[0]->Evaluate(batch, rows));
    if (from->physical() == Physical::kWhole && IsWhole(from->type().type)) {
      if (type_.type == Type::kDouble) {
        for (const uint32_t row : rows) {
          if (!from->is_null(row)) {
            out_.SetReal(row, static_cast<double>(from->whole(row)));
          }
        }
        return Status::Ok();
      }
      if (type_.type == Type::kBigint || (type_.type == Type::kDecimal && type_.scale < 0)) {
        for (const uint32_t row : rows) {
          if (from->is_null(row)) {
            continue;
          }
          if (out_.physical() == Physical::kWhole) {
            out_.SetWhole(row, from->whole(row));
          } else {
            out_.SetDecimal(row, Decimal(from->whole(row)));
          }
        }
        return Status::Ok();
      }
    }
    for (const uint32_t row : rows) {
      if (!from->is_null(row)) {
        KLIP_ASSIGN_OR_RETURN(const Value value, Convert(from->At(row), type_, cast_));
        out_.Set(row, value);
      }
    }
    return Status::Ok();
  }

 private:
  bool cast_;
};

class Logic final : public Computed {
 public:
  Logic(Kind kind, std::vector<BoundPtr> operands) : Computed(kind, {.type = Type::kBoolean}) {
    operands_ = std::move(operands);
  }

 private:
  // TUNING: so many operands keep their vectors, some ten KB each, for the next batch.
  static constexpr size_t kKept = 256;

  // AND is false once an operand is; else NULL once one is NULL. OR is its mirror image.
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    const int64_t decided = kind_ == Kind::kOr ? 1 : 0;
    open_.assign(rows.begin(), rows.end());
    for (const uint32_t row : rows) {
      out_.SetWhole(row, 1 - decided);
    }
    for (const BoundPtr& operand : operands_) {
      if (open_.empty()) {
        break;
      }
      KLIP_ASSIGN_OR_RETURN(const Vector* const value, operand->Evaluate(batch, open_));
      size_t left = 0;
      for (const uint32_t row : open_) {
        if (value->is_null(row)) {
          out_.SetNull(row);
        } else if (value->whole(row) == decided) {
          out_.SetWhole(row, decided);
          continue;
        }
        open_[left++] = row;
      }
      open_.resize(left);
      if (operands_.size() > kKept) {
        operand->FreeVectors();
      }
    }
    return Status::Ok();
  }

  Selection open_;
};

class Not final : public Computed {
 public:
  explicit Not(BoundPtr a) : Computed(Kind::kNot, {.type = Type::kBoolean}) { operands_.push_back(std::move(a)); }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    for (const uint32_t row : rows) {
      if (!a->is_null(row)) {
        out_.SetWhole(row, 1 - a->whole(row));
      }
    }
    return Status::Ok();
  }
};

class IsNull final : public Computed {
 public:
  IsNull(BoundPtr a, bool negated) : Computed(Kind::kIsNull, {.type = Type::kBoolean}) {
    operands_.push_back(std::move(a));
    negated_ = negated;
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const a, operands_[0]->Evaluate(batch, rows));
    for (const uint32_t row : rows) {
      out_.SetWhole(row, a->is_null(row) != negated_ ? 1 : 0);
    }
    return Status::Ok();
  }
};

class Case final : public Computed {
 public:
  Case(std::vector<BoundPtr> operands, const DataType& type) : Computed(Kind::kOther, type) {
    operands_ = std::move(operands);
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    open_.assign(rows.begin(), rows.end());
    size_t at = 0;
    for (; at + 1 < operands_.size() && !open_.empty(); at += 2) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const condition, operands_[at]->Evaluate(batch, open_));
      taken_.clear();
      size_t left = 0;
      for (const uint32_t row : open_) {
        if (!condition->is_null(row) && condition->whole(row) != 0) {
          taken_.push_back(row);
        } else {
          open_[left++] = row;
        }
      }
      open_.resize(left);
      KLIP_RETURN_IF_ERROR(Take(operands_[at + 1].get(), batch, taken_));
    }
    return operands_.size() % 2 == 1 && !open_.empty() ? Take(operands_.back().get(), batch, open_) : Status::Ok();
  }

  Status Take(BoundExpression* value, const Batch& batch, const Selection& rows) {
    KLIP_ASSIGN_OR_RETURN(const Vector* const values, value->Evaluate(batch, rows));
    for (const uint32_t row : rows) {
      out_.Copy(row, *values, row);
    }
    return Status::Ok();
  }

  Selection open_;
  Selection taken_;
};

class Function final : public Computed {
 public:
  Function(std::unique_ptr<BoundFunction> function, std::vector<BoundPtr> operands, const FunctionContext* context)
      : Computed(Kind::kOther, function->type()), function_(std::move(function)), context_(context) {
    operands_ = std::move(operands);
    letter_case_ = function_->letter_case();
  }

  bool is_literal() const override { return function_->is_constant() && Computed::is_literal(); }

  // Only RAND differs from row to row.
  const Value* constant() override {
    if (!operands_.empty() || !function_->is_constant()) {
      return function_->is_constant() ? Computed::constant() : nullptr;
    }
    Expected<Value> value = function_->Call({}, *context_);
    if (!value.ok()) {
      return nullptr;
    }
    now_ = *std::move(value);
    return &now_;
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    arguments_.clear();
    for (const BoundPtr& operand : operands_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, operand->Evaluate(batch, rows));
      arguments_.push_back(values);
    }
    values_.resize(arguments_.size());
    for (const uint32_t row : rows) {
      for (size_t i = 0; i < arguments_.size(); ++i) {
        values_[i] = arguments_[i]->At(row);
      }
      KLIP_ASSIGN_OR_RETURN(const Value value, function_->Call(values_, *context_));
      out_.Set(row, value);
      KLIP_RETURN_IF_ERROR(CheckColumns());
    }
    return Status::Ok();
  }

  std::unique_ptr<BoundFunction> function_;
  const FunctionContext* context_;
  std::vector<const Vector*> arguments_;
  std::vector<Value> values_;
  Value now_;  // what constant() points to
};

class ArrayOf final : public Computed {
 public:
  ArrayOf(std::vector<BoundPtr> operands, const DataType& type) : Computed(Kind::kOther, type) {
    operands_ = std::move(operands);
  }

  // ARRAY[NULL]
  bool TakeType(const DataType& type, bool compared) override {
    if (type_.type != Type::kNull || !type.array) {
      return false;
    }
    type_ = type;
    DataType element = type;
    element.array = false;
    for (const BoundPtr& operand : operands_) {
      (void)operand->TakeType(element, compared);
    }
    return true;
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    std::vector<const Vector*> elements;
    for (const BoundPtr& operand : operands_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, operand->Evaluate(batch, rows));
      elements.push_back(values);
    }
    for (const uint32_t row : rows) {
      Value::Array array;
      for (const Vector* const values : elements) {
        array.push_back(values->At(row));
      }
      out_.SetOther(row, Value(type_.type, std::move(array)));
    }
    return Status::Ok();
  }
};

class Element final : public Computed {
 public:
  Element(BoundPtr array, BoundPtr index, const DataType& type) : Computed(Kind::kOther, type) {
    operands_.push_back(std::move(array));
    operands_.push_back(std::move(index));
  }

 private:
  Status Compute(const Batch& batch, std::span<const uint32_t> rows) override {
    KLIP_ASSIGN_OR_RETURN(const Vector* const arrays, operands_[0]->Evaluate(batch, rows));
    KLIP_ASSIGN_OR_RETURN(const Vector* const indexes, operands_[1]->Evaluate(batch, rows));
    for (const uint32_t row : rows) {
      if (arrays->is_null(row) || indexes->is_null(row)) {
        continue;
      }
      const Value::Array& array = arrays->other(row).array();
      const int64_t index = indexes->whole(row);
      if (index >= 1 && static_cast<size_t>(index) <= array.size()) {
        out_.Set(row, array[static_cast<size_t>(index) - 1]);
      }
    }
    return Status::Ok();
  }
};

Status NeedBoolean(const BoundExpression& a) {
  return (a.type().type == Type::kBoolean || a.type().type == Type::kNull) && !a.type().array
             ? Status::Ok()
             : SqlError(203, "22005", "Type mismatch. BOOLEAN and " + ToString(a.type()));
}

}  // namespace

Compare Mirrored(Compare compare) {
  switch (compare) {
    case Compare::kLess:
      return Compare::kGreater;
    case Compare::kLessOrEqual:
      return Compare::kGreaterOrEqual;
    case Compare::kGreater:
      return Compare::kLess;
    case Compare::kGreaterOrEqual:
      return Compare::kLessOrEqual;
    default:
      return compare;
  }
}

Status BoundExpression::CheckLiterals() {
  if (literals_.has_value()) {
    return Status::Ok();
  }
  literals_ =
      kind_ != Kind::kSubquery && !operands_.empty() && std::ranges::all_of(operands_, [](const BoundPtr& operand) {
        return operand->CheckLiterals().ok() && operand->is_literal();
      });
  Batch one;
  one.rows = 1;
  return *literals_ ? Evaluate(one, AllRows(1)).status() : Status::Ok();
}

void BoundExpression::FreeVectors() {
  for (const BoundPtr& operand : operands_) {
    operand->FreeVectors();
  }
}

const Value* BoundExpression::constant() {
  const auto is_constant = [](const BoundPtr& operand) { return operand->constant() != nullptr; };
  if (operands_.empty() || !std::all_of(operands_.begin(), operands_.end(), is_constant)) {
    return nullptr;
  }
  Batch one;
  one.rows = 1;
  const Expected<const Vector*> values = Evaluate(one, AllRows(1));
  if (!values.ok()) {
    return nullptr;  // the error comes when a row needs the value
  }
  folded_ = (*values)->At(0);
  const bool text = IsText(folded_.type()) && !folded_.is_null() && !folded_.is_array();
  folded_memory_.SetTo(text ? static_cast<int64_t>(folded_.text().size()) : 0);
  return &folded_;
}

namespace {

void Repeat(const Value& value, const DataType& type, size_t rows, Vector* out) {
  out->Reset(type, rows);
  const bool text = out->physical() == Physical::kText && !value.is_null();
  const std::string_view stored = text ? out->Store(value.text()) : std::string_view();
  for (size_t row = 0; row < rows; ++row) {
    text ? out->SetText(row, stored) : out->Set(row, value);
  }
}

}  // namespace

Expected<const Vector*> Constant::Evaluate(const Batch& batch, std::span<const uint32_t> /*rows*/) {
  if (vector_.size() < batch.rows || vector_.type() != type_) {
    Repeat(value_, type_, batch.rows, &vector_);
  }
  return &vector_;
}

bool Constant::TakeType(const DataType& type, bool /*compared*/) {
  if (type_.type != Type::kNull || (type_.array && !type.array)) {
    return false;
  }
  if (value_.is_array()) {  // of NULLs
    value_ = Value(type.type, Value::Array(value_.array()));
  }
  type_ = type;
  return true;
}

SlotValue::SlotValue(SlotPtr slot) : BoundExpression(Kind::kConstant, slot->type()), slot_(std::move(slot)) {
  if (type_.type == Type::kNull) {
    ++slot_->untyped_;
  } else {
    slot_->uses_.push_back({type_});
  }
}

bool SlotValue::TakeType(const DataType& type, bool compared) {
  if (type_.type != Type::kNull || type.type == Type::kNull) {
    return false;
  }
  type_ = type;
  --slot_->untyped_;
  slot_->Suggest(type);
  slot_->uses_.push_back({type, compared});
  return true;
}

void SlotValue::Read() {
  if (changes_ == slot_->changes()) {
    return;
  }
  changes_ = slot_->changes();
  vector_.Reset(type_, 0);
  value_ = &slot_->value();
  if (!value_->is_null() && !IsOneOf(*value_, type_)) {
    Expected<Value> value = Convert(*value_, type_);
    converted_ = value.ok() && type_.type != Type::kNull ? *std::move(value) : Value();
    value_ = &converted_;
  }
}

const Value* SlotValue::constant() {
  Read();
  return value_;
}

Expected<const Vector*> SlotValue::Evaluate(const Batch& batch, std::span<const uint32_t> /*rows*/) {
  Read();
  if (vector_.size() < batch.rows || vector_.type() != type_) {
    Repeat(*value_, type_, batch.rows, &vector_);
  }
  return &vector_;
}

BoundPtr MakeConstant(Value value) {
  DataType type;
  type.array = value.is_array();
  type.type = value.type();
  return std::make_unique<Constant>(std::move(value), type);
}

BoundPtr MakeColumn(size_t column, const DataType& type) { return std::make_unique<ColumnReference>(column, type); }

namespace {

// Whether every value of `from` is one of `to`: the same type, and no limit that it does not have.
bool IsWithin(const DataType& from, const DataType& to) {
  return from == to || (from.type == to.type && from.array == to.array && !IsLimited(to));
}

}  // namespace

BoundPtr& Unconverted(BoundPtr* expression) {
  while ((*expression)->kind() == BoundExpression::Kind::kConvert) {
    expression = &(*expression)->operands()[0];
  }
  return *expression;
}

Expected<BoundPtr> MakeConvert(BoundPtr a, const DataType& type, bool cast) {
  if (type.type == Type::kNull) {  // nothing is known of what is wanted
    return a;
  }
  const bool same = a->type().type == type.type && a->type().array == type.array;
  if (IsWithin(a->type(), type) ||
      (cast && same)) {  // CAST to the same type keeps the value: Phoenix ignores the limits
    return a;
  }
  if (a->TakeType(type, /*compared=*/false)) {
    return a;
  }
  if (auto* const literal = dynamic_cast<Constant*>(a.get()); literal != nullptr) {
    KLIP_ASSIGN_OR_RETURN(Value value, Convert(*literal->constant(), type, cast));
    return BoundPtr(std::make_unique<Constant>(std::move(value), type));
  }
  return BoundPtr(std::make_unique<Conversion>(std::move(a), type, cast));
}

Expected<BoundPtr> MakeLogic(BoundExpression::Kind kind, std::vector<BoundPtr> operands) {
  for (BoundPtr& operand : operands) {
    KLIP_RETURN_IF_ERROR(NeedBoolean(*operand));
    KLIP_ASSIGN_OR_RETURN(operand, MakeConvert(std::move(operand), {.type = Type::kBoolean}));
  }
  return BoundPtr(std::make_unique<Logic>(kind, std::move(operands)));
}

Expected<BoundPtr> MakeNot(BoundPtr a) {
  KLIP_RETURN_IF_ERROR(NeedBoolean(*a));
  KLIP_ASSIGN_OR_RETURN(a, MakeConvert(std::move(a), {.type = Type::kBoolean}));
  return BoundPtr(std::make_unique<Not>(std::move(a)));
}

BoundPtr MakeIsNull(BoundPtr a, bool negated) { return std::make_unique<IsNull>(std::move(a), negated); }

Expected<BoundPtr> MakeCase(std::vector<BoundPtr> operands) {
  DataType type;
  bool unknown = false;
  const auto is_value = [&](size_t i) { return i % 2 == 1 || i + 1 == operands.size(); };
  const auto is_null = [](const DataType& one) { return one.type == Type::kNull && !one.array; };
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_value(i)) {
      KLIP_RETURN_IF_ERROR(NeedBoolean(*operands[i]));
      continue;
    }
    const DataType& of = operands[i]->type();
    const DataType common = is_null(type) ? of : SharedType(type, of);
    if (is_null(common) && !(is_null(type) && is_null(of))) {
      return SqlError(203, "22005", "Type mismatch. " + ToString(type) + " and " + ToString(of));
    }
    type = common;
    unknown = unknown ||
              (operands[i]->type().type == Type::kNull && dynamic_cast<const SlotValue*>(operands[i].get()) == nullptr);
  }
  if (unknown && IsNumber(type.type) && !type.array) {
    type = {.type = Type::kDecimal};  // as in Phoenix, of numbers with NULL
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(operands[i],
                          MakeConvert(std::move(operands[i]), is_value(i) ? type : DataType{.type = Type::kBoolean}));
  }
  return BoundPtr(std::make_unique<Case>(std::move(operands), type));
}

Expected<BoundPtr> MakeArray(std::vector<BoundPtr> operands) {
  DataType element;
  for (const BoundPtr& operand : operands) {
    const bool array = operand->type().array;
    element = element.type == Type::kNull ? operand->type() : CommonType(element, operand->type());
    if (array || (element.type == Type::kNull && operand->type().type != Type::kNull)) {
      return SqlError(203, "22005", "Type mismatch. The elements of an array have one type");
    }
  }
  for (BoundPtr& operand : operands) {
    KLIP_ASSIGN_OR_RETURN(operand, MakeConvert(std::move(operand), element));
  }
  element.array = true;
  return BoundPtr(std::make_unique<ArrayOf>(std::move(operands), element));
}

Expected<BoundPtr> MakeElement(BoundPtr array, BoundPtr index) {
  DataType type = array->type();
  if (!type.array) {
    return SqlError(203, "22005", "Type mismatch. expected: ARRAY but was: " + ToString(type));
  }
  type.array = false;
  const DataType& of_index = index->type();
  if (of_index.array || (of_index.type != Type::kNull && !IsWhole(of_index.type))) {
    return SqlError(203, "22005", "Type mismatch. expected: INTEGER but was: " + ToString(of_index));
  }
  KLIP_ASSIGN_OR_RETURN(index, MakeConvert(std::move(index), {.type = Type::kInteger}));
  return BoundPtr(std::make_unique<Element>(std::move(array), std::move(index), type));
}

namespace {

bool IsIllegalData(const Status& status) { return ErrorOf(status).number == 201; }

// Whether it is the same for all rows, and the error of what is: that is not an error of a row.
std::pair<bool, Status> CheckConstants(BoundExpression* expression) {
  if (expression->operands().empty()) {
    return {expression->constant() != nullptr, Status::Ok()};
  }
  bool all = true;
  for (const BoundPtr& operand : expression->operands()) {
    auto [constant, status] = CheckConstants(operand.get());
    if (!status.ok()) {
      return {true, std::move(status)};
    }
    all = all && constant;
  }
  Batch one;
  one.rows = 1;
  return {all, all ? expression->Evaluate(one, AllRows(1)).status() : Status::Ok()};
}

}  // namespace

BoundPtr MakeFunction(std::unique_ptr<BoundFunction> function, std::vector<BoundPtr> operands,
                      const FunctionContext* context) {
  return std::make_unique<Function>(std::move(function), std::move(operands), context);
}

Status FilterWhere(BoundExpression* condition, const Batch& batch, std::span<const uint32_t> rows, Selection* kept) {
  const size_t before = kept->size();
  Status filtered = Filter(condition, batch, rows, kept);
  if (!IsIllegalData(filtered)) {
    return filtered;
  }
  KLIP_RETURN_IF_ERROR(CheckConstants(condition).second);
  kept->resize(before);
  for (const uint32_t& row : rows) {
    const Status one = Filter(condition, batch, std::span(&row, 1), kept);
    KLIP_RETURN_IF_ERROR(IsIllegalData(one) ? Status::Ok() : one);
  }
  return Status::Ok();
}

Status Filter(BoundExpression* condition, const Batch& batch, std::span<const uint32_t> rows, Selection* kept) {
  KLIP_ASSIGN_OR_RETURN(const Vector* const holds, condition->Evaluate(batch, rows));
  for (const uint32_t row : rows) {
    if (!holds->is_null(row) && holds->whole(row) != 0) {
      kept->push_back(row);
    }
  }
  return Status::Ok();
}

}  // namespace klip::sql
