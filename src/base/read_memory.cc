#include "base/read_memory.h"

#include <utility>

namespace klip::base {
namespace {

thread_local ReadMemory* current_read_memory = nullptr;

}  // namespace

ReadMemory* ReadMemory::Current() { return current_read_memory; }

ReadMemoryScope::ReadMemoryScope(ReadMemory* memory) : outer_(std::exchange(current_read_memory, memory)) {}
ReadMemoryScope::~ReadMemoryScope() { current_read_memory = outer_; }

Status HoldAnswer(size_t bytes) {
  return current_read_memory == nullptr ? Status::Ok() : current_read_memory->HoldAnswer(static_cast<int64_t>(bytes));
}

Status HoldRequest(size_t bytes) {
  return current_read_memory == nullptr ? Status::Ok() : current_read_memory->HoldRequest(static_cast<int64_t>(bytes));
}

}  // namespace klip::base
