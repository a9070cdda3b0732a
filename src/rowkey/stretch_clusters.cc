#include "rowkey/stretch_clusters.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/rows/key_sample.h"
#include "rowkey/sampled_entries.h"

namespace klip::rowkey {
namespace {

using filter::RowStretch;

constexpr size_t kMostStretches = 16;  // TUNING: of 64; some 0.2 ms
constexpr double kRare = 16;           // rows
constexpr double kEnough = 64;         // rows of rare values

class Clusters {
 public:
  Clusters(const std::vector<KeySlot>& slots, const std::vector<ClusterSlot>& asked) : slots_(slots), asked_(asked) {}

  void Add(const RowStretch& stretch) {
    for (size_t i = 0; i < stretch.size(); ++i) {
      rows_.emplace_back(HashOf(stretch.row(i)), stretches_);
    }
    ++stretches_;
  }

  double Result() {
    std::ranges::sort(rows_);
    const double of_rare = Among(kRare, kEnough);
    return of_rare > 0 ? of_rare : std::max(1.0, Among(1e18, 1));
  }

 private:
  uint64_t HashOf(std::string_view row) const {
    uint64_t hash = 0;
    size_t at = 0;
    for (size_t slot = 0; slot < slots_.size(); ++slot) {
      const std::string_view value = Entries::Take(slots_[slot], row, &at);
      hash = asked_[slot].asked ? hash * 0x9e3779b97f4a7c15u + asked_[slot].KindOf(value) : hash;
    }
    return hash;
  }
  // 0: there are too few such rows.
  double Among(double most_rows, double enough) const {
    double all_rows = 0;
    double variance = 0;
    for (size_t i = 0; i < rows_.size();) {
      const uint64_t hash = rows_[i].first;
      double rows = 0;
      double squares = 0;  // of the rows in each stretch
      while (i < rows_.size() && rows_[i].first == hash) {
        const size_t from = i;
        i = static_cast<size_t>(
            std::upper_bound(rows_.begin() + static_cast<ptrdiff_t>(from), rows_.end(), rows_[from]) - rows_.begin());
        const auto here = static_cast<double>(i - from);
        rows += here;
        squares += here * here;
      }
      if (rows <= most_rows) {
        all_rows += rows;
        variance += squares - rows * rows / stretches_;
      }
    }
    return all_rows < enough ? 0 : std::max(1.0, variance / all_rows);
  }

  const std::vector<KeySlot>& slots_;
  const std::vector<ClusterSlot>& asked_;
  uint32_t stretches_ = 0;
  std::vector<std::pair<uint64_t, uint32_t>> rows_;  // what they have, hashed, and the stretch; sorted by Result
};

}  // namespace

void ClusterSlot::SetBuckets(std::vector<std::string_view> values, double buckets) {
  std::ranges::sort(values);
  const auto count = static_cast<size_t>(buckets);
  for (size_t i = 1; i < count; ++i) {
    bounds_.push_back(values[i * values.size() / count]);
  }
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  in_buckets_ = true;
}

uint64_t ClusterSlot::KindOf(std::string_view value) const {
  return in_buckets_ ? static_cast<uint64_t>(std::ranges::upper_bound(bounds_, value) - bounds_.begin())
                     : filter::SampleHash(value);
}

double ClusteringOf(const filter::RowStretches& stretches, const std::vector<KeySlot>& slots,
                    const std::vector<ClusterSlot>& asked) {
  Clusters clusters(slots, asked);
  const size_t count = stretches.stretches.size();
  const size_t visited = std::min(count, kMostStretches);
  for (size_t i = 0; i < visited; ++i) {
    clusters.Add(stretches.stretches[i * count / visited]);
  }
  return clusters.Result();
}

double ClusteringOf(const std::vector<double>& wanted, const std::vector<double>& all) {
  double sum = 0;
  double rows = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    sum += wanted[i];
    rows += all[i];
  }
  if (sum == 0) {
    return 1;
  }
  double variance = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const double expected = sum / rows * all[i];
    variance += (wanted[i] - expected) * (wanted[i] - expected);
  }
  return std::max(1.0, variance / sum);
}

}  // namespace klip::rowkey
