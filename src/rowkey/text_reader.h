// TextReader: shared by the parsers of schemas and queries. Reads bytes from left to right, and reports errors with their
// offset.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::rowkey {

// Keeps a view: the text must outlive the reader.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  size_t offset() const { return offset_; }
  bool AtEnd() const { return offset_ == text_.size(); }
  // '\0' at the end.
  char Peek(size_t ahead = 0) const { return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0'; }
  void Advance(size_t count = 1) { offset_ += count; }
  std::string_view Rest() const { return text_.substr(offset_); }
  std::string_view Since(size_t start) const { return text_.substr(start, offset_ - start); }

  // True if it skipped at least one blank.
  bool SkipBlanks();
  bool Consume(char c);
  bool Consume(std::string_view word);

  // [A-Za-z_][A-Za-z0-9_]*, or empty.
  std::string_view Identifier();
  // Decimal digits; nullopt if there are none or the number is above `limit`.
  std::optional<int> Number(int limit);
  // 'text' or "text": a doubled quote stands for one, everything else for itself. nullopt: no quote starts here, or none
  // ends it.
  std::optional<std::string> Quoted();

  // "at offset 12: expected a width, found 'x1'". Shows the word or number at `offset`, or else the one character there.
  Status ExpectAt(size_t offset, std::string_view what) const;
  Status Expect(std::string_view what) const { return ExpectAt(offset_, what); }
  // For a quote that opens at `offset` and that Quoted() did not accept.
  static Status Unclosed(size_t offset) { return ErrorAt(offset, "expected a closing quote, found the end"); }
  static Status ErrorAt(size_t offset, std::string_view message);

 private:
  std::string_view text_;
  size_t offset_ = 0;
};

// The text in quotes, in the format of TextReader::Quoted.
std::string QuoteText(std::string_view text, char quote = '\'');

bool IsBlank(char c);

// For ASCII letters.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);

}  // namespace klip::rowkey
