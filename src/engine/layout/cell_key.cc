#include "engine/layout/cell_key.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/short_bytes.h"
#include "klip/bytes.h"

namespace klip::engine {
namespace {

constexpr char kEscape = '\0';
constexpr char kEscapedZero = '\xff';
constexpr char kTerminator = '\x01';
constexpr char kAboveTerminator = '\x02';  // 00 02: greater than all that starts with 00 01, less than 00 FF

void AppendEscapedBody(std::string_view raw, std::string* out) {
  const void* zero = raw.empty() ? nullptr : std::memchr(raw.data(), kEscape, raw.size());
  if (zero == nullptr) {
    out->append(raw);
    return;
  }
  // Zeros come in runs, as bounds of jumps are padded with them.
  const size_t plain = static_cast<size_t>(static_cast<const char*>(zero) - raw.data());
  out->append(raw.substr(0, plain));
  raw.remove_prefix(plain);
  const size_t start = out->size();
  out->resize(start + 2 * raw.size());
  char* to = out->data() + start;
  for (const char byte : raw) {
    *to++ = byte;
    if (byte == kEscape) {
      *to++ = kEscapedZero;
    }
  }
  out->resize(static_cast<size_t>(to - out->data()));
}

bool IsCellType(uint8_t code) {
  switch (static_cast<CellType>(code)) {
    case CellType::kPut:
    case CellType::kDelete:
    case CellType::kDeleteFamilyVersion:
    case CellType::kDeleteColumn:
    case CellType::kDeleteFamily:
      return true;
  }
  return false;
}

void AppendVarint(size_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

// Removes a varint of at most 32 bits from the front.
bool ParseVarint(std::string_view* input, size_t* value) {
  *value = 0;
  for (int shift = 0; shift < 32 && !input->empty(); shift += 7) {
    uint8_t byte = static_cast<uint8_t>(input->front());
    input->remove_prefix(1);
    *value |= static_cast<size_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

}  // namespace

void AppendEscaped(std::string_view raw, std::string* out) {
  AppendEscapedBody(raw, out);
  out->push_back(kEscape);
  out->push_back(kTerminator);
}

void AppendCellKey(std::string_view row, std::string_view qualifier, int64_t timestamp_ms, CellType type,
                   std::string* out) {
  AppendEscaped(row, out);
  AppendEscaped(qualifier, out);
  uint64_t inverted = ~static_cast<uint64_t>(timestamp_ms);
  char tail[kTimestampAndTypeBytes];
  for (size_t i = sizeof(inverted); i-- > 0; inverted >>= 8) {
    tail[i] = static_cast<char>(inverted);
  }
  tail[sizeof(inverted)] = static_cast<char>(~static_cast<uint8_t>(type));
  out->append(tail, sizeof(tail));
}

void AppendCellValue(std::string_view value, std::string_view tags, uint64_t sequence, bool has_sequence,
                     std::string* out) {
  out->push_back(static_cast<char>((tags.empty() ? 0 : kHasTags) | (has_sequence ? kHasSequence : 0)));
  if (!tags.empty()) {
    AppendVarint(tags.size(), out);
    out->append(tags);
  }
  if (has_sequence) {
    AppendBigEndian(sequence, out);
  }
  out->append(value);
}

std::string RowStartKey(std::string_view row) {
  std::string key;
  key.reserve(row.size() + kTerminatorBytes);
  AppendEscaped(row, &key);
  return key;
}

std::string RowEndKey(std::string_view row) {
  std::string key = RowStartKey(row);
  key.back() = kAboveTerminator;
  return key;
}

std::string RowLowerBound(std::string_view row) { return row.empty() ? std::string() : RowStartKey(row); }

size_t EscapedRowLength(std::string_view key, size_t no_zeros_before) {
  size_t at = no_zeros_before + FindZero(key.data() + no_zeros_before, key.size() - no_zeros_before);
  while (at + 1 < key.size()) {
    const char next = key[at + 1];
    if (next != kEscapedZero) {
      return next == kTerminator ? at + kTerminatorBytes : 0;
    }
    at += 2;
    if (at < key.size() && key[at] != kEscape) {
      at += FindZero(key.data() + at, key.size() - at);
    }
  }
  return 0;
}

bool ParseCellKey(std::string_view key, CellKeyView* view) {
  size_t row_bytes = EscapedRowLength(key);
  if (row_bytes == 0) {
    return false;
  }
  size_t qualifier_bytes = EscapedRowLength(key.substr(row_bytes));
  if (qualifier_bytes == 0 || key.size() - row_bytes - qualifier_bytes != kTimestampAndTypeBytes) {
    return false;
  }
  const char* tail = key.data() + row_bytes + qualifier_bytes;
  uint8_t type = static_cast<uint8_t>(~static_cast<uint8_t>(tail[8]));
  if (!IsCellType(type)) {
    return false;
  }
  view->escaped_row = key.substr(0, row_bytes);
  view->escaped_qualifier = key.substr(row_bytes, qualifier_bytes);
  view->timestamp_ms = ReadKeyTimestamp(tail);
  view->type = static_cast<CellType>(type);
  return true;
}

std::string_view Unescape(std::string_view escaped, std::string* storage) {
  std::string_view body = escaped.substr(0, escaped.size() - std::min(escaped.size(), kTerminatorBytes));
  size_t zero = FindZero(body.data(), body.size());
  if (zero == body.size()) {
    return body;
  }
  if (storage->size() < body.size()) {
    storage->resize(body.size());
  }
  char* to = storage->data();
  size_t at = 0;
  while (zero < body.size()) {
    const size_t run = zero + 1 - at;  // with the zero, without the FF that follows it
    klip::CopyBytes(to, body.data() + at, run);
    to += run;
    at = std::min(zero + 2, body.size());
    const bool again = at < body.size() && body[at] == kEscape;  // zeros come in runs, as in integers
    zero = again ? at : at + FindZero(body.data() + at, body.size() - at);
  }
  klip::CopyBytes(to, body.data() + at, body.size() - at);
  return {storage->data(), static_cast<size_t>(to - storage->data()) + body.size() - at};
}

bool ParseCellValue(std::string_view stored, CellValueView* view) {
  if (stored.empty()) {
    return false;
  }
  uint8_t flags = static_cast<uint8_t>(stored.front());
  stored.remove_prefix(1);
  view->tags = {};
  view->sequence = 0;
  view->beneath = false;
  if (flags == 0) [[likely]] {
    view->value = stored;
    return true;
  }
  if ((flags & ~(kHasTags | kHasSequence | kBeneath)) != 0) {
    return false;
  }
  view->beneath = (flags & kBeneath) != 0;
  if ((flags & kHasTags) != 0) {
    size_t bytes = 0;
    if (!ParseVarint(&stored, &bytes) || bytes > stored.size()) {
      return false;
    }
    view->tags = stored.substr(0, bytes);
    stored.remove_prefix(bytes);
  }
  if ((flags & kHasSequence) != 0) {
    if (stored.size() < sizeof(uint64_t)) {
      return false;
    }
    view->sequence = ReadBigEndian<uint64_t>(stored.data());
    stored.remove_prefix(sizeof(uint64_t));
  }
  view->value = stored;
  return true;
}

}  // namespace klip::engine
