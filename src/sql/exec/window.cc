// Window functions. The rows are sorted by PARTITION BY and then by ORDER BY, so that partitions come one after the other, and rows that are
// equal by ORDER BY, called peers, side by side. A partition is read into memory, where the frame of each row is a range of its rows.
//
// Example: SUM(v) OVER (PARTITION BY p ORDER BY o) of the rows (p, o, v) = (a, 1, 10), (a, 2, 1), (a, 2, 2), (b, 1, 5). The first partition
// has three rows, the second and third are peers. The frame of the first row is itself: 10. That of the others ends behind the peers: 13 and
// 13. The partition b has one row: 5.
#include "sql/exec/window.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "klip/cancel.h"
#include "sql/exec/aggregator.h"
#include "sql/exec/sorter.h"

namespace klip::sql {
namespace {

using BoundKind = WindowFrame::BoundKind;

// Functions that only windows have; of those that are aggregates too, their other meaning.
struct WindowName {
  std::string_view name;
  size_t least_arguments;
  size_t most_arguments;
};
constexpr WindowName kWindowNames[] = {
    {"ROW_NUMBER", 0, 0},  {"RANK", 0, 0},       {"DENSE_RANK", 0, 0}, {"PERCENT_RANK", 0, 0},
    {"CUME_DIST", 0, 0},   {"NTILE", 1, 1},      {"LAG", 1, 3},        {"LEAD", 1, 3},
    {"FIRST_VALUE", 1, 1}, {"LAST_VALUE", 1, 1}, {"NTH_VALUE", 2, 2},
};

const WindowName* FindName(std::string_view name) {
  const auto* const found = std::ranges::find(kWindowNames, name, &WindowName::name);
  return found == std::end(kWindowNames) ? nullptr : found;
}

bool IsNumberOrNull(const DataType& type) { return (type.type == Type::kNull || IsNumber(type.type)) && !type.array; }

bool IsRank(std::string_view name) { return name == "ROW_NUMBER" || name == "RANK" || name == "DENSE_RANK"; }

// Rows of a partition from `begin` on, without `end`.
struct Range {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const Range&) const = default;
};

// The rows that are in memory: a partition, or if every function is a rank, some rows of it.
struct Partition {
  Batch batch;                                    // the input's columns, then the arguments
  std::vector<Range> peers;                       // of each row
  std::vector<int64_t> number, rank, dense_rank;  // of each row, from 1

  size_t rows() const { return batch.rows; }
  size_t memory_bytes(size_t more) const {
    size_t bytes = CapacityWith(peers, more) * (sizeof(Range) + 3 * sizeof(int64_t));
    for (const Vector& column : batch.columns) {
      bytes += column.memory_bytes(more);
    }
    return bytes;
  }
};

size_t Below(size_t row, int64_t rows) { return row - std::min(row, static_cast<size_t>(rows)); }

Range FrameOf(const WindowFrame& frame, const Partition& partition, size_t row) {
  const Range here = frame.rows ? Range{row, row + 1} : partition.peers[row];
  Range range;
  switch (frame.start.kind) {
    case BoundKind::kUnboundedPreceding:
      break;
    case BoundKind::kPreceding:
      range.begin = Below(row, frame.start.rows);
      break;
    case BoundKind::kFollowing:
      range.begin = row + static_cast<size_t>(frame.start.rows);
      break;
    default:
      range.begin = here.begin;
  }
  switch (frame.end.kind) {
    case BoundKind::kUnboundedFollowing:
      range.end = partition.rows();
      break;
    case BoundKind::kPreceding:
      range.end = Below(row + 1, frame.end.rows);
      break;
    case BoundKind::kFollowing:
      range.end = row + 1 + static_cast<size_t>(frame.end.rows);
      break;
    default:
      range.end = here.end;
  }
  range.end = std::min(range.end, partition.rows());
  range.begin = std::min(range.begin, range.end);
  return range;
}

// An aggregate of a frame. Frames mostly grow at one end, so rows are added to those of the frame before, if it is a part of the new one.
class FrameAggregate {
 public:
  FrameAggregate(const AggregateCall& call, std::vector<const Vector*> arguments)
      : call_(call), arguments_(std::move(arguments)) {}

  Expected<Value> Of(const Range& frame) {
    if (aggregator_ == nullptr || frame.begin > rows_.begin || frame.end < rows_.end) {
      aggregator_ = MakeAggregator(call_);
      aggregator_->Resize(1);
      rows_ = {frame.begin, frame.begin};
    }
    KLIP_RETURN_IF_ERROR(Add({frame.begin, rows_.begin}));
    KLIP_RETURN_IF_ERROR(Add({rows_.end, frame.end}));
    rows_ = frame;
    return aggregator_->Result(0);
  }

 private:
  Status Add(const Range& range) {
    for (size_t at = range.begin; at < range.end; at += kBatchRows) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      const size_t count = std::min(kBatchRows, range.end - at);
      added_.resize(count);
      std::iota(added_.begin(), added_.end(), static_cast<uint32_t>(at));
      groups_.assign(count, 0);
      KLIP_RETURN_IF_ERROR(aggregator_->Add(arguments_, added_, groups_));
    }
    return Status::Ok();
  }

  const AggregateCall& call_;
  std::vector<const Vector*> arguments_;
  std::unique_ptr<Aggregator> aggregator_;
  Range rows_;  // that were added
  Selection added_;
  Selection groups_;
};

// Computes one call for all rows of a partition.
class Function {
 public:
  // `arguments`: columns of the partition. `memory`: it is set to `held` and what the results hold.
  Function(const WindowCall& call, const Partition& partition, std::vector<const Vector*> arguments, size_t held,
           Reservation* memory)
      : call_(call), partition_(partition), arguments_(std::move(arguments)), held_(held), memory_(memory) {}

  // *out refers to texts of the partition.
  Status Compute(Vector* out) {
    out->Reset(call_.function.type, partition_.rows());
    KLIP_RETURN_IF_ERROR(memory_->SetTo(held_ + out->memory_bytes()));
    const std::string& name = call_.function.name;
    if (FindName(name) == nullptr) {
      return Aggregated(out);
    }
    for (size_t row = 0; row < partition_.rows(); ++row) {
      if (name == "LAG" || name == "LEAD") {
        KLIP_RETURN_IF_ERROR(Shifted(row, name == "LAG", out));
      } else if (name.ends_with("_VALUE")) {
        KLIP_RETURN_IF_ERROR(OfFrame(row, out));
      } else {
        KLIP_RETURN_IF_ERROR(Ranked(row, out));
      }
    }
    return Status::Ok();
  }

 private:
  Status Aggregated(Vector* out) {
    FrameAggregate aggregate(call_.function, arguments_);
    // A frame to the partition's end grows from the last row to the first.
    const bool backwards = call_.frame.end.kind == BoundKind::kUnboundedFollowing;
    std::optional<size_t> last;
    Range last_frame;
    for (size_t i = 0; i < partition_.rows(); ++i) {
      const size_t row = backwards ? partition_.rows() - 1 - i : i;
      const Range frame = FrameOf(call_.frame, partition_, row);
      if (last.has_value() && frame == last_frame) {
        out->ViewOne(row, *out, *last);
        continue;
      }
      KLIP_ASSIGN_OR_RETURN(const Value value, aggregate.Of(frame));
      out->Set(row, value);
      KLIP_RETURN_IF_ERROR(memory_->SetTo(held_ + out->memory_bytes()));
      last = row;
      last_frame = frame;
    }
    return Status::Ok();
  }

  // LAG(value, by, otherwise), LEAD.
  Status Shifted(size_t row, bool back, Vector* out) {
    int64_t by = 1;
    if (arguments_.size() > 1) {
      if (arguments_[1]->is_null(row)) {
        return Status::Ok();
      }
      by = arguments_[1]->whole(row);
    }
    const auto rows = static_cast<int64_t>(partition_.rows());
    by = std::clamp(by, -rows, rows);
    const int64_t at = static_cast<int64_t>(row) + (back ? -by : by);
    if (at >= 0 && at < rows) {
      out->ViewOne(row, *arguments_[0], static_cast<size_t>(at));
    } else if (arguments_.size() > 2) {
      out->ViewOne(row, *arguments_[2], row);
    }
    return Status::Ok();
  }

  // FIRST_VALUE(value), LAST_VALUE, NTH_VALUE(value, n).
  Status OfFrame(size_t row, Vector* out) {
    const Range frame = FrameOf(call_.frame, partition_, row);
    size_t at = call_.function.name == "LAST_VALUE" ? frame.end - 1 : frame.begin;
    if (arguments_.size() > 1) {
      if (arguments_[1]->is_null(row) || arguments_[1]->whole(row) < 1) {
        return SqlError(203, "22005", "Type mismatch. NTH_VALUE takes a number from 1");
      }
      const auto nth = static_cast<uint64_t>(arguments_[1]->whole(row)) - 1;
      at = nth < frame.end - frame.begin ? frame.begin + nth : frame.end;
    }
    if (frame.begin < frame.end && at < frame.end) {
      out->ViewOne(row, *arguments_[0], at);
    }
    return Status::Ok();
  }

  Status Ranked(size_t row, Vector* out) {
    const std::string& name = call_.function.name;
    const size_t rows = partition_.rows();
    if (name == "ROW_NUMBER") {
      out->SetWhole(row, partition_.number[row]);
    } else if (name == "RANK") {
      out->SetWhole(row, partition_.rank[row]);
    } else if (name == "DENSE_RANK") {
      out->SetWhole(row, partition_.dense_rank[row]);
    } else if (name == "PERCENT_RANK") {
      out->SetReal(row, rows < 2 ? 0 : static_cast<double>(partition_.rank[row] - 1) / static_cast<double>(rows - 1));
    } else if (name == "CUME_DIST") {
      out->SetReal(row, static_cast<double>(partition_.peers[row].end) / static_cast<double>(rows));
    } else {
      return Tile(row, out);
    }
    return Status::Ok();
  }

  // NTILE(n): n parts whose sizes differ by at most 1, larger ones first.
  Status Tile(size_t row, Vector* out) {
    if (arguments_[0]->is_null(row) || arguments_[0]->whole(row) < 1) {
      return SqlError(203, "22005", "Type mismatch. NTILE takes a number from 1");
    }
    const auto rows = static_cast<int64_t>(partition_.rows());
    const int64_t parts = arguments_[0]->whole(row);
    const int64_t size = rows / parts;
    const int64_t larger = rows % parts;  // parts with one row more
    const auto at = static_cast<int64_t>(row);
    const int64_t in_larger = larger * (size + 1);
    out->SetWhole(row, at < in_larger ? at / (size + 1) + 1 : larger + (at - in_larger) / size + 1);
    return Status::Ok();
  }

  const WindowCall& call_;
  const Partition& partition_;
  std::vector<const Vector*> arguments_;
  size_t held_;
  Reservation* memory_;
};

class WindowRows final : public Operator {
 public:
  WindowRows(OperatorPtr input, WindowSpec spec) : input_(std::move(input)), spec_(std::move(spec)) {
    types_ = column_types_ = input_->types();
    for (const WindowCall& call : spec_.calls) {
      types_.push_back(call.function.type);
      for (const BoundPtr& argument : call.function.arguments) {
        column_types_.push_back(argument->type());
      }
    }
    streams_ = std::ranges::all_of(spec_.calls, [](const WindowCall& call) { return IsRank(call.function.name); });
  }

  Status Open(Execution* execution) override {
    sorted_.Reset(execution);
    memory_.Reset(&execution->memory);
    partition_.batch.rows = 0;
    next_ = 0;
    open_partition_ = false;
    KLIP_RETURN_IF_ERROR(input_->Open(execution));
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&incoming_));
      if (!more) {
        return sorted_.Finish();
      }
      KLIP_RETURN_IF_ERROR(AddIncoming());
    }
  }

  Expected<bool> Next(Batch* out) override {
    if (next_ == partition_.rows()) {
      KLIP_RETURN_IF_ERROR(ReadPartition());
      KLIP_RETURN_IF_ERROR(ComputeCalls());
    }
    const size_t count = std::min(kBatchRows, partition_.rows() - next_);
    ResetBatch(types_, count, out);
    const size_t width = input_->types().size();
    for (size_t column = 0; column < types_.size(); ++column) {
      const Vector& from = column < width ? partition_.batch.columns[column] : results_[column - width];
      for (size_t row = 0; row < count; ++row) {
        out->columns[column].ViewOne(row, from, next_ + row);
      }
    }
    next_ += count;
    return count > 0;
  }

  void Close() override { input_->Close(); }
  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    lines->push_back("CLIENT WINDOW " + spec_.text);
  }

 private:
  // Sorts the rows by the terms; before the values, the number of the key's bytes that name the partition.
  Status AddIncoming() {
    std::vector<const Vector*> terms;
    std::vector<const Vector*> columns = Pointers(incoming_.columns);
    const auto evaluate = [&](const BoundPtr& expression, std::vector<const Vector*>* to) -> Status {
      KLIP_ASSIGN_OR_RETURN(to->emplace_back(), expression->Evaluate(incoming_, AllRows(incoming_.rows)));
      return Status::Ok();
    };
    for (const std::vector<SortTerm>* list : {&spec_.partition, &spec_.order}) {
      for (const SortTerm& term : *list) {
        KLIP_RETURN_IF_ERROR(evaluate(term.expression, &terms));
      }
    }
    for (const WindowCall& call : spec_.calls) {
      for (const BoundPtr& argument : call.function.arguments) {
        KLIP_RETURN_IF_ERROR(evaluate(argument, &columns));
      }
    }
    for (size_t row = 0; row < incoming_.rows; ++row) {
      key_.clear();
      values_.clear();
      for (size_t i = 0; i < terms.size(); ++i) {
        if (i == spec_.partition.size()) {
          AppendBigEndian(static_cast<uint32_t>(key_.size()), &values_);
        }
        const bool ordering = i >= spec_.partition.size();
        const SortTerm& term = ordering ? spec_.order[i - spec_.partition.size()] : spec_.partition[i];
        AppendSortKey(*terms[i], row, term.descending, term.nulls_last, &key_);
      }
      if (spec_.order.empty()) {
        AppendBigEndian(static_cast<uint32_t>(key_.size()), &values_);
      }
      AppendValues(columns, row, &values_);
      KLIP_RETURN_IF_ERROR(sorted_.Add({key_, values_}));
    }
    return Status::Ok();
  }

  // The next partition; if the functions are ranks, at most a batch of it. No rows: the end.
  Status ReadPartition() {
    next_ = 0;
    memory_.Free();
    ResetBatch(column_types_, 0, &partition_.batch);
    std::ranges::for_each(partition_.batch.columns, &Vector::SetReserved);
    partition_.peers.clear();
    partition_.number.clear();
    partition_.rank.clear();
    partition_.dense_rank.clear();
    while (!sorted_.at_end()) {
      const StoredRow& row = sorted_.row();
      const size_t partition_bytes = ReadBigEndian<uint32_t>(row.values.data());
      const std::string_view name = row.key.substr(0, partition_bytes);
      const bool same = open_partition_ && std::string_view(last_key_).substr(0, last_partition_bytes_) == name;
      if (!same && partition_.rows() > 0) {
        open_partition_ = false;
        break;
      }
      if (streams_ && partition_.rows() == kBatchRows) {
        break;
      }
      KLIP_RETURN_IF_ERROR(AddRow(row, same));
      last_partition_bytes_ = partition_bytes;
      KLIP_RETURN_IF_ERROR(sorted_.Next());
    }
    for (size_t row = partition_.rows(); row-- > 0;) {  // a peer's range ends where that of the last peer does
      Range& peers = partition_.peers[row];
      const bool last = row + 1 == partition_.rows() || partition_.peers[row + 1].begin != peers.begin;
      peers.end = last ? row + 1 : partition_.peers[row + 1].end;
    }
    return Status::Ok();
  }

  // `same`: the row before it is of the same partition.
  Status AddRow(const StoredRow& row, bool same) {
    Batch& batch = partition_.batch;
    if (batch.rows % kBatchRows == 0) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      KLIP_RETURN_IF_ERROR(memory_.SetTo(partition_.memory_bytes(kBatchRows)));
      for (Vector& column : batch.columns) {
        column.Resize(batch.rows + kBatchRows);
      }
    }
    ReadValues(row.values.substr(sizeof(uint32_t)), batch.columns, batch.rows);
    const bool peer = same && last_key_ == row.key;
    number_ = same ? number_ + 1 : 1;
    dense_rank_ = !same ? 1 : dense_rank_ + (peer ? 0 : 1);
    rank_ = peer ? rank_ : number_;
    partition_.number.push_back(number_);
    partition_.rank.push_back(rank_);
    partition_.dense_rank.push_back(dense_rank_);
    partition_.peers.push_back({peer && batch.rows > 0 ? partition_.peers.back().begin : batch.rows, 0});
    ++batch.rows;
    last_key_.assign(row.key);
    open_partition_ = true;
    return Status::Ok();
  }

  Status ComputeCalls() {
    results_.resize(spec_.calls.size());
    size_t first = input_->types().size();
    size_t bytes = partition_.memory_bytes(0);
    for (size_t i = 0; i < spec_.calls.size(); ++i) {
      std::vector<const Vector*> arguments;
      for (size_t j = 0; j < spec_.calls[i].function.arguments.size(); ++j) {
        arguments.push_back(&partition_.batch.columns[first++]);
      }
      Function function(spec_.calls[i], partition_, std::move(arguments), bytes, &memory_);
      results_[i].SetReserved();
      KLIP_RETURN_IF_ERROR(function.Compute(&results_[i]));
      bytes += results_[i].memory_bytes();
    }
    return Status::Ok();
  }

  OperatorPtr input_;
  WindowSpec spec_;
  std::vector<DataType> column_types_;  // of the partition: the input's, and the arguments'
  bool streams_ = false;                // partitions need not be in memory as a whole

  RowSorter sorted_;
  Reservation memory_;
  Partition partition_;
  std::vector<Vector> results_;  // of the calls
  size_t next_ = 0;              // row of the partition

  bool open_partition_ = false;  // the partition of the last row read may continue
  std::string last_key_;         // of that row
  size_t last_partition_bytes_ = 0;
  int64_t number_ = 0, rank_ = 0, dense_rank_ = 0;

  Batch incoming_;
  std::string key_;
  std::string values_;
};

}  // namespace

Status CheckWindowCall(WindowCall* call) {
  AggregateCall& function = call->function;
  const WindowName* const name = FindName(function.name);
  if (name == nullptr) {
    const bool kept = IsAggregate(function.name) && function.within.empty() && !function.distinct;
    return kept ? CheckAggregate(&function)
                : Status(Code::kUnsupported,
                         "SQL: " + function.name + (function.distinct ? "(DISTINCT)" : "") + " as a window function");
  }
  if (function.arguments.size() < name->least_arguments || function.arguments.size() > name->most_arguments ||
      function.distinct || !function.within.empty()) {
    return SqlError(605, "42P00", "Syntax error. Unknown function: \"" + function.name + "\" with these arguments");
  }
  if (function.arguments.empty()) {
    function.type.type = IsRank(function.name) ? Type::kBigint : Type::kDouble;
    return Status::Ok();
  }
  const bool tiles = function.name == "NTILE";
  function.type = tiles ? DataType{.type = Type::kBigint} : function.arguments[0]->type();
  if (function.type.type == Type::kNull && function.arguments.size() > 2) {  // LAG(NULL, by, otherwise)
    function.type = function.arguments[2]->type();
  }
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const bool number = tiles || i == 1;
    const DataType type = number ? DataType{.type = Type::kBigint} : function.type;
    BoundPtr& argument = function.arguments[i];
    if (!Castable(argument->type(), type) || (number && !IsNumberOrNull(argument->type()))) {
      return SqlError(203, "22005",
                      "Type mismatch. expected: [" + ToString(type) + "] but was: " + ToString(argument->type()) +
                          " at " + function.name + " argument " + std::to_string(i + 1));
    }
    KLIP_ASSIGN_OR_RETURN(argument, MakeConvert(std::move(argument), type));
  }
  return Status::Ok();
}

OperatorPtr MakeWindow(OperatorPtr input, WindowSpec spec) {
  return std::make_unique<WindowRows>(std::move(input), std::move(spec));
}

}  // namespace klip::sql
