#include "rowkey/key_codec.h"

#include <charconv>
#include <chrono>

#include "base/clock.h"
#include "base/digest.h"
#include "klip/bytes.h"
#include "rowkey/schema_parser.h"
#include "rowkey/time_text.h"

namespace klip::rowkey {
namespace {

constexpr uint64_t kMaxTimestamp = static_cast<uint64_t>(INT64_MAX);

template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  T value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return std::nullopt;
  }
  return error == std::errc() && end == text.data() + text.size() ? std::optional<T>(value) : std::nullopt;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool LooksLikeInteger(std::string_view text) { return AllDigits(text.starts_with('-') ? text.substr(1) : text); }

uint64_t MaxUnsigned(int width_bytes) { return width_bytes == 8 ? UINT64_MAX : (uint64_t{1} << (8 * width_bytes)) - 1; }

void AppendNumber(uint64_t value, int width_bytes, std::string* out) {
  for (int shift = 8 * width_bytes - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(value >> shift));
  }
}

uint64_t ReadNumber(std::string_view bytes) {
  uint64_t value = 0;
  for (char c : bytes) {
    value = (value << 8) | static_cast<unsigned char>(c);
  }
  return value;
}

bool IsCalendarDay(std::string_view digits) {
  namespace chrono = std::chrono;
  auto number = [digits](size_t from, size_t count) {
    unsigned value = 0;
    for (char c : digits.substr(from, count)) {
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    return value;
  };
  return chrono::year_month_day(chrono::year(static_cast<int>(number(0, 4))), chrono::month(number(4, 2)),
                                chrono::day(number(6, 2)))
      .ok();
}

std::string Digest(KeyHash hash, std::string_view bytes) {
  switch (hash) {
    case KeyHash::kMd5:
      return base::Md5(bytes);
    case KeyHash::kSha1:
      return base::Sha1(bytes);
    case KeyHash::kSha256:
      break;
  }
  return base::Sha256(bytes);
}

Status TooLong(const KeyField& field, size_t bytes) {
  return FieldError(field, std::to_string(bytes) + " bytes do not fit in " + std::to_string(field.width_bytes));
}

Status NotANumber(const KeyField& field, std::string_view value) {
  return FieldError(field, Shown(value) + " is not a whole number");
}

Status OutOfRange(const KeyField& field, std::string_view value, const std::string& low, const std::string& high) {
  return FieldError(field, std::string(value.substr(0, 40)) + " is not in " + low + ".." + high);
}

Status AppendVariable(const KeyField& field, std::string_view bytes, std::string* out) {
  if (field.delimiter && bytes.find(*field.delimiter) != std::string_view::npos) {
    return FieldError(field, Shown(bytes) + " contains the delimiter " + Shown(std::string(1, *field.delimiter)));
  }
  if (bytes.size() > static_cast<size_t>(kMaxRowBytes)) {
    return FieldError(field, std::to_string(bytes.size()) + " bytes do not fit in a row key");
  }
  out->append(bytes);
  return Status::Ok();
}

Status AppendText(const KeyField& field, std::string_view value, std::string* out) {
  if (field.width_bytes == 0) {
    return AppendVariable(field, value, out);
  }
  auto width = static_cast<size_t>(field.width_bytes);
  if (value.size() > width && field.truncate) {
    value = value.substr(0, width);
  } else if (value.size() > width) {
    return TooLong(field, value.size());
  } else if (value.ends_with(field.pad)) {
    return FieldError(field, Shown(value) + " ends with the padding byte " + Shown(std::string(1, field.pad)) +
                                 " and would be read back without it");
  }
  out->append(value);
  out->append(width - value.size(), field.pad);
  return Status::Ok();
}

Status AppendBytes(const KeyField& field, std::string_view value, std::string* out) {
  std::string bytes = FromStringBinary(value);
  if (field.width_bytes == 0) {
    return AppendVariable(field, bytes, out);
  }
  if (bytes.size() > static_cast<size_t>(field.width_bytes)) {
    return TooLong(field, bytes.size());
  }
  if (bytes.size() < static_cast<size_t>(field.width_bytes)) {
    return FieldError(
        field, "expected " + std::to_string(field.width_bytes) + " bytes, found " + std::to_string(bytes.size()));
  }
  out->append(bytes);
  return Status::Ok();
}

Status AppendDigits(const KeyField& field, std::string_view value, std::string* out) {
  if (!AllDigits(value)) {
    return FieldError(field, Shown(value) + " is not a number in decimal digits");
  }
  auto width = static_cast<size_t>(field.width_bytes);
  std::string_view digits = value;
  while (digits.size() > width && digits.front() == '0') {
    digits.remove_prefix(1);
  }
  if (digits.size() > width) {
    return FieldError(field, std::to_string(digits.size()) + " digits do not fit in " + std::to_string(width));
  }
  out->append(width - digits.size(), '0');
  out->append(digits);
  return Status::Ok();
}

// "now-1h", "today" and so on, by this machine's clock; nullopt: something else.
std::optional<TimeSpan> RelativeTimeOf(std::string_view value) {
  return IsRelativeTime(value) ? ParseRelativeTime(value, base::SystemMs()) : std::nullopt;
}

// 20140628, 2014-06-28 or today.
Status AppendDate(const KeyField& field, std::string_view value, std::string* out) {
  if (const std::optional<TimeSpan> time = RelativeTimeOf(value); time.has_value()) {
    const std::optional<std::string> day = DayOf(time->first_ms);
    return day.has_value() ? AppendDate(field, *day, out)
                           : FieldError(field, Shown(value) + " is outside the years 0 to 9999");
  }
  std::string digits(value);
  if (digits.size() == 10 && digits[4] == '-' && digits[7] == '-') {
    digits = digits.substr(0, 4) + digits.substr(5, 2) + digits.substr(8, 2);
  }
  if (digits.size() != 8 || !AllDigits(digits)) {
    return FieldError(field, Shown(value) + " is not a date like 20140628");
  }
  if (!IsCalendarDay(digits)) {
    return FieldError(field, Shown(value) + " is not a day of the calendar");
  }
  out->append(digits);
  return Status::Ok();
}

Status AppendUnsigned(const KeyField& field, std::string_view value, uint64_t limit, std::string* out) {
  if (!LooksLikeInteger(value)) {
    return NotANumber(field, value);
  }
  std::optional<uint64_t> number = ParseInteger<uint64_t>(value);
  if (!number || *number > limit) {
    return OutOfRange(field, value, "0", std::to_string(limit));
  }
  AppendNumber(*number, field.width_bytes, out);
  return Status::Ok();
}

// Milliseconds since 1970, a time such as 2014-06-28T12:30:00Z, or now.
Status AppendTimestamp(const KeyField& field, std::string_view value, uint64_t limit, std::string* out) {
  if (LooksLikeInteger(value)) {
    return AppendUnsigned(field, value, limit, out);
  }
  std::optional<TimeSpan> time = RelativeTimeOf(value);
  time = time ? time : ParseTime(value);
  if (!time) {
    return FieldError(field,
                      Shown(value) + " is not a number of milliseconds, a time like 2014-06-28T12:30:00Z, or now");
  }
  return AppendUnsigned(field, std::to_string(time->first_ms), limit, out);
}

Status AppendSigned(const KeyField& field, std::string_view value, std::string* out) {
  if (!LooksLikeInteger(value)) {
    return NotANumber(field, value);
  }
  auto high = static_cast<int64_t>(MaxUnsigned(field.width_bytes) >> 1);
  std::optional<int64_t> number = ParseInteger<int64_t>(value);
  if (!number || *number > high || *number < -high - 1) {
    return OutOfRange(field, value, std::to_string(-high - 1), std::to_string(high));
  }
  // Adding half the range is flipping the sign bit: negative numbers sort first.
  AppendNumber(static_cast<uint64_t>(*number) + (uint64_t{1} << (8 * field.width_bytes - 1)), field.width_bytes, out);
  return Status::Ok();
}

// In the order of values; Flip converts to the order of the key.
Status AppendAscending(const KeyField& field, std::string_view value, std::string* out) {
  switch (field.type) {
    case KeyFieldType::kText:
      return AppendText(field, value, out);
    case KeyFieldType::kBytes:
      return AppendBytes(field, value, out);
    case KeyFieldType::kDigits:
      return AppendDigits(field, value, out);
    case KeyFieldType::kDate:
      return AppendDate(field, value, out);
    case KeyFieldType::kUnsigned:
      return AppendUnsigned(field, value, MaxUnsigned(field.width_bytes), out);
    case KeyFieldType::kSigned:
      return AppendSigned(field, value, out);
    case KeyFieldType::kTimestamp:
      return AppendTimestamp(field, value, UINT64_MAX, out);
    case KeyFieldType::kReverseTimestamp:
      return AppendTimestamp(field, value, kMaxTimestamp, out);
    case KeyFieldType::kHash:
      out->append(Digest(field.hash, value).substr(0, static_cast<size_t>(field.width_bytes)));
      return Status::Ok();
    case KeyFieldType::kSalt:
      return AppendUnsigned(field, value, static_cast<uint64_t>(field.salt_buckets) - 1, out);
    case KeyFieldType::kLiteral:
      break;
  }
  out->append(field.literal);
  return Status::Ok();
}

std::string_view TrimPadding(std::string_view bytes, char pad) {
  while (bytes.ends_with(pad)) {
    bytes.remove_suffix(1);
  }
  return bytes;
}

Status BadBytes(std::string_view bytes, std::string_view message) {
  return Status(Code::kInvalidArgument, Shown(bytes) + " " + std::string(message));
}

Expected<std::string> DecodeDigits(std::string_view bytes, bool date, std::string_view stored) {
  if (!AllDigits(bytes)) {
    return BadBytes(stored, "does not consist of decimal digits");
  }
  if (date) {
    return IsCalendarDay(bytes) ? Expected<std::string>(std::string(bytes))
                                : BadBytes(stored, "is not a day of the calendar");
  }
  size_t first = bytes.find_first_not_of('0');
  return std::string(bytes.substr(first == std::string_view::npos ? bytes.size() - 1 : first));
}

// `bytes` in the order of values; `stored` as in the key, for messages.
Expected<std::string> DecodeAscending(const KeyField& field, std::string_view bytes, std::string_view stored) {
  switch (field.type) {
    case KeyFieldType::kText:
      return std::string(field.width_bytes > 0 ? TrimPadding(bytes, field.pad) : bytes);
    case KeyFieldType::kBytes:
      return ToStringBinary(bytes);
    case KeyFieldType::kDigits:
    case KeyFieldType::kDate:
      return DecodeDigits(bytes, field.type == KeyFieldType::kDate, stored);
    case KeyFieldType::kUnsigned:
    case KeyFieldType::kTimestamp:
      return std::to_string(ReadNumber(bytes));
    case KeyFieldType::kReverseTimestamp:
      return ReadNumber(bytes) <= kMaxTimestamp ? Expected<std::string>(std::to_string(ReadNumber(bytes)))
                                                : BadBytes(stored, "is not a timestamp");
    case KeyFieldType::kSigned: {
      uint64_t half = uint64_t{1} << (8 * field.width_bytes - 1);
      return std::to_string(static_cast<int64_t>(ReadNumber(bytes) - half));
    }
    case KeyFieldType::kHash:
      return base::Hex(bytes);
    case KeyFieldType::kSalt:
      return ReadNumber(bytes) < static_cast<uint64_t>(field.salt_buckets)
                 ? Expected<std::string>(std::to_string(ReadNumber(bytes)))
                 : BadBytes(stored, "is not one of " + std::to_string(field.salt_buckets) + " salt buckets");
    case KeyFieldType::kLiteral:
      break;
  }
  return bytes == field.literal ? Expected<std::string>(std::string(bytes))
                                : BadBytes(stored, "found, not the literal " + Shown(field.literal));
}

std::string NameOf(const KeyField& field) {
  return field.type == KeyFieldType::kLiteral ? "literal " + Shown(field.literal) : "field '" + field.name + "'";
}

Status SplitError(const KeyField& field, size_t offset, const std::string& message) {
  return Status(Code::kInvalidArgument, NameOf(field) + " at offset " + std::to_string(offset) + ": " + message);
}

}  // namespace

Status FieldError(const KeyField& field, std::string_view message) {
  return Status(Code::kInvalidArgument, NameOf(field) + ": " + std::string(message));
}

std::string UnknownField(const std::vector<KeyField>& fields, std::string_view name) {
  std::string out = "the row key has no field '" + std::string(name) + "'; its fields are ";
  bool first = true;
  for (const KeyField& field : fields) {
    if (!field.name.empty()) {
      out.append(first ? "" : ", ").append(field.name);
      first = false;
    }
  }
  return out;
}

std::string Shown(std::string_view value) {
  constexpr size_t kShownBytes = 40;
  std::string out = "'" + ToStringBinary(value.substr(0, kShownBytes));
  return out + (value.size() > kShownBytes ? "...'" : "'");
}

bool SortsBackwards(const KeyField& field) {
  return field.descending != (field.type == KeyFieldType::kReverseTimestamp);
}

void Flip(const KeyField& field, std::string* bytes) {
  if (SortsBackwards(field)) {
    for (char& c : *bytes) {
      c = static_cast<char>(~c);
    }
  }
  if (field.type == KeyFieldType::kReverseTimestamp && !bytes->empty()) {
    (*bytes)[0] = static_cast<char>((*bytes)[0] ^ '\x80');  // 2^63-1 minus a number keeps the top bit 0
  }
}

Status AppendField(const KeyField& field, std::string_view value, std::string* out) {
  if (!SortsBackwards(field) && field.type != KeyFieldType::kReverseTimestamp) {
    return AppendAscending(field, value, out);
  }
  std::string bytes;
  KLIP_RETURN_IF_ERROR(AppendAscending(field, value, &bytes));
  Flip(field, &bytes);
  out->append(bytes);
  return Status::Ok();
}

Expected<std::string> EncodeField(const KeyField& field, std::string_view value) {
  std::string out;
  KLIP_RETURN_IF_ERROR(AppendField(field, value, &out));
  return out;
}

Expected<std::string> DecodeField(const KeyField& field, std::string_view bytes) {
  if (!SortsBackwards(field) && field.type != KeyFieldType::kReverseTimestamp) {
    return DecodeAscending(field, bytes, bytes);
  }
  std::string ascending(bytes);
  Flip(field, &ascending);
  return DecodeAscending(field, ascending, bytes);
}

std::string DerivedBytes(const KeyField& field, std::span<const std::string_view> bytes) {
  if (field.type == KeyFieldType::kLiteral) {
    return field.literal;
  }
  std::string sources;
  for (int index : field.source_fields) {
    sources.append(bytes[static_cast<size_t>(index)]);
  }
  if (field.type == KeyFieldType::kHash) {
    return Digest(field.hash, sources).substr(0, static_cast<size_t>(field.width_bytes));
  }
  uint64_t hash = ReadNumber(std::string_view(base::Md5(sources)).substr(0, 4));
  return std::string(1, static_cast<char>(hash % static_cast<uint64_t>(field.salt_buckets)));
}

Expected<std::vector<std::string_view>> SplitRow(const std::vector<KeyField>& fields, std::string_view row) {
  std::vector<std::string_view> parts;
  parts.reserve(fields.size());
  KLIP_RETURN_IF_ERROR(SplitRow(fields, row, &parts));
  return parts;
}

Status SplitRow(const std::vector<KeyField>& fields, std::string_view row, std::vector<std::string_view>* parts) {
  parts->clear();
  size_t offset = 0;
  for (const KeyField& field : fields) {
    std::string_view rest = row.substr(offset);
    size_t bytes = rest.size();
    if (field.width_bytes > 0) {
      bytes = static_cast<size_t>(field.width_bytes);
      if (rest.size() < bytes) {
        return SplitError(field, offset,
                          std::to_string(rest.size()) + " bytes are left, " + std::to_string(bytes) + " are needed");
      }
    } else if (field.delimiter) {
      bytes = rest.find(*field.delimiter);
      if (bytes == std::string_view::npos) {
        return SplitError(field, offset, "no delimiter " + Shown(std::string(1, *field.delimiter)) + " follows");
      }
    }
    parts->push_back(rest.substr(0, bytes));
    offset += bytes + (field.delimiter ? 1 : 0);
  }
  if (offset != row.size()) {
    return Status(Code::kInvalidArgument, std::to_string(row.size() - offset) + " bytes too many after the last " +
                                              NameOf(fields.back()) + ", from offset " + std::to_string(offset));
  }
  return Status::Ok();
}

}  // namespace klip::rowkey
