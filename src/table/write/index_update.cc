#include "table/write/index_update.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "table/read/index_entry.h"

namespace klip::table {
namespace {

// The field part of an entry of an index.
std::string_view FieldsOf(std::string_view entry, std::string_view row) {
  return entry.substr(0, entry.size() - row.size());
}

bool OnlyPuts(const IndexedCells& cells) {
  return std::ranges::all_of(cells, [](const auto& of_family) {
    return std::ranges::all_of(of_family, [](const model::StoredCell& cell) { return cell.type == CellType::kPut; });
  });
}

}  // namespace

Status IndexUpdate::Collect(const engine::WriteSet& writes) {
  const std::vector<IndexedFamily>& families = table_->indexes->families;
  std::map<std::string, IndexedCells, std::less<>> rows;
  for (size_t i = 0; i < families.size(); ++i) {
    writes.ForEachCell(*families[i].family, [&](const Cell& cell, uint64_t sequence) {
      const bool of_family = cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion;
      if (!of_family && !std::ranges::binary_search(families[i].qualifiers, cell.qualifier, std::less<>())) {
        return;
      }
      auto row = rows.find(cell.row);
      if (row == rows.end()) {
        row = rows.emplace(cell.row, IndexedCells(families.size())).first;
      }
      row->second[i].push_back({.qualifier = std::string(cell.qualifier),
                                .timestamp_ms = cell.timestamp_ms,
                                .type = cell.type,
                                .value = std::string(cell.value),
                                .tags = std::string(cell.tags),
                                .sequence = sequence,
                                .fresh = true});
    });
  }
  for (auto& [row, fresh] : rows) {
    KLIP_RETURN_IF_ERROR(CollectRow(row, std::move(fresh)));
  }
  return Status::Ok();
}

Status IndexUpdate::CollectRow(const std::string& row, IndexedCells fresh) {
  const TableIndexes& indexes = *table_->indexes;
  KLIP_RETURN_IF_ERROR(CheckValues(indexes, row, fresh));
  const bool immutable =
      std::ranges::all_of(indexes.all, [](const TableIndex& index) { return index.definition.descriptor.immutable; });
  IndexedCells before(indexes.families.size());
  if (!immutable || !OnlyPuts(fresh)) {
    KLIP_ASSIGN_OR_RETURN(before, ReadIndexedCells(source_, indexes, row));
  }
  IndexedCells after;
  for (size_t i = 0; i < before.size(); ++i) {
    const engine::Family& family = *indexes.families[i].family;
    after.push_back(model::Overlay(before[i], std::move(fresh[i])));
    model::MarkBeneath(model::FamilyPolicy::From(family.descriptor), &after.back());
    for (const model::StoredCell& cell : after.back()) {
      if (cell.fresh && cell.beneath) {
        beneath_.push_back({&family, row, cell});
      }
    }
  }
  for (size_t i = 0; i < indexes.all.size(); ++i) {
    KLIP_RETURN_IF_ERROR(Compare(i, row, before, after));
  }
  return Status::Ok();
}

Status IndexUpdate::CollectRemoval(const std::string& row) {
  const TableIndexes& indexes = *table_->indexes;
  KLIP_ASSIGN_OR_RETURN(const IndexedCells before, ReadIndexedCells(source_, indexes, row));
  for (size_t i = 0; i < indexes.all.size(); ++i) {
    KLIP_RETURN_IF_ERROR(Compare(i, row, before, IndexedCells(before.size())));
  }
  return Status::Ok();
}

void IndexUpdate::NoteShown(size_t index, const std::string& row, const IndexedCells& before,
                            const IndexedCells& after) {
  const TableIndexes& indexes = *table_->indexes;
  const TableIndex& at = indexes.all[index];
  if (!at.definition.descriptor.unique) {
    return;
  }
  rows_.insert(row);
  std::optional<std::string> entry = ShownEntry(indexes, at, row, after, now_ms_);
  if (!entry.has_value() || !rowkey::HasAllFields(at.definition, *entry)) {
    return;
  }
  if (before.empty() || ShownEntry(indexes, at, row, before, now_ms_) != entry) {
    changes_[index].given.insert(*entry);
  }
  changes_[index].shown.emplace(*std::move(entry), row);
}

Status IndexUpdate::Compare(size_t index, const std::string& row, const IndexedCells& before,
                            const IndexedCells& after) {
  const TableIndexes& indexes = *table_->indexes;
  const TableIndex& at = indexes.all[index];
  const IndexVersions old_versions = VersionsOf(indexes, at, before, now_ms_);
  const IndexVersions new_versions = VersionsOf(indexes, at, after, now_ms_);
  const Expected<EntryCells> before_write = EntriesOf(at, row, old_versions);
  EntryCells none;  // a row that cannot have entries has none
  const EntryCells& old_cells = before_write.ok() ? *before_write : none;
  Expected<EntryCells> after_write = EntriesOf(at, row, new_versions);
  if (!after_write.ok()) {
    IndexCounters::Add(&at.counters->refused, 1);
    return after_write.status();
  }
  EntryCells& new_cells = *after_write;
  // A row that had too many versions before a compaction may lack an older one's entry, which is now of the newest.
  EntryCells of_newest;
  if (at.definition.descriptor.history) {
    KLIP_ASSIGN_OR_RETURN(of_newest, EntriesOf(at, row, NewestVersionsOf(indexes, at, after, now_ms_)));
  }
  NoteShown(index, row, before, after);
  Change& change = changes_[index];
  for (const auto& [key, cell] : old_cells) {
    if (!new_cells.contains(key)) {
      change.removals[key] = row;
    }
  }
  for (auto next = new_cells.begin(); next != new_cells.end();) {
    const auto cell = next++;
    const auto old = old_cells.find(cell->first);
    if (old != old_cells.end() && old->second == cell->second && !of_newest.contains(cell->first)) {
      continue;
    }
    change.entries += cell->first.row == kNoEntryRow ? 0 : 1;  // the record of a skipped row is no entry
    const auto there = change.puts.lower_bound(cell->first);
    if (there != change.puts.end() && there->first == cell->first) {
      there->second = std::move(cell->second);
    } else {
      change.puts.insert(there, new_cells.extract(cell));
    }
  }
  return Status::Ok();
}

namespace {

// Checks the values that are or may become visible.
Status CheckStored(const TableIndexes& indexes, const TableIndex& index, std::string_view row,
                   const IndexedCells& cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    const FamilyDescriptor& family = indexes.families[i].family->descriptor;
    for (const model::StoredCell& cell : cells[i]) {
      if (cell.type != CellType::kPut) {
        continue;
      }
      const Status status = CheckValue(index, row, family.name, cell.qualifier, cell.value);
      if (!status.ok() && !model::IsMaskedForGood(model::FamilyPolicy::From(family), cell, cells[i])) {
        return status;
      }
    }
  }
  return Status::Ok();
}

}  // namespace

Status IndexUpdate::CollectStored(const TableIndex& index, std::span<const std::string> rows) {
  const TableIndexes& indexes = *table_->indexes;
  std::vector<std::unique_ptr<engine::StoredReader>> readers;
  for (const IndexedFamily& family : indexes.families) {
    readers.push_back(source_.StoredOf(*family.family, family.qualifiers));
  }
  const auto number = static_cast<size_t>(&index - indexes.all.data());
  Change& change = changes_[number];
  for (const std::string& row : rows) {
    IndexedCells cells(readers.size());
    for (size_t i = 0; i < readers.size(); ++i) {
      KLIP_RETURN_IF_ERROR(readers[i]->Read(row, &cells[i]));
    }
    KLIP_RETURN_IF_ERROR(CheckStored(indexes, index, row, cells));
    KLIP_ASSIGN_OR_RETURN(EntryCells entries, EntriesOf(index, row, VersionsOf(indexes, index, cells, now_ms_)));
    NoteShown(number, row, {}, cells);
    change.entries += std::ranges::count_if(entries, [](const auto& entry) { return entry.first.row != kNoEntryRow; });
    change.puts.merge(entries);
  }
  return Status::Ok();
}

std::vector<engine::RowLockId> IndexUpdate::UniqueLocks() const {
  std::vector<engine::RowLockId> ids;
  for (size_t i = 0; i < changes_.size(); ++i) {
    const TableIndex& index = table_->indexes->all[i];
    if (!index.definition.descriptor.unique) {
      continue;
    }
    for (const std::string& entry : changes_[i].given) {
      const std::string& row = changes_[i].shown.at(entry);
      ids.push_back(engine::RowLockIdOf(index.entries->name(), FieldsOf(entry, row)));
    }
  }
  return ids;
}

Status IndexUpdate::CheckUnique() const {
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (table_->indexes->all[i].definition.descriptor.unique) {
      KLIP_RETURN_IF_ERROR(CheckUnique(table_->indexes->all[i], changes_[i]));
    }
  }
  return Status::Ok();
}

// The rows of the operation have their cells of after it, all others the stored ones.
Status IndexUpdate::CheckUnique(const TableIndex& index, const Change& change) const {
  const auto refuse = [&](std::string_view fields, std::string_view other, std::string_view row) {
    IndexCounters::Add(&index.counters->refused, 1);
    return Status(Code::kDoNotRetry, "index '" + index.name() + "' of table '" + table_->name() + "' is unique: row '" +
                                         ToStringBinary(other) + "' has the value '" + ToStringBinary(fields) +
                                         "' already, row '" + ToStringBinary(row) + "' cannot have it");
  };
  std::map<std::string_view, std::string_view> rows;  // fields -> the first row of this operation that shows them
  for (const auto& [entry, row] : change.shown) {
    const auto [first, added] = rows.try_emplace(FieldsOf(entry, row), row);
    if (!added &&
        (change.given.contains(entry) || change.given.contains(std::string(first->first).append(first->second)))) {
      return refuse(first->first, first->second, row);
    }
  }
  for (const std::string& entry : change.given) {
    const std::string& row = change.shown.at(entry);
    const std::string_view fields = FieldsOf(entry, row);
    engine::RowScanSpec spec;
    spec.scan = Scan::Prefix(std::string(fields));
    KLIP_ASSIGN_OR_RETURN(EntryScanner scanner, EntryScanner::Open(source_, *table_, index, std::move(spec)));
    EntryScanner::Entry found;
    KLIP_ASSIGN_OR_RETURN(bool more, scanner.Next(&found));
    while (more && (rows_.contains(std::string(found.row)) || FieldsOf(found.key, found.row) != fields)) {
      KLIP_ASSIGN_OR_RETURN(more, scanner.Next(&found));
    }
    if (more) {
      return refuse(fields, found.row, row);
    }
  }
  return Status::Ok();
}

void IndexUpdate::AddTo(engine::WriteSet* writes) const {
  for (const auto& [family, row, cell] : beneath_) {
    writes->AddBeneath(*family, row, cell.qualifier, cell.timestamp_ms, cell.value, cell.tags);
  }
  for (size_t i = 0; i < changes_.size(); ++i) {
    const engine::Family& family = *table_->indexes->all[i].family;
    for (const auto& [key, row] : changes_[i].removals) {
      writes->Remove(family, key.row, key.qualifier, kEntryMs);
    }
    AddEntryCells(family, changes_[i].puts, writes);
  }
}

void IndexUpdate::Count() const {
  for (size_t i = 0; i < changes_.size(); ++i) {
    IndexCounters& counters = *table_->indexes->all[i].counters;
    IndexCounters::Add(&counters.written, changes_[i].entries);
    IndexCounters::Add(&counters.removed, std::ranges::count_if(changes_[i].removals, [](const auto& removal) {
      return removal.first.qualifier.empty();
    }));
  }
}

}  // namespace klip::table
