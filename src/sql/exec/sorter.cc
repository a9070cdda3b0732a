// Sorts beyond memory. Rows become bytes when they come: a key, and values. In memory, a list of (eight bytes of the key, pointer)
// is sorted, so most comparisons look at no row. When memory ends, the sorted rows are written to the temporary file as a run, in blocks.
// At the end all runs are merged. There may be more of them than memory has blocks for; so whenever the last FanIn() runs have the same
// level they are merged into one of the next level. As these are neighbours, equal rows stay in their order.
//
// Example: with memory for 2 rows and a fan-in of 2, the keys 5 1 4 2 3 give the runs (1 5), (2 4), merged to (1 2 4 5), and (3), and
// then 1 2 3 4 5.
#include "sql/exec/sorter.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "klip/bytes.h"

namespace klip::sql {
namespace {

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7U) {
    out->push_back(static_cast<char>(value | 0x80U));
  }
  out->push_back(static_cast<char>(value));
}

uint64_t ReadVarint(const char** at) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*(*at)++);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
}

// Small numbers, of either sign, in few bytes.
void AppendSigned(int64_t value, std::string* out) {
  AppendVarint((static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63), out);
}

int64_t ReadSigned(const char** at) {
  const uint64_t value = ReadVarint(at);
  return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
}

template <typename T>
void AppendRaw(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
T ReadRaw(const char** at) {
  T value;
  std::memcpy(&value, *at, sizeof(T));
  *at += sizeof(T);
  return value;
}

void AppendSized(std::string_view text, std::string* out) {
  AppendVarint(text.size(), out);
  out->append(text);
}

std::string_view ReadSized(const char** at) {
  const size_t size = ReadVarint(at);
  const std::string_view text(*at, size);
  *at += size;
  return text;
}

void AppendDecimal(const Decimal& value, std::string* out) {
  AppendSigned(value.scale(), out);
  AppendSigned(static_cast<int64_t>(value.unscaled() >> 64), out);
  AppendVarint(static_cast<uint64_t>(value.unscaled()), out);
}

Decimal ReadDecimal(const char** at) {
  const auto scale = static_cast<int>(ReadSigned(at));
  const auto high = static_cast<unsigned __int128>(ReadSigned(at)) << 64;
  return {static_cast<__int128>(high | ReadVarint(at)), scale};
}

// The type, the number of the alternative in Value::Data, and what it holds.
void AppendAny(const Value& value, std::string* out) {
  out->push_back(static_cast<char>(value.type()));
  out->push_back(static_cast<char>(value.data().index()));
  std::visit(
      [&](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Value::Array>) {
          AppendVarint(held.size(), out);
          for (const Value& element : held) {
            AppendAny(element, out);
          }
        } else if constexpr (std::is_same_v<T, std::string>) {
          AppendSized(held, out);
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          AppendRaw(held, out);
        }
      },
      value.data());
}

Value ReadAny(const char** at) {
  const auto type = static_cast<Type>(*(*at)++);
  switch (*(*at)++) {
    case 0:
      return {type, std::monostate()};
    case 1:
      return {type, ReadRaw<bool>(at)};
    case 2:
      return {type, ReadRaw<int64_t>(at)};
    case 3:
      return {type, ReadRaw<double>(at)};
    case 4:
      return {type, ReadRaw<Decimal>(at)};
    case 5:
      return {type, std::string(ReadSized(at))};
    case 6:
      return {type, ReadRaw<Value::Timestamp>(at)};
    default: {
      Value::Array array(ReadVarint(at));
      for (Value& element : array) {
        element = ReadAny(at);
      }
      return {type, std::move(array)};
    }
  }
}
static_assert(std::variant_size_v<Value::Data> == 8);  // as many as ReadAny knows

// Takes a row from the beginning of *bytes.
StoredRow TakeRow(std::string_view* bytes) {
  const char* at = bytes->data();
  const size_t key_size = ReadVarint(&at);
  const size_t values_size = ReadVarint(&at);
  const StoredRow row = {{at, key_size}, {at + key_size, values_size}};
  bytes->remove_prefix(static_cast<size_t>(row.values.data() + values_size - bytes->data()));
  return row;
}

void AppendSizes(size_t key_size, size_t values_size, std::string* out) {
  AppendVarint(key_size, out);
  AppendVarint(values_size, out);
}

// The first eight bytes of a key, or of its end, as a number.
uint64_t PrefixOf(std::string_view key) {
  if (key.size() >= sizeof(uint64_t)) {
    return ReadBigEndian<uint64_t>(key.data());
  }
  char bytes[sizeof(uint64_t)] = {};
  std::copy(key.begin(), key.end(), bytes);
  return ReadBigEndian<uint64_t>(bytes);
}

// TUNING: 64 KB are long enough for a disk. With little memory, blocks are shorter, so that a merge takes 8 or more of them.
size_t BlockBytes(const MemoryAccount& memory) {
  return std::min(static_cast<size_t>(memory.share()) / 16, size_t{64} << 10);
}

}  // namespace

void AppendValues(std::span<const Vector* const> columns, size_t row, std::string* out) {
  for (const Vector* const column : columns) {
    out->push_back(column->is_null(row) ? '\0' : '\1');
    if (column->is_null(row)) {
      continue;
    }
    switch (column->physical()) {
      case Physical::kWhole:
        AppendSigned(column->whole(row), out);
        break;
      case Physical::kReal:
        AppendRaw(column->real(row), out);
        break;
      case Physical::kDecimal:
        AppendDecimal(column->decimal(row), out);
        break;
      case Physical::kText:
        AppendSized(column->text(row), out);
        break;
      case Physical::kOther:
        AppendAny(column->other(row), out);
    }
  }
}

void ReadValues(std::string_view bytes, std::span<Vector> columns, size_t row) {
  const char* at = bytes.data();
  for (Vector& column : columns) {
    if (*at++ == '\0') {
      column.SetNull(row);
      continue;
    }
    switch (column.physical()) {
      case Physical::kWhole:
        column.SetWhole(row, ReadSigned(&at));
        break;
      case Physical::kReal:
        column.SetReal(row, ReadRaw<double>(&at));
        break;
      case Physical::kDecimal:
        column.SetDecimal(row, ReadDecimal(&at));
        break;
      case Physical::kText:
        column.SetText(row, column.Store(ReadSized(&at)));
        break;
      case Physical::kOther:
        column.SetOther(row, ReadAny(&at));
    }
  }
}

void ResetBatch(const std::vector<DataType>& types, size_t rows, Batch* batch) {
  batch->rows = rows;
  batch->columns.resize(types.size());
  for (size_t column = 0; column < types.size(); ++column) {
    batch->columns[column].Reset(types[column], rows);
  }
}

std::vector<const Vector*> Pointers(const std::vector<Vector>& columns) {
  std::vector<const Vector*> pointers;
  pointers.reserve(columns.size());
  for (const Vector& column : columns) {
    pointers.push_back(&column);
  }
  return pointers;
}

Run& Run::operator=(Run&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(blocks_, other.blocks_);
  std::swap(next_, other.next_);
  std::swap(largest_block_, other.largest_block_);
  std::swap(level_, other.level_);
  return *this;
}

Run::~Run() {
  for (; next_ < blocks_.size(); ++next_) {
    file_->Free(blocks_[next_]);
  }
}

Status Run::Append(std::string_view block) {
  KLIP_ASSIGN_OR_RETURN(const TemporaryFile::Block written, file_->Write(block));
  blocks_.push_back(written);
  largest_block_ = std::max(largest_block_, written.bytes);
  return Status::Ok();
}

Expected<bool> Run::Read(std::string* block) {
  if (next_ == blocks_.size()) {
    return false;
  }
  KLIP_RETURN_IF_ERROR(file_->Read(blocks_[next_], block));
  ++next_;
  return true;
}

RunWriter::RunWriter(Execution* execution) : block_bytes_(BlockBytes(execution->memory)), run_(&execution->temporary) {}

Status RunWriter::Add(const StoredRow& row) {
  constexpr size_t kMostSizes = 20;  // bytes of both sizes
  if (!block_.empty() && block_.size() + kMostSizes + row.key.size() + row.values.size() > block_bytes_) {
    KLIP_RETURN_IF_ERROR(run_.Append(block_));
    block_.clear();
  }
  AppendSizes(row.key.size(), row.values.size(), &block_);
  block_.append(row.key);
  block_.append(row.values);
  return Status::Ok();
}

Expected<Run> RunWriter::Finish() {
  if (!block_.empty()) {
    KLIP_RETURN_IF_ERROR(run_.Append(block_));
  }
  return std::move(run_);
}

Expected<bool> RunReader::Next() {
  if (rest_.empty()) {
    KLIP_ASSIGN_OR_RETURN(const bool more, run_.Read(&block_));
    if (!more) {
      return false;
    }
    rest_ = block_;
  }
  row_ = TakeRow(&rest_);
  return true;
}

Status RunMerge::Open(std::vector<Run> runs) {
  readers_.clear();
  heads_.clear();
  for (Run& run : runs) {
    readers_.emplace_back(std::move(run));
  }
  for (uint32_t i = 0; i < readers_.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(const bool more, readers_[i].Next());
    if (more) {
      heads_.push_back({PrefixOf(readers_[i].row().key), i});
    }
  }
  for (size_t at = heads_.size(); at-- > 0;) {
    SiftDown(at);
  }
  return Status::Ok();
}

Status RunMerge::Next() {
  Head& top = heads_.front();
  RunReader& reader = readers_[top.reader];
  KLIP_ASSIGN_OR_RETURN(const bool more, reader.Next());
  if (more) {
    top.prefix = PrefixOf(reader.row().key);
  } else {
    top = heads_.back();
    heads_.pop_back();
  }
  if (!heads_.empty()) {
    SiftDown(0);
  }
  return Status::Ok();
}

bool RunMerge::Before(const Head& a, const Head& b) const {
  if (a.prefix != b.prefix) {
    return a.prefix < b.prefix;
  }
  const int order = readers_[a.reader].row().key.compare(readers_[b.reader].row().key);
  return order != 0 ? order < 0 : a.reader < b.reader;
}

void RunMerge::SiftDown(size_t at) {
  while (true) {
    size_t first = at;
    for (size_t child = 2 * at + 1; child < std::min(2 * at + 3, heads_.size()); ++child) {
      first = Before(heads_[child], heads_[first]) ? child : first;
    }
    if (first == at) {
      return;
    }
    std::swap(heads_[at], heads_[first]);
    at = first;
  }
}

bool RowSorter::Chooser::Takes(std::string_view key) {
  if (full() || (options_.unique && taken_ > 0 && key == last_)) {
    return false;
  }
  ++taken_;
  if (options_.unique) {
    last_ = key;
  }
  return true;
}

void RowSorter::Reset(Execution* execution, Options options) {
  execution_ = execution;
  options_ = options;
  bound_.reset();
  arena_.Clear();
  entries_.clear();
  rows_ = 0;
  charged_arena_bytes_ = 0;
  memory_.Reset(&execution->memory);
  runs_.clear();
  (void)merge_.Open({});
  merging_ = false;
  next_entry_ = 0;
  chooser_ = Chooser(options);
  at_end_ = true;
}

StoredRow RowSorter::RowOf(const Entry& entry) {
  std::string_view bytes(entry.row + sizeof(uint64_t), std::string_view::npos / 2);
  return TakeRow(&bytes);
}

bool RowSorter::Before(const Entry& a, const Entry& b) {
  if (a.prefix != b.prefix) {
    return a.prefix < b.prefix;
  }
  const int order = RowOf(a).key.compare(RowOf(b).key);
  if (order != 0) {
    return order < 0;
  }
  const char* number_a = a.row;
  const char* number_b = b.row;
  return ReadRaw<uint64_t>(&number_a) < ReadRaw<uint64_t>(&number_b);
}

Status RowSorter::Add(const StoredRow& row) {
  if (options_.most == 0 || (bound_.has_value() && row.key >= *bound_)) {
    return Status::Ok();
  }
  if (entries_.size() == entries_.capacity()) {
    KLIP_RETURN_IF_ERROR(GrowEntries());
  }
  head_.clear();
  AppendRaw(rows_++, &head_);
  AppendSizes(row.key.size(), row.values.size(), &head_);
  char* const bytes = arena_.Allocate(head_.size() + row.key.size() + row.values.size());
  char* end = std::copy(head_.begin(), head_.end(), bytes);
  end = std::copy(row.key.begin(), row.key.end(), end);
  std::copy(row.values.begin(), row.values.end(), end);
  entries_.push_back({0, bytes});
  constexpr size_t kSlack = 8 * kBatchRows;  // so that few wanted rows do not mean to drop the others all the time
  if (options_.most < std::numeric_limits<size_t>::max() / 4 && entries_.size() >= 2 * options_.most + kSlack) {
    DropLater();
  }
  if (arena_.bytes() != charged_arena_bytes_ && !Charge()) {
    KLIP_RETURN_IF_ERROR(MakeRoom());
  }
  return Status::Ok();
}

bool RowSorter::Charge() {
  charged_arena_bytes_ = arena_.bytes();
  return memory_.TrySetTo(arena_.bytes() + entries_.capacity() * sizeof(Entry));
}

Status RowSorter::GrowEntries() {
  const size_t now = entries_.capacity();
  const size_t wanted = std::max(2 * now, kBatchRows);
  if (!memory_.TrySetTo(arena_.bytes() + (now + wanted) * sizeof(Entry)) && now > 0) {  // both, while they are copied
    return MakeRoom();
  }
  entries_.reserve(wanted);
  (void)Charge();  // less than a moment before
  return Status::Ok();
}

Status RowSorter::MakeRoom() {
  if (entries_.size() / 2 >= options_.most) {
    DropLater();
    if (Charge()) {
      return Status::Ok();
    }
  }
  return WriteRun();
}

// Keys begin alike, as numbers with a sign do. What differs is behind that, so prefixes begin there.
void RowSorter::SetPrefixes() {
  if (entries_.empty()) {
    return;
  }
  const std::string_view first = RowOf(entries_.front()).key;
  size_t alike = first.size();
  for (const Entry& entry : entries_) {
    const std::string_view key = RowOf(entry).key.substr(0, alike);
    alike = static_cast<size_t>(std::mismatch(key.begin(), key.end(), first.begin()).first - key.begin());
  }
  for (Entry& entry : entries_) {
    entry.prefix = PrefixOf(RowOf(entry).key.substr(alike));
  }
}

void RowSorter::SortEntries() {
  SetPrefixes();
  std::sort(entries_.begin(), entries_.end(), Before);
}

// Keeps the first rows of those in memory, as many as are wanted, in bytes of their own.
void RowSorter::DropLater() {
  SetPrefixes();
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(options_.most);
  std::nth_element(entries_.begin(), end - 1, entries_.end(), Before);
  entries_.erase(end, entries_.end());
  Bound(RowOf(entries_.back()).key);
  ReservedArena kept;
  for (Entry& entry : entries_) {
    const StoredRow row = RowOf(entry);
    entry.row = kept.Store({entry.row, static_cast<size_t>(row.values.data() + row.values.size() - entry.row)}).data();
  }
  std::swap(arena_, kept);
}

// There are as many rows as are wanted up to this key.
void RowSorter::Bound(std::string_view key) {
  if (!bound_.has_value() || key < *bound_) {
    bound_ = key;
  }
}

Status RowSorter::WriteRun() {
  SortEntries();
  Chooser chooser(options_);
  RunWriter writer(execution_);
  for (const Entry& entry : entries_) {
    const StoredRow row = RowOf(entry);
    if (chooser.Takes(row.key)) {
      KLIP_RETURN_IF_ERROR(writer.Add(row));
      if (chooser.full()) {
        Bound(row.key);
      }
    }
  }
  KLIP_ASSIGN_OR_RETURN(Run run, writer.Finish());
  runs_.push_back(std::move(run));
  entries_.clear();
  arena_.Clear();
  (void)Charge();  // less than before
  size_t same_level = 0;
  do {
    const auto other = std::find_if(runs_.rbegin(), runs_.rend(),
                                    [&](const Run& before) { return before.level() != runs_.back().level(); });
    same_level = static_cast<size_t>(other - runs_.rbegin());
    if (same_level >= FanIn()) {
      KLIP_RETURN_IF_ERROR(MergeLast(same_level));
    }
  } while (same_level >= FanIn());
  return Status::Ok();
}

// How many blocks fit in half of the share; the other half is for rows that come meanwhile.
size_t RowSorter::FanIn() const {
  size_t largest = 1;
  for (const Run& run : runs_) {
    largest = std::max<size_t>(largest, run.largest_block());
  }
  return std::clamp<size_t>(static_cast<size_t>(execution_->memory.share()) / 2 / largest, 2, 64);
}

Status RowSorter::MergeLast(size_t runs) {
  const auto first = runs_.end() - static_cast<std::ptrdiff_t>(runs);
  const int level = first->level() + 1;
  RunMerge merge;
  KLIP_RETURN_IF_ERROR(merge.Open({std::make_move_iterator(first), std::make_move_iterator(runs_.end())}));
  runs_.erase(first, runs_.end());
  Chooser chooser(options_);
  RunWriter writer(execution_);
  while (!merge.at_end()) {
    if (chooser.Takes(merge.row().key)) {
      KLIP_RETURN_IF_ERROR(writer.Add(merge.row()));
    }
    KLIP_RETURN_IF_ERROR(merge.Next());
  }
  KLIP_ASSIGN_OR_RETURN(Run merged, writer.Finish());
  merged.set_level(level);
  runs_.push_back(std::move(merged));
  return Status::Ok();
}

Status RowSorter::Finish() {
  merging_ = !runs_.empty();
  if (merging_) {
    if (!entries_.empty()) {
      KLIP_RETURN_IF_ERROR(WriteRun());
    }
    arena_ = ReservedArena();
    entries_ = std::vector<Entry>();
    while (runs_.size() > FanIn()) {
      KLIP_RETURN_IF_ERROR(MergeLast(std::min(FanIn(), runs_.size() - FanIn() + 1)));
    }
    size_t blocks = 0;
    for (const Run& run : runs_) {
      blocks += run.largest_block();
    }
    (void)memory_.TrySetTo(blocks);  // half of the share, or blocks of large rows
    KLIP_RETURN_IF_ERROR(merge_.Open(std::move(runs_)));
    runs_.clear();
  } else {
    SortEntries();
  }
  at_end_ = false;
  return Settle();
}

Status RowSorter::Next() {
  KLIP_RETURN_IF_ERROR(Skip());
  return Settle();
}

Status RowSorter::Skip() {
  if (merging_) {
    return merge_.Next();
  }
  ++next_entry_;
  return Status::Ok();
}

// Makes the next row that is wanted the current one.
Status RowSorter::Settle() {
  while (true) {
    if (chooser_.full() || (merging_ ? merge_.at_end() : next_entry_ == entries_.size())) {
      at_end_ = true;
      return Status::Ok();
    }
    row_ = merging_ ? merge_.row() : RowOf(entries_[next_entry_]);
    if (chooser_.Takes(row_.key)) {
      return Status::Ok();
    }
    KLIP_RETURN_IF_ERROR(Skip());
  }
}

Status RowSorter::Fill(const std::vector<DataType>& types, Batch* out) {
  ResetBatch(types, kBatchRows, out);
  size_t rows = 0;
  size_t bytes = 0;
  for (; !at_end_ && rows < kBatchRows && bytes < static_cast<size_t>(execution_->memory.share()); ++rows) {
    bytes += row_.values.size();
    ReadValues(row_.values, out->columns, rows);
    KLIP_RETURN_IF_ERROR(Next());
  }
  out->rows = rows;
  for (Vector& column : out->columns) {
    column.Resize(rows);
  }
  return Status::Ok();
}

}  // namespace klip::sql
