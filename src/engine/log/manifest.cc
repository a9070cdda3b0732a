#include "engine/log/manifest.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layout/little_endian.h"
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

  std::string_view Bytes() {
    const uint64_t size = Number();
    ok_ = ok_ && size <= left_.size();
    const std::string_view bytes = left_.substr(0, ok_ ? size : 0);
    left_.remove_prefix(bytes.size());
    return bytes;
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
  std::map<uint64_t, ManifestTable> added;  // by number
  std::string adds_family;                  // its name
  bool drops_family = false;
  uint64_t following = 0;  // edits of its group that follow; 0: it is in none, or the last
};

constexpr uint64_t kLastField = 1;  // of a new file

// A key, then its sequence number and type in 8 bytes.
void ReadBound(EditReader* reader, std::string* key, uint64_t* sequence) {
  const std::string_view bound = reader->Bytes();
  if (bound.size() < sizeof(uint64_t)) {
    reader->Fail();
    return;
  }
  *key = bound.substr(0, bound.size() - sizeof(uint64_t));
  *sequence = ReadLittleEndian<uint64_t>(bound.data() + key->size()) >> 8;
}

void ReadNewFile(EditReader* reader, ManifestEdit* edit) {
  const uint64_t level = reader->Number();
  ManifestTable& table = edit->added[reader->Number()];
  table.level = level;
  table.bytes = reader->Number();
  ReadBound(reader, &table.smallest_key, &table.smallest_bound);
  ReadBound(reader, &table.largest_key, &table.largest_bound);
  table.smallest_sequence = reader->Number();
  table.largest_sequence = reader->Number();
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
      case kFamilyAdded:
        edit->adds_family = reader.Bytes();
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
  if (!edit.adds_family.empty() && edit.family != 0) {
    state->families[edit.family] = edit.adds_family;
  }
  if (edit.drops_family) {
    state->families.erase(edit.family);
    std::erase_if(state->tables, [&](const auto& table) { return table.second.family == edit.family; });
  }
  for (const uint64_t number : edit.deleted) {
    state->tables.erase(number);
  }
  for (const auto& [number, table] : edit.added) {  // moving a file to another level deletes and adds it
    state->tables[number] = table;
    state->tables[number].family = edit.family;
  }
}

void AppendNumber(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7) {
    out->push_back(static_cast<char>(number | 0x80));
  }
  out->push_back(static_cast<char>(number));
}

// A key with sequence number and type (1: a value, 0: its removal, which follows the value), as in a table.
void AppendInternalKey(std::string_view key, uint64_t sequence, unsigned type, std::string* out) {
  AppendNumber(key.size() + sizeof(uint64_t), out);
  const uint64_t packed = sequence << 8 | type;
  out->append(key).append(reinterpret_cast<const char*>(&packed),
                          sizeof(packed));  // little-endian, as little_endian.h asserts
}

}  // namespace

std::string TableName(uint64_t number) {
  std::string name = LogName(number);
  return name.replace(name.rfind('.'), std::string::npos, ".sst");
}

namespace {

// The edit that deletes a table, up to where it adds another one.
std::string DeleteTableEdit(uint64_t number, const ManifestTable& table) {
  std::string edit;
  for (const uint64_t field :
       {uint64_t{kFamily}, uint64_t{table.family}, uint64_t{kDeletedFile}, table.level, number}) {
    AppendNumber(field, &edit);
  }
  return edit;
}

// Adds a table, of which all cells have this sequence number.
void AppendNewTable(uint64_t level, const WrittenTable& table, uint64_t sequence, std::string* edit) {
  for (const uint64_t field : {uint64_t{kNewFile}, level, table.number, table.bytes}) {
    AppendNumber(field, edit);
  }
  AppendInternalKey(table.smallest_key, sequence, 1, edit);
  AppendInternalKey(table.largest_key, sequence, 0, edit);
  AppendNumber(sequence, edit);
  AppendNumber(sequence, edit);
  AppendNumber(kLastField, edit);
}

}  // namespace

std::string ReplaceTableEdit(uint64_t number, const ManifestTable& table, const std::optional<WrittenTable>& by) {
  std::string edit = DeleteTableEdit(number, table);
  if (by.has_value()) {
    AppendNumber(kNextFile, &edit);
    AppendNumber(by->number + 1, &edit);
    AppendNewTable(table.level, *by, table.largest_sequence, &edit);
  }
  return edit;
}

std::string MoveTableEdit(uint64_t number, const ManifestTable& table, uint64_t level) {
  std::string edit = DeleteTableEdit(number, table);
  AppendNewTable(level, {number, table.bytes, table.smallest_key, table.largest_key}, table.largest_sequence, &edit);
  return edit;
}

Expected<ManifestState> ReadManifest(LogReader* reader, const std::string& name, uint64_t bytes) {
  ManifestState state = {.end = reader->end()};
  std::vector<ManifestEdit> group;
  std::string record;
  Status zeroes;  // the error of zeros that the reader skipped: nothing may follow them
  while (true) {
    const uint64_t begin = reader->end();
    if (begin >= bytes) {
      return state;
    }
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
