#include "wasm/instance.h"

#include <cstring>
#include <utility>

namespace klip::wasm {
namespace {

constexpr int64_t kMostTableElements = 100'000;

// Converts wasmtime's text, with lines "error while executing at wasm backtrace: ..., Caused by: ...", to one line with
// the cause first.
std::string OneLine(std::string_view text) {
  constexpr std::string_view kCause = "Caused by:";
  constexpr size_t kMost = 400;
  std::string ordered(text);
  if (const size_t at = text.rfind(kCause); at != std::string_view::npos) {
    ordered = std::string(text.substr(at + kCause.size())) + " (" + std::string(text.substr(0, at)) + ")";
  }
  std::string line;
  for (const char c : ordered) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  return line.size() <= kMost ? line : line.substr(0, kMost) + "...";
}

}  // namespace

const Api& Instance::api() const { return module_->runtime_->api(); }

Instance::Instance(Module* module)
    : module_(module),
      store_(api().wasmtime_store_new(module->runtime_->engine(), this, nullptr)),
      context_(api().wasmtime_store_context(store_)) {
  api().wasmtime_store_limiter(store_, module->spec_.memory_bytes, kMostTableElements, 1, 8, 1);
}

Instance::~Instance() { api().wasmtime_store_delete(store_); }

Expected<std::unique_ptr<Instance>> Instance::New(Module* module) {
  std::unique_ptr<Instance> instance(new Instance(module));
  KLIP_RETURN_IF_ERROR(instance->Start());
  return instance;
}

Status Instance::FunctionOf(std::string_view name, FunctionHandle* function) {
  Extern found;
  if (!api().wasmtime_instance_export_get(context_, &handle_, name.data(), name.size(), &found) ||
      found.kind != ExternKind::kFunction) {
    return {Code::kInvalidArgument, "it exports no function " + std::string(name)};
  }
  *function = found.of.function;
  return Status::Ok();
}

void Instance::SetDeadline() {
  const uint64_t ticks = module_->runtime_->TicksUntil(module_->spec_.deadline_ms);
  api().wasmtime_context_set_epoch_deadline(context_, ticks);
}

// Runs a start function and _initialize, within the deadline of a call.
Status Instance::Start() {
  SetDeadline();
  Trap* trap = nullptr;
  Error* const error = api().wasmtime_instance_pre_instantiate(module_->prepared_, context_, &handle_, &trap);
  if (error != nullptr || trap != nullptr) {
    return {Code::kInvalidArgument, OneLine(module_->runtime_->TextOf(error, trap))};
  }
  constexpr std::string_view kMemory = "memory";
  if (!api().wasmtime_instance_export_get(context_, &handle_, kMemory.data(), kMemory.size(), &memory_) ||
      memory_.kind != ExternKind::kMemory) {
    return {Code::kInvalidArgument, "it exports no memory named memory"};
  }
  KLIP_RETURN_IF_ERROR(FunctionOf("klip_alloc", &allocate_));
  for (size_t i = 0; i < kHooks; ++i) {
    if (module_->has_[i]) {
      KLIP_RETURN_IF_ERROR(FunctionOf(kHookNames[i], &hooks_[i]));
    }
  }
  if (module_->initializes_) {
    FunctionHandle initialize;
    KLIP_RETURN_IF_ERROR(FunctionOf("_initialize", &initialize));
    KLIP_RETURN_IF_ERROR(CallFunction(initialize, 0, 0).status());
  }
  return Status::Ok();
}

Expected<int32_t> Instance::CallFunction(const FunctionHandle& function, int32_t first, int32_t second) {
  std::array<RawValue, 2> values = {RawValue{.i64 = first}, RawValue{.i64 = second}};
  Trap* trap = nullptr;
  Error* const error = api().wasmtime_func_call_unchecked(context_, &function, values.data(), values.size(), &trap);
  if (error == nullptr && trap == nullptr) {
    return values[0].i32;
  }
  uint8_t code = 0;
  const bool late = trap != nullptr && api().wasmtime_trap_code(trap, &code) && code == kTrapInterrupt;
  const std::string text = module_->runtime_->TextOf(error, trap);
  return Status(Code::kDoNotRetry, late ? "it ran longer than " + std::to_string(module_->spec_.deadline_ms) + " ms"
                                        : "it failed: " + OneLine(text));
}

Expected<int32_t> Instance::Call(Hook hook, std::string_view argument, CallTarget* target) {
  if (argument.size() > static_cast<uint64_t>(module_->spec_.memory_bytes)) {
    return Status(Code::kDoNotRetry,
                  "its argument has " + std::to_string(argument.size()) + " bytes, more than its memory (klip.memory)");
  }
  SetDeadline();
  target_ = target;
  taken_.clear();
  failure_.clear();
  lines_ = 0;
  KLIP_ASSIGN_OR_RETURN(const int32_t at, CallFunction(allocate_, static_cast<int32_t>(argument.size()), 0));
  KLIP_RETURN_IF_ERROR(Write(at, argument));
  Expected<int32_t> code = CallFunction(hooks_[static_cast<size_t>(hook)], at, static_cast<int32_t>(argument.size()));
  target_ = nullptr;
  return code;
}

Expected<std::string_view> Instance::View(int32_t at, int32_t size) const {
  const auto from = static_cast<uint64_t>(static_cast<uint32_t>(at));
  const auto bytes = static_cast<uint64_t>(static_cast<uint32_t>(size));
  const size_t all = api().wasmtime_memory_data_size(context_, memory_.of.bytes);
  if (from + bytes > all) {
    return Status(Code::kDoNotRetry, "bytes " + std::to_string(from) + " to " + std::to_string(from + bytes) +
                                         " are outside of its memory of " + std::to_string(all) + " bytes");
  }
  const uint8_t* const memory = api().wasmtime_memory_data(context_, memory_.of.bytes);
  return std::string_view(reinterpret_cast<const char*>(memory) + from, bytes);
}

Status Instance::Write(int32_t at, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const std::string_view place, View(at, static_cast<int32_t>(bytes.size())));
  if (!bytes.empty()) {
    uint8_t* const memory = api().wasmtime_memory_data(context_, memory_.of.bytes);
    std::memcpy(memory + (place.data() - reinterpret_cast<const char*>(memory)), bytes.data(), bytes.size());
  }
  return Status::Ok();
}

}  // namespace klip::wasm
