// RegionFilter: the filter of a scan. As in HBase, each region has its own filter state, so a filter that ends a scan
// early (such as PageFilter) only ends it in that region.
//
// Example: PageFilter(1) over the regions [,m) and [m,). It keeps row "a" and answers "all remaining are dropped" at
// "b". The scan then jumps to "m", where it gets a fresh state, and keeps the first row there too.
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
    kRegionDone,  // no further row of this region can pass
    kFailed,      // state().Error() is set
  };

  // `table` outlives the filter.
  RegionFilter(FilterPtr filter, const TableView* table, bool reversed)
      : filter_(std::move(filter)),
        table_(table),
        reversed_(reversed),
        state_(filter_->NewState(reversed)),
        calls_(state_->Calls()) {}

  // The state for the current region. Ask may replace it, and then informs the reader.
  filter::FilterState& state() { return *state_; }
  // Whether the state overrides the default answer to `call`.
  bool Makes(filter::Call call) const { return (calls_ & call) != 0; }
  bool RemembersRows() const { return filter_->RemembersRows(); }
  bool region_done() const { return region_done_; }

  // What the filter decides about the row's key.
  Answer Ask(std::string_view row, RowReader* reader);

  // The start of the next region in scan order; empty: this is the last one. Reversed: the start of this region.
  std::string_view Edge() const;

 private:
  void EnterRegion(std::string_view row, RowReader* reader);

  const FilterPtr filter_;
  const TableView* const table_;
  const bool reversed_;
  std::unique_ptr<filter::FilterState> state_;
  const uint8_t calls_;             // filter::Call
  const Region* region_ = nullptr;  // the region of state_; null: none yet, or the table has none
  bool region_done_ = false;
};

}  // namespace klip::engine
