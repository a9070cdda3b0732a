// Point reads, short scans and full scans of the year, warm.

#include "cases.h"
#include "klip/bytes.h"

namespace klip::bench {

namespace {

constexpr int kGets = 20'000;
constexpr int kShortScans = 2'000;

template <typename Operation>
Side Each(std::string name, const std::vector<std::string>& rows, Operation operation) {
  return {std::move(name), [&rows, operation] {
            Outcome outcome;
            for (const std::string& row : rows) {
              operation(row, &outcome);
            }
            return outcome;
          }};
}

void RunPointCases(const BenchSettings& settings, const Pair& pair, Report* report) {
  std::vector<std::string> hits;
  std::vector<std::string> misses;
  for (const RowValue& sample : SampleRows(settings.size, kGets)) {
    hits.push_back(sample.row);
    misses.push_back(sample.row);
    misses.back().back() = '#';
  }
  auto klip_get = [&](const std::string& row, Outcome* outcome) { pair.klip->GetRow(row, outcome); };
  auto raw_get = [&](const std::string& row, Outcome* outcome) { pair.raw->GetRow(row, outcome); };
  auto count = static_cast<int64_t>(hits.size());
  auto hit =
      RunAlternately("get", {Each("Table::Get", hits, klip_get), Each("iterator", hits, raw_get)}, settings.rounds);
  report->Cpu("random get, row exists", hit[0], hit[1], 1.5, count);
  auto miss =
      RunAlternately("get", {Each("Table::Get", misses, klip_get), Each("iterator", misses, raw_get)}, settings.rounds);
  report->Cpu("random get, no such row", miss[0], miss[1], 1.5, count);

  std::vector<std::string> starts(hits.begin(), hits.begin() + std::min<int64_t>(kShortScans, count));
  auto short_scan = RunAlternately(
      "short scan",
      {Each("scan", starts, [&](const std::string& row, Outcome* outcome) { pair.klip->ShortScan(row, 100, outcome); }),
       Each("iterator", starts,
            [&](const std::string& row, Outcome* outcome) { pair.raw->ShortScan(row, 100, outcome); })},
      settings.rounds);
  report->Cpu("scan of 100 rows", short_scan[0], short_scan[1], 1.5, static_cast<int64_t>(starts.size()));

  auto one = RunAlternately(
      "scan of 1 row",
      {Each("scan", starts, [&](const std::string& row, Outcome* outcome) { pair.klip->ShortScan(row, 1, outcome); }),
       Each("iterator", starts,
            [&](const std::string& row, Outcome* outcome) { pair.raw->ShortScan(row, 1, outcome); })},
      settings.rounds);
  report->Cpu("scan of 1 row", one[0], one[1], 0, static_cast<int64_t>(starts.size()));
}

void RunFullScans(const BenchSettings& settings, const Pair& pair, Report* report) {
  std::vector<std::string> users = PaddedUsers(settings.size);
  const std::string& middle = users[users.size() / 2];
  int rounds = settings.rounds > 3 ? 3 : settings.rounds;
  auto scans = RunAlternately("full scan",
                              {{"scan", [&] { return pair.klip->Run({}); }},
                               {"iterator", [&] { return pair.raw->FullScan(); }},
                               {"scan, threads = 2", [&] { return pair.klip->Run({.threads = 2}); }},
                               {"2 iterators", [&] { return pair.raw->FullScanOnTwoThreads(middle); }}},
                              rounds);
  report->Cpu("full scan", scans[0], scans[1], 1.5);
  report->Cpu("full scan, 2 threads", scans[2], scans[3], 0);
  report->Wall("full scan, 2 threads", scans[2], scans[3], 0);
  report->Wall("full scan, 2 threads against 1, klip", scans[2], scans[0], 1);
}

// A filter beside the loop that makes the same test by hand.
void RunFilteredScans(const BenchSettings& settings, const Pair& pair, Report* report) {
  const int few_rounds = settings.rounds > 3 ? 3 : settings.rounds;
  const auto compare = [&](const std::string& name, const FilterPtr& filter, auto by_hand, int rounds) {
    auto sides = RunAlternately(
        name, {{"filter", [&] { return pair.klip->Run({.filter = filter}); }}, {"iterator", by_hand}}, rounds);
    report->Cpu("full scan, " + name + ", " + std::to_string(sides[0].rows) + " rows", sides[0], sides[1], 1.3);
  };
  compare(
      "SingleColumnValueFilter",
      SingleColumnValueFilter({.family = std::string(kFamily),
                               .qualifier = std::string(kQualifier),
                               .comparator = BinaryComparator("300"),
                               .filter_if_missing = true}),
      [&] { return pair.raw->ScanValue("300"); }, few_rounds);
  compare(
      "ValueFilter", ValueFilter(CompareOp::kEqual, BinaryComparator("300")),
      [&] { return pair.raw->ScanValue("300"); }, few_rounds);
  const std::string prefix(kQualifier.substr(0, 1));
  compare(
      "ColumnPrefixFilter", ColumnPrefixFilter(prefix), [&] { return pair.raw->ScanQualifierPrefix(prefix); },
      few_rounds);
  const int64_t half = CountRows(settings.size) / 2;
  compare("PageFilter", ValueOrDie(PageFilter(half), "page"), [&] { return pair.raw->FirstRows(half); }, few_rounds);
  const std::vector<std::string> users = PaddedUsers(settings.size);
  const std::string& user = users[users.size() / 2];
  constexpr int kManyRounds = 101;  // of some milliseconds
  compare(
      "PrefixFilter", PrefixFilter(user), [&] { return pair.raw->FullScan(user, PrefixSuccessor(user)); }, kManyRounds);
}

}  // namespace

void RunReadCases(const BenchSettings& settings, Report* report) {
  report->Heading("Reading");
  Pair pair = OpenYear(settings, settings.size, settings.compression);
  RunFullScans(settings, pair, report);
  RunFilteredScans(settings, pair, report);
  RunPointCases(settings, pair, report);
}

}  // namespace klip::bench
