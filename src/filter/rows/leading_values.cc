#include "filter/rows/leading_values.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/take_bytes.h"
#include "klip/bytes.h"

namespace klip::filter {
namespace {

// Whether the lead ends where its last part does, and not because the row ended.
bool IsWhole(const std::vector<KeyPart>& parts, std::string_view lead) {
  size_t pos = 0;
  for (const KeyPart& part : parts) {
    if (part.width_bytes > 0) {
      pos += static_cast<size_t>(part.width_bytes);
      if (pos > lead.size()) {
        return false;
      }
      continue;
    }
    const size_t at = part.delimiter.has_value() ? lead.find(*part.delimiter, pos) : std::string_view::npos;
    if (at == std::string_view::npos) {
      return false;
    }
    pos = at + 1;
  }
  return true;
}

uint64_t NextId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

using base::Take;

// Serialized format: number of parts (2); each: width (4), has delimiter (1), delimiter (1); number of values (4); each:
// bytes shared with the previous one (2), length of the rest (2), the rest.
bool ParseParts(std::string_view* input, std::vector<KeyPart>* parts) {
  uint16_t count = 0;
  if (!Take(input, &count) || count == 0 || input->size() / 6 < count) {
    return false;
  }
  for (uint16_t i = 0; i < count; ++i) {
    uint32_t width = 0;
    uint8_t delimited = 0;
    uint8_t delimiter = 0;
    if (!Take(input, &width) || !Take(input, &delimited) || !Take(input, &delimiter) || width > INT16_MAX) {
      return false;
    }
    KeyPart& part = parts->emplace_back();
    part.width_bytes = static_cast<int>(width);
    if (delimited != 0) {
      part.delimiter = static_cast<char>(delimiter);
    }
  }
  return true;
}

bool ParseValues(std::string_view* input, std::vector<std::string>* values) {
  uint32_t count = 0;
  if (!Take(input, &count) || count > LeadingValues::kMaxValues) {
    return false;
  }
  std::string value;
  for (uint32_t i = 0; i < count; ++i) {
    uint16_t shared = 0;
    uint16_t more = 0;
    if (!Take(input, &shared) || !Take(input, &more) || shared > value.size() || more > input->size()) {
      return false;
    }
    value.resize(shared);
    value.append(input->substr(0, more));
    input->remove_prefix(more);
    values->push_back(value);
  }
  return input->empty();
}

}  // namespace

std::string_view LeadOf(const std::vector<KeyPart>& parts, std::string_view row) {
  size_t pos = 0;
  for (const KeyPart& part : parts) {
    if (part.width_bytes > 0) {
      pos += static_cast<size_t>(part.width_bytes);
    } else {
      const size_t at = part.delimiter.has_value() ? row.find(*part.delimiter, pos) : std::string_view::npos;
      pos = at == std::string_view::npos ? row.size() : at + 1;
    }
    if (pos >= row.size()) {
      return row;
    }
  }
  return row.substr(0, pos);
}

LeadingValues::LeadingValues(std::vector<KeyPart> parts)
    : id_(NextId()), complete_(!parts.empty()), parts_(std::move(parts)) {}

size_t LeadingValues::Add(std::string_view row) {
  {
    const std::shared_lock lock(mutex_);
    const std::string_view lead = LeadOf(parts_, row);
    if (!complete() || values_.contains(lead)) {
      return IsWhole(parts_, lead) ? lead.size() : 0;
    }
  }
  const std::unique_lock lock(mutex_);
  if (!complete()) {
    return 0;
  }
  Insert(LeadOf(parts_, row));
  Shorten();
  const std::string_view lead = LeadOf(parts_, row);
  return complete() && IsWhole(parts_, lead) ? lead.size() : 0;
}

void LeadingValues::Insert(std::string_view lead) {
  if (values_.emplace(lead).second) {
    bytes_ += lead.size();
    known_ = nullptr;
  }
}

// Uses fewer parts until the values are few again.
void LeadingValues::Shorten() {
  while (complete() && (values_.size() > kMaxValues || bytes_ > kMaxBytes)) {
    ShortenTo(parts_.size() - 1);
  }
}

void LeadingValues::ShortenTo(size_t parts) {
  if (parts == 0) {
    GiveUpLocked();
    return;
  }
  const auto longer = std::exchange(values_, {});
  bytes_ = 0;
  known_ = nullptr;
  parts_.resize(parts);
  for (const std::string& value : longer) {
    Insert(LeadOf(parts_, value));
  }
}

void LeadingValues::GiveUp() {
  const std::unique_lock lock(mutex_);
  GiveUpLocked();
}

void LeadingValues::GiveUpLocked() {
  complete_.store(false, std::memory_order_release);
  values_ = {};
  bytes_ = 0;
  known_ = nullptr;
}

Status LeadingValues::AddSerialized(std::string_view bytes) {
  std::vector<KeyPart> parts;
  std::vector<std::string> values;
  std::string_view rest = bytes;
  const bool sound = ParseParts(&rest, &parts) && ParseValues(&rest, &values);
  const std::unique_lock lock(mutex_);
  if (!complete()) {
    return Status::Ok();
  }
  const size_t common = std::min(parts_.size(), parts.size());
  if (!sound || !std::equal(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(common), parts_.begin())) {
    GiveUpLocked();  // a damaged file, or one of another row-key schema
    return sound ? Status::Ok()
                 : Status(Code::kCorruption, "leading values damaged at offset " +
                                                 std::to_string(bytes.size() - rest.size()) + " of " +
                                                 std::to_string(bytes.size()));
  }
  if (common < parts_.size()) {
    ShortenTo(common);
  }
  for (const std::string& value : values) {
    Insert(LeadOf(parts_, value));
  }
  Shorten();
  return Status::Ok();
}

std::string LeadingValues::Serialize() const {
  const std::shared_ptr<const KnownLeads> known = Known();
  std::string out;
  if (known == nullptr) {
    return out;
  }
  AppendBigEndian(static_cast<uint16_t>(known->parts.size()), &out);
  for (const KeyPart& part : known->parts) {
    AppendBigEndian(static_cast<uint32_t>(part.width_bytes), &out);
    AppendBigEndian(static_cast<uint8_t>(part.delimiter.has_value()), &out);
    AppendBigEndian(static_cast<uint8_t>(part.delimiter.value_or('\0')), &out);
  }
  AppendBigEndian(static_cast<uint32_t>(known->values.size()), &out);
  std::string_view before;
  for (const std::string& value : known->values) {
    const size_t shared = static_cast<size_t>(
        std::mismatch(value.begin(), value.end(), before.begin(), before.end()).first - value.begin());
    AppendBigEndian(static_cast<uint16_t>(shared), &out);
    AppendBigEndian(static_cast<uint16_t>(value.size() - shared), &out);
    out.append(value, shared);
    before = value;
  }
  return out;
}

std::shared_ptr<const KnownLeads> LeadingValues::Known() const {
  if (!complete()) {
    return nullptr;
  }
  {
    const std::shared_lock lock(mutex_);
    if (known_ != nullptr) {
      return known_;
    }
  }
  const std::unique_lock lock(mutex_);
  if (known_ == nullptr && complete()) {
    auto known = std::make_shared<KnownLeads>();
    known->parts = parts_;
    known->values.assign(values_.begin(), values_.end());
    std::sort(known->values.begin(), known->values.end());
    known_ = std::move(known);
  }
  return known_;
}

}  // namespace klip::filter
