#include "table/info/shared.h"

#include <chrono>
#include <utility>
#include <vector>

#include "engine/store/views.h"
#include "rowkey/index_definition.h"
#include "table/info/prepend_queue.h"

namespace klip::table {
namespace {

int64_t SteadyUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Shared::Shared(std::unique_ptr<engine::Store> open_store, Settings with)
    : store(std::move(open_store)), settings(std::move(with)) {
  watch_ = store->views().WatchTables([this](const std::string& table) { Renew(table); });
}

Shared::~Shared() { store->views().Unwatch(watch_); }

void Shared::Renew(const std::string& name) {
  std::vector<SlotPtr> changed;
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = slots_.find(name); at != slots_.end()) {
      changed.push_back(at->second);
    }
    const std::string shown = rowkey::IndexTableOf(name, "");
    for (auto at = slots_.lower_bound(shown); at != slots_.end() && at->first.starts_with(shown); ++at) {
      changed.push_back(at->second);
    }
  }
  for (const SlotPtr& slot : changed) {
    if (!slot->Current().ok()) {
      const std::lock_guard lock(mutex_);
      slots_.erase(slot->name());  // current holders keep using it
    }
  }
}

SlotPtr Shared::SlotOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  SlotPtr& slot = slots_[name];
  if (slot == nullptr || slot->shows_index()) {
    slot = std::make_shared<TableSlot>(store.get(), &settings, name);
  }
  return slot;
}

Expected<SlotPtr> Shared::FindSlot(std::string_view table) {
  const Expected<engine::TablePtr> view = store->views().GetTable(table);
  if (view.ok()) [[likely]] {
    return SlotOf((*view)->descriptor.name);
  }
  const auto names = rowkey::TableAndIndexOf(table);
  SlotPtr slot = names.has_value() ? FindShown(names->first, names->second) : nullptr;
  return slot != nullptr ? Expected<SlotPtr>(std::move(slot)) : view.status();
}

SlotPtr Shared::FindShown(std::string_view table, const std::string& index) {
  const Expected<engine::TablePtr> view = store->views().GetTable(table);
  if (!view.ok() || !(*view)->descriptor.attributes.contains(std::string(IndexDescriptor::kTableAttribute) + index)) {
    return nullptr;
  }
  SlotPtr indexed = SlotOf((*view)->descriptor.name);
  const std::lock_guard lock(mutex_);
  SlotPtr& slot = slots_[rowkey::IndexTableOf(indexed->name(), index)];
  if (slot == nullptr || !slot->shows_index()) {
    slot = std::make_shared<TableSlot>(store.get(), &settings, std::move(indexed), index);
  }
  return slot;
}

Status Shared::CheckChangeable(std::string_view table) {
  const auto names = rowkey::TableAndIndexOf(table);
  if (!names.has_value() || store->views().GetTable(table).ok()) [[likely]] {
    return Status::Ok();
  }
  const SlotPtr slot = FindShown(names->first, names->second);
  return slot == nullptr ? Status::Ok() : NotWritable(names->first, names->second);
}

std::shared_ptr<PrependQueue> Shared::PrependsOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<PrependQueue>& queue = prepends_[name];
  if (queue == nullptr) {
    queue = std::make_shared<PrependQueue>();
  }
  return queue;
}

OperationTimer::OperationTimer(const SlowOperations& slow) : slow_(slow) {
  if (slow.log != nullptr && Caller::Current().door != Door::kRpc) [[unlikely]] {
    start_us_ = SteadyUs();
  }
}

void OperationTimer::Tell(std::string_view kind, std::string_view table, int64_t rows) const {
  const int64_t took_us = SteadyUs() - start_us_;
  if (took_us >= slow_.least_us) {
    slow_.log({.caller = Caller::Current(),
               .kind = std::string(kind),
               .table = std::string(table),
               .took_us = took_us,
               .rows = rows});
  }
}

}  // namespace klip::table
