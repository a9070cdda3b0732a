// RowSet: a set of row keys, described by boxes, through which a scan can jump. Filters and key queries become RowSets;
// the engine walks them with a RowCursor. Pure: no I/O, no knowledge of tables.
//
// A box constrains the row as a whole (`ranges`) and divided into consecutive segments, each with sorted, disjoint
// intervals of byte strings. Lists are never multiplied out: the cursor moves through them like an odometer.
//
// Example: rows are a user (4 bytes) and a date (8), and the set is "date = 20140628": one box with two fixed segments, of
// which only the second has an interval. Look("anna20140101") says jump to "anna20140628" (level 1: the date moved).
// Look("anna20140628") says inside. Look("anna20140701") says jump to "annb20140628" (level 0: the user moved): no row of
// the set is between. A scan of 1,000 users with 365 dates each reads about 2,000 rows instead of 365,000.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/leading_values.h"
#include "klip/bytes.h"
#include "klip/filter.h"

namespace klip::filter {

// Both ends included. In a segment of fixed width both have that width.
struct ByteInterval {
  std::string low;
  std::string high;
  // kDelimited and kRest only: values that start with `high` fit too, as if it ended in endless FF bytes.
  bool high_is_prefix = false;
  bool operator==(const ByteInterval&) const = default;
};

struct RowSegment {
  enum class Kind : uint8_t {
    kFixed,      // width_bytes bytes
    kDelimited,  // up to and including the next `delimiter` byte; intervals constrain the bytes before it
    kRest,       // the rest of the row; only as the last segment
  };
  Kind kind = Kind::kFixed;
  int width_bytes = 0;
  char delimiter = 0;
  // Sorted, disjoint; empty: any value. For kDelimited and kRest a value fits when low <= value and (value <= high or,
  // with high_is_prefix, value starts with high), in unsigned byte order. A row without the delimiter does not fit.
  std::vector<ByteInterval> intervals;
  bool operator==(const RowSegment&) const = default;
};

struct RowBox {
  std::vector<RowRange> ranges;  // sorted, disjoint; empty: all rows
  std::vector<RowSegment> segments;
  // Rows of other lengths do not fit. A row may end inside the segments if min_row_bytes allows it, the remaining
  // segments are all of fixed width (an unrestricted kRest counts as none), and its bytes could begin a full match
  // (FuzzyRowFilter's rule for short rows). A row may continue after the segments.
  size_t min_row_bytes = 0;
  size_t max_row_bytes = std::numeric_limits<size_t>::max();
  bool operator==(const RowBox&) const = default;
};

class CompiledBox;
class RowCursor;

// What is known about the rows that a cursor will see, so that it skips places without rows.
struct KnownRows {
  size_t shortest_row_bytes = 0;            // no row is shorter
  std::shared_ptr<const KnownLeads> leads;  // every row begins with one of these; null: unknown
};

// The union of its boxes. Immutable; threads may share it.
class RowSet {
 public:
  static std::shared_ptr<const RowSet> All();
  static std::shared_ptr<const RowSet> None();
  static std::shared_ptr<const RowSet> FromRanges(std::vector<RowRange> ranges);
  static std::shared_ptr<const RowSet> FromRows(std::vector<std::string> rows);  // in any order
  // Normalises: drops empty boxes, merges equal and contained ones. REQUIRES: intervals sorted and disjoint.
  static std::shared_ptr<const RowSet> FromBoxes(std::vector<RowBox> boxes);

  static std::shared_ptr<const RowSet> Union(const RowSet& a, const RowSet& b);
  // nullptr if the result would need more than kMaxBoxes boxes; then evaluate one side per row instead.
  static std::shared_ptr<const RowSet> Intersect(const RowSet& a, const RowSet& b);
  static constexpr size_t kMaxBoxes = 4096;

  RowSet(RowSet&&) noexcept = default;
  RowSet(const RowSet&) = delete;
  RowSet& operator=(const RowSet&) = delete;

  const std::vector<RowBox>& boxes() const { return boxes_; }
  bool empty() const { return boxes_.empty(); }
  bool all() const;  // every row is in it

  // The plain test, box by box: the brute-force counterpart of the cursor.
  bool Contains(std::string_view row) const;

  // The smallest known range that contains the set. For the empty set: an empty range.
  RowRange Bounds() const;

  // The single rows, if the set consists of at most `limit` complete keys; else nothing. For point gets.
  std::vector<std::string> Points(size_t limit) const;

  std::unique_ptr<RowCursor> NewCursor(bool reversed, const KnownRows& known = {}) const;

  // "[a,b) | ????20140628": for explain, tests and logs.
  std::string ToString() const;

 private:
  explicit RowSet(std::vector<RowBox> boxes);

  std::vector<RowBox> boxes_;
  std::shared_ptr<const std::vector<CompiledBox>> compiled_;  // for cursors; points into boxes_
};

// Moves through a RowSet alongside a scan. Keeps views into the RowSet, which must outlive it. Not thread-safe. Rows are
// passed in scan order; in another order the answers are right, but slower.
class RowCursor {
 public:
  enum class Verdict : uint8_t {
    kInside,  // the row is in the set
    kJump,    // it is not; jump to target()
    kEnd,     // it is not, and no later row is
  };

  virtual ~RowCursor() = default;

  virtual Verdict Look(std::string_view row) = 0;

  // The same as Look, without computing a target.
  virtual bool Holds(std::string_view row) { return Look(row) == Verdict::kInside; }

  // The start of the scan: true with target() set, or false if the set is empty. Reversed: an empty target() is the last
  // row.
  virtual bool First() = 0;

  // After kJump. Forward: no row of the set lies between the checked row and target(); target() is above that row.
  // Reversed: an exclusive upper bound, at most the checked row: the next row of the set, going down, is below it.
  std::string_view target() const { return target_; }

  // After kInside: true if `row`, which comes later in scan order, is known to be in the set without another Look. False:
  // unknown.
  bool InRun(std::string_view row) {
    const bool inside = run_ && row.size() >= run_min_bytes_ && row.size() <= run_max_bytes_ &&
                        (reversed_ ? !Below(row, run_end_) : run_end_.empty() || Below(row, run_end_));
    run_used_ |= inside;
    return inside;
  }

  // After kInside, when has_run(): every row of any length from the checked one to below run_end() is in the set (empty:
  // to the end). Reversed: every row down to and including run_end(). Without a run: empty. For boxes that limit row
  // lengths, only InRun knows the runs.
  std::string_view run_end() const { return has_run() ? std::string_view(run_end_) : std::string_view(); }
  bool has_run() const { return run_ && run_any_bytes_; }

  // After kJump: which segment moved (0 = the leading one). Jumps of one level have similar lengths; the engine learns
  // per level.
  int level() const { return level_; }

 protected:
  explicit RowCursor(bool reversed) : reversed_(reversed) {}

  // a < b, inlined: it runs for every row of a scan, and memcmp would cost more than the rest.
  static bool Below(std::string_view a, std::string_view b) {
    constexpr size_t kWord = sizeof(uint64_t);
    const size_t common = std::min(a.size(), b.size());
    size_t at = 0;
    for (; at + kWord <= common; at += kWord) {
      const auto of_a = ReadBigEndian<uint64_t>(a.data() + at);
      const auto of_b = ReadBigEndian<uint64_t>(b.data() + at);
      if (of_a != of_b) {
        return of_a < of_b;
      }
    }
    for (; at < common; ++at) {
      if (a[at] != b[at]) {
        return static_cast<unsigned char>(a[at]) < static_cast<unsigned char>(b[at]);
      }
    }
    return a.size() < b.size();
  }

  std::string target_;
  std::string run_end_;
  size_t run_min_bytes_ = 0;
  size_t run_max_bytes_ = std::numeric_limits<size_t>::max();
  bool run_any_bytes_ = false;
  bool run_ = false;
  bool run_used_ = false;  // InRun was true since it was cleared
  const bool reversed_;
  int level_ = 0;
};

}  // namespace klip::filter
