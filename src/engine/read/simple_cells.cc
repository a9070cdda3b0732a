// The short paths of RowReader: runs of visible puts without tags, of which nearly all rows consist.
//
// Only two kinds of markers precede the cells of a column: the column's, at its head, and the family's, at the cells of
// the empty column. So up to a row's first cell that is not a put, the timestamp alone decides that the first cell of
// each column is visible. If the scan shows one version, it also hides the others of its column. A cell that is not such
// a put ends the run. The row then becomes the current one (AdoptRow), and ReadFamily continues at this cell.
//
// Example, keys written qualifier@time: a row of a@9=1, a@4=0, b@7=2, c@8=delete, c@5=3. ReadSimpleRow copies a@9,
// passes a@4 and copies b@7. The marker ends the run: the matcher receives b@7, as if it had seen all cells so far, and
// the general reader finds that c@8 hides c@5.
#include <algorithm>
#include <cstring>

#include "base/short_bytes.h"
#include "engine/read/row_reader.h"

namespace klip::engine {
namespace {

using filter::ReturnCode;
using model::MatchCode;

// TUNING: after so many cells the general reader continues. It seeks past many versions and columns, and ends pieces.
constexpr size_t kMostCells = 256;
constexpr int kMostPassed = 16;  // in succession

// The qualifier of a copied cell, with its terminator.
std::string_view EscapedQualifier(const Cell& copied) {
  return {copied.qualifier.data(), copied.qualifier.size() + kTerminatorBytes};
}

}  // namespace

int64_t RowReader::SimpleBytes(const RowReadLimits& limits) {
  int64_t bytes = kFreeBytes;
  for (const int64_t limit : {limits.max_row_read_bytes, limits.max_piece_bytes}) {
    bytes = limit > 0 ? std::min(bytes, limit) : bytes;
  }
  return bytes;
}

inline bool RowReader::ParsePut(const FamilyCursor& cursor, PlainPut* put, Names names) {
  const std::string_view key = cursor.key();
  const std::string_view stored = cursor.value();
  const size_t row_bytes = cursor.escaped_row().size();
  const size_t tail = key.size() - kTimestampAndTypeBytes;  // where the timestamp starts, in a sound key
  if (key.size() < row_bytes + kTerminatorBytes + kTimestampAndTypeBytes || stored.empty() || stored[0] != 0 ||
      key.back() != static_cast<char>(~static_cast<uint8_t>(CellType::kPut))) {
    return false;
  }
  const size_t qualifier_end = row_bytes + FindZero(key.data() + row_bytes, key.size() - row_bytes);
  if (qualifier_end != tail - kTerminatorBytes || key[tail - 1] != '\x01') {
    if (names == Names::kPlain || EscapedRowLength(key.substr(row_bytes)) != tail - row_bytes) {
      return false;
    }
  }
  put->escaped_row = {key.data(), row_bytes};
  put->qualifier = {key.data() + row_bytes, tail - row_bytes};
  put->value = {stored.data() + 1, stored.size() - 1};
  put->timestamp_ms = ReadKeyTimestamp(key.data() + tail);
  return true;
}

inline bool RowReader::ParseFirstPut(const FamilyReader& reader, PlainPut* put) const {
  return ParsePut(*reader.cursor, put) && reader.matcher.SeesFirstPut(put->timestamp_ms) &&
         put->stored_bytes() <= simple_bytes_;
}

// As the run's next put, after `bytes` of others.
inline bool RowReader::ParseNextPut(const FamilyReader& reader, int64_t bytes, PlainPut* put, Names names) const {
  return ParsePut(*reader.cursor, put, names) && reader.matcher.SeesPut(put->timestamp_ms) &&
         bytes + put->stored_bytes() <= simple_bytes_;
}

inline void RowReader::KeepRow(const PlainPut& put) {
  kept_row_bytes_ = put.escaped_row.size();
  if (kept_.size() < kept_row_bytes_) {
    kept_.resize(kept_row_bytes_);
  }
  CopyBytes(kept_.data(), put.escaped_row.data(), kept_row_bytes_);
}

inline void RowReader::KeepQualifier(const PlainPut& put) {
  kept_qualifier_bytes_ = put.qualifier.size();
  if (kept_.size() < kept_row_bytes_ + kept_qualifier_bytes_) {
    kept_.resize(kept_row_bytes_ + kept_qualifier_bytes_);
  }
  CopyBytes(kept_.data() + kept_row_bytes_, put.qualifier.data(), kept_qualifier_bytes_);
}

// A plain row and its qualifier are copied at once, with their terminators.
inline std::string_view RowReader::CopyFirstPut(const FamilyReader& reader, const PlainPut& put, Result* result) {
  std::string_view escaped_row;
  std::string_view row;
  char* qualifier = nullptr;
  if (reader.cursor->plain_row()) [[likely]] {
    const std::string_view key = put.key();
    char* const copy = result->Allocate(key.size() + put.value.size());
    CopyBytes(copy, key.data(), key.size());
    escaped_row = {copy, put.escaped_row.size()};
    row = WithoutTerminator(escaped_row);
    qualifier = copy + escaped_row.size();
  } else {
    KeepRow(put);
    escaped_row = kept_row();
    const std::string_view raw = Unescape(escaped_row, &raw_row_storage_);
    char* const copy = result->Allocate(raw.size() + put.qualifier.size() + put.value.size());
    CopyBytes(copy, raw.data(), raw.size());
    row = {copy, raw.size()};
    qualifier = copy + row.size();
    CopyBytes(qualifier, put.qualifier.data(), put.qualifier.size());
  }
  CopyBytes(qualifier + put.qualifier.size(), put.value.data(), put.value.size());
  AppendCopied(reader, put, row, qualifier, result);
  return escaped_row;
}

inline void RowReader::CopyNextPut(const FamilyReader& reader, const PlainPut& put, Result* result) {
  const std::string_view row = (*result)[0].row;
  char* const qualifier = result->Allocate(put.qualifier.size() + put.value.size());
  CopyBytes(qualifier, put.qualifier.data(), put.qualifier.size());
  CopyBytes(qualifier + put.qualifier.size(), put.value.data(), put.value.size());
  AppendCopied(reader, put, row, qualifier, result);
}

inline void RowReader::AppendCopied(const FamilyReader& reader, const PlainPut& put, std::string_view row,
                                    const char* qualifier, Result* result) {
  // Filled in place: writing a cell in parts and then copying it stalls the processor.
  Cell& cell = result->Append();
  cell.row = row;
  cell.family = reader.name;
  cell.qualifier = {qualifier, put.qualifier.size() - kTerminatorBytes};
  cell.timestamp_ms = put.timestamp_ms;
  cell.value = {qualifier + put.qualifier.size(), put.value.size()};
}

[[gnu::noinline]] MatchCode RowReader::AdoptRow(FamilyReader* reader, std::string_view escaped_row,
                                                std::string_view qualifier, int64_t timestamp_ms) {
  StartRow(escaped_row, reader->cursor->plain_row());
  StartFamily(reader);
  const MatchCode code = reader->matcher.Match({qualifier, timestamp_ms});
  reader->cursor->EnterRow(escaped_row_);
  return code;
}

void RowReader::AdoptPiece(const Result& result, int64_t bytes) {
  stored_row_ = result.empty() ? std::string_view() : result[0].row;
  row_bytes_read_ = bytes;
  piece_bytes_ = bytes;
  held_bytes_ = kFreeBytes;
}

// TUNING: here and in the next functions, all calls except rare ones are inlined. A full scan spends its time in these
// functions, and the compiler's own choice of what to inline varies.
[[gnu::flatten]] RowReader::Simple RowReader::ReadSimpleRow(FamilyReader* reader, Result* result) {
  PlainPut put;
  if (!ParseFirstPut(*reader, &put)) {
    return Simple::kNo;
  }
  ++statistics_->cells_read;
  const int64_t bytes = put.stored_bytes();
  const std::string_view escaped_row = CopyFirstPut(*reader, put, result);
  if (!reader->cursor->StepWithin(escaped_row)) [[likely]] {
    return Simple::kRow;
  }
  return ReadNextPuts(reader, escaped_row, bytes, result);
}

[[gnu::noinline, gnu::flatten]] RowReader::Simple RowReader::ReadNextPuts(FamilyReader* reader,
                                                                          std::string_view escaped_row, int64_t bytes,
                                                                          Result* result) {
  const bool wanted = takes_runs_ && reader->matcher.ShowsOneVersion();
  int passed = 0;
  PlainPut put;
  while (wanted && result->size() < kMostCells && passed < kMostPassed && ParseNextPut(*reader, bytes, &put)) {
    if (SameBytes(EscapedQualifier((*result)[result->size() - 1]), put.qualifier)) {
      ++passed;
    } else {
      passed = 0;
      bytes += put.stored_bytes();
      CopyNextPut(*reader, put, result);
    }
    ++statistics_->cells_read;
    if (!reader->cursor->StepWithin(escaped_row)) {
      return Simple::kRow;
    }
  }
  const Cell& last = (*result)[result->size() - 1];
  AdoptRow(reader, escaped_row, EscapedQualifier(last), last.timestamp_ms);
  AdoptPiece(*result, bytes);
  return Simple::kMore;
}

bool RowReader::SeesSimpleRow(const FamilyReader& reader) const {
  PlainPut put;
  return ParseFirstPut(reader, &put);
}

RowReader::ListedColumns RowReader::ColumnsOf(const FamilyReader& reader, const RowBatch& batch) {
  ListedColumns listed = ColumnsOf(reader);
  for (size_t slot = 0; slot < batch.columns().size(); ++slot) {
    if (batch.columns()[slot].family != reader.name) {
      continue;
    }
    std::string escaped;
    AppendEscaped(batch.columns()[slot].qualifier, &escaped);
    if (!listed.named) {
      listed.columns.push_back({std::move(escaped), slot});
      continue;
    }
    for (ListedColumns::Column& column : listed.columns) {
      if (column.escaped_qualifier == escaped) {
        column.slot = slot;
      }
    }
  }
  return listed;
}

RowReader::ListedColumns RowReader::ColumnsOf(const FamilyReader& reader) {
  ListedColumns listed{.named = !reader.qualifiers().empty()};
  for (const std::string& qualifier : reader.qualifiers()) {
    listed.columns.push_back({qualifier});
  }
  return listed;
}

// `next` is the first column that is not taken yet; so it skips the older versions of those before.
template <RowReader::Names kNames, typename Take>
RowReader::Listed RowReader::ReadListed(FamilyReader* reader, const ListedColumns& wanted, PlainPut put,
                                        const Take& take) {
  Listed read;
  int passed = 0;
  auto next = wanted.columns.begin();
  KeepRow(put);
  do {
    ++statistics_->cells_read;
    ++passed;
    while (next != wanted.columns.end() && !SameBytes(next->escaped_qualifier, put.qualifier) &&
           next->escaped_qualifier < put.qualifier) {
      ++next;
    }
    if (next != wanted.columns.end() && SameBytes(next->escaped_qualifier, put.qualifier)) {
      passed = 0;
      read.last_taken = &next->escaped_qualifier;
      read.bytes += put.stored_bytes();
      take(*next, put);
      ++next;
    }
    if (next == wanted.columns.end()) {
      read.outcome = Simple::kRestDropped;
      break;
    }
    KeepQualifier(put);
    read.timestamp_ms = put.timestamp_ms;
    if (!reader->cursor->StepWithin(kept_row())) {
      read.outcome = Simple::kRow;
      break;
    }
  } while (passed < kMostPassed && ParseNextPut(*reader, read.bytes, &put, kNames));
  return read;
}

[[gnu::flatten]] RowReader::Simple RowReader::FillSimpleRow(FamilyReader* reader, const ListedColumns& wanted,
                                                            RowBatch* batch, Result* rest) {
  PlainPut put;
  if (!ParseNextPut(*reader, 0, &put, Names::kEscaped)) {
    return Simple::kNo;
  }
  batch->BeginRow(reader->cursor->plain_row() ? WithoutTerminator(put.escaped_row)
                                              : Unescape(put.escaped_row, &raw_row_storage_));
  const auto take = [batch](const ListedColumns::Column& column, const PlainPut& taken) {
    if (column.slot != ListedColumns::kNoSlot) {
      batch->Set(column.slot, taken.value);
    }
  };
  const Listed read = ReadListed<Names::kEscaped>(reader, wanted, put, take);
  const bool shown = !wanted.named || read.last_taken != nullptr;
  if (!shown) {
    batch->Truncate(batch->rows() - 1);
  }
  if (read.outcome == Simple::kMore) {
    AdoptRow(reader, kept_row(), kept_qualifier(), read.timestamp_ms);
    if (shown) {  // a cell of the row that adds nothing to the batch: see RowBatch::Add
      batch->set_open(true);
      const std::string_view escaped = read.last_taken != nullptr ? *read.last_taken : kept_qualifier();
      rest->AppendCopy({.row = raw_row_, .family = reader->name, .qualifier = Unescape(escaped, &qualifier_storage_)});
      AdoptPiece(*rest, read.bytes);
    }
  }
  return read.outcome;
}

[[gnu::flatten]] RowReader::Simple RowReader::ReadNamedColumns(FamilyReader* reader, const ListedColumns& wanted,
                                                               Result* result) {
  PlainPut put;
  if (!takes_runs_ || !reader->matcher.ShowsOneVersion() || !ParseNextPut(*reader, 0, &put)) {
    return Simple::kNo;
  }
  const auto take = [&](const ListedColumns::Column& /*column*/, const PlainPut& taken) {
    if (result->empty()) {
      CopyFirstPut(*reader, taken, result);
    } else {
      CopyNextPut(*reader, taken, result);
    }
  };
  const Listed read = ReadListed<Names::kPlain>(reader, wanted, put, take);
  if (read.outcome == Simple::kMore) {
    AdoptRow(reader, kept_row(), kept_qualifier(), read.timestamp_ms);
    AdoptPiece(*result, read.bytes);
  }
  return read.outcome;
}

// Runs end with a filter that ends the scan, and at a second version, which the matcher counts.
inline bool RowReader::FilterSeesNext(const FamilyReader& reader, int64_t bytes, std::string_view last, PlainPut* put) {
  return takes_runs_ && ((filter_calls_ & filter::kFilterAllRemaining) == 0 || !filter_->FilterAllRemaining()) &&
         ParseNextPut(reader, bytes, put) && !SameBytes(put->qualifier, last);
}

// The filter's answer to a put; kSkip for one in a column that the scan does not name, which the filter does not see.
inline ReturnCode RowReader::AskAboutPut(const FamilyReader& reader, const ListedColumns* named, NamedWalk* walk,
                                         const PlainPut& put, std::string_view row) {
  if (named != nullptr) {
    const std::vector<ListedColumns::Column>& columns = named->columns;
    while (walk->next < columns.size() && columns[walk->next].escaped_qualifier < put.qualifier) {
      ++walk->next;
    }
    if (walk->next == columns.size() || !SameBytes(columns[walk->next].escaped_qualifier, put.qualifier)) {
      ++walk->passed;
      return ReturnCode::kSkip;
    }
    walk->passed = 0;
  }
  return filter_->FilterCell({.row = row,
                              .family = reader.name,
                              .qualifier = WithoutTerminator(put.qualifier),
                              .timestamp_ms = put.timestamp_ms,
                              .value = put.value});
}

[[gnu::flatten]] RowReader::Simple RowReader::ReadFilteredRow(FamilyReader* reader, const ListedColumns* named,
                                                              Result* result) {
  PlainPut put;
  if (named == nullptr ? !ParseFirstPut(*reader, &put) : !takes_runs_ || !ParseNextPut(*reader, 0, &put)) {
    return Simple::kNo;
  }
  const std::string_view unescaped =
      reader->cursor->plain_row() ? std::string_view() : Unescape(put.escaped_row, &raw_row_storage_);
  int64_t bytes = 0;
  NamedWalk walk;
  KeepRow(put);
  for (size_t cells = 1;; ++cells) {
    ++statistics_->cells_read;
    const std::string_view row = unescaped.data() != nullptr ? unescaped : WithoutTerminator(put.escaped_row);
    const ReturnCode answer = AskAboutPut(*reader, named, &walk, put, row);
    if (answer != ReturnCode::kInclude && answer != ReturnCode::kSkip && answer != ReturnCode::kNextRow) {
      // Rare, or it depends on more than this cell: the reader for all rows continues from here.
      const MatchCode code = AdoptRow(reader, put.escaped_row, put.qualifier, put.timestamp_ms);
      AdoptPiece(*result, bytes);
      (void)ParseCell(*reader->cursor);
      pending_decision_ = Decide(reader, CellAtHand(*reader), answer, code);
      pending_ = true;
      return Simple::kMore;
    }
    const bool included = answer == ReturnCode::kInclude;
    if (included) {
      bytes += put.stored_bytes();
      if (result->empty()) {
        CopyFirstPut(*reader, put, result);
      } else {
        CopyNextPut(*reader, put, result);
      }
    }
    KeepQualifier(put);
    if (included && (filter_calls_ & filter::kTransformCell) != 0) {
      filter_->TransformCell(&result->Mutable(result->size() - 1), result);
    }
    const int64_t timestamp_ms = put.timestamp_ms;
    if (!reader->cursor->StepWithin(kept_row())) [[likely]] {
      return Simple::kRow;
    }
    if (answer == ReturnCode::kNextRow) {
      return Simple::kRestDropped;
    }
    if (cells < kMostCells && walk.passed < kMostPassed && FilterSeesNext(*reader, bytes, kept_qualifier(), &put)) {
      if (named != nullptr && named->columns.back().escaped_qualifier < put.qualifier) {
        return Simple::kRestDropped;
      }
      continue;
    }
    const MatchCode code = AdoptRow(reader, kept_row(), kept_qualifier(), timestamp_ms);
    if (included) {
      (void)reader->matcher.CountPassed(kept_qualifier(), code);
    }
    AdoptPiece(*result, bytes);
    return Simple::kMore;
  }
}

}  // namespace klip::engine
