#include "hbase/scanner.h"

#include <utility>

#include "hbase/region_streams.h"

namespace klip::client {
namespace {

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
    // Mostly a whole row is at hand, of which a look at the clock would cost a fifth.
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

  ScanStatistics statistics() const override { return statistics_; }

  klip::Explain explain() const override {
    klip::Explain plan = plan_;
    plan.actual = statistics_;
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

  // Fetches a piece of a row that is wanted.
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

  // All pieces of a row.
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

  // A piece as it came. A row that begins again after a failure is passed over up to where it was.
  Expected<bool> NextPiece(Result* result) {
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, Fetch());
      const bool same_row = in_row_ && more && stream_.row() == row_;
      if (stream_.TakeRestarted() && same_row) {
        cells_to_pass_ = cells_of_row_;
      }
      if (in_row_ && !same_row) {
        RowDone();  // what was announced did not come
        cells_to_pass_ = 0;
        if (limit_rows_ > 0 && rows_ >= limit_rows_) {
          return false;
        }
      }
      if (!more) {
        return false;
      }
      if (!same_row) {
        row_ = stream_.row();
        cells_of_row_ = 0;
      }
      const bool partial = stream_.partial();
      KLIP_RETURN_IF_ERROR(stream_.Take(result));
      const size_t passed = std::min(cells_to_pass_, result->size());
      for (size_t i = 0; i < passed; ++i) {
        result->Erase(0);
      }
      cells_to_pass_ -= passed;
      cells_of_row_ += result->size();
      result->set_has_more_cells_in_row(partial);
      in_row_ = true;
      if (!partial) {
        RowDone();
      }
      if (!result->empty()) {
        return true;
      }
      result->Clear();
    }
  }

  const bool pieces_;
  const int64_t limit_rows_;
  int64_t rows_ = 0;  // that are complete
  const std::shared_ptr<const filter::RowSet> rows_wanted_;
  const std::unique_ptr<filter::RowCursor> cursor_;  // null: all that come
  Result dropped_;
  RegionStreams stream_;
  klip::Explain plan_;
  ScanStatistics statistics_;
  const CancelToken token_ = CancelToken::Current();

  // Of the row that pieces are returned of.
  bool in_row_ = false;
  std::string row_;
  size_t cells_of_row_ = 0;   // returned
  size_t cells_to_pass_ = 0;  // returned before, and on their way again
};

}  // namespace

std::unique_ptr<ResultScanner> OpenScanner(Cluster* cluster, std::string table, ScanWork work) {
  return std::make_unique<RemoteScanner>(cluster, std::move(table), std::move(work));
}

}  // namespace klip::client
