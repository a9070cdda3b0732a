#include "filter/comparators/regex_engine.h"

#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "klip/comparator.h"

namespace klip::filter {
namespace {

// TUNING: 1,000,000 steps take some 10 ms. Only patterns that are slow by design need more for a cell.
constexpr uint32_t kMaxSteps = 1'000'000;
constexpr uint32_t kMaxDepth = 10'000;
constexpr uint32_t kMaxHeapKib = 16 << 10;
constexpr size_t kJitStackBytes = 256 << 10;

struct FreeMatchData {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

// Per-thread state for matching.
struct MatchSetup {
  MatchSetup()
      : context(pcre2_match_context_create(nullptr)),
        jit_stack(pcre2_jit_stack_create(32 << 10, kJitStackBytes, nullptr)),
        data(pcre2_match_data_create(1, nullptr)) {
    pcre2_set_match_limit(context, kMaxSteps);
    pcre2_set_depth_limit(context, kMaxDepth);
    pcre2_set_heap_limit(context, kMaxHeapKib);
    pcre2_jit_stack_assign(context, nullptr, jit_stack);
  }
  MatchSetup(const MatchSetup&) = delete;
  MatchSetup& operator=(const MatchSetup&) = delete;
  ~MatchSetup() {
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(jit_stack);
  }

  pcre2_match_context* context;
  pcre2_jit_stack* jit_stack;
  std::unique_ptr<pcre2_match_data, FreeMatchData> data;
};

MatchSetup& Setup() {
  thread_local MatchSetup setup;
  return setup;
}

PCRE2_SPTR BytesOf(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data() == nullptr ? "" : text.data());
}

uint32_t OptionsOf(int32_t flags) {
  constexpr std::pair<int32_t, uint32_t> kOptions[] = {{kRegexCaseInsensitive, PCRE2_CASELESS},
                                                       {kRegexMultiline, PCRE2_MULTILINE},
                                                       {kRegexDotAll, PCRE2_DOTALL},
                                                       {kRegexComments, PCRE2_EXTENDED},
                                                       {kRegexLiteral, PCRE2_LITERAL},
                                                       {kRegexUnicodeCharacterClass, PCRE2_UCP}};
  uint32_t options = PCRE2_UTF;
  for (const auto& [flag, option] : kOptions) {
    options |= (flags & flag) != 0 ? option : 0;
  }
  // PCRE2 accepts no other options with a literal.
  return (flags & kRegexLiteral) != 0 ? options & (PCRE2_UTF | PCRE2_LITERAL | PCRE2_CASELESS) : options;
}

std::string ErrorText(int error) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

// The number of bytes at `text` that begin a character, and whether it is complete. Source: the table of well-formed
// UTF-8 in the Unicode standard.
size_t CharacterAt(std::string_view text, bool* complete) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  *complete = lead < 0x80;
  if (lead < 0xC2 || lead > 0xF4) {
    return 1;
  }
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  size_t i = 1;
  for (; i < length && i < text.size() && byte(i) >= low && byte(i) <= high; ++i) {
    low = 0x80;
    high = 0xBF;
  }
  *complete = i == length;
  return i;
}

}  // namespace

std::string ReplaceMalformed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    bool complete = false;
    const size_t bytes = CharacterAt(text, &complete);
    out.append(complete ? text.substr(0, bytes) : std::string_view("\xEF\xBF\xBD"));
    text.remove_prefix(bytes);
  }
  return out;
}

struct RegexEngine::Compiled {
  explicit Compiled(pcre2_code* of) : code(of) {}
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { pcre2_code_free(code); }

  pcre2_code* code;
};

RegexEngine::RegexEngine(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
RegexEngine::RegexEngine(RegexEngine&&) noexcept = default;
RegexEngine& RegexEngine::operator=(RegexEngine&&) noexcept = default;
RegexEngine::~RegexEngine() = default;

Expected<RegexEngine> RegexEngine::Compile(std::string_view pattern, int32_t flags) {
  const std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  pcre2_set_newline(context.get(), (flags & kRegexUnixLines) != 0 ? PCRE2_NEWLINE_LF : PCRE2_NEWLINE_ANY);
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* code = pcre2_compile(BytesOf(pattern), pattern.size(), OptionsOf(flags), &error, &at, context.get());
  if (code == nullptr) {
    return Status(Code::kInvalidArgument, ErrorText(error) + " near index " + std::to_string(at));
  }
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without a JIT, the interpreter is used
  return RegexEngine(std::make_unique<Compiled>(code));
}

RegexEngine::Found RegexEngine::Find(std::string_view text) const {
  const MatchSetup& setup = Setup();
  const auto match = [this, &setup](std::string_view in) {
    return pcre2_match(compiled_->code, BytesOf(in), in.size(), 0, 0, setup.data.get(), setup.context);
  };
  int found = match(text);
  if (found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21) {
    found = match(ReplaceMalformed(text));
  }
  // 0: found, with more groups than fit.
  return found >= 0 ? Found::kYes : found == PCRE2_ERROR_NOMATCH ? Found::kNo : Found::kLimit;
}

RegexEngine::Found RegexEngine::FindFrom(std::string_view text, size_t from, std::vector<Span>* groups) const {
  const std::unique_ptr<pcre2_match_data, FreeMatchData> data(
      pcre2_match_data_create_from_pattern(compiled_->code, nullptr));
  const int found = pcre2_match(compiled_->code, BytesOf(text), text.size(), from, 0, data.get(), Setup().context);
  if (found < 0) {
    return found == PCRE2_ERROR_NOMATCH ? Found::kNo : Found::kLimit;
  }
  groups->assign(pcre2_get_ovector_count(data.get()), {});
  const PCRE2_SIZE* offsets = pcre2_get_ovector_pointer(data.get());
  for (size_t i = 0; i < groups->size(); i++) {
    if (offsets[2 * i] != PCRE2_UNSET) {
      (*groups)[i] = {offsets[2 * i], offsets[2 * i + 1]};
    }
  }
  return Found::kYes;
}

}  // namespace klip::filter
