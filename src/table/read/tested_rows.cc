#include "table/read/tested_rows.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/read/row_scanner.h"
#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "rowkey/sampled_entries.h"
#include "rowkey/stretch_clusters.h"
#include "table/read/brief_run.h"

namespace klip::table {
namespace {

using filter::KeySample;
using filter::RowSet;

// TUNING: 10 % of error if a fifth pass; some 2 ms.
constexpr size_t kMostWanted = 512;
constexpr size_t kMostOthers = 256;
// Rows may be long, so they are tested in rounds, each spread over all. After so much work, no further round begins.
constexpr size_t kRounds = 16;
constexpr int64_t kMostSteps = 1 << 16;              // TUNING: some 20 ms
constexpr std::chrono::milliseconds kMostTime{200};  // if blocks are not in the cache

// What tests may still take.
class Budget {
 public:
  void Spend(const ScanStatistics& read) { left_ -= WorkOf(read); }
  bool spent() const { return left_ < 0 || std::chrono::steady_clock::now() > end_; }

 private:
  int64_t left_ = kMostSteps;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kMostTime;
};

Expected<double> CountPassing(const ScanRequest& request, std::shared_ptr<const RowSet> rows, Budget* budget) {
  engine::RowScanSpec spec;
  spec.scan = request.scan;
  spec.scan.start_row = spec.scan.stop_row = {};
  spec.scan.reversed = false;
  spec.scan.limit_rows = 0;
  spec.scan.batch = 0;
  spec.scan.allow_partial_results = false;
  spec.filter = request.needs.filter;
  spec.rows = std::move(rows);
  KLIP_ASSIGN_OR_RETURN(const auto scanner, request.source().Open(*request.info, std::move(spec)));
  KLIP_ASSIGN_OR_RETURN(const int64_t count, scanner->CountRows());
  budget->Spend(scanner->statistics());
  return static_cast<double>(count);
}

// Tests the rows of one round, and counts them.
Status TestRound(const ScanRequest& request, const std::vector<std::string>& rows, size_t round, Budget* budget,
                 double* tested, double* passed) {
  std::vector<std::string> some;
  for (size_t i = round; i < rows.size(); i += kRounds) {
    some.push_back(rows[i]);
  }
  if (some.empty()) {
    return Status::Ok();
  }
  *tested += static_cast<double>(some.size());
  KLIP_ASSIGN_OR_RETURN(const double count, CountPassing(request, RowSet::FromRows(std::move(some)), budget));
  *passed += count;
  return Status::Ok();
}

// Rows side by side take less time than drawn ones, so they show what is rarer. Rows of a stretch are often alike.
Status TestStretches(const ScanRequest& request, const filter::SampledKeys& keys, const RowSet& wanted, Budget* budget,
                     rowkey::TestedRows* tested) {
  constexpr size_t kEach = 128;
  constexpr size_t kMostStretches = 32;  // TUNING: some 2 ms
  constexpr double kEnough = 16;
  const auto& all = keys.stretches->stretches;
  size_t stride = all.size() * 5 / 8 + 1;  // visits each once, and the first ones far from one another
  while (std::gcd(stride, all.size()) > 1) {
    ++stride;
  }
  std::vector<double> rows;
  std::vector<double> passed;
  for (size_t i = 0; i < all.size() && rows.size() < kMostStretches && rowkey::SumOf(passed) < kEnough; ++i) {
    const filter::RowStretch& stretch = all[i * stride % all.size()];
    std::vector<std::string> some;
    for (size_t row = 0; row < stretch.size() && some.size() < kEach; ++row) {
      if (keys.IsLive(stretch, row) && wanted.Contains(stretch.row(row))) {
        some.emplace_back(stretch.row(row));
      }
    }
    if (some.empty()) {
      continue;
    }
    if (budget->spent()) {
      break;
    }
    rows.push_back(static_cast<double>(some.size()));
    KLIP_ASSIGN_OR_RETURN(passed.emplace_back(), CountPassing(request, RowSet::FromRows(std::move(some)), budget));
  }
  const double alike = rowkey::ClusteringOf(passed, rows);
  tested->wanted += rowkey::SumOf(rows) / alike;
  tested->wanted_passed += rowkey::SumOf(passed) / alike;
  return Status::Ok();
}

}  // namespace

std::vector<std::string> SomeOf(const std::vector<std::string>& rows, size_t most) {
  const size_t count = std::min(most, rows.size());
  std::vector<std::string> some;
  for (size_t i = 0; i < count; ++i) {
    some.push_back(rows[i * rows.size() / count]);
  }
  return some;
}

std::optional<rowkey::TestedRows> TestRows(const ScanRequest& request, const rowkey::AccessPath& path) {
  constexpr double kEnough = 64;
  constexpr double kEnoughWithoutOthers = 16;
  constexpr double kFew = 8;
  const FilterPtr& filter = request.needs.filter;
  if (request.KeysDecide() || request.scan.raw || (filter != nullptr && filter->RemembersRows())) {
    return std::nullopt;
  }
  const filter::SampledKeys& keys = path.keys;
  const auto range = RowSet::FromRanges({rowkey::RangeOf(request.scan)});
  if (keys.sample == nullptr) {
    return std::nullopt;
  }
  const auto both = path.rows == nullptr ? range : RowSet::Intersect(*range, *path.rows);
  const auto rows = both != nullptr ? both : path.rows;  // too many combinations
  Budget budget;
  if (path.run.ended) {
    const Expected<double> passed = CountPassing(request, rows, &budget);
    return passed.ok() ? std::optional(
                             rowkey::TestedRows{.wanted = path.run.rows, .wanted_passed = *passed, .all_wanted = true})
                       : std::nullopt;
  }
  std::vector<std::string> wanted;
  std::vector<std::string> others;
  bool all = keys.sample->rows.all();
  for (const KeySample::Row& row : keys.sample->rows.items) {
    if (!keys.IsLive(row) || row.bytes.size() == KeySample::kMaxBytes) {  // it may be cut
      all = all && row.bytes.size() < KeySample::kMaxBytes;
      continue;
    }
    (rows->Contains(row.bytes) ? wanted : others).push_back(row.bytes);
  }
  rowkey::TestedRows tested = {.all_wanted = all && wanted.size() <= kMostWanted};
  wanted = SomeOf(wanted, kMostWanted);
  others = SomeOf(others, kMostOthers);
  size_t round = 0;
  for (; round < kRounds && !budget.spent() && (tested.all_wanted || tested.wanted_passed < kEnough); ++round) {
    if (!TestRound(request, wanted, round, &budget, &tested.wanted, &tested.wanted_passed).ok()) {
      return std::nullopt;  // the scan will report it
    }
  }
  tested.all_wanted = tested.all_wanted && round == kRounds;
  for (round = 0; round < kRounds && !budget.spent() && tested.wanted_passed < kEnoughWithoutOthers; ++round) {
    if (!TestRound(request, others, round, &budget, &tested.others, &tested.others_passed).ok()) {
      return std::nullopt;
    }
  }
  if (tested.wanted_passed < kFew && !tested.all_wanted && keys.stretches != nullptr &&
      !TestStretches(request, keys, *rows, &budget, &tested).ok()) {
    return std::nullopt;
  }
  return tested;
}

}  // namespace klip::table
