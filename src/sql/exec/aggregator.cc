#include "sql/exec/aggregator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "sql/exec/key_table.h"

namespace klip::sql {
namespace {

class Count final : public Aggregator {
 public:
  void Resize(size_t groups) override { counts_.resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      counts_[groups[i]] += arguments.empty() || !arguments[0]->is_null(rows[i]) ? 1 : 0;
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override { return Value::Integer(counts_[group]); }
  size_t memory_bytes() const override { return counts_.capacity() * sizeof(int64_t); }

 private:
  std::vector<int64_t> counts_;
};

// Of values that were made BIGINT, DOUBLE or DECIMAL.
class Sum : public Aggregator {
 public:
  explicit Sum(DataType argument) : sums_(argument) {}

  void Resize(size_t groups) override {
    sums_.Resize(groups);
    counts_.resize(groups);
  }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    const Vector& values = *arguments[0];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (values.is_null(rows[i])) {
        continue;
      }
      const uint32_t group = groups[i];
      if (counts_[group]++ == 0) {
        sums_.Copy(group, values, rows[i]);
        continue;
      }
      if (values.physical() == Physical::kWhole) {
        int64_t sum = 0;
        if (__builtin_add_overflow(sums_.whole(group), values.whole(rows[i]), &sum)) {
          return SqlError(206, "22003", "The sum exceeds the range of BIGINT");
        }
        sums_.SetWhole(group, sum);
      } else if (values.physical() == Physical::kReal) {
        sums_.SetReal(group, sums_.real(group) + values.real(rows[i]));
      } else {
        KLIP_ASSIGN_OR_RETURN(const Decimal sum, klip::sql::Add(sums_.decimal(group), values.decimal(rows[i])));
        sums_.SetDecimal(group, sum);
      }
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override { return sums_.At(group); }
  size_t memory_bytes() const override { return sums_.memory_bytes() + counts_.capacity() * sizeof(int64_t); }

 protected:
  Vector sums_;
  std::vector<int64_t> counts_;
};

class Average final : public Sum {
 public:
  Average(const DataType& argument, int scale) : Sum(argument), scale_(scale) {}

  Expected<Value> Result(size_t group) const override {
    if (counts_[group] == 0) {
      return Value();
    }
    const auto count = Decimal(counts_[group]);
    Decimal sum;
    if (sums_.physical() == Physical::kReal) {
      KLIP_ASSIGN_OR_RETURN(sum, ToDecimal(sums_.real(group)));
    } else {
      sum = sums_.physical() == Physical::kWhole ? Decimal(sums_.whole(group)) : sums_.decimal(group);
    }
    KLIP_ASSIGN_OR_RETURN(const Decimal average, Divide(sum, count));
    constexpr int kLeastScale = 4;  // PDataType.MIN_DECIMAL_AVG_SCALE
    return Value::Number(Normalized(Rescale(average, std::max(kLeastScale, scale_), /*round=*/false)));
  }

 private:
  int scale_;  // of the column
};

class Extreme final : public Aggregator {
 public:
  Extreme(const DataType& type, bool largest) : best_(type), largest_(largest) {}

  void Resize(size_t groups) override { best_.Resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    const Vector& values = *arguments[0];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!values.is_null(rows[i]) && (best_.is_null(groups[i]) || Better(values, rows[i], groups[i]))) {
        best_.Copy(groups[i], values, rows[i]);
      }
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override { return best_.At(group); }
  size_t memory_bytes() const override { return best_.memory_bytes(); }

 private:
  bool Better(const Vector& values, uint32_t row, uint32_t group) const {
    const auto order = [&]() -> std::weak_ordering {
      switch (values.physical()) {
        case Physical::kWhole:
          return values.whole(row) <=> best_.whole(group);
        case Physical::kText:
          return values.text(row) <=> best_.text(group);
        default:
          return CompareValues(values.At(row), best_.At(group));
      }
    }();
    return largest_ ? order > 0 : order < 0;
  }

  Vector best_;
  bool largest_;
};

// Welford's update of mean and squared distances.
class Deviation final : public Aggregator {
 public:
  explicit Deviation(bool sample) : sample_(sample) {}

  void Resize(size_t groups) override { states_.resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!arguments[0]->is_null(rows[i])) {
        State& state = states_[groups[i]];
        const double value = arguments[0]->real(rows[i]);
        const double before = value - state.mean;
        state.mean += before / static_cast<double>(++state.count);
        state.squares += before * (value - state.mean);
      }
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override {
    const State& state = states_[group];
    const int64_t divisor = state.count - (sample_ ? 1 : 0);
    if (divisor <= 0) {
      return Value();
    }
    KLIP_ASSIGN_OR_RETURN(const Decimal deviation, ToDecimal(std::sqrt(state.squares / static_cast<double>(divisor))));
    return Value::Number(deviation);
  }

 private:
  struct State {
    int64_t count = 0;
    double mean = 0;
    double squares = 0;
  };
  bool sample_;
  std::vector<State> states_;
};

// FIRST_VALUE, LAST_VALUE, NTH_VALUE and percentiles: WITHIN GROUP sorts the values of each group. Arguments: the value, and then the
// terms' values.
class Ordered final : public Aggregator {
 public:
  enum class Pick : uint8_t { kFirst, kLast, kNth, kDiscrete, kContinuous };
  Ordered(Pick pick, double parameter, bool descending) : pick_(pick), parameter_(parameter), descending_(descending) {}

  void Resize(size_t groups) override { groups_.resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const Vector& order = *arguments.back();
      if (order.is_null(rows[i]) && pick_ >= Pick::kDiscrete) {
        continue;
      }
      std::string key;
      AppendSortKey(order, rows[i], descending_, /*nulls_last=*/false, &key);
      bytes_ += key.size() + sizeof(Entry);
      groups_[groups[i]].push_back({std::move(key), arguments[0]->At(rows[i])});
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override {
    std::vector<Entry> sorted = groups_[group];
    if (sorted.empty()) {
      return Value();
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    const auto count = static_cast<double>(sorted.size());
    switch (pick_) {
      case Pick::kFirst:
        return sorted.front().value;
      case Pick::kLast:
        return sorted.back().value;
      case Pick::kNth: {
        const auto nth = static_cast<size_t>(parameter_);
        return nth >= 1 && nth <= sorted.size() ? sorted[nth - 1].value : Value();
      }
      case Pick::kDiscrete:
        return sorted[static_cast<size_t>(std::max(0.0, std::ceil(parameter_ * count) - 1))].value;
      case Pick::kContinuous:
        break;
    }
    const double at = parameter_ * (count - 1);
    const auto low = static_cast<size_t>(std::floor(at));
    const auto high = static_cast<size_t>(std::ceil(at));
    KLIP_ASSIGN_OR_RETURN(const Value low_value, Convert(sorted[low].value, {.type = Type::kDouble}));
    KLIP_ASSIGN_OR_RETURN(const Value high_value, Convert(sorted[high].value, {.type = Type::kDouble}));
    const double share = at - std::floor(at);
    KLIP_ASSIGN_OR_RETURN(const Decimal value, ToDecimal(low_value.real() * (1 - share) + high_value.real() * share));
    return Value::Number(value);
  }

  size_t memory_bytes() const override { return bytes_; }

 private:
  struct Entry {
    std::string key;
    Value value;
  };
  Pick pick_;
  double parameter_;
  bool descending_;
  std::vector<std::vector<Entry>> groups_;
  size_t bytes_ = 0;
};

// Hands each different value of a group on once.
class Distinct final : public Aggregator {
 public:
  explicit Distinct(std::unique_ptr<Aggregator> inner) : inner_(std::move(inner)) {}

  void Resize(size_t groups) override { inner_->Resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    rows_.clear();
    groups_.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      key_.assign(reinterpret_cast<const char*>(&groups[i]), sizeof(uint32_t));
      bool any_null = false;
      for (const Vector* const argument : arguments) {
        any_null |= argument->is_null(rows[i]);
        AppendSortKey(*argument, rows[i], /*descending=*/false, /*nulls_last=*/false, &key_);
      }
      if (!any_null && seen_.Insert(key_).second) {
        rows_.push_back(rows[i]);
        groups_.push_back(groups[i]);
      }
    }
    return inner_->Add(arguments, rows_, groups_);
  }

  Expected<Value> Result(size_t group) const override { return inner_->Result(group); }
  size_t memory_bytes() const override { return seen_.memory_bytes() + inner_->memory_bytes(); }

 private:
  std::unique_ptr<Aggregator> inner_;
  KeyTable seen_;
  std::string key_;
  Selection rows_;
  Selection groups_;
};

struct AggregateName {
  std::string_view name;
  size_t arguments;  // besides those of WITHIN GROUP
  bool within;       // needs WITHIN GROUP
};
constexpr std::array<AggregateName, 12> kAggregates = {{{"COUNT", 1, false},
                                                        {"SUM", 1, false},
                                                        {"AVG", 1, false},
                                                        {"MIN", 1, false},
                                                        {"MAX", 1, false},
                                                        {"STDDEV_POP", 1, false},
                                                        {"STDDEV_SAMP", 1, false},
                                                        {"FIRST_VALUE", 1, true},
                                                        {"LAST_VALUE", 1, true},
                                                        {"NTH_VALUE", 2, true},
                                                        {"PERCENTILE_CONT", 1, true},
                                                        {"PERCENTILE_DISC", 1, true}}};

const AggregateName* FindAggregate(std::string_view name) {
  const auto* const found = std::find_if(kAggregates.begin(), kAggregates.end(),
                                         [&](const AggregateName& aggregate) { return aggregate.name == name; });
  return found == kAggregates.end() ? nullptr : found;
}

bool IsPercentile(std::string_view name) { return name.starts_with("PERCENTILE"); }

double ParameterOf(const AggregateCall& call) {
  const size_t at = call.name == "NTH_VALUE" ? 1 : 0;
  if ((call.name != "NTH_VALUE" && !IsPercentile(call.name)) || call.arguments[at]->constant() == nullptr) {
    return 0;
  }
  const Expected<Value> parameter = Convert(*call.arguments[at]->constant(), {.type = Type::kDouble});
  return parameter.ok() && !parameter->is_null() ? parameter->real() : 0;
}

}  // namespace

bool IsAggregate(std::string_view name) { return FindAggregate(name) != nullptr; }

Status CheckAggregate(AggregateCall* call) {
  const AggregateName* const aggregate = FindAggregate(call->name);
  const bool star = call->name == "COUNT" && call->arguments.empty();
  if ((!star && call->arguments.size() != aggregate->arguments && !(call->name == "COUNT" && call->distinct)) ||
      aggregate->within == call->within.empty()) {
    return SqlError(605, "42P00", "Syntax error. Unknown function: \"" + call->name + "\" with these arguments");
  }
  if (star || call->name == "COUNT") {
    call->type.type = Type::kBigint;
    return Status::Ok();
  }
  BoundPtr& argument = call->arguments[0];
  call->type = argument->type();
  if (call->name == "SUM" || call->name == "AVG" || call->name.starts_with("STDDEV")) {
    if (!IsNumber(argument->type().type) && argument->type().type != Type::kNull) {
      return SqlError(203, "22005",
                      "Type mismatch. expected: [NUMBER] but was: " + ToString(argument->type()) + " at " + call->name +
                          " argument 1");
    }
    DataType sum;
    sum.type = call->name.starts_with("STDDEV") || PhysicalOf(argument->type()) == Physical::kReal ? Type::kDouble
               : argument->type().type == Type::kDecimal                                           ? Type::kDecimal
                                                                                                   : Type::kBigint;
    call->scale = argument->type().scale;
    KLIP_ASSIGN_OR_RETURN(argument, MakeConvert(std::move(argument), sum));
    const bool decimal = call->name.starts_with("STDDEV") || call->name == "AVG";
    call->type.type = decimal ? Type::kDecimal : sum.type;
    call->type.precision = 0;
    call->type.scale = -1;
    return Status::Ok();
  }
  if (IsPercentile(call->name)) {
    call->type =
        call->name == "PERCENTILE_CONT" ? DataType{.type = Type::kDecimal} : call->within[0].expression->type();
  }
  return Status::Ok();
}

std::unique_ptr<Aggregator> MakeAggregator(const AggregateCall& call) {
  using Pick = Ordered::Pick;
  std::unique_ptr<Aggregator> made;
  const bool descending = !call.within.empty() && call.within[0].descending;
  if (call.name == "COUNT") {
    made = std::make_unique<Count>();
  } else if (call.name == "SUM") {
    made = std::make_unique<Sum>(call.arguments[0]->type());
  } else if (call.name == "AVG") {
    made = std::make_unique<Average>(call.arguments[0]->type(), call.scale);
  } else if (call.name == "MIN" || call.name == "MAX") {
    made = std::make_unique<Extreme>(call.type, call.name == "MAX");
  } else if (call.name.starts_with("STDDEV")) {
    made = std::make_unique<Deviation>(call.name == "STDDEV_SAMP");
  } else {
    const Pick pick = call.name == "FIRST_VALUE"       ? Pick::kFirst
                      : call.name == "LAST_VALUE"      ? Pick::kLast
                      : call.name == "NTH_VALUE"       ? Pick::kNth
                      : call.name == "PERCENTILE_DISC" ? Pick::kDiscrete
                                                       : Pick::kContinuous;
    made = std::make_unique<Ordered>(pick, ParameterOf(call), descending);
  }
  return call.distinct ? std::make_unique<Distinct>(std::move(made)) : std::move(made);
}

}  // namespace klip::sql
