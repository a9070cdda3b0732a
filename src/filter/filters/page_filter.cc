#include "filter/common/visitors.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip {
namespace {

class PageState final : public filter::FilterState {
 public:
  explicit PageState(int64_t page_size) : page_size_(page_size) {}

  uint8_t Calls() const override { return filter::kFilterAllRemaining | filter::kFilterRow; }
  bool FilterAllRemaining() override { return rows_ >= page_size_; }
  bool FilterRowKey(std::string_view /*row*/) override { return FilterAllRemaining(); }
  bool FilterRow() override { return ++rows_ > page_size_; }
  bool HasFilterRow() const override { return true; }

 private:
  int64_t page_size_;
  int64_t rows_ = 0;
};

class Page final : public Filter {
 public:
  explicit Page(int64_t page_size) : page_size_(page_size) {}

  std::string_view name() const override { return "PageFilter"; }
  std::string ToString() const override { return "PageFilter(" + std::to_string(page_size_) + ")"; }
  FilterNeeds Needs() const override { return FilterNeeds::kNothing; }
  void Accept(filter::FilterVisitor* visitor) const override { visitor->Page(page_size_); }

  std::unique_ptr<filter::FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<PageState>(page_size_);
  }

 private:
  int64_t page_size_;
};

}  // namespace

Expected<FilterPtr> PageFilter(int64_t page_size) {
  if (page_size < 0) {
    return Status(Code::kInvalidArgument, "must be positive " + std::to_string(page_size));
  }
  return FilterPtr(std::make_shared<Page>(page_size));
}

}  // namespace klip
