// The headline: all rows of one date, the second key field, from a year of all users.

#include "cases.h"

namespace klip::bench {

namespace {

FilterPtr DateFuzzy(const std::string& date) {
  return ValueOrDie(FuzzyRowFilter({FuzzyKeyFromPattern("??????????" + date)}), "fuzzy");
}

void RunMainCase(const BenchSettings& settings, const Pair& pair, Report* report) {
  std::string date = MiddleDate(settings.size);
  std::vector<std::string> users = PaddedUsers(settings.size);
  const std::string& middle = users[users.size() / 2];
  std::vector<Side> sides = {
      {"where", [&] { return pair.klip->RunWhere("date=" + date); }},
      {"skip loop", [&] { return pair.raw->DateBySkipping(date); }},
      {"FuzzyRowFilter", [&] { return pair.klip->Run({.filter = DateFuzzy(date)}); }},
      {"loop over known users", [&] { return pair.raw->DateOfUsers(date, users); }},
      {"where, threads = 2", [&] { return pair.klip->RunWhere("date=" + date, 2); }},
      {"skip loop, 2 threads", [&] { return pair.raw->DateBySkippingOnTwoThreads(date, middle); }},
  };
#ifdef KLIP_BENCH_SQLITE
  SqlitePeer sqlite(settings.directory + "/sqlite-" + settings.size.Name(), settings.size);
  sides.push_back({"SQLite skip-scan", [&] { return sqlite.Date(date); }});
#endif
#ifdef KLIP_BENCH_POSTGRES
  std::unique_ptr<PostgresPeer> postgres;
  if (!settings.postgres.empty()) {
    postgres = std::make_unique<PostgresPeer>(settings.postgres, settings.size);
    sides.push_back({"PostgreSQL index-only scan", [&] { return postgres->Date(date); }});
  }
#endif
  auto times = RunAlternately("headline", sides, settings.rounds * 3);
  std::string name = std::to_string(times[0].rows) + " rows of " + std::to_string(CountRows(settings.size));
  report->Cpu(name, times[0], times[1], 1.3);
  report->Cpu(name, times[0], times[3], 0);
  report->Cpu(name, times[2], times[1], 1.3);
  report->Cpu(name + ", 2 threads", times[4], times[5], 0);
  report->Wall(name + ", 2 threads", times[4], times[5], 0);
  report->Wall(name + ", 2 threads against 1, klip", times[4], times[0], 1);
  for (size_t peer = 6; peer < times.size(); ++peer) {
    report->Cpu(name, times[0], times[peer], 1);
    report->Wall(name, times[0], times[peer], 1);
    report->Wall(name, times[4], times[peer], 1);
  }
  report->Note("```\n" + pair.klip->ExplainWhere("date=" + date) + "\n```");
}

// Time must follow the users, not the days.
void RunGrowth(const BenchSettings& settings, Report* report) {
  std::vector<std::string> users = PaddedUsers(settings.size);
  std::string date = MiddleDate(settings.size);
  {
    Pair pair = OpenYear(settings, settings.size, settings.compression);
    for (size_t share : {size_t{10}, size_t{30}, size_t{100}}) {
      size_t count = users.size() * share / 100;
      std::string stop = count < users.size() ? users[count] : std::string();
      auto times = RunAlternately("headline by users",
                                  {{"where", [&] { return pair.klip->RunWhere("date=" + date, 1, stop); }},
                                   {"skip loop", [&] { return pair.raw->DateBySkipping(date, {}, stop); }}},
                                  settings.rounds * 2);
      report->Cpu(std::to_string(count) + " users, " + std::to_string(times[0].rows) + " rows", times[0], times[1],
                  share == 100 ? 1.3 : 0);
    }
  }
  std::vector<Measurement> by_days;
  for (int percent : {25, 100, 200}) {
    YearSize size = settings.size;
    size.days = size.days * percent / 100 / 2 * 2;
    if (percent == 100) {
      size.days = settings.size.days;
    }
    Pair pair = OpenYear(settings, size, settings.compression);
    std::string day = MiddleDate(size);
    auto times = RunAlternately("headline by days",
                                {{"where", [&] { return pair.klip->RunWhere("date=" + day); }},
                                 {"skip loop", [&] { return pair.raw->DateBySkipping(day); }}},
                                settings.rounds * 2);
    report->Cpu(std::to_string(size.days) + " days, " + std::to_string(times[0].rows) + " rows of " +
                    std::to_string(CountRows(size)),
                times[0], times[1], 1.3);
    by_days.push_back(times[0]);
  }
  // Eight times the days; a seek in a larger table costs a little more.
  report->Cpu("200 % of the days against 25 %, klip", by_days[2], by_days[0], 2);
}

}  // namespace

void RunHeadlineCases(const BenchSettings& settings, Report* report) {
  report->Heading("One date of all users");
  {
    Pair pair = OpenYear(settings, settings.size, settings.compression);
    RunMainCase(settings, pair, report);
  }
  RunGrowth(settings, report);
}

}  // namespace klip::bench
