#include <memory>
#include <set>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "fuzz/targets.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip::fuzz {
namespace {

// Takes choices and short strings off the input.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}

  size_t Below(size_t n) {
    if (bytes_.empty()) {
      return 0;
    }
    const size_t byte = static_cast<unsigned char>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte % n;
  }
  std::string Text() {
    const size_t wanted = Below(6);  // takes a byte itself
    const size_t size = std::min(wanted, bytes_.size());
    std::string out(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return out;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

FilterPtr TakeFilter(Source* source, int depth) {
  switch (source->Below(depth > 0 ? 7 : 5)) {
    case 0: {
      std::vector<FuzzyKey> keys;
      for (size_t i = 0; i <= source->Below(3); ++i) {
        FuzzyKey key{source->Text(), ""};
        for (size_t at = 0; at < key.key.size(); ++at) {
          key.mask.push_back(static_cast<char>(source->Below(2)));
        }
        keys.push_back(std::move(key));
      }
      Expected<FilterPtr> filter = FuzzyRowFilter(std::move(keys));
      return filter.ok() ? *filter : nullptr;
    }
    case 1: {
      std::vector<RowRange> ranges;
      for (size_t i = 0; i <= source->Below(4); ++i) {
        ranges.push_back({source->Text(), source->Below(2) == 1, source->Text(), source->Below(2) == 1});
      }
      Expected<FilterPtr> filter = MultiRowRangeFilter(std::move(ranges));
      return filter.ok() ? *filter : nullptr;
    }
    case 2: {
      const CompareOp op = static_cast<CompareOp>(source->Below(7));
      return RowFilter(
          op, source->Below(2) == 1 ? BinaryPrefixComparator(source->Text()) : BinaryComparator(source->Text()));
    }
    case 3:
      return PrefixFilter(source->Text());
    case 4:
      return InclusiveStopFilter(source->Text());
    default: {
      const ListOperator op = source->Below(2) == 1 ? ListOperator::kMustPassAll : ListOperator::kMustPassOne;
      std::vector<FilterPtr> filters;
      for (size_t i = 0; i <= source->Below(3); ++i) {
        if (FilterPtr filter = TakeFilter(source, depth - 1); filter != nullptr) {
          filters.push_back(std::move(filter));
        }
      }
      return FilterList(op, std::move(filters));
    }
  }
}

// Walks the rows with the cursor as a scan does and returns those inside.
std::vector<std::string> Walk(const filter::RowSet& set, const std::vector<std::string>& order, bool reversed) {
  std::unique_ptr<filter::RowCursor> cursor = set.NewCursor(reversed);
  std::vector<std::string> inside;
  size_t at = 0;
  if (!cursor->First()) {
    return inside;
  }
  const std::string first(cursor->target());
  while (at < order.size() && (reversed ? !first.empty() && order[at] >= first : order[at] < first)) {
    ++at;
  }
  while (at < order.size()) {
    const filter::RowCursor::Verdict verdict = cursor->Look(order[at]);
    if (verdict == filter::RowCursor::Verdict::kEnd) {
      break;
    }
    if (verdict == filter::RowCursor::Verdict::kInside) {
      inside.push_back(order[at++]);
      continue;
    }
    const std::string target(cursor->target());
    Check(reversed ? target <= order[at] : target > order[at]);
    ++at;
    while (at < order.size() && (reversed ? order[at] >= target : order[at] < target)) {
      ++at;
    }
  }
  return inside;
}

}  // namespace

void FuzzRowSet(std::string_view bytes) {
  Source source(bytes);
  const FilterPtr filter = TakeFilter(&source, 2);
  if (filter == nullptr) {
    return;
  }
  (void)filter->ToString();
  std::set<std::string> rows;
  while (!source.empty() && rows.size() < 200) {
    if (std::string row = source.Text(); !row.empty()) {
      rows.insert(std::move(row));
    }
  }
  bool exact = false;
  const std::shared_ptr<const filter::RowSet> set = filter->Rows(/*reversed=*/false, &exact);
  if (set == nullptr) {
    return;
  }
  (void)set->ToString();
  (void)set->Points(10);
  std::vector<std::string> order(rows.begin(), rows.end());
  std::vector<std::string> expected;
  for (const std::string& row : order) {
    if (set->Contains(row)) {
      expected.push_back(row);
    }
  }
  Check(Walk(*set, order, false) == expected);
  Check(Walk(*set, {order.rbegin(), order.rend()}, true) ==
        std::vector<std::string>(expected.rbegin(), expected.rend()));
}

}  // namespace klip::fuzz
