#include "sql/syntax/definition_parser.h"

#include <utility>

namespace klip::sql {

using enum TokenKind;

bool DefinitionParser::ParseIfNotExists(bool* present) {
  *present = reader_.Is(kWordIf);
  return !*present || reader_.ExpectAll({kWordIf, kWordNot, kWordExists}, {kName});
}

bool DefinitionParser::ParseIfExists(bool* present) {
  *present = reader_.Is(kWordIf);
  return !*present || reader_.ExpectAll({kWordIf, kWordExists}, {kName});
}

bool DefinitionParser::ParseDirection() { return !reader_.Take(kWordAsc) && reader_.Take(kWordDesc); }

bool DefinitionParser::ParseCreate(ParsedStatement* statement) {
  reader_.Skip();
  bool immutable = reader_.Take(kWordImmutable);
  if (immutable && !reader_.Is(kWordTable)) {
    return reader_.Expect(kWordTable, {kName});
  }
  switch (reader_.kind()) {
    case kWordTable:
      return ParseCreateTable(&statement->emplace<CreateTable>(), immutable);
    case kWordView:
      return ParseCreateView(&statement->emplace<CreateTable>());
    case kWordUncovered:
    case kWordLocal:
    case kWordIndex:
      return ParseCreateIndex(&statement->emplace<CreateIndex>());
    case kWordSequence:
      return ParseCreateSequence(&statement->emplace<CreateSequence>());
    case kWordSchema: {
      reader_.Skip();
      auto& schema = statement->emplace<CreateSchema>();
      return ParseIfNotExists(&schema.if_not_exists) && reader_.ReadName(&schema.name);
    }
    default:
      return reader_.FailHere();
  }
}

bool DefinitionParser::ParseCreateTable(CreateTable* table, bool immutable) {
  reader_.Skip();
  bool parsed = ParseIfNotExists(&table->if_not_exists) && reader_.ReadTableName(&table->name) &&
                reader_.Expect(kLeft, {kName}) && ParseTableElements(table);
  if (!parsed) {
    return false;
  }
  reader_.Take(kWordNoVerify);
  if (immutable) {
    table->properties.push_back({.name = "IMMUTABLE_ROWS", .value = Value::Boolean(true)});
  }
  return (!AtProperties() || ParseProperties(&table->properties)) && ParseSplitOn(&table->split_on) &&
         ParseQualifierCounters(&table->qualifier_counters);
}

bool DefinitionParser::ParseQualifierCounters(std::vector<std::pair<std::string, int>>* counters) {
  if (!reader_.Take(kWordColumnQualifierCounter)) {
    return true;
  }
  if (!reader_.Expect(kLeft)) {
    return false;
  }
  do {
    auto& [family, next] = counters->emplace_back();
    if (!reader_.Is(kText)) {
      return reader_.FailHere();
    }
    family = TextOf(reader_.text());
    reader_.Skip();
    if (!reader_.Expect(kEqual) || !reader_.ReadCount(&next)) {
      return false;
    }
  } while (reader_.Take(kComma));
  return reader_.Expect(kRight, {kSemicolon});
}

bool DefinitionParser::ParseCreateView(CreateTable* view) {
  reader_.Skip();
  view->view = true;
  if (!ParseIfNotExists(&view->if_not_exists) || !reader_.ReadTableName(&view->name) ||
      (reader_.Take(kLeft) && !ParseTableElements(view))) {
    return false;
  }
  if (reader_.Take(kWordAs)) {
    view->as = std::make_unique<Select>();
    if (!ParseViewSelect(view->as.get())) {
      return false;
    }
  }
  return !AtProperties() || ParseProperties(&view->properties);
}

// SELECT * FROM t WHERE ..., or some of its columns in place of *.
bool DefinitionParser::ParseViewSelect(Select* select) {
  if (!reader_.Expect(kWordSelect, {kStar})) {
    return false;
  }
  const bool columns = reader_.IsName();
  do {
    SelectItem& item = select->items.emplace_back();
    item.expression = std::make_unique<Expression>();
    item.expression->kind = columns ? Expression::Kind::kColumn : Expression::Kind::kStar;
    const bool read = columns ? reader_.ReadColumnName(&item.expression->qualifier, &item.expression->name)
                              : reader_.Expect(kStar, {kWordFrom});
    if (!read) {
      return false;
    }
  } while (columns && reader_.Take(kComma));
  select->from = std::make_unique<FromItem>();
  return reader_.Expect(kWordFrom, {kName}) && reader_.ReadTableName(&select->from->table) &&
         (!reader_.Take(kWordWhere) || Keep(queries_.ParseExpression(), &select->where));
}

bool DefinitionParser::ParseTableElements(CreateTable* table) {
  while (!reader_.Is(kWordConstraint) && !reader_.Is(kWordPrimary)) {
    const bool may_be_key = !table->columns.empty() && !reader_.IsName();
    if (may_be_key ? !reader_.Expect(kWordConstraint) : !ParseColumn(&table->columns.emplace_back())) {
      return false;
    }
    if (!reader_.Take(kComma) && !reader_.Is(kWordConstraint)) {
      return reader_.Expect(kRight, {kSemicolon, kName});
    }
  }
  return ParseKey(table) && reader_.Expect(kRight, {kSemicolon, kName});
}

bool DefinitionParser::ParseColumn(ColumnDefinition* column) {
  if (!reader_.ReadColumnName(&column->family, &column->name) || !queries_.ParseType(column->name, &column->type)) {
    return false;
  }
  column->not_null = reader_.Take(kWordNot);
  if (column->not_null && !reader_.Expect(kWordNull, {kComma, kRight, kWordPrimary, kWordDefault})) {
    return false;
  }
  column->nullable = !column->not_null && reader_.Take(kWordNull);
  if (reader_.Take(kWordDefault) && !Keep(queries_.ParseExpression(), &column->default_value)) {
    return false;
  }
  if (reader_.Take(kWordPrimary)) {
    if (!reader_.Expect(kWordKey, {kComma, kRight, kWordAsc, kWordDesc})) {
      return false;
    }
    column->primary_key = true;
    column->descending = ParseDirection();
    column->row_timestamp = reader_.Take(kWordRowTimestamp);
    return true;
  }
  return !reader_.Take(kWordEncodedQualifier) || reader_.ReadCount(&column->encoded_qualifier);
}

bool DefinitionParser::ParseKey(CreateTable* table) {
  if (reader_.Take(kWordConstraint) && !reader_.ReadName(&table->key_name)) {  // without a name: klip's extension
    return false;
  }
  if (!reader_.ExpectAll({kWordPrimary, kWordKey, kLeft}, {kName})) {
    return false;
  }
  do {
    KeyColumn& column = table->key.emplace_back();
    if (!reader_.ReadName(&column.name)) {
      return false;
    }
    column.descending = ParseDirection();
    column.row_timestamp = reader_.Take(kWordRowTimestamp);
  } while (reader_.Take(kComma));
  return reader_.Expect(kRight, {kRight});
}

bool DefinitionParser::ParseProperty(Property* property) {
  if (!reader_.ReadColumnName(&property->family, &property->name) || !(reader_.Take(kEqual) || reader_.FailHere())) {
    return false;
  }
  if (queries_.IsLiteral()) {
    ExpressionPtr literal = queries_.ParseLiteral();
    if (literal == nullptr) {
      return false;
    }
    property->value = std::move(literal->value);
    return true;
  }
  // A word without quotes: COMPRESSION=SNAPPY. It keeps its case.
  if (!reader_.IsName()) {
    return reader_.FailHere();
  }
  std::string_view word = reader_.text();
  property->value = Value::Text(std::string(reader_.Is(kQuotedName) ? word.substr(1, word.size() - 2) : word));
  reader_.Skip();
  return true;
}

bool DefinitionParser::ParseProperties(std::vector<Property>* properties) {
  do {
    if (!ParseProperty(&properties->emplace_back())) {
      return false;
    }
  } while (reader_.Take(kComma));
  return true;
}

bool DefinitionParser::ParseSplitOn(std::vector<ExpressionPtr>* split_on) {
  if (!reader_.Take(kWordSplit)) {
    return true;
  }
  return reader_.ExpectAll({kWordOn, kLeft}, {kInteger, kText}) && queries_.ParseList(split_on) &&
         reader_.Expect(kRight, {kSemicolon});
}

bool DefinitionParser::ParseColumnNames(std::vector<std::pair<std::string, std::string>>* names) {
  do {
    auto& [family, name] = names->emplace_back();
    if (!reader_.ReadColumnName(&family, &name)) {
      return false;
    }
  } while (reader_.Take(kComma));
  return true;
}

bool DefinitionParser::ParseCreateIndex(CreateIndex* index) {
  index->uncovered = reader_.Take(kWordUncovered);
  index->local = reader_.Take(kWordLocal);
  if (index->local && index->uncovered) {
    return reader_.FailWith("UNCOVERED cannot be used with LOCAL");
  }
  bool parsed = reader_.Expect(kWordIndex) && ParseIfNotExists(&index->if_not_exists) &&
                reader_.ReadName(&index->name) && reader_.Expect(kWordOn, {kName}) &&
                reader_.ReadTableName(&index->table) && reader_.Expect(kLeft, {kName});
  if (!parsed) {
    return false;
  }
  do {
    OrderTerm& column = index->columns.emplace_back();
    column.expression = queries_.ParseExpression();
    if (column.expression == nullptr) {
      return false;
    }
    column.descending = ParseDirection();
  } while (reader_.Take(kComma));
  if (!reader_.Expect(kRight, {kSemicolon, kWordInclude})) {
    return false;
  }
  if (reader_.Take(kWordInclude)) {
    if (index->uncovered) {
      return reader_.FailWith("UNCOVERED indexes cannot have the INCLUDE clause");
    }
    if (!reader_.Expect(kLeft, {kName}) || !ParseColumnNames(&index->include) ||
        !reader_.Expect(kRight, {kSemicolon})) {
      return false;
    }
  }
  if (reader_.Take(kWordWhere)) {
    if (index->local) {
      return reader_.FailWith("Partial local indexes are not supported");
    }
    index->where = queries_.ParseExpression();
    if (index->where == nullptr) {
      return false;
    }
  }
  index->async = reader_.Take(kWordAsync);
  return (!AtProperties() || ParseProperties(&index->properties)) && ParseSplitOn(&index->split_on);
}

bool DefinitionParser::ParseCreateSequence(CreateSequence* sequence) {
  reader_.Skip();
  if (!ParseIfNotExists(&sequence->if_not_exists) || !reader_.ReadTableName(&sequence->name)) {
    return false;
  }
  struct Clause {
    TokenKind word;
    TokenKind filler;  // may follow
    ExpressionPtr* value;
  };
  const Clause clauses[] = {{kWordStart, kWordWith, &sequence->start},
                            {kWordIncrement, kWordBy, &sequence->increment},
                            {kWordMinValue, kWordMinValue, &sequence->min},
                            {kWordMaxValue, kWordMaxValue, &sequence->max}};
  for (const Clause& clause : clauses) {
    if (reader_.Take(clause.word)) {
      reader_.Take(clause.filler);
      *clause.value = queries_.ParseValue();
      if (*clause.value == nullptr) {
        return false;
      }
    }
  }
  sequence->cycle = reader_.Take(kWordCycle);
  return !reader_.Take(kWordCache) || (sequence->cache = queries_.ParseLimit()) != nullptr;
}

bool DefinitionParser::ParseDrop(Drop* drop) {
  reader_.Skip();
  switch (reader_.kind()) {
    case kWordTable:
      drop->what = Drop::What::kTable;
      break;
    case kWordView:
      drop->what = Drop::What::kView;
      break;
    case kWordIndex:
      drop->what = Drop::What::kIndex;
      break;
    case kWordSequence:
      drop->what = Drop::What::kSequence;
      break;
    case kWordSchema:
      drop->what = Drop::What::kSchema;
      break;
    default:
      return reader_.FailHere();
  }
  reader_.Skip();
  if (!ParseIfExists(&drop->if_exists)) {
    return false;
  }
  switch (drop->what) {
    case Drop::What::kIndex:
      return reader_.ReadName(&drop->name.name) && reader_.Expect(kWordOn, {kName}) && reader_.ReadTableName(&drop->on);
    case Drop::What::kSequence:
      return reader_.ReadTableName(&drop->name);
    case Drop::What::kSchema:
      if (!reader_.ReadName(&drop->name.name)) {
        return false;
      }
      break;
    default:
      if (!reader_.ReadTableName(&drop->name)) {
        return false;
      }
  }
  drop->cascade = reader_.Take(kWordCascade);
  return true;
}

bool DefinitionParser::ParseAlter(ParsedStatement* statement) {
  reader_.Skip();
  if (reader_.Is(kWordIndex)) {
    return ParseAlterIndex(&statement->emplace<AlterIndex>());
  }
  if (reader_.Is(kWordTable) || reader_.Is(kWordView)) {
    return ParseAlterTable(&statement->emplace<AlterTable>());
  }
  return reader_.FailHere();
}

bool DefinitionParser::ParseAlterTable(AlterTable* table) {
  table->view = reader_.Is(kWordView);
  reader_.Skip();
  if (!reader_.ReadTableName(&table->name)) {
    return false;
  }
  if (reader_.Take(kWordDrop)) {
    return reader_.Expect(kWordColumn, {kName}) && ParseIfExists(&table->if_exists) && ParseColumnNames(&table->drop);
  }
  if (reader_.Take(kWordSet)) {
    return ParseProperties(&table->set);
  }
  if (!reader_.Take(kWordAdd)) {
    return reader_.FailHere();
  }
  if (!ParseIfNotExists(&table->if_not_exists)) {
    return false;
  }
  do {
    if (!ParseColumn(&table->add.emplace_back())) {
      return false;
    }
  } while (reader_.Take(kComma));
  return (!AtProperties() || ParseProperties(&table->set)) && ParseCascadeIndex();
}

bool DefinitionParser::ParseCascadeIndex() {
  if (!reader_.Take(kWordCascade)) {
    return true;
  }
  if (!reader_.Expect(kWordIndex, {kWordAll})) {
    return false;
  }
  if (reader_.Take(kWordAll)) {
    return true;
  }
  std::string ignored;
  do {
    if (!reader_.ReadName(&ignored)) {
      return false;
    }
  } while (reader_.Take(kComma));
  return true;
}

bool DefinitionParser::ParseAlterIndex(AlterIndex* index) {
  reader_.Skip();
  bool parsed = ParseIfExists(&index->if_exists) && reader_.ReadName(&index->name) &&
                reader_.Expect(kWordOn, {kName}) && reader_.ReadTableName(&index->table);
  if (!parsed) {
    return false;
  }
  switch (reader_.kind()) {
    case kWordRebuild:
    case kWordDisable:
    case kWordUnusable:
    case kWordUsable:
    case kWordActive:
      index->action = TokenName(reader_.kind());
      break;
    default:
      return reader_.FailHere();
  }
  reader_.Skip();
  reader_.Take(kWordAll);
  reader_.Take(kWordAsync);
  reader_.Take(kWordSet);
  std::vector<Property> ignored;
  return !AtProperties() || ParseProperties(&ignored);
}

}  // namespace klip::sql
