#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

DataType DoubleType(ArgumentTypes /*arguments*/) { return {Type::kDouble}; }
DataType SignType(ArgumentTypes /*arguments*/) { return {Type::kInteger}; }
DataType FirstType(ArgumentTypes arguments) {
  return arguments[0].type.type == Type::kNull ? DataType{Type::kDecimal} : arguments[0].type;
}

double RealValue(const Value& value) {
  if (value.type() == Type::kDecimal) {
    return ToDouble(value.decimal());
  }
  return IsWhole(value.type()) ? static_cast<double>(value.integer()) : value.real();
}

template <double (*kFunction)(double)>
Expected<Value> OfOne(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value::Double(kFunction(RealValue(values[0])));
}

// glibc's cbrt(27) is 3.0000000000000004.
double CubeRoot(double value) { return static_cast<double>(std::cbrt(static_cast<long double>(value))); }

Expected<Value> Power(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value::Double(std::pow(RealValue(values[0]), RealValue(values[1])));
}

// To base 10, or to the second argument's base.
Expected<Value> Logarithm(std::span<const Value> values, std::span<const DataType> /*types*/) {
  return Value::Double(std::log(RealValue(values[0])) / std::log(values.size() > 1 ? RealValue(values[1]) : 10));
}

// The numbers of Java's Random with a seed, in [0, 1): in each execution of the statement from the first one on.
class SeededRandom {
 public:
  double Next(int64_t seed, int64_t execution) {
    if (execution_ != execution) {
      execution_ = execution;
      state_ = static_cast<uint64_t>(seed) ^ kFactor;
    }
    const uint64_t high = Bits() >> 22;
    return static_cast<double>((high << 27) + (Bits() >> 21)) * 0x1p-53;
  }

 private:
  static constexpr uint64_t kFactor = 0x5DEECE66D;
  uint64_t Bits() { return state_ = (state_ * kFactor + 0xB) & ((uint64_t{1} << 48) - 1); }

  int64_t execution_ = -1;
  uint64_t state_ = 0;
};

// Another number for each row.
Expected<std::unique_ptr<BoundFunction>> BindRandom(ArgumentTypes /*arguments*/) {
  auto random = [seeded = std::make_shared<SeededRandom>()](std::span<const Value> values,
                                                            const FunctionContext& context) -> Expected<Value> {
    thread_local std::mt19937_64 generator{std::random_device{}()};
    const bool has_seed = !values.empty() && !values[0].is_null();
    return Value::Double(has_seed ? seeded->Next(values[0].integer(), context.execution)
                                  : static_cast<double>(generator() >> 11) * 0x1p-53);
  };
  return MakeBoundFunction({Type::kDouble}, random, Nulls::kPassed, /*constant=*/false);
}

Expected<Value> Pi(std::span<const Value> /*values*/, std::span<const DataType> /*types*/) {
  return Value::Double(std::numbers::pi);
}

Expected<Value> Absolute(std::span<const Value> values, std::span<const DataType> /*types*/) {
  const Value& value = values[0];
  if (value.type() == Type::kDecimal) {
    const Decimal& decimal = value.decimal();
    return Value(value.type(),
                 Decimal(decimal.unscaled() < 0 ? -decimal.unscaled() : decimal.unscaled(), decimal.scale()));
  }
  if (!IsWhole(value.type())) {
    return Value(value.type(), std::abs(value.real()));
  }
  auto magnitude = static_cast<uint64_t>(value.integer());  // the smallest BIGINT does not change, as in Java
  return Value(value.type(), static_cast<int64_t>(value.integer() < 0 ? 0 - magnitude : magnitude));
}

Expected<Value> SignOfNumber(std::span<const Value> values, std::span<const DataType> /*types*/) {
  std::weak_ordering order = CompareValues(values[0], Value::Integer(0));
  return Value(Type::kInteger, int64_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

}  // namespace

std::span<const FunctionEntry> MathFunctions() {
  static const std::vector<Type> kReal = {Type::kDouble, Type::kDecimal};
  static const std::vector<Type> kNumber = {Type::kDecimal};
  static const std::vector<FunctionEntry> kTable = {
      {"SQRT", 1, {kReal}, DoubleType, OfOne<std::sqrt>},
      {"CBRT", 1, {kReal}, DoubleType, OfOne<CubeRoot>},
      {"EXP", 1, {kReal}, DoubleType, OfOne<std::exp>},
      {"LN", 1, {kReal}, DoubleType, OfOne<std::log>},
      {"SIN", 1, {kReal}, DoubleType, OfOne<std::sin>},
      {"COS", 1, {kReal}, DoubleType, OfOne<std::cos>},
      {"TAN", 1, {kReal}, DoubleType, OfOne<std::tan>},
      {"POWER", 2, {kReal, kReal}, DoubleType, Power},
      {"LOG", 1, {kReal, kReal}, DoubleType, Logarithm},
      {"RAND", 0, {{Type::kBigint}}, nullptr, nullptr, BindRandom},
      {"PI", 0, {}, DoubleType, Pi},
      {"ABS", 1, {kNumber}, FirstType, Absolute},
      {"SIGN", 1, {kNumber}, SignType, SignOfNumber},
  };
  return kTable;
}

}  // namespace klip::sql
