#include "hbase/table/scanner.h"

#include <algorithm>
#include <utility>

#include "hbase/table/region_streams.h"

namespace klip::client {
namespace {

// The position of a cell among those of its row.
class CellPlace {
 public:
  void Set(const Cell& cell) {
    family_ = cell.family;
    qualifier_ = cell.qualifier;
    timestamp_ms_ = cell.timestamp_ms;
    type_ = cell.type;
  }

  // Drops the cells up to and including this position.
  void DropThrough(Result* result) const {
    const auto first = std::ranges::partition_point(*result, [&](const Cell& cell) { return !IsBehind(cell); });
    const auto dropped = static_cast<size_t>(first - result->begin());
    const size_t kept = result->size() - dropped;
    for (size_t i = 0; i < kept && dropped > 0; ++i) {
      result->Mutable(i) = (*result)[i + dropped];
    }
    result->Truncate(kept);
  }

 private:
  bool IsBehind(const Cell& cell) const {
    if (const int families = cell.family.compare(family_); families != 0) {
      return families > 0;
    }
    if (const int qualifiers = cell.qualifier.compare(qualifier_); qualifiers != 0) {
      return qualifiers > 0;
    }
    return cell.timestamp_ms != timestamp_ms_ ? cell.timestamp_ms < timestamp_ms_ : cell.type < type_;
  }

  std::string family_;
  std::string qualifier_;
  int64_t timestamp_ms_ = 0;
  CellType type_ = CellType::kPut;
};

class RemoteScanner final : public ResultScanner {
 public:
  RemoteScanner(Cluster* cluster, std::string table, ScanWork work)
      : pieces_(work.scan.batch > 0 || work.scan.allow_partial_results),
        limit_rows_(work.scan.limit_rows),
        rows_wanted_(std::move(work.rows)),
        cursor_(rows_wanted_ == nullptr ? nullptr : rows_wanted_->NewCursor(work.scan.reversed)),
        stream_(cluster, std::move(table), std::move(work.scan)),
        plan_(std::move(work.plan)) {
    stream_.set_rows_left(cursor_ == nullptr ? limit_rows_ : 0);
  }

  Expected<bool> Next(Result* result) override {
    result->Clear();
    if (Over()) {
      return false;
    }
    // Mostly a whole row is available, and reading the clock would cost a fifth of it.
    while (!pieces_ && stream_.HasRow()) {
      (void)stream_.TakeRestarted();
      if (Status taken = stream_.Take(result); !taken.ok()) {
        result->Clear();
        return taken;
      }
      if (Wants(result->row())) {
        RowDone();
        CountReturned(*result);
        return true;
      }
      ++statistics_.rows_read;
      result->Clear();
    }
    const CancelScope scope(token_);
    const auto begin = Clock::now();
    Expected<bool> more = pieces_ ? NextPiece(result) : NextRow(result);
    if (more.ok() && *more) {
      CountReturned(*result);
    } else {
      result->Clear();
    }
    statistics_.elapsed_us += (Clock::now() - begin) / std::chrono::microseconds(1);
    return more;
  }

  ScanStatistics statistics() const override {
    ScanStatistics all = stream_.reported();
    all.rows_read = std::max(all.rows_read, statistics_.rows_read);  // old servers report none
    all.rows_returned = statistics_.rows_returned;
    all.cells_read = statistics_.cells_read;
    all.elapsed_us = statistics_.elapsed_us;
    return all;
  }

  klip::Explain explain() const override {
    klip::Explain plan = plan_;
    plan.actual = statistics();
    return plan;
  }

 private:
  bool Over() const {
    const bool nothing = rows_wanted_ != nullptr && rows_wanted_->empty();
    return nothing || (limit_rows_ > 0 && rows_ >= limit_rows_ && !in_row_);
  }

  bool Wants(std::string_view row) { return cursor_ == nullptr || cursor_->InRun(row) || cursor_->Holds(row); }

  void CountReturned(const Result& result) {
    ++statistics_.rows_returned;
    ++statistics_.rows_read;
    statistics_.cells_read += static_cast<int64_t>(result.size());
  }

  void RowDone() {
    in_row_ = false;
    ++rows_;
    if (limit_rows_ > rows_ && cursor_ == nullptr) {
      stream_.set_rows_left(limit_rows_ - rows_);
    }
  }

  // Fetches a piece of a wanted row.
  Expected<bool> Fetch() {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, stream_.Fetch());
      if (!more || Wants(stream_.row())) {
        return more;
      }
      dropped_.Clear();
      KLIP_RETURN_IF_ERROR(stream_.Take(&dropped_));
      ++statistics_.rows_read;
    }
  }

  // Returns all pieces of a row.
  Expected<bool> NextRow(Result* result) {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Fetch());
      if (stream_.TakeRestarted()) {
        result->Clear();
      }
      if (!more || (!result->empty() && stream_.row() != result->row())) {
        break;
      }
      const bool partial = stream_.partial();
      KLIP_RETURN_IF_ERROR(stream_.Take(result));
      if (!partial && !result->empty()) {
        break;
      }
    }
    if (result->empty()) {
      return false;
    }
    RowDone();
    return true;
  }

  // Returns a piece as it came. If a row starts again after a failure, skips the cells up to the last one returned, by
  // their keys: some of them may be gone meanwhile.
  Expected<bool> NextPiece(Result* result) {
    while (!Over()) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Fetch());
      const bool same_row = in_row_ && more && stream_.row() == row_;
      if (in_row_ && !same_row) {
        RowDone();  // the announced rest did not come
      }
      if (!more || Over()) {
        break;
      }
      if (stream_.TakeRestarted() || !same_row) {
        passing_ = same_row;
      }
      if (!same_row) {
        row_ = stream_.row();
      }
      const bool partial = stream_.partial();
      KLIP_RETURN_IF_ERROR(stream_.Take(result));
      if (passing_) {
        last_.DropThrough(result);
      }
      if (!result->empty()) {
        passing_ = false;
        in_row_ = true;
        if (partial) {
          last_.Set((*result)[result->size() - 1]);
        }
      }
      if (!partial && in_row_) {
        RowDone();
      }
      if (!result->empty()) {
        result->set_has_more_cells_in_row(partial);
        return true;
      }
      result->Clear();
    }
    return false;
  }

  const bool pieces_;
  const int64_t limit_rows_;
  int64_t rows_ = 0;  // complete ones
  const std::shared_ptr<const filter::RowSet> rows_wanted_;
  const std::unique_ptr<filter::RowCursor> cursor_;  // null: all rows are wanted
  Result dropped_;
  RegionStreams stream_;
  klip::Explain plan_;
  ScanStatistics statistics_;  // of what came here; rows_read: those that were dropped among them
  const CancelToken token_ = CancelToken::Current();

  // Of the row whose pieces are being returned.
  bool in_row_ = false;
  std::string row_;
  CellPlace last_;        // the last cell returned, if more of the row may follow
  bool passing_ = false;  // cells that were returned are coming again
};

}  // namespace

std::unique_ptr<ResultScanner> OpenScanner(Cluster* cluster, std::string table, ScanWork work) {
  return std::make_unique<RemoteScanner>(cluster, std::move(table), std::move(work));
}

}  // namespace klip::client
