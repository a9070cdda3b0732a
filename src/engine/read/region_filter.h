// RegionFilter: the filter of a scan. As in HBase each region has a state of its own, so that a filter that ends a
// scan early (PageFilter, for one) ends it in that region only.
//
// Example: PageFilter(1) over the regions [,m) and [m,). It keeps row "a" and answers "all remaining are dropped" at
// "b". The scan then jumps to "m", where a fresh state begins, and keeps the first row there too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/read/row_reader.h"
#include "engine/store/store.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip::engine {

// Not thread-safe.
class RegionFilter {
 public:
  enum class Answer : uint8_t {
    kReadRow,
    kDropRow,
    kRegionDone,  // nothing further passes in this region
    kFailed,      // state().Error() is set
  };

  // `table` outlives the filter.
  RegionFilter(FilterPtr filter, const TableView* table, bool reversed)
      : filter_(std::move(filter)),
        table_(table),
        reversed_(reversed),
        state_(filter_->NewState(reversed)),
        calls_(state_->Calls()) {}

  // Of the region entered last. Ask may replace it, and tells the reader.
  filter::FilterState& state() { return *state_; }
  // True: the state answers `call` by more than the default.
  bool Makes(filter::Call call) const { return (calls_ & call) != 0; }
  bool RemembersRows() const { return filter_->RemembersRows(); }
  bool region_done() const { return region_done_; }

  // The filter's word on the row's key.
  Answer Ask(std::string_view row, RowReader* reader);

  // Where the next region begins, in scan order; empty: this one is the last. Reversed: where this one begins.
  std::string_view Edge() const;

 private:
  void EnterRegion(std::string_view row, RowReader* reader);

  const FilterPtr filter_;
  const TableView* const table_;
  const bool reversed_;
  std::unique_ptr<filter::FilterState> state_;
  const uint8_t calls_;             // filter::Call
  const Region* region_ = nullptr;  // that state_ is for; null: none was entered, or the table has none
  bool region_done_ = false;
};

}  // namespace klip::engine
