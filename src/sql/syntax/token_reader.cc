#include "sql/syntax/token_reader.h"

#include <algorithm>
#include <charconv>

#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr std::string_view kSyntaxState = "42P00";

// The length of the first UTF-8 character.
size_t CharacterBytes(std::string_view text) {
  size_t bytes = 1;
  while (bytes < text.size() && (static_cast<uint8_t>(text[bytes]) & 0xC0) == 0x80) {
    ++bytes;
  }
  return bytes;
}

bool BeginsExpression(TokenKind kind) {
  using enum TokenKind;
  static constexpr TokenKind kKinds[] = {kName,     kQuotedName, kText,        kInteger,   kDecimal,  kDouble,
                                         kHex,      kBits,       kQuestion,    kNumbered,  kLeft,     kMinus,
                                         kWordNull, kWordTrue,   kWordFalse,   kWordArray, kWordCase, kWordCast,
                                         kWordNext, kWordNot,    kWordCurrent, kWordExists};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

}  // namespace

bool TokenReader::AtExpression() const { return BeginsExpression(kind()); }

bool TokenReader::IsWord(std::string_view upper, size_t ahead) const {
  return kind(ahead) == TokenKind::kName && NormalizedName(TextAt(position_ + ahead)) == upper;
}

bool TokenReader::TakeWord(std::string_view upper) {
  bool taken = IsWord(upper);
  position_ += taken ? 1 : 0;
  return taken;
}

std::string_view TokenReader::TextAt(size_t position) const {
  const Token& token = tokens_[std::min(position, tokens_.size() - 1)];
  return token.kind == TokenKind::kEnd ? "<EOF>" : text_.substr(token.offset, token.length);
}

std::string TokenReader::Place() const {
  std::string_view before = text_.substr(0, tokens_[position_].offset);
  size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  auto is_line_end = [](char c) { return c == '\n'; };
  auto begins_character = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; };
  auto line = std::count_if(before.begin(), before.end(), is_line_end) + 1;
  auto column = std::count_if(before.begin() + line_start, before.end(), begins_character) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column) + ".";
}

bool TokenReader::Fail(Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
  }
  return false;
}

bool TokenReader::FailWith(std::string_view message) {
  return Fail(SqlError(601, kSyntaxState, "Syntax error. " + std::string(message)));
}

bool TokenReader::FailHere() {
  if (Is(TokenKind::kBad)) {
    std::string_view rest = text_.substr(tokens_[position_].offset);
    return FailWith("Unexpected char: '" + std::string(rest.substr(0, CharacterBytes(rest))) + "'");
  }
  if (Is(TokenKind::kTooMany)) {
    return FailWith("The statement has more than " + std::to_string(kMaxTokens) + " tokens.");
  }
  std::string shown(Is(TokenKind::kText) ? TextOf(text()) : text());
  return Mismatch(601, "Syntax error. Encountered \"" + shown + "\" at " + Place());
}

bool TokenReader::Mismatch(int number, std::string message) {
  if (status_.ok()) {
    mismatch_ = std::move(message);
    status_ = SqlError(number, kSyntaxState, mismatch_);
  }
  return false;
}

void TokenReader::MismatchSince(size_t position) {
  const TokenKind kind = tokens_[position].kind;
  if (!mismatch_.empty() && kind != TokenKind::kLeft) {
    const bool unexpected = position + 1 < tokens_.size() && tokens_[position + 1].kind == TokenKind::kLeft;
    status_ = SqlError(unexpected ? 603 : BeginsExpression(kind) ? 602 : 604, kSyntaxState, mismatch_);
  }
}

bool TokenReader::Expect(TokenKind wanted, std::initializer_list<TokenKind> follows) {
  if (Take(wanted)) {
    return true;
  }
  if (Is(TokenKind::kBad) || Is(TokenKind::kTooMany)) {
    return FailHere();
  }
  std::string name(TokenName(wanted));
  std::string shown(Is(TokenKind::kText) ? TextOf(text()) : text());
  if (!Is(TokenKind::kEnd) && kind(1) == wanted) {
    return Mismatch(603,
                    "Syntax error. Unexpected input. Expecting \"" + name + "\", got \"" + shown + "\" at " + Place());
  }
  if (wanted == TokenKind::kEnd || std::find(follows.begin(), follows.end(), kind()) != follows.end()) {
    return Mismatch(602, "Syntax error. Missing \"" + name + "\" at " + Place());
  }
  return Mismatch(604,
                  "Syntax error. Mismatched input. Expecting \"" + name + "\", got \"" + shown + "\" at " + Place());
}

bool TokenReader::ExpectAll(std::initializer_list<TokenKind> kinds, std::initializer_list<TokenKind> follows) {
  for (const auto* kind = kinds.begin(); kind != kinds.end(); ++kind) {
    bool expected = kind + 1 == kinds.end() ? Expect(*kind, follows) : Expect(*kind, {kind[1]});
    if (!expected) {
      return false;
    }
  }
  return true;
}

bool TokenReader::ExpectEnd() {
  Take(TokenKind::kSemicolon);
  return Expect(TokenKind::kEnd);
}

bool TokenReader::ReadName(std::string* name) {
  if (!IsName()) {
    return Expect(TokenKind::kName);
  }
  *name = NormalizedName(text());
  Skip();
  return true;
}

bool TokenReader::ReadTableName(TableName* name) { return ReadColumnName(&name->schema, &name->name); }

bool TokenReader::ReadColumnName(std::string* family, std::string* column) {
  if (!IsName()) {
    return FailHere();
  }
  *column = NormalizedName(text());
  Skip();
  if (!Take(TokenKind::kDot)) {
    return true;
  }
  *family = std::move(*column);
  return ReadName(column);
}

bool TokenReader::ReadCount(int* count) {
  std::string_view digits = text();
  if (!Expect(TokenKind::kInteger)) {
    return false;
  }
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *count);
  return error == std::errc() || FailWith("For input string: \"" + std::string(digits) + "\"");
}

}  // namespace klip::sql
