// ScanFamilies: the cursors of a scan's families, moved together from row to row.
//
// Only the leading families decide which row comes next. The others ("lagging") are read for rows that passed the
// filter (Filter::IsFamilyEssential). Without such a filter, all families lead.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/read/row_reader.h"
#include "klip/filter_state.h"

namespace klip::engine {

class ScanFamilies {
 public:
  explicit ScanFamilies(bool reversed) : reversed_(reversed) {}

  void Adopt(std::vector<FamilyReader> readers) {
    readers_ = std::move(readers);
    leading_ = readers_.size();
  }
  // Makes the essential families the leading ones, if there are any. Call it before the cursors are opened.
  void LetEssentialLead(const filter::FilterState& filter);

  std::vector<FamilyReader>& readers() { return readers_; }
  const std::vector<FamilyReader>& readers() const { return readers_; }
  FamilyReader& front() { return readers_.front(); }
  size_t size() const { return readers_.size(); }
  size_t leading() const { return leading_; }
  // REQUIRES: the cursor belongs to these families.
  const FamilyReader& ReaderOf(const FamilyCursor* cursor) const;

  // The leading cursor at the next row; nullptr: no row is left.
  FamilyCursor* Next() {
    if (leading_ == 1) [[likely]] {
      FamilyCursor* cursor = readers_.front().cursor.get();
      return cursor->at_end() ? nullptr : cursor;
    }
    return First();
  }

  // --- Moves. The rows are escaped, with their terminator. ---
  void SeekToStart(std::string_view bound);
  // Moves the leading cursors to `bound` as FamilyCursor::JumpTo; those already beyond it stay.
  void JumpTo(std::string_view bound, int level);
  // Moves the lagging cursors to the row of the leading ones.
  void BringLagging(std::string_view escaped_row);
  // Moves the leading cursors past the row, which was not read.
  void SkipRow(std::string_view escaped_row);
  // Moves all cursors past the row, which was read in full or in part.
  void LeaveRow(std::string_view escaped_row);

 private:
  FamilyCursor* First();
  std::span<FamilyReader> Leading() { return std::span(readers_).first(leading_); }
  std::span<FamilyReader> Lagging() { return std::span(readers_).subspan(leading_); }

  const bool reversed_;
  std::vector<FamilyReader> readers_;  // the leading ones first
  size_t leading_ = 0;
  std::string bound_;
};

}  // namespace klip::engine
