// Cases in which jumping cannot pay: matches are so close that walking is as good or better. The plan must stay within
// 1.25 times a full walk, even if gaps are at the break-even point or keep changing.

#include "cases.h"

namespace klip::bench {

namespace {

struct Pattern {
  std::string name;
  std::string text;
  std::function<int(int64_t)> gap;
};

std::vector<Pattern> Patterns() {
  std::vector<Pattern> patterns;
  for (int gap : {0, 1, 2, 3, 4, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63}) {
    patterns.push_back({"gap" + std::to_string(gap),
                        gap == 0 ? "every row matches" : "1 row in " + std::to_string(gap + 1) + " matches",
                        [gap](int64_t) { return gap; }});
  }
  patterns.push_back({"alternating", "gaps of 1 and 40 in turn", [](int64_t user) { return user % 2 == 0 ? 1 : 40; }});
  patterns.push_back(
      {"runs", "64 gaps of 1, then 64 gaps of 40", [](int64_t user) { return user / 64 % 2 == 0 ? 1 : 40; }});
  patterns.push_back(
      {"longruns", "2000 gaps of 2, then 2000 of 24", [](int64_t user) { return user / 2000 % 2 == 0 ? 2 : 24; }});
  patterns.push_back({"random", "random gaps of 0 to 30", [](int64_t user) {
                        return static_cast<int>((static_cast<uint64_t>(user) * 0x9e3779b97f4a7c15U >> 32) % 31);
                      }});
  return patterns;
}

}  // namespace

void RunWorstCases(const BenchSettings& settings, Report* report) {
  report->Heading("Worst cases for jumping");
  std::string date(kMatchingDate);
  for (const Pattern& pattern : Patterns()) {
    Pair pair = OpenPair(settings, "dense-" + pattern.name + "-" + std::to_string(settings.dense_rows),
                         settings.compression, [&] { return DenseRows(settings.dense_rows, pattern.gap); });
    auto times = RunAlternately(pattern.text,
                                {{"where", [&] { return pair.klip->RunWhere("date=" + date); }},
                                 {"klip full walk", [&] { return pair.klip->WalkForDate(date); }},
                                 {"raw full walk", [&] { return pair.raw->DateByWalking(date); }},
                                 {"raw skip loop", [&] { return pair.raw->DateBySkipping(date); }}},
                                settings.rounds);
    report->Cpu(pattern.text, times[0], times[1], 1.25);
    report->Cpu(pattern.text, times[0], times[2], 0);
    report->Cpu(pattern.text, times[0], times[3], 0);
  }
}

}  // namespace klip::bench
