#include "rowkey/text_reader.h"

#include <algorithm>

#include "klip/bytes.h"

namespace klip::rowkey {
namespace {

constexpr size_t kShownWordBytes = 40;  // of a word in an error

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ToLower, ToLower);
}

bool TextReader::SkipBlanks() {
  size_t start = offset_;
  while (!AtEnd() && IsBlank(Peek())) {
    ++offset_;
  }
  return offset_ != start;
}

bool TextReader::Consume(char c) {
  if (AtEnd() || Peek() != c) {
    return false;
  }
  ++offset_;
  return true;
}

bool TextReader::Consume(std::string_view word) {
  if (!Rest().starts_with(word)) {
    return false;
  }
  offset_ += word.size();
  return true;
}

std::string_view TextReader::Identifier() {
  size_t start = offset_;
  if (!AtEnd() && IsLetter(Peek())) {
    while (!AtEnd() && (IsLetter(Peek()) || IsDigit(Peek()))) {
      ++offset_;
    }
  }
  return Since(start);
}

std::optional<int> TextReader::Number(int limit) {
  if (AtEnd() || !IsDigit(Peek())) {
    return std::nullopt;
  }
  int64_t number = 0;
  while (!AtEnd() && IsDigit(Peek())) {
    number = number * 10 + (Peek() - '0');
    if (number > limit) {
      return std::nullopt;
    }
    ++offset_;
  }
  return static_cast<int>(number);
}

std::optional<std::string> TextReader::Quoted() {
  const char quote = Peek();
  if (AtEnd() || (quote != '\'' && quote != '"')) {
    return std::nullopt;
  }
  std::string out;
  for (size_t i = offset_ + 1; i < text_.size(); ++i) {
    if (text_[i] != quote) {
      out.push_back(text_[i]);
    } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
      out.push_back(quote);
      ++i;
    } else {
      offset_ = i + 1;
      return out;
    }
  }
  return std::nullopt;
}

Status TextReader::ExpectAt(size_t offset, std::string_view what) const {
  const std::string_view rest = text_.substr(offset);
  const auto word_end = std::ranges::find_if(rest, [](char c) { return !IsLetter(c) && !IsDigit(c); });
  const auto shown = rest.substr(0, std::clamp<size_t>(word_end - rest.begin(), 1, kShownWordBytes));
  std::string message = "expected ";
  message.append(what);
  if (rest.empty()) {
    message.append(", found the end");
  } else {
    message.append(", found '").append(ToStringBinary(shown)).append("'");
  }
  return ErrorAt(offset, message);
}

Status TextReader::ErrorAt(size_t offset, std::string_view message) {
  std::string text = "at offset " + std::to_string(offset) + ": ";
  text.append(message);
  return Status(Code::kInvalidArgument, std::move(text));
}

std::string QuoteText(std::string_view text, char quote) {
  std::string out(1, quote);
  for (char c : text) {
    out.append(c == quote ? 2 : 1, c);
  }
  out.push_back(quote);
  return out;
}

}  // namespace klip::rowkey
