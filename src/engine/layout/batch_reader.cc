#include "engine/layout/batch_reader.h"

#include <string>

#include "engine/layout/little_endian.h"

namespace klip::engine {
namespace {

constexpr size_t kCountAt = 8;
constexpr size_t kBatchHeadBytes = 12;

enum BatchTag : uint8_t {
  kTagPut = 1,  // into the default column family
  kTagMark = 3,
  kTagFamilyDelete = 4,
  kTagFamilyPut = 5,
  kTagFamilyDeleteRange = 14,  // written by an older klip
};

}  // namespace

BatchReader::BatchReader(std::string_view record) : record_(record) {
  if (record.size() >= kBatchHeadBytes) {
    offset_ = kBatchHeadBytes;
    changes_left_ = ReadLittleEndian<uint32_t>(record.data() + kCountAt);
  }
}

bool BatchReader::TakeVarint(uint32_t* value) {
  *value = 0;
  for (int shift = 0; shift < 32 && offset_ < record_.size(); shift += 7) {
    const auto byte = static_cast<uint8_t>(record_[offset_++]);
    *value |= static_cast<uint32_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

bool BatchReader::TakeBytes(std::string_view* bytes) {
  uint32_t length = 0;
  if (!TakeVarint(&length) || length > record_.size() - offset_) {
    return false;
  }
  *bytes = record_.substr(offset_, length);
  offset_ += length;
  return true;
}

Status BatchReader::Bad(const char* what) const {
  return {Code::kCorruption, "a record of the log, offset " + std::to_string(offset_) + ": " + what};
}

Expected<bool> BatchReader::Next(LoggedChange* change) {
  if (offset_ == 0) {
    return Bad("it is too short");
  }
  if (offset_ == record_.size()) {
    return changes_left_ == 0 ? Expected<bool>(false) : Bad("it announces more changes");
  }
  *change = {};
  bool whole = false;
  switch (static_cast<uint8_t>(record_[offset_++])) {
    case kTagPut:
      whole = TakeBytes(&change->key) && TakeBytes(&change->value);
      break;
    case kTagMark:
      change->kind = LoggedChange::Kind::kMark;
      whole = TakeBytes(&change->key);
      break;
    case kTagFamilyPut:
      whole = TakeVarint(&change->column_family) && TakeBytes(&change->key) && TakeBytes(&change->value);
      break;
    case kTagFamilyDelete:
      change->kind = LoggedChange::Kind::kDelete;
      whole = TakeVarint(&change->column_family) && TakeBytes(&change->key);
      break;
    case kTagFamilyDeleteRange:
      change->kind = LoggedChange::Kind::kDelete;
      whole = TakeVarint(&change->column_family) && TakeBytes(&change->key) && TakeBytes(&change->value);
      break;
    default:
      return Bad("an unknown kind of change");
  }
  if (!whole) {
    return Bad("a change is cut off");
  }
  if (change->kind != LoggedChange::Kind::kMark && changes_left_-- == 0) {
    return Bad("it announces fewer changes");
  }
  return true;
}

}  // namespace klip::engine
