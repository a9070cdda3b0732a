// Expressions that the binder made of names and types: each computes a vector of values for the rows asked for. NULL follows SQL's
// three-valued logic. An expression keeps the vector that it returns, so one tree is evaluated by one thread at a time.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "klip/sql_value.h"
#include "klip/status.h"
#include "sql/exec/vector.h"
#include "sql/types/functions.h"
#include "sql/types/memory.h"

namespace klip::sql {

enum class Compare : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };
bool Holds(Compare compare, std::weak_ordering order);
Compare Mirrored(Compare compare);  // of exchanged operands: < becomes >

class BoundExpression;
using BoundPtr = std::unique_ptr<BoundExpression>;

class BoundExpression {
 public:
  // What the planner looks for in a condition; the rest is kOther.
  enum class Kind : uint8_t {
    kConstant,
    kColumn,
    kCompare,
    kAnd,
    kOr,
    kNot,
    kIsNull,
    kLike,
    kIn,
    kConvert,
    kSubquery,
    kOther
  };

  virtual ~BoundExpression() = default;

  Kind kind() const { return kind_; }
  const DataType& type() const { return type_; }
  const std::vector<BoundPtr>& operands() const { return operands_; }
  std::vector<BoundPtr>& operands() { return operands_; }
  size_t column() const { return column_; }  // kColumn: of the batch
  void set_column(size_t column) { column_ = column; }
  Compare compare() const { return compare_; }       // kCompare
  bool negated() const { return negated_; }          // kIsNull, kLike, kIn
  bool ignore_case() const { return ignore_case_; }  // kLike
  // BoundFunction::letter_case() of a function; its argument is operands()[0].
  std::optional<base::LetterCase> letter_case() const { return letter_case_; }

  // By which an index on the expression is found (plan/expression_identity.h). Empty: a column, a condition, or not indexable.
  const std::string& identity() const { return identity_; }
  void SetIdentity(std::string identity) { identity_ = std::move(identity); }

  // The values of the rows. Those of other rows of the vector mean nothing. Valid until the next call, and as long as the batch.
  virtual Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) = 0;
  // Frees the memory of what the last call has returned, and of those of the operands. The next call makes it again.
  virtual void FreeVectors();

  // Errors: those of the value of an expression of literals. Phoenix computes it when it compiles a statement.
  Status CheckLiterals();
  // Whether it consists of literals only, as CheckLiterals() has found.
  virtual bool is_literal() const { return literals_.value_or(false); }

  // The value, if it is the same for all rows of this execution, as it is now; else null. What has constant operands only is constant.
  virtual const Value* constant();

  // Gives this type to what has none yet: the word NULL, or a parameter. False: it has one, or takes none. `compared`: the value is only
  // compared or stored, so its own type does not matter: 2 is 2.0.
  virtual bool TakeType(const DataType& /*type*/, bool /*compared*/ = false) { return false; }

 protected:
  BoundExpression(Kind kind, const DataType& type) : kind_(kind), type_(type) {}

  Kind kind_;
  DataType type_;
  std::vector<BoundPtr> operands_;
  size_t column_ = 0;
  Compare compare_ = Compare::kEqual;
  bool negated_ = false;
  bool ignore_case_ = false;
  std::optional<base::LetterCase> letter_case_;
  std::string identity_;

 private:
  std::optional<bool> literals_;
  Value folded_;  // what constant() points to
  ColumnMemory folded_memory_;
};

// One that keeps what it has computed.
class KeepingExpression : public BoundExpression {
 public:
  void FreeVectors() override {
    BoundExpression::FreeVectors();
    out_ = Vector();
  }

 protected:
  using BoundExpression::BoundExpression;

  Vector out_;
};

// A literal.
class Constant final : public BoundExpression {
 public:
  // REQUIRES: NULL or of the type.
  Constant(Value value, const DataType& type) : BoundExpression(Kind::kConstant, type), value_(std::move(value)) {}

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override;
  void FreeVectors() override { vector_ = Vector(); }
  const Value* constant() override { return &value_; }
  bool is_literal() const override { return true; }
  bool TakeType(const DataType& type, bool compared) override;

 private:
  Value value_;
  Vector vector_;  // the value as often as it was wanted
};

// A value that comes with an execution or from the query around a subquery. The plan that sets it and the expressions that read it share it,
// so an expression may be moved or dropped at any time. Not thread-safe: it is set while nothing is evaluated.
class Slot {
 public:
  explicit Slot(const DataType& type = {}) : type_(type) {}

  const Value& value() const { return value_; }
  void Set(Value value) {
    value_ = std::move(value);
    ++changes_;
  }
  uint64_t changes() const { return changes_; }

  // The first that an expression reads it as; kNull: not known yet.
  const DataType& type() const { return type_; }
  // What expressions read it as.
  struct Use {
    DataType type;
    bool compared = false;  // as BoundExpression::TakeType says
  };
  const std::vector<Use>& uses() const { return uses_; }
  // Its type, if it is not known yet.
  void Suggest(const DataType& type) { type_ = type_.type == Type::kNull ? type : type_; }
  // Whether an expression was made before the type was known, and has none.
  bool has_untyped() const { return untyped_ > 0; }

 private:
  friend class SlotValue;

  Value value_;
  uint64_t changes_ = 0;
  DataType type_;
  std::vector<Use> uses_;
  size_t untyped_ = 0;
};
using SlotPtr = std::shared_ptr<Slot>;

// Reads a slot, as a value of its own type. REQUIRES: the slot's value can be converted to it.
class SlotValue final : public BoundExpression {
 public:
  explicit SlotValue(SlotPtr slot);  // of the slot's type

  Expected<const Vector*> Evaluate(const Batch& batch, std::span<const uint32_t> rows) override;
  void FreeVectors() override { vector_ = Vector(); }
  const Value* constant() override;
  bool TakeType(const DataType& type, bool compared) override;

  const SlotPtr& slot() const { return slot_; }

 private:
  void Read();

  SlotPtr slot_;
  uint64_t changes_ = 0;  // of the slot when it was read
  Value converted_;
  const Value* value_ = &converted_;  // this one, or the slot's
  Vector vector_;                     // the value as often as it was wanted
};

// --- Making them. Errors: SQL errors: types that do not fit. ---
BoundPtr MakeConstant(Value value);
BoundPtr MakeColumn(size_t column, const DataType& type);
// `a` as `type`; itself if it has that type. `cast`: as CAST converts, which rounds.
Expected<BoundPtr> MakeConvert(BoundPtr a, const DataType& type, bool cast = false);
// What is converted, perhaps several times; *expression itself if it is no conversion.
BoundPtr& Unconverted(BoundPtr* expression);
Expected<BoundPtr> MakeCompare(Compare compare, BoundPtr a, BoundPtr b);
Expected<BoundPtr> MakeArithmetic(char operation, BoundPtr a, BoundPtr b);
Expected<BoundPtr> MakeNegate(BoundPtr a);
Expected<BoundPtr> MakeConcat(std::vector<BoundPtr> operands);
// kAnd, kOr. An operand is computed for the rows that those before it leave open.
Expected<BoundPtr> MakeLogic(BoundExpression::Kind kind, std::vector<BoundPtr> operands);
Expected<BoundPtr> MakeNot(BoundPtr a);
BoundPtr MakeIsNull(BoundPtr a, bool negated);
Expected<BoundPtr> MakeLike(BoundPtr a, BoundPtr pattern, bool ignore_case, bool negated);
// operands: a, then the list. The list is constant in an execution.
Expected<BoundPtr> MakeIn(BoundPtr a, std::vector<BoundPtr> list, bool negated);
// operands: condition, value, ..., [else].
Expected<BoundPtr> MakeCase(std::vector<BoundPtr> operands);
Expected<BoundPtr> MakeArray(std::vector<BoundPtr> operands);
// a compare ANY/ALL (array).
Expected<BoundPtr> MakeAnyElement(Compare compare, BoundPtr a, BoundPtr array, bool all);
Expected<BoundPtr> MakeElement(BoundPtr array, BoundPtr index);  // from 1; NULL where there is none
// `context` must outlive the expression.
BoundPtr MakeFunction(std::unique_ptr<BoundFunction> function, std::vector<BoundPtr> operands,
                      const FunctionContext* context);

// Appends to *kept those of `rows` for which the condition is true.
Status Filter(BoundExpression* condition, const Batch& batch, std::span<const uint32_t> rows, Selection* kept);
// As WHERE: a row whose values make the condition fail with error 201 does not match, as in Phoenix's filters. So
// TO_NUMBER(t) > 5 finds the numbers among other texts.
Status FilterWhere(BoundExpression* condition, const Batch& batch, std::span<const uint32_t> rows, Selection* kept);

}  // namespace klip::sql
