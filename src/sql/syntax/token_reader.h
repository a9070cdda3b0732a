// Reads the tokens of a statement from left to right, and stores the first error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/status.h"
#include "sql/syntax/ast.h"
#include "sql/syntax/lexer.h"

namespace klip::sql {

// Reading functions return false after an error; status() returns the first one.
class TokenReader {
 public:
  // REQUIRES: `text` outlives this; text.size() <= kMaxStatementBytes.
  explicit TokenReader(std::string_view text) : text_(text), tokens_(Tokenize(text)) {}

  const Status& status() const { return status_; }

  TokenKind kind(size_t ahead = 0) const { return tokens_[std::min(position_ + ahead, tokens_.size() - 1)].kind; }
  std::string_view text() const { return TextAt(position_); }
  size_t position() const { return position_; }
  bool Is(TokenKind kind) const { return tokens_[position_].kind == kind; }
  bool IsName(size_t ahead = 0) const {
    return kind(ahead) == TokenKind::kName || kind(ahead) == TokenKind::kQuotedName;
  }
  // An unquoted name that is not reserved, but has a meaning here: "INSERT".
  bool IsWord(std::string_view upper, size_t ahead = 0) const;

  void Skip() { position_ += position_ + 1 < tokens_.size() ? 1 : 0; }
  bool Take(TokenKind kind) {
    bool taken = Is(kind);
    position_ += taken && position_ + 1 < tokens_.size() ? 1 : 0;
    return taken;
  }
  bool TakeWord(std::string_view upper);
  // Whether an expression can begin here.
  bool AtExpression() const;
  // Consumes the token, or fails like Phoenix's generated parser: 603 if the token after it is the wanted one; 602 if the
  // current one may follow the wanted one, according to `follows`; else 604, also at the end of the statement.
  bool Expect(TokenKind kind, std::initializer_list<TokenKind> follows = {});
  // Several tokens in sequence; `follows`: as of the last one.
  bool ExpectAll(std::initializer_list<TokenKind> kinds, std::initializer_list<TokenKind> follows = {});
  bool ExpectEnd();

  // A normalized name where only a name may stand, as an alias.
  bool ReadName(std::string* name);
  // name or schema.name.
  bool ReadTableName(TableName* name);
  // column or family.column.
  bool ReadColumnName(std::string* family, std::string* column);
  // Whole numbers in declarations.
  bool ReadCount(int* count);

  // Gives a mismatched token in an expression that begins at `position` the number of Phoenix's parser: it tries such an
  // expression, and then complains that no parenthesis is there. In parentheses the error stands. REQUIRES: !status().ok().
  void MismatchSince(size_t position);
  // 601 (42P00): Encountered "x" at line 1, column 8.
  bool FailHere();
  // The same, whatever expression is begun.
  bool RefuseHere() {
    FailHere();
    mismatch_.clear();
    return false;
  }
  bool Fail(Status status);
  // 601 (42P00) with this text.
  bool FailWith(std::string_view message);

 private:
  bool Mismatch(int number, std::string message);
  std::string_view TextAt(size_t position) const;
  std::string Place() const;  // "line 1, column 8."

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  Status status_;
  std::string mismatch_;  // the message of status_, if a token did not fit
};

}  // namespace klip::sql
