#include "filter/rows/key_sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "klip/bytes.h"

namespace klip::filter {
namespace {

using Row = KeySample::Row;
using Prefix = KeySample::Prefix;
using Value = KeySample::Value;
using Values = KeySample::Values;

uint64_t MixSample(uint64_t hash) {
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93u;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93u;
  return hash ^ (hash >> 32);
}

void Add(Row* to, const Row& from) {
  to->newest_ms = std::max(to->newest_ms, from.newest_ms);
  to->deleted_ms = std::max(to->deleted_ms, from.deleted_ms);
}
void Add(Prefix* to, const Prefix& from) { to->rows += from.rows; }
void Add(Value* to, const Value& from) {
  to->rows += from.rows;
  to->prefixes += from.prefixes;
}

// Merges two sorted lists; adds up items that are in both.
template <typename Item>
std::vector<Item> MergeItems(std::vector<Item> a, const std::vector<Item>& b) {
  std::vector<Item> out;
  out.reserve(a.size() + b.size());
  auto next = a.begin();
  for (const Item& item : b) {
    for (; next != a.end() && next->bytes < item.bytes; ++next) {
      out.push_back(std::move(*next));
    }
    if (next != a.end() && next->bytes == item.bytes) {
      Add(&*next, item);
    } else {
      out.push_back(item);
    }
  }
  out.insert(out.end(), std::make_move_iterator(next), std::make_move_iterator(a.end()));
  return out;
}

template <typename Item>
void MergeDraw(KeySample::Draw<Item>* to, const KeySample::Draw<Item>& from, size_t most) {
  to->limit = std::min(to->limit, from.limit);
  to->items = MergeItems(std::move(to->items), from.items);
  std::erase_if(to->items, [to](const Item& item) { return item.hash > to->limit; });
  to->Limit(most);
}

// Keeps the most common values.
void LimitValues(size_t most, Values* values) {
  std::vector<Value>& common = values->common;
  if (common.size() <= most) {
    return;
  }
  values->left_out += static_cast<double>(common.size() - most);
  values->most_left_out += static_cast<double>(common.size() - most);
  std::nth_element(common.begin(), common.begin() + static_cast<std::ptrdiff_t>(most), common.end(),
                   [](const Value& a, const Value& b) { return a.rows > b.rows; });
  common.resize(most);
  std::sort(common.begin(), common.end(), [](const Value& a, const Value& b) { return a.bytes < b.bytes; });
}

void MergeValues(Values* to, const Values& from) {
  to->rows += from.rows;
  to->prefixes += from.prefixes;
  to->left_out = std::max(to->left_out, from.left_out);
  to->most_left_out += from.most_left_out;
  to->common = MergeItems(std::move(to->common), from.common);
  LimitValues(KeySample::kMaxValues, to);
}

// --- Bytes ---

void AppendNumber(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}
void AppendCount(double count, std::string* out) { AppendNumber(static_cast<uint64_t>(std::llround(count)), out); }

class ByteReader {
 public:
  explicit ByteReader(std::string_view input) : input_(input) {}

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && ok_; shift += 7) {
      if (input_.empty()) {
        ok_ = false;
        break;
      }
      const auto byte = static_cast<uint8_t>(input_.front());
      input_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    ok_ = false;
    return 0;
  }
  // A larger count than a store can hold means damage.
  double Count() {
    const uint64_t count = Number();
    ok_ = ok_ && count < uint64_t{1} << 48;
    return static_cast<double>(count);
  }
  size_t Size(size_t most) {
    const uint64_t size = Number();
    ok_ = ok_ && size <= most;
    return ok_ ? static_cast<size_t>(size) : 0;
  }
  uint64_t Fixed() {
    ok_ = ok_ && input_.size() >= sizeof(uint64_t);
    const uint64_t value = ok_ ? ReadBigEndian<uint64_t>(input_.data()) : 0;
    input_.remove_prefix(ok_ ? sizeof(uint64_t) : 0);
    return value;
  }
  // The bytes that follow those shared with *bytes, which must come after it.
  void NextBytes(size_t most, bool first, std::string* bytes) {
    const size_t shared = Size(bytes->size());
    const size_t more = Size(std::min(most - std::min(most, shared), input_.size()));
    const std::string before = *bytes;
    bytes->resize(shared);
    bytes->append(input_.substr(0, more));
    input_.remove_prefix(more);
    ok_ = ok_ && (first || before < *bytes);
  }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && input_.empty(); }

 private:
  std::string_view input_;
  bool ok_ = true;
};

// Appends the bytes of `bytes` that differ from the previous item.
void AppendNextBytes(std::string_view bytes, std::string_view* before, std::string* out) {
  const auto shared = static_cast<size_t>(
      std::mismatch(bytes.begin(), bytes.end(), before->begin(), before->end()).first - bytes.begin());
  AppendNumber(shared, out);
  AppendNumber(bytes.size() - shared, out);
  out->append(bytes.substr(shared));
  *before = bytes;
}

uint64_t ZigZag(int64_t value) { return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63); }
int64_t UnZigZag(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

constexpr uint64_t kHasNewest = 1;
constexpr uint64_t kHasDeleted = 2;
constexpr uint64_t kIsCut = 4;

void AppendRows(const KeySample::Draw<Row>& rows, std::string* out) {
  AppendBigEndian(rows.limit, out);
  AppendNumber(rows.items.size(), out);
  std::string_view before;
  int64_t last_ms = 0;
  const auto time = [&](int64_t ms) {
    AppendNumber(ZigZag(static_cast<int64_t>(static_cast<uint64_t>(ms) - static_cast<uint64_t>(last_ms))), out);
    last_ms = ms;
  };
  for (const Row& row : rows.items) {
    const bool cut = row.bytes.size() == KeySample::kMaxBytes;
    AppendNextBytes(row.bytes, &before, out);
    AppendNumber((row.newest_ms != KeySample::kNever ? kHasNewest : 0) |
                     (row.deleted_ms != KeySample::kNever ? kHasDeleted : 0) | (cut ? kIsCut : 0),
                 out);
    if (row.newest_ms != KeySample::kNever) {
      time(row.newest_ms);
    }
    if (row.deleted_ms != KeySample::kNever) {
      time(row.deleted_ms);
    }
    if (cut) {
      AppendBigEndian(row.hash, out);
    }
  }
}

void ReadRows(ByteReader* reader, KeySample::Draw<Row>* rows) {
  rows->limit = reader->Fixed();
  const size_t count = reader->Size(KeySample::kMaxRows);
  std::string bytes;
  int64_t last_ms = 0;
  const auto time = [&] {
    last_ms = static_cast<int64_t>(static_cast<uint64_t>(last_ms) + static_cast<uint64_t>(UnZigZag(reader->Number())));
    return last_ms;
  };
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    Row row;
    reader->NextBytes(KeySample::kMaxBytes, i == 0, &bytes);
    row.bytes = bytes;
    const uint64_t flags = reader->Number();
    row.newest_ms = (flags & kHasNewest) != 0 ? time() : KeySample::kNever;
    row.deleted_ms = (flags & kHasDeleted) != 0 ? time() : KeySample::kNever;
    row.hash = (flags & kIsCut) != 0 ? reader->Fixed() : SampleHash(bytes);
    rows->items.push_back(std::move(row));
  }
}

void AppendPrefixes(const KeySample::Draw<Prefix>& prefixes, std::string* out) {
  AppendBigEndian(prefixes.limit, out);
  AppendNumber(prefixes.items.size(), out);
  std::string_view before;
  for (const Prefix& prefix : prefixes.items) {
    AppendNextBytes(prefix.bytes, &before, out);
    AppendCount(prefix.rows, out);
  }
}

void ReadPrefixes(ByteReader* reader, KeySample::Draw<Prefix>* prefixes) {
  prefixes->limit = reader->Fixed();
  const size_t count = reader->Size(KeySample::kMaxPrefixes);
  std::string bytes;
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    reader->NextBytes(KeySample::kMaxBytes, i == 0, &bytes);
    prefixes->items.push_back({.bytes = bytes, .hash = SampleHash(bytes), .rows = reader->Count()});
  }
}

void AppendValues(const Values& values, std::string* out) {
  AppendCount(values.rows, out);
  AppendCount(values.prefixes, out);
  AppendCount(values.left_out, out);
  AppendNumber(values.common.size(), out);
  std::string_view before;
  for (const Value& value : values.common) {
    AppendNextBytes(value.bytes, &before, out);
    AppendCount(value.rows, out);
    AppendCount(value.prefixes, out);
  }
}

void ReadValues(ByteReader* reader, Values* values) {
  values->rows = reader->Count();
  values->prefixes = reader->Count();
  values->left_out = values->most_left_out = reader->Count();
  const size_t count = reader->Size(KeySample::kMaxValues);
  std::string bytes;
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    reader->NextBytes(KeySample::kMaxValueBytes, i == 0, &bytes);
    const double rows = reader->Count();
    values->common.push_back({.bytes = bytes, .rows = rows, .prefixes = reader->Count()});
  }
}

// Appends items with `append`, at most `most` and at most `max_bytes`; `limit` keeps so many.
template <typename Limit, typename Append>
void AppendWithin(size_t max_bytes, size_t most, Limit limit, Append append, std::string* out) {
  const size_t start = out->size();
  while (true) {
    append(out);
    const size_t bytes = out->size() - start;
    if (bytes <= max_bytes || most == 0) {
      return;
    }
    out->resize(start);
    most = std::min(most - 1, most * max_bytes / bytes * 15 / 16);
    limit(most);
  }
}

}  // namespace

uint64_t SampleHash(std::string_view bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u + bytes.size();
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    hash = MixSample(hash ^ word);
    bytes.remove_prefix(sizeof(word));
  }
  uint64_t rest = 0;
  std::memcpy(&rest, bytes.data(), bytes.size());
  return MixSample(hash ^ rest);
}

template <typename Item>
void KeySample::Draw<Item>::Limit(size_t most) {
  if (items.size() <= most) {
    return;
  }
  std::vector<uint64_t> hashes;
  for (const Item& item : items) {
    hashes.push_back(item.hash);
  }
  const auto nth = hashes.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(hashes.begin(), nth, hashes.end());
  limit = *nth - 1;
  std::erase_if(items, [this](const Item& item) { return item.hash > limit; });
}
template void KeySample::Draw<Row>::Limit(size_t);
template void KeySample::Draw<Prefix>::Limit(size_t);

void KeySample::Merge(const KeySample& other) {
  if (other.empty()) {
    return;
  }
  if (empty()) {
    *this = other;
    return;
  }
  if (prefixes.size() != other.prefixes.size()) {
    MergeDraw(&rows, other.rows, kMaxRows);
    return;
  }
  for (size_t i = 0; i < prefixes.size(); ++i) {
    if (!prefixes[i].left_out() || !other.prefixes[i].left_out()) {
      Draw<Prefix> of_rows;
      if (prefixes[i].left_out()) {
        prefixes[i] = PrefixesOf(i, &of_rows);
      }
      MergeDraw(&prefixes[i], other.PrefixesOf(i, &of_rows), kMaxPrefixes);
    }
    MergeValues(&values[i], other.values[i]);
  }
  MergeDraw(&rows, other.rows, kMaxRows);  // last: each one's prefixes may come from its rows
}

const KeySample::Draw<Prefix>& KeySample::PrefixesOf(size_t depth, Draw<Prefix>* storage) const {
  if (!prefixes[depth].left_out()) {
    return prefixes[depth];
  }
  storage->limit = rows.limit;
  storage->items.clear();
  for (const Row& row : rows.items) {
    storage->items.push_back({.bytes = row.bytes, .hash = row.hash, .rows = 1});
  }
  return *storage;
}

std::string KeySample::Serialize(size_t max_bytes) const {
  KeySample kept = *this;
  std::string out;
  AppendNumber(prefixes.size(), &out);
  // Half for rows, a quarter each for prefixes and values; the next may use what one leaves.
  const size_t parts = prefixes.size();
  size_t left = max_bytes;
  const auto part_of = [&](size_t shares) {
    left = max_bytes - std::min(max_bytes, out.size());
    return left / shares;
  };
  for (size_t i = 0; i < parts; ++i) {
    AppendWithin(
        part_of(4 * (parts - i)), kMaxValues, [&](size_t most) { LimitValues(most, &kept.values[i]); },
        [&](std::string* to) { AppendValues(kept.values[i], to); }, &out);
  }
  for (size_t i = 0; i < parts; ++i) {
    AppendWithin(
        part_of(3 * (parts - i)), kMaxPrefixes, [&](size_t most) { kept.prefixes[i].Limit(most); },
        [&](std::string* to) { AppendPrefixes(kept.prefixes[i], to); }, &out);
  }
  AppendWithin(
      part_of(1), kMaxRows, [&](size_t most) { kept.rows.Limit(most); },
      [&](std::string* to) { AppendRows(kept.rows, to); }, &out);
  return out;
}

bool KeySample::Parse(std::string_view bytes) {
  *this = {};
  ByteReader reader(bytes);
  const size_t parts = reader.Size(KeySample::kMaxParts);
  values.resize(parts);
  prefixes.resize(parts);
  for (Values& of_part : values) {
    ReadValues(&reader, &of_part);
  }
  for (Draw<Prefix>& of_depth : prefixes) {
    ReadPrefixes(&reader, &of_depth);
  }
  ReadRows(&reader, &rows);
  return reader.at_end();
}

}  // namespace klip::filter
