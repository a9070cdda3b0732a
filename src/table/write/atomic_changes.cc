#include "table/write/atomic_changes.h"

#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace klip::table {
namespace {

// The tables of an AtomicBatch, which may use several names for one ("t", "default:t").
class BatchTables {
 public:
  Status Add(Shared* shared, const std::string& name) {
    if (!by_given_name_.contains(name)) {
      KLIP_ASSIGN_OR_RETURN(SlotPtr slot, shared->FindSlot(name));
      slots_.emplace(slot->name(), slot);
      by_given_name_.emplace(name, std::move(slot));
    }
    return Status::Ok();
  }
  std::vector<SlotPtr> InOrder() const {
    std::vector<SlotPtr> slots;
    for (const auto& [name, slot] : slots_) {
      slots.push_back(slot);
    }
    return slots;
  }
  // REQUIRES: it was added.
  uint32_t IndexOf(const std::string& name) const {
    return static_cast<uint32_t>(std::distance(slots_.begin(), slots_.find(by_given_name_.find(name)->second->name())));
  }

 private:
  std::map<std::string, SlotPtr> by_given_name_;
  std::map<std::string, SlotPtr> slots_;  // by name in the catalog
};

}  // namespace

Expected<AtomicChanges> ChangesOf(Shared* shared, const AtomicBatch& batch) {
  BatchTables tables;
  for (const AtomicBatch::Condition& condition : batch.conditions) {
    KLIP_RETURN_IF_ERROR(tables.Add(shared, condition.table));
  }
  for (const AtomicBatch::Step& step : batch.steps) {
    KLIP_RETURN_IF_ERROR(tables.Add(shared, step.table));
  }
  AtomicChanges all = {.tables = tables.InOrder()};
  for (const AtomicBatch::Condition& condition : batch.conditions) {
    all.conditions.push_back({tables.IndexOf(condition.table), condition.row, &condition.condition});
  }
  for (const AtomicBatch::Step& step : batch.steps) {
    AddChanges(step.mutation, &all.changes);
    all.changes.back().table = tables.IndexOf(step.table);
  }
  return all;
}

}  // namespace klip::table
