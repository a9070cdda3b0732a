#include "rowkey/stretch_clusters.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "filter/rows/key_sample.h"
#include "rowkey/sampled_entries.h"

namespace klip::rowkey {
namespace {

using filter::RowStretch;

constexpr size_t kMostStretches = 16;  // TUNING: of 64; some 0.2 ms
constexpr double kRare = 16;           // rows
constexpr double kEnough = 64;         // rows of rare values

// Rows with the same values.
struct Alike {
  double rows = 0;
  double squares = 0;  // of the rows in each stretch
};

class Clusters {
 public:
  Clusters(const std::vector<KeySlot>& slots, const std::vector<bool>& asked) : slots_(slots), asked_(asked) {}

  void Add(const RowStretch& stretch) {
    ++stretches_;
    std::unordered_map<uint64_t, double> here;
    for (size_t i = 0; i < stretch.size(); ++i) {
      ++here[HashOf(stretch.row(i))];
    }
    for (const auto& [hash, rows] : here) {
      alike_[hash].rows += rows;
      alike_[hash].squares += rows * rows;
    }
  }

  double Result() const {
    const double of_rare = Among(kRare, kEnough);
    return of_rare > 0 ? of_rare : std::max(1.0, Among(1e18, 1));
  }

 private:
  uint64_t HashOf(std::string_view row) const {
    uint64_t hash = 0;
    size_t at = 0;
    for (size_t slot = 0; slot < slots_.size(); ++slot) {
      const std::string_view value = Entries::Take(slots_[slot], row, &at);
      hash = asked_[slot] ? hash * 0x9e3779b97f4a7c15u + filter::SampleHash(value) : hash;
    }
    return hash;
  }
  // 0: there are too few such rows.
  double Among(double most_rows, double enough) const {
    double rows = 0;
    double variance = 0;
    for (const auto& [hash, alike] : alike_) {
      if (alike.rows <= most_rows) {
        rows += alike.rows;
        variance += alike.squares - alike.rows * alike.rows / stretches_;
      }
    }
    return rows < enough ? 0 : std::max(1.0, variance / rows);
  }

  const std::vector<KeySlot>& slots_;
  const std::vector<bool>& asked_;
  double stretches_ = 0;
  std::unordered_map<uint64_t, Alike> alike_;
};

}  // namespace

double ClusteringOf(const filter::RowStretches& stretches, const std::vector<KeySlot>& slots,
                    const std::vector<bool>& asked) {
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
