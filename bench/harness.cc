#include "harness.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <time.h>

namespace klip::bench {

namespace {

double ClockMs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string Time(double ms, int64_t operations) {
  if (operations > 0) {
    return Format("%.2f us", ms * 1e3 / static_cast<double>(operations));
  }
  return Format(ms < 100 ? "%.2f ms" : "%.0f ms", ms);
}

}  // namespace

void Die(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "klip_bench: %s\n", text.c_str());
  std::exit(1);
}

void DieIfError(const Status& status, const std::string& what) {
  if (!status.ok()) {
    Die(what + ": " + status.ToString());
  }
}

double CpuMs() { return ClockMs(CLOCK_PROCESS_CPUTIME_ID); }
double WallMs() { return ClockMs(CLOCK_MONOTONIC); }

std::vector<Measurement> RunAlternately(const std::string& case_name, const std::vector<Side>& sides, int rounds,
                                        bool warm_up) {
  std::vector<std::vector<double>> cpu(sides.size());
  std::vector<std::vector<double>> wall(sides.size());
  std::vector<Measurement> result(sides.size());
  Outcome first;
  for (int round = warm_up ? -1 : 0; round < rounds; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      double cpu_start = CpuMs();
      double wall_start = WallMs();
      Outcome outcome = sides[i].run();
      double wall_ms = WallMs() - wall_start;
      double cpu_ms = CpuMs() - cpu_start + outcome.extra_cpu_ms;
      if (round == (warm_up ? -1 : 0) && i == 0) {
        first = outcome;
      } else if (outcome.rows != first.rows || outcome.checksum != first.checksum) {
        Die(case_name + ": \"" + sides[i].name + "\" found " + std::to_string(outcome.rows) + " rows, \"" +
            sides[0].name + "\" " + std::to_string(first.rows) + ", or other bytes");
      }
      if (round >= 0) {
        cpu[i].push_back(cpu_ms);
        wall[i].push_back(wall_ms);
      }
    }
  }
  for (size_t i = 0; i < sides.size(); ++i) {
    result[i] = {sides[i].name,
                 Median(cpu[i]),
                 *std::min_element(cpu[i].begin(), cpu[i].end()),
                 Median(wall[i]),
                 *std::min_element(wall[i].begin(), wall[i].end()),
                 first.rows};
  }
  return result;
}

void Report::PrintHeadOnce() {
  if (!in_table_) {
    std::printf("\n| case | compared | klip | other | ratio | must | met |\n|---|---|---|---|---|---|---|\n");
    in_table_ = true;
  }
}

void Report::Add(Line line) {
  PrintHeadOnce();
  if (!line.bound.empty() && !line.met) {
    ++missed_;
  }
  std::printf("| %s | %s | %s | %s | %s | %s | %s |\n", line.case_name.c_str(), line.what.c_str(), line.klip.c_str(),
              line.reference.c_str(), line.ratio > 0 ? Format("%.2f", line.ratio).c_str() : "", line.bound.c_str(),
              line.bound.empty() ? "" : (line.met ? "yes" : "**no**"));
  std::fflush(stdout);
}

void Report::Cpu(const std::string& case_name, const Measurement& klip, const Measurement& reference, double bound,
                 int64_t operations) {
  double ratio = klip.cpu_ms / reference.cpu_ms;
  Add({case_name, klip.name + " / " + reference.name + ", CPU (best)",
       Time(klip.cpu_ms, operations) + " (" + Time(klip.best_cpu_ms, operations) + ")",
       Time(reference.cpu_ms, operations) + " (" + Time(reference.best_cpu_ms, operations) + ")", ratio,
       bound > 0 ? "<= " + Format("%g", bound) : "", ratio <= bound});
}

void Report::Wall(const std::string& case_name, const Measurement& klip, const Measurement& reference, double bound) {
  double ratio = klip.wall_ms / reference.wall_ms;
  Add({case_name, klip.name + " / " + reference.name + ", wall (best)",
       Time(klip.wall_ms, 0) + " (" + Time(klip.best_wall_ms, 0) + ")",
       Time(reference.wall_ms, 0) + " (" + Time(reference.best_wall_ms, 0) + ")", ratio,
       bound > 0 ? "<= " + Format("%g", bound) : "", ratio <= bound});
}

void Report::Figure(const std::string& case_name, const std::string& what, double value, const std::string& unit,
                    double limit) {
  Add({case_name, what, Format("%.1f ", value) + unit, "", 0, limit > 0 ? "<= " + Format("%g ", limit) + unit : "",
       value <= limit});
}

void Report::Note(const std::string& text) {
  in_table_ = false;
  std::printf("\n%s\n", text.c_str());
  std::fflush(stdout);
}

void Report::Heading(const std::string& text) { Note("## " + text); }

}  // namespace klip::bench
