#include "engine/read/scan_families.h"

#include <algorithm>

namespace klip::engine {

void ScanFamilies::LetEssentialLead(const filter::FilterState& filter) {
  const auto essential = [&filter](const FamilyReader& one) { return filter.IsFamilyEssential(one.name); };
  if (std::none_of(readers_.begin(), readers_.end(), essential)) {
    return;
  }
  const auto lagging = std::stable_partition(readers_.begin(), readers_.end(), essential);
  leading_ = static_cast<size_t>(lagging - readers_.begin());
}

const FamilyReader& ScanFamilies::ReaderOf(const FamilyCursor* cursor) const {
  return *std::find_if(readers_.begin(), readers_.end(),
                       [cursor](const FamilyReader& one) { return one.cursor.get() == cursor; });
}

FamilyCursor* ScanFamilies::First() {
  FamilyCursor* first = nullptr;
  for (FamilyReader& one : Leading()) {
    FamilyCursor* cursor = one.cursor.get();
    if (cursor->at_end()) {
      continue;
    }
    // The keys of a row share their beginning, so for different rows the order of keys is the order of rows.
    if (first == nullptr || (reversed_ ? cursor->key() > first->key() : cursor->key() < first->key())) {
      first = cursor;
    }
  }
  return first;
}

void ScanFamilies::SeekToStart(std::string_view bound) {
  for (FamilyReader& one : readers_) {
    one.cursor->SeekToStart(bound);
  }
}

void ScanFamilies::JumpTo(std::string_view bound, int level) {
  for (FamilyReader& one : Leading()) {
    one.cursor->JumpTo(bound, level);
  }
}

void ScanFamilies::BringLagging(std::string_view escaped_row) {
  bound_.assign(escaped_row);
  if (reversed_) {
    bound_.back() = '\x02';  // above the row's terminator
  }
  for (FamilyReader& one : Lagging()) {
    one.cursor->JumpTo(bound_, FamilyCursor::kHintLevel);
  }
}

void ScanFamilies::SkipRow(std::string_view escaped_row) {
  bound_.assign(escaped_row);  // the view may be into a cursor that moves
  for (FamilyReader& one : Leading()) {
    if (!one.cursor->at_end() && one.cursor->key().starts_with(bound_)) {
      one.cursor->SkipRow(bound_);
    }
  }
}

void ScanFamilies::LeaveRow(std::string_view escaped_row) {
  for (FamilyReader& one : Lagging()) {
    one.cursor->LeaveRow();
  }
  for (FamilyReader& one : Leading()) {
    if (one.cursor->entered()) {
      one.cursor->LeaveRow();
    } else if (!one.cursor->at_end() && one.cursor->key().starts_with(escaped_row)) {
      one.cursor->SkipRow(escaped_row);
    }
  }
}

}  // namespace klip::engine
