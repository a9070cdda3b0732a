// PCRE2 as klip uses it: finds a pattern in UTF-8 text with bounded work. The only user of the library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::filter {

// Immutable; threads may share it.
class RegexEngine {
 public:
  // `flags` are those of klip/comparator.h; the pattern is UTF-8 in PCRE2's syntax. Errors: kInvalidArgument, with the place.
  static Expected<RegexEngine> Compile(std::string_view pattern, int32_t flags);

  RegexEngine(RegexEngine&&) noexcept;
  RegexEngine& operator=(RegexEngine&&) noexcept;
  ~RegexEngine();

  enum class Found : uint8_t { kYes, kNo, kLimit };
  // Bytes that are not UTF-8 count as U+FFFD, as Java decodes them. kLimit: it exceeded the limit of steps or depth.
  Found Find(std::string_view text) const;

  // Bytes [begin, end) of the text; begin > end: the group did not match.
  struct Span {
    size_t begin = 1;
    size_t end = 0;
  };
  // The first match that starts at `from` or later: the whole match, then each group. REQUIRES: the text is UTF-8
  // (ReplaceMalformed), and `from` is its end or starts a character.
  Found FindFrom(std::string_view text, size_t from, std::vector<Span>* groups) const;

 private:
  struct Compiled;
  explicit RegexEngine(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// `text` with invalid UTF-8 replaced by U+FFFD, one for each longest beginning of a character (as in Java).
std::string ReplaceMalformed(std::string_view text);

}  // namespace klip::filter
