#include "cli/console.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <unistd.h>

namespace klip::cli {

Console Console::OfProcess() {
  Console console;
  const char* term = std::getenv("TERM");
  bool dumb = term == nullptr || std::string_view(term) == "dumb";
  console.color = isatty(STDOUT_FILENO) != 0 && !dumb && std::getenv("NO_COLOR") == nullptr;
  console.progress = isatty(STDERR_FILENO) != 0 && !dumb;
  return console;
}

std::string Console::Bold(std::string_view text) const {
  return color ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

void Console::PrintError(std::string_view message) const {
  const std::string line = fmt::format("klip: {}\n", message);
  std::fwrite(line.data(), 1, line.size(), err);
  std::fflush(err);
}

int64_t MonotonicUs() {
  using std::chrono::microseconds;
  return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgressBar::ProgressBar(const Console& console, std::string_view label, int64_t total)
    : console_(console), label_(label), total_(total), on_(console.progress), start_us_(MonotonicUs()) {}

void ProgressBar::Draw(int64_t done) {
  constexpr int64_t kDrawEveryUs = 100'000;
  int64_t elapsed_us = std::max<int64_t>(MonotonicUs() - start_us_, 1);
  // Reads the clock again after about the time of one redraw. At the start, that time is not known well.
  next_ = done + std::clamp<int64_t>(done * kDrawEveryUs / elapsed_us, 1, std::max<int64_t>(done, 1));
  double rate = static_cast<double>(done) * 1e6 / static_cast<double>(elapsed_us);
  const int64_t left = total_ - done;
  const std::string rest = left > 0 && done > 0 ? ", " + FormatDuration(elapsed_us / done * left) + " left" : "";
  Show(total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : -1,
       fmt::format("{}, {}/s{}", FormatCount(done), FormatCount(static_cast<int64_t>(rate)), rest));
}

void ProgressBar::Show(double part, std::string_view text) {
  constexpr int kWidth = 30;
  if (!on_) {
    return;
  }
  std::string bar;
  if (part >= 0) {
    part = std::min(1.0, part);
    int filled = static_cast<int>(part * kWidth);
    bar = fmt::format("[{:=<{}}{: <{}}] {:3.0f} %  ", "", filled, "", kWidth - filled, part * 100);
  }
  std::fputs(fmt::format("\r{} {}{} \033[K", label_, bar, text).c_str(), console_.err);
  std::fflush(console_.err);
  drawn_ = true;
}

void ProgressBar::Clear() {
  if (drawn_) {
    std::fputs("\r\033[K", console_.err);
    std::fflush(console_.err);
    drawn_ = false;
  }
}

std::string FormatDuration(int64_t us) {
  auto value = static_cast<double>(us);
  if (us < 1000) {
    return fmt::format("{} µs", us);
  }
  return us < 1'000'000 ? fmt::format("{:.3g} ms", value / 1e3) : fmt::format("{:.2f} s", value / 1e6);
}

std::string FormatCount(int64_t count) {
  std::string digits = std::to_string(count);
  size_t first = count < 0 ? 1 : 0;
  for (size_t i = digits.size(); i > first + 3; i -= 3) {
    digits.insert(i - 3, ",");
  }
  return digits;
}

std::string FormatBytes(int64_t bytes) {
  auto value = static_cast<double>(bytes);
  if (bytes < 1000) {
    return fmt::format("{} B", bytes);
  }
  if (bytes < 1'000'000) {
    return fmt::format("{:.1f} kB", value / 1e3);
  }
  return bytes < 1'000'000'000 ? fmt::format("{:.1f} MB", value / 1e6) : fmt::format("{:.2f} GB", value / 1e9);
}

}  // namespace klip::cli
