// The input and output of a command: the process's own streams, or those of a test.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace klip::cli {

struct Console {
  std::FILE* in = stdin;
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool color = false;     // `out` is a terminal that shows colours
  bool progress = false;  // `err` is a terminal

  // The process's streams, with colours and progress bars on a terminal (unless NO_COLOR is set).
  static Console OfProcess();

  template <typename... Args>
  void Print(fmt::format_string<Args...> format, Args&&... args) const {
    Write(fmt::format(format, std::forward<Args>(args)...));
  }
  void Write(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), out); }
  // Writing to `out` has failed, e.g. because the disk is full. Later output is lost as well.
  bool failed() const { return std::ferror(out) != 0; }

  // "klip: MESSAGE" on `err`, at once.
  void PrintError(std::string_view message) const;

  // `text` in bold on a terminal.
  std::string Bold(std::string_view text) const;
};

// Shows the progress of a long operation in a line on the terminal. Silent without a terminal. Clears itself at the end.
class ProgressBar {
 public:
  // `total` 0: unknown; then only the count is shown.
  ProgressBar(const Console& console, std::string_view label, int64_t total);
  ~ProgressBar() { Clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Cheap: draws at most once in a while.
  void Set(int64_t done) {
    if (on_ && done >= next_) {
      Draw(done);
    }
  }
  // The same for a caller that knows its progress, 0 to 1, and a text for it.
  void Show(double part, std::string_view text);
  void Clear();

 private:
  void Draw(int64_t done);

  const Console& console_;
  std::string label_;
  int64_t total_;
  bool on_;
  bool drawn_ = false;
  int64_t next_ = 0;
  int64_t start_us_ = 0;
};

// Microseconds on a clock that never goes back.
int64_t MonotonicUs();

// "12.3 s", "4.56 ms", "789 µs"; "10,950,000"; "66.3 MB".
std::string FormatDuration(int64_t us);
std::string FormatCount(int64_t count);
std::string FormatBytes(int64_t bytes);

}  // namespace klip::cli
