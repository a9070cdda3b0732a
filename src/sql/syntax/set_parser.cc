// Parses what combines whole SELECTs: UNION, EXCEPT and INTERSECT, and WITH, whose queries are copied to where they are used.
//
// INTERSECT binds tighter than the others, which are applied from left to right. So a UNION b INTERSECT c EXCEPT d becomes
// a with the operands UNION (b with the operand INTERSECT c) and EXCEPT d.
#include <algorithm>
#include <utility>

#include "sql/syntax/query_parser.h"

namespace klip::sql {
namespace {

// Copies of common tables may use copies in turn, so their size can double with each one.
constexpr size_t kMostCopiedTokens = size_t{1} << 18;

bool IsPlain(const Select& select) {
  return select.order_by.empty() && select.limit == nullptr && select.offset == nullptr && select.set_operands.empty();
}

// SELECT * FROM (select)
std::unique_ptr<Select> Wrapped(std::unique_ptr<Select> select) {
  auto outer = std::make_unique<Select>();
  SelectItem& all = outer->items.emplace_back();
  all.expression = std::make_unique<Expression>();
  all.expression->kind = Expression::Kind::kStar;
  outer->from = std::make_unique<FromItem>();
  outer->from->kind = FromItem::Kind::kSelect;
  outer->from->select = std::move(select);
  return outer;
}

}  // namespace

std::unique_ptr<Select> QueryParser::ParseSelect() {
  if (open_ >= kMaxDepth) {
    TooDeep();
    return nullptr;
  }
  ++open_;
  const size_t visible = common_tables_.size();
  std::unique_ptr<Select> select;
  const bool parsed = (!reader_.Take(TokenKind::kWordWith) || ParseCommonTables()) &&
                      Keep(ParseSetOperations(), &select) && ParseTail(select.get());
  common_tables_.resize(visible);
  --open_;
  return parsed ? std::move(select) : nullptr;
}

bool QueryParser::AtSetOperation() const {
  using enum TokenKind;
  if (reader_.Is(kWordUnion)) {
    return true;
  }
  const TokenKind next = reader_.kind(1);  // Phoenix reserves only UNION
  return (reader_.IsWord("EXCEPT") || reader_.IsWord("MINUS") || reader_.IsWord("INTERSECT")) &&
         (next == kWordSelect || next == kLeft || next == kWordAll || next == kWordDistinct);
}

std::unique_ptr<Select> QueryParser::ParseSetOperations() {
  std::unique_ptr<Select> select = ParseIntersections();
  while (select != nullptr && AtSetOperation()) {
    const bool except = !reader_.Take(TokenKind::kWordUnion);
    if (except) {
      reader_.Skip();
    }
    SetOperand operand{.kind = except ? SetOperand::Kind::kExcept : SetOperand::Kind::kUnion};
    if (!except && reader_.Take(TokenKind::kWordAll)) {
      operand.kind = SetOperand::Kind::kUnionAll;
    } else {
      reader_.Take(TokenKind::kWordDistinct);
    }
    const bool above = except || (operand.kind == SetOperand::Kind::kUnionAll && !select->set_operands.empty() &&
                                  select->set_operands.back().kind == SetOperand::Kind::kUnion);
    if ((above && !CountJoin()) || !Keep(ParseIntersections(), &operand.select)) {
      return nullptr;
    }
    select->set_operands.push_back(std::move(operand));
  }
  return select;
}

std::unique_ptr<Select> QueryParser::ParseIntersections() {
  std::unique_ptr<Select> select = ParseSetOperand();
  while (select != nullptr && AtSetOperation() && reader_.TakeWord("INTERSECT")) {
    reader_.Take(TokenKind::kWordDistinct);
    SetOperand operand{.kind = SetOperand::Kind::kIntersect};
    if (!CountJoin() || !Keep(ParseSetOperand(), &operand.select)) {
      return nullptr;
    }
    select->set_operands.push_back(std::move(operand));
  }
  return select;
}

std::unique_ptr<Select> QueryParser::ParseSetOperand() {
  if (!reader_.Take(TokenKind::kLeft)) {
    auto select = std::make_unique<Select>();
    return ParseSingleSelect(select.get()) ? std::move(select) : nullptr;
  }
  std::unique_ptr<Select> select = ParseSelect();
  if (select == nullptr || !reader_.Expect(TokenKind::kRight)) {
    return nullptr;
  }
  deepest_ += IsPlain(*select) ? 0 : 1;
  if (deepest_ > kMaxDepth) {
    TooDeep();
    return nullptr;
  }
  return IsPlain(*select) ? std::move(select) : Wrapped(std::move(select));
}

bool QueryParser::ParseCommonTables() {
  if (reader_.IsName(1) && reader_.IsWord("RECURSIVE")) {
    return reader_.Fail({Code::kUnsupported, "SQL: WITH RECURSIVE"});
  }
  do {
    if (!ParseCommonTable()) {
      return false;
    }
  } while (reader_.Take(TokenKind::kComma));
  return true;
}

bool QueryParser::ParseCommonTable() {
  CommonTable table;
  if (!reader_.ReadName(&table.name)) {
    return false;
  }
  if (reader_.Take(TokenKind::kLeft)) {
    do {
      if (!reader_.ReadName(&table.columns.emplace_back())) {
        return false;
      }
    } while (reader_.Take(TokenKind::kComma));
    if (!reader_.Expect(TokenKind::kRight)) {
      return false;
    }
  }
  const int outer = std::exchange(deepest_, 1);
  const size_t from = reader_.position();
  const size_t copied = copied_tokens_ + clones_;
  const bool parsed = reader_.ExpectAll({TokenKind::kWordAs, TokenKind::kLeft}) && Keep(ParseSelect(), &table.select) &&
                      reader_.Expect(TokenKind::kRight);
  if (!parsed) {
    return false;
  }
  table.depth = deepest_;
  table.tokens = reader_.position() - from + copied_tokens_ + clones_ - copied;
  deepest_ = outer;
  common_tables_.push_back(std::move(table));
  return true;
}

// Replaces the name of a common table by its query.
bool QueryParser::UseCommonTable(FromItem* item) {
  const auto found = std::find_if(common_tables_.rbegin(), common_tables_.rend(),
                                  [&](const CommonTable& table) { return table.name == item->table.name; });
  if (!item->table.schema.empty() || found == common_tables_.rend()) {
    return true;
  }
  copied_tokens_ += found->tokens;
  if (copied_tokens_ > kMostCopiedTokens) {
    return reader_.FailWith("The statement's common tables are too large.");
  }
  item->kind = FromItem::Kind::kSelect;
  item->select = Clone(*found->select);
  item->columns = found->columns;
  item->alias = item->alias.empty() ? item->table.name : item->alias;
  deepest_ = std::max(deepest_, found->depth + 1);
  return deepest_ <= kMaxDepth || TooDeep();
}

}  // namespace klip::sql
