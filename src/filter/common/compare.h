// The test of all comparing filters: "bytes OP comparator".
#pragma once

#include "base/short_bytes.h"
#include "klip/comparator.h"
#include "klip/filter_state.h"

namespace klip::filter {

// Whether the cell or row is kept. `order` is Comparator::CompareTo of its bytes: the comparator's order relative to
// them. kNoOp keeps nothing. Source: HBase CompareFilter.compare, which returns the opposite.
inline bool Keeps(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kLess:
      return order > 0;
    case CompareOp::kLessOrEqual:
      return order >= 0;
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kGreaterOrEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order < 0;
    case CompareOp::kNoOp:
      return false;
  }
  return false;
}

// The state of a comparing filter. After an error, the comparator is not called again.
class ComparingState : public FilterState {
 public:
  // `comparator` belongs to the filter; null: Keeps is not called.
  ComparingState(CompareOp op, const Comparator* comparator)
      : op_(op), comparator_(comparator), bytes_(comparator == nullptr ? nullptr : comparator->OrderedBytes()) {}

  bool FilterAllRemaining() override { return failed_; }

 protected:
  bool Keeps(std::string_view bytes) {
    if (op_ == CompareOp::kNoOp) {
      return false;
    }
    if (bytes_ != nullptr && (op_ == CompareOp::kEqual || op_ == CompareOp::kNotEqual)) {
      return SameBytes(*bytes_, bytes) == (op_ == CompareOp::kEqual);
    }
    const int order = bytes_ != nullptr ? std::string_view(*bytes_).compare(bytes) : comparator_->CompareTo(bytes);
    if (order == Comparator::kFailed) [[unlikely]] {
      Refuse(comparator_->Failure(bytes));
      return false;
    }
    return filter::Keeps(op_, order);
  }

  void Refuse(Status why) {
    failed_ = true;
    Fail(std::move(why));
  }

  CompareOp op() const { return op_; }

  // kError, unless the comparison cannot fail.
  uint8_t ErrorCall() const { return bytes_ != nullptr && op_ != CompareOp::kNoOp ? 0 : kError; }

 private:
  CompareOp op_;
  const Comparator* comparator_;
  const std::string* bytes_;  // if it orders by these
  bool failed_ = false;
};

}  // namespace klip::filter
