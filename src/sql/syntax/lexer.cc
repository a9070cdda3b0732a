#include "sql/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sql/syntax/parser.h"

namespace klip::sql {
namespace {

struct Word {
  std::string_view text;
  TokenKind kind = TokenKind::kName;
};

constexpr Word kWords[] = {
#define KLIP_SQL_WORD(name, text) {text, TokenKind::kWord##name},
    KLIP_SQL_WORDS(KLIP_SQL_WORD)
#undef KLIP_SQL_WORD
};

constexpr uint32_t kHashSeed = 2166136261U;
constexpr uint32_t AddToHash(uint32_t hash, char c) { return (hash ^ static_cast<uint8_t>(c & 0xDF)) * 16777619U; }

// Open addressing by FNV of the word in upper case.
constexpr size_t kSlots = 1024;
constexpr size_t SlotOf(uint32_t hash) { return (hash ^ (hash >> 15)) % kSlots; }
constexpr std::array<Word, kSlots> kWordTable = [] {
  std::array<Word, kSlots> table{};
  for (const Word& word : kWords) {
    uint32_t hash = kHashSeed;
    for (char c : word.text) {
      hash = AddToHash(hash, c);
    }
    size_t slot = SlotOf(hash);
    while (!table[slot].text.empty()) {
      slot = (slot + 1) % kSlots;
    }
    table[slot] = word;
  }
  return table;
}();

TokenKind WordOf(std::string_view name, uint32_t hash) {
  for (size_t slot = SlotOf(hash); !kWordTable[slot].text.empty(); slot = (slot + 1) % kSlots) {
    const Word& word = kWordTable[slot];
    if (std::equal(name.begin(), name.end(), word.text.begin(), word.text.end(),
                   [](char a, char b) { return (a & 0xDF) == b; })) {
      return word.kind;
    }
  }
  return TokenKind::kName;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameByte(char c) { return IsLetter(c) || IsDigit(c) || c == '_' || static_cast<uint8_t>(c) >= 0x80; }

constexpr std::string_view kEnSpace = "\xE2\x80\x82";

// Reads tokens one by one.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token Next();

 private:
  char At(size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  bool HasAt(size_t position, std::string_view what) const { return text_.substr(position).starts_with(what); }
  // Skips what is between tokens. False: at the end.
  bool SkipBlanks();
  size_t LineEnd() const { return std::min(text_.find('\n', position_), text_.size()); }
  // The position after the quote that closes the one at `position`; nullopt: none.
  std::optional<size_t> AfterQuoted(size_t position) const;
  TokenKind Name();
  TokenKind Number();
  TokenKind Quoted(size_t start, TokenKind kind);
  TokenKind Symbol();
  TokenKind Take(size_t length, TokenKind kind) {
    position_ += length;
    return kind;
  }
  void SkipDigits() {
    while (IsDigit(At(position_))) {
      ++position_;
    }
  }

  std::string_view text_;
  size_t position_ = 0;
};

bool Lexer::SkipBlanks() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++position_;
    } else if (HasAt(position_, kEnSpace)) {
      position_ += kEnSpace.size();
    } else if (HasAt(position_, "--") || HasAt(position_, "//")) {
      position_ = LineEnd();
    } else if (HasAt(position_, "/*") && At(position_ + 2) != '+') {
      size_t end = text_.find("*/", position_ + 2);
      position_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return true;
    }
  }
  return false;
}

Token Lexer::Next() {
  TokenKind kind = TokenKind::kEnd;
  size_t start = text_.size();
  if (SkipBlanks()) {
    start = position_;
    char c = text_[position_];
    if (IsLetter(c)) {
      kind = Name();
    } else if (IsDigit(c) || (c == '.' && IsDigit(At(position_ + 1)))) {
      kind = Number();
    } else {
      kind = Symbol();
    }
  }
  return {kind, static_cast<uint32_t>(start), static_cast<uint32_t>(position_ - start)};
}

std::optional<size_t> Lexer::AfterQuoted(size_t position) const {
  char quote = text_[position];
  for (++position; position < text_.size(); ++position) {
    char c = text_[position];
    if (c == '\\' && quote == '\'') {
      // Before any other character, the backslash is literal.
      constexpr std::string_view kEscaped = "nrtbf\"'\\_%";
      position += kEscaped.find(At(position + 1)) != std::string_view::npos ? 1 : 0;
    } else if (c == quote) {
      if (quote == '"' || At(position + 1) != quote) {
        return position + 1;
      }
      ++position;
    }
  }
  return std::nullopt;
}

TokenKind Lexer::Quoted(size_t start, TokenKind kind) {
  std::optional<size_t> end = AfterQuoted(start);
  position_ = end.value_or(text_.size());
  return end ? kind : TokenKind::kEnd;
}

TokenKind Lexer::Name() {
  char first = text_[position_];
  if (At(position_ + 1) == '\'' && (first == 'x' || first == 'X' || first == 'b' || first == 'B')) {
    return Quoted(position_ + 1, (first & 0xDF) == 'X' ? TokenKind::kHex : TokenKind::kBits);
  }
  size_t start = position_;
  uint32_t hash = kHashSeed;
  while (position_ < text_.size() && IsNameByte(text_[position_]) && !HasAt(position_, kEnSpace)) {
    hash = AddToHash(hash, text_[position_++]);
  }
  return WordOf(text_.substr(start, position_ - start), hash);
}

TokenKind Lexer::Number() {
  TokenKind kind = TokenKind::kInteger;
  SkipDigits();
  if (At(position_) == '.') {
    ++position_;
    kind = IsDigit(At(position_)) ? TokenKind::kDecimal : TokenKind::kDouble;
    SkipDigits();
  }
  size_t sign = At(position_ + 1) == '+' || At(position_ + 1) == '-' ? 1 : 0;
  if ((At(position_) == 'e' || At(position_) == 'E') && IsDigit(At(position_ + 1 + sign))) {
    position_ += 1 + sign;
    SkipDigits();
    kind = TokenKind::kDouble;
  }
  return kind;
}

TokenKind Lexer::Symbol() {
  switch (text_[position_]) {
    case '\'':
      return Quoted(position_, TokenKind::kText);
    case '"':
      return Quoted(position_, TokenKind::kQuotedName);
    case '?':
      return Take(1, TokenKind::kQuestion);
    case ':':
      ++position_;
      if (IsDigit(At(position_))) {
        SkipDigits();
        return TokenKind::kNumbered;
      }
      return TokenKind::kOther;
    case '/':
      if (At(position_ + 1) == '*') {
        size_t end = text_.find("*/", position_ + 3);
        position_ = end == std::string_view::npos ? text_.size() : end + 2;
        return end == std::string_view::npos ? TokenKind::kEnd : TokenKind::kHint;
      }
      return Take(1, TokenKind::kSlash);
    case '=':
      return At(position_ + 1) == '=' ? Take(2, TokenKind::kOther) : Take(1, TokenKind::kEqual);
    case '<':
      return At(position_ + 1) == '>' ? Take(2, TokenKind::kNotEqual) : Take(1, TokenKind::kLess);
    case '!':
      return At(position_ + 1) == '=' ? Take(2, TokenKind::kNotEqual) : Take(1, TokenKind::kBad);
    case '|':
      return At(position_ + 1) == '|' ? Take(2, TokenKind::kConcat) : Take(1, TokenKind::kBad);
    default:
      break;
  }
  constexpr std::string_view kSingle = ">,();[]+-*%.{}@~";
  constexpr TokenKind kKinds[] = {TokenKind::kGreater,     TokenKind::kComma,     TokenKind::kLeft,
                                  TokenKind::kRight,       TokenKind::kSemicolon, TokenKind::kLeftSquare,
                                  TokenKind::kRightSquare, TokenKind::kPlus,      TokenKind::kMinus,
                                  TokenKind::kStar,        TokenKind::kPercent,   TokenKind::kDot};
  size_t found = kSingle.find(text_[position_]);
  if (found == std::string_view::npos) {
    return Take(1, TokenKind::kBad);
  }
  return Take(1, found < std::size(kKinds) ? kKinds[found] : TokenKind::kOther);
}

}  // namespace

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  tokens.reserve(std::min(text.size() / 4 + 8, kMaxTokens + 1));
  Lexer lexer(text);
  do {
    tokens.push_back(lexer.Next());
    if (tokens.size() > kMaxTokens) {
      tokens.back().kind = TokenKind::kTooMany;
    }
  } while (tokens.back().kind > TokenKind::kTooMany);
  return tokens;
}

std::string_view TokenName(TokenKind kind) {
  constexpr std::string_view kNames[] = {
      "EOF",     "OTHER",       "OTHER",       "NAME",     "NAME",      "STRING_LITERAL", "NUMBER",    "DECIMAL",
      "DOUBLE",  "HEX_LITERAL", "BIN_LITERAL", "QUESTION", "BIND_NAME", "ML_HINT",        "EQ",        "LT",
      "GT",      "NOEQ1",       "CONCAT",      "COMMA",    "LPAREN",    "RPAREN",         "SEMICOLON", "LSQUARE",
      "RSQUARE", "PLUS",        "MINUS",       "ASTERISK", "DIVIDE",    "PERCENT",        "DOT",       "OTHER"};
  auto index = static_cast<size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : kWords[index - std::size(kNames)].text;
}

const std::vector<std::string_view>& ReservedWords() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const Word& word : kWords) {
      all.push_back(word.text);
    }
    return all;
  }();
  return words;
}

std::string NormalizedName(std::string_view token) {
  if (token.starts_with('"')) {
    return std::string(token.substr(1, token.size() - 2));
  }
  std::string name(token);
  for (char& c : name) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c & 0xDF) : c;
  }
  return name;
}

std::string TextOf(std::string_view token) {
  std::string_view inside = token.substr(1, token.size() - 2);
  std::string text;
  text.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    char next = i + 1 < inside.size() ? inside[i + 1] : '\0';
    if (inside[i] == '\'') {
      ++i;
      text += '\'';
    } else if (inside[i] != '\\') {
      text += inside[i];
    } else if (constexpr std::string_view kFrom = "nrtbf\"'\\"; kFrom.find(next) != std::string_view::npos) {
      text += std::string_view("\n\r\t\b\f\"'\\")[kFrom.find(next)];
      ++i;
    } else {
      text += '\\';  // also of \_ and \%, which LIKE needs
    }
  }
  return text;
}

std::vector<ScriptStatement> SplitScript(std::string_view text) {
  std::vector<ScriptStatement> statements;
  Lexer lexer(text);
  size_t start = text.size();
  size_t counted = 0;  // position up to which lines were counted
  int line = 1;
  while (true) {
    Token token = lexer.Next();
    bool last = token.kind == TokenKind::kEnd;
    bool ends = last || token.kind == TokenKind::kSemicolon;
    size_t end = last ? text.size() : token.offset;
    if (ends && start < end) {
      line += static_cast<int>(std::count(text.begin() + counted, text.begin() + start, '\n'));
      counted = start;
      std::string_view statement = text.substr(start, end - start);
      statement = statement.substr(0, statement.find_last_not_of(" \t\r\n") + 1);
      statements.push_back({.text = std::string(statement), .line = line, .ended = !last});
    }
    if (last) {
      return statements;
    }
    start = ends ? text.size() : std::min<size_t>(start, token.offset);
  }
}

}  // namespace klip::sql
