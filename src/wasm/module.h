// Module: a compiled WebAssembly module of one table, with its instances.
//
// A call takes an idle instance, or creates one (some 20 us), writes its argument into the instance's memory and calls
// the hook. So an instance serves one call at a time, its memory persists between calls, and threads do not wait for each
// other. If a call traps or exceeds its deadline, its instance is discarded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "klip/coprocessor.h"
#include "klip/status.h"
#include "wasm/hook.h"
#include "wasm/runtime.h"

namespace klip::wasm {

// A table's attribute that names a module.
struct ModuleSpec {
  std::string table;
  std::string path;
  std::string name;
  int32_t priority = kPriorityUser;
  std::map<std::string, std::string, std::less<>> settings = {};
  int64_t memory_bytes = 64 << 20;  // klip.memory, in MB
  int64_t deadline_ms = 1'000;      // klip.deadline, in milliseconds
};

// Rows of a scan that a module sees in one call.
struct ScannedRows {
  std::vector<Result> rows;
  std::vector<bool> left_out;  // of each
};

// The objects of a call of a hook. All outlive the call.
struct CallTarget {
  CoprocessorContext* context = nullptr;
  ChangeEvent* change = nullptr;   // hooks of one mutation
  BatchEvent* batch = nullptr;     // hooks of a batch
  ScannedRows* scanned = nullptr;  // postScannerNext
  bool early = false;              // mutations may be replaced and omitted
  std::string answer = {};         // the module's answer
  bool answered = false;
};

struct HookCost {
  std::string table;
  std::string module;
  std::string hook;
  uint64_t calls = 0;
  uint64_t failures = 0;
  uint64_t nanoseconds = 0;
};

class Instance;

class Module {
 public:
  // Errors: kInvalidArgument naming the module: a missing file, not a module, or an unsuitable one.
  static Expected<std::shared_ptr<Module>> Load(std::shared_ptr<Runtime> runtime, ModuleSpec spec);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  bool Has(Hook hook) const { return has_[static_cast<size_t>(hook)]; }
  bool observes() const { return observes_; }
  // Calls a hook of the module, with `argument` in its memory. Errors: kDoNotRetry naming table, module and hook: the
  // module's text, or how it failed.
  Status Call(Hook hook, std::string_view argument, CallTarget* target);

  const ModuleSpec& spec() const { return spec_; }
  // Adds calls, failures and time of each hook that was called.
  void AddCosts(std::vector<HookCost>* costs) const;
  // Adds to a counter of the module, which has at most 64. Errors: there are more.
  Status Count(std::string_view name, int64_t add);
  std::map<std::string, int64_t, std::less<>> Counted() const;

 private:
  friend class Instance;
  struct HookCount {
    std::atomic<uint64_t> calls = 0;
    std::atomic<uint64_t> failures = 0;
    std::atomic<uint64_t> nanoseconds = 0;
  };

  Module(std::shared_ptr<Runtime> runtime, ModuleSpec spec);
  Status Compile(const std::string& bytes);
  Status CheckExports();
  Status Link();
  Expected<std::unique_ptr<Instance>> TakeInstance();
  Status Run(Hook hook, std::string_view argument, CallTarget* target);

  const std::shared_ptr<Runtime> runtime_;
  const ModuleSpec spec_;
  CompiledModule* compiled_ = nullptr;
  Linker* linker_ = nullptr;
  PreparedInstance* prepared_ = nullptr;
  std::array<bool, kHooks> has_ = {};
  bool observes_ = false;     // it has a hook other than call
  bool initializes_ = false;  // it has _initialize
  std::array<HookCount, kHooks> counts_ = {};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Instance>> idle_;               // guarded by mutex_
  std::map<std::string, int64_t, std::less<>> counted_ = {};  // guarded by mutex_
};

}  // namespace klip::wasm
