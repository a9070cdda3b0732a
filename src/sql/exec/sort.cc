// ORDER BY: every row gets a key whose bytes sort as its terms do, so a RowSorter sorts them.
//
// Example: ORDER BY a, b DESC with a = 1 (INTEGER) and b = "x": 01 80 00 00 00 00 00 00 01, then the complement of 01 78 00 00.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "klip/bytes.h"
#include "sql/exec/sorter.h"

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

class Sort final : public Operator {
 public:
  Sort(OperatorPtr input, std::vector<SortTerm> terms, BoundExpression* limit, BoundExpression* offset,
       bool scan_in_order)
      : input_(std::move(input)),
        terms_(std::move(terms)),
        limit_(limit),
        offset_(offset),
        scan_in_order_(scan_in_order) {
    types_ = input_->types();
  }

  Status Open(Execution* execution) override {
    int64_t limit = 0;
    KLIP_ASSIGN_OR_RETURN(limit, CountOf(limit_, -1));
    KLIP_ASSIGN_OR_RETURN(const int64_t offset, CountOf(offset_, 0));
    RowSorter::Options options;
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;
    if (limit >= 0 && offset <= kMost && limit <= kMost) {
      options.most = static_cast<size_t>(limit + offset);
    }
    rows_.Reset(execution, options);
    KLIP_RETURN_IF_ERROR(input_->Open(execution));
    sorted_ = scan_in_order_ && input_->InOrder();
    while (!sorted_) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&incoming_));
      if (!more) {
        return rows_.Finish();
      }
      KLIP_RETURN_IF_ERROR(AddIncoming());
    }
    return Status::Ok();
  }

  Expected<bool> Next(Batch* out) override {
    if (sorted_) {
      return input_->Next(out);
    }
    KLIP_RETURN_IF_ERROR(rows_.Fill(types_, out));
    return out->rows > 0;
  }

  void Close() override { input_->Close(); }
  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    if (scan_in_order_) {  // a sort is the exception
      return;
    }
    std::string by;
    for (const SortTerm& term : terms_) {
      by += (by.empty() ? "" : ", ") + term.text;
    }
    lines->push_back(limit_ != nullptr ? "CLIENT TOP " + limit_->constant()->ToString() + " ROWS SORTED BY [" + by + "]"
                                       : "CLIENT SORTED BY [" + by + "]");
  }

 private:
  Status AddIncoming() {
    std::vector<const Vector*> terms;
    for (const SortTerm& term : terms_) {
      KLIP_ASSIGN_OR_RETURN(terms.emplace_back(), term.expression->Evaluate(incoming_, AllRows(incoming_.rows)));
    }
    const std::vector<const Vector*> columns = Pointers(incoming_.columns);
    for (size_t row = 0; row < incoming_.rows; ++row) {
      key_.clear();
      for (size_t i = 0; i < terms.size(); ++i) {
        AppendSortKey(*terms[i], row, terms_[i].descending, terms_[i].nulls_last, &key_);
      }
      values_.clear();
      AppendValues(columns, row, &values_);
      KLIP_RETURN_IF_ERROR(rows_.Add({key_, values_}));
    }
    return Status::Ok();
  }

  OperatorPtr input_;
  std::vector<SortTerm> terms_;
  BoundExpression* limit_;
  BoundExpression* offset_;
  bool scan_in_order_;
  bool sorted_ = false;  // the rows come sorted
  Batch incoming_;
  std::string key_;
  std::string values_;
  RowSorter rows_;
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

OperatorPtr MakeSort(OperatorPtr input, std::vector<SortTerm> terms, BoundExpression* limit, BoundExpression* offset,
                     bool scan_in_order) {
  return std::make_unique<Sort>(std::move(input), std::move(terms), limit, offset, scan_in_order);
}

}  // namespace klip::sql
