#include "table/admin/embedded_indexes.h"

#include <utility>

#include "engine/store/catalog.h"
#include "engine/store/table_catalog.h"
#include "table/admin/index_builder.h"
#include "table/admin/index_verifier.h"
#include "table/admin/index_walk.h"
#include "table/read/index_entry.h"

namespace klip::table {
namespace {

std::string DeclarationOf(std::string_view index) {
  return std::string(IndexDescriptor::kTableAttribute).append(index);
}
std::string BuildingOf(std::string_view index) {
  return std::string(IndexDescriptor::kBuildingAttribute).append(index);
}

std::string RebuildingOf(std::string_view index) { return std::string(engine::kIndexRebuildAttribute).append(index); }
std::string UnusableOf(std::string_view index) {
  return std::string(IndexDescriptor::kUnusableAttribute).append(index);
}
Status NoIndex(const engine::TableView& table, std::string_view index) {
  return {Code::kInvalidArgument, "table '" + table.descriptor.name + "' has no index '" + std::string(index) + "'"};
}

}  // namespace

Status EmbeddedIndexAdmin::CreateIndex(std::string_view table, const IndexDescriptor& index,
                                       const IndexProgress& progress) {
  KLIP_ASSIGN_OR_RETURN(SlotPtr slot, shared_->FindSlot(table));
  KLIP_RETURN_IF_ERROR(Declare(table, index));
  Status built = IndexBuilder(IndexWalk(shared_, std::move(slot), index.name, progress)).Run();
  if (built.ok()) {
    return MarkBuilt(table, index.name);
  }
  if (built.code() == Code::kInvalidArgument || built.code() == Code::kDoNotRetry) {  // the rows do not fit the index
    (void)DropIndex(table, index.name);
  }
  return built;
}

Status EmbeddedIndexAdmin::Declare(std::string_view table, const IndexDescriptor& index) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  const std::string text = index.ToString();
  KLIP_RETURN_IF_ERROR(IndexDescriptor::Parse(index.name, text).status());
  return shared_->store->catalog().ModifyTable(
      table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
        if (!now.enabled) {
          return {Code::kTableNotEnabled, now.descriptor.name + " is disabled."};
        }
        const auto [declared, is_new] = descriptor->attributes.try_emplace(DeclarationOf(index.name), text);
        if (is_new) {
          descriptor->attributes[BuildingOf(index.name)] = "true";
          return Status::Ok();
        }
        const Expected<IndexDescriptor> there = IndexDescriptor::Parse(index.name, declared->second);
        return there.ok() && there->ToString() == text && descriptor->attributes.contains(BuildingOf(index.name))
                   ? Status::Ok()
                   : Status(Code::kInvalidArgument, "table '" + now.descriptor.name + "' has an index '" + index.name +
                                                        "' already: " + declared->second);
      });
}

// A complete index stays as it is until the new one is complete; if this process ends before, the next call continues.
Status EmbeddedIndexAdmin::RebuildIndex(std::string_view table, std::string_view index, const IndexProgress& progress) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared_->FindSlot(table));
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
  KLIP_RETURN_IF_ERROR(info->not_writable);
  std::string declaration;
  bool complete = false;
  KLIP_RETURN_IF_ERROR(shared_->store->catalog().ModifyTable(
      table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
        const auto declared = descriptor->attributes.find(DeclarationOf(index));
        if (declared == descriptor->attributes.end()) {
          return NoIndex(now, index);
        }
        declaration = declared->second;
        complete = !descriptor->attributes.contains(BuildingOf(index));
        if (complete) {
          descriptor->attributes[RebuildingOf(index)] = "true";
        }
        return Status::Ok();
      }));
  if (!complete) {
    KLIP_ASSIGN_OR_RETURN(const IndexDescriptor descriptor, IndexDescriptor::Parse(index, declaration));
    return CreateIndex(table, descriptor, progress);
  }
  Status built = IndexBuilder(IndexWalk(shared_, slot, std::string(index), progress, /*rebuilt=*/true)).Run();
  if (built.ok()) {
    return shared_->store->catalog().TakeRebuiltIndex(table, index, {RebuildingOf(index), UnusableOf(index)});
  }
  if (built.code() == Code::kInvalidArgument || built.code() == Code::kDoNotRetry) {  // the rows do not fit the index
    (void)shared_->store->catalog().ModifyTable(table, [&](const engine::TableView&, TableDescriptor* descriptor) {
      descriptor->attributes.erase(RebuildingOf(index));
      return Status::Ok();
    });
  }
  return built;
}

Status EmbeddedIndexAdmin::MarkBuilt(std::string_view table, std::string_view index) {
  return shared_->store->catalog().ModifyTable(table, [&](const engine::TableView&, TableDescriptor* descriptor) {
    descriptor->attributes.erase(BuildingOf(index));
    return Status::Ok();
  });
}

Status EmbeddedIndexAdmin::DropIndex(std::string_view table, std::string_view index) {
  return shared_->store->catalog().ModifyTable(
      table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
        descriptor->attributes.erase(BuildingOf(index));
        descriptor->attributes.erase(UnusableOf(index));
        descriptor->attributes.erase(RebuildingOf(index));
        return descriptor->attributes.erase(DeclarationOf(index)) > 0 ? Status::Ok() : NoIndex(now, index);
      });
}

Status EmbeddedIndexAdmin::SetUsable(std::string_view table, std::string_view index, bool usable) {
  KLIP_RETURN_IF_ERROR(shared_->CheckChangeable(table));
  return shared_->store->catalog().ModifyTable(
      table, [&](const engine::TableView& now, TableDescriptor* descriptor) -> Status {
        if (!descriptor->attributes.contains(DeclarationOf(index))) {
          return NoIndex(now, index);
        }
        if (usable) {
          descriptor->attributes.erase(UnusableOf(index));
        } else {
          descriptor->attributes[UnusableOf(index)] = "true";
        }
        return Status::Ok();
      });
}

Expected<std::vector<IndexInfo>> EmbeddedIndexAdmin::ListIndexes(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared_->FindSlot(table));
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
  std::vector<IndexInfo> all;
  if (info->indexes != nullptr) {
    for (const TableIndex& index : info->indexes->all) {
      if (index.rebuilt) {
        continue;
      }
      const RowSource source(shared_->store.get(), shared_->settings.limits);
      KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> skipped,
                            IncompleteRows(source, index, static_cast<size_t>(IndexInfo::kMostSkipped)));
      all.push_back({.index = index.definition.descriptor,
                     .building = index.building,
                     .unusable = index.unusable,
                     .skipped = static_cast<int64_t>(skipped.size())});
    }
  }
  return all;
}

Expected<IndexCheck> EmbeddedIndexAdmin::VerifyIndex(std::string_view table, std::string_view index, bool repair,
                                                     const IndexProgress& progress) {
  KLIP_ASSIGN_OR_RETURN(SlotPtr slot, shared_->FindSlot(table));
  return IndexVerifier(IndexWalk(shared_, std::move(slot), std::string(index), progress), repair).Run();
}

// An index that is dropped meanwhile, or whose table is disabled, needs no sweep.
Status EmbeddedIndexAdmin::SweepHistory(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const SlotPtr slot, shared_->FindSlot(table));
  KLIP_ASSIGN_OR_RETURN(const InfoPtr info, slot->Current());
  if (info->indexes == nullptr || !info->view->enabled) {
    return Status::Ok();
  }
  for (const TableIndex& index : info->indexes->all) {
    if (index.definition.descriptor.history && !index.building) {
      const IndexWalk walk(shared_, slot, index.name(), nullptr);
      const Status swept = IndexVerifier(walk, /*repair=*/true).Sweep();
      if (!swept.ok() && swept.code() != Code::kInvalidArgument && swept.code() != Code::kTableNotEnabled) {
        return swept;
      }
    }
  }
  return Status::Ok();
}

}  // namespace klip::table
