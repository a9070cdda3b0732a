// Expressions. Phoenix's operators, from loose to tight: OR; AND; NOT; comparisons, IS, LIKE, BETWEEN, IN; +; -; ||; * /
// %; a sign; [].
#include <charconv>
#include <limits>
#include <utility>

#include "sql/syntax/query_parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Kind = Expression::Kind;

constexpr size_t kMaxClones = size_t{1} << 20;
constexpr int kMaxParameter = 1 << 16;

ExpressionPtr NodeOf(Kind kind) {
  auto node = std::make_unique<Expression>();
  node->kind = kind;
  return node;
}

ExpressionPtr LiteralOf(Value value) {
  auto node = std::make_unique<Expression>();
  node->value = std::move(value);
  return node;
}

struct ChainLevel {
  TokenKind token;
  Kind kind;
  const char* operation;
};
constexpr ChainLevel kLevels[] = {{TokenKind::kWordOr, Kind::kOr, ""},
                                  {TokenKind::kWordAnd, Kind::kAnd, ""},
                                  {TokenKind::kPlus, Kind::kArithmetic, "+"},
                                  {TokenKind::kMinus, Kind::kArithmetic, "-"},
                                  {TokenKind::kConcat, Kind::kConcat, ""}};

// Tokens that may follow a missing parenthesis.
constexpr std::initializer_list<TokenKind> kAfterOperand = {
    TokenKind::kSemicolon, TokenKind::kComma,      TokenKind::kRight,       TokenKind::kWordFrom,
    TokenKind::kWordWhere, TokenKind::kWordGroup,  TokenKind::kWordOrder,   TokenKind::kWordHaving,
    TokenKind::kWordLimit, TokenKind::kWordOffset, TokenKind::kWordAnd,     TokenKind::kWordOr,
    TokenKind::kWordUnion, TokenKind::kWordAs,     TokenKind::kName,        TokenKind::kQuotedName,
    TokenKind::kEqual,     TokenKind::kLess,       TokenKind::kGreater,     TokenKind::kPlus,
    TokenKind::kMinus,     TokenKind::kStar,       TokenKind::kSlash,       TokenKind::kPercent,
    TokenKind::kConcat,    TokenKind::kNotEqual,   TokenKind::kWordIs,      TokenKind::kWordIn,
    TokenKind::kWordLike,  TokenKind::kWordIlike,  TokenKind::kWordBetween, TokenKind::kWordNot,
    TokenKind::kWordThen,  TokenKind::kWordWhen,   TokenKind::kWordElse,    TokenKind::kWordEndCase,
    TokenKind::kWordFetch, TokenKind::kWordAsc,    TokenKind::kWordDesc};

size_t CountNodes(const Expression& node) {
  size_t count = 1;
  for (const ExpressionPtr& operand : node.operands) {
    count += CountNodes(*operand);
  }
  return count;
}

// The number with the opposite sign, folded as in Phoenix: a whole one is a BIGINT.
Value Negated(const Value& value) {
  switch (value.type()) {
    case Type::kInteger:
    case Type::kBigint:
      return {Type::kBigint, -value.integer()};
    case Type::kDouble:
      return Value::Double(-value.real());
    default: {
      const Decimal& number = value.decimal();
      // The smallest BIGINT has no positive counterpart.
      if (number.scale() == 0 && number.unscaled() == -static_cast<__int128>(std::numeric_limits<int64_t>::min())) {
        return Value::Integer(std::numeric_limits<int64_t>::min());
      }
      return Value::Number(Decimal(-number.unscaled(), number.scale()));
    }
  }
}

bool IsNumberLiteral(const Expression& node) {
  return node.kind == Kind::kLiteral && !node.value.is_null() &&
         (node.value.type() == Type::kInteger || node.value.type() == Type::kBigint ||
          node.value.type() == Type::kDouble || node.value.type() == Type::kDecimal);
}

// Consumes "=" or another comparison at the reader's position; empty: none.
std::string TakeComparison(TokenReader* reader) {
  if (reader->Take(TokenKind::kEqual)) {
    return "=";
  }
  if (reader->Take(TokenKind::kNotEqual)) {
    return "!=";
  }
  if (reader->Take(TokenKind::kLess)) {
    return reader->Take(TokenKind::kEqual) ? "<=" : "<";
  }
  if (reader->Take(TokenKind::kGreater)) {
    return reader->Take(TokenKind::kEqual) ? ">=" : ">";
  }
  return {};
}

}  // namespace

bool QueryParser::TooDeep() {
  reader_.FailWith("The statement is nested more than " + std::to_string(kMaxDepth) + " levels deep.");
  return false;
}

bool QueryParser::Add(Expression* node, ExpressionPtr operand) {
  if (operand == nullptr) {
    return false;
  }
  node->depth = std::max(node->depth, operand->depth + 1);
  deepest_ = std::max(deepest_, node->depth);
  node->operands.push_back(std::move(operand));
  return node->depth <= kMaxDepth || TooDeep();
}

ExpressionPtr QueryParser::ParseExpression() {
  if (open_ >= kMaxDepth) {
    TooDeep();
    return nullptr;
  }
  ++open_;
  ExpressionPtr node = ParseChain(kOr);
  --open_;
  return node;
}

bool QueryParser::ParseList(std::vector<ExpressionPtr>* list) {
  do {
    ExpressionPtr item = ParseExpression();
    if (item == nullptr) {
      return false;
    }
    list->push_back(std::move(item));
  } while (reader_.Take(TokenKind::kComma));
  return true;
}

bool QueryParser::AddList(Expression* node) {
  do {
    if (!Add(node, ParseExpression())) {
      return false;
    }
  } while (reader_.Take(TokenKind::kComma));
  return true;
}

ExpressionPtr QueryParser::ParseOperand(Level level) {
  switch (level) {
    case kOr:
      return ParseChain(kAnd);
    case kAnd:
      return ParseNot();
    case kSum:
      return ParseChain(kDifference);
    case kDifference:
      return ParseChain(kConcat);
    default:
      return ParseProduct();
  }
}

ExpressionPtr QueryParser::ParseChain(Level level) {
  ExpressionPtr first = ParseOperand(level);
  if (first == nullptr || !reader_.Is(kLevels[level].token)) {
    return first;
  }
  ExpressionPtr chain = NodeOf(kLevels[level].kind);
  chain->operation = kLevels[level].operation;
  bool added = Add(chain.get(), std::move(first));
  while (added && reader_.Take(kLevels[level].token)) {
    added = Add(chain.get(), ParseOperand(level));
  }
  return added ? std::move(chain) : nullptr;
}

ExpressionPtr QueryParser::ParseNot() {
  const bool negated = reader_.Take(TokenKind::kWordNot);
  const size_t start = reader_.position();
  ExpressionPtr condition = ParseCondition();
  if (condition == nullptr) {
    reader_.MismatchSince(start);
    return nullptr;
  }
  if (!negated) {
    return condition;
  }
  ExpressionPtr node = NodeOf(Kind::kNot);
  return Add(node.get(), std::move(condition)) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseCondition() {
  if (reader_.Is(TokenKind::kWordExists)) {
    return ParseExists();
  }
  ExpressionPtr left = ParseValue();
  if (left == nullptr) {
    return nullptr;
  }
  switch (reader_.kind()) {
    case TokenKind::kEqual:
    case TokenKind::kNotEqual:
    case TokenKind::kLess:
    case TokenKind::kGreater:
      return ParseComparison(std::move(left));
    case TokenKind::kWordIs:
      return ParseIsNull(std::move(left));
    case TokenKind::kWordNot:
    case TokenKind::kWordLike:
    case TokenKind::kWordIlike:
    case TokenKind::kWordBetween:
    case TokenKind::kWordIn:
      break;
    default:
      return left;
  }
  bool negated = reader_.Take(TokenKind::kWordNot);
  switch (reader_.kind()) {
    case TokenKind::kWordLike:
    case TokenKind::kWordIlike:
      return ParseLike(std::move(left), negated);
    case TokenKind::kWordBetween:
      return ParseBetween(std::move(left), negated);
    case TokenKind::kWordIn:
      return ParseIn(std::move(left), negated);
    default:
      return Fail();
  }
}

ExpressionPtr QueryParser::ParseComparison(ExpressionPtr left) {
  ExpressionPtr node = NodeOf(Kind::kCompare);
  node->operation = TakeComparison(&reader_);
  if (!Add(node.get(), std::move(left))) {
    return nullptr;
  }
  bool some = reader_.Is(TokenKind::kWordAny) || reader_.Is(TokenKind::kWordSome);
  if (!some && !reader_.Is(TokenKind::kWordAll)) {
    return Add(node.get(), ParseValue()) ? std::move(node) : nullptr;
  }
  reader_.Skip();
  node->kind = Kind::kQuantified;
  node->all = !some;
  if (!reader_.Expect(TokenKind::kLeft)) {
    return nullptr;
  }
  if (AtSelect()) {
    return ParseSubquery(node.get()) ? std::move(node) : nullptr;
  }
  bool added = Add(node.get(), ParseExpression()) && reader_.Expect(TokenKind::kRight, kAfterOperand);
  return added ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseIsNull(ExpressionPtr left) {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kIsNull);
  node->negated = reader_.Take(TokenKind::kWordNot);
  return reader_.Expect(TokenKind::kWordNull) && Add(node.get(), std::move(left)) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseLike(ExpressionPtr left, bool negated) {
  ExpressionPtr node = NodeOf(Kind::kLike);
  node->negated = negated;
  node->ignore_case = reader_.Is(TokenKind::kWordIlike);
  reader_.Skip();
  return Add(node.get(), std::move(left)) && Add(node.get(), ParseValue()) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseBetween(ExpressionPtr left, bool negated) {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kBetween);
  node->negated = negated;
  bool added = Add(node.get(), std::move(left)) && Add(node.get(), ParseValue()) &&
               reader_.Expect(TokenKind::kWordAnd) && Add(node.get(), ParseValue());
  return added ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseIn(ExpressionPtr left, bool negated) {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kIn);
  node->negated = negated;
  if (!Add(node.get(), std::move(left))) {
    return nullptr;
  }
  if (reader_.Is(TokenKind::kQuestion) || reader_.Is(TokenKind::kNumbered)) {
    return Add(node.get(), ParseParameter()) ? std::move(node) : nullptr;
  }
  if (!reader_.Expect(TokenKind::kLeft)) {
    return nullptr;
  }
  if (AtSelect()) {
    return ParseSubquery(node.get()) ? std::move(node) : nullptr;
  }
  return AddList(node.get()) && reader_.Expect(TokenKind::kRight, kAfterOperand) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseExists() {
  ExpressionPtr node = NodeOf(Kind::kExists);
  bool parsed = reader_.ExpectAll({TokenKind::kWordExists, TokenKind::kLeft}) && ParseSubquery(node.get());
  return parsed ? std::move(node) : nullptr;
}

bool QueryParser::ParseSubquery(Expression* node) {
  int outer = std::exchange(deepest_, 1);
  node->select = ParseSelect();
  if (node->select == nullptr || !reader_.Expect(TokenKind::kRight, kAfterOperand)) {
    return false;
  }
  node->depth = std::max(node->depth, deepest_ + 1);
  deepest_ = std::max(outer, node->depth);
  return node->depth <= kMaxDepth || TooDeep();
}

ExpressionPtr QueryParser::ParseProduct() {
  ExpressionPtr left = ParseNegated();
  while (left != nullptr) {
    TokenKind token = reader_.kind();
    if (token != TokenKind::kStar && token != TokenKind::kSlash && token != TokenKind::kPercent) {
      return left;
    }
    ExpressionPtr node = NodeOf(Kind::kArithmetic);
    node->operation = reader_.text();
    reader_.Skip();
    if (!Add(node.get(), std::move(left)) || !Add(node.get(), ParseNegated())) {
      return nullptr;
    }
    left = std::move(node);
  }
  return nullptr;
}

ExpressionPtr QueryParser::ParseNegated() {
  if (reader_.Take(TokenKind::kPlus)) {  // klip's extension
    return ParseElement();
  }
  if (!reader_.Take(TokenKind::kMinus)) {
    return ParseElement();
  }
  ExpressionPtr operand = ParseElement();
  if (operand != nullptr && IsNumberLiteral(*operand)) {
    operand->value = Negated(operand->value);
    return operand;
  }
  ExpressionPtr node = NodeOf(Kind::kNegate);
  return Add(node.get(), std::move(operand)) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseElement() {
  ExpressionPtr array = ParseTerm();
  if (array == nullptr || !reader_.Take(TokenKind::kLeftSquare)) {
    return array;
  }
  ExpressionPtr node = NodeOf(Kind::kElement);
  bool added = Add(node.get(), std::move(array)) && Add(node.get(), ParseExpression()) &&
               reader_.Expect(TokenKind::kRightSquare, kAfterOperand);
  return added ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseTerm() {
  switch (reader_.kind()) {
    case TokenKind::kQuestion:
    case TokenKind::kNumbered:
      return ParseParameter();
    case TokenKind::kLeft:
      return ParseParentheses();
    case TokenKind::kWordArray:
      return ParseArray();
    case TokenKind::kWordCase:
      return ParseCase();
    case TokenKind::kWordCast:
      return ParseCast();
    case TokenKind::kWordNext:
    case TokenKind::kWordCurrent:
      return ParseSequence();
    default:
      break;
  }
  if (IsLiteral()) {
    return ParseLiteral();
  }
  return reader_.IsName() ? ParseNamed() : Fail();
}

ExpressionPtr QueryParser::ParseNamed() {
  if (reader_.kind(1) == TokenKind::kLeft) {
    return ParseFunction();
  }
  ExpressionPtr node = NodeOf(Kind::kColumn);
  if (!reader_.ReadColumnName(&node->qualifier, &node->name)) {
    return nullptr;
  }
  if (!node->qualifier.empty() && reader_.Take(TokenKind::kDot)) {
    node->schema = std::exchange(node->qualifier, std::exchange(node->name, {}));
    return reader_.ReadName(&node->name) ? std::move(node) : nullptr;
  }
  return node;
}

ExpressionPtr QueryParser::ParseFunction() {
  ExpressionPtr node = NodeOf(Kind::kFunction);
  reader_.ReadName(&node->name);
  reader_.Skip();
  if (reader_.Is(TokenKind::kStar) && node->name == "COUNT") {
    reader_.Skip();
    Add(node.get(), NodeOf(Kind::kStar));
  } else if (reader_.Is(TokenKind::kStar)) {
    reader_.RefuseHere();
    return nullptr;
  } else if (!reader_.Is(TokenKind::kRight)) {
    node->distinct = reader_.Take(TokenKind::kWordDistinct);
    if (!node->distinct) {
      reader_.Take(TokenKind::kWordAll);
    }
    if (!AddList(node.get())) {
      return nullptr;
    }
  }
  if (!reader_.Expect(TokenKind::kRight, kAfterOperand)) {
    return nullptr;
  }
  if (reader_.Take(TokenKind::kWordWithin) && !ParseWithin(node.get())) {
    return nullptr;
  }
  if (reader_.kind(1) == TokenKind::kLeft && reader_.TakeWord("OVER") && !ParseOver(node.get())) {
    return nullptr;
  }
  return node->depth <= kMaxDepth || TooDeep() ? std::move(node) : nullptr;
}

bool QueryParser::ParseWithin(Expression* call) {
  using enum TokenKind;
  std::vector<OrderTerm> terms;
  if (!reader_.ExpectAll({kWordGroup, kLeft, kWordOrder, kWordBy}) || !ParseOrderBy(&terms) ||
      !reader_.Expect(kRight, kAfterOperand)) {
    return false;
  }
  for (OrderTerm& term : terms) {
    // A single direction at the end applies to all.
    call->depth = std::max(call->depth, term.expression->depth + 1);
    call->within.emplace_back(std::move(term.expression), terms.back().descending);
  }
  return true;
}

bool QueryParser::ParseOver(Expression* call) {
  using enum TokenKind;
  call->over = std::make_unique<Window>();
  Window& window = *call->over;
  reader_.Skip();  // the parenthesis
  if (reader_.TakeWord("PARTITION") && (!reader_.Expect(kWordBy, {kName}) || !ParseList(&window.partition_by))) {
    return false;
  }
  if (reader_.Take(kWordOrder) && (!reader_.Expect(kWordBy, {kName}) || !ParseOrderBy(&window.order_by))) {
    return false;
  }
  if (!ParseFrame(&window.frame) || !reader_.Expect(kRight, kAfterOperand)) {
    return false;
  }
  for (const ExpressionPtr& expression : window.partition_by) {
    call->depth = std::max(call->depth, expression->depth + 1);
  }
  for (const OrderTerm& term : window.order_by) {
    call->depth = std::max(call->depth, term.expression->depth + 1);
  }
  return true;
}

// ROWS 3 PRECEDING, ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING.
bool QueryParser::ParseFrame(WindowFrame* frame) {
  frame->rows = reader_.Take(TokenKind::kWordRows);
  if (!frame->rows && !reader_.TakeWord("RANGE")) {
    return true;
  }
  if (reader_.Take(TokenKind::kWordBetween)) {
    if (!ParseFrameBound(&frame->start) || !reader_.Expect(TokenKind::kWordAnd) || !ParseFrameBound(&frame->end)) {
      return false;
    }
  } else if (!ParseFrameBound(&frame->start)) {
    return false;
  }
  using Bound = WindowFrame::BoundKind;
  const auto counted = [](const WindowFrame::Bound& bound) {
    return bound.kind == Bound::kPreceding || bound.kind == Bound::kFollowing;
  };
  if (!frame->rows && (counted(frame->start) || counted(frame->end))) {
    return reader_.FailWith("RANGE takes only UNBOUNDED and CURRENT ROW as bounds; ROWS takes numbers too.");
  }
  if (frame->start.kind > frame->end.kind || frame->start.kind == Bound::kUnboundedFollowing ||
      frame->end.kind == Bound::kUnboundedPreceding) {
    return reader_.FailWith("A window frame ends before it starts.");
  }
  return true;
}

bool QueryParser::ParseFrameBound(WindowFrame::Bound* bound) {
  using Bound = WindowFrame::BoundKind;
  const auto direction = [&](Bound preceding, Bound following) {
    bound->kind = reader_.IsWord("PRECEDING") ? preceding : following;
    return reader_.TakeWord("PRECEDING") || reader_.TakeWord("FOLLOWING") || reader_.FailHere();
  };
  if (reader_.Take(TokenKind::kWordCurrent)) {
    bound->kind = Bound::kCurrentRow;
    return reader_.Expect(TokenKind::kWordRow);
  }
  if (reader_.TakeWord("UNBOUNDED")) {
    return direction(Bound::kUnboundedPreceding, Bound::kUnboundedFollowing);
  }
  int rows = 0;
  if (!reader_.ReadCount(&rows)) {
    return false;
  }
  bound->rows = rows;
  return direction(Bound::kPreceding, Bound::kFollowing);
}

ExpressionPtr QueryParser::ParseParentheses() {
  reader_.Skip();
  if (AtSelect()) {  // as a value: klip's extension, except after a comparison
    ExpressionPtr node = NodeOf(Kind::kSubquery);
    return ParseSubquery(node.get()) ? std::move(node) : nullptr;
  }
  ExpressionPtr first = ParseExpression();
  if (first == nullptr) {
    return nullptr;
  }
  if (!reader_.Take(TokenKind::kComma)) {
    return reader_.Expect(TokenKind::kRight, kAfterOperand) ? std::move(first) : nullptr;
  }
  ExpressionPtr row = NodeOf(Kind::kRow);
  bool added =
      Add(row.get(), std::move(first)) && AddList(row.get()) && reader_.Expect(TokenKind::kRight, kAfterOperand);
  return added ? std::move(row) : nullptr;
}

ExpressionPtr QueryParser::ParseCase() {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kCase);
  ExpressionPtr compared;
  size_t nodes = 0;
  if (!reader_.Is(TokenKind::kWordWhen)) {
    compared = ParseExpression();
    if (compared == nullptr) {
      return nullptr;
    }
    nodes = CountNodes(*compared);
  }
  while (node->operands.empty() || reader_.Is(TokenKind::kWordWhen)) {
    if (!reader_.Expect(TokenKind::kWordWhen)) {
      return nullptr;
    }
    ExpressionPtr condition = ParseExpression();
    if (compared != nullptr && condition != nullptr) {
      clones_ += nodes;
      if (clones_ > kMaxClones) {
        reader_.FailWith("The statement's CASEs are too large.");
        return nullptr;
      }
      ExpressionPtr equal = NodeOf(Kind::kCompare);
      equal->operation = "=";
      if (!Add(equal.get(), Clone(*compared)) || !Add(equal.get(), std::move(condition))) {
        return nullptr;
      }
      condition = std::move(equal);
    }
    if (!Add(node.get(), std::move(condition)) || !reader_.Expect(TokenKind::kWordThen) ||
        !Add(node.get(), ParseExpression())) {
      return nullptr;
    }
  }
  if (reader_.Take(TokenKind::kWordElse) && !Add(node.get(), ParseExpression())) {
    return nullptr;
  }
  return reader_.Expect(TokenKind::kWordEndCase, kAfterOperand) ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseCast() {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kCast);
  bool parsed = reader_.Expect(TokenKind::kLeft) && Add(node.get(), ParseExpression()) &&
                reader_.Expect(TokenKind::kWordAs) && ParseType({}, &node->type) &&
                reader_.Expect(TokenKind::kRight, kAfterOperand);
  return parsed ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseArray() {
  reader_.Skip();
  ExpressionPtr node = NodeOf(Kind::kArray);
  bool parsed = reader_.Expect(TokenKind::kLeftSquare) && AddList(node.get()) &&
                reader_.Expect(TokenKind::kRightSquare, kAfterOperand);
  return parsed ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseSequence() {
  using enum TokenKind;
  ExpressionPtr node = NodeOf(Kind::kNextValue);
  node->current = reader_.Is(kWordCurrent);
  reader_.Skip();
  bool counted = !node->current && !reader_.Is(kWordValue);
  if (counted) {
    bool parameter = reader_.Is(kQuestion) || reader_.Is(kNumbered);
    if (!parameter && !IsLiteral()) {
      return Fail();
    }
    Add(node.get(), parameter ? ParseParameter() : ParseLiteral());
  }
  bool parsed = reader_.Expect(counted ? kWordValues : kWordValue, {kWordFor}) && reader_.Expect(kWordFor, {kName}) &&
                reader_.ReadTableName(&node->sequence);
  return parsed && reader_.status().ok() ? std::move(node) : nullptr;
}

ExpressionPtr QueryParser::ParseParameter() {
  ExpressionPtr node = NodeOf(Kind::kParameter);
  node->position = parameters_;
  if (reader_.Is(TokenKind::kNumbered)) {
    std::string_view digits = reader_.text().substr(1);
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    node->position = number - 1;  // -1 also for a number that is too large
  }
  if (node->position < 0 || node->position >= kMaxParameter) {
    return Fail();
  }
  reader_.Skip();
  parameters_ = std::max(parameters_, node->position + 1);
  return node;
}

bool QueryParser::IsLiteral() const {
  switch (reader_.kind()) {
    case TokenKind::kText:
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kDouble:
    case TokenKind::kHex:
    case TokenKind::kBits:
    case TokenKind::kWordNull:
    case TokenKind::kWordTrue:
    case TokenKind::kWordFalse:
      return true;
    default:
      return reader_.IsName() && reader_.kind(1) == TokenKind::kText;
  }
}

ExpressionPtr QueryParser::ParseLiteral() {
  TokenKind kind = reader_.kind();
  std::string_view text = reader_.text();
  switch (kind) {
    case TokenKind::kName:
    case TokenKind::kQuotedName:
      return ParseTimeLiteral();
    case TokenKind::kHex:
    case TokenKind::kBits:
      return ParseBytes();
    default:
      reader_.Skip();
  }
  switch (kind) {
    case TokenKind::kText: {
      ExpressionPtr literal = LiteralOf(Value::Text(TextOf(text)));
      literal->type.type = Type::kVarchar;  // '' is NULL
      return literal;
    }
    case TokenKind::kWordNull:
      return LiteralOf(Value());
    case TokenKind::kWordTrue:
    case TokenKind::kWordFalse:
      return LiteralOf(Value::Boolean(kind == TokenKind::kWordTrue));
    default:
      return Number(kind, text);
  }
}

ExpressionPtr QueryParser::Number(TokenKind kind, std::string_view text) {
  if (kind == TokenKind::kInteger) {
    int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) {
      bool small = number <= std::numeric_limits<int32_t>::max();
      return LiteralOf(Value(small ? Type::kInteger : Type::kBigint, number));
    }
  }
  if (kind == TokenKind::kDouble) {
    double number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
      number = std::strtod(std::string(text).c_str(), nullptr);  // 0 or infinite
    }
    return LiteralOf(Value::Double(number));
  }
  Expected<Decimal> number = ParseRounded(text);
  if (!number.ok()) {
    reader_.Fail(number.status());
    return nullptr;
  }
  return LiteralOf(Value::Number(*number));
}

ExpressionPtr QueryParser::ParseTimeLiteral() {
  std::string name = NormalizedName(reader_.text());
  Type type = TypeOf(name);
  if (!IsTime(type)) {
    reader_.Fail(type == Type::kNull
                     ? SqlError(201, "22000", "Illegal data. Unsupported sql type: " + name)
                     : SqlError(203, "22005", "Type mismatch. " + std::string(TypeName(type)) + " and TIMESTAMP"));
    return nullptr;
  }
  reader_.Skip();
  Expected<Value> value = ParseTime(TextOf(reader_.text()), type);
  reader_.Skip();
  if (!value.ok()) {
    reader_.FailWith("Malformed " + std::string(TypeName(type)) + " literal");
    return nullptr;
  }
  return LiteralOf(*std::move(value));
}

ExpressionPtr QueryParser::ParseBytes() {
  bool hex = reader_.Is(TokenKind::kHex);
  std::string digits;
  std::string_view token = reader_.text().substr(1);
  do {
    for (char c : token.substr(1, token.size() - 2)) {
      bool digit = hex ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c == '0' || c == '1';
      if (!digit && c != ' ') {
        return Fail();
      }
      digits.append(digit ? 1 : 0, c);
    }
    reader_.Skip();
    token = reader_.text();
  } while (reader_.Is(TokenKind::kText));  // continues, perhaps on the next line
  size_t per_byte = hex ? 2 : 8;
  if (digits.size() % per_byte != 0) {
    reader_.FailWith(hex ? "Hex literals must have an even number of digits"
                         : "Binary literals must have a multiple of 8 digits");
    return nullptr;
  }
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += per_byte) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + per_byte, byte, hex ? 16 : 2);
    bytes += static_cast<char>(byte);
  }
  return LiteralOf(bytes.empty() ? Value() : Value(Type::kBinary, std::move(bytes)));
}

}  // namespace klip::sql
