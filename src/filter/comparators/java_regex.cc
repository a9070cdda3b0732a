#include "filter/comparators/java_regex.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace klip::filter {
namespace {

constexpr int kMaxClassDepth = 50;

struct Property {
  std::string_view java;
  std::string_view posix;
};
// Java's \p{...} that mean ASCII only; PCRE2's of the same name mean all of Unicode.
constexpr std::array<Property, 13> kPosix = {{{"Lower", "lower"},
                                              {"Upper", "upper"},
                                              {"ASCII", "ascii"},
                                              {"Alpha", "alpha"},
                                              {"Digit", "digit"},
                                              {"Alnum", "alnum"},
                                              {"Punct", "punct"},
                                              {"Graph", "graph"},
                                              {"Print", "print"},
                                              {"Blank", "blank"},
                                              {"Cntrl", "cntrl"},
                                              {"XDigit", "xdigit"},
                                              {"Space", "space"}}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One character or class of Java's syntax.
struct Item {
  std::string text;       // for PCRE2, inside a class
  bool is_class = false;  // \d, \p{...}: cannot begin or end a range
};

class Translator {
 public:
  Translator(std::string_view pattern, bool comments) : in_(pattern), comments_(comments) {}

  Expected<std::string> Run() {
    while (at_ < in_.size() && status_.ok()) {
      Next();
    }
    if (!status_.ok()) {
      return status_;
    }
    return std::move(out_);
  }

 private:
  void Next() {
    const char c = in_[at_];
    if (c == '\\') {
      Escape();
    } else if (c == '[') {
      out_ += Class(0);
    } else if (c == '(') {
      Open();
    } else if (c == '#' && comments_) {
      const size_t end = std::min(in_.find('\n', at_), in_.size() - 1);
      at_ = end + 1;
    } else {
      out_.push_back(c);
      ++at_;
    }
  }

  void Fail(std::string_view what) {
    if (status_.ok()) {
      status_ = Status(Code::kInvalidArgument, std::string(what) + " near index " + std::to_string(at_));
      at_ = in_.size();
    }
  }

  bool Looking(std::string_view text) const { return in_.substr(at_).starts_with(text); }
  char Peek(size_t ahead) const { return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0'; }

  // Groups: only Java's kinds.
  void Open() {
    if (Looking("(*")) {
      return Fail("Dangling meta character '*'");
    }
    if (!Looking("(?")) {
      out_.push_back('(');
      ++at_;
      return;
    }
    for (const std::string_view known : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!"}) {
      if (Looking(known)) {
        out_.append(known);
        at_ += known.size();
        return;
      }
    }
    if (Looking("(?<")) {
      out_.append("(?<");
      at_ += 3;
      return;
    }
    InlineFlags();
  }

  // (?i-s) and (?i-s:...). Case always follows Unicode's rules, so `u` is dropped.
  void InlineFlags() {
    out_.append("(?");
    at_ += 2;
    bool on = true;
    for (; at_ < in_.size(); ++at_) {
      const char c = in_[at_];
      if (c == ')' || c == ':') {
        out_.push_back(c);
        ++at_;
        return;
      }
      if (c == 'x') {
        comments_ = on;
      }
      if (c == '-') {
        on = false;
      }
      if (c == 'u') {
        continue;
      }
      if (std::string_view("imsx-").find(c) == std::string_view::npos) {
        return Fail(c == 'd' || c == 'U' ? "Inline flags d and U are not supported" : "Unknown inline modifier");
      }
      out_.push_back(c);
    }
    Fail("Unknown inline modifier");
  }

  void Escape() {
    if (Looking("\\Q")) {
      const size_t end = in_.find("\\E", at_);
      out_.append(in_.substr(at_, end == std::string_view::npos ? end : end + 2 - at_));
      out_.append(end == std::string_view::npos ? "\\E" : "");
      at_ = end == std::string_view::npos ? in_.size() : end + 2;
      return;
    }
    const char c = Peek(1);
    if (std::string_view("AbBGkRXzZ").find(c) != std::string_view::npos && c != '\0') {
      if (c == 'k' && Peek(2) != '<') {
        return Fail("\\k is not followed by '<' for named capturing group");
      }
      if (Looking("\\b{")) {
        return Fail("\\b{...} is not supported");
      }
      out_.append(in_.substr(at_, 2));
      at_ += 2;
      return;
    }
    if (IsDigit(c) && c != '0') {
      out_.append(in_.substr(at_, 2));
      at_ += 2;
      return;
    }
    const Item item = EscapedItem();
    out_.append(item.is_class && item.text.starts_with("[:") ? "[" + item.text + "]" : item.text);
  }

  static std::string Hex(uint32_t code_point) {
    char text[16];
    const char* end = std::to_chars(std::begin(text), std::end(text), code_point, 16).ptr;
    return "\\x{" + std::string(text, static_cast<size_t>(end - text)) + "}";
  }

  // `digits` hexadecimal digits after the current two bytes.
  uint32_t HexDigits(size_t digits) {
    uint32_t value = 0;
    const std::string_view text = in_.substr(std::min(at_ + 2, in_.size()), digits);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc() || text.size() != digits || end != text.data() + digits) {
      Fail("Illegal hexadecimal escape sequence");
    } else {
      at_ += 2 + digits;
    }
    return value;
  }

  // An escape for a character or a class of them, inside or outside [].
  Item EscapedItem() {
    const char c = Peek(1);
    switch (c) {
      case '\0':
        if (at_ + 1 >= in_.size()) {
          Fail("Unexpected internal error");
          return {};
        }
        break;
      case 'd':
      case 'D':
      case 's':
      case 'S':
      case 'w':
      case 'W':
      case 'h':
      case 'H':
      case 'v':
      case 'V':
        at_ += 2;
        return {{'\\', c}, true};
      case 'p':
      case 'P':
        return PropertyItem();
      case 'a':
      case 'e':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        at_ += 2;
        return {{'\\', c}};
      case 'c': {
        const char control = Peek(2);
        at_ += 3;
        if (at_ > in_.size() || static_cast<unsigned char>(control) >= 0x80) {
          Fail("Illegal control escape sequence");
        }
        return {Hex(static_cast<uint32_t>(static_cast<unsigned char>(control) ^ 64U))};
      }
      case '0':
        return OctalItem();
      case 'x':
        if (Peek(2) == '{') {
          const size_t end = std::min(in_.find('}', at_), in_.size() - 1);
          const Item item = {std::string(in_.substr(at_, end + 1 - at_))};
          at_ = end + 1;
          return item;
        }
        return {Hex(HexDigits(2))};
      case 'u':
        return UnicodeItem();
      default:
        break;
    }
    if (IsLetter(c) || IsDigit(c)) {
      Fail("Illegal/unsupported escape sequence");
      return {};
    }
    ++at_;
    return CharacterItem();
  }

  Item OctalItem() {
    at_ += 2;
    uint32_t value = 0;
    size_t digits = 0;
    for (char c = Peek(0); digits < 3 && c >= '0' && c <= '7' && value * 8 + static_cast<uint32_t>(c - '0') <= 0377;
         c = Peek(0)) {
      value = value * 8 + static_cast<uint32_t>(c - '0');
      ++digits;
      ++at_;
    }
    if (digits == 0) {
      Fail("Illegal octal escape sequence");
    }
    return {Hex(value)};
  }

  // \uXXXX, and two of them for a character above U+FFFF.
  Item UnicodeItem() {
    uint32_t code_point = HexDigits(4);
    if (code_point >= 0xD800 && code_point < 0xDC00 && Looking("\\u")) {
      const uint32_t low = HexDigits(4);
      if (low >= 0xDC00 && low < 0xE000) {
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
      }
    }
    return {Hex(code_point)};
  }

  Item PropertyItem() {
    const bool negated = Peek(1) == 'P';
    std::string name(1, Peek(2));
    if (name == "{") {
      const size_t end = in_.find('}', at_);
      if (end == std::string_view::npos) {
        Fail("Unclosed character family");
        return {};
      }
      name = in_.substr(at_ + 3, end - at_ - 3);
      at_ = end + 1;
    } else {
      at_ += 3;
    }
    for (const Property& property : kPosix) {
      if (name == property.java) {
        return {(negated ? "[:^" : "[:") + std::string(property.posix) + ":]", true};
      }
    }
    for (const std::string_view prefix : {"general_category=", "gc=", "script=", "sc=", "Is"}) {
      if (name.starts_with(prefix)) {
        name.erase(0, prefix.size());
        break;
      }
    }
    if (name.starts_with("java") || name.starts_with("In") || name.starts_with("block=") || name.starts_with("blk=")) {
      Fail("Character family {" + name + "} is not supported");
      return {};
    }
    return {(negated ? "\\P{" : "\\p{") + name + "}", true};
  }

  // The current character, escaped if PCRE2 would interpret it.
  Item CharacterItem() {
    size_t bytes = 1;
    while (at_ + bytes < in_.size() && (static_cast<unsigned char>(in_[at_ + bytes]) & 0xC0) == 0x80) {
      ++bytes;
    }
    Item item;
    const char c = in_[at_];
    if (static_cast<unsigned char>(c) < 0x80 && !IsLetter(c) && !IsDigit(c)) {
      item.text = Hex(static_cast<uint32_t>(c));
    } else {
      item.text.assign(in_.substr(at_, bytes));
    }
    at_ += bytes;
    return item;
  }

  static std::string AnyOf(const std::vector<std::string>& alternatives) {
    if (alternatives.size() == 1) {
      return alternatives.front();
    }
    std::string out = "(?:";
    for (size_t i = 0; i < alternatives.size(); ++i) {
      out += (i > 0 ? "|" : "") + alternatives[i];
    }
    return out + ")";
  }

  // [...] with Java's unions and intersections, as a pattern for one character.
  std::string Class(int depth) {
    if (depth > kMaxClassDepth) {
      Fail("Character classes nested too deep");
      return {};
    }
    ++at_;
    const bool negated = Looking("^");
    at_ += negated ? 1 : 0;
    std::vector<std::string> sides;  // operands of &&
    std::vector<std::string> nested;
    std::string plain;
    const auto end_side = [&] {
      if (!plain.empty()) {
        nested.insert(nested.begin(), "[" + plain + "]");
      }
      if (!nested.empty()) {
        sides.push_back(AnyOf(nested));
      }
      nested.clear();
      plain.clear();
    };
    while (true) {
      if (at_ >= in_.size()) {
        Fail("Unclosed character class");
        return {};
      }
      const bool empty = plain.empty() && nested.empty() && sides.empty();
      if (Looking("]") && !empty) {
        ++at_;
        break;
      }
      if (Looking("&&")) {
        at_ += 2;
        end_side();
      } else if (Looking("[")) {
        nested.push_back(Class(depth + 1));
      } else if (comments_ && (Peek(0) == ' ' || (Peek(0) >= '\t' && Peek(0) <= '\r'))) {
        ++at_;
      } else {
        plain += RangeOrItem();
      }
    }
    end_side();
    return Combine(std::move(sides), negated);
  }

  static std::string Combine(std::vector<std::string> sides, bool negated) {
    if (sides.size() == 1) {
      std::string& only = sides.front();
      if (!negated) {
        return only;
      }
      if (only.starts_with("[") && !only.starts_with("[^")) {
        return only.insert(1, "^");
      }
    }
    std::string out = "(?:";
    for (size_t i = 0; i + 1 < sides.size(); ++i) {
      out += "(?=" + sides[i] + ")";
    }
    out += sides.empty() ? "(?!)" : sides.back();
    out += ")";
    return negated ? "(?:(?!" + out + ")(?s:.))" : out;
  }

  std::string RangeOrItem() {
    Item low = ClassItem();
    if (low.is_class || Peek(0) != '-' || Peek(1) == ']' || Peek(1) == '[' || at_ + 1 >= in_.size()) {
      return std::move(low.text);
    }
    ++at_;
    const Item high = ClassItem();
    if (high.is_class) {
      Fail("Illegal character range");
    }
    return low.text + "-" + high.text;
  }

  Item ClassItem() {
    if (Looking("\\Q")) {
      Fail("\\Q in a character class is not supported");
      return {};
    }
    return Peek(0) == '\\' && at_ < in_.size() ? EscapedItem() : CharacterItem();
  }

  std::string_view in_;
  bool comments_;
  size_t at_ = 0;
  std::string out_;
  Status status_;
};

}  // namespace

Expected<std::string> TranslateJavaRegex(std::string_view pattern, bool comments) {
  return Translator(pattern, comments).Run();
}

}  // namespace klip::filter
