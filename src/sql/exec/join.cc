// Hash joins. The right side is read into memory first, in batches, with a table from its keys to a list of rows for each; then each row of
// the left side meets those with its key. Without keys every pair is tried. NULL equals nothing.
//
// Example: a LEFT JOIN b ON a.x = b.y AND b.z > a.w: the key is (x) = (y), and b.z > a.w is the condition that pairs with equal keys are
// checked for. A left row without any pair left comes once, with NULLs for b.
#include <algorithm>
#include <utility>

#include "klip/cancel.h"
#include "sql/exec/key_table.h"
#include "sql/exec/operator.h"

namespace klip::sql {
namespace {

// A row of the right side.
struct Place {
  uint32_t batch = KeyTable::kNone;  // kNone: no row, its columns are NULL
  uint32_t row = 0;
};

class Join final : public Operator {
 public:
  Join(OperatorPtr left, OperatorPtr right, JoinKind kind, JoinKeys keys, BoundPtr condition)
      : left_(std::move(left)),
        right_(std::move(right)),
        kind_(kind),
        join_keys_(std::move(keys)),
        condition_(std::move(condition)) {
    types_ = left_->types();
    left_columns_ = types_.size();
    pair_types_ = types_;
    pair_types_.insert(pair_types_.end(), right_->types().begin(), right_->types().end());
    if (kind_ != JoinKind::kSemi && kind_ != JoinKind::kAnti) {
      types_ = pair_types_;
    }
  }

  Status Open(Execution* execution) override {
    batches_.clear();
    met_.clear();
    places_.clear();
    table_.Clear();
    matched_ = false;
    at_in_list_ = 0;
    memory_.Reset(&execution->memory);
    KLIP_RETURN_IF_ERROR(right_->Open(execution));
    KLIP_RETURN_IF_ERROR(ReadRight());
    KLIP_RETURN_IF_ERROR(left_->Open(execution));
    incoming_.rows = 0;
    left_row_ = 0;
    left_ended_ = false;
    unmatched_ = {0, 0};
    return Status::Ok();
  }

  Expected<bool> Next(Batch* out) override {
    while (!left_ended_) {
      pairs_.clear();
      KLIP_RETURN_IF_ERROR(CollectPairs());
      if (!pairs_.empty()) {
        KLIP_RETURN_IF_ERROR(Emit(out));
        if (out->rows > 0) {
          return true;
        }
      }
    }
    return (kind_ == JoinKind::kRight || kind_ == JoinKind::kFull) && EmitUnmatched(out);
  }

  void Explain(ExplainLines* lines) const override {
    left_->Explain(lines);
    static constexpr std::string_view kNames[] = {"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"};
    lines->push_back("    PARALLEL " + std::string(kNames[static_cast<size_t>(kind_)]) + "-JOIN TABLE 0");
    ExplainLines below;
    right_->Explain(&below);
    for (const std::string& line : below) {
      lines->push_back("        " + line);
    }
  }

 private:
  // A left row of the batch beside a row of the right side.
  struct Pair {
    uint32_t left;
    Place right;
  };

  Status ReadRight() {
    while (true) {
      Batch incoming;
      KLIP_ASSIGN_OR_RETURN(const bool more, right_->Next(&incoming));
      if (!more) {
        break;
      }
      auto batch = std::make_unique<Batch>();
      CopyRows(incoming, AllRows(incoming.rows), batch.get());
      const auto index = static_cast<uint32_t>(batches_.size());
      KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.right, *batch));
      size_t bytes = 0;
      for (const Vector& column : batch->columns) {
        bytes += column.memory_bytes();
      }
      const size_t table_bytes = table_.memory_bytes();
      for (uint32_t row = 0; row < batch->rows; ++row) {
        if (!null_keys_[row]) {
          const auto [number, added] = table_.Insert(keys_[row]);
          if (added) {
            places_.emplace_back();
          }
          places_[number].push_back({index, row});
        }
      }
      bytes += table_.memory_bytes() - table_bytes + batch->rows * (sizeof(Place) + sizeof(std::vector<Place>));
      KLIP_RETURN_IF_ERROR(memory_.Add(bytes));
      met_.emplace_back(batch->rows, false);
      batches_.push_back(std::move(batch));
    }
    return Status::Ok();
  }

  // The rows' keys in keys_; without join keys all are the empty key.
  Status KeysOf(const std::vector<BoundPtr>& expressions, const Batch& batch) {
    keys_.assign(batch.rows, {});
    null_keys_.assign(batch.rows, false);
    for (const BoundPtr& expression : expressions) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, expression->Evaluate(batch, AllRows(batch.rows)));
      for (size_t row = 0; row < batch.rows; ++row) {
        null_keys_[row] = null_keys_[row] || values->is_null(row);
        AppendSortKey(*values, row, /*descending=*/false, /*nulls_last=*/false, &keys_[row]);
      }
    }
    return Status::Ok();
  }

  bool outer_left() const { return kind_ == JoinKind::kLeft || kind_ == JoinKind::kFull; }

  // Takes whole left rows until there are pairs for a batch. A left row with more pairs than a batch takes several rounds in Emit.
  Status CollectPairs() {
    if (left_row_ == incoming_.rows) {
      KLIP_ASSIGN_OR_RETURN(const bool more, left_->Next(&incoming_));
      if (!more) {
        left_ended_ = true;
        incoming_.rows = left_row_ = 0;
        return Status::Ok();
      }
      left_row_ = 0;
      at_in_list_ = 0;
      matched_ = false;
      KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.left, incoming_));
      left_keys_.swap(keys_);
      left_nulls_.swap(null_keys_);
    }
    while (left_row_ < incoming_.rows && pairs_.size() < kBatchRows) {
      const uint32_t number = left_nulls_[left_row_] ? KeyTable::kNone : table_.Find(left_keys_[left_row_]);
      const std::vector<Place>* const list = number == KeyTable::kNone ? nullptr : &places_[number];
      const size_t size = list == nullptr ? 0 : list->size();
      while (at_in_list_ < size && pairs_.size() < kBatchRows) {
        pairs_.push_back({static_cast<uint32_t>(left_row_), (*list)[at_in_list_++]});
      }
      if (at_in_list_ < size) {
        break;
      }
      if (pairs_.size() == kBatchRows) {
        break;  // its last pair, {row, none}, comes in the next round
      }
      pairs_.push_back({static_cast<uint32_t>(left_row_), Place()});  // ends the row
      ++left_row_;
      at_in_list_ = 0;
    }
    return Status::Ok();
  }

  // Checks the pairs and puts out what the kind of join makes of them.
  Status Emit(Batch* out) {
    KLIP_RETURN_IF_ERROR(
        CancelToken::Current().status());  // scans ask too, but a join may go on long after the last row was read
    KLIP_RETURN_IF_ERROR(CheckPairs());
    kept_.clear();
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool ends_row = pair.right.batch == KeyTable::kNone;
      if (!ends_row) {
        if (holds_[i]) {
          matched_ = true;
          met_[pair.right.batch][pair.right.row] = true;
          if (kind_ != JoinKind::kSemi && kind_ != JoinKind::kAnti) {
            kept_.push_back(pair);
          }
        }
        continue;
      }
      if (kind_ == JoinKind::kSemi ? matched_ : !matched_ && (outer_left() || kind_ == JoinKind::kAnti)) {
        kept_.push_back(pair);
      }
      matched_ = false;
    }
    Fill(kept_, types_, out);
    return Status::Ok();
  }

  Status CheckPairs() {
    holds_.assign(pairs_.size(), condition_ == nullptr);
    if (condition_ == nullptr) {
      return Status::Ok();
    }
    Fill(pairs_, pair_types_, &tried_);
    Selection real;
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].right.batch != KeyTable::kNone) {
        real.push_back(i);
      }
    }
    Selection passed;
    KLIP_RETURN_IF_ERROR(Filter(condition_.get(), tried_, real, &passed));
    for (const uint32_t i : passed) {
      holds_[i] = true;
    }
    return Status::Ok();
  }

  void Fill(std::span<const Pair> pairs, const std::vector<DataType>& types, Batch* out) const {
    out->rows = pairs.size();
    out->columns.resize(types.size());
    for (size_t column = 0; column < types.size(); ++column) {
      Vector& values = out->columns[column];
      values.Reset(types[column], pairs.size());
      for (size_t i = 0; i < pairs.size(); ++i) {
        if (column < left_columns_) {
          values.Copy(i, incoming_.columns[column], pairs[i].left);
        } else if (pairs[i].right.batch != KeyTable::kNone) {
          const Place& place = pairs[i].right;
          values.Copy(i, batches_[place.batch]->columns[column - left_columns_], place.row);
        }
      }
    }
  }

  // Rows of the right side that met none.
  bool EmitUnmatched(Batch* out) {
    out->columns.resize(types_.size());
    std::vector<Place> rows;
    for (; unmatched_.batch < batches_.size() && rows.size() < kBatchRows; unmatched_ = {unmatched_.batch + 1, 0}) {
      for (; unmatched_.row < batches_[unmatched_.batch]->rows && rows.size() < kBatchRows; ++unmatched_.row) {
        if (!met_[unmatched_.batch][unmatched_.row]) {
          rows.push_back(unmatched_);
        }
      }
      if (unmatched_.row < batches_[unmatched_.batch]->rows) {
        break;
      }
    }
    out->rows = rows.size();
    for (size_t column = 0; column < types_.size(); ++column) {
      Vector& values = out->columns[column];
      values.Reset(types_[column], rows.size());
      for (size_t i = 0; column >= left_columns_ && i < rows.size(); ++i) {
        values.Copy(i, batches_[rows[i].batch]->columns[column - left_columns_], rows[i].row);
      }
    }
    return !rows.empty();
  }

  OperatorPtr left_;
  OperatorPtr right_;
  JoinKind kind_;
  JoinKeys join_keys_;
  BoundPtr condition_;
  size_t left_columns_ = 0;
  std::vector<DataType> pair_types_;

  // The right side.
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<std::vector<bool>> met_;
  KeyTable table_;
  std::vector<std::vector<Place>> places_;  // by number in table_

  // The left side: its batch, and where in it the next pair is.
  Batch incoming_;
  std::vector<std::string> left_keys_;
  std::vector<bool> left_nulls_;
  size_t left_row_ = 0;
  size_t at_in_list_ = 0;
  bool left_ended_ = false;
  bool matched_ = false;  // of the left row whose pairs are being put out

  std::vector<Pair> pairs_;
  std::vector<Pair> kept_;
  std::vector<bool> holds_;
  Batch tried_;
  std::vector<std::string> keys_;
  std::vector<bool> null_keys_;
  Place unmatched_;
  Reservation memory_;
};

}  // namespace

OperatorPtr MakeJoin(OperatorPtr left, OperatorPtr right, JoinKind kind, JoinKeys keys, BoundPtr condition) {
  return std::make_unique<Join>(std::move(left), std::move(right), kind, std::move(keys), std::move(condition));
}

}  // namespace klip::sql
