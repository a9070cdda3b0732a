#include "engine/store/write_set.h"

#include <algorithm>
#include <array>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"

#include "engine/layout/batch_reader.h"
#include "engine/layout/cell_key.h"
#include "engine/log/log_mark.h"
#include "engine/log/nonce_log.h"

namespace klip::engine {

struct WriteSet::Rep {
  rocksdb::WriteBatch batch;
  std::string key;
  std::string value_head;
  const rocksdb::ColumnFamilyHandle* family = nullptr;  // of the cells, while all belong to one
  bool several_families = false;
  filter::LeadingValuesWriter leads;
};

WriteSet::WriteSet() : rep_(std::make_unique<Rep>()) {}
WriteSet::~WriteSet() = default;
WriteSet::WriteSet(WriteSet&&) noexcept = default;
WriteSet& WriteSet::operator=(WriteSet&&) noexcept = default;

void WriteSet::Add(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                   CellType type, std::string_view value, std::string_view tags) {
  family.state->NoteRowBytes(row.size());
  rep_->leads.Add(family.state->leads.get(), row);
  const bool ordered = family.descriptor.new_version_behavior;
  rep_->several_families = rep_->several_families || (rep_->family != nullptr && rep_->family != family.handle.get());
  rep_->family = family.handle.get();
  rep_->key.clear();
  rep_->value_head.clear();
  AppendCellKey(row, qualifier, timestamp_ms, type, &rep_->key);
  AppendCellValue({}, tags, ordered ? family.state->next_sequence() : 0, ordered, &rep_->value_head);
  AddHead(family, value);
}

void WriteSet::AddBeneath(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms,
                          std::string_view value, std::string_view tags) {
  rep_->key.clear();
  rep_->value_head.clear();
  AppendCellKey(row, qualifier, timestamp_ms, CellType::kPut, &rep_->key);
  AppendCellValue({}, tags, 0, false, &rep_->value_head);
  rep_->value_head.front() = static_cast<char>(rep_->value_head.front() | kBeneath);
  AddHead(family, value);
}

// Adds the key and the head of the value from the buffers.
void WriteSet::AddHead(const Family& family, std::string_view value) {
  const rocksdb::Slice whole_key = rep_->key;
  const std::array<rocksdb::Slice, 2> value_parts = {rep_->value_head, rocksdb::Slice(value.data(), value.size())};
  rep_->batch.Put(family.handle.get(), {&whole_key, 1}, {value_parts.data(), static_cast<int>(value_parts.size())})
      .PermitUncheckedError();  // fails only above 4 GB
}

void WriteSet::Remove(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms) {
  rep_->key.clear();
  AppendCellKey(row, qualifier, timestamp_ms, CellType::kPut, &rep_->key);
  RemoveKey(family, rep_->key);
}

void WriteSet::RemoveKey(const Family& family, std::string_view key) {
  rep_->several_families = rep_->several_families || (rep_->family != nullptr && rep_->family != family.handle.get());
  rep_->family = family.handle.get();
  rep_->batch.Delete(family.handle.get(), {key.data(), key.size()}).PermitUncheckedError();  // as Put
}

void WriteSet::ForEachCell(const Family& family,
                           const std::function<void(const Cell& cell, uint64_t sequence)>& take) const {
  ForEachCell({&family, 1}, [&take](Cell cell, uint64_t sequence) {
    cell.family = {};
    take(cell, sequence);
  });
}

void WriteSet::ForEachCell(std::span<const Family> families,
                           const std::function<void(const Cell& cell, uint64_t sequence)>& take) const {
  BatchReader changes(rep_->batch.Data());
  LoggedChange change;
  CellKeyView key;
  CellValueView value;
  std::string row;
  std::string qualifier;
  for (Expected<bool> more = changes.Next(&change); more.ok() && *more; more = changes.Next(&change)) {
    const auto family =
        std::ranges::find(families, change.column_family, [](const Family& one) { return one.handle->GetID(); });
    if (change.kind != LoggedChange::Kind::kPut || family == families.end() || !ParseCellKey(change.key, &key) ||
        !ParseCellValue(change.value, &value)) {
      continue;
    }
    take({.row = Unescape(key.escaped_row, &row),
          .family = family->descriptor.name,
          .qualifier = Unescape(key.escaped_qualifier, &qualifier),
          .timestamp_ms = key.timestamp_ms,
          .type = key.type,
          .value = value.value,
          .tags = value.tags},
         value.sequence);
  }
}

void WriteSet::AddNonce(const Nonce& nonce, int64_t now_ms) {
  if (nonce.number != 0) {
    rep_->batch.PutLogData(EncodeNonce({nonce, now_ms})).PermitUncheckedError();
  }
}

void WriteSet::BeginReplicated(const ClusterIds& clusters) {
  rep_->batch.PutLogData(EncodeClusters(clusters)).PermitUncheckedError();
}
void WriteSet::EndReplicated() { rep_->batch.PutLogData(EncodeClusters({})).PermitUncheckedError(); }

bool WriteSet::empty() const { return rep_->batch.Count() == 0; }
size_t WriteSet::size_bytes() const { return rep_->batch.GetDataSize(); }
std::string_view WriteSet::data() const { return rep_->batch.Data(); }
void WriteSet::Clear() {
  rep_->batch.Clear();
  rep_->family = nullptr;
  rep_->several_families = false;
}
rocksdb::WriteBatch* WriteSet::batch() { return &rep_->batch; }
bool WriteSet::several_families() const { return rep_->several_families; }

}  // namespace klip::engine
