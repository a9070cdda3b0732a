// Comparators: filters compare rows, qualifiers and values with them. Names and meaning are those of HBase 2.6.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip {

namespace filter {
class ComparatorVisitor;  // src/filter/common/visitors.h
}

// "bytes OP comparator". kNoOp compares with nothing: filters then drop the cells that they would compare.
enum class CompareOp : uint8_t { kLess, kLessOrEqual, kEqual, kNotEqual, kGreaterOrEqual, kGreater, kNoOp };

// Immutable and shared between threads. Users may derive their own comparators.
class Comparator {
 public:
  virtual ~Comparator() = default;

  // Result of CompareTo for bytes that cannot be compared: the scan ends with Failure(bytes).
  static constexpr int kFailed = std::numeric_limits<int>::min();

  // < 0, 0, > 0 as this comparator's value is below, equal to or above `bytes`; or kFailed.
  // Source: HBase ByteArrayComparable.compareTo.
  virtual int CompareTo(std::string_view bytes) const = 0;

  // Why CompareTo returned kFailed.
  virtual Status Failure(std::string_view bytes) const;

  // As in the filter language: "binary:abc".
  virtual std::string ToString() const = 0;

  // The bytes compared with, for comparators that order bytes as HBase orders rows (BinaryComparator); else nullptr.
  // This lets a RowFilter become a key range.
  virtual const std::string* OrderedBytes() const { return nullptr; }

  // The prefix compared with (BinaryPrefixComparator); else nullptr.
  virtual const std::string* PrefixBytes() const { return nullptr; }

  // For klip's own comparators: passes the parameters to the visitor.
  virtual void Accept(filter::ComparatorVisitor* visitor) const;
};
using ComparatorPtr = std::shared_ptr<const Comparator>;

// In unsigned byte order.
ComparatorPtr BinaryComparator(std::string value);

// Compares as many leading bytes as the prefix has.
ComparatorPtr BinaryPrefixComparator(std::string prefix);

// Compares as many bytes at `offset` as `value` has. Fails for bytes that end before.
ComparatorPtr BinaryComponentComparator(std::string value, uint32_t offset);

// Equal if the lengths are equal and some byte of "value OP bytes" is not 0; otherwise above.
enum class BitwiseOp : uint8_t { kAnd = 1, kOr = 2, kXor = 3 };
ComparatorPtr BitComparator(std::string value, BitwiseOp op);

// With 8 bytes as a signed big-endian number. Fails for other lengths.
ComparatorPtr LongComparator(int64_t value);

// With HBase's form of a BigDecimal: the scale in 4 bytes, then the unscaled number in two's complement, both big-endian.
// Numbers are equal regardless of their scales. Fails for fewer than 5 bytes, and above kMaxBigDecimalBytes.
inline constexpr size_t kMaxBigDecimalBytes = 4096;
Expected<ComparatorPtr> BigDecimalComparator(std::string bytes);

// Above all bytes: stored values are never null.
ComparatorPtr NullComparator();

// Equal if the bytes contain the text in any case, else above. ASCII letters fold; a text with other letters is matched
// by Unicode's rules, in bytes that are UTF-8.
ComparatorPtr SubstringComparator(std::string text);

// java.util.regex.Pattern's flags.
inline constexpr int32_t kRegexUnixLines = 1;
inline constexpr int32_t kRegexCaseInsensitive = 2;
inline constexpr int32_t kRegexComments = 4;
inline constexpr int32_t kRegexMultiline = 8;
inline constexpr int32_t kRegexLiteral = 16;
inline constexpr int32_t kRegexDotAll = 32;
inline constexpr int32_t kRegexUnicodeCase = 64;
inline constexpr int32_t kRegexCanonEq = 128;
inline constexpr int32_t kRegexUnicodeCharacterClass = 256;

struct Regex {
  std::string pattern;  // in UTF-8, with java.util.regex's syntax (docs/filters.md lists the differences)
  int32_t flags = kRegexDotAll;
  std::string charset = "UTF-8";  // of the bytes compared; also ISO-8859-1, US-ASCII; "" is UTF-8
  std::string engine = "JAVA";    // or "JONI": kept for the wire, klip's engine is the same

  bool operator==(const Regex&) const = default;
};

// Equal if the pattern is found anywhere in the bytes, else above. Fails if the search takes too many steps.
// Errors: kInvalidArgument (a pattern that does not compile, an unknown charset, flag or engine).
Expected<ComparatorPtr> RegexStringComparator(Regex regex);

}  // namespace klip
