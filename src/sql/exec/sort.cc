// ORDER BY: every row gets a key whose bytes sort as its terms do, so sorting compares bytes. With a limit, only the first rows are
// kept: whenever twice as many have come, the later half is dropped.
//
// Example: ORDER BY a, b DESC with a = 1 (INTEGER) and b = "x": 01 80 00 00 00 00 00 00 01, then the complement of 01 78 00 00.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "klip/bytes.h"
#include "sql/exec/operator.h"

namespace klip::sql {
namespace {

void AppendWhole(int64_t value, std::string* out) {
  AppendBigEndian(static_cast<uint64_t>(value) ^ (uint64_t{1} << 63U), out);
}

void AppendReal(double value, std::string* out) {
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);  // -0 is 0
  AppendBigEndian((bits >> 63U) != 0 ? ~bits : bits | (uint64_t{1} << 63U), out);
}

// Bytes with an end: 00 becomes 00 FF, and 00 00 follows.
void AppendText(std::string_view text, std::string* out) {
  for (const char byte : text) {
    out->push_back(byte);
    if (byte == '\0') {
      out->push_back('\xFF');
    }
  }
  out->append(2, '\0');
}

// Rows kept, of any number, with their keys.
class Sort final : public Operator {
 public:
  Sort(OperatorPtr input, std::vector<SortTerm> terms, BoundExpression* limit, BoundExpression* offset)
      : input_(std::move(input)), terms_(std::move(terms)), limit_(limit), offset_(offset) {
    types_ = input_->types();
  }

  Status Open(Execution* execution) override {
    batches_.clear();
    order_.clear();
    memory_.Reset(&execution->memory);
    next_ = 0;
    int64_t limit = 0;
    KLIP_ASSIGN_OR_RETURN(limit, CountOf(limit_, -1));
    KLIP_ASSIGN_OR_RETURN(const int64_t offset, CountOf(offset_, 0));
    most_ =
        limit < 0 || offset > std::numeric_limits<int64_t>::max() / 4 || limit > std::numeric_limits<int64_t>::max() / 4
            ? std::numeric_limits<size_t>::max()
            : static_cast<size_t>(limit + offset);
    KLIP_RETURN_IF_ERROR(input_->Open(execution));
    return Fill();
  }

  Expected<bool> Next(Batch* out) override {
    const size_t rows = std::min(kBatchRows, order_.size() - next_);
    out->rows = rows;
    out->columns.resize(types_.size());
    for (size_t column = 0; column < types_.size(); ++column) {
      Vector& values = out->columns[column];
      values.Reset(types_[column], rows);
      for (size_t i = 0; i < rows; ++i) {
        const Row& row = order_[next_ + i];
        values.Copy(i, batches_[row.batch]->columns[column], row.row);
      }
    }
    next_ += rows;
    return rows > 0;
  }

  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    std::string by;
    for (const SortTerm& term : terms_) {
      by += (by.empty() ? "" : ", ") + term.text;
    }
    lines->push_back(limit_ != nullptr ? "CLIENT TOP " + limit_->constant()->ToString() + " ROWS SORTED BY [" + by + "]"
                                       : "CLIENT SORTED BY [" + by + "]");
  }

 private:
  struct Row {
    std::string key;
    uint32_t batch;
    uint32_t row;
  };

  // Equal rows stay in the order in which they came.
  static bool Before(const Row& a, const Row& b) {
    const int order = a.key.compare(b.key);
    return order != 0 ? order < 0 : std::pair(a.batch, a.row) < std::pair(b.batch, b.row);
  }

  Status Fill() {
    while (true) {
      auto batch = std::make_unique<Batch>();
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&incoming_));
      if (!more) {
        break;
      }
      CopyRows(incoming_, AllRows(incoming_.rows), batch.get());
      KLIP_RETURN_IF_ERROR(Add(std::move(batch)));
      if (most_ < std::numeric_limits<size_t>::max() / 2 && order_.size() >= 2 * most_ + 8 * kBatchRows) {
        KLIP_RETURN_IF_ERROR(DropLater());
      }
    }
    std::sort(order_.begin(), order_.end(), Before);
    order_.resize(std::min(order_.size(), most_));
    return Status::Ok();
  }

  Status Add(std::unique_ptr<Batch> batch) {
    const auto index = static_cast<uint32_t>(batches_.size());
    const size_t first = order_.size();
    for (uint32_t row = 0; row < batch->rows; ++row) {
      order_.push_back({{}, index, row});
    }
    for (const SortTerm& term : terms_) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, term.expression->Evaluate(*batch, AllRows(batch->rows)));
      for (size_t row = 0; row < batch->rows; ++row) {
        AppendSortKey(*values, row, term.descending, term.nulls_last, &order_[first + row].key);
      }
    }
    size_t bytes = 0;
    for (const Vector& column : batch->columns) {
      bytes += column.memory_bytes();
    }
    for (size_t row = first; row < order_.size(); ++row) {
      bytes += sizeof(Row) + order_[row].key.size();
    }
    KLIP_RETURN_IF_ERROR(memory_.Add(bytes));
    batches_.push_back(std::move(batch));
    return Status::Ok();
  }

  // Keeps the first most_ rows, in batches of their own.
  Status DropLater() {
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(order_.begin(), middle, order_.end(), Before);
    order_.resize(most_);
    std::sort(order_.begin(), order_.end(),
              [](const Row& a, const Row& b) { return std::pair(a.batch, a.row) < std::pair(b.batch, b.row); });
    std::vector<std::unique_ptr<Batch>> old = std::move(batches_);
    batches_.clear();
    std::vector<Row> kept = std::move(order_);
    order_.clear();
    memory_.Free();
    for (size_t at = 0; at < kept.size();) {
      auto batch = std::make_unique<Batch>();
      batch->rows = std::min(kBatchRows, kept.size() - at);
      batch->columns.resize(types_.size());
      for (size_t column = 0; column < types_.size(); ++column) {
        batch->columns[column].Reset(types_[column], batch->rows);
        for (size_t i = 0; i < batch->rows; ++i) {
          batch->columns[column].Copy(i, old[kept[at + i].batch]->columns[column], kept[at + i].row);
        }
      }
      at += batch->rows;
      KLIP_RETURN_IF_ERROR(Add(std::move(batch)));
    }
    return Status::Ok();
  }

  OperatorPtr input_;
  std::vector<SortTerm> terms_;
  BoundExpression* limit_;
  BoundExpression* offset_;
  size_t most_ = 0;
  Batch incoming_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Row> order_;
  size_t next_ = 0;
  Reservation memory_;
};

}  // namespace

void AppendSortKey(const Vector& values, size_t row, bool descending, bool nulls_last, std::string* out) {
  if (values.is_null(row)) {
    out->push_back(nulls_last ? '\x02' : '\0');
    return;
  }
  out->push_back('\x01');
  const size_t begin = out->size();
  switch (values.physical()) {
    case Physical::kWhole:
      AppendWhole(values.whole(row), out);
      break;
    case Physical::kReal:
      AppendReal(values.real(row), out);
      break;
    case Physical::kText:
      AppendText(values.text(row), out);
      break;
    case Physical::kDecimal:
    case Physical::kOther: {
      std::string bytes;
      EncodeValue(values.At(row), values.type(), &bytes);
      AppendText(bytes, out);
    }
  }
  if (descending) {
    std::transform(out->begin() + static_cast<std::ptrdiff_t>(begin), out->end(),
                   out->begin() + static_cast<std::ptrdiff_t>(begin),
                   [](char byte) { return static_cast<char>(~static_cast<unsigned char>(byte)); });
  }
}

OperatorPtr MakeSort(OperatorPtr input, std::vector<SortTerm> terms, BoundExpression* limit, BoundExpression* offset) {
  return std::make_unique<Sort>(std::move(input), std::move(terms), limit, offset);
}

}  // namespace klip::sql
