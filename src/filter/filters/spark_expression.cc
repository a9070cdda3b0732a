#include "filter/filters/spark_expression.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "klip/bytes.h"

namespace klip::filter {

namespace {

constexpr std::pair<std::string_view, SparkOp> kSparkOps[] = {
    {"==", SparkOp::kEqual},       {"!=", SparkOp::kNotEqual},         {"startsWith", SparkOp::kStartsWith},
    {"isNull", SparkOp::kIsNull},  {"isNotNull", SparkOp::kIsNotNull}, {"<", SparkOp::kLess},
    {"<=", SparkOp::kLessOrEqual}, {">", SparkOp::kGreater},           {">=", SparkOp::kGreaterOrEqual},
    {"Pass", SparkOp::kPass},
};

}  // namespace

// Parses a text once, from left to right.
class SparkParser {
 public:
  SparkParser(std::string_view text, size_t values) : text_(text), values_(values) {}

  Expected<SparkExpression> Parse() {
    bool closed = false;  // an operand has ended: a gate, or its end, follows
    do {
      KLIP_ASSIGN_OR_RETURN(const std::string_view word, Next(closed ? "AND, OR or )" : "a column or ("));
      if (closed) {
        KLIP_RETURN_IF_ERROR(EndSide(word, &closed));
      } else if (word == "(") {
        open_.push_back(Add({.first = out_.comparisons_.size()}));
      } else {
        KLIP_RETURN_IF_ERROR(ReadComparison(word));
        closed = true;
      }
    } while (!open_.empty() || !closed);
    if (at_ < text_.size()) {
      return Unexpected("the end", at_);
    }
    Link();
    return std::move(out_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  // A gate or a comparison. A gate precedes its operands in the list.
  struct Node {
    size_t first;  // comparison: the first of this operand
    bool is_gate = true;
    std::optional<bool> is_and;          // a gate whose word was read
    size_t left = kNone, right = kNone;  // nodes
    bool ended = false;
    size_t if_true = SparkExpression::kKeep, if_false = SparkExpression::kDrop;
  };

  Status Unexpected(std::string_view expected, size_t at) const {
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    const std::string_view word = rest.substr(0, std::min(rest.find(' '), kShownBytes));
    return {Code::kInvalidArgument, "SparkSQLPushDownFilter: expected " + std::string(expected) + ", found " +
                                        (rest.empty() ? "the end" : "'" + ToStringBinary(word) + "'") + " at byte " +
                                        std::to_string(at) + " of " + ToStringBinary(text_.substr(0, kShownBytes))};
  }

  Expected<std::string_view> Next(std::string_view expected) {
    if (at_ >= text_.size()) {
      return Unexpected(expected, text_.size());
    }
    word_ = at_;
    const size_t end = std::min(text_.find(' ', at_), text_.size());
    at_ = end + 1;
    return text_.substr(word_, end - word_);
  }

  // Appends the node, as an operand of the innermost open gate.
  size_t Add(Node node) {
    const size_t index = nodes_.size();
    if (!open_.empty()) {
      Node& gate = nodes_[open_.back()];
      (gate.is_and.has_value() ? gate.right : gate.left) = index;
    }
    nodes_.push_back(node);
    return index;
  }

  // `word` is the word after an operand.
  Status EndSide(std::string_view word, bool* closed) {
    Node& gate = nodes_[open_.back()];
    if (gate.is_and.has_value()) {
      if (word != ")") {
        return Unexpected(")", word_);
      }
      open_.pop_back();
      return Status::Ok();
    }
    if (word != "AND" && word != "OR") {
      return Unexpected("AND or OR", word_);
    }
    gate.is_and = word == "AND";
    *closed = false;
    return Status::Ok();
  }

  Status ReadComparison(std::string_view column) {
    SparkExpression::Comparison comparison;
    KLIP_ASSIGN_OR_RETURN(const std::string_view op, Next("an operator"));
    const auto* const found =
        std::find_if(std::begin(kSparkOps), std::end(kSparkOps), [op](const auto& one) { return one.first == op; });
    if (found == std::end(kSparkOps)) {
      return Unexpected("an operator", word_);
    }
    comparison.op = found->second;
    if (comparison.op == SparkOp::kPass) {
      KLIP_RETURN_IF_ERROR(Next("a number").status());  // hbase-spark writes -1, which has no meaning
    } else {
      comparison.column = ColumnOf(column);
      if (comparison.op != SparkOp::kIsNull && comparison.op != SparkOp::kIsNotNull) {
        KLIP_ASSIGN_OR_RETURN(comparison.value, ReadValue());
      }
    }
    Add({.first = out_.comparisons_.size(), .is_gate = false});
    out_.comparisons_.push_back(comparison);
    return Status::Ok();
  }

  Expected<size_t> ReadValue() {
    KLIP_ASSIGN_OR_RETURN(const std::string_view word, Next("the number of a value"));
    size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value >= values_) {
      return Unexpected("a value index below " + std::to_string(values_), word_);
    }
    return value;
  }

  size_t ColumnOf(std::string_view name) {
    const auto found = std::find(out_.columns_.begin(), out_.columns_.end(), name);
    const auto index = static_cast<size_t>(found - out_.columns_.begin());
    if (found == out_.columns_.end()) {
      out_.columns_.emplace_back(name);
    }
    return index;
  }

  // Sets the targets of each comparison. A node precedes its operands, so one pass suffices.
  void Link() {
    for (const Node& node : nodes_) {
      if (!node.is_gate) {
        out_.comparisons_[node.first].if_true = node.if_true;
        out_.comparisons_[node.first].if_false = node.if_false;
        continue;
      }
      Node& left = nodes_[node.left];
      Node& right = nodes_[node.right];
      left.if_true = *node.is_and ? right.first : node.if_true;
      left.if_false = *node.is_and ? node.if_false : right.first;
      right.if_true = node.if_true;
      right.if_false = node.if_false;
    }
  }

  static constexpr size_t kShownBytes = 200;  // of the text, in an error message

  std::string_view text_;
  size_t values_;
  size_t at_ = 0;    // the next byte
  size_t word_ = 0;  // start of the last word
  std::vector<Node> nodes_;
  std::vector<size_t> open_;  // open gates
  SparkExpression out_;
};

Expected<SparkExpression> SparkExpression::Parse(std::string_view text, size_t values) {
  return SparkParser(text, values).Parse();
}

namespace {

// The type byte before each value that is compared by <, >, <= or >=; hbase-spark's NaiveEncoder. Others are ordered by
// their bytes.
enum class SparkType : uint8_t { kShort = 1, kInt = 2, kLong = 3, kFloat = 4, kDouble = 5, kTimestamp = 8 };

// As Java's compareTo.
template <typename Number>
int OrderOf(Number a, Number b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
template <typename Number>
int OrderOfFloats(Number a, Number b) {  // NaN is greater than all, -0.0 less than 0.0
  if (std::isnan(a) || std::isnan(b)) {
    return OrderOf(std::isnan(a), std::isnan(b));
  }
  return a == b ? OrderOf(std::signbit(b), std::signbit(a)) : OrderOf(a, b);
}

// nullopt: the cell or the value has too few bytes.
template <typename Number>
std::optional<int> OrderAs(std::string_view cell, std::string_view value) {
  if (cell.size() < sizeof(Number) || value.size() < sizeof(Number)) {
    return std::nullopt;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    using Bits = std::conditional_t<sizeof(Number) == sizeof(uint32_t), uint32_t, uint64_t>;
    return OrderOfFloats(std::bit_cast<Number>(ReadBigEndian<Bits>(cell.data())),
                         std::bit_cast<Number>(ReadBigEndian<Bits>(value.data())));
  } else {
    return OrderOf(ReadBigEndian<Number>(cell.data()), ReadBigEndian<Number>(value.data()));
  }
}

std::optional<int> SparkOrder(std::string_view cell, std::string_view encoded) {
  if (encoded.empty()) {
    return std::nullopt;
  }
  const std::string_view value = encoded.substr(1);
  switch (static_cast<SparkType>(encoded[0])) {
    case SparkType::kShort:
      return OrderAs<int16_t>(cell, value);
    case SparkType::kInt:
      return OrderAs<int32_t>(cell, value);
    case SparkType::kLong:
    case SparkType::kTimestamp:
      return OrderAs<int64_t>(cell, value);
    case SparkType::kFloat:
      return OrderAs<float>(cell, value);
    case SparkType::kDouble:
      return OrderAs<double>(cell, value);
  }
  return OrderOf(cell.compare(value), 0);
}

// nullopt: they cannot be compared.
std::optional<bool> IsTrue(SparkOp op, std::string_view cell, std::string_view value) {
  switch (op) {
    case SparkOp::kEqual:
      return cell == value;
    case SparkOp::kNotEqual:
      return cell != value;
    case SparkOp::kStartsWith:
      return cell.starts_with(value);
    case SparkOp::kIsNull:
      return false;
    case SparkOp::kIsNotNull:
    case SparkOp::kPass:
      return true;
    default:
      break;
  }
  const std::optional<int> order = SparkOrder(cell, value);
  if (!order.has_value()) {
    return std::nullopt;
  }
  switch (op) {
    case SparkOp::kLess:
      return *order < 0;
    case SparkOp::kLessOrEqual:
      return *order <= 0;
    case SparkOp::kGreater:
      return *order > 0;
    default:
      return *order >= 0;
  }
}

}  // namespace

bool SparkExpression::Passes(const std::vector<Value>& of_row, const std::vector<std::string>& values) const {
  size_t at = 0;
  while (at < comparisons_.size()) {
    const Comparison& comparison = comparisons_[at];
    std::optional<bool> is_true = comparison.op == SparkOp::kPass || comparison.op == SparkOp::kIsNull;
    if (comparison.op != SparkOp::kPass && of_row[comparison.column].is_there) {
      const std::string_view value = comparison.value < values.size() ? values[comparison.value] : std::string_view();
      is_true = IsTrue(comparison.op, of_row[comparison.column].bytes, value);
    }
    if (!is_true.has_value()) {
      return true;
    }
    at = *is_true ? comparison.if_true : comparison.if_false;
  }
  return at == kKeep;
}

}  // namespace klip::filter
