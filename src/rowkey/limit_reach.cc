#include "rowkey/limit_reach.h"

#include <algorithm>
#include <cstddef>

#include "rowkey/sample_estimate.h"

namespace klip::rowkey {
namespace {

constexpr size_t kTogether = 8;        // drawn rows: the place of one alone says little
constexpr double kBeyondChance = 3;    // times the usual distance: the first one is not that far away by chance
constexpr double kMostNearby = 0.125;  // of the range
constexpr double kNearby = 32;         // times the rows of the first part
constexpr double kPriorHits = 3;       // as which the drawn rows count

// The rows after the first part that are like it.
double RowsNearby(const WantedPlaces& places, const ScannedPart& part) {
  return std::min(kNearby * part.rows, kMostNearby * places.in_range);
}

// Per row, near the first part.
double RateNearby(const ScannedPart& part, double in_part, double rate) {
  return BlendedShare(in_part, part.rows, rate, kPriorHits);
}

}  // namespace

// Between these, wanted rows are evenly spread.
std::vector<WantedPlaces::Knot> WantedPlaces::Knots() const {
  std::vector<Knot> knots = {{0, 0}};
  const size_t drawn = before.size();
  const double each = wanted / static_cast<double>(drawn + 1);
  if (drawn >= kTogether / 2) {
    const size_t some = std::min(drawn, kTogether) - 1;
    const double distance = (before[some] - before[0]) / static_cast<double>(some);
    knots[0].rows = std::max(0.0, before[0] - kBeyondChance * distance);
    for (size_t i = some; i < drawn; i += kTogether) {
      knots.push_back({each * static_cast<double>(i + 1), before[i]});
    }
  }
  knots.push_back({std::max(1e-9, wanted), in_range});
  return knots;
}

double WantedPlaces::RowsUntil(double count) const {
  const std::vector<Knot> knots = Knots();
  for (size_t i = 1; i < knots.size(); ++i) {
    const Knot& low = knots[i - 1];
    const Knot& high = knots[i];
    if (count <= high.count) {
      return low.rows + (high.rows - low.rows) * std::max(0.0, count - low.count) / (high.count - low.count);
    }
  }
  return in_range;
}

double WantedPlaces::CountAmong(double rows) const {
  const std::vector<Knot> knots = Knots();
  for (size_t i = 1; i < knots.size(); ++i) {
    const Knot& low = knots[i - 1];
    const Knot& high = knots[i];
    if (rows <= high.rows) {
      return low.count +
             (high.count - low.count) * std::max(0.0, rows - low.rows) / std::max(1e-9, high.rows - low.rows);
    }
  }
  return wanted;
}

double ReachOf(const WantedPlaces& places, const ScannedPart& part, double limit) {
  double missing = limit - part.wanted;
  if (missing <= 0) {
    return part.rows * limit / std::max(1.0, part.wanted);
  }
  const double expected = places.CountAmong(part.rows);
  const double otherwise = std::max(part.rows + missing, places.RowsUntil(expected + missing));
  if (part.rows <= 0) {
    return std::min(places.in_range, otherwise);
  }
  const double rate = RateNearby(part, part.wanted, missing / (otherwise - part.rows));
  const double nearby = std::min(RowsNearby(places, part), missing / rate);
  missing -= nearby * rate;
  if (missing < 1) {
    return std::min(places.in_range, part.rows + nearby);
  }
  const double from = part.rows + nearby;
  return std::clamp(places.RowsUntil(places.CountAmong(from) + missing), std::min(from, places.in_range),
                    places.in_range);
}

double MetUntil(const WantedPlaces& places, const ScannedPart& part, double in_part, double all, double reach) {
  const double rate = std::max(0.0, all - in_part) / std::max(1.0, places.in_range - part.rows);
  const double rest = std::max(0.0, reach - part.rows);
  const double nearby = std::min(rest, RowsNearby(places, part));
  return in_part + nearby * RateNearby(part, in_part, rate) + (rest - nearby) * rate;
}

}  // namespace klip::rowkey
