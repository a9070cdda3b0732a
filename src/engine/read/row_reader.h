// RowReader: fills Results with the visible cells of one row at a time, for scans and gets. Asks the matcher of each
// family, then the filter, in HBase's order. Copies each cell once.
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

  // The requested qualifiers, escaped and sorted; empty: the whole family.
  const std::vector<std::string>& qualifiers() const { return matcher.qualifiers(); }

  const Family* family;
  std::string_view name;  // valid until the process ends: Results point to it
  model::ReadMatcher matcher;
  std::unique_ptr<FamilyCursor> cursor;
};

struct RowReadLimits {
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
  int32_t batch = 0;                 // cells of a piece; 0: whole rows
  int64_t max_piece_bytes = 0;       // 0: whole rows
  int64_t max_piece_cells_read = 0;  // a piece ends after reading so many cells, even if it is empty; 0: never
  int64_t max_row_read_bytes = 0;
  bool existence_only = false;  // stop at the first visible cell
  bool reversed = false;
  bool stop_at_regions = false;  // hints lead at most to the next region, where the filter starts from the beginning
};

// Not thread-safe. Holds views of the row's bytes between StartRow and the end of the row.
class RowReader {
 public:
  enum class Outcome : uint8_t {
    kDone,    // this family has no more cells in the row
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

  // Starts the row. `escaped_row` may move.
  void StartRow(std::string_view escaped_row, bool plain);
  std::string_view escaped_row() const { return escaped_row_; }
  std::string_view raw_row() const { return raw_row_; }

  // --- Short paths (simple_cells.cc), for forward scans of one family without limits on its cells ---
  // They replace StartRow and ReadFamily between rows, for rows that begin with a visible put.
  enum class Simple : uint8_t {
    kNo,           // not such a row: nothing was read
    kRow,          // the whole row was read
    kMore,         // more cells follow: continue with ReadFamily
    kRestDropped,  // more cells follow, but none of them matters; the cursor is still in the row
  };
  // For scans of all columns without a filter.
  Simple ReadSimpleRow(FamilyReader* reader, Result* result);
  // Whether the reader's cursor, between rows, stands at such a row. Reads nothing.
  bool SeesSimpleRow(const FamilyReader& reader) const;

  // The columns that a scan, or a batch, reads from a family.
  struct ListedColumns {
    static constexpr size_t kNoSlot = static_cast<size_t>(-1);
    struct Column {
      std::string escaped_qualifier;
      size_t slot = kNoSlot;  // of the batch; kNoSlot: it only makes the row exist
    };
    bool named = false;           // the scan names columns: a row without them does not exist
    std::vector<Column> columns;  // sorted; those that the scan names, else those of the batch
  };
  static ListedColumns ColumnsOf(const FamilyReader& reader);
  static ListedColumns ColumnsOf(const FamilyReader& reader, const RowBatch& batch);
  // For scans of these columns without a filter. *result may remain empty.
  Simple ReadNamedColumns(FamilyReader* reader, const ListedColumns& wanted, Result* result);
  // Fills a batch. kMore: read the rest into `rest`, then add that to the batch; `rest` is not empty if the scan returns
  // the row in any case. A row that the scan does not return is not in the batch.
  Simple FillSimpleRow(FamilyReader* reader, const ListedColumns& wanted, RowBatch* batch, Result* rest);
  // For scans of all columns or of the `named` ones, after the filter has passed the row's key. Finish still decides.
  Simple ReadFilteredRow(FamilyReader* reader, const ListedColumns* named, Result* result);
  // Of the last two, and of ReadNamedColumns: the escaped row.
  std::string_view kept_row() const { return std::string_view(kept_).substr(0, kept_row_bytes_); }

  // Appends the family's cells of the row. The reader's cursor is at the row (EnterRow was called).
  Outcome ReadFamily(FamilyReader* reader, Result* result);
  // The same for a column to which the cursor has sought: appends only the cells within the cursor's reach.
  Outcome ReadColumn(FamilyReader* reader, Result* result);
  void StartFamily(FamilyReader* reader);

  // Call it after the families that the filter needs, before the others. False: the row is dropped whatever the others
  // contain.
  bool Passes(const Result& result) { return filter_->HasFilterRow() ? !filter_->FilterRow() : !result.empty(); }
  // Sorts cells by family, if the families were read in another order.
  void OrderFamilies(Result* result);

  // The filter's final decision on the row or piece. False: the row is dropped (*result is empty), or status() is an
  // error. As in HBase, a piece that more of the row follows is returned before the filter can decide about the row.
  bool Finish(Result* result, bool more_follows = false);

  const Status& status() const { return status_; }
  Status CorruptCell(const FamilyReader& reader, std::string_view what) const;

 private:
  // TUNING: reserving memory costs time. So a piece up to this length reserves none, and a longer one reserves in
  // steps.
  static constexpr int64_t kFreeBytes = 256 << 10;
  static constexpr int64_t kHoldStep = 1 << 20;

  struct Decision {
    model::MatchCode code;
    bool hint = false;
  };

  // A put without tags. Views of the cursor's bytes, one behind the other.
  struct PlainPut {
    std::string_view escaped_row;
    std::string_view qualifier;  // with its terminator; nothing in it is escaped, unless ParsePut allows it
    std::string_view value;
    int64_t timestamp_ms = 0;

    std::string_view key() const { return {escaped_row.data(), escaped_row.size() + qualifier.size()}; }
    int64_t stored_bytes() const {
      return static_cast<int64_t>(key().size() + kTimestampAndTypeBytes + 1 + value.size());
    }
  };
  static int64_t SimpleBytes(const RowReadLimits& limits);
  enum class Names : uint8_t { kPlain, kEscaped };
  static bool ParsePut(const FamilyCursor& cursor, PlainPut* put, Names names = Names::kPlain);
  // False also for a put that is not visible: as the first cell of its row, or of its column after `bytes` of others.
  bool ParseFirstPut(const FamilyReader& reader, PlainPut* put) const;
  bool ParseNextPut(const FamilyReader& reader, int64_t bytes, PlainPut* put, Names names = Names::kPlain) const;
  // Keeps bytes of the cursor's key for when it has moved.
  void KeepRow(const PlainPut& put);
  void KeepQualifier(const PlainPut& put);
  std::string_view kept_qualifier() const {
    return std::string_view(kept_).substr(kept_row_bytes_, kept_qualifier_bytes_);
  }
  // Appends the Result's first cell. Returns the escaped row, valid until KeepRow or a change of the Result.
  std::string_view CopyFirstPut(const FamilyReader& reader, const PlainPut& put, Result* result);
  void CopyNextPut(const FamilyReader& reader, const PlainPut& put, Result* result);
  static void AppendCopied(const FamilyReader& reader, const PlainPut& put, std::string_view row, const char* qualifier,
                           Result* result);
  // Reads the rest of a row of which `bytes` were read into the Result.
  Simple ReadNextPuts(FamilyReader* reader, std::string_view escaped_row, int64_t bytes, Result* result);
  struct Listed {
    Simple outcome = Simple::kMore;
    const std::string* last_taken = nullptr;  // a column of the list
    int64_t bytes = 0;                        // of cells that were taken
    int64_t timestamp_ms = 0;                 // of the last cell that the cursor has left; it is kept
  };
  template <Names kNames, typename Take>
  Listed ReadListed(FamilyReader* reader, const ListedColumns& wanted, PlainPut put, const Take& take);
  struct NamedWalk {
    size_t next = 0;  // the first named column that the row may still have
    int passed = 0;   // cells of other columns, in succession
  };
  filter::ReturnCode AskAboutPut(const FamilyReader& reader, const ListedColumns* named, NamedWalk* walk,
                                 const PlainPut& put, std::string_view row);
  // Whether ReadFilteredRow may continue with the cursor's cell, which *put becomes. `last`: the qualifier before it.
  bool FilterSeesNext(const FamilyReader& reader, int64_t bytes, std::string_view last, PlainPut* put);
  // Makes the row the current one; its cells up to this one were handled already. Returns the matcher's code for it.
  model::MatchCode AdoptRow(FamilyReader* reader, std::string_view escaped_row, std::string_view qualifier,
                            int64_t timestamp_ms);
  void AdoptPiece(const Result& result, int64_t bytes);

  Outcome Read(FamilyReader* reader, Result* result);
  Outcome Fail(Status status);
  Decision AskFilter(FamilyReader* reader, model::MatchCode code);
  // Combines the filter's answer to a cell with `code`, by which the matcher included it.
  Decision Decide(FamilyReader* reader, const Cell& cell, filter::ReturnCode answer, model::MatchCode code);
  Cell CellAtHand(const FamilyReader& reader);
  bool ParseCell(const FamilyCursor& cursor);
  bool PieceIsFull(const Result& result) const;
  // As in HBase, a limit of 0 still lets the first cell after the offset in.
  bool FamilyIsFull() const {
    return limits_.max_results_per_family > -1 && family_cells_ > limits_.row_offset_per_family &&
           family_cells_ >= int64_t{limits_.max_results_per_family} + limits_.row_offset_per_family;
  }
  // Reserves memory for the row or piece, before so many bytes of it are copied. False: no memory, see status_.
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
  const bool takes_runs_;       // short paths may read more than the row's first cell
  ScanStatistics* statistics_;
  filter::FilterState* filter_ = nullptr;
  uint8_t filter_calls_ = 0;  // filter::Call
  Status status_;

  // The row.
  std::string escaped_row_;
  std::string raw_row_storage_;
  std::string kept_;  // of a short path: the escaped row, then the escaped qualifier
  size_t kept_row_bytes_ = 0;
  size_t kept_qualifier_bytes_ = 0;
  std::string_view raw_row_;
  bool plain_row_ = true;
  int64_t row_bytes_read_ = 0;

  // The piece: where the Result stores the row, once copied.
  std::string_view stored_row_;
  int64_t piece_bytes_ = 0;
  int64_t held_bytes_ = kFreeBytes;       // memory reserved for the piece
  int64_t piece_cells_left_ = INT64_MAX;  // to be read

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
