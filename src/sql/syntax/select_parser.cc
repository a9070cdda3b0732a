// Parses SELECT, and the clauses that other statements share with it.
#include <algorithm>
#include <utility>

#include "sql/syntax/query_parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int kMaxJoins = 250;
// TUNING: each takes a KB or more while rows are made.
constexpr size_t kMaxItems = 20'000;

bool IsHintByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The names in the parentheses of a hint, normalized, separated by one blank.
std::string HintArguments(std::string_view text) {
  std::string arguments;
  while (true) {
    size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
      return arguments;
    }
    text.remove_prefix(start);
    size_t quote = text.front() == '"' ? text.find('"', 1) : std::string_view::npos;
    size_t end = quote != std::string_view::npos ? quote + 1 : std::min(text.find_first_of(" \t\r\n"), text.size());
    arguments += (arguments.empty() ? "" : " ") + NormalizedName(text.substr(0, end));
    text.remove_prefix(end);
  }
}

// Phoenix's limits for the parameters of a type. -1: missing.
Status CheckType(std::string_view column, int length, int scale, DataType* type) {
  std::string at = column.empty() ? "" : " columnName=" + std::string(column);
  if (type->type == Type::kDecimal) {
    if (length == 0 || length > Decimal::kMaxDigits) {
      return SqlError(209, "22003", "Decimal precision outside of range. Should be within 1 and 38." + at);
    }
    if (length > 0) {
      type->precision = length;
      type->scale = std::min(std::max(scale, 0), length);
    }
    return Status::Ok();
  }
  if (length == 0) {
    return SqlError(208, "22006", "Max length must have a positive length for type." + at);
  }
  bool limited = type->type == Type::kChar || type->type == Type::kBinary;
  if (limited && length < 0) {
    return SqlError(207, "22004", "Max length must be specified for type." + at);
  }
  if (limited || type->type == Type::kVarchar || type->type == Type::kVarbinary) {
    type->max_length = std::max(length, 0);
  }
  return Status::Ok();
}

}  // namespace

bool QueryParser::ParseType(std::string_view name, DataType* type) {
  std::string_view written = reader_.text();
  std::string type_name;
  if (!reader_.IsName()) {
    return reader_.Expect(TokenKind::kName, {TokenKind::kComma, TokenKind::kRight});
  }
  reader_.ReadName(&type_name);
  type->type = TypeOf(type_name);
  if (type->type == Type::kNull) {
    return reader_.Fail(SqlError(201, "22000", "Illegal data. Unsupported sql type: " + NormalizedName(written)));
  }
  int length = -1;
  int scale = -1;
  if (reader_.Take(TokenKind::kLeft)) {
    bool read = reader_.ReadCount(&length) && (!reader_.Take(TokenKind::kComma) || reader_.ReadCount(&scale)) &&
                reader_.Expect(TokenKind::kRight, {TokenKind::kComma, TokenKind::kRight, TokenKind::kWordNot});
    if (!read) {
      return false;
    }
  }
  type->array = reader_.Take(TokenKind::kWordArray);
  if (reader_.Take(TokenKind::kLeftSquare)) {
    int ignored = 0;
    type->array = true;
    if ((reader_.Is(TokenKind::kInteger) && !reader_.ReadCount(&ignored)) || !reader_.Expect(TokenKind::kRightSquare)) {
      return false;
    }
  }
  // A cast to CHAR takes the length of its operand.
  if (name.empty() && length < 0) {
    return true;
  }
  Status checked = CheckType(name, length, scale, type);
  return checked.ok() || reader_.Fail(std::move(checked));
}

bool QueryParser::ParseDynamicColumns(std::vector<ColumnDefinition>* columns) {
  do {
    ColumnDefinition column;
    if (!reader_.ReadColumnName(&column.family, &column.name) || !ParseType(column.name, &column.type)) {
      return false;
    }
    columns->push_back(std::move(column));
  } while (reader_.Take(TokenKind::kComma));
  return reader_.Expect(TokenKind::kRight);
}

bool QueryParser::ParseHints(std::vector<std::string>* hints) {
  if (!reader_.Is(TokenKind::kHint)) {
    return true;
  }
  std::string_view text = reader_.text().substr(3);
  text.remove_suffix(2);
  reader_.Skip();
  while (true) {
    auto start = std::find_if(text.begin(), text.end(), IsHintByte);
    auto end = std::find_if_not(start, text.end(), IsHintByte);
    if (start == text.end()) {
      return true;
    }
    std::string hint = NormalizedName(std::string_view(start, end));
    text.remove_prefix(end - text.begin());
    size_t open = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    size_t close = text.find(')', open);
    if (open < text.size() && text[open] == '(' && close != std::string_view::npos) {
      hint += "(" + HintArguments(text.substr(open + 1, close - open - 1)) + ")";
      text.remove_prefix(close + 1);
    }
    hints->push_back(std::move(hint));
  }
}

bool QueryParser::ParseOrderBy(std::vector<OrderTerm>* terms) {
  do {
    OrderTerm term{.expression = ParseExpression()};
    if (term.expression == nullptr) {
      return false;
    }
    term.descending = !reader_.Take(TokenKind::kWordAsc) && reader_.Take(TokenKind::kWordDesc);
    if (reader_.Take(TokenKind::kWordNulls)) {
      term.nulls_last = reader_.Is(TokenKind::kWordLast);
      if (!reader_.Take(TokenKind::kWordFirst) && !reader_.Take(TokenKind::kWordLast)) {
        return reader_.FailHere();
      }
    }
    terms->push_back(std::move(term));
  } while (reader_.Take(TokenKind::kComma));
  return true;
}

ExpressionPtr QueryParser::ParseLimit() {
  if (reader_.Is(TokenKind::kQuestion) || reader_.Is(TokenKind::kNumbered)) {
    return ParseParameter();
  }
  return reader_.Is(TokenKind::kInteger) ? ParseLiteral() : Fail();
}

bool QueryParser::ParseSingleSelect(Select* select) {
  using enum TokenKind;
  if (!reader_.Expect(kWordSelect) || !ParseHints(&select->hints)) {
    return false;
  }
  select->distinct = reader_.Take(kWordDistinct);
  if (!select->distinct) {
    reader_.Take(kWordAll);
  }
  do {
    if (select->items.size() == kMaxItems) {
      return reader_.FailWith("The statement has more than " + std::to_string(kMaxItems) +
                              " items in a list of SELECT.");
    }
    if (!ParseSelectItem(&select->items.emplace_back())) {
      return false;
    }
  } while (reader_.Take(kComma));
  if (reader_.Take(kWordFrom) && !Keep(ParseTables(), &select->from)) {
    return false;
  }
  if (reader_.Take(kWordWhere) && !Keep(ParseExpression(), &select->where)) {
    return false;
  }
  if (reader_.Take(kWordGroup) && (!reader_.Expect(kWordBy, {kName}) || !ParseList(&select->group_by))) {
    return false;
  }
  return !reader_.Take(kWordHaving) || (select->having = ParseExpression()) != nullptr;
}

bool QueryParser::ParseSelectItem(SelectItem* item) {
  using enum TokenKind;
  bool qualified = reader_.IsName() && reader_.kind(1) == kDot;
  bool star = reader_.Is(kStar) || (qualified && reader_.kind(2) == kStar) ||
              (qualified && reader_.IsName(2) && reader_.kind(3) == kDot && reader_.kind(4) == kStar);
  if (star) {
    item->expression = std::make_unique<Expression>();
    item->expression->kind = Expression::Kind::kStar;
    return ParseStar(item->expression.get());
  }
  item->expression = reader_.AtExpression() || reader_.Is(kPlus) ? ParseExpression() : Fail();
  return item->expression != nullptr && ParseAlias(&item->alias);
}

bool QueryParser::ParseStar(Expression* star) {
  while (!reader_.Take(TokenKind::kStar)) {
    star->schema = std::exchange(star->qualifier, {});
    if (!reader_.ReadName(&star->qualifier) || !reader_.Expect(TokenKind::kDot)) {
      return false;
    }
  }
  return true;
}

bool QueryParser::ParseAlias(std::string* alias) {
  bool wanted = reader_.Take(TokenKind::kWordAs);
  // Not reserved by Phoenix: FROM a CROSS JOIN b, FROM a EXCEPT SELECT b.
  bool cross = reader_.kind(1) == TokenKind::kWordJoin && reader_.IsWord("CROSS");
  return (!wanted && (!reader_.IsName() || cross || AtSetOperation())) || reader_.ReadName(alias);
}

bool QueryParser::ParseTail(Select* select) {
  using enum TokenKind;
  if (reader_.Take(kWordOrder) && (!reader_.Expect(kWordBy, {kName}) || !ParseOrderBy(&select->order_by))) {
    return false;
  }
  if (reader_.Take(kWordLimit) && !Keep(ParseLimit(), &select->limit)) {
    return false;
  }
  if (reader_.Take(kWordOffset)) {
    select->offset = reader_.Is(kLeft) ? ParseExpression() : ParseLimit();
    if (select->offset == nullptr) {
      return false;
    }
    if (!reader_.Take(kWordRow)) {
      reader_.Take(kWordRows);
    }
  }
  if (!reader_.Take(kWordFetch)) {
    return true;
  }
  if (!reader_.Take(kWordFirst) && !reader_.Take(kWordNext)) {
    return reader_.FailHere();
  }
  if (reader_.Is(kWordRow) || reader_.Is(kWordRows)) {
    select->limit = std::make_unique<Expression>();
    select->limit->value = Value(Type::kInteger, int64_t{1});
  } else if (!Keep(ParseLimit(), &select->limit)) {
    return false;
  }
  return (reader_.Take(kWordRow) || reader_.Take(kWordRows) || reader_.FailHere()) && reader_.Expect(kWordOnly);
}

bool QueryParser::CountJoin() {
  return ++joins_ <= kMaxJoins ||
         reader_.FailWith("The statement has more than " + std::to_string(kMaxJoins) + " joins and set operations.");
}

std::unique_ptr<FromItem> QueryParser::Join(FromItem::Join kind, std::unique_ptr<FromItem> left,
                                            std::unique_ptr<FromItem> right) {
  if (left == nullptr || right == nullptr) {
    return nullptr;
  }
  if (!CountJoin()) {
    return nullptr;
  }
  auto item = std::make_unique<FromItem>();
  item->kind = FromItem::Kind::kJoin;
  item->join = kind;
  item->left = std::move(left);
  item->right = std::move(right);
  return item;
}

std::unique_ptr<FromItem> QueryParser::ParseTables() {
  std::unique_ptr<FromItem> item = ParseJoins();
  while (item != nullptr && reader_.Take(TokenKind::kComma)) {
    item = Join(FromItem::Join::kCross, std::move(item), ParseJoins());
  }
  return item;
}

bool QueryParser::ParseJoinKind(FromItem::Join* join, bool* found) {
  using enum TokenKind;
  *found = true;
  *join = FromItem::Join::kInner;
  if (reader_.Take(kWordJoin)) {
    return true;
  }
  if (reader_.Take(kWordInner)) {
    return reader_.Expect(kWordJoin, {kName});
  }
  if (reader_.kind(1) == kWordJoin && reader_.TakeWord("CROSS")) {
    *join = FromItem::Join::kCross;
    return reader_.Expect(kWordJoin);
  }
  if (reader_.Take(kWordLeft)) {
    *join = FromItem::Join::kLeft;
  } else if (reader_.Take(kWordRight)) {
    *join = FromItem::Join::kRight;
  } else if (reader_.Take(kWordFull)) {
    *join = FromItem::Join::kFull;
  } else {
    *found = false;
    return true;
  }
  reader_.Take(kWordOuter);
  return reader_.Expect(kWordJoin, {kName});
}

std::unique_ptr<FromItem> QueryParser::ParseJoins() {
  std::unique_ptr<FromItem> item = ParseTable();
  while (item != nullptr) {
    FromItem::Join kind = FromItem::Join::kInner;
    bool found = false;
    if (!ParseJoinKind(&kind, &found)) {
      return nullptr;
    }
    if (!found) {
      return item;
    }
    item = Join(kind, std::move(item), ParseTable());
    if (item == nullptr) {
      return nullptr;
    }
    if (kind != FromItem::Join::kCross) {
      bool parsed = reader_.Expect(TokenKind::kWordOn, {TokenKind::kName}) && (item->on = ParseExpression()) != nullptr;
      if (!parsed) {
        return nullptr;
      }
    }
  }
  return nullptr;
}

std::unique_ptr<FromItem> QueryParser::ParseTable() {
  using enum TokenKind;
  if (reader_.Is(kLeft)) {
    if (open_ >= kMaxDepth) {
      TooDeep();
      return nullptr;
    }
    ++open_;
    reader_.Skip();
    auto item = std::make_unique<FromItem>();
    if (AtSelect()) {
      item = ParseTableInParentheses(item.get()) ? std::move(item) : nullptr;
    } else {
      item = ParseTables();
      item = item != nullptr && reader_.Expect(kRight) ? std::move(item) : nullptr;
    }
    --open_;
    return item;
  }
  auto item = std::make_unique<FromItem>();
  if (!reader_.ReadTableName(&item->table) || !ParseAlias(&item->alias) || !UseCommonTable(item.get())) {
    return nullptr;
  }
  if (item->kind == FromItem::Kind::kSelect) {
    return item;
  }
  if (reader_.Take(kLeft) && !ParseDynamicColumns(&item->dynamic_columns)) {
    return nullptr;
  }
  if (reader_.Take(kWordTableSample)) {
    if (!reader_.Expect(kLeft)) {
      return nullptr;
    }
    item->sample = IsLiteral() ? ParseLiteral() : Fail();
    return item->sample != nullptr && reader_.Expect(kRight) ? std::move(item) : nullptr;
  }
  return item;
}

bool QueryParser::ParseTableInParentheses(FromItem* item) {
  item->kind = FromItem::Kind::kSelect;
  int outer = std::exchange(deepest_, 1);
  item->select = ParseSelect();
  deepest_ = std::max(outer, deepest_ + 1);
  if (deepest_ > kMaxDepth) {
    return TooDeep();
  }
  return item->select != nullptr && reader_.Expect(TokenKind::kRight, {TokenKind::kName}) && ParseAlias(&item->alias);
}

}  // namespace klip::sql
