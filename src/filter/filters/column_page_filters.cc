// ColumnCountGetFilter and ColumnPaginationFilter: limit the number of columns per row.
#include <utility>

#include "filter/common/column_hint.h"
#include "filter/common/filter_text.h"
#include "filter/common/visitors.h"
#include "klip/filter.h"

namespace klip {
namespace {

using filter::ReturnCode;

class ColumnCountGetState final : public filter::FilterState {
 public:
  explicit ColumnCountGetState(int64_t limit) : limit_(limit) {}

  void Reset() override { count_ = 0; }
  bool FilterAllRemaining() override { return count_ > limit_; }

  ReturnCode FilterCell(const Cell& /*cell*/) override {
    ++count_;
    return FilterAllRemaining() ? ReturnCode::kNextCol : ReturnCode::kIncludeAndNextCol;
  }

 private:
  int64_t limit_;
  int64_t count_ = 0;
};

class ColumnCountGet final : public Filter {
 public:
  explicit ColumnCountGet(int32_t limit) : limit_(limit) {}

  std::string_view name() const override { return "ColumnCountGetFilter"; }
  std::string ToString() const override { return filter::CallText(name(), {std::to_string(limit_)}); }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->ColumnCountGet(limit_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<ColumnCountGetState>(limit_);
  }

 private:
  int32_t limit_;
};

class PageByNumberState final : public filter::FilterState {
 public:
  PageByNumberState(int64_t limit, int64_t offset) : end_(offset + limit), offset_(offset) {}

  void Reset() override { count_ = 0; }

  ReturnCode FilterCell(const Cell& /*cell*/) override {
    if (count_ >= end_) {
      return ReturnCode::kNextRow;
    }
    return count_++ < offset_ ? ReturnCode::kNextCol : ReturnCode::kIncludeAndNextCol;
  }

 private:
  int64_t end_;
  int64_t offset_;
  int64_t count_ = 0;
};

// Looks for the first column in each family until one has it.
class PageByColumnState final : public filter::FilterState {
 public:
  PageByColumnState(int64_t limit, std::string_view first) : limit_(limit), first_(first) {}

  void Reset() override { count_ = 0; }

  ReturnCode FilterCell(const Cell& cell) override {
    if (count_ >= limit_) {
      return ReturnCode::kNextRow;
    }
    if (count_ == 0 && cell.qualifier < first_) {
      return ReturnCode::kSeekNextUsingHint;
    }
    ++count_;
    return ReturnCode::kIncludeAndNextCol;
  }

  bool NextHint(const Cell& current, filter::CellHint* hint) override {
    filter::HintColumn(current, first_, hint);
    return true;
  }

 private:
  int64_t limit_;
  std::string_view first_;  // belongs to the filter
  int64_t count_ = 0;
};

class ColumnPaginationBase : public Filter {
 public:
  std::string_view name() const override { return "ColumnPaginationFilter"; }
  bool RemembersRows() const override { return false; }
  FilterNeeds Needs() const override { return FilterNeeds::kEveryCell; }
};

class PageByNumber final : public ColumnPaginationBase {
 public:
  PageByNumber(int32_t limit, int32_t offset) : limit_(limit), offset_(offset) {}

  std::string ToString() const override {
    return filter::CallText(name(), {std::to_string(limit_), std::to_string(offset_)});
  }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->ColumnPagination(limit_, offset_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<PageByNumberState>(limit_, offset_);
  }

 private:
  int32_t limit_;
  int32_t offset_;
};

class PageByColumn final : public ColumnPaginationBase {
 public:
  PageByColumn(int32_t limit, std::string first) : limit_(limit), first_(std::move(first)) {}

  std::string ToString() const override {
    return filter::CallText(name(), {std::to_string(limit_), filter::Quoted(first_)});
  }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->ColumnPagination(limit_, first_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<PageByColumnState>(limit_, first_);
  }

 private:
  int32_t limit_;
  std::string first_;
};

Status Negative(std::string_view what, int64_t number) {
  return {Code::kInvalidArgument, std::string(what) + " must be positive " + std::to_string(number)};
}

}  // namespace

Expected<FilterPtr> ColumnCountGetFilter(int32_t limit) {
  if (limit < 0) {
    return Negative("limit", limit);
  }
  return FilterPtr(std::make_shared<ColumnCountGet>(limit));
}

Expected<FilterPtr> ColumnPaginationFilter(int32_t limit, int32_t offset) {
  if (limit < 0 || offset < 0) {
    return limit < 0 ? Negative("limit", limit) : Negative("offset", offset);
  }
  return FilterPtr(std::make_shared<PageByNumber>(limit, offset));
}

Expected<FilterPtr> ColumnPaginationFilter(int32_t limit, std::string first_column) {
  if (limit < 0) {
    return Negative("limit", limit);
  }
  return FilterPtr(std::make_shared<PageByColumn>(limit, std::move(first_column)));
}

}  // namespace klip
