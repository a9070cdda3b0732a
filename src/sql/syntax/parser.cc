#include "sql/syntax/parser.h"

#include <utility>

#include "sql/syntax/definition_parser.h"
#include "sql/syntax/query_parser.h"
#include "sql/syntax/token_reader.h"
#include "sql/types/codec.h"

namespace klip::sql {

using enum TokenKind;

namespace {

Status TooLong() {
  return SqlError(601, "42P00",
                  "Syntax error. The statement has more than " + std::to_string(kMaxStatementBytes) + " bytes.");
}

class StatementParser {
 public:
  explicit StatementParser(std::string_view text)
      : reader_(text), queries_(&reader_), definitions_(&reader_, &queries_) {}

  Expected<Parsed> Parse();

 private:
  bool ParseOne(ParsedStatement* statement);
  bool ParseOther(ParsedStatement* statement);
  bool ParseUpsert(Upsert* upsert);
  bool ParseRows(Upsert* upsert);
  bool ParseOnDuplicate(Upsert* upsert);
  bool ParseUpdate(ParsedStatement* statement);
  bool ParseStatistics(UpdateStatistics* statistics);
  bool ParseDelete(Delete* statement);
  bool ParseExplain(ParsedStatement* statement);
  bool ParseUse(UseSchema* use);
  bool ParseShow(Show* show);
  bool ParseCursor(CursorStatement* cursor);
  bool ParseIsolation(Transaction* transaction);
  bool ParseRollback(Transaction* transaction);
  bool ParseAssignments(std::vector<Assignment>* assignments);
  bool ParseWhere(ExpressionPtr* where) {
    return !reader_.Take(kWordWhere) || (*where = queries_.ParseExpression()) != nullptr;
  }
  void SkipWork() { reader_.TakeWord("TRANSACTION") || reader_.TakeWord("WORK"); }

  TokenReader reader_;
  QueryParser queries_;
  DefinitionParser definitions_;
};

Expected<Parsed> StatementParser::Parse() {
  Parsed parsed;
  if (!ParseOne(&parsed.statement) || !reader_.ExpectEnd()) {
    return reader_.status();
  }
  parsed.parameters = queries_.parameters();
  return parsed;
}

bool StatementParser::ParseOne(ParsedStatement* statement) {
  switch (reader_.kind()) {
    case kWordWith:
    case kLeft:
    case kWordSelect: {
      std::unique_ptr<Select> select = queries_.ParseSelect();
      if (select != nullptr) {
        *statement = std::move(*select);
      }
      return select != nullptr;
    }
    case kWordUpsert:
      return ParseUpsert(&statement->emplace<Upsert>());
    case kWordDelete:
      return ParseDelete(&statement->emplace<Delete>());
    case kWordUpdate:
      return ParseUpdate(statement);
    case kWordCreate:
      return definitions_.ParseCreate(statement);
    case kWordDrop:
      return definitions_.ParseDrop(&statement->emplace<Drop>());
    case kWordAlter:
      return definitions_.ParseAlter(statement);
    case kWordExplain:
      return ParseExplain(statement);
    case kWordUse:
      return ParseUse(&statement->emplace<UseSchema>());
    case kWordShow:
      return ParseShow(&statement->emplace<Show>());
    case kWordDeclare:
    case kWordOpen:
    case kWordFetch:
    case kWordClose:
      return ParseCursor(&statement->emplace<CursorStatement>());
    default:
      return ParseOther(statement);
  }
}

bool StatementParser::ParseOther(ParsedStatement* statement) {
  if (reader_.IsWord("INSERT")) {
    auto& upsert = statement->emplace<Upsert>();
    upsert.insert = true;
    return ParseUpsert(&upsert);
  }
  auto& transaction = statement->emplace<Transaction>();
  if (reader_.TakeWord("BEGIN") || (reader_.Is(kWordStart) && reader_.IsWord("TRANSACTION", 1))) {
    reader_.Take(kWordStart);
    transaction.what = Transaction::What::kBegin;
    SkipWork();
    return !reader_.IsWord("ISOLATION") || ParseIsolation(&transaction);
  }
  if (reader_.Is(kWordSet) && reader_.IsWord("TRANSACTION", 1)) {
    reader_.Take(kWordSet);
    transaction.what = Transaction::What::kSetIsolation;
    SkipWork();
    return ParseIsolation(&transaction);
  }
  if (reader_.TakeWord("COMMIT")) {
    transaction.what = Transaction::What::kCommit;
    SkipWork();
    return true;
  }
  if (reader_.TakeWord("SAVEPOINT")) {
    transaction.what = Transaction::What::kSavepoint;
    return reader_.ReadName(&transaction.savepoint);
  }
  return reader_.TakeWord("ROLLBACK") ? ParseRollback(&transaction) : reader_.FailHere();
}

// Levels that the store lacks are replaced by the next higher ones.
bool StatementParser::ParseIsolation(Transaction* transaction) {
  if (!reader_.TakeWord("ISOLATION") || !reader_.TakeWord("LEVEL")) {
    return reader_.FailHere();
  }
  if (reader_.TakeWord("READ")) {
    transaction->isolation = Transaction::Isolation::kReadCommitted;
    return reader_.TakeWord("COMMITTED") || reader_.TakeWord("UNCOMMITTED") || reader_.FailHere();
  }
  if (reader_.TakeWord("REPEATABLE")) {
    transaction->isolation = Transaction::Isolation::kSnapshot;
    return reader_.TakeWord("READ") || reader_.FailHere();
  }
  const bool serializable = reader_.TakeWord("SERIALIZABLE");
  transaction->isolation = serializable ? Transaction::Isolation::kSerializable : Transaction::Isolation::kSnapshot;
  return serializable || reader_.TakeWord("SNAPSHOT") || reader_.FailHere();
}

bool StatementParser::ParseRollback(Transaction* transaction) {
  transaction->what = Transaction::What::kRollback;
  SkipWork();
  if (!reader_.Take(kWordTo)) {
    return true;
  }
  transaction->what = Transaction::What::kRollbackTo;
  reader_.TakeWord("SAVEPOINT");
  return reader_.ReadName(&transaction->savepoint);
}

bool StatementParser::ParseUpsert(Upsert* upsert) {
  reader_.Skip();
  if (!queries_.ParseHints(&upsert->hints) || !reader_.Expect(kWordInto, {kName}) ||
      !reader_.ReadTableName(&upsert->table)) {
    return false;
  }
  if (reader_.Take(kLeft)) {
    do {
      ColumnDefinition& column = upsert->columns.emplace_back();
      if (!reader_.ReadColumnName(&column.family, &column.name) ||
          (reader_.IsName() && !queries_.ParseType(column.name, &column.type))) {
        return false;
      }
    } while (reader_.Take(kComma));
    if (!reader_.Expect(kRight, {kWordValues, kWordSelect, kWordWith})) {
      return false;
    }
  }
  if (queries_.AtSelect()) {
    upsert->select = queries_.ParseSelect();
    return upsert->select != nullptr;
  }
  return reader_.Take(kWordValues) ? ParseRows(upsert) && ParseOnDuplicate(upsert) : reader_.FailHere();
}

bool StatementParser::ParseRows(Upsert* upsert) {
  do {
    if (!reader_.Expect(kLeft, {reader_.AtExpression() ? reader_.kind() : kLeft}) ||
        !queries_.ParseList(&upsert->rows.emplace_back()) || !reader_.Expect(kRight, {kSemicolon, kComma, kWordOn})) {
      return false;
    }
  } while (reader_.Take(kComma));
  return true;
}

bool StatementParser::ParseOnDuplicate(Upsert* upsert) {
  if (!reader_.Take(kWordOn)) {
    return true;
  }
  if (!reader_.ExpectAll({kWordDuplicate, kWordKey}, {kWordIgnore, kWordUpdate})) {
    return false;
  }
  upsert->ignore_duplicate = reader_.Take(kWordIgnore);
  if (upsert->ignore_duplicate) {
    return true;
  }
  return reader_.Take(kWordUpdate) ? ParseAssignments(&upsert->on_duplicate) : reader_.FailHere();
}

bool StatementParser::ParseAssignments(std::vector<Assignment>* assignments) {
  do {
    Assignment& assignment = assignments->emplace_back();
    if (!reader_.ReadColumnName(&assignment.family, &assignment.column) || !reader_.Expect(kEqual) ||
        !Keep(queries_.ParseExpression(), &assignment.value)) {
      return false;
    }
  } while (reader_.Take(kComma));
  return true;
}

bool StatementParser::ParseUpdate(ParsedStatement* statement) {
  reader_.Skip();
  if (reader_.Take(kWordStatistics)) {
    return ParseStatistics(&statement->emplace<UpdateStatistics>());
  }
  auto& update = statement->emplace<Update>();
  return reader_.ReadTableName(&update.table) && reader_.Expect(kWordSet) && ParseAssignments(&update.assignments) &&
         ParseWhere(&update.where);
}

bool StatementParser::ParseStatistics(UpdateStatistics* statistics) {
  if (!reader_.ReadTableName(&statistics->table)) {
    return false;
  }
  reader_.Take(kWordIndex) || reader_.Take(kWordAll) || reader_.Take(kWordColumns);
  std::vector<Property> ignored;
  return !reader_.Take(kWordSet) || definitions_.ParseProperties(&ignored);
}

bool StatementParser::ParseDelete(Delete* statement) {
  reader_.Skip();
  if (!queries_.ParseHints(&statement->hints) || !(reader_.Take(kWordFrom) || reader_.FailHere()) ||
      !reader_.ReadTableName(&statement->table) || !ParseWhere(&statement->where)) {
    return false;
  }
  if (reader_.Take(kWordOrder) && (!reader_.Expect(kWordBy, {kName}) || !queries_.ParseOrderBy(&statement->order_by))) {
    return false;
  }
  return !reader_.Take(kWordLimit) || (statement->limit = queries_.ParseLimit()) != nullptr;
}

bool StatementParser::ParseExplain(ParsedStatement* statement) {
  reader_.Skip();
  if (reader_.Is(kWordWith) && reader_.kind(1) == kWordRegions) {
    reader_.Skip();
    reader_.Skip();
  }
  if (reader_.Is(kWordExplain)) {
    return reader_.FailHere();
  }
  auto& explain = statement->emplace<std::unique_ptr<Explain>>(std::make_unique<Explain>());
  return ParseOne(&explain->statement);
}

bool StatementParser::ParseUse(UseSchema* use) {
  reader_.Skip();
  return reader_.Take(kWordDefault) || reader_.ReadName(&use->name);
}

bool StatementParser::ParseShow(Show* show) {
  reader_.Skip();
  if (reader_.Take(kWordCreate)) {
    show->what = Show::What::kCreateTable;
    return reader_.Expect(TokenKind::kWordTable) && reader_.ReadTableName(&show->table);
  }
  show->what = reader_.Is(kWordSchemas) ? Show::What::kSchemas : Show::What::kTables;
  if (!reader_.Take(kWordSchemas) && !reader_.Take(kWordTables)) {
    return reader_.FailHere();
  }
  if (show->what == Show::What::kTables && reader_.Take(kWordIn) && !reader_.ReadName(&show->schema.emplace())) {
    return false;
  }
  if (!reader_.Take(kWordLike)) {
    return true;
  }
  show->like = reader_.Is(kText) ? TextOf(reader_.text()) : std::string();
  return reader_.Expect(kText);
}

// DECLARE c CURSOR FOR SELECT ..., OPEN c, FETCH NEXT [n] [ROW|ROWS] FROM c, CLOSE c
bool StatementParser::ParseCursor(CursorStatement* cursor) {
  using What = CursorStatement::What;
  if (reader_.Take(kWordDeclare)) {
    return reader_.ReadName(&cursor->name) && reader_.Expect(kWordCursor) && reader_.Expect(kWordFor, {kWordSelect}) &&
           (queries_.AtSelect() || reader_.Expect(kWordSelect)) && Keep(queries_.ParseSelect(), &cursor->select);
  }
  if (reader_.Take(kWordFetch)) {
    cursor->what = What::kFetch;
    if (!reader_.Expect(kWordNext, {kWordFrom}) || (reader_.Is(kInteger) && !reader_.ReadCount(&cursor->rows))) {
      return false;
    }
    reader_.Take(kWordRow) || reader_.Take(kWordRows);
    return reader_.Expect(kWordFrom) && reader_.ReadName(&cursor->name);
  }
  cursor->what = reader_.Is(kWordOpen) ? What::kOpen : What::kClose;
  reader_.Skip();
  return reader_.ReadName(&cursor->name);
}

}  // namespace

Expected<Parsed> ParseStatement(std::string_view text) {
  if (text.size() > kMaxStatementBytes) {
    return TooLong();
  }
  return StatementParser(text).Parse();
}

Expected<ExpressionPtr> ParseExpression(std::string_view text) {
  if (text.size() > kMaxStatementBytes) {
    return TooLong();
  }
  TokenReader reader(text);
  QueryParser queries(&reader);
  ExpressionPtr expression = queries.ParseExpression();
  if (expression == nullptr || !reader.Expect(TokenKind::kEnd)) {
    return reader.status();
  }
  return expression;
}

}  // namespace klip::sql
