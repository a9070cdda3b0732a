// How far a scan with a limit goes until it has its rows. Where they lie decides that, not only how many there are: all open orders may be
// the newest ones, at the end of the range.
//
// Example: 200,000 rows, of which 2,000 are wanted; 2,000 rows are in the sample, and 20 of them are wanted. The scan needs 10. If the first
// of these 20 lies 100,000 rows after the start, and the others soon after it, the scan reads some 100,000 rows, not 200,000 / 200.
#pragma once

#include <vector>

namespace klip::rowkey {

// Where wanted rows are, in the order of a scan.
struct WantedPlaces {
  double in_range = 0;         // rows
  double wanted = 0;           // of these
  std::vector<double> before;  // [wanted row that was drawn]: the rows of the range before it, ascending

  // The rows that a scan passes until it has found `count` wanted ones; at most in_range.
  double RowsUntil(double count) const;
  // The inverse: wanted rows among the first `rows` of the range.
  double CountAmong(double rows) const;

 private:
  struct Knot {
    double count;
    double rows;
  };
  std::vector<Knot> Knots() const;
};

// A scan up to where it was stopped.
struct ScannedPart {
  double rows = 0;    // of the range that it has passed, read or not
  double wanted = 0;  // of these
};

// The rows that the scan passes until it has `limit` wanted ones. What its first part shows holds for the rows nearby as well; the others
// are as the drawn ones show.
double ReachOf(const WantedPlaces& places, const ScannedPart& part, double limit);

// Of something that the first part has met `in_part` times, and the whole range `all` times: how often a scan meets it that passes
// `reach` rows.
double MetUntil(const WantedPlaces& places, const ScannedPart& part, double in_part, double all, double reach);

}  // namespace klip::rowkey
