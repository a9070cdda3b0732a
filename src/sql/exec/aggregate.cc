// GROUP BY, DISTINCT and aggregates over all rows: a hash table numbers the groups by their sort keys, aggregators keep states by number,
// and at the end groups come out in the order of their keys.
//
// When memory ends, the groups in it stay there, and their rows are still added to them. Rows of other groups are written to a sort by the
// groups' keys. At the end these groups come out of the sort one after the other, so that few of them are in memory at a time, and are
// merged with those that stayed. As each group takes its rows in the order in which they came, results do not depend on how much memory
// there was.
//
// Example: SELECT k, SUM(v) GROUP BY k with memory for 2 groups, and the rows c1 a1 b1 a2 b2. The groups c = 1 and a = 3 stay, b1 and b2
// are sorted. At the end, a = 3 from memory is before b = 3 from the sort, and then comes c = 1.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sql/exec/aggregator.h"
#include "sql/exec/key_table.h"
#include "sql/exec/sorter.h"

namespace klip::sql {
namespace {

// Groups in memory: their values, and the states of their aggregates. Columns: first those of GROUP BY, then the arguments of each call.
class Groups {
 public:
  // `most`: that there should be at a time.
  Groups(std::span<const BoundPtr> groups, const std::vector<AggregateCall>* calls, size_t most)
      : calls_(calls), most_(most) {
    for (const BoundPtr& group : groups) {
      values_.emplace_back(group->type()).SetReserved();
    }
  }

  void Reset(Execution* execution) {
    execution_ = execution;
    keys_.Clear();
    for (Vector& values : values_) {
      values.Reset(values.type(), 0);
    }
    aggregators_.clear();
    for (const AggregateCall& call : *calls_) {
      aggregators_.push_back(MakeAggregator(call));
    }
    spilled_ = false;
    full_ = false;
    order_.clear();
    next_ = 0;
    memory_.Reset(&execution->memory);
  }

  // To be called before `rows` rows are added: if memory does not suffice, states are spilled, and then the groups are full.
  Status MakeRoom(size_t rows) {
    if (!memory_.TrySetTo(memory_bytes(rows)) && !spilled_) {
      spilled_ = true;
      for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
        KLIP_RETURN_IF_ERROR(aggregator->Spill(execution_));
      }
    }
    full_ = full_ || !memory_.TrySetTo(memory_bytes(rows));
    return Status::Ok();
  }
  // Whether other groups than those here had better be elsewhere.
  bool full() const { return full_ || keys_.size() >= most_; }
  size_t size() const { return keys_.size(); }

  // The group's number; kNone: it is not among these.
  uint32_t Find(std::string_view key) const { return keys_.Find(key); }
  // The group's number; a new one takes its values from a row.
  uint32_t Insert(std::string_view key, std::span<const Vector* const> columns, size_t row) {
    const auto [number, added] = keys_.Insert(key);
    if (added) {
      for (size_t i = 0; i < values_.size(); ++i) {
        values_[i].Resize(keys_.size());
        values_[i].Copy(number, *columns[i], row);
      }
      for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
        aggregator->Resize(keys_.size());
      }
    }
    return number;
  }

  // Row rows[i] is of group groups[i].
  Status Add(std::span<const Vector* const> columns, std::span<const uint32_t> rows, std::span<const uint32_t> groups) {
    size_t first = values_.size();
    for (size_t i = 0; i < aggregators_.size(); ++i) {
      const size_t arguments = (*calls_)[i].arguments.size() + (*calls_)[i].within.size();
      KLIP_RETURN_IF_ERROR(aggregators_[i]->Add(columns.subspan(first, arguments), rows, groups));
      first += arguments;
    }
    return Status::Ok();
  }

  // No more rows come; the groups can be taken.
  Status Finish() {
    for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
      KLIP_RETURN_IF_ERROR(aggregator->Finish());
    }
    order_.resize(keys_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return keys_.key(a) < keys_.key(b); });
    return Status::Ok();
  }
  bool at_end() const { return next_ == order_.size(); }
  // REQUIRES: !at_end().
  std::string_view key() const { return keys_.key(order_[next_]); }
  uint32_t Take() { return order_[next_++]; }

  // A result's column of a group.
  Status Copy(uint32_t group, size_t column, Vector* out, size_t row) const {
    if (column < values_.size()) {
      out->Copy(row, values_[column], group);
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(const Value result, aggregators_[column - values_.size()]->Result(group));
    out->Set(row, result);
    return Status::Ok();
  }

 private:
  size_t memory_bytes(size_t more) const {
    size_t bytes = keys_.memory_bytes(more);
    for (const Vector& values : values_) {
      bytes += values.memory_bytes(more);
    }
    for (const std::unique_ptr<Aggregator>& aggregator : aggregators_) {
      bytes += aggregator->memory_bytes(more);
    }
    return bytes;
  }

  const std::vector<AggregateCall>* calls_;
  const size_t most_;
  Execution* execution_ = nullptr;
  KeyTable keys_;
  std::vector<Vector> values_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  bool spilled_ = false;  // states
  bool full_ = false;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  Reservation memory_;
};

class Aggregate final : public Operator {
 public:
  Aggregate(OperatorPtr input, std::vector<BoundPtr> groups, std::vector<bool> descending,
            std::vector<AggregateCall> calls, std::string text)
      : input_(std::move(input)),
        groups_(std::move(groups)),
        descending_(std::move(descending)),
        calls_(std::move(calls)),
        text_(std::move(text)),
        kept_(groups_, &calls_, std::numeric_limits<size_t>::max()),
        read_(groups_, &calls_, kBatchRows) {
    for (const BoundPtr& group : groups_) {
      types_.push_back(group->type());
    }
    descending_.resize(groups_.size());
    column_types_ = types_;
    for (const AggregateCall& call : calls_) {
      types_.push_back(call.type);
      const std::vector<DataType> arguments = ArgumentTypes(call);
      column_types_.insert(column_types_.end(), arguments.begin(), arguments.end());
    }
  }

  Status Open(Execution* execution) override {
    execution_ = execution;
    kept_.Reset(execution);
    read_.Reset(execution);
    others_.Reset(execution, {.unique = calls_.empty()});
    counted_.reset();
    if (groups_.empty()) {
      kept_.Insert({}, {}, 0);  // one group, even of no rows
    }
    if (CountsAllRows()) {
      KLIP_ASSIGN_OR_RETURN(counted_, input_->CountRows(execution));
    }
    if (!counted_.has_value()) {
      KLIP_RETURN_IF_ERROR(input_->Open(execution));
      KLIP_RETURN_IF_ERROR(ReadInput());
    }
    KLIP_RETURN_IF_ERROR(others_.Finish());
    return kept_.Finish();
  }

  Expected<bool> Next(Batch* out) override {
    taken_.clear();
    while (taken_.size() < kBatchRows) {
      if (read_.at_end() && !others_.at_end()) {
        if (!taken_.empty()) {
          break;  // some are of read_, which changes
        }
        KLIP_RETURN_IF_ERROR(ReadOthers());
      }
      if (kept_.at_end() && read_.at_end()) {
        break;
      }
      const bool kept = read_.at_end() || (!kept_.at_end() && kept_.key() < read_.key());
      Groups* const from = kept ? &kept_ : &read_;
      taken_.emplace_back(from, from->Take());
    }
    ResetBatch(types_, taken_.size(), out);
    for (size_t column = 0; column < types_.size(); ++column) {
      for (size_t row = 0; row < taken_.size(); ++row) {
        if (counted_.has_value()) {
          out->columns[column].SetWhole(row, *counted_);
          continue;
        }
        const auto& [from, group] = taken_[row];
        KLIP_RETURN_IF_ERROR(from->Copy(group, column, &out->columns[column], row));
      }
    }
    return !taken_.empty();
  }

  void Close() override { input_->Close(); }
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

  Status ReadInput() {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&batch_));
      if (!more) {
        return Status::Ok();
      }
      KLIP_RETURN_IF_ERROR(EvaluateColumns());
      KLIP_RETURN_IF_ERROR(kept_.MakeRoom(batch_.rows));
      if (groups_.empty()) {
        numbers_.assign(batch_.rows, 0);
        KLIP_RETURN_IF_ERROR(kept_.Add(columns_, AllRows(batch_.rows), numbers_));
      } else {
        KLIP_RETURN_IF_ERROR(NumberRows());
        KLIP_RETURN_IF_ERROR(kept_.Add(columns_, rows_, numbers_));
      }
    }
  }

  // The rows of the batch whose groups are kept, and the groups; the others go to the sort.
  Status NumberRows() {
    rows_.clear();
    numbers_.clear();
    for (uint32_t row = 0; row < batch_.rows; ++row) {
      key_.clear();
      for (size_t i = 0; i < groups_.size(); ++i) {
        AppendSortKey(*columns_[i], row, descending_[i], /*nulls_last=*/false, &key_);
      }
      const uint32_t number = kept_.full() ? kept_.Find(key_) : kept_.Insert(key_, columns_, row);
      if (number != KeyTable::kNone) {
        rows_.push_back(row);
        numbers_.push_back(number);
        continue;
      }
      values_.clear();
      AppendValues(columns_, row, &values_);
      KLIP_RETURN_IF_ERROR(others_.Add({key_, values_}));
    }
    return Status::Ok();
  }

  // Reads groups from the sort, each to its last row.
  Status ReadOthers() {
    read_.Reset(execution_);
    size_t bytes = 0;
    const auto next_fits = [&] {
      return read_.size() == 0 || read_.Find(others_.row().key) != KeyTable::kNone ||
             (!read_.full() && bytes < static_cast<size_t>(execution_->memory.share()));
    };
    while (!others_.at_end() && next_fits()) {
      ResetBatch(column_types_, kBatchRows, &batch_);
      columns_ = Pointers(batch_.columns);
      numbers_.clear();
      KLIP_RETURN_IF_ERROR(read_.MakeRoom(kBatchRows));
      size_t batch_bytes = 0;
      while (!others_.at_end() && numbers_.size() < kBatchRows && next_fits() && batch_bytes < kBatchBytes) {
        const StoredRow& row = others_.row();
        ReadValues(row.values, batch_.columns, numbers_.size());
        batch_bytes += row.values.size();
        numbers_.push_back(read_.Insert(row.key, columns_, numbers_.size()));
        KLIP_RETURN_IF_ERROR(others_.Next());
      }
      bytes += batch_bytes;
      KLIP_RETURN_IF_ERROR(read_.Add(columns_, AllRows(numbers_.size()), numbers_));
    }
    return read_.Finish();
  }

  // Of the batch, in columns_.
  Status EvaluateColumns() {
    columns_.clear();
    const auto add = [&](const BoundPtr& expression) -> Status {
      KLIP_ASSIGN_OR_RETURN(columns_.emplace_back(), expression->Evaluate(batch_, AllRows(batch_.rows)));
      return Status::Ok();
    };
    for (const BoundPtr& group : groups_) {
      KLIP_RETURN_IF_ERROR(add(group));
    }
    for (const AggregateCall& call : calls_) {
      const size_t first = columns_.size();
      for (const BoundPtr& argument : call.arguments) {
        KLIP_RETURN_IF_ERROR(add(argument));
      }
      for (const SortTerm& term : call.within) {
        KLIP_RETURN_IF_ERROR(add(term.expression));
        if (TakesSortedValue(call)) {
          columns_[first] = columns_.back();
        }
      }
    }
    return Status::Ok();
  }

  static constexpr size_t kBatchBytes = 1 << 20;  // of values, read from the sort at a time

  OperatorPtr input_;
  std::vector<BoundPtr> groups_;
  std::vector<bool> descending_;  // of groups_
  std::vector<AggregateCall> calls_;
  std::string text_;
  std::vector<DataType> column_types_;
  Execution* execution_ = nullptr;
  std::optional<int64_t> counted_;  // by the input, in place of the aggregators

  Groups kept_;       // from the input
  RowSorter others_;  // rows of groups that are not kept
  Groups read_;       // some of these groups
  std::vector<std::pair<const Groups*, uint32_t>> taken_;

  Batch batch_;
  std::vector<const Vector*> columns_;  // of the batch, as Groups takes them
  Selection rows_;
  Selection numbers_;
  std::string key_;
  std::string values_;
};

}  // namespace

OperatorPtr MakeAggregate(OperatorPtr input, std::vector<BoundPtr> groups, std::vector<bool> descending,
                          std::vector<AggregateCall> calls, std::string text) {
  return std::make_unique<Aggregate>(std::move(input), std::move(groups), std::move(descending), std::move(calls),
                                     std::move(text));
}

OperatorPtr MakeDistinct(OperatorPtr input, std::vector<bool> descending) {
  std::vector<BoundPtr> columns;
  for (size_t i = 0; i < input->types().size(); ++i) {
    columns.push_back(MakeColumn(i, input->types()[i]));
  }
  return MakeAggregate(std::move(input), std::move(columns), std::move(descending), {}, "CLIENT DISTINCT");
}

}  // namespace klip::sql
