#include "engine/log/manifest.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/log/kept_logs.h"

namespace klip::engine {
namespace {

enum EditTag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFile = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPreviousLog = 9,
  kLeastLogToKeep = 10,
  kNewFile = 103,
  kFamily = 200,
  kFamilyAdded = 201,
  kFamilyDropped = 202,
  kHighestFamily = 203,
  kInGroup = 300,
  kMayBeIgnored = 1 << 13,
};

// The fields of an edit. After an unreadable one, all later ones are 0.
class EditReader {
 public:
  explicit EditReader(std::string_view edit) : left_(edit) {}

  bool more() const { return ok_ && !left_.empty(); }
  bool ok() const { return ok_; }
  void Fail() { ok_ = false; }

  uint64_t Number() {
    uint64_t number = 0;
    for (unsigned shift = 0; ok_ && shift < 64; shift += 7) {
      if (left_.empty()) {
        break;
      }
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) {
        return number;
      }
    }
    ok_ = false;
    return 0;
  }

  void Bytes() {
    const uint64_t size = Number();
    ok_ = ok_ && size <= left_.size();
    left_.remove_prefix(ok_ ? size : 0);
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

struct ManifestEdit {
  uint32_t family = 0;
  std::optional<uint64_t> next_file;
  std::optional<uint64_t> last_sequence;
  std::vector<uint64_t> deleted;
  std::map<uint64_t, uint64_t> added;  // number to bytes
  bool drops_family = false;
  uint64_t following = 0;  // edits of its group that follow; 0: it is in none, or the last
};

void ReadNewFile(EditReader* reader, ManifestEdit* edit) {
  constexpr uint64_t kLastField = 1;
  reader->Number();  // level
  const uint64_t number = reader->Number();
  edit->added[number] = reader->Number();
  reader->Bytes();  // keys
  reader->Bytes();
  reader->Number();  // sequences
  reader->Number();
  while (reader->ok() && reader->Number() != kLastField) {
    reader->Bytes();
  }
}

// Skips a field that only tells its length.
void PassOver(EditReader* edit, uint64_t tag) {
  switch (tag) {
    case kLogNumber:
    case kPreviousLog:
    case kLeastLogToKeep:
    case kHighestFamily:
      edit->Number();
      break;
    case kCompactCursor:
      edit->Number();
      edit->Bytes();
      break;
    case kComparator:
    case kFamilyAdded:
      edit->Bytes();
      break;
    default:
      if (tag < kMayBeIgnored) {
        edit->Fail();
      }
      edit->Bytes();
  }
}

bool ReadEdit(std::string_view bytes, ManifestEdit* edit) {
  EditReader reader(bytes);
  while (reader.more()) {
    switch (const uint64_t tag = reader.Number(); tag) {
      case kNextFile:
        edit->next_file = reader.Number();
        break;
      case kLastSequence:
        edit->last_sequence = reader.Number();
        break;
      case kDeletedFile:
        reader.Number();
        edit->deleted.push_back(reader.Number());
        break;
      case kNewFile:
        ReadNewFile(&reader, edit);
        break;
      case kFamily:
        edit->family = static_cast<uint32_t>(reader.Number());
        break;
      case kFamilyDropped:
        edit->drops_family = true;
        break;
      case kInGroup:
        edit->following = reader.Number();
        break;
      default:
        PassOver(&reader, tag);
    }
  }
  return reader.ok();
}

void Apply(const ManifestEdit& edit, ManifestState* state) {
  state->next_file = edit.next_file.value_or(state->next_file);
  state->last_sequence = edit.last_sequence.value_or(state->last_sequence);
  if (edit.drops_family) {
    std::erase_if(state->tables, [&](const auto& table) { return table.second.family == edit.family; });
  }
  for (const uint64_t number : edit.deleted) {
    state->tables.erase(number);
  }
  for (const auto& [number, bytes] : edit.added) {  // moving a file to another level deletes and adds it
    state->tables[number] = {.family = edit.family, .bytes = bytes};
  }
}

}  // namespace

std::string TableName(uint64_t number) {
  std::string name = LogName(number);
  return name.replace(name.rfind('.'), std::string::npos, ".sst");
}

Expected<ManifestState> ReadManifest(LogReader* reader, const std::string& name, uint64_t bytes) {
  ManifestState state = {.end = reader->end()};
  std::vector<ManifestEdit> group;
  std::string record;
  Status zeroes;  // the error of zeros that the reader skipped: nothing may follow them
  while (true) {
    const uint64_t begin = reader->end();
    const Expected<bool> more = reader->Next(&record);
    if (more.status().code() == Code::kCorruption) {  // a power cut may leave zeros after the synced bytes
      KLIP_ASSIGN_OR_RETURN(const bool skipped, reader->SkipZeroes());
      if (skipped) {
        zeroes = more.status();
        continue;
      }
    }
    KLIP_RETURN_IF_ERROR(more.status());
    if (!*more || reader->end() > bytes) {
      return state;
    }
    KLIP_RETURN_IF_ERROR(zeroes);
    if (!ReadEdit(record, &group.emplace_back())) {
      return Status(Code::kCorruption, name + ", offset " + std::to_string(begin) + ": an unreadable edit");
    }
    if (group.back().following == 0) {
      for (const ManifestEdit& edit : group) {
        Apply(edit, &state);
      }
      group.clear();
    }
    state.end = reader->end();
  }
}

}  // namespace klip::engine
