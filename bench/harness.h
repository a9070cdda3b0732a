// Timing and reporting. The sides of a case alternate, so that load on the machine affects all of them alike. Figures are
// medians over the rounds, in CPU time of the whole process (background threads included) and wall time.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::bench {

// Prints the text and exits: a benchmark does not recover from errors.
[[noreturn]] void Die(const std::string& text);
void DieIfError(const Status& status, const std::string& what);
template <typename T>
T ValueOrDie(Expected<T> value, const char* what) {
  if (!value.ok()) {
    DieIfError(value.status(), what);
  }
  return *std::move(value);
}

double CpuMs();  // of this process so far
double WallMs();

// What a side found. All sides of a case must agree.
struct Outcome {
  int64_t rows = 0;
  uint64_t checksum = 0;
  double extra_cpu_ms = 0;  // spent in another process (a database server)

  // Reads the end of the row and the value, as any consumer would touch both.
  void Add(std::string_view row, std::string_view value) {
    ++rows;
    checksum += Word(row.substr(row.size() < 8 ? 0 : row.size() - 8)) * 31 + Word(value);
  }

 private:
  static uint64_t Word(std::string_view bytes) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    return word;
  }
};

struct Side {
  std::string name;
  std::function<Outcome()> run;
};

struct Measurement {
  std::string name;
  double cpu_ms = 0;  // median
  double best_cpu_ms = 0;
  double wall_ms = 0;  // median
  double best_wall_ms = 0;
  int64_t rows = 0;
};

// Runs every side once unmeasured when `warm_up`, then `rounds` times in turn. Dies when their outcomes differ.
std::vector<Measurement> RunAlternately(const std::string& case_name, const std::vector<Side>& sides, int rounds,
                                        bool warm_up = true);

// One line of the result table: a figure of klip beside a reference, and the bound it has to keep.
struct Line {
  std::string case_name;
  std::string what;
  std::string klip;
  std::string reference;
  double ratio = 0;
  std::string bound;  // "<= 1.5", empty: for information
  bool met = true;
};

class Report {
 public:
  // CPU time of `klip` over that of `reference`; with `operations` in microseconds each, else in milliseconds.
  // bound 0: none.
  void Cpu(const std::string& case_name, const Measurement& klip, const Measurement& reference, double bound,
           int64_t operations = 0);
  void Wall(const std::string& case_name, const Measurement& klip, const Measurement& reference, double bound);
  void Add(Line line);
  // A figure that stands alone, e.g. bytes on disk; `limit` 0: none.
  void Figure(const std::string& case_name, const std::string& what, double value, const std::string& unit,
              double limit);
  void Note(const std::string& text);
  void Heading(const std::string& text);

  int missed() const { return missed_; }

 private:
  void PrintHeadOnce();

  bool in_table_ = false;
  int missed_ = 0;
};

}  // namespace klip::bench
