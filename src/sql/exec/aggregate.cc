// GROUP BY, DISTINCT and aggregates over all rows: a hash table numbers the groups by their sort keys, aggregators keep states by number,
// and at the end groups come out in the order of their keys.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "sql/exec/aggregator.h"
#include "sql/exec/key_table.h"

namespace klip::sql {
namespace {

class Aggregate final : public Operator {
 public:
  Aggregate(OperatorPtr input, std::vector<BoundPtr> groups, std::vector<AggregateCall> calls, std::string text)
      : input_(std::move(input)), groups_(std::move(groups)), calls_(std::move(calls)), text_(std::move(text)) {
    for (const BoundPtr& group : groups_) {
      types_.push_back(group->type());
    }
    for (const AggregateCall& call : calls_) {
      types_.push_back(call.type);
    }
  }

  Status Open(Execution* execution) override {
    keys_.Clear();
    order_.clear();
    memory_.Reset(&execution->memory);
    aggregators_.clear();
    for (const AggregateCall& call : calls_) {
      aggregators_.push_back(MakeAggregator(call));
    }
    values_.resize(groups_.size());
    for (size_t i = 0; i < groups_.size(); ++i) {
      values_[i].Reset(types_[i], 0);
    }
    if (groups_.empty()) {
      Insert({}, {}, 0);  // one group, even of no rows
    }
    counted_.reset();
    if (CountsAllRows()) {
      KLIP_ASSIGN_OR_RETURN(counted_, input_->CountRows(execution));
    }
    if (!counted_.has_value()) {
      KLIP_RETURN_IF_ERROR(input_->Open(execution));
      KLIP_RETURN_IF_ERROR(Fill());
    }
    order_.resize(keys_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return keys_.key(a) < keys_.key(b); });
    next_ = 0;
    return Status::Ok();
  }

  Expected<bool> Next(Batch* out) override {
    const size_t rows = std::min(kBatchRows, order_.size() - next_);
    out->rows = rows;
    out->columns.resize(types_.size());
    for (size_t column = 0; column < types_.size(); ++column) {
      Vector& values = out->columns[column];
      values.Reset(types_[column], rows);
      for (size_t i = 0; i < rows; ++i) {
        const uint32_t group = order_[next_ + i];
        if (column < groups_.size()) {
          values.Copy(i, values_[column], group);
        } else if (counted_.has_value()) {
          values.SetWhole(i, *counted_);
        } else {
          KLIP_ASSIGN_OR_RETURN(const Value result, aggregators_[column - groups_.size()]->Result(group));
          values.Set(i, result);
        }
      }
    }
    next_ += rows;
    return rows > 0;
  }

  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    if (!text_.empty()) {
      lines->push_back(text_);
    }
  }

 private:
  // COUNT(*) of all rows, and nothing else.
  bool CountsAllRows() const {
    return groups_.empty() && std::all_of(calls_.begin(), calls_.end(), [](const AggregateCall& call) {
             return call.name == "COUNT" && call.arguments.empty() && !call.distinct;
           });
  }

  Status Fill() {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&batch_));
      if (!more) {
        return Status::Ok();
      }
      KLIP_RETURN_IF_ERROR(NumberGroups());
      for (size_t i = 0; i < calls_.size(); ++i) {
        arguments_.clear();
        for (const BoundPtr& argument : calls_[i].arguments) {
          KLIP_ASSIGN_OR_RETURN(const Vector* const values, argument->Evaluate(batch_, AllRows(batch_.rows)));
          arguments_.push_back(values);
        }
        for (const SortTerm& term : calls_[i].within) {
          KLIP_ASSIGN_OR_RETURN(const Vector* const values, term.expression->Evaluate(batch_, AllRows(batch_.rows)));
          arguments_.push_back(values);
          if (calls_[i].name.starts_with("PERCENTILE")) {
            arguments_[0] = values;  // the argument is the share; the value is what is sorted
          }
        }
        aggregators_[i]->Resize(keys_.size());
        KLIP_RETURN_IF_ERROR(aggregators_[i]->Add(arguments_, AllRows(batch_.rows), numbers_));
      }
      KLIP_RETURN_IF_ERROR(Account());
    }
  }

  // The group of each row of the batch.
  Status NumberGroups() {
    if (groups_.empty()) {
      numbers_.assign(batch_.rows, 0);
      return Status::Ok();
    }
    arguments_.clear();
    for (const BoundPtr& group : groups_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, group->Evaluate(batch_, AllRows(batch_.rows)));
      arguments_.push_back(values);
    }
    numbers_.resize(batch_.rows);
    for (size_t row = 0; row < batch_.rows; ++row) {
      key_.clear();
      for (const Vector* const values : arguments_) {
        AppendSortKey(*values, row, /*descending=*/false, /*nulls_last=*/false, &key_);
      }
      numbers_[row] = Insert(key_, arguments_, row);
    }
    return Status::Ok();
  }

  uint32_t Insert(std::string_view key, std::span<const Vector* const> values, size_t row) {
    const auto [number, added] = keys_.Insert(key);
    if (added) {
      for (size_t i = 0; i < values.size(); ++i) {
        values_[i].Resize(keys_.size());
        values_[i].Copy(number, *values[i], row);
      }
      for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
        aggregator->Resize(keys_.size());
      }
    }
    return number;
  }

  Status Account() {
    size_t bytes = keys_.memory_bytes();
    for (const Vector& values : values_) {
      bytes += values.memory_bytes();
    }
    for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
      bytes += aggregator->memory_bytes();
    }
    return memory_.SetTo(bytes);
  }

  OperatorPtr input_;
  std::vector<BoundPtr> groups_;
  std::vector<AggregateCall> calls_;
  std::string text_;
  std::optional<int64_t> counted_;  // by the input, in place of the aggregators
  Batch batch_;
  KeyTable keys_;
  std::vector<Vector> values_;  // of each group
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  std::vector<const Vector*> arguments_;
  std::vector<uint32_t> numbers_;
  std::string key_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  Reservation memory_;
};

}  // namespace

OperatorPtr MakeAggregate(OperatorPtr input, std::vector<BoundPtr> groups, std::vector<AggregateCall> calls,
                          std::string text) {
  return std::make_unique<Aggregate>(std::move(input), std::move(groups), std::move(calls), std::move(text));
}

OperatorPtr MakeDistinct(OperatorPtr input) {
  std::vector<BoundPtr> columns;
  for (size_t i = 0; i < input->types().size(); ++i) {
    columns.push_back(MakeColumn(i, input->types()[i]));
  }
  return MakeAggregate(std::move(input), std::move(columns), {}, "CLIENT DISTINCT");
}

}  // namespace klip::sql
