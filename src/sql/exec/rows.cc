// Operators that take rows as they come: filter, project, limit, union.
#include <algorithm>
#include <utility>

#include "sql/exec/operator.h"

namespace klip::sql {
namespace {

class OneRow final : public Operator {
 public:
  Status Open(Execution* /*execution*/) override {
    done_ = false;
    return Status::Ok();
  }
  Expected<bool> Next(Batch* out) override {
    out->rows = 1;
    out->columns.clear();
    return !std::exchange(done_, true);
  }
  void Explain(ExplainLines* /*lines*/) const override {}

 private:
  bool done_ = false;
};

class FilterRows final : public Operator {
 public:
  FilterRows(OperatorPtr input, BoundPtr condition, std::string text, decltype(&Filter) filter,
             std::shared_ptr<const bool> met)
      : input_(std::move(input)),
        condition_(std::move(condition)),
        text_(std::move(text)),
        filter_(filter),
        met_(std::move(met)) {
    types_ = input_->types();
  }

  Status Open(Execution* execution) override { return input_->Open(execution); }

  Expected<bool> Next(Batch* out) override {
    if (met_ != nullptr && *met_) {
      return input_->Next(out);
    }
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&batch_));
      if (!more) {
        return false;
      }
      kept_.clear();
      KLIP_RETURN_IF_ERROR(filter_(condition_.get(), batch_, AllRows(batch_.rows), &kept_));
      if (kept_.size() == batch_.rows) {
        std::swap(*out, batch_);
        return true;
      }
      if (!kept_.empty()) {
        CopyRows(batch_, kept_, out);
        return true;
      }
    }
  }

  void Close() override { input_->Close(); }
  std::optional<double> EstimatedRows() const override { return input_->EstimatedRows(); }
  bool InOrder() const override { return input_->InOrder(); }

  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    if (!text_.empty()) {  // the scan below says it
      lines->push_back("CLIENT FILTER BY " + text_);
    }
  }

 private:
  OperatorPtr input_;
  BoundPtr condition_;
  std::string text_;
  decltype(&Filter) filter_;
  std::shared_ptr<const bool> met_;
  Batch batch_;
  Selection kept_;
};

class Project final : public Operator {
 public:
  Project(OperatorPtr input, std::vector<BoundPtr> expressions)
      : input_(std::move(input)), expressions_(std::move(expressions)) {
    for (const BoundPtr& expression : expressions_) {
      types_.push_back(expression->type());
    }
  }

  Status Open(Execution* execution) override { return input_->Open(execution); }

  Expected<bool> Next(Batch* out) override {
    KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&batch_));
    if (!more) {
      return false;
    }
    batch_.serial = ++batches_;
    out->rows = batch_.rows;
    out->columns.resize(expressions_.size());
    for (size_t i = 0; i < expressions_.size(); ++i) {
      KLIP_ASSIGN_OR_RETURN(const Vector* const values, expressions_[i]->Evaluate(batch_, AllRows(batch_.rows)));
      out->columns[i].View(*values);
    }
    return true;
  }

  void Close() override { input_->Close(); }
  void Explain(ExplainLines* lines) const override { input_->Explain(lines); }

 private:
  OperatorPtr input_;
  std::vector<BoundPtr> expressions_;
  Batch batch_;
  uint64_t batches_ = 0;
};

class Cut final : public Operator {
 public:
  Cut(OperatorPtr input, size_t columns) : input_(std::move(input)) {
    types_ = input_->types();
    types_.resize(columns);
  }

  Status Open(Execution* execution) override { return input_->Open(execution); }
  Expected<bool> Next(Batch* out) override {
    KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(out));
    out->columns.resize(std::min(out->columns.size(), types_.size()));
    return more;
  }
  void Close() override { input_->Close(); }
  void Explain(ExplainLines* lines) const override { input_->Explain(lines); }

 private:
  OperatorPtr input_;
};

class Limit final : public Operator {
 public:
  Limit(OperatorPtr input, BoundExpression* limit, BoundExpression* offset)
      : input_(std::move(input)), limit_(limit), offset_(offset) {
    types_ = input_->types();
  }

  Status Open(Execution* execution) override {
    KLIP_ASSIGN_OR_RETURN(left_, CountOf(limit_, -1));
    KLIP_ASSIGN_OR_RETURN(skip_, CountOf(offset_, 0));
    return left_ == 0 ? Status::Ok() : input_->Open(execution);
  }

  Expected<bool> Next(Batch* out) override {
    while (left_ != 0) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input_->Next(&batch_));
      if (!more) {
        return false;
      }
      const auto first = static_cast<size_t>(std::min(skip_, static_cast<int64_t>(batch_.rows)));
      size_t rows = batch_.rows - first;
      rows = left_ < 0 ? rows : std::min(rows, static_cast<size_t>(left_));
      skip_ -= static_cast<int64_t>(first);
      left_ -= left_ < 0 ? 0 : static_cast<int64_t>(rows);
      if (rows == batch_.rows) {
        std::swap(*out, batch_);
        return true;
      }
      if (rows > 0) {
        CopyRows(batch_, AllRows(first + rows).subspan(first), out);
        return true;
      }
    }
    return false;
  }

  void Close() override { input_->Close(); }
  void Explain(ExplainLines* lines) const override {
    input_->Explain(lines);
    if (offset_ != nullptr) {
      lines->push_back("CLIENT OFFSET " + CountText(offset_));
    }
    if (limit_ != nullptr) {
      lines->push_back("CLIENT " + CountText(limit_) + " ROW LIMIT");
    }
  }

 private:
  static std::string CountText(BoundExpression* count) { return count->constant()->ToString(); }

  OperatorPtr input_;
  BoundExpression* limit_;
  BoundExpression* offset_;
  int64_t left_ = -1;  // -1: no limit
  int64_t skip_ = 0;
  Batch batch_;
};

class Union final : public Operator {
 public:
  explicit Union(std::vector<OperatorPtr> inputs) : inputs_(std::move(inputs)) { types_ = inputs_.front()->types(); }

  Status Open(Execution* execution) override {
    execution_ = execution;
    current_ = 0;
    return inputs_[0]->Open(execution);
  }

  Expected<bool> Next(Batch* out) override {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, inputs_[current_]->Next(out));
      if (more || current_ + 1 == inputs_.size()) {
        return more;
      }
      KLIP_RETURN_IF_ERROR(inputs_[++current_]->Open(execution_));
    }
  }

  void Close() override {
    for (const OperatorPtr& input : inputs_) {
      input->Close();
    }
  }

  void Explain(ExplainLines* lines) const override {
    lines->push_back("UNION ALL OVER " + std::to_string(inputs_.size()) + " QUERIES");
    for (const OperatorPtr& input : inputs_) {
      ExplainLines below;
      input->Explain(&below);
      lines->Append(below, "    ");
    }
  }

 private:
  std::vector<OperatorPtr> inputs_;
  size_t current_ = 0;
  Execution* execution_ = nullptr;
};

class MadeRows final : public Operator {
 public:
  MadeRows(std::vector<DataType> types, RowMaker rows, std::string text)
      : maker_(std::move(rows)), text_(std::move(text)) {
    types_ = std::move(types);
  }

  Status Open(Execution* /*execution*/) override {
    next_ = 0;
    KLIP_ASSIGN_OR_RETURN(rows_, maker_());
    return Status::Ok();
  }

  Expected<bool> Next(Batch* out) override {
    out->rows = std::min(kBatchRows, rows_.size() - next_);
    out->columns.resize(types_.size());
    for (size_t column = 0; column < types_.size(); ++column) {
      out->columns[column].Reset(types_[column], out->rows);
      for (size_t row = 0; row < out->rows; ++row) {
        out->columns[column].Set(row, rows_[next_ + row][column]);
      }
    }
    next_ += out->rows;
    return out->rows > 0;
  }

  void Explain(ExplainLines* lines) const override { lines->push_back(text_); }

 private:
  RowMaker maker_;
  std::string text_;
  std::vector<std::vector<Value>> rows_;
  size_t next_ = 0;
};

}  // namespace

Expected<int64_t> CountOf(BoundExpression* expression, int64_t otherwise) {
  if (expression == nullptr || expression->constant()->is_null()) {
    return otherwise;
  }
  KLIP_ASSIGN_OR_RETURN(const Value count, Convert(*expression->constant(), {.type = Type::kBigint}));
  if (count.integer() < 0) {
    return SqlError(203, "22005", "Type mismatch. LIMIT and OFFSET take a number from 0");
  }
  return count.integer();
}

OperatorPtr MakeOneRow() { return std::make_unique<OneRow>(); }

OperatorPtr MakeMadeRows(std::vector<DataType> types, RowMaker rows, std::string text) {
  return std::make_unique<MadeRows>(std::move(types), std::move(rows), std::move(text));
}

OperatorPtr MakeFilter(OperatorPtr input, BoundPtr condition, std::string text, std::shared_ptr<const bool> met) {
  return std::make_unique<FilterRows>(std::move(input), std::move(condition), std::move(text), FilterWhere,
                                      std::move(met));
}

OperatorPtr MakeHaving(OperatorPtr input, BoundPtr condition, std::string text) {
  return std::make_unique<FilterRows>(std::move(input), std::move(condition), std::move(text), Filter, /*met=*/nullptr);
}

OperatorPtr MakeProject(OperatorPtr input, std::vector<BoundPtr> expressions) {
  return std::make_unique<Project>(std::move(input), std::move(expressions));
}

OperatorPtr MakeCut(OperatorPtr input, size_t columns) { return std::make_unique<Cut>(std::move(input), columns); }

OperatorPtr MakeLimit(OperatorPtr input, BoundExpression* limit, BoundExpression* offset) {
  return std::make_unique<Limit>(std::move(input), limit, offset);
}

OperatorPtr MakeUnion(std::vector<OperatorPtr> inputs) { return std::make_unique<Union>(std::move(inputs)); }

}  // namespace klip::sql
