// PCRE2 as klip uses it: find a pattern in UTF-8 text within bounded work. The only user of the library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::filter {

// Immutable, shared between threads.
class RegexEngine {
 public:
  // `flags` are those of klip/comparator.h; the pattern is UTF-8 in PCRE2's syntax. Errors: kInvalidArgument, with the place.
  static Expected<RegexEngine> Compile(std::string_view pattern, int32_t flags);

  RegexEngine(RegexEngine&&) noexcept;
  RegexEngine& operator=(RegexEngine&&) noexcept;
  ~RegexEngine();

  enum class Found : uint8_t { kYes, kNo, kLimit };
  // Bytes that are not UTF-8 count as U+FFFD, as Java decodes them. kLimit: given up after so many steps, or so deep.
  Found Find(std::string_view text) const;

  // Bytes [begin, end) of the text; begin > end: the group took no part.
  struct Span {
    size_t begin = 1;
    size_t end = 0;
  };
  // The first match that begins at `from` or after it: itself, and each group. REQUIRES: the text is UTF-8 (ReplaceMalformed), `from`
  // begins a character or is its end.
  Found FindFrom(std::string_view text, size_t from, std::vector<Span>* groups) const;

 private:
  struct Compiled;
  explicit RegexEngine(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// `text` with what is not UTF-8 replaced by U+FFFD, one for each longest beginning of a character (as Java does).
std::string ReplaceMalformed(std::string_view text);

}  // namespace klip::filter
