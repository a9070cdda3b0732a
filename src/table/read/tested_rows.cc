#include "table/read/tested_rows.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "engine/read/row_scanner.h"
#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"

namespace klip::table {
namespace {

using filter::KeySample;
using filter::RowSet;

// TUNING: 10 % of error if a fifth pass; some 2 ms.
constexpr size_t kMostWanted = 512;
constexpr size_t kMostOthers = 256;
// Rows may be long, so they are tested in rounds, each spread over all. After that time, no further round begins.
constexpr size_t kRounds = 16;
constexpr std::chrono::milliseconds kMostTime{30};

Expected<int64_t> CountPassing(const ScanRequest& request, std::vector<std::string> rows) {
  engine::RowScanSpec spec;
  spec.scan = request.scan;
  spec.scan.start_row = spec.scan.stop_row = {};
  spec.scan.reversed = false;
  spec.scan.limit_rows = 0;
  spec.scan.batch = 0;
  spec.scan.allow_partial_results = false;
  spec.filter = request.needs.filter;
  spec.rows = RowSet::FromRows(std::move(rows));
  KLIP_ASSIGN_OR_RETURN(const auto scanner, request.source().Open(*request.info, std::move(spec)));
  return scanner->CountRows();
}

// Tests the rows of one round, and counts them.
Status TestRound(const ScanRequest& request, const std::vector<std::string>& rows, size_t round, double* tested,
                 double* passed) {
  std::vector<std::string> some;
  for (size_t i = round; i < rows.size(); i += kRounds) {
    some.push_back(rows[i]);
  }
  if (some.empty()) {
    return Status::Ok();
  }
  *tested += static_cast<double>(some.size());
  KLIP_ASSIGN_OR_RETURN(const int64_t count, CountPassing(request, std::move(some)));
  *passed += static_cast<double>(count);
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

std::optional<rowkey::TestedRows> TestRows(const ScanRequest& request, const RowSet* wanted_rows) {
  const FilterPtr& filter = request.needs.filter;
  if (request.KeysDecide() || request.scan.raw || (filter != nullptr && filter->RemembersRows())) {
    return std::nullopt;
  }
  const filter::SampledKeys keys = request.shared->store->storage().SampleOf(*request.info->view);
  if (keys.sample == nullptr) {
    return std::nullopt;
  }
  const auto range = RowSet::FromRanges({rowkey::RangeOf(request.scan)});
  std::vector<std::string> wanted;
  std::vector<std::string> others;
  bool all = keys.sample->rows.all();
  for (const KeySample::Row& row : keys.sample->rows.items) {
    if (!keys.IsLive(row) || row.bytes.size() == KeySample::kMaxBytes) {  // it may be cut
      all = all && row.bytes.size() < KeySample::kMaxBytes;
      continue;
    }
    const bool wants = range->Contains(row.bytes) && (wanted_rows == nullptr || wanted_rows->Contains(row.bytes));
    (wants ? wanted : others).push_back(row.bytes);
  }
  rowkey::TestedRows tested = {.all_wanted = all && wanted.size() <= kMostWanted};
  wanted = SomeOf(wanted, kMostWanted);
  others = SomeOf(others, kMostOthers);
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  for (size_t round = 0; round < kRounds; ++round) {
    if (std::chrono::steady_clock::now() > end) {
      tested.all_wanted = false;
      break;
    }
    if (!TestRound(request, wanted, round, &tested.wanted, &tested.wanted_passed).ok() ||
        !TestRound(request, others, round, &tested.others, &tested.others_passed).ok()) {
      return std::nullopt;  // the scan will report it
    }
  }
  return tested;
}

}  // namespace klip::table
