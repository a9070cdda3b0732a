#include "engine/read/row_scanner.h"

#include <algorithm>
#include <utility>

#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"

#include "engine/layout/cell_key.h"
#include "engine/read/row_scanner_rep.h"

namespace klip::engine {
namespace {

using Verdict = filter::RowCursor::Verdict;

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

// TUNING: a watch looks at the clock. Rows may be jumped to, at some 10 us each; cells of a row follow each other.
constexpr int64_t kWatchedRows = 64;
constexpr int64_t kWatchedCells = 4096;

const rocksdb::PerfContext& PerfContextOfThread() {
  thread_local constinit const rocksdb::PerfContext* context = nullptr;  // RocksDB's own look-up is slow
  if (context == nullptr) [[unlikely]] {
    context = rocksdb::get_perf_context();
  }
  return *context;
}

// Counts the blocks that this thread reads while it lives. RocksDB counts per thread, for all iterators together.
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

RowScanner::Rep::Rep(TablePtr view, RowScanSpec read)
    : table(std::move(view)), spec(std::move(read)), reversed(spec.scan.reversed), bounds(BoundsOf(spec.scan)) {}

Status RowScanner::Rep::Start(const Store& store) {
  first_ticks = Ticks();
  first_time = std::chrono::steady_clock::now();
  const Scan& scan = spec.scan;
  ReadRequest request;
  request.row = scan.start_row;
  request.columns = &scan.columns;
  request.time_range = scan.time_range;
  request.family_time_ranges = &scan.family_time_ranges;
  request.max_versions = scan.max_versions;
  request.raw = scan.raw;
  request.has_filter = spec.filter != nullptr;
  request.now_ms = store.NowMs();
  KLIP_ASSIGN_OR_RETURN(readers, MakeReaders(*table, request));

  RowReadLimits limits;
  limits.max_results_per_family = scan.max_results_per_family;
  limits.row_offset_per_family = scan.row_offset_per_family;
  limits.batch = scan.batch;
  limits.max_piece_bytes = scan.allow_partial_results ? scan.max_result_bytes : 0;
  limits.max_row_read_bytes = spec.max_row_read_bytes;
  limits.reversed = reversed;
  leading = readers.size();
  if (spec.filter != nullptr) {
    filter = spec.filter->NewState(reversed);
    filter_calls = filter->Calls();
    limits.stop_at_regions = spec.filter->RemembersRows();
    if (filter->HasFilterRow()) {
      if (scan.batch > 0) {
        return {Code::kIncompatibleFilter,
                "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow"};
      }
      limits.max_piece_bytes = 0;  // the decision needs the whole row
    }
  }
  if (spec.watch) {
    rows_to_watch = kWatchedRows;
    limits.max_piece_cells_read = limits.max_piece_bytes > 0 && limits.batch == 0 ? kWatchedCells : 0;
  }
  const bool plain =
      readers.size() == 1 && !reversed && limits.max_results_per_family < 0 && limits.row_offset_per_family == 0;
  simple = plain && filter == nullptr;
  filtered = plain && filter != nullptr;
  const bool one_region = table->regions == nullptr || table->regions->size() <= 1;
  filtered_simply = filtered && one_region && spec.rows == nullptr && (filter_calls & filter::kFilterRowKey) == 0;
  may_step = readers.size() == 1 && !reversed;
  if (filter != nullptr && limits.batch == 0 && limits.max_piece_bytes == 0) {
    ChooseLeading();
  }
  reader.emplace(table.get(), limits, &statistics);
  reader->set_filter(filter.get());

  done = readers.empty() || (!bounds.upper.empty() && bounds.lower >= bounds.upper);
  if (done) {
    return Status::Ok();
  }

  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = scan.cache_blocks;
  lower = bounds.lower;
  upper = bounds.upper;
  options.iterate_lower_bound = bounds.lower.empty() ? nullptr : &lower;
  // A scan that jumps looks at the bound itself: RocksDB would look at it at every step, and costs more.
  checks_upper = spec.rows != nullptr && !reversed && !bounds.upper.empty();
  options.iterate_upper_bound = bounds.upper.empty() || checks_upper ? nullptr : &upper;
  KLIP_RETURN_IF_ERROR(OpenCursors(store, options, reversed, spec.expected_gap_rows, &readers, &statistics));

  if (spec.rows != nullptr) {
    rows = spec.rows->NewCursor(reversed, Known());
    if (!rows->First()) {
      done = true;
      return Status::Ok();
    }
  }
  std::string start = reversed ? bounds.upper : bounds.lower;
  if (rows != nullptr && !rows->target().empty()) {
    const std::string target = RowStartKey(rows->target());
    if (start.empty() || (reversed ? target < start : target > start)) {
      start = target;
    }
  }
  const BlocksRead blocks(&statistics);
  for (FamilyReader& one : readers) {
    one.cursor->SeekToStart(start);
  }
  return Status::Ok();
}

// REQUIRES: the cursors are open. What becomes known later is of rows that they do not see.
filter::KnownRows RowScanner::Rep::Known() const {
  filter::KnownRows known;
  uint32_t shortest = UINT32_MAX;
  for (const FamilyReader& one : readers) {
    shortest = std::min(shortest, one.family->state->shortest_row_bytes.load(std::memory_order_relaxed));
  }
  known.shortest_row_bytes = shortest == UINT32_MAX ? 0 : shortest;
  if (readers.size() == 1) {
    known.leads = readers.front().family->state->leads->Known();
  }
  return known;
}

// A filter that remembers rows may have to see every cell.
void RowScanner::Rep::ChooseLeading() {
  const auto essential = [this](const FamilyReader& one) { return filter->IsFamilyEssential(one.name); };
  if (spec.filter->RemembersRows() || std::none_of(readers.begin(), readers.end(), essential)) {
    return;
  }
  const auto rest = std::stable_partition(readers.begin(), readers.end(), essential);
  leading = static_cast<size_t>(rest - readers.begin());
}

FamilyCursor* RowScanner::Rep::NextCursor() {
  FamilyCursor* next = nullptr;
  for (FamilyReader& one : Leading()) {
    FamilyCursor* cursor = one.cursor.get();
    if (cursor->at_end()) {
      continue;
    }
    if (next == nullptr) {
      next = cursor;
      continue;
    }
    // Keys of one row share their beginning, so the order of cells is the order of rows where rows differ.
    const bool before = reversed ? cursor->key() > next->key() : cursor->key() < next->key();
    next = before ? cursor : next;
  }
  return next;
}

void RowScanner::Rep::LeaveRows() {
  row_entered = false;
  for (FamilyReader& one : std::span(readers).subspan(leading)) {
    one.cursor->LeaveRow();
  }
  for (FamilyReader& one : Leading()) {
    if (one.cursor->entered()) {
      one.cursor->LeaveRow();
    } else if (!one.cursor->at_end() && one.cursor->key().starts_with(reader->escaped_row())) {
      one.cursor->SkipRow(reader->escaped_row());
    }
  }
}

void RowScanner::Rep::JumpTo(std::string_view to, int level) {
  for (FamilyReader& one : Leading()) {
    one.cursor->JumpTo(to, level);
  }
}

void RowScanner::Rep::SkipRow(std::string_view escaped_row) {
  bound.assign(escaped_row);  // the view is into a cursor that moves
  for (FamilyReader& one : Leading()) {
    if (!one.cursor->at_end() && one.cursor->key().starts_with(bound)) {
      one.cursor->SkipRow(bound);
    }
  }
}

// False: the row is outside, and a step was made instead of finding out where to jump, which costs more where jumps are short.
bool RowScanner::Rep::LookAt(FamilyCursor* cursor, Verdict* verdict) {
  constexpr uint32_t kNearJumps = 16;
  constexpr uint32_t kNearSteps = 3;
  const std::string_view row = RowOf(*cursor);
  if (near_jumps >= kNearJumps) {
    if (rows->Holds(row)) {
      *verdict = Verdict::kInside;
    } else if (++near_steps <= kNearSteps) {
      StepOver(cursor);
      return false;
    } else {
      near_jumps = 0;
      *verdict = rows->Look(row);
    }
  } else {
    *verdict = rows->Look(row);
  }
  if (*verdict == Verdict::kInside) {
    near_steps = 0;
    run_within = !checks_upper || (!rows->run_end().empty() && rows->run_end() <= spec.scan.stop_row);
  }
  return true;
}

void RowScanner::Rep::StepOver(FamilyCursor* cursor) {
  bound.assign(cursor->escaped_row());
  ++statistics.rows_read;
  if (cursor->StepWithin(bound)) {
    near_jumps = 0;  // rows of several cells
    cursor->SkipRow(bound);
  }
}

FamilyCursor* RowScanner::Rep::FindRow() {
  if (row_entered) {
    LeaveRows();
  }
  while (true) {
    FamilyCursor* cursor = leading == 1 ? readers.front().cursor.get() : NextCursor();
    if (cursor == nullptr || cursor->at_end() || (checks_upper && cursor->key() >= bounds.upper)) {
      return nullptr;
    }
    if (!cursor->LocateRow()) {
      for (const FamilyReader& one : readers) {
        if (one.cursor.get() == cursor) {
          failure = reader->CorruptCell(one, "row");
        }
      }
      return nullptr;
    }
    if (--rows_to_watch <= 0 && !MayGoOn(RowOf(*cursor))) {
      return nullptr;
    }
    if (rows != nullptr && !rows->InRun(RowOf(*cursor))) {
      Verdict verdict = Verdict::kInside;
      if (!LookAt(cursor, &verdict)) {
        continue;
      }
      if (verdict == Verdict::kEnd) {
        ++statistics.rows_read;
        return nullptr;
      }
      if (verdict == Verdict::kJump) {
        ++statistics.rows_read;
        bound.clear();
        AppendEscaped(rows->target(), &bound);
        JumpTo(bound, rows->level());
        near_jumps = may_step && cursor->last_jump_steps() <= kNear ? near_jumps + 1 : 0;
        continue;
      }
    }
    if (filter != nullptr) {
      const FilterVerdict verdict = AskFilter(*cursor);
      if (verdict == FilterVerdict::kEnd) {
        return nullptr;
      }
      if (verdict == FilterVerdict::kMoved) {
        continue;
      }
    }
    ++statistics.rows_read;
    return cursor;
  }
}

bool RowScanner::Rep::MayGoOn(std::string_view row) {
  rows_to_watch = kWatchedRows;
  const ScanAdvice advice = spec.watch(row);
  paused = advice == ScanAdvice::kPause;
  if (advice == ScanAdvice::kEnd) {
    failure = Status(Code::kCancelled, "the scan was ended at row " + ToStringBinary(row));
  }
  return advice == ScanAdvice::kGoOn;
}

void RowScanner::Rep::EnterRegion(std::string_view row) {
  if (region != nullptr && region->Contains(row)) {
    return;
  }
  const Region* entered = table->regions == nullptr || table->regions->empty() ? nullptr : &table->RegionOf(row);
  if (region != nullptr) {  // the first region uses the state made by Start
    filter = spec.filter->NewState(reversed);
    reader->set_filter(filter.get());
  }
  region = entered;
  region_done = false;
}

// Goes to the next region of the scan; false: there is none.
bool RowScanner::Rep::LeaveRegion() {
  const std::string& edge = region == nullptr ? std::string() : (reversed ? region->start_key : region->end_key);
  if (edge.empty()) {
    return false;
  }
  JumpTo(RowStartKey(edge), FamilyCursor::kHintLevel);
  return true;
}

RowScanner::Rep::FilterVerdict RowScanner::Rep::AskFilter(const FamilyCursor& cursor) {
  const std::string_view row = RowOf(cursor);
  EnterRegion(row);
  if (!region_done) {
    if ((filter_calls & filter::kReset) != 0) {
      filter->Reset();
    }
    region_done = (filter_calls & filter::kFilterAllRemaining) != 0 && filter->FilterAllRemaining();
  }
  if (region_done) {
    return LeaveRegion() ? FilterVerdict::kMoved : FilterVerdict::kEnd;
  }
  if ((filter_calls & filter::kFilterRowKey) == 0 || !filter->FilterRowKey(row)) {
    return FilterVerdict::kRead;
  }
  ++statistics.rows_read;
  if (const Status* error = filter->Error(); error != nullptr) {
    failure = *error;
    return FilterVerdict::kEnd;
  }
  region_done = filter->FilterAllRemaining();
  SkipRow(cursor.escaped_row());
  return FilterVerdict::kMoved;
}

RowReader::Outcome RowScanner::Rep::ReadFamilies(size_t end, Result* result) {
  for (; at_reader < end; ++at_reader) {
    FamilyReader& one = readers[at_reader];
    FamilyCursor& cursor = *one.cursor;
    if (!cursor.entered()) {
      if (cursor.at_end() || (readers.size() > 1 && !cursor.key().starts_with(reader->escaped_row()))) {
        continue;
      }
      cursor.EnterRow(reader->escaped_row());
      row_entered = true;
    }
    const RowReader::Outcome outcome = reader->ReadFamily(&one, result);
    if (outcome != RowReader::Outcome::kDone) {
      return outcome;
    }
  }
  return RowReader::Outcome::kDone;
}

RowReader::Outcome RowScanner::Rep::ReadRow(Result* result) {
  RowReader::Outcome outcome = ReadFamilies(leading, result);
  if (outcome != RowReader::Outcome::kDone || leading == readers.size() || !reader->Passes(*result)) {
    return outcome;
  }
  bound.assign(reader->escaped_row());
  if (reversed) {
    bound.back() = '\x02';  // above the row's terminator
  }
  for (FamilyReader& one : std::span(readers).subspan(leading)) {
    one.cursor->JumpTo(bound, FamilyCursor::kHintLevel);
  }
  outcome = ReadFamilies(readers.size(), result);
  reader->OrderFamilies(result);
  return outcome;
}

Expected<bool> RowScanner::Rep::Next(Result* result) {
  // Looking at the clock costs as much as a part of a row: of a long scan only some calls are timed, and stand for the rest.
  constexpr uint64_t kAllTimed = 64;
  constexpr uint64_t kOneInSoMany = 16;
  const uint64_t weight = calls < kAllTimed ? 1 : calls % kOneInSoMany == 0 ? kOneInSoMany : 0;
  ++calls;
  result->Clear();
  const BlocksRead blocks(&statistics);
  if (weight == 0 && simple && NextSimple(result)) [[likely]] {
    return true;
  }
  const uint64_t before = weight > 0 ? Ticks() : 0;
  bool more = filtered_simply && !done && NextFiltered(result);
  if (!more && failure.ok()) {
    more = ReadPieces(result);
  }
  if (!more) {
    result->Clear();
    more = std::exchange(paused, false);
    done = !more;
    result->set_has_more_cells_in_row(more && in_row);
  }
  if (weight > 0) {
    ticks += weight * (Ticks() - before);
  }
  if (!failure.ok()) {
    return failure;
  }
  return more;
}

// A cursor that stands at its end may have come there by an error.
bool RowScanner::Rep::CursorsSound() {
  for (const FamilyReader& one : readers) {
    if (one.cursor->at_end()) {
      failure = CheckCursors(*table, readers);
      return failure.ok();
    }
  }
  return true;
}

bool RowScanner::Rep::ReadPieces(Result* result) {
  while (true) {
    if (!in_row) {
      if (done || LimitReached()) {
        return false;
      }
      FamilyCursor* cursor = FindRow();
      if (cursor == nullptr) {
        (void)(failure.ok() && !paused && CursorsSound());
        return false;
      }
      at_reader = 0;
      RowReader::Simple read = RowReader::Simple::kNo;
      if (simple) {
        read = ReadSimple(result);
        if (read == RowReader::Simple::kRow) {
          return !cursor->at_end() || CursorsSound();
        }
      } else if (filtered) {
        read = reader->ReadFilteredRow(&readers.front(), result);
        row_entered = read == RowReader::Simple::kMore || read == RowReader::Simple::kRestDropped;
        if (read == RowReader::Simple::kRow || read == RowReader::Simple::kRestDropped) {
          bool kept = false;
          if (!FinishRow(result, &kept)) {
            return false;
          }
          if (kept) {
            return true;
          }
          continue;
        }
        in_row = row_entered;
        row_returned = false;
      }
      if (read == RowReader::Simple::kNo) {
        reader->StartRow(cursor->escaped_row(), cursor->plain_row());
        in_row = true;
        row_returned = false;
      }
    }
    const RowReader::Outcome outcome = ReadRow(result);
    if (outcome == RowReader::Outcome::kFailed) {
      failure = reader->status();
      return false;
    }
    in_row = outcome == RowReader::Outcome::kPaused;
    bool kept = false;
    if (!FinishRow(result, &kept)) {
      return false;
    }
    if (kept) {
      result->set_has_more_cells_in_row(in_row);
      return true;
    }
    if (in_row && spec.watch && !MayGoOn(reader->raw_row())) {
      return false;
    }
  }
}

bool RowScanner::Rep::FinishRow(Result* result, bool* kept) {
  *kept = reader->Finish(result);
  if (!reader->status().ok()) {
    failure = reader->status();
    return false;
  }
  row_returned |= *kept;
  if (!in_row) {
    if (!CursorsSound()) {
      return false;
    }
    statistics.rows_returned += std::exchange(row_returned, false) ? 1 : 0;
  }
  return true;
}

RowScanner::RowScanner(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}
RowScanner::~RowScanner() = default;

Expected<std::unique_ptr<RowScanner>> RowScanner::Open(const Store& store, TablePtr table, RowScanSpec spec) {
  auto rep = std::make_unique<Rep>(std::move(table), std::move(spec));
  KLIP_RETURN_IF_ERROR(rep->Start(store));
  return std::unique_ptr<RowScanner>(new RowScanner(std::move(rep)));
}

Expected<bool> RowScanner::Next(Result* result) { return rep_->Next(result); }

const ScanStatistics& RowScanner::statistics() const {
  // Ticks become time by what passed of both since the scan was opened.
  const uint64_t all_ticks = Ticks() - rep_->first_ticks;
  const double all_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - rep_->first_time).count();
  rep_->statistics.elapsed_us =
      all_ticks == 0 ? 0
                     : static_cast<int64_t>(all_us * static_cast<double>(rep_->ticks) / static_cast<double>(all_ticks));
  return rep_->statistics;
}

}  // namespace klip::engine
