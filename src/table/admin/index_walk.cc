#include "table/admin/index_walk.h"

#include <utility>

#include "engine/store/lock_table.h"
#include "klip/cancel.h"
#include "klip/filter.h"

namespace klip::table {
namespace {

Status InGroups(engine::RowScanner* rows, const IndexWalk::Take& take) {
  const CancelToken token = CancelToken::Current();
  std::vector<std::string> group;
  Result row;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, rows->Next(&row));
    if (more && !row.empty() && (group.empty() || group.back() != row.row())) {
      group.emplace_back(row.row());
    }
    if (group.size() == kIndexGroupRows || (!more && !group.empty())) {
      KLIP_RETURN_IF_ERROR(token.status());
      KLIP_RETURN_IF_ERROR(take(group));
      group.clear();
    }
    if (!more) {
      return Status::Ok();
    }
  }
}

}  // namespace

Expected<LockedIndex> IndexWalk::Find() const {
  LockedIndex found;
  KLIP_ASSIGN_OR_RETURN(found.info, slot_->Current());
  found.index = found.info->indexes == nullptr ? nullptr : found.info->indexes->Find(name_, rebuilt_);
  if (found.index == nullptr) {
    return Status(Code::kInvalidArgument, "table '" + slot_->name() + "' has no index '" + name_ + "'");
  }
  return found;
}

Expected<LockedIndex> IndexWalk::Lock(std::vector<engine::RowLockId> ids) const {
  auto lock = shared_->store->locks().LockForWrite(slot_->name());
  KLIP_ASSIGN_OR_RETURN(LockedIndex locked, Find());
  KLIP_RETURN_IF_ERROR(locked.info->CheckEnabled());
  locked.lock = std::move(lock);
  locked.rows = shared_->store->locks().LockRows(std::move(ids));
  return locked;
}

Status IndexWalk::ForEachGroup(std::string after, const Take& take) const {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, Find());
  engine::RowScanSpec spec;
  spec.scan = {.start_row = std::move(after), .include_start = false, .raw = true, .cache_blocks = false};
  spec.scan.include_start = spec.scan.start_row.empty();
  spec.filter = FirstKeyOnlyFilter();
  KLIP_ASSIGN_OR_RETURN(const auto rows, source().Open(*found.info, std::move(spec)));
  int64_t done = 0;
  return InGroups(rows.get(), [&](const std::vector<std::string>& group) {
    KLIP_RETURN_IF_ERROR(take(group));
    done += static_cast<int64_t>(group.size());
    if (progress_) {
      progress_(done);
    }
    return Status::Ok();
  });
}

Status IndexWalk::ForEachEntryGroup(const Take& take) const {
  KLIP_ASSIGN_OR_RETURN(const LockedIndex found, Find());
  engine::RowScanSpec spec;
  spec.scan = {.start_row = std::string(1, '\0'), .cache_blocks = false};
  spec.filter = FirstKeyOnlyFilter();
  KLIP_ASSIGN_OR_RETURN(const auto entries, source().Open(*found.index->entries, std::move(spec)));
  return InGroups(entries.get(), take);
}

std::vector<engine::RowLockId> IndexWalk::LocksOf(const std::vector<std::string>& rows) const {
  std::vector<engine::RowLockId> ids;
  for (const std::string& row : rows) {
    ids.push_back(engine::RowLockIdOf(slot_->name(), row));
  }
  return ids;
}

}  // namespace klip::table
