// Instance: a module's memory with its functions, for one call at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "klip/status.h"
#include "wasm/module.h"
#include "wasm/runtime_api.h"

namespace klip::wasm {

class Instance {
 public:
  // Errors: as Module::Load.
  static Expected<std::unique_ptr<Instance>> New(Module* module);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Returns what the hook returns. After an error the instance is unusable. Errors: the text of the trap.
  Expected<int32_t> Call(Hook hook, std::string_view argument, CallTarget* target);

  // --- For host_functions.cc, during a call ---

  Module& module() const { return *module_; }
  const Api& api() const;
  CallTarget* target() const { return target_; }
  // Bytes of the memory, valid until the module runs again. Errors: outside the memory.
  Expected<std::string_view> View(int32_t at, int32_t size) const;
  Status Write(int32_t at, std::string_view bytes);
  // What the module may take after calling klip: the answer, or the error's text.
  std::string& taken() { return taken_; }
  std::string& failure() { return failure_; }
  // Whether the call may write another line to the log.
  bool MayLog() { return ++lines_ <= 10; }

 private:
  explicit Instance(Module* module);
  void SetDeadline();  // of the call that starts now
  Status Start();
  Expected<int32_t> CallFunction(const FunctionHandle& function, int32_t first, int32_t second);
  Status FunctionOf(std::string_view name, FunctionHandle* function);

  Module* const module_;
  Store* const store_;
  Context* const context_;
  InstanceHandle handle_;
  Extern memory_;
  FunctionHandle allocate_;
  std::array<FunctionHandle, kHooks> hooks_ = {};
  CallTarget* target_ = nullptr;  // of the call under way
  std::string taken_;
  std::string failure_;
  int lines_ = 0;
};

// Adds klip's functions to a linker. Errors: the library's.
Status DefineHostFunctions(const Runtime& runtime, Linker* linker);

}  // namespace klip::wasm
