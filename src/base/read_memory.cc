#include "base/read_memory.h"

#include <utility>

namespace klip::base {
namespace {

thread_local ReadMemory* current_read_memory = nullptr;

}  // namespace

ReadMemory* ReadMemory::Current() { return current_read_memory; }

ReadMemoryScope::ReadMemoryScope(ReadMemory* memory) : outer_(std::exchange(current_read_memory, memory)) {}
ReadMemoryScope::~ReadMemoryScope() { current_read_memory = outer_; }

}  // namespace klip::base
