// The comparators that every filter may use.
#include <algorithm>
#include <utility>

#include "klip/filter.h"

namespace klip {
namespace {

class Binary final : public Comparator {
 public:
  explicit Binary(std::string value) : value_(std::move(value)) {}

  int CompareTo(std::string_view bytes) const override { return std::string_view(value_).compare(bytes); }
  std::string ToString() const override { return "binary:" + value_; }
  const std::string* OrderedBytes() const override { return &value_; }

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

 private:
  std::string prefix_;
};

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Only the letters A to Z lose their case; HBase folds all of Unicode (docs/compatibility.md).
class Substring final : public Comparator {
 public:
  explicit Substring(std::string text) : text_(std::move(text)) {
    std::transform(text_.begin(), text_.end(), text_.begin(), LowerAscii);
  }

  int CompareTo(std::string_view bytes) const override {
    auto found = std::search(bytes.begin(), bytes.end(), text_.begin(), text_.end(),
                             [](char of_bytes, char of_text) { return LowerAscii(of_bytes) == of_text; });
    return found != bytes.end() || text_.empty() ? 0 : 1;
  }
  std::string ToString() const override { return "substring:" + text_; }

 private:
  std::string text_;
};

// A stored value is never null.
class Null final : public Comparator {
 public:
  int CompareTo(std::string_view /*bytes*/) const override { return 1; }
  std::string ToString() const override { return "null:"; }
};

}  // namespace

ComparatorPtr BinaryComparator(std::string value) { return std::make_shared<Binary>(std::move(value)); }
ComparatorPtr BinaryPrefixComparator(std::string prefix) { return std::make_shared<BinaryPrefix>(std::move(prefix)); }
ComparatorPtr SubstringComparator(std::string text) { return std::make_shared<Substring>(std::move(text)); }
ComparatorPtr NullComparator() { return std::make_shared<Null>(); }

}  // namespace klip
