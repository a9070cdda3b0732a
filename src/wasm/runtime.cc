#include "wasm/runtime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <glob.h>

namespace klip::wasm {
namespace {

constexpr std::chrono::milliseconds kTick(kTickMs);

constexpr const char* kAdvice =
    "install it with `pip install wasmtime`, or give its path by KLIP_WASM_RUNTIME or ConnectionOptions::wasm_runtime: "
    "_libwasmtime.so or libwasmtime.so";

// The first file that matches a pattern; empty: none.
std::string FirstOf(const std::string& pattern) {
  glob_t found = {};
  std::string path;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0) {
    path = found.gl_pathv[0];
  }
  ::globfree(&found);
  return path;
}

std::vector<std::string> PlacesOfPip() {
  std::vector<std::string> roots;
  for (const auto& [variable, below] : {std::pair("VIRTUAL_ENV", "/lib"), std::pair("HOME", "/.local/lib")}) {
    if (const char* const value = std::getenv(variable); value != nullptr && *value != '\0') {
      roots.push_back(std::string(value) + below);
    }
  }
  roots.emplace_back("/usr/local/lib");
  roots.emplace_back("/usr/lib");
  std::vector<std::string> patterns;
  for (const std::string& root : roots) {
    patterns.push_back(root + "/python3*/*-packages/wasmtime/linux-*/_libwasmtime.so");
  }
  return patterns;
}

Status Refused(const std::string& path, const std::string& why) {
  return {Code::kInvalidArgument,
          "the WebAssembly runtime " + path + " cannot be used: " + why + "; " + std::string(kAdvice)};
}

// Looks up its functions. Errors: one is missing.
Expected<Api> Bind(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Refused(path, ::dlerror());
  }
  Api api;
  const char* missing = nullptr;
  const auto bind = [&](auto* function, const char* name) {
    void* const symbol = ::dlsym(library, name);
    std::memcpy(static_cast<void*>(function), static_cast<const void*>(&symbol), sizeof(symbol));
    missing = symbol == nullptr ? name : missing;
  };
#define KLIP_WASM_BIND(result, name, arguments) bind(&api.name, #name);
  KLIP_WASM_FUNCTIONS(KLIP_WASM_BIND)
#undef KLIP_WASM_BIND
  if (missing != nullptr) {
    return Refused(path, std::string("it has no function ") + missing + "; klip needs wasmtime 25 or newer");
  }
  return api;
}

Engine* NewEngine(const Api& api) {
  Config* const config = api.wasm_config_new();
  api.wasmtime_config_epoch_interruption_set(config, true);
  return api.wasm_engine_new_with_config(config);  // takes ownership of the settings
}

}  // namespace

Expected<std::string> FindRuntime(const std::string& given) {
  std::error_code error;
  const char* const named = std::getenv("KLIP_WASM_RUNTIME");
  const std::string wanted = given.empty() && named != nullptr ? named : given;
  if (!wanted.empty()) {
    return std::filesystem::is_regular_file(wanted, error) ? Expected<std::string>(wanted)
                                                           : Refused(wanted, "no such file");
  }
  std::string tried;
  for (const std::string& pattern : PlacesOfPip()) {
    if (std::string path = FirstOf(pattern); !path.empty()) {
      return path;
    }
    tried += pattern + ", ";
  }
  for (const char* const name : {"libwasmtime.so", "libwasmtime.so.0"}) {
    if (::dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) {
      return std::string(name);
    }
    tried += std::string(name) + (std::strcmp(name, "libwasmtime.so") == 0 ? ", " : "");
  }
  return Status(
      Code::kInvalidArgument,
      "WebAssembly modules need the runtime wasmtime, which is not installed (looked for " + tried + "); " + kAdvice);
}

Runtime::Runtime(std::string path, const Api& api)
    : path_(std::move(path)), api_(api), engine_(NewEngine(api)), clock_([this] { Tick(); }) {}

Runtime::~Runtime() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  clock_.join();
  api_.wasm_engine_delete(engine_);
}

void Runtime::Tick() {
  std::unique_lock lock(mutex_);
  auto next = started_ + kTick;
  while (!wake_.wait_until(lock, next, [this] { return stop_; })) {
    // Catches up on ticks for which this thread did not run: otherwise a busy machine would extend deadlines.
    for (const auto now = std::chrono::steady_clock::now(); next <= now; next += kTick) {
      api_.wasmtime_engine_increment_epoch(engine_);
      ++ticked_;
    }
  }
}

uint64_t Runtime::TicksUntil(int64_t ms) const {
  // The thread that ticks may be late, and catches up during the call: these ticks do not belong to the call.
  const int64_t late = (std::chrono::steady_clock::now() - started_) / kTick - ticked_;
  const int64_t wanted = (ms + kTickMs - 1) / kTickMs;
  return static_cast<uint64_t>(std::max<int64_t>(late, 0) + wanted + 1);  // + 1: the current tick has started already
}

Expected<std::shared_ptr<Runtime>> Runtime::Load(const std::string& wanted) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Runtime>> loaded;  // guarded by mutex
  KLIP_ASSIGN_OR_RETURN(const std::string path, FindRuntime(wanted));
  const std::lock_guard lock(mutex);
  std::weak_ptr<Runtime>& known = loaded[path];
  std::shared_ptr<Runtime> runtime = known.lock();
  if (runtime == nullptr) {
    KLIP_ASSIGN_OR_RETURN(const Api api, Bind(path));
    runtime = std::shared_ptr<Runtime>(new Runtime(path, api));
    KLIP_RETURN_IF_ERROR(runtime->Try());
    known = runtime;
  }
  return runtime;
}

std::string Runtime::TextOf(Error* error, Trap* trap) const {
  ByteVector bytes;
  if (error != nullptr) {
    api_.wasmtime_error_message(error, &bytes);
    api_.wasmtime_error_delete(error);
  } else {
    api_.wasm_trap_message(trap, &bytes);
    api_.wasm_trap_delete(trap);
  }
  std::string text(bytes.data, bytes.size);
  api_.wasm_byte_vec_delete(&bytes);
  while (!text.empty() && text.back() == '\0') {
    text.pop_back();
  }
  return text;
}

// Runs (module (memory (export "m") 1) (func (export "f") (param i32 i32) (result i32) local.get 0 local.get 1 i32.store
// local.get 0 i32.load i32.const 1 i32.add)): f(8, 41) returns 42 and leaves 41 at byte 8 if the layouts are the expected
// ones.
Status Runtime::Try() {
  static constexpr std::array<uint8_t, 58> kModule = {
      0,    'a', 's',  'm',  1,   0,    0,    0,                       // version 1
      1,    7,   1,    0x60, 2,   0x7F, 0x7F, 1,    0x7F,              // types
      3,    2,   1,    0,                                              // functions
      5,    3,   1,    0,    1,                                        // memories
      7,    9,   2,    1,    'm', 2,    0,    1,    'f',  0,    0,     // exports
      10,   19,  1,    17,   0,   0x20, 0,    0x20, 1,    0x36, 2, 0,  // code: store
      0x20, 0,   0x28, 2,    0,   0x41, 1,    0x6A, 0x0B};             // load, add
  CompiledModule* module = nullptr;
  if (Error* const error = api_.wasmtime_module_new(engine_, kModule.data(), kModule.size(), &module);
      error != nullptr) {
    return Refused(path_, TextOf(error, nullptr));
  }
  Linker* const linker = api_.wasmtime_linker_new(engine_);
  Store* const store = api_.wasmtime_store_new(engine_, nullptr, nullptr);
  Context* const context = api_.wasmtime_store_context(store);
  api_.wasmtime_context_set_epoch_deadline(context, 1'000);
  PreparedInstance* prepared = nullptr;
  InstanceHandle instance;
  Trap* trap = nullptr;
  Extern function;
  Extern memory;
  std::array<RawValue, 2> values = {RawValue{.i32 = 8}, RawValue{.i32 = 41}};
  Error* error = api_.wasmtime_linker_instantiate_pre(linker, module, &prepared);
  bool fits = error == nullptr;
  if (fits) {
    error = api_.wasmtime_instance_pre_instantiate(prepared, context, &instance, &trap);
    fits = error == nullptr && trap == nullptr &&
           api_.wasmtime_instance_export_get(context, &instance, "f", 1, &function) &&
           api_.wasmtime_instance_export_get(context, &instance, "m", 1, &memory) &&
           function.kind == ExternKind::kFunction && memory.kind == ExternKind::kMemory;
  }
  if (fits) {
    error = api_.wasmtime_func_call_unchecked(context, &function.of.function, values.data(), values.size(), &trap);
    fits = error == nullptr && trap == nullptr && values[0].i32 == 42 &&
           api_.wasmtime_memory_data_size(context, memory.of.bytes) == 65536 &&
           api_.wasmtime_memory_data(context, memory.of.bytes)[8] == 41;
  }
  const std::string text =
      error != nullptr || trap != nullptr ? TextOf(error, trap) : "a test module returned a wrong result";
  if (prepared != nullptr) {
    api_.wasmtime_instance_pre_delete(prepared);
  }
  api_.wasmtime_store_delete(store);
  api_.wasmtime_linker_delete(linker);
  api_.wasmtime_module_delete(module);
  return fits ? Status::Ok() : Refused(path_, text + "; klip needs wasmtime 25 or newer");
}

}  // namespace klip::wasm
