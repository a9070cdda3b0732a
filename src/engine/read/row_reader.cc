// How a row becomes cells of a Result.
//
// Read visits the cells of one family in key order: qualifier ascending, then time descending, then type. It parses
// each cell (ParseCell) and asks the matcher whether it is visible. If so, it asks the filter. The two answers form one
// Decision: whether to include the cell, and where to continue. That may be the next cell, the next column, the next
// row, or the target of a filter's hint. The filter comes second because in HBase it never sees a deleted or expired
// cell. Versions are counted after the filter (ReadMatcher::CountPassed), so a version that it drops does not use up
// the limit.
//
// Example: row "r" of a family with one version, scanned with ColumnPrefixFilter("b"). Keys are written qualifier@time.
//   a@9  put     visible, but the filter hints at column "b": the cursor skips to r/b, past every cell below it
//   b@7  put     visible and included: copied. One version is enough, so the matcher says "next column"
//   b@3  put     never read: GoToNextColumn sought r/b\x00\x02, above all cells of column b
//   bb@8 delete column: not included; it hides the older cells of column bb
//   bb@5 put     hidden: skipped, and not shown to the filter
//
// A full piece ends in the middle of a row (PieceIsFull). The cell that no longer fits was matched and counted already,
// so it is kept as pending_ with its decision: matching it again would count its version twice.
//
// Bytes are copied once, from RocksDB's block into the Result. A row's key is copied with its first cell and shared by
// the others. simple_cells.cc has the short paths for cells that need none of this.
#include "engine/read/row_reader.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "base/read_memory.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

using filter::ReturnCode;
using model::MatchCode;

// Results outlive tables, so they share names that are never freed: one for each distinct family name.
std::string_view LastingName(const std::string& name) {
  thread_local std::string_view last;
  if (!last.empty() && last == name) {
    return last;
  }
  static std::mutex mutex;
  static auto* const names = new std::set<std::string, std::less<>>();
  const std::lock_guard lock(mutex);
  last = *names->insert(name).first;
  return last;
}

}  // namespace

FamilyReader::FamilyReader(const Family& read, model::ReadRules rules)
    : family(&read), name(LastingName(read.descriptor.name)), matcher(std::move(rules)) {}

RowReader::RowReader(const TableView* table, RowReadLimits limits, ScanStatistics* statistics)
    : table_(table),
      limits_(limits),
      simple_bytes_(SimpleBytes(limits)),
      takes_runs_(limits.batch == 0),
      statistics_(statistics),
      piece_cells_left_(limits.max_piece_cells_read > 0 ? limits.max_piece_cells_read : INT64_MAX) {}

RowReader::Outcome RowReader::Fail(Status status) {
  status_ = std::move(status);
  return Outcome::kFailed;
}

Status RowReader::CorruptCell(const FamilyReader& reader, std::string_view what) const {
  std::string text = "table '";
  text.append(table_->descriptor.name).append("', family '").append(reader.family->descriptor.name);
  text.append("': corrupt ").append(what).append(" at key ").append(ToStringBinary(reader.cursor->key()));
  return {Code::kCorruption, std::move(text)};
}

void RowReader::StartRow(std::string_view escaped_row, bool plain) {
  escaped_row_.assign(escaped_row);
  plain_row_ = plain;
  raw_row_ = plain ? WithoutTerminator(escaped_row_) : Unescape(escaped_row_, &raw_row_storage_);
  row_bytes_read_ = 0;
  stored_row_ = {};
  family_open_ = false;
}

void RowReader::StartFamily(FamilyReader* reader) {
  reader->matcher.StartRow();
  family_open_ = true;
  family_cells_ = 0;
}

RowReader::Outcome RowReader::ReadFamily(FamilyReader* reader, Result* result) {
  single_column_ = false;
  if (!family_open_) {
    StartFamily(reader);
  }
  const Outcome outcome = Read(reader, result);
  if (outcome == Outcome::kDone) {
    family_open_ = false;
  }
  return outcome;
}

RowReader::Outcome RowReader::ReadColumn(FamilyReader* reader, Result* result) {
  single_column_ = true;
  return Read(reader, result);
}

// Parses key and value of the cursor's cell.
bool RowReader::ParseCell(const FamilyCursor& cursor) {
  const std::string_view rest = cursor.key().substr(escaped_row_.size());
  const void* zero = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
  const size_t at = zero == nullptr ? rest.size() : static_cast<size_t>(static_cast<const char*>(zero) - rest.data());
  CellKeyView key;
  plain_qualifier_ = at + kTerminatorBytes + kTimestampAndTypeBytes == rest.size() && rest[at + 1] == '\x01';
  if (plain_qualifier_) [[likely]] {
    escaped_qualifier_ = rest.substr(0, at + kTerminatorBytes);
    const char* tail = rest.data() + at + kTerminatorBytes;
    timestamp_ms_ = ReadKeyTimestamp(tail);
    type_ = static_cast<CellType>(~static_cast<uint8_t>(tail[8]));
    if (type_ == CellType::kPut) [[likely]] {
      return ParseCellValue(cursor.value(), &value_);
    }
  }
  if (!ParseCellKey(cursor.key(), &key)) {
    return false;
  }
  escaped_qualifier_ = key.escaped_qualifier;
  timestamp_ms_ = key.timestamp_ms;
  type_ = key.type;
  return ParseCellValue(cursor.value(), &value_);
}

bool RowReader::PieceIsFull(const Result& result) const {
  if (result.empty()) {
    return false;
  }
  return (limits_.batch > 0 && result.size() >= static_cast<size_t>(limits_.batch)) ||
         (limits_.max_piece_bytes > 0 && piece_bytes_ >= limits_.max_piece_bytes);
}

RowReader::Outcome RowReader::Read(FamilyReader* reader, Result* result) {
  FamilyCursor& cursor = *reader->cursor;
  if (FamilyIsFull()) {  // another of its columns filled it
    return Outcome::kDone;
  }
  if (result->empty()) {
    stored_row_ = {};
    piece_bytes_ = 0;
    held_bytes_ = kFreeBytes;
    row_bytes_read_ = 0;  // in pieces, a row of any size can be read
  }
  while (cursor.in_row()) {
    if (--piece_cells_left_ < 0) {
      piece_cells_left_ = limits_.max_piece_cells_read;
      return Outcome::kPaused;
    }
    Decision decision = pending_decision_;
    if (!ParseCell(cursor)) {
      return Fail(CorruptCell(*reader, "cell"));
    }
    if (!std::exchange(pending_, false)) {
      ++statistics_->cells_read;
      if (filter_ != nullptr && filter_->FilterAllRemaining()) {
        return Outcome::kDone;
      }
      const int64_t ttl_ms = value_.tags.empty() ? -1 : TtlFromTags(value_.tags);
      decision = {reader->matcher.Match({escaped_qualifier_, timestamp_ms_, type_, ttl_ms, value_.sequence})};
      if (model::Includes(decision.code) && filter_ != nullptr) {
        decision = AskFilter(reader, decision.code);
      }
    }
    if (model::Includes(decision.code) && !decision.hint) {
      if (PieceIsFull(*result) && family_cells_ >= limits_.row_offset_per_family) {
        pending_ = true;
        pending_decision_ = decision;
        return Outcome::kPaused;
      }
      if (!Include(reader, result)) {
        return Outcome::kFailed;
      }
      if (FamilyIsFull() || (limits_.existence_only && !result->empty())) {
        return Outcome::kDone;
      }
    }
    if (decision.code == MatchCode::kInclude || decision.code == MatchCode::kSkip) {
      if (!decision.hint) [[likely]] {
        cursor.NextCell();
        continue;
      }
    }
    if (!decision.hint && (decision.code == MatchCode::kNextRow || decision.code == MatchCode::kIncludeNextRow)) {
      break;
    }
    if (single_column_ && !decision.hint) {
      // No cell of this column is left, except family markers among the cells of the empty column.
      if (escaped_qualifier_.size() > kTerminatorBytes) {
        return Outcome::kDone;
      }
      cursor.NextCell();
      continue;
    }
    Advance(reader, decision);
  }
  return Outcome::kDone;
}

Cell RowReader::CellAtHand(const FamilyReader& reader) {
  const std::string_view qualifier =
      plain_qualifier_ ? WithoutTerminator(escaped_qualifier_) : Unescape(escaped_qualifier_, &qualifier_storage_);
  return {raw_row_, reader.name, qualifier, timestamp_ms_, type_, value_.value, value_.tags};
}

RowReader::Decision RowReader::AskFilter(FamilyReader* reader, MatchCode code) {
  const Cell cell = CellAtHand(*reader);
  return Decide(reader, cell, filter_->FilterCell(cell), code);
}

RowReader::Decision RowReader::Decide(FamilyReader* reader, const Cell& cell, ReturnCode answer, MatchCode code) {
  bool done_with_column = false;
  switch (answer) {
    case ReturnCode::kInclude:
      break;
    case ReturnCode::kIncludeAndNextCol:
      done_with_column = code == MatchCode::kInclude;
      break;
    case ReturnCode::kIncludeAndSeekNextRow:
      code = MatchCode::kIncludeNextRow;
      break;
    case ReturnCode::kSkip:
      switch (code) {
        case MatchCode::kIncludeNextColumn:
          return {MatchCode::kNextColumn};
        case MatchCode::kIncludeNextRow:
          return {MatchCode::kNextRow};
        default:
          return {MatchCode::kSkip};
      }
    case ReturnCode::kNextCol:
      return {code == MatchCode::kIncludeNextRow ? MatchCode::kNextRow
                                                 : reader->matcher.DoneWithColumn(escaped_qualifier_)};
    case ReturnCode::kNextRow:
      return {MatchCode::kNextRow};
    case ReturnCode::kSeekNextUsingHint:
      hint_ = {};
      return {MatchCode::kSkip, filter_->NextHint(cell, &hint_)};
  }
  code = reader->matcher.CountPassed(escaped_qualifier_, code);
  if (done_with_column && code == MatchCode::kInclude) {
    code = reader->matcher.DoneWithColumn(escaped_qualifier_) == MatchCode::kNextRow ? MatchCode::kIncludeNextRow
                                                                                     : MatchCode::kIncludeNextColumn;
  }
  return {code};
}

bool RowReader::Include(FamilyReader* reader, Result* result) {
  ++family_cells_;
  if (family_cells_ <= limits_.row_offset_per_family) {
    return true;
  }
  const auto bytes = static_cast<int64_t>(reader->cursor->key().size() + reader->cursor->value().size());
  piece_bytes_ += bytes;
  if (piece_bytes_ > held_bytes_ && !HoldMemory()) [[unlikely]] {
    return false;
  }
  Append(reader, result);
  row_bytes_read_ += bytes;
  if (limits_.max_row_read_bytes > 0 && row_bytes_read_ > limits_.max_row_read_bytes) {
    status_ = Status(Code::kRowTooBig, "Max row size allowed: " + std::to_string(limits_.max_row_read_bytes) +
                                           ", but the row is bigger than that. Row: " + ToStringBinary(raw_row_));
    return false;
  }
  return true;
}

bool RowReader::HoldMemory() {
  base::ReadMemory* const memory = base::ReadMemory::Current();
  held_bytes_ = memory == nullptr ? INT64_MAX : piece_bytes_ + kHoldStep;
  status_ = memory == nullptr ? Status::Ok() : memory->HoldRow(held_bytes_);
  return status_.ok();
}

void RowReader::Append(FamilyReader* reader, Result* result) {
  if (filter_ == nullptr) [[likely]] {
    CopyCell(*reader, nullptr, result);
    return;
  }
  Cell cell{raw_row_,     reader->name, Unescape(escaped_qualifier_, &qualifier_storage_), timestamp_ms_, type_,
            value_.value, value_.tags};
  filter_->TransformCell(&cell, result);
  CopyCell(*reader, &cell, result);
}

// The parts that the Result does not hold yet share one allocation.
void RowReader::CopyCell(const FamilyReader& reader, const Cell* transformed, Result* result) {
  std::string_view value = transformed == nullptr ? value_.value : transformed->value;
  const std::string_view tags = transformed == nullptr ? value_.tags : transformed->tags;
  // A filter may have stored another value in the Result.
  const bool copy_value = transformed == nullptr || value.data() == value_.value.data();
  const bool new_row = stored_row_.data() == nullptr;
  const std::string_view qualifier =
      plain_qualifier_ ? WithoutTerminator(escaped_qualifier_) : Unescape(escaped_qualifier_, &qualifier_storage_);

  char* to = result->Allocate((new_row ? raw_row_.size() : 0) + qualifier.size() + (copy_value ? value.size() : 0) +
                              tags.size());
  const auto copy = [&to](std::string_view bytes) {
    const std::string_view stored(to, bytes.size());
    if (!bytes.empty()) {
      std::memcpy(to, bytes.data(), bytes.size());
    }
    to += bytes.size();
    return stored;
  };
  if (new_row) {
    stored_row_ = copy(raw_row_);
  }
  Cell& cell = result->Append();
  cell.row = stored_row_;
  cell.family = reader.name;
  cell.qualifier = copy(qualifier);
  cell.timestamp_ms = timestamp_ms_;
  cell.type = type_;
  cell.value = copy_value ? copy(value) : value;
  cell.tags = tags.empty() ? std::string_view() : copy(tags);
}

void RowReader::Advance(FamilyReader* reader, Decision decision) {
  if (decision.hint) {
    FollowHint(reader);
  } else {
    GoToNextColumn(reader);
  }
}

void RowReader::GoToNextColumn(FamilyReader* reader) {
  FamilyCursor& cursor = *reader->cursor;
  if (escaped_qualifier_.size() <= kTerminatorBytes) {
    cursor.NextCell();  // family markers may be among the older cells of the empty column
    return;
  }
  target_.assign(escaped_row_);
  if (const std::string* wanted = reader->matcher.wanted_column(); wanted != nullptr && *wanted > escaped_qualifier_) {
    target_.append(*wanted);
  } else {
    target_.append(escaped_qualifier_).back() = '\x02';  // above the qualifier's terminator
  }
  cursor.SkipTo(target_);
}

void RowReader::FollowHint(FamilyReader* reader) {
  FamilyCursor& cursor = *reader->cursor;
  const int order = std::string_view(hint_.row).compare(raw_row_);
  if (limits_.reversed ? order < 0 : order > 0) {
    LeaveRowByHint(&cursor);
    return;
  }
  // Family markers may be among the older cells of the empty column.
  const bool leads_on = hint_.has_column && escaped_qualifier_.size() > kTerminatorBytes;
  if (order != 0 || !leads_on) {
    cursor.NextCell();
    return;
  }
  const int family = hint_.family.compare(reader->family->descriptor.name);
  if (family != 0) {
    if (family < 0) {
      cursor.NextCell();
    } else {
      cursor.LeaveRow();
    }
    return;
  }
  target_.assign(escaped_row_);
  AppendEscaped(hint_.qualifier, &target_);
  // Within a column, the hint's timestamp is ignored: markers may be among the column's versions.
  if (target_ > cursor.key()) {
    cursor.SkipTo(target_);
  } else {
    cursor.NextCell();
  }
}

void RowReader::LeaveRowByHint(FamilyCursor* cursor) {
  std::string bound = limits_.reversed ? RowEndKey(hint_.row) : RowLowerBound(hint_.row);
  if (limits_.stop_at_regions && table_->regions != nullptr && !table_->regions->empty()) {
    const Region& region = table_->RegionOf(raw_row_);
    const std::string& edge = limits_.reversed ? region.start_key : region.end_key;
    if (!edge.empty() && (limits_.reversed ? hint_.row < edge : hint_.row > edge)) {
      bound = RowStartKey(edge);
    }
  }
  cursor->LeaveRowTo(bound, FamilyCursor::kHintLevel);
}

void RowReader::OrderFamilies(Result* result) {
  const auto before = [](const Cell& a, const Cell& b) { return a.family < b.family; };
  if (!std::is_sorted(result->begin(), result->end(), before)) {
    filter_cells_.assign(result->begin(), result->end());
    std::stable_sort(filter_cells_.begin(), filter_cells_.end(), before);
    for (size_t i = 0; i < filter_cells_.size(); ++i) {
      result->Mutable(i) = filter_cells_[i];
    }
  }
}

bool RowReader::Finish(Result* result, bool more_follows) {
  if (filter_ == nullptr) {
    return !result->empty();
  }
  if ((filter_calls_ & filter::kError) != 0) {
    if (const Status* error = filter_->Error(); error != nullptr) [[unlikely]] {
      status_ = *error;
      result->Clear();
    }
  }
  if (result->empty()) {
    return false;
  }
  if ((filter_calls_ & filter::kFilterRowCells) != 0) {
    filter_cells_.assign(result->begin(), result->end());
    filter_->FilterRowCells(&filter_cells_);
    result->Truncate(filter_cells_.size());
    for (size_t i = 0; i < filter_cells_.size(); ++i) {
      result->Mutable(i) = filter_cells_[i];
    }
  }
  const bool ask = !more_follows && (filter_calls_ & filter::kFilterRow) != 0;
  if (result->empty() || (ask && filter_->FilterRow())) {
    result->Clear();
    return false;
  }
  return true;
}

}  // namespace klip::engine
