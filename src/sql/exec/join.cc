// Hash joins. The right side is read into memory first, in batches, with a table from its keys to a list of rows for each; then each row of
// the left side meets those with its key. Without keys every pair is tried. NULL equals nothing.
//
// Example: a LEFT JOIN b ON a.x = b.y AND b.z > a.w: the key is (x) = (y), and b.z > a.w is the condition that pairs with equal keys are
// checked for. A left row without any pair left comes once, with NULLs for b.
//
// A right side beyond memory is sorted by keys, and so is the left side. Then ranges of the right side, as many rows as memory holds, are
// joined one after the other with the left rows up to the range's last key. A key with more right rows than a range continues in the next
// one: its left rows are carried over, with whether they have met any row.
//
// Example: right rows 1 2 2 2 3, three to a range, left rows 1 2 4. The range (1 2 2) meets 1 and 2; 2 is carried over, so the range (2 3)
// meets 2 and 4.
//
// An inner join reads its left side into memory instead if statistics say that it is much smaller: in what follows "left" and "right"
// then are exchanged.
#include <algorithm>
#include <optional>
#include <utility>

#include "klip/cancel.h"
#include "sql/exec/key_table.h"
#include "sql/exec/sorter.h"

namespace klip::sql {
namespace {

// A row of the right side.
struct Place {
  uint32_t batch = KeyTable::kNone;  // kNone: no row, its columns are NULL
  uint32_t row = 0;
};

// The keys of a batch's rows.
struct RowKeys {
  std::vector<std::string> keys;
  std::vector<bool> nulls;  // those with a NULL, which equal none

  void Clear() {
    keys.clear();
    nulls.clear();
  }
  // As a sort has them: those with a NULL first.
  void AddSorted(std::string_view key) {
    keys.emplace_back(key.substr(1));
    nulls.push_back(key.front() == '\0');
  }
  // Keeps those of these rows.
  void Keep(std::span<const uint32_t> rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      keys[i].swap(keys[rows[i]]);
      nulls[i] = nulls[rows[i]];
    }
    keys.resize(rows.size());
    nulls.resize(rows.size());
  }
  std::string Sorted(size_t row) const { return (nulls[row] ? '\0' : '\1') + keys[row]; }
};

// Right rows in memory.
class RightRows {
 public:
  void Clear() { *this = RightRows(); }

  // What it holds, once the batch has been added.
  size_t BytesWith(const Batch& batch) const {
    constexpr size_t kRowBytes = sizeof(Place) + sizeof(std::vector<Place>) + 2 * sizeof(size_t);  // of malloc
    size_t bytes = batch_bytes_ + table_.memory_bytes(batch.rows) + (rows_ + batch.rows) * kRowBytes;
    for (const Vector& column : batch.columns) {
      bytes += column.memory_bytes();
    }
    return bytes;
  }

  void Add(std::unique_ptr<Batch> batch, const RowKeys& keys) {
    std::ranges::for_each(batch->columns, &Vector::SetReserved);
    const auto index = static_cast<uint32_t>(batches_.size());
    for (uint32_t row = 0; row < batch->rows; ++row) {
      if (!keys.nulls[row]) {
        const auto [number, added] = table_.Insert(keys.keys[row]);
        if (added) {
          places_.emplace_back();
        }
        places_[number].push_back({index, row});
      }
    }
    for (const Vector& column : batch->columns) {
      batch_bytes_ += column.memory_bytes();
    }
    rows_ += batch->rows;
    met_.emplace_back(batch->rows, false);
    batches_.push_back(std::move(batch));
  }

  // The rows with a key.
  std::span<const Place> Find(std::string_view key) const {
    const uint32_t number = table_.Find(key);
    return number == KeyTable::kNone ? std::span<const Place>() : places_[number];
  }
  void Meet(const Place& place) { met_[place.batch][place.row] = true; }
  const Vector& column(const Place& place, size_t column) const { return batches_[place.batch]->columns[column]; }

  // Up to kBatchRows rows that met none, from *at on.
  std::vector<Place> Unmet(Place* at) const {
    std::vector<Place> rows;
    for (; at->batch < batches_.size(); *at = {at->batch + 1, 0}) {
      for (; at->row < batches_[at->batch]->rows; ++at->row) {
        if (rows.size() == kBatchRows) {
          return rows;
        }
        if (!met_[at->batch][at->row]) {
          rows.push_back(*at);
        }
      }
    }
    return rows;
  }

  // Gives up all batches, and forgets the rest.
  std::vector<std::unique_ptr<Batch>> TakeBatches() {
    std::vector<std::unique_ptr<Batch>> batches = std::move(batches_);
    Clear();
    return batches;
  }

 private:
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<std::vector<bool>> met_;
  KeyTable table_;
  std::vector<std::vector<Place>> places_;  // by number in table_
  size_t batch_bytes_ = 0;
  size_t rows_ = 0;
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
    if (!only_left()) {
      types_ = pair_types_;
    }
  }

  Status Open(Execution* execution) override {
    execution_ = execution;
    if (ReadsLeftFirst() != exchanged_) {
      std::swap(left_, right_);
      std::swap(join_keys_.left, join_keys_.right);
      exchanged_ = !exchanged_;
    }
    right_has_null_ = right_has_rows_ = false;
    table_.Clear();
    sorted_.reset();
    memory_.Reset(&execution->memory);
    at_in_list_ = 0;
    incoming_.rows = 0;
    left_row_ = 0;
    left_ended_ = false;
    unmatched_ = {0, 0};
    most_pairs_ = kFirstPairs;
    KLIP_RETURN_IF_ERROR(right_->Open(execution));
    KLIP_RETURN_IF_ERROR(ReadRight());
    if (right_has_null_) {
      sorted_.reset();
      left_ended_ = true;
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(left_->Open(execution));
    return sorted_.has_value() ? SortLeft() : Status::Ok();
  }

  Expected<bool> Next(Batch* out) override {
    while (true) {
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
      if ((kind_ == JoinKind::kRight || kind_ == JoinKind::kFull) && EmitUnmatched(out)) {
        return true;
      }
      if (!sorted_.has_value() || sorted_->last) {
        return false;
      }
      KLIP_RETURN_IF_ERROR(LoadRange());
    }
  }

  void Close() override {
    left_->Close();
    right_->Close();
  }

  bool InOrder() const override { return !sorted_.has_value() && left_->InOrder(); }

  void Explain(ExplainLines* lines) const override {
    const bool exchange = ReadsLeftFirst() != exchanged_;
    (exchange ? right_ : left_)->Explain(lines);
    static constexpr std::string_view kNames[] = {"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "ANTI"};
    lines->push_back("    PARALLEL " + std::string(kNames[static_cast<size_t>(kind_)]) + "-JOIN TABLE 0");
    ExplainLines below;
    (exchange ? left_ : right_)->Explain(&below);
    lines->Append(below, "        ");
  }

 private:
  // A left row of the batch beside a row of the right side.
  struct Pair {
    uint32_t left;
    Place right;
  };

  // Of a join beyond memory.
  struct Sorted {
    explicit Sorted(Execution* execution) : carried_over(execution) {
      left.Reset(execution);
      right.Reset(execution);
    }

    RowSorter left;
    RowSorter right;
    bool last = false;       // the range is the last one, and takes all left rows that remain
    std::string end;         // the range's last key
    bool continues = false;  // in the next range
    RunReader carried{Run()};
    bool more_carried = false;
    RunWriter carried_over;  // for the next range; a byte behind the key: whether the row has met any
  };

  // Whether the side that was declared as the left one is the smaller one.
  bool ReadsLeftFirst() const {
    constexpr double kMuchSmaller = 0.5;  // TUNING: estimates are rough, and the declared order is the user's
    if (kind_ != JoinKind::kInner || join_keys_.left.empty()) {
      return false;
    }
    const std::optional<double> left = (exchanged_ ? right_ : left_)->EstimatedRows();
    const std::optional<double> right = (exchanged_ ? left_ : right_)->EstimatedRows();
    return left.has_value() && right.has_value() && *left < kMuchSmaller * *right;
  }

  Status ReadRight() {
    Batch incoming;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, right_->Next(&incoming));
      if (!more) {
        return Status::Ok();
      }
      KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.right, join_keys_.null_values, incoming, &right_keys_));
      right_has_rows_ = true;
      if (kind_ == JoinKind::kNotIn && std::ranges::find(right_keys_.nulls, true) != right_keys_.nulls.end()) {
        right_has_null_ = true;  // no row is known not to be in it
        return Status::Ok();
      }
      if (!sorted_.has_value()) {
        auto batch = std::make_unique<Batch>();
        const Selection wanted = WantedRight();
        CopyRows(incoming, wanted, batch.get());
        right_keys_.Keep(wanted);
        if (memory_.TrySetTo(table_.BytesWith(*batch))) {
          table_.Add(std::move(batch), right_keys_);
          continue;
        }
        KLIP_RETURN_IF_ERROR(SortRight());
        KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.right, join_keys_.null_values, incoming, &right_keys_));
      }
      KLIP_RETURN_IF_ERROR(AddRows(incoming, right_keys_, &sorted_->right));
    }
  }

  // The rows of the batch with right_keys_ that can make a difference: of each key one, if only keys matter.
  Selection WantedRight() const {
    const bool only_keys = only_left() && condition_ == nullptr;
    Selection rows;
    for (uint32_t row = 0; row < right_keys_.keys.size(); ++row) {
      if (!only_keys || (!right_keys_.nulls[row] && table_.Find(right_keys_.keys[row]).empty())) {
        rows.push_back(row);
      }
    }
    return rows;
  }

  // Moves the right rows from memory to a sort.
  Status SortRight() {
    sorted_.emplace(execution_);
    for (std::unique_ptr<Batch>& batch : table_.TakeBatches()) {
      KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.right, join_keys_.null_values, *batch, &right_keys_));
      KLIP_RETURN_IF_ERROR(AddRows(*batch, right_keys_, &sorted_->right));
      batch.reset();
    }
    memory_.Free();
    return Status::Ok();
  }

  Status SortLeft() {
    KLIP_RETURN_IF_ERROR(sorted_->right.Finish());
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, left_->Next(&incoming_));
      if (!more) {
        KLIP_RETURN_IF_ERROR(sorted_->left.Finish());
        return LoadRange();
      }
      KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.left, join_keys_.null_values, incoming_, &left_keys_));
      KLIP_RETURN_IF_ERROR(AddRows(incoming_, left_keys_, &sorted_->left));
    }
  }

  Status AddRows(const Batch& batch, const RowKeys& keys, RowSorter* to) {
    const std::vector<const Vector*> columns = Pointers(batch.columns);
    for (size_t row = 0; row < batch.rows; ++row) {
      values_.clear();
      AppendValues(columns, row, &values_);
      KLIP_RETURN_IF_ERROR(to->Add({keys.Sorted(row), values_}));
    }
    return Status::Ok();
  }

  // Replaces the right rows in memory by the next range. TUNING: a quarter of the memory, so that operators above get some too.
  Status LoadRange() {
    RowSorter& right = sorted_->right;
    const auto most = static_cast<size_t>(4 * execution_->memory.share());
    table_.Clear();
    unmatched_ = {0, 0};
    size_t bytes = 0;
    do {
      auto batch = std::make_unique<Batch>();
      KLIP_RETURN_IF_ERROR(ReadRange(batch.get()));
      bytes = table_.BytesWith(*batch);
      table_.Add(std::move(batch), right_keys_);
    } while (!right.at_end() && bytes < most && memory_.TrySetTo(bytes));
    sorted_->last = right.at_end();
    sorted_->continues = !right.at_end() && right.row().key == sorted_->end;
    KLIP_ASSIGN_OR_RETURN(Run carried, sorted_->carried_over.Finish());
    sorted_->carried_over = RunWriter(execution_);
    sorted_->carried = RunReader(std::move(carried));
    KLIP_ASSIGN_OR_RETURN(sorted_->more_carried, sorted_->carried.Next());
    incoming_.rows = 0;
    left_row_ = 0;
    left_ended_ = false;
    return Status::Ok();
  }

  // A batch of right rows, with their keys.
  Status ReadRange(Batch* batch) {
    RowSorter& right = sorted_->right;
    ResetBatch(right_->types(), kBatchRows, batch);
    right_keys_.Clear();
    size_t bytes = 0;
    batch->rows = 0;
    for (; !right.at_end() && batch->rows < kBatchRows && bytes < kRangeBatchBytes; ++batch->rows) {
      ReadValues(right.row().values, batch->columns, batch->rows);
      right_keys_.AddSorted(right.row().key);
      sorted_->end = right.row().key;
      bytes += right.row().values.size();
      KLIP_RETURN_IF_ERROR(right.Next());
    }
    return Status::Ok();
  }

  // The next left rows of the range, with their keys; false at the end.
  Expected<bool> ReadSortedLeft() {
    ResetBatch(left_->types(), kBatchRows, &incoming_);
    left_keys_.Clear();
    size_t bytes = 0;
    size_t rows = 0;
    const auto add = [&](std::string_view key, std::string_view values) {
      ReadValues(values, incoming_.columns, rows++);
      left_keys_.AddSorted(key);
      bytes += values.size();
    };
    const auto has_room = [&] { return rows < kBatchRows && bytes < kRangeBatchBytes; };
    while (sorted_->more_carried && has_room()) {
      const StoredRow& row = sorted_->carried.row();
      left_matched_.push_back(row.key.back() != '\0');
      add(row.key.substr(0, row.key.size() - 1), row.values);
      KLIP_ASSIGN_OR_RETURN(sorted_->more_carried, sorted_->carried.Next());
    }
    RowSorter& left = sorted_->left;
    while (!left.at_end() && has_room() && (sorted_->last || left.row().key <= sorted_->end)) {
      add(left.row().key, left.row().values);
      KLIP_RETURN_IF_ERROR(left.Next());
    }
    incoming_.rows = rows;
    return rows > 0;
  }

  // Whether a left row is to meet rows of the next range too.
  bool Continues(size_t row) const {
    const bool decided = only_left() && left_matched_[row];
    return sorted_.has_value() && sorted_->continues && !decided && left_keys_.Sorted(row) == sorted_->end;
  }

  Status CarryOver(size_t row) {
    values_.clear();
    AppendValues(Pointers(incoming_.columns), row, &values_);
    return sorted_->carried_over.Add({left_keys_.Sorted(row) + (left_matched_[row] ? '\1' : '\0'), values_});
  }

  // Without join keys all are the empty key.
  static Status KeysOf(const std::vector<BoundPtr>& expressions, size_t null_values, const Batch& batch, RowKeys* out) {
    out->keys.assign(batch.rows, {});
    out->nulls.assign(batch.rows, false);
    for (size_t i = 0; i < expressions.size(); ++i) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, expressions[i]->Evaluate(batch, AllRows(batch.rows)));
      for (size_t row = 0; row < batch.rows; ++row) {
        out->nulls[row] = out->nulls[row] || (i >= null_values && values->is_null(row));
        AppendSortKey(*values, row, /*descending=*/false, /*nulls_last=*/false, &out->keys[row]);
      }
    }
    return Status::Ok();
  }

  bool outer_left() const { return kind_ == JoinKind::kLeft || kind_ == JoinKind::kFull; }
  bool anti() const { return kind_ == JoinKind::kAnti || kind_ == JoinKind::kNotIn; }
  bool only_left() const { return kind_ == JoinKind::kSemi || anti(); }

  // The next batch of left rows, with their keys; false at the end.
  Expected<bool> NextLeft() {
    left_row_ = 0;
    at_in_list_ = 0;
    left_matched_.clear();
    bool more = false;
    if (sorted_.has_value()) {
      KLIP_ASSIGN_OR_RETURN(more, ReadSortedLeft());
    } else {
      KLIP_ASSIGN_OR_RETURN(more, left_->Next(&incoming_));
      if (more) {
        KLIP_RETURN_IF_ERROR(KeysOf(join_keys_.left, join_keys_.null_values, incoming_, &left_keys_));
      }
    }
    incoming_.rows = more ? incoming_.rows : 0;
    left_matched_.resize(incoming_.rows, false);
    if (kind_ == JoinKind::kNotIn && right_has_rows_) {
      for (size_t row = 0; row < incoming_.rows; ++row) {
        left_matched_[row] = left_matched_[row] || left_keys_.nulls[row];
      }
    }
    return more;
  }

  // Takes whole left rows until there are pairs for a batch. A left row with more pairs than a batch takes several rounds in Emit.
  Status CollectPairs() {
    if (left_row_ == incoming_.rows) {
      KLIP_ASSIGN_OR_RETURN(const bool more, NextLeft());
      left_ended_ = !more;
    }
    while (left_row_ < incoming_.rows && pairs_.size() < most_pairs_) {
      const std::span<const Place> list =
          left_keys_.nulls[left_row_] ? std::span<const Place>() : table_.Find(left_keys_.keys[left_row_]);
      while (at_in_list_ < list.size() && pairs_.size() < most_pairs_) {
        pairs_.push_back({static_cast<uint32_t>(left_row_), list[at_in_list_++]});
      }
      if (at_in_list_ < list.size() || pairs_.size() == most_pairs_) {
        break;  // its last pair, {row, none}, comes in another round
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
        CancelToken::Current().status());  // scans check too, but a join may continue long after the last row was read
    KLIP_RETURN_IF_ERROR(CheckPairs());
    kept_.clear();
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool ends_row = pair.right.batch == KeyTable::kNone;
      if (!ends_row) {
        if (holds_[i]) {
          left_matched_[pair.left] = true;
          table_.Meet(pair.right);
          if (!only_left()) {
            kept_.push_back(pair);
          }
        }
      } else if (Continues(pair.left)) {
        KLIP_RETURN_IF_ERROR(CarryOver(pair.left));
      } else if (left_matched_[pair.left] ? kind_ == JoinKind::kSemi : outer_left() || anti()) {
        kept_.push_back(pair);
      }
    }
    Fill(kept_, types_, out);
    BoundPairs(condition_ == nullptr ? *out : tried_);
    return CheckColumns();
  }

  // Takes more pairs at a time, up to a batch, unless their texts take much memory.
  void BoundPairs(const Batch& pairs) {
    size_t bytes = 0;
    for (const Vector& column : pairs.columns) {
      bytes += column.memory_bytes();
    }
    most_pairs_ = bytes > kMuchBytes ? std::max(most_pairs_ / 4, size_t{2}) : std::min(2 * most_pairs_, kBatchRows);
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
      const bool of_left = (column < left_columns_) != exchanged_;
      const size_t of_side = column < left_columns_ ? column : column - left_columns_;
      for (size_t i = 0; i < pairs.size(); ++i) {
        if (of_left) {
          values.Copy(i, incoming_.columns[of_side], pairs[i].left);
        } else if (pairs[i].right.batch != KeyTable::kNone) {
          const Place& place = pairs[i].right;
          values.Copy(i, table_.column(place, of_side), place.row);
        }
      }
    }
  }

  // Rows of the right side that met none.
  bool EmitUnmatched(Batch* out) {
    const std::vector<Place> rows = table_.Unmet(&unmatched_);
    ResetBatch(types_, rows.size(), out);
    for (size_t column = left_columns_; column < types_.size(); ++column) {
      for (size_t i = 0; i < rows.size(); ++i) {
        out->columns[column].Copy(i, table_.column(rows[i], column - left_columns_), rows[i].row);
      }
    }
    return !rows.empty();
  }

  static constexpr size_t kRangeBatchBytes = 256 << 10;  // of values that are read from a sort at a time
  // TUNING: of pairs that are made at a time. A batch without long texts has less.
  static constexpr size_t kMuchBytes = size_t{1} << 20;
  static constexpr size_t kFirstPairs = 64;

  OperatorPtr left_;
  OperatorPtr right_;
  JoinKind kind_;
  JoinKeys join_keys_;
  BoundPtr condition_;
  size_t left_columns_ = 0;  // of the side that was declared as the left one
  bool exchanged_ = false;
  bool right_has_null_ = false;  // kNotIn
  bool right_has_rows_ = false;
  std::vector<DataType> pair_types_;
  Execution* execution_ = nullptr;

  RightRows table_;
  std::optional<Sorted> sorted_;
  Reservation memory_;  // of table_
  RowKeys right_keys_;  // of the batch that is added
  std::string values_;  // of the row that is added

  // The left side: its batch, and where in it the next pair is.
  Batch incoming_;
  RowKeys left_keys_;
  std::vector<bool> left_matched_;
  size_t left_row_ = 0;
  size_t at_in_list_ = 0;
  bool left_ended_ = false;

  size_t most_pairs_ = kFirstPairs;
  std::vector<Pair> pairs_;
  std::vector<Pair> kept_;
  std::vector<bool> holds_;
  Batch tried_;
  Place unmatched_;
};

}  // namespace

OperatorPtr MakeJoin(OperatorPtr left, OperatorPtr right, JoinKind kind, JoinKeys keys, BoundPtr condition) {
  return std::make_unique<Join>(std::move(left), std::move(right), kind, std::move(keys), std::move(condition));
}

}  // namespace klip::sql
