#include "sql/exec/aggregator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "klip/bytes.h"
#include "sql/exec/key_table.h"
#include "sql/exec/sorter.h"

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
  size_t memory_bytes(size_t more) const override { return CapacityWith(counts_, more) * sizeof(int64_t); }

 private:
  std::vector<int64_t> counts_;
};

// Of values that were made BIGINT, DOUBLE or DECIMAL.
class Sum : public Aggregator {
 public:
  explicit Sum(DataType argument) : sums_(argument) { sums_.SetReserved(); }

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

  Expected<Value> Result(size_t group) const override {
    const Value sum = sums_.At(group);
    return sum.type() == Type::kDecimal && !sum.is_null() ? Value::Number(Normalized(sum.decimal())) : sum;
  }
  size_t memory_bytes(size_t more) const override {
    return sums_.memory_bytes(more) + CapacityWith(counts_, more) * sizeof(int64_t);
  }

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
  Extreme(const DataType& type, bool largest) : best_(type), largest_(largest) { best_.SetReserved(); }

  void Resize(size_t groups) override { best_.Resize(groups); }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    const Vector& values = *arguments[0];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!values.is_null(rows[i]) && (best_.is_null(groups[i]) || Better(values, rows[i], groups[i]))) {
        old_bytes_ += best_.physical() == Physical::kText ? best_.text(groups[i]).size() : 0;
        best_.Copy(groups[i], values, rows[i]);
      }
    }
    if (old_bytes_ > kBatchRows && old_bytes_ > best_.arena().bytes() / 2) {
      DropOld();
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override { return best_.At(group); }
  size_t memory_bytes(size_t more) const override { return best_.memory_bytes(more); }

 private:
  // Texts that were the best before are still in memory.
  void DropOld() {
    Vector best(best_.type());
    best.SetReserved();
    best.Resize(best_.size());
    for (size_t group = 0; group < best_.size(); ++group) {
      best.Copy(group, best_, group);
    }
    best_ = std::move(best);
    old_bytes_ = 0;
  }

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
  size_t old_bytes_ = 0;  // of texts
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
    return Value::Number(Normalized(deviation));
  }
  size_t memory_bytes(size_t more) const override { return CapacityWith(states_, more) * sizeof(State); }

 private:
  struct State {
    int64_t count = 0;
    double mean = 0;
    double squares = 0;
  };
  bool sample_;
  std::vector<State> states_;
};

// FIRST_VALUE, LAST_VALUE, NTH_VALUE, FIRST_VALUES, LAST_VALUES and percentiles: WITHIN GROUP sorts the values of each group. Arguments:
// the value, and then the terms' values. As in Phoenix, a row with a NULL among them does not count. After Spill, the values of all groups
// are in one sort, by group and then by their keys.
class Ordered final : public Aggregator {
 public:
  enum class Pick : uint8_t { kFirst, kLast, kNth, kFirstValues, kLastValues, kDiscrete, kContinuous };
  Ordered(const DataType& type, Pick pick, double parameter, bool descending)
      : types_({type}), pick_(pick), parameter_(parameter), descending_(descending) {}

  void Resize(size_t groups) override {
    counts_.resize(groups);
    groups_.resize(rows_ == nullptr ? groups : 0);
    picked_.resize(rows_ == nullptr ? 0 : groups);
  }

  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const Vector& order = *arguments.back();
      if (order.is_null(rows[i]) || arguments[0]->is_null(rows[i])) {
        continue;
      }
      ++counts_[groups[i]];
      std::string key;
      AppendSortKey(order, rows[i], descending_, /*nulls_last=*/false, &key);
      if (rows_ != nullptr) {
        KLIP_RETURN_IF_ERROR(AddRow(groups[i], key, *arguments[0], rows[i]));
        continue;
      }
      bytes_ += key.size() + 2 * sizeof(Entry) +  // lists double
                (arguments[0]->physical() == Physical::kText ? arguments[0]->text(rows[i]).size() : 0);
      groups_[groups[i]].push_back({std::move(key), arguments[0]->At(rows[i])});
    }
    return Status::Ok();
  }

  Status Spill(Execution* execution) override {
    rows_ = std::make_unique<RowSorter>();
    rows_->Reset(execution);
    Vector value(types_[0]);
    value.Resize(1);
    for (uint32_t group = 0; group < groups_.size(); ++group) {
      for (const Entry& entry : std::exchange(groups_[group], {})) {
        value.Set(0, entry.value);
        KLIP_RETURN_IF_ERROR(AddRow(group, entry.key, value, 0));
      }
    }
    Resize(counts_.size());
    groups_.shrink_to_fit();
    bytes_ = 0;
    return Status::Ok();
  }

  Status Finish() override {
    if (rows_ == nullptr) {
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(rows_->Finish());
    Batch row;
    uint32_t group = KeyTable::kNone;
    for (size_t at = 0; !rows_->at_end(); ++at) {
      const auto next = ReadBigEndian<uint32_t>(rows_->row().key.data());
      at = next == group ? at : 0;
      group = next;
      const Place place = PlaceAmong(static_cast<size_t>(counts_[group]));
      if (at >= place.low && at <= place.high) {
        ResetBatch(types_, 1, &row);
        ReadValues(rows_->row().values, row.columns, 0);
        picked_[group].push_back(row.columns[0].At(0));
        picked_bytes_ += rows_->row().values.size() + sizeof(Value);
        KLIP_RETURN_IF_ERROR(CheckBytes(picked_bytes_));
      }
      KLIP_RETURN_IF_ERROR(rows_->Next());
    }
    return Status::Ok();
  }

  Expected<Value> Result(size_t group) const override {
    const auto count = static_cast<size_t>(counts_[group]);
    const Place place = PlaceAmong(count);
    if (place.low >= count) {
      return Value();
    }
    if (rows_ != nullptr) {
      return Combine(picked_[group], place.share);
    }
    std::vector<Entry> sorted = groups_[group];
    std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    std::vector<Value> picked;
    for (size_t at = place.low; at <= place.high; ++at) {
      picked.push_back(std::move(sorted[at].value));
    }
    return Combine(std::move(picked), place.share);
  }

  size_t memory_bytes(size_t more) const override {
    const size_t lists = rows_ == nullptr
                             ? CapacityWith(groups_, more) * sizeof(std::vector<Entry>) + more * sizeof(Entry)
                             : CapacityWith(picked_, more) * sizeof(std::vector<Value>) + picked_bytes_;
    return bytes_ + lists + CapacityWith(counts_, more) * sizeof(int64_t);
  }

 private:
  struct Entry {
    std::string key;
    Value value;
  };
  // The first and last position of the wanted values among the sorted ones of a group, and how far between the two the result is. `low`
  // is the count or more: NULL.
  struct Place {
    size_t low;
    size_t high;
    double share = 0;
  };

  Place PlaceAmong(size_t count) const {
    const auto at = [](size_t position) { return Place{position, position}; };
    if (count == 0) {
      return at(0);
    }
    switch (pick_) {
      case Pick::kFirst:
        return at(0);
      case Pick::kLast:
        return at(count - 1);
      case Pick::kFirstValues:
        return {0, Wanted(count) - 1};
      case Pick::kLastValues:
        return {count - Wanted(count), count - 1};
      case Pick::kNth:
        return at(parameter_ >= 1 ? static_cast<size_t>(parameter_) - 1 : count);
      case Pick::kDiscrete:
        return at(static_cast<size_t>(std::max(0.0, std::ceil(parameter_ * static_cast<double>(count)) - 1)));
      case Pick::kContinuous:
        break;
    }
    // As Phoenix does, in single precision: between the value `before`, counted from 1, and the next one.
    const float position = static_cast<float>(parameter_) * static_cast<float>(count) + 0.5F;
    const auto before = static_cast<size_t>(std::max(position, 0.0F));
    return {std::clamp<size_t>(before, 1, count) - 1, std::min(before, count - 1),
            position - static_cast<float>(before)};
  }

  // How many values FIRST_VALUES and LAST_VALUES give: in Phoenix at least one.
  size_t Wanted(size_t count) const {
    return static_cast<size_t>(std::clamp(parameter_, 1.0, static_cast<double>(count)));
  }

  static Status CheckBytes(size_t bytes) {
    constexpr size_t kMost = size_t{64} << 20;
    return bytes <= kMost ? Status::Ok()
                          : SqlError(206, "22003", "The results of FIRST_VALUES and LAST_VALUES are too large");
  }

  // `picked`: those of the place, in their order.
  Expected<Value> Combine(std::vector<Value> picked, double share) const {
    if (pick_ == Pick::kFirstValues || pick_ == Pick::kLastValues) {
      if (pick_ == Pick::kLastValues) {
        std::ranges::reverse(picked);
      }
      return Value(types_[0].type, std::move(picked));
    }
    if (pick_ != Pick::kContinuous) {
      return std::move(picked.front());
    }
    KLIP_ASSIGN_OR_RETURN(const Value low_value, Convert(picked.front(), {.type = Type::kDouble}));
    KLIP_ASSIGN_OR_RETURN(const Value high_value, Convert(picked.back(), {.type = Type::kDouble}));
    const double value = low_value.real() * (1 - share) + high_value.real() * share;
    std::array<char, 64> digits;  // all that the DOUBLE has, up to those of a DECIMAL
    const int size = std::snprintf(digits.data(), digits.size(), "%.37e", value);
    const Expected<Decimal> exact = Decimal::Parse({digits.data(), static_cast<size_t>(size)});
    if (!exact.ok()) {
      return SqlError(206, "22003", "The data exceeds the max capacity for the data type. DECIMAL");
    }
    return Value::Number(Normalized(*exact));
  }

  Status AddRow(uint32_t group, std::string_view order, const Vector& value, size_t row) {
    row_key_.clear();
    AppendBigEndian(group, &row_key_);
    row_key_ += order;
    row_values_.clear();
    const Vector* const values[] = {&value};
    AppendValues(values, row, &row_values_);
    return rows_->Add({row_key_, row_values_});
  }

  const std::vector<DataType> types_;  // of the value
  Pick pick_;
  double parameter_;
  bool descending_;
  std::vector<int64_t> counts_;
  std::vector<std::vector<Entry>> groups_;  // before Spill
  size_t bytes_ = 0;                        // of the entries
  std::unique_ptr<RowSorter> rows_;         // since then
  std::vector<std::vector<Value>> picked_;  // by Finish
  size_t picked_bytes_ = 0;
  std::string row_key_;
  std::string row_values_;
};

// Hands each different value of a group on once. After Spill, values that are new go to a sort, and are handed on at the end.
class Distinct final : public Aggregator {
 public:
  // `in_order`: the result depends on the order of the values, as sums of DOUBLE do.
  Distinct(std::unique_ptr<Aggregator> inner, std::vector<DataType> types, bool in_order)
      : inner_(std::move(inner)), types_(std::move(types)), in_order_(in_order) {}

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
      if (any_null) {
        continue;
      }
      if (later_ != nullptr) {
        KLIP_RETURN_IF_ERROR(AddLater(arguments, rows[i]));
      } else if (seen_.Insert(key_).second) {
        rows_.push_back(rows[i]);
        groups_.push_back(groups[i]);
      }
    }
    return inner_->Add(arguments, rows_, groups_);
  }

  Status Spill(Execution* execution) override {
    execution_ = execution;
    later_ = std::make_unique<RowSorter>();
    later_->Reset(execution, {.unique = true});
    return inner_->Spill(execution);
  }

  Status Finish() override {
    if (later_ != nullptr) {
      KLIP_RETURN_IF_ERROR(later_->Finish());
      KLIP_RETURN_IF_ERROR(in_order_ ? HandOnInOrder() : HandOn(later_.get(), 0, kArrivalBytes));
      later_->Reset(execution_);
    }
    return inner_->Finish();
  }

  Expected<Value> Result(size_t group) const override { return inner_->Result(group); }
  size_t memory_bytes(size_t more) const override {
    return seen_.memory_bytes(later_ == nullptr ? more : 0) + inner_->memory_bytes(more);
  }

 private:
  static constexpr size_t kArrivalBytes = sizeof(uint64_t);

  // A row of the group and the values; its number in the order of their arrival, and the values.
  Status AddLater(std::span<const Vector* const> arguments, uint32_t row) {
    if (seen_.Find(key_) != KeyTable::kNone) {
      return Status::Ok();
    }
    values_.clear();
    AppendBigEndian(arrived_++, &values_);
    AppendValues(arguments, row, &values_);
    return later_->Add({key_, values_});
  }

  Status HandOnInOrder() {
    RowSorter by_arrival;
    by_arrival.Reset(execution_);
    for (; !later_->at_end();) {
      const StoredRow& row = later_->row();
      key_.assign(row.values.substr(0, kArrivalBytes)).append(row.key.substr(0, sizeof(uint32_t)));
      KLIP_RETURN_IF_ERROR(by_arrival.Add({key_, row.values.substr(kArrivalBytes)}));
      KLIP_RETURN_IF_ERROR(later_->Next());
    }
    KLIP_RETURN_IF_ERROR(by_arrival.Finish());
    return HandOn(&by_arrival, kArrivalBytes, 0);
  }

  // Of rows whose keys have the group at `group_at`, and whose values begin at `values_at`.
  Status HandOn(RowSorter* from, size_t group_at, size_t values_at) {
    Batch batch;
    while (!from->at_end()) {
      ResetBatch(types_, kBatchRows, &batch);
      groups_.clear();
      while (!from->at_end() && groups_.size() < kBatchRows) {
        uint32_t group = 0;
        std::memcpy(&group, from->row().key.data() + group_at, sizeof(group));
        ReadValues(from->row().values.substr(values_at), batch.columns, groups_.size());
        groups_.push_back(group);
        KLIP_RETURN_IF_ERROR(from->Next());
      }
      KLIP_RETURN_IF_ERROR(inner_->Add(Pointers(batch.columns), AllRows(groups_.size()), groups_));
    }
    return Status::Ok();
  }

  std::unique_ptr<Aggregator> inner_;
  const std::vector<DataType> types_;  // of the arguments
  bool in_order_;
  KeyTable seen_;
  std::string key_;
  Selection rows_;
  Selection groups_;

  // Since Spill.
  Execution* execution_ = nullptr;
  std::unique_ptr<RowSorter> later_;
  uint64_t arrived_ = 0;
  std::string values_;
};

// PERCENT_RANK(value) WITHIN GROUP (ORDER BY a): the share of rows whose `a` is at most the value; with DESC, of those above it. Arguments:
// the value, and then a. As in Phoenix, the result has the precision of a float.
class PercentRank final : public Aggregator {
 public:
  explicit PercentRank(bool descending) : descending_(descending) {}

  void Resize(size_t groups) override { counts_.resize(groups); }
  Status Add(std::span<const Vector* const> arguments, std::span<const uint32_t> rows,
             std::span<const uint32_t> groups) override {
    std::string value;
    std::string term;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (arguments[1]->is_null(rows[i])) {
        continue;
      }
      value.clear();
      term.clear();
      AppendSortKey(*arguments[0], rows[i], /*descending=*/false, /*nulls_last=*/false, &value);
      AppendSortKey(*arguments[1], rows[i], /*descending=*/false, /*nulls_last=*/false, &term);
      Counts& counts = counts_[groups[i]];
      ++counts.all;
      counts.before += (term <= value) != descending_ ? 1 : 0;
    }
    return Status::Ok();
  }
  Expected<Value> Result(size_t group) const override {
    const Counts& counts = counts_[group];
    if (counts.all == 0) {
      return Value();
    }
    char digits[64];  // all that the float has
    std::snprintf(digits, sizeof(digits), "%.38g",
                  static_cast<double>(static_cast<float>(counts.before) / static_cast<float>(counts.all)));
    KLIP_ASSIGN_OR_RETURN(const Decimal share, Decimal::Parse(digits));
    return Value::Number(share);
  }
  size_t memory_bytes(size_t more) const override { return CapacityWith(counts_, more) * sizeof(Counts); }

 private:
  struct Counts {
    int64_t all = 0;
    int64_t before = 0;
  };
  bool descending_;
  std::vector<Counts> counts_;
};

struct AggregateName {
  std::string_view name;
  size_t arguments;  // besides those of WITHIN GROUP
  bool within;       // needs WITHIN GROUP
};
constexpr AggregateName kAggregates[] = {{"COUNT", 1, false},
                                         {"APPROX_COUNT_DISTINCT", 1, false},
                                         {"PERCENT_RANK", 1, true},
                                         {"SUM", 1, false},
                                         {"AVG", 1, false},
                                         {"MIN", 1, false},
                                         {"MAX", 1, false},
                                         {"STDDEV_POP", 1, false},
                                         {"STDDEV_SAMP", 1, false},
                                         {"FIRST_VALUE", 1, true},
                                         {"LAST_VALUE", 1, true},
                                         {"NTH_VALUE", 2, true},
                                         {"FIRST_VALUES", 2, true},
                                         {"LAST_VALUES", 2, true},
                                         {"DISTINCT_COUNT", 1, false},
                                         {"PERCENTILE_CONT", 1, true},
                                         {"PERCENTILE_DISC", 1, true}};

const AggregateName* FindAggregate(std::string_view name) {
  const auto* const found = std::ranges::find(kAggregates, name, &AggregateName::name);
  return found == std::end(kAggregates) ? nullptr : found;
}

bool IsListOfValues(std::string_view name) { return name == "FIRST_VALUES" || name == "LAST_VALUES"; }

double ParameterOf(const AggregateCall& call) {
  const std::optional<size_t> at = FixedArgument(call.name);
  if (!at.has_value() || call.arguments[*at]->constant() == nullptr) {
    return 0;
  }
  const Expected<Value> parameter = Convert(*call.arguments[*at]->constant(), {.type = Type::kDouble});
  return parameter.ok() && !parameter->is_null() ? parameter->real() : 0;
}

// How many values are wanted is a whole number from 0, the same for all groups.
Status CheckListOfValues(AggregateCall* call) {
  const Value* const count = call->arguments[1]->constant();
  if (count == nullptr || count->is_array() || !IsWhole(count->type()) || count->integer() < 0 || call->type.array) {
    return SqlError(
        203, "22005",
        "Type mismatch. " + call->name + " takes values other than arrays, and their number, a constant from 0");
  }
  call->type.array = true;
  return Status::Ok();
}

// Of numbers, and at a constant from 0 to 1.
Status CheckPercentile(const AggregateCall& call) {
  const DataType& sorted = call.within[0].expression->type();
  if ((!IsNumber(sorted.type) && sorted.type != Type::kNull) || sorted.array) {
    return SqlError(
        203, "22005",
        "Type mismatch. expected: [DECIMAL] but was: " + ToString(sorted) + " at " + call.name + " argument 1");
  }
  const Value* const share = call.arguments[0]->constant();
  if (share == nullptr || share->is_array() || (!share->is_null() && !IsNumber(share->type()))) {
    return SqlError(203, "22005", "Type mismatch. expected: constant at " + call.name + " argument 3");
  }
  const double value = ParameterOf(call);
  return !call.arguments[0]->is_literal() || (value >= 0 && value <= 1)
             ? Status::Ok()
             : SqlError(213, "22003",
                        "Value outside range. expected: [0 , 1] but was: " + call.arguments[0]->constant()->ToString() +
                            " at " + call.name + " argument 3");
}

}  // namespace

bool IsAggregate(std::string_view name) { return FindAggregate(name) != nullptr; }

bool IsPercentile(std::string_view name) { return name.starts_with("PERCENTILE"); }

std::optional<size_t> FixedArgument(std::string_view name) {
  return name == "NTH_VALUE" || IsListOfValues(name) ? std::optional<size_t>(1)
         : IsPercentile(name)                        ? std::optional<size_t>(0)
                                                     : std::nullopt;
}

Status CheckAggregate(AggregateCall* call) {
  const AggregateName* const aggregate = FindAggregate(call->name);
  if (call->name == "DISTINCT_COUNT" || call->name == "APPROX_COUNT_DISTINCT") {  // Phoenix estimates the latter
    call->name = "COUNT";
    call->distinct = true;
  }
  const bool star = call->name == "COUNT" && call->arguments.empty();
  if ((!star && call->arguments.size() != aggregate->arguments && !(call->name == "COUNT" && call->distinct)) ||
      aggregate->within == call->within.empty()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + call->name + " with these arguments");
  }
  if (star || call->name == "COUNT") {
    call->type.type = Type::kBigint;
    return Status::Ok();
  }
  BoundPtr& argument = call->arguments[0];
  call->type = argument->type();
  if (call->name == "SUM" || call->name == "AVG" || call->name.starts_with("STDDEV")) {
    const bool number = IsNumber(argument->type().type) || argument->type().type == Type::kNull;
    if (!number || argument->type().array) {
      return SqlError(203, "22005",
                      "Type mismatch. expected: [NUMBER] but was: " + ToString(argument->type()) + " at " + call->name +
                          " argument 1");
    }
    DataType sum;
    sum.type = call->name.starts_with("STDDEV") || PhysicalOf(argument->type()) == Physical::kReal ? Type::kDouble
               : argument->type().type == Type::kDecimal                                           ? Type::kDecimal
                                                                                                   : Type::kBigint;
    KLIP_ASSIGN_OR_RETURN(argument, MakeConvert(std::move(argument), sum));
    const bool decimal = call->name.starts_with("STDDEV") || call->name == "AVG";
    call->type.type = decimal ? Type::kDecimal : sum.type;
    call->type.precision = 0;
    call->type.scale = -1;
    return Status::Ok();
  }
  if (call->name == "PERCENT_RANK") {
    call->type = {.type = Type::kDecimal};
    BoundPtr& sorted = call->within[0].expression;
    const DataType of_argument = argument->type();
    const DataType common = CommonType(of_argument, sorted->type());
    if (common.type == Type::kNull && of_argument.type != Type::kNull) {
      return SqlError(203, "22005", "Type mismatch. " + ToString(of_argument) + " and " + ToString(sorted->type()));
    }
    KLIP_ASSIGN_OR_RETURN(argument, MakeConvert(std::move(argument), common));
    KLIP_ASSIGN_OR_RETURN(sorted, MakeConvert(std::move(sorted), common));
    return Status::Ok();
  }
  if (IsListOfValues(call->name)) {
    return CheckListOfValues(call);
  }
  if (IsPercentile(call->name)) {
    KLIP_RETURN_IF_ERROR(CheckPercentile(*call));
    call->type =
        call->name == "PERCENTILE_CONT" ? DataType{.type = Type::kDecimal} : call->within[0].expression->type();
  }
  return Status::Ok();
}

bool TakesSortedValue(const AggregateCall& call) { return IsPercentile(call.name); }

std::vector<DataType> ArgumentTypes(const AggregateCall& call) {
  std::vector<DataType> types;
  for (const BoundPtr& argument : call.arguments) {
    types.push_back(TakesSortedValue(call) ? call.within[0].expression->type() : argument->type());
  }
  for (const SortTerm& term : call.within) {
    types.push_back(term.expression->type());
  }
  return types;
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
  } else if (call.name == "PERCENT_RANK") {
    made = std::make_unique<PercentRank>(descending);
  } else {
    const Pick pick = call.name == "FIRST_VALUE"       ? Pick::kFirst
                      : call.name == "LAST_VALUE"      ? Pick::kLast
                      : call.name == "NTH_VALUE"       ? Pick::kNth
                      : call.name == "FIRST_VALUES"    ? Pick::kFirstValues
                      : call.name == "LAST_VALUES"     ? Pick::kLastValues
                      : call.name == "PERCENTILE_DISC" ? Pick::kDiscrete
                                                       : Pick::kContinuous;
    made = std::make_unique<Ordered>(ArgumentTypes(call)[0], pick, ParameterOf(call), descending);
  }
  if (!call.distinct) {
    return made;
  }
  const bool in_order = call.name != "COUNT" && call.name != "MIN" && call.name != "MAX";
  return std::make_unique<Distinct>(std::move(made), ArgumentTypes(call), in_order);
}

}  // namespace klip::sql
