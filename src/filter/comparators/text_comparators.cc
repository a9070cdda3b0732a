// RegexStringComparator and SubstringComparator.
#include <algorithm>
#include <utility>

#include "filter/common/visitors.h"
#include "filter/comparators/java_regex.h"
#include "filter/comparators/regex_engine.h"
#include "klip/comparator.h"

namespace klip {
namespace {

using filter::RegexEngine;

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

int OrderOf(RegexEngine::Found found) {
  return found == RegexEngine::Found::kYes ? 0 : found == RegexEngine::Found::kNo ? 1 : Comparator::kFailed;
}

class SubstringOfAscii final : public Comparator {
 public:
  explicit SubstringOfAscii(std::string text) : text_(std::move(text)) {
    std::transform(text_.begin(), text_.end(), text_.begin(), LowerAscii);
  }

  int CompareTo(std::string_view bytes) const override {
    const auto found = std::search(bytes.begin(), bytes.end(), text_.begin(), text_.end(),
                                   [](char of_bytes, char of_text) { return LowerAscii(of_bytes) == of_text; });
    return found != bytes.end() || text_.empty() ? 0 : 1;
  }
  std::string ToString() const override { return "substring:" + text_; }
  void Accept(filter::ComparatorVisitor* visitor) const override { visitor->Substring(text_); }

 private:
  std::string text_;
};

class SubstringOfUnicode final : public Comparator {
 public:
  SubstringOfUnicode(std::string text, RegexEngine engine) : text_(std::move(text)), engine_(std::move(engine)) {}

  int CompareTo(std::string_view bytes) const override { return OrderOf(engine_.Find(bytes)); }
  std::string ToString() const override { return "substring:" + text_; }
  void Accept(filter::ComparatorVisitor* visitor) const override { visitor->Substring(text_); }

 private:
  std::string text_;
  RegexEngine engine_;
};

enum class Charset : uint8_t { kUtf8, kLatin1, kAscii };

Expected<Charset> CharsetOf(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; });
  if (upper == "UTF-8" || upper == "UTF8") {
    return Charset::kUtf8;
  }
  if (upper == "ISO-8859-1" || upper == "ISO8859_1" || upper == "LATIN1") {
    return Charset::kLatin1;
  }
  if (upper == "US-ASCII" || upper == "ASCII") {
    return Charset::kAscii;
  }
  return Status(Code::kInvalidArgument, "charset '" + name + "' is not UTF-8, ISO-8859-1 or US-ASCII");
}

// Encodes bytes from 80 on as UTF-8.
std::string ToUtf8(std::string_view bytes, Charset charset) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else if (charset == Charset::kAscii) {
      out.append("\xEF\xBF\xBD");
    } else {
      out.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return out;
}

class RegexString final : public Comparator {
 public:
  RegexString(Regex regex, Charset charset, RegexEngine engine)
      : regex_(std::move(regex)), charset_(charset), engine_(std::move(engine)) {}

  int CompareTo(std::string_view bytes) const override {
    return OrderOf(charset_ == Charset::kUtf8 || IsAscii(bytes) ? engine_.Find(bytes)
                                                                : engine_.Find(ToUtf8(bytes, charset_)));
  }

  Status Failure(std::string_view bytes) const override {
    return {Code::kDoNotRetry, "the regular expression '" + regex_.pattern + "' needs too many steps for a text of " +
                                   std::to_string(bytes.size()) + " bytes"};
  }

  std::string ToString() const override {
    const bool plain_charset = charset_ == Charset::kUtf8 && regex_.engine == "JAVA";
    if (plain_charset && regex_.flags == kRegexDotAll) {
      return "regexstring:" + regex_.pattern;
    }
    if (plain_charset && regex_.flags == (kRegexDotAll | kRegexCaseInsensitive)) {
      return "regexstringnocase:" + regex_.pattern;
    }
    return "regex:" + std::to_string(regex_.flags) + ":" + regex_.charset + ":" + regex_.engine + ":" + regex_.pattern;
  }

  void Accept(filter::ComparatorVisitor* visitor) const override { visitor->RegexString(regex_); }

 private:
  Regex regex_;
  Charset charset_;
  RegexEngine engine_;
};

}  // namespace

ComparatorPtr SubstringComparator(std::string text) {
  if (!IsAscii(text)) {
    // A literal always compiles.
    Expected<RegexEngine> engine =
        RegexEngine::Compile(filter::ReplaceMalformed(text), kRegexLiteral | kRegexCaseInsensitive);
    if (engine.ok()) {
      return std::make_shared<SubstringOfUnicode>(std::move(text), *std::move(engine));
    }
  }
  return std::make_shared<SubstringOfAscii>(std::move(text));
}

Expected<ComparatorPtr> RegexStringComparator(Regex regex) {
  if (regex.charset.empty()) {
    regex.charset = Regex().charset;
  }
  KLIP_ASSIGN_OR_RETURN(const Charset charset, CharsetOf(regex.charset));
  if (regex.engine != "JAVA" && regex.engine != "JONI") {
    return Status(Code::kInvalidArgument, "regex engine '" + regex.engine + "' is neither JAVA nor JONI");
  }
  constexpr int32_t kKnown = kRegexUnixLines | kRegexCaseInsensitive | kRegexComments | kRegexMultiline |
                             kRegexLiteral | kRegexDotAll | kRegexUnicodeCase | kRegexUnicodeCharacterClass;
  if ((regex.flags & ~kKnown) != 0) {
    return Status(Code::kInvalidArgument,
                  "regex flags " + std::to_string(regex.flags) + ": " +
                      ((regex.flags & kRegexCanonEq) != 0 ? "CANON_EQ is not supported" : "unknown"));
  }
  std::string pattern = filter::ReplaceMalformed(regex.pattern);
  if ((regex.flags & kRegexLiteral) == 0) {
    KLIP_ASSIGN_OR_RETURN(pattern, filter::TranslateJavaRegex(pattern, (regex.flags & kRegexComments) != 0));
  }
  KLIP_ASSIGN_OR_RETURN(RegexEngine engine, RegexEngine::Compile(pattern, regex.flags));
  return ComparatorPtr(std::make_shared<RegexString>(std::move(regex), charset, std::move(engine)));
}

}  // namespace klip
