// Comparators of bytes. Those of numbers and texts are in number_comparators.cc and text_comparators.cc.
#include <utility>

#include "filter/common/visitors.h"
#include "klip/comparator.h"

namespace klip {
namespace {

using filter::ComparatorVisitor;

class Binary final : public Comparator {
 public:
  explicit Binary(std::string value) : value_(std::move(value)) {}

  int CompareTo(std::string_view bytes) const override { return std::string_view(value_).compare(bytes); }
  std::string ToString() const override { return "binary:" + value_; }
  const std::string* OrderedBytes() const override { return &value_; }
  void Accept(ComparatorVisitor* visitor) const override { visitor->Binary(value_); }

 private:
  std::string value_;
};

class BinaryPrefix final : public Comparator {
 public:
  explicit BinaryPrefix(std::string prefix) : prefix_(std::move(prefix)) {}

  int CompareTo(std::string_view bytes) const override {
    return std::string_view(prefix_).compare(bytes.substr(0, prefix_.size()));
  }
  std::string ToString() const override { return "binaryprefix:" + prefix_; }
  const std::string* PrefixBytes() const override { return &prefix_; }
  void Accept(ComparatorVisitor* visitor) const override { visitor->BinaryPrefix(prefix_); }

 private:
  std::string prefix_;
};

class BinaryComponent final : public Comparator {
 public:
  BinaryComponent(std::string value, uint32_t offset) : value_(std::move(value)), offset_(offset) {}

  int CompareTo(std::string_view bytes) const override {
    if (bytes.size() < size_t{offset_} + value_.size()) {
      return kFailed;
    }
    return std::string_view(value_).compare(bytes.substr(offset_, value_.size()));
  }

  Status Failure(std::string_view bytes) const override {
    return {Code::kInvalidArgument, "BinaryComponentComparator: bytes " + std::to_string(offset_) + " to " +
                                        std::to_string(offset_ + value_.size()) + " of " +
                                        std::to_string(bytes.size())};
  }

  std::string ToString() const override { return "component:" + std::to_string(offset_) + ":" + value_; }
  void Accept(ComparatorVisitor* visitor) const override { visitor->BinaryComponent(value_, offset_); }

 private:
  std::string value_;
  uint32_t offset_;
};

class Bit final : public Comparator {
 public:
  Bit(std::string value, BitwiseOp op) : value_(std::move(value)), op_(op) {}

  int CompareTo(std::string_view bytes) const override {
    if (bytes.size() != value_.size()) {
      return 1;
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (Combine(value_[i], bytes[i]) != 0) {
        return 0;
      }
    }
    return 1;
  }

  std::string ToString() const override {
    static constexpr std::string_view kNames[] = {"AND", "OR", "XOR"};
    return "bit:" + std::string(kNames[static_cast<int>(op_) - 1]) + ":" + value_;
  }
  void Accept(ComparatorVisitor* visitor) const override { visitor->Bit(value_, op_); }

 private:
  int Combine(char a, char b) const { return op_ == BitwiseOp::kAnd ? a & b : op_ == BitwiseOp::kOr ? a | b : a ^ b; }

  std::string value_;
  BitwiseOp op_;
};

// A stored value is never null.
class Null final : public Comparator {
 public:
  int CompareTo(std::string_view /*bytes*/) const override { return 1; }
  std::string ToString() const override { return "null:"; }
  void Accept(ComparatorVisitor* visitor) const override { visitor->Null(); }
};

}  // namespace

ComparatorPtr BinaryComparator(std::string value) { return std::make_shared<Binary>(std::move(value)); }
ComparatorPtr BinaryPrefixComparator(std::string prefix) { return std::make_shared<BinaryPrefix>(std::move(prefix)); }
ComparatorPtr BinaryComponentComparator(std::string value, uint32_t offset) {
  return std::make_shared<BinaryComponent>(std::move(value), offset);
}
ComparatorPtr BitComparator(std::string value, BitwiseOp op) { return std::make_shared<Bit>(std::move(value), op); }
ComparatorPtr NullComparator() { return std::make_shared<Null>(); }

}  // namespace klip
