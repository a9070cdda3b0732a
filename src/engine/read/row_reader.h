// RowReader: fills Results with the visible cells of one row at a time, for scans and gets alike. Asks the matcher of each
// family, then the filter, in HBase's order; copies each cell once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layout/cell_key.h"
#include "engine/read/family_cursor.h"
#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/filter_state.h"
#include "klip/plan.h"
#include "klip/row_batch.h"
#include "klip/status.h"
#include "model/read_matcher.h"

namespace klip::engine {

// A family as one scan reads it.
struct FamilyReader {
  FamilyReader(const Family& read, model::ReadRules rules);

  // Escaped qualifiers asked for, sorted; empty: the whole family.
  const std::vector<std::string>& qualifiers() const { return matcher.qualifiers(); }

  const Family* family;
  std::string_view name;  // lives as long as the process: Results point to it
  model::ReadMatcher matcher;
  std::unique_ptr<FamilyCursor> cursor;
};

struct RowReadLimits {
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
  int32_t batch = 0;                 // cells of a piece; 0: whole rows
  int64_t max_piece_bytes = 0;       // 0: whole rows
  int64_t max_piece_cells_read = 0;  // a piece ends, empty as it may be, after so many cells were looked at; 0: never
  int64_t max_row_read_bytes = 0;
  bool existence_only = false;  // stop at the first visible cell
  bool reversed = false;
  bool stop_at_regions = false;  // hints lead no further than the next region: the filter begins anew there
};

// Not thread-safe. Holds views of the row's bytes between StartRow and the row's end.
class RowReader {
 public:
  enum class Outcome : uint8_t {
    kDone,    // with this family's part of the row
    kPaused,  // the piece is full and more follows: call again with an empty Result
    kFailed,  // see status()
  };

  // `table` and `statistics` outlive the reader.
  RowReader(const TableView* table, RowReadLimits limits, ScanStatistics* statistics);

  void set_filter(filter::FilterState* filter) {
    filter_ = filter;
    filter_calls_ = filter == nullptr ? 0 : filter->Calls();
    if (filter != nullptr && !filter->HasFilterRow()) {
      filter_calls_ &= ~filter::kFilterRowCells;
    }
  }

  // Begins the row. `escaped_row` may move.
  void StartRow(std::string_view escaped_row, bool plain);
  std::string_view escaped_row() const { return escaped_row_; }
  std::string_view raw_row() const { return raw_row_; }

  enum class Simple : uint8_t {
    kNo,           // not such a row: nothing has happened
    kRow,          // that was the whole row
    kMore,         // more cells follow: go on with ReadFamily
    kRestDropped,  // more cells follow, but the filter wants none of them
  };
  // In place of StartRow and ReadFamily, between rows of a forward scan of one family without filter and limits on the cells
  // of a family: reads a row that begins with a visible put, as nearly all rows do, at the least cost.
  Simple ReadSimpleRow(FamilyReader* reader, Result* result);
  // Whether the row that the reader's cursor is at, between rows, is such a row. Reads nothing.
  bool SeesSimpleRow(const FamilyReader& reader) const;

  // What a batch takes of a family.
  struct BatchColumns {
    static constexpr size_t kNoSlot = static_cast<size_t>(-1);
    struct Column {
      std::string escaped_qualifier;
      size_t slot = kNoSlot;  // of the batch; kNoSlot: it makes a row exist, no more
    };
    bool named = false;           // the scan names columns: a row without them does not exist
    std::vector<Column> columns;  // sorted; those that the scan names, else those of the batch
  };
  static BatchColumns ColumnsOf(const FamilyReader& reader, const RowBatch& batch);
  // As ReadSimpleRow, into a batch, up to the first cell that is no visible put. kMore: the rest goes into `rest`, which is then
  // to be added to the batch; it is not empty if the scan returns the row whatever follows. kRestDropped: nothing is left to know of the
  // row; the cursor is still in it. A row that the scan does not return is not in the batch.
  Simple FillSimpleRow(FamilyReader* reader, const BatchColumns& wanted, RowBatch* batch, Result* rest);
  std::string_view filled_row() const { return std::string_view(row_key_).substr(0, filled_row_bytes_); }
  // As ReadSimpleRow, with a filter that has been asked about the row's key; kRow: Finish has the last word.
  Simple ReadFilteredRow(FamilyReader* reader, Result* result);

  // Appends the family's cells of the row. The reader's cursor is at the row (EnterRow was called).
  Outcome ReadFamily(FamilyReader* reader, Result* result);
  // The same, but only for the cells that the cursor has in reach: for a column sought by itself.
  Outcome ReadColumn(FamilyReader* reader, Result* result);
  void StartFamily(FamilyReader* reader);

  // Between the families that the filter needs to decide and the others: false when the row is dropped whatever the others hold.
  bool Passes(const Result& result) { return filter_->HasFilterRow() ? !filter_->FilterRow() : !result.empty(); }
  // Puts cells in the order of their families, where families were read in another.
  void OrderFamilies(Result* result);

  // The filter's last word on the row or piece. False: the row is dropped (*result is empty), or status() is an error of it. As in
  // HBase, a piece that more of the row follows is returned before the filter can tell of the row.
  bool Finish(Result* result, bool more_follows = false);

  const Status& status() const { return status_; }
  Status CorruptCell(const FamilyReader& reader, std::string_view what) const;

 private:
  // TUNING: a piece of a row as long as this is read without asking for memory, which costs something; and it is asked for in steps.
  static constexpr int64_t kFreeBytes = 256 << 10;
  static constexpr int64_t kHoldStep = 1 << 20;

  struct Decision {
    model::MatchCode code;
    bool hint = false;
  };

  // A row's first cell, where it is a visible put without tags, and nothing in its key is escaped. Views of the cursor's bytes.
  struct FirstPut {
    std::string_view key;  // row and qualifier, with their terminators
    std::string_view value;
    size_t row_bytes = 0;  // of the key
    int64_t timestamp_ms = 0;

    int64_t stored_bytes() const {
      return static_cast<int64_t>(key.size() + kTimestampAndTypeBytes + 1 + value.size());
    }
  };
  bool ParseFirstPut(const FamilyReader& reader, FirstPut* put) const;
  // The same without a word on whether it is visible, of any cell.
  static bool ParsePut(const FamilyCursor& cursor, FirstPut* put);
  static Cell CellOf(const FamilyReader& reader, const FirstPut& put);
  // Appends the cell and returns it; its bytes begin with those of put.key.
  Cell& CopyFirstPut(const FamilyReader& reader, const FirstPut& put, Result* result);
  // Makes the row whose first cell was handled the row at hand.
  void AdoptRow(FamilyReader* reader, std::string_view key, size_t row_bytes, int64_t timestamp_ms);

  Outcome Read(FamilyReader* reader, Result* result);
  Outcome Fail(Status status);
  Decision AskFilter(FamilyReader* reader, model::MatchCode code);
  // What the filter's answer to the cell means, which the matcher included by `code`.
  Decision Decide(FamilyReader* reader, const Cell& cell, filter::ReturnCode answer, model::MatchCode code);
  Cell CellAtHand(const FamilyReader& reader);
  bool ParseCell(const FamilyCursor& cursor);
  bool PieceIsFull(const Result& result) const;
  // As in HBase a limit of 0 does not keep the first cell behind the offset out.
  bool FamilyIsFull() const {
    return limits_.max_results_per_family > -1 && family_cells_ > limits_.row_offset_per_family &&
           family_cells_ >= int64_t{limits_.max_results_per_family} + limits_.row_offset_per_family;
  }
  // Of the row or piece, before so many bytes of it are copied. False: there is no memory, see status_.
  bool HoldMemory();
  // False: an error, see status_.
  bool Include(FamilyReader* reader, Result* result);
  void Append(FamilyReader* reader, Result* result);
  void CopyCell(const FamilyReader& reader, const Cell* transformed, Result* result);
  void Advance(FamilyReader* reader, Decision decision);
  void FollowHint(FamilyReader* reader);
  void LeaveRowByHint(FamilyCursor* cursor);
  void GoToNextColumn(FamilyReader* reader);

  const TableView* table_;
  const RowReadLimits limits_;
  const int64_t simple_bytes_;  // a longer row is not read as a simple one
  ScanStatistics* statistics_;
  filter::FilterState* filter_ = nullptr;
  uint8_t filter_calls_ = 0;  // filter::Call
  Status status_;

  // The row.
  std::string escaped_row_;
  std::string raw_row_storage_;
  std::string row_key_;  // of a filtered row's first cell, of a row's last cell in a batch
  size_t filled_row_bytes_ = 0;
  std::string_view raw_row_;
  bool plain_row_ = true;
  int64_t row_bytes_read_ = 0;

  // The piece: where the Result holds the row, once copied.
  std::string_view stored_row_;
  int64_t piece_bytes_ = 0;
  int64_t held_bytes_ = kFreeBytes;       // of memory, for the piece
  int64_t piece_cells_left_ = INT64_MAX;  // to be looked at

  // The family.
  bool single_column_ = false;
  bool family_open_ = false;
  int64_t family_cells_ = 0;

  // The cell.
  std::string_view escaped_qualifier_;
  bool plain_qualifier_ = true;
  int64_t timestamp_ms_ = 0;
  CellType type_ = CellType::kPut;
  CellValueView value_;
  std::string qualifier_storage_;
  bool pending_ = false;  // matched before the pause, not appended yet
  Decision pending_decision_ = {model::MatchCode::kInclude};
  filter::CellHint hint_;
  std::vector<Cell> filter_cells_;
  std::string target_;
};

}  // namespace klip::engine
