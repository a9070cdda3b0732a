#include "engine/read/region_filter.h"

namespace klip::engine {

void RegionFilter::EnterRegion(std::string_view row, RowReader* reader) {
  if (region_ != nullptr && region_->Contains(row)) {
    return;
  }
  if (region_ != nullptr) {  // the first region uses the state that the constructor made
    state_ = filter_->NewState(reversed_);
    reader->set_filter(state_.get());
  }
  region_ = table_->regions == nullptr || table_->regions->empty() ? nullptr : &table_->RegionOf(row);
  region_done_ = false;
}

RegionFilter::Answer RegionFilter::Ask(std::string_view row, RowReader* reader) {
  EnterRegion(row, reader);
  if (!region_done_) {
    if (Makes(filter::kReset)) {
      state_->Reset();
    }
    region_done_ = Makes(filter::kFilterAllRemaining) && state_->FilterAllRemaining();
  }
  if (region_done_) {
    return Answer::kRegionDone;
  }
  if (!Makes(filter::kFilterRowKey) || !state_->FilterRowKey(row)) {
    return Answer::kReadRow;
  }
  if (state_->Error() != nullptr) {
    return Answer::kFailed;
  }
  region_done_ = state_->FilterAllRemaining();
  return Answer::kDropRow;
}

std::string_view RegionFilter::Edge() const {
  if (region_ == nullptr) {
    return {};
  }
  return reversed_ ? region_->start_key : region_->end_key;
}

}  // namespace klip::engine
