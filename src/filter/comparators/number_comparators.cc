// LongComparator and BigDecimalComparator.
#include <utility>

#include "filter/common/decimal.h"
#include "filter/common/visitors.h"
#include "klip/bytes.h"
#include "klip/comparator.h"

namespace klip {
namespace {

class Long final : public Comparator {
 public:
  explicit Long(int64_t value) : value_(value) {}

  int CompareTo(std::string_view bytes) const override {
    if (bytes.size() != sizeof(value_)) {
      return kFailed;
    }
    const auto other = ReadBigEndian<int64_t>(bytes.data());
    return value_ < other ? -1 : value_ > other ? 1 : 0;
  }

  Status Failure(std::string_view bytes) const override {
    return {Code::kInvalidArgument, "Wrong length: " + std::to_string(bytes.size()) + ", expected 8"};
  }

  std::string ToString() const override { return "long:" + std::to_string(value_); }
  void Accept(filter::ComparatorVisitor* visitor) const override { visitor->Long(value_); }

 private:
  int64_t value_;
};

class BigDecimal final : public Comparator {
 public:
  BigDecimal(std::string bytes, filter::Decimal value) : bytes_(std::move(bytes)), value_(std::move(value)) {}

  int CompareTo(std::string_view bytes) const override {
    const Expected<filter::Decimal> other = filter::DecimalFromBytes(bytes);
    return other.ok() ? filter::Compare(value_, *other) : kFailed;
  }

  Status Failure(std::string_view bytes) const override { return filter::DecimalFromBytes(bytes).status(); }
  std::string ToString() const override { return "bigdecimal:" + value_.ToString(); }
  void Accept(filter::ComparatorVisitor* visitor) const override { visitor->BigDecimal(bytes_); }

 private:
  std::string bytes_;
  filter::Decimal value_;
};

}  // namespace

ComparatorPtr LongComparator(int64_t value) { return std::make_shared<Long>(value); }

Expected<ComparatorPtr> BigDecimalComparator(std::string bytes) {
  KLIP_ASSIGN_OR_RETURN(filter::Decimal value, filter::DecimalFromBytes(bytes));
  return ComparatorPtr(std::make_shared<BigDecimal>(std::move(bytes), std::move(value)));
}

}  // namespace klip
