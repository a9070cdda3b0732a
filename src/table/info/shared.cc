#include "table/info/shared.h"

#include <chrono>
#include <utility>

#include "engine/store/views.h"
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
  SlotPtr slot;
  {
    const std::lock_guard lock(mutex_);
    const auto at = slots_.find(name);
    if (at == slots_.end()) {
      return;
    }
    slot = at->second;
  }
  if (slot->Current().ok()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  slots_.erase(name);  // current holders keep using it
}

SlotPtr Shared::SlotOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  SlotPtr& slot = slots_[name];
  if (slot == nullptr) {
    slot = std::make_shared<TableSlot>(&store->views(), &settings, name);
  }
  return slot;
}

Expected<SlotPtr> Shared::FindSlot(std::string_view table) {
  KLIP_ASSIGN_OR_RETURN(const engine::TablePtr view, store->views().GetTable(table));
  return SlotOf(view->descriptor.name);
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
