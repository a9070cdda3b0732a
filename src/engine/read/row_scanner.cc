#include "engine/read/row_scanner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"

#include "engine/layout/cell_key.h"
#include "engine/read/row_scanner_rep.h"

namespace klip::engine {
namespace {

// Jumps from each row to the next one.
class NextRowCursor final : public filter::RowCursor {
 public:
  NextRowCursor(std::unique_ptr<filter::RowCursor> rows, bool reversed) : RowCursor(reversed), rows_(std::move(rows)) {}

  Verdict Look(std::string_view row) override {
    if (rows_->Holds(row)) {
      return Verdict::kInside;
    }
    target_ = row;
    if (!reversed_) {
      target_.push_back('\0');
    }
    return Verdict::kJump;
  }
  bool First() override { return true; }

 private:
  const std::unique_ptr<filter::RowCursor> rows_;
};

KeyBounds BoundsOf(const Scan& scan) {
  const std::string& low = scan.reversed ? scan.stop_row : scan.start_row;
  const std::string& high = scan.reversed ? scan.start_row : scan.stop_row;
  const bool include_low = scan.reversed ? scan.include_stop : scan.include_start;
  const bool include_high = scan.reversed ? scan.include_start : scan.include_stop;
  KeyBounds bounds;
  if (!low.empty()) {
    bounds.lower = include_low ? RowStartKey(low) : RowEndKey(low);
  }
  if (!high.empty()) {
    bounds.upper = include_high ? RowEndKey(high) : RowStartKey(high);
  }
  return bounds;
}

ReadRequest RequestOf(const RowScanSpec& spec, int64_t now_ms) {
  ReadRequest request;
  request.row = spec.scan.start_row;
  request.columns = &spec.scan.columns;
  request.time_range = spec.scan.time_range;
  request.family_time_ranges = &spec.scan.family_time_ranges;
  request.max_versions = spec.scan.max_versions;
  request.raw = spec.scan.raw;
  request.has_filter = spec.filter != nullptr;
  request.now_ms = now_ms;
  return request;
}

// TUNING: how often a watch is called. A jump to a row may take 10 us, while cells of a row follow each other quickly.
constexpr int64_t kWatchedRows = 64;
constexpr int64_t kWatchedCells = 4096;

const rocksdb::PerfContext& PerfContextOfThread() {
  thread_local constinit const rocksdb::PerfContext* context = nullptr;  // RocksDB's own look-up is slow
  if (context == nullptr) [[unlikely]] {
    context = rocksdb::get_perf_context();
  }
  return *context;
}

// Counts the blocks that this thread reads during the counter's lifetime. RocksDB counts per thread, for all iterators
// together.
class BlocksRead {
 public:
  explicit BlocksRead(ScanStatistics* statistics)
      : statistics_(statistics), perf_(&PerfContextOfThread()), before_(perf_->block_read_count) {}
  BlocksRead(const BlocksRead&) = delete;
  BlocksRead& operator=(const BlocksRead&) = delete;
  ~BlocksRead() { statistics_->blocks_read += static_cast<int64_t>(perf_->block_read_count - before_); }

 private:
  ScanStatistics* const statistics_;
  const rocksdb::PerfContext* const perf_;
  const uint64_t before_;
};

}  // namespace

int64_t SampledClock::ElapsedUs() const {
  const uint64_t all_ticks = Ticks() - first_ticks_;
  const double all_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - first_time_).count();
  return all_ticks == 0 ? 0
                        : static_cast<int64_t>(all_us * static_cast<double>(ticks_) / static_cast<double>(all_ticks));
}

RowScanner::Rep::Rep(TablePtr view, RowScanSpec spec)
    : table_(std::move(view)),
      spec_(std::move(spec)),
      reversed_(spec_.scan.reversed),
      bounds_(BoundsOf(spec_.scan)),
      lower_(bounds_.lower),
      upper_(bounds_.upper),
      families_(reversed_) {}

// --- Start ---

Status RowScanner::Rep::Start(const Store& store) {
  KLIP_ASSIGN_OR_RETURN(
      std::vector<FamilyReader> readers,
      MakeReaders(*table_, RequestOf(spec_, spec_.view != nullptr ? spec_.view->now_ms() : store.NowMs())));
  families_.Adopt(std::move(readers));
  RowReadLimits limits = LimitsOfScan();
  if (spec_.filter != nullptr) {
    KLIP_RETURN_IF_ERROR(MakeFilter(&limits));
  }
  if (spec_.watch) {
    rows_until_watch_ = kWatchedRows;
    limits.max_piece_cells_read = limits.max_piece_bytes > 0 && limits.batch == 0 ? kWatchedCells : 0;
  }
  path_ = ChoosePath(limits);
  const bool whole_rows = limits.batch == 0 && limits.max_piece_bytes == 0;
  // a filter that does may have to see every cell
  if (filter_.has_value() && whole_rows && !filter_->RemembersRows()) {
    families_.LetEssentialLead(filter_->state());
  }
  reader_.emplace(table_.get(), limits, &statistics_);
  reader_->set_filter(filter_.has_value() ? &filter_->state() : nullptr);
  if (path_ != Path::kGeneral && !families_.front().qualifiers().empty()) {
    named_columns_ = RowReader::ColumnsOf(families_.front());
  }

  if (families_.size() == 0 || (!bounds_.upper.empty() && bounds_.lower >= bounds_.upper)) {
    phase_ = Phase::kDone;
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(OpenAll(store));
  if (!GoToFirstRow()) {
    phase_ = Phase::kDone;
  }
  return Status::Ok();
}

RowReadLimits RowScanner::Rep::LimitsOfScan() const {
  RowReadLimits limits;
  limits.max_results_per_family = spec_.scan.max_results_per_family;
  limits.row_offset_per_family = spec_.scan.row_offset_per_family;
  limits.batch = spec_.scan.batch;
  limits.max_piece_bytes = spec_.scan.allow_partial_results ? spec_.scan.max_result_bytes : 0;
  limits.max_row_read_bytes = spec_.max_row_read_bytes;
  limits.reversed = reversed_;
  return limits;
}

Status RowScanner::Rep::MakeFilter(RowReadLimits* limits) {
  filter_.emplace(spec_.filter, table_.get(), reversed_);
  limits->stop_at_regions = filter_->RemembersRows();
  if (filter_->state().HasFilterRow()) {
    if (spec_.scan.batch > 0 && !filter_->state().AllowsBatch()) {
      return {Code::kIncompatibleFilter,
              "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow"};
    }
    limits->max_piece_bytes = 0;  // the decision needs the whole row
  }
  return Status::Ok();
}

RowScanner::Rep::Path RowScanner::Rep::ChoosePath(const RowReadLimits& limits) const {
  if (families_.size() != 1 || reversed_ || limits.max_results_per_family >= 0 || limits.row_offset_per_family != 0) {
    return Path::kGeneral;
  }
  if (!filter_.has_value()) {
    return Path::kSimple;
  }
  const bool one_region = table_->regions == nullptr || table_->regions->size() <= 1;
  const bool any_key = spec_.rows == nullptr && !filter_->Makes(filter::kFilterRowKey);
  return one_region && any_key ? Path::kCellFilter : Path::kFiltered;
}

Status RowScanner::Rep::OpenAll(const Store& store) {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = spec_.scan.cache_blocks;
  options.iterate_lower_bound = bounds_.lower.empty() ? nullptr : &lower_;
  // A scan that jumps checks the bound itself: RocksDB would check it at every step, which costs more.
  unchecked_upper_ = spec_.rows != nullptr && !reversed_ ? std::string_view(bounds_.upper) : std::string_view();
  options.iterate_upper_bound = bounds_.upper.empty() || !unchecked_upper_.empty() ? nullptr : &upper_;
  return OpenCursors(store, spec_.view.get(), options, reversed_, spec_.expected_gap_rows, &families_.readers(),
                     &statistics_);
}

// REQUIRES: the cursors are open. Rows that become known later are not visible to them.
filter::KnownRows RowScanner::Rep::Known() const {
  filter::KnownRows known;
  uint32_t shortest = UINT32_MAX;
  for (const FamilyReader& one : families_.readers()) {
    shortest = std::min(shortest, one.family->state->shortest_row_bytes.load(std::memory_order_relaxed));
  }
  known.shortest_row_bytes = shortest == UINT32_MAX ? 0 : shortest;
  if (families_.size() == 1) {
    known.leads = families_.readers().front().family->state->leads->Known();
  }
  return known;
}

bool RowScanner::Rep::GoToFirstRow() {
  std::string start = reversed_ ? bounds_.upper : bounds_.lower;
  if (spec_.rows != nullptr) {
    auto cursor = spec_.rows->NewCursor(reversed_, Known());
    if (spec_.every_row) {
      cursor = std::make_unique<NextRowCursor>(std::move(cursor), reversed_);
    }
    rows_.emplace(std::move(cursor), unchecked_upper_.empty() ? "" : spec_.scan.stop_row,
                  families_.size() == 1 && !reversed_, &families_, &statistics_);
    if (!rows_->First()) {
      return false;
    }
    if (!rows_->target().empty()) {
      const std::string target = RowStartKey(rows_->target());
      if (start.empty() || (reversed_ ? target < start : target > start)) {
        start = target;
      }
    }
  }
  const BlocksRead blocks(&statistics_);
  families_.SeekToStart(start);
  return true;
}

// --- One row after the other ---

Expected<bool> RowScanner::Rep::Next(Result* result) {
  const uint64_t weight = clock_.NextWeight();
  result->Clear();
  const BlocksRead blocks(&statistics_);
  Step step = Step::kGoOn;
  if (weight == 0 && path_ == Path::kSimple) {
    step = NextSimple(result);
    if (step == Step::kReturn) [[likely]] {
      return true;
    }
  }
  const uint64_t before = weight > 0 ? Ticks() : 0;
  if (path_ == Path::kCellFilter && phase_ != Phase::kDone) {
    step = NextFiltered(result);
  }
  if (step == Step::kGoOn) {
    step = Read(result);
  }
  if (step != Step::kReturn) {
    result->Clear();
    result->set_has_more_cells_in_row(step == Step::kPaused && phase_ == Phase::kInRow);
    if (step != Step::kPaused) {
      phase_ = Phase::kDone;
    }
  }
  if (weight > 0) {
    clock_.Add(weight, Ticks() - before);
  }
  if (!failure_.ok()) {
    return failure_;
  }
  return step == Step::kReturn || step == Step::kPaused;
}

Expected<bool> RowScanner::Rep::Fill(RowBatch* batch) {
  const BlocksRead blocks(&statistics_);
  const uint64_t before = Ticks();
  const bool whole_rows = spec_.scan.batch == 0 && !spec_.scan.allow_partial_results;
  if (path_ == Path::kSimple && whole_rows && !batch_columns_.has_value()) {
    batch_columns_ = RowReader::ColumnsOf(families_.front(), *batch);
  }
  Step step = Step::kReturn;
  while (step == Step::kReturn && !batch->full()) {
    step = FillRow(batch);
  }
  if (step == Step::kEnd || step == Step::kFailed) {
    phase_ = Phase::kDone;
  }
  clock_.Add(1, Ticks() - before);
  if (!failure_.ok()) {
    return failure_;
  }
  return batch->rows() > 0 || step == Step::kPaused;
}

RowScanner::Rep::Step RowScanner::Rep::FillRow(RowBatch* batch) {
  batch_row_.Clear();
  Step step = Step::kGoOn;
  if (batch_columns_.has_value()) {
    step = FillSimpleRows(batch);
    if (step == Step::kReturn) {
      return step;
    }
  } else if (path_ == Path::kCellFilter && phase_ != Phase::kDone) {
    step = NextFiltered(&batch_row_);
  }
  if (step == Step::kGoOn) {
    step = Read(&batch_row_);
  }
  if (step == Step::kReturn) {
    batch->Add(batch_row_);
  }
  return step;
}

Expected<int64_t> RowScanner::Rep::CountRows() {
  int64_t rows = 0;
  Result result;
  while (true) {
    rows += path_ == Path::kSimple ? PassSimpleRows() : 0;
    KLIP_ASSIGN_OR_RETURN(const bool more, Next(&result));
    if (!more) {
      return rows;
    }
    rows += !result.empty() && !result.has_more_cells_in_row() ? 1 : 0;
  }
}

RowScanner::Rep::Step RowScanner::Rep::Read(Result* result) {
  Step step = Step::kGoOn;
  while (step == Step::kGoOn) {
    step = phase_ == Phase::kInRow ? ReadPiece(result) : BeginRow(result);
  }
  return step;
}

RowScanner::Rep::Step RowScanner::Rep::BeginRow(Result* result) {
  if (phase_ == Phase::kDone || LimitReached()) {
    return Step::kEnd;
  }
  FamilyCursor* cursor = nullptr;
  Step step = FindRow(&cursor);
  if (step != Step::kGoOn) {
    return step;
  }
  bool begun = false;
  if (path_ == Path::kSimple) {
    step = BeginSimple(result, &begun);
  } else if (path_ != Path::kGeneral) {
    step = BeginFiltered(result, &begun);
  }
  if (!begun) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): FindRow has set it
    reader_->StartRow(cursor->escaped_row(), cursor->plain_row());
    EnterRow();
  }
  return step;
}

RowScanner::Rep::Step RowScanner::Rep::FindRow(FamilyCursor** found) {
  LeaveReadRow();
  while (true) {
    FamilyCursor* cursor = families_.Next();
    if (cursor == nullptr || (!unchecked_upper_.empty() && cursor->key() >= unchecked_upper_)) {
      return CheckEnds(Step::kEnd);
    }
    if (!cursor->LocateRow()) {
      return Fail(reader_->CorruptCell(families_.ReaderOf(cursor), "row"));
    }
    Step step = --rows_until_watch_ <= 0 ? AskWatch(RowOf(*cursor)) : Step::kGoOn;
    bool read = true;
    if (step == Step::kGoOn && rows_.has_value() && !rows_->InRun(RowOf(*cursor))) {
      step = AskRowSet(cursor, &read);
    }
    if (step == Step::kGoOn && read && filter_.has_value()) {
      step = AskFilter(cursor, &read);
    }
    if (step != Step::kGoOn) {
      return step;
    }
    if (read) {
      ++statistics_.rows_read;
      *found = cursor;
      return Step::kGoOn;
    }
  }
}

RowScanner::Rep::Step RowScanner::Rep::AskRowSet(FamilyCursor* cursor, bool* read) {
  const RowSetWalk::Answer answer = rows_->Look(cursor, RowOf(*cursor));
  *read = answer == RowSetWalk::Answer::kInside;
  return answer == RowSetWalk::Answer::kEnd ? CheckEnds(Step::kEnd) : Step::kGoOn;
}

RowScanner::Rep::Step RowScanner::Rep::AskFilter(FamilyCursor* cursor, bool* read) {
  *read = false;
  switch (filter_->Ask(RowOf(*cursor), &*reader_)) {
    case RegionFilter::Answer::kReadRow:
      *read = true;
      return Step::kGoOn;
    case RegionFilter::Answer::kDropRow:
      ++statistics_.rows_read;
      families_.SkipRow(cursor->escaped_row());
      return Step::kGoOn;
    case RegionFilter::Answer::kRegionDone:
      if (filter_->Edge().empty()) {
        return CheckEnds(Step::kEnd);
      }
      families_.JumpTo(RowStartKey(filter_->Edge()), FamilyCursor::kHintLevel);
      return Step::kGoOn;
    case RegionFilter::Answer::kFailed:
      ++statistics_.rows_read;
      return Fail(*filter_->state().Error());
  }
  return Step::kGoOn;
}

RowScanner::Rep::Step RowScanner::Rep::AskWatch(std::string_view row) {
  rows_until_watch_ = kWatchedRows;
  switch (spec_.watch(row)) {
    case ScanAdvice::kGoOn:
      return Step::kGoOn;
    case ScanAdvice::kPause:
      return Step::kPaused;
    case ScanAdvice::kEnd:
      break;
  }
  return Fail({Code::kCancelled, "the scan was ended at row " + ToStringBinary(row)});
}

RowScanner::Rep::Step RowScanner::Rep::ReadPiece(Result* result) {
  const RowReader::Outcome outcome = ReadRow(result);
  if (outcome == RowReader::Outcome::kFailed) {
    return Fail(reader_->status());
  }
  phase_ = outcome == RowReader::Outcome::kPaused ? Phase::kInRow : Phase::kRowRead;
  const Step step = FinishPiece(result);
  if (step == Step::kReturn) {
    result->set_has_more_cells_in_row(phase_ == Phase::kInRow);
  }
  // A piece may be empty because the filter dropped its cells: the watch is called there too.
  const bool ask = step == Step::kGoOn && phase_ == Phase::kInRow && spec_.watch;
  return ask ? AskWatch(reader_->raw_row()) : step;
}

RowReader::Outcome RowScanner::Rep::ReadRow(Result* result) {
  RowReader::Outcome outcome = ReadFamilies(families_.leading(), result);
  if (outcome != RowReader::Outcome::kDone || families_.leading() == families_.size() || !reader_->Passes(*result)) {
    return outcome;
  }
  families_.BringLagging(reader_->escaped_row());
  outcome = ReadFamilies(families_.size(), result);
  reader_->OrderFamilies(result);
  return outcome;
}

RowReader::Outcome RowScanner::Rep::ReadFamilies(size_t end, Result* result) {
  for (; next_family_ < end; ++next_family_) {
    FamilyReader& one = families_.readers()[next_family_];
    FamilyCursor& cursor = *one.cursor;
    if (!cursor.entered()) {
      if (cursor.at_end() || (families_.size() > 1 && !cursor.key().starts_with(reader_->escaped_row()))) {
        continue;
      }
      cursor.EnterRow(reader_->escaped_row());
    }
    const RowReader::Outcome outcome = reader_->ReadFamily(&one, result);
    if (outcome != RowReader::Outcome::kDone) {
      return outcome;
    }
  }
  return RowReader::Outcome::kDone;
}

RowScanner::Rep::Step RowScanner::Rep::FinishPiece(Result* result) {
  const bool kept = reader_->Finish(result, /*more_follows=*/phase_ == Phase::kInRow);
  if (!reader_->status().ok()) {
    return Fail(reader_->status());
  }
  const Step step = kept ? Step::kReturn : Step::kGoOn;
  returned_of_row_ |= kept;
  if (phase_ == Phase::kInRow) {
    return step;
  }
  const Step checked = CheckEnds(step);
  if (checked != Step::kFailed) {
    statistics_.rows_returned += std::exchange(returned_of_row_, false) ? 1 : 0;
  }
  return checked;
}

RowScanner::Rep::Step RowScanner::Rep::CheckEnds(Step otherwise) {
  for (const FamilyReader& one : families_.readers()) {
    if (one.cursor->at_end()) [[unlikely]] {
      failure_ = CheckCursors(*table_, families_.readers());
      return failure_.ok() ? otherwise : Step::kFailed;
    }
  }
  return otherwise;
}

RowScanner::Rep::Step RowScanner::Rep::Fail(Status status) {
  failure_ = std::move(status);
  return Step::kFailed;
}

const ScanStatistics& RowScanner::Rep::Statistics() {
  statistics_.elapsed_us = clock_.ElapsedUs();
  return statistics_;
}

RowScanner::RowScanner(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
RowScanner::~RowScanner() = default;

Expected<std::unique_ptr<RowScanner>> RowScanner::Open(const Store& store, TablePtr table, RowScanSpec spec) {
  auto rep = std::make_unique<Rep>(std::move(table), std::move(spec));
  KLIP_RETURN_IF_ERROR(rep->Start(store));
  return std::unique_ptr<RowScanner>(new RowScanner(std::move(rep)));
}

Expected<bool> RowScanner::Next(Result* result) { return rep_->Next(result); }

Expected<bool> RowScanner::Fill(RowBatch* batch) { return rep_->Fill(batch); }

Expected<int64_t> RowScanner::CountRows() { return rep_->CountRows(); }

const ScanStatistics& RowScanner::statistics() const { return rep_->Statistics(); }

}  // namespace klip::engine
