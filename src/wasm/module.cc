#include "wasm/module.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "wasm/instance.h"

namespace klip::wasm {
namespace {

constexpr uintmax_t kMostModuleBytes = 16 << 20;
// A hook may write to its own table, whose hook is called, and so on.
constexpr int kMostNested = 4;
// Idle instances that are kept.
constexpr size_t kMostIdle = 16;

thread_local int nested_calls = 0;

struct NestedCall {
  NestedCall() { ++nested_calls; }
  ~NestedCall() { --nested_calls; }
  NestedCall(const NestedCall&) = delete;
  NestedCall& operator=(const NestedCall&) = delete;
};

// "file:///x.wasm" and "/x.wasm" both mean the file /x.wasm.
Expected<std::string> FileOf(const std::string& path) {
  std::string file = path.starts_with("file:") ? path.substr(5) : path;
  if (!file.starts_with('/')) {
    return Status(Code::kInvalidArgument, "a module's path must be absolute: file:///DIRECTORY/NAME.wasm");
  }
  file.erase(0, file.find_first_not_of('/') - 1);
  return file;
}

Expected<std::string> ReadModule(const std::string& path) {
  KLIP_ASSIGN_OR_RETURN(const std::string name, FileOf(path));
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(name, error);
  if (error) {
    return Status(Code::kInvalidArgument, error.message());
  }
  if (size > kMostModuleBytes) {
    return Status(Code::kInvalidArgument, "it has " + std::to_string(size) + " bytes, more than 16 MB");
  }
  std::ifstream file(name, std::ios::binary);
  std::string bytes(size, '\0');
  return !file.read(bytes.data(), static_cast<std::streamsize>(size))
             ? Expected<std::string>(Status(Code::kInvalidArgument, "it cannot be read"))
             : std::move(bytes);
}

// "i32 i32" for two parameters or results, "-" for none.
std::string KindsOf(const Api& api, const ValueTypes* types) {
  std::string text;
  for (size_t i = 0; i < types->size; ++i) {
    const uint8_t kind = api.wasm_valtype_kind(types->data[i]);
    text += text.empty() ? "" : " ";
    text += kind == kI32 ? "i32" : kind == kI64 ? "i64" : "other";
  }
  return text.empty() ? "-" : text;
}

std::string SignatureOf(const Api& api, const ExternType* type) {
  const FunctionType* const function = api.wasm_externtype_as_functype_const(type);
  return KindsOf(api, api.wasm_functype_params(function)) + " to " + KindsOf(api, api.wasm_functype_results(function));
}

// The required signature of a function with this name; empty: klip does not call it.
std::string_view WantedSignature(std::string_view name) {
  if (name == "klip_abi_1" || name == "_initialize") {
    return "- to -";
  }
  if (name == "klip_alloc") {
    return "i32 to i32";
  }
  return std::ranges::find(kHookNames, name) == kHookNames.end() ? "" : "i32 i32 to i32";
}

// Whether the name looks like one of HBase's hooks. If klip does not call it, that must be reported.
bool LooksLikeHook(std::string_view name) {
  const size_t prefix = name.starts_with("pre") ? 3 : name.starts_with("post") ? 4 : 0;
  return prefix > 0 && name.size() > prefix && name[prefix] >= 'A' && name[prefix] <= 'Z';
}

}  // namespace

Module::Module(std::shared_ptr<Runtime> runtime, ModuleSpec spec)
    : runtime_(std::move(runtime)), spec_(std::move(spec)) {}

Module::~Module() {
  idle_.clear();
  const Api& api = runtime_->api();
  if (prepared_ != nullptr) {
    api.wasmtime_instance_pre_delete(prepared_);
  }
  if (linker_ != nullptr) {
    api.wasmtime_linker_delete(linker_);
  }
  if (compiled_ != nullptr) {
    api.wasmtime_module_delete(compiled_);
  }
}

Expected<std::shared_ptr<Module>> Module::Load(std::shared_ptr<Runtime> runtime, ModuleSpec spec) {
  std::shared_ptr<Module> module(new Module(std::move(runtime), std::move(spec)));
  const auto load = [&module]() -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::string bytes, ReadModule(module->spec_.path));
    KLIP_RETURN_IF_ERROR(module->Compile(bytes));
    KLIP_RETURN_IF_ERROR(module->CheckExports());
    KLIP_RETURN_IF_ERROR(module->Link());
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Instance> first, Instance::New(module.get()));
    module->idle_.push_back(std::move(first));
    return Status::Ok();
  };
  if (const Status status = load(); !status.ok()) {
    return Status(Code::kInvalidArgument, "WebAssembly module " + module->spec_.path + " of table " +
                                              module->spec_.table + " cannot be used: " + status.message());
  }
  return module;
}

Status Module::Compile(const std::string& bytes) {
  // Otherwise text would be accepted too.
  if (!bytes.starts_with(std::string_view("\0asm", 4))) {
    return {Code::kInvalidArgument, "it does not start with 00 'asm', as a module does"};
  }
  Error* const error = runtime_->api().wasmtime_module_new(
      runtime_->engine(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &compiled_);
  return error == nullptr ? Status::Ok() : Status(Code::kInvalidArgument, runtime_->TextOf(error, nullptr));
}

// Checks signatures here, since calls do not.
Status Module::CheckExports() {
  const Api& api = runtime_->api();
  ExportTypes exports;
  api.wasmtime_module_exports(compiled_, &exports);
  Status status;
  bool abi = false;
  for (size_t i = 0; i < exports.size && status.ok(); ++i) {
    const ByteVector* const text = api.wasm_exporttype_name(exports.data[i]);
    const std::string name(text->data, text->size);
    const ExternType* const type = api.wasm_exporttype_type(exports.data[i]);
    if (api.wasm_externtype_kind(type) != ExternKind::kFunction) {
      continue;
    }
    const std::string_view wanted = WantedSignature(name);
    if (const std::string is = SignatureOf(api, type); !wanted.empty() && is != wanted) {
      status = {Code::kInvalidArgument,
                "its function " + name + " has the type " + is + ", not " + std::string(wanted)};
    } else if (wanted.empty() && LooksLikeHook(name)) {
      status = {Code::kInvalidArgument, "klip does not call the hook " + name + " of modules"};
    }
    abi |= name == "klip_abi_1";
    initializes_ |= name == "_initialize";
    if (const auto hook = std::ranges::find(kHookNames, name); hook != kHookNames.end()) {
      has_[static_cast<size_t>(hook - kHookNames.begin())] = true;
      observes_ |= name != "call";
    }
  }
  api.wasm_exporttype_vec_delete(&exports);
  KLIP_RETURN_IF_ERROR(status);
  if (!abi) {
    return {Code::kInvalidArgument,
            "it exports no function klip_abi_1: it was not built for klip, or for a newer klip"};
  }
  return observes_ || Has(Hook::kCall)
             ? Status::Ok()
             : Status(Code::kInvalidArgument, "it exports no hook, such as prePut, and no call");
}

Status Module::Link() {
  const Api& api = runtime_->api();
  linker_ = api.wasmtime_linker_new(runtime_->engine());
  KLIP_RETURN_IF_ERROR(DefineHostFunctions(*runtime_, linker_));
  Error* const error = api.wasmtime_linker_instantiate_pre(linker_, compiled_, &prepared_);
  return error == nullptr ? Status::Ok() : Status(Code::kInvalidArgument, runtime_->TextOf(error, nullptr));
}

Expected<std::unique_ptr<Instance>> Module::TakeInstance() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Instance> instance = std::move(idle_.back());
      idle_.pop_back();
      return instance;
    }
  }
  return Instance::New(this);
}

Status Module::Run(Hook hook, std::string_view argument, CallTarget* target) {
  if (nested_calls >= kMostNested) {
    return {Code::kDoNotRetry, "modules call each other, or themselves, " + std::to_string(kMostNested) + " deep"};
  }
  const NestedCall nested;
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Instance> instance, TakeInstance());
  KLIP_ASSIGN_OR_RETURN(const int32_t code, instance->Call(hook, argument, target));
  Status status;
  if (code != 0) {
    status = {Code::kDoNotRetry,
              instance->failure().empty() ? "it returned " + std::to_string(code) : instance->failure()};
  }
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) {
    idle_.push_back(std::move(instance));
  }
  return status;
}

Status Module::Call(Hook hook, std::string_view argument, CallTarget* target) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Status status = Run(hook, argument, target);
  HookCount& count = counts_[static_cast<size_t>(hook)];
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  count.calls.fetch_add(1, std::memory_order_relaxed);
  count.nanoseconds.fetch_add(static_cast<uint64_t>(took), std::memory_order_relaxed);
  if (status.ok()) {
    return status;
  }
  count.failures.fetch_add(1, std::memory_order_relaxed);
  return {Code::kDoNotRetry, "table " + spec_.table + ": module " + spec_.name + ", " + std::string(NameOf(hook)) +
                                 ": " + status.message()};
}

void Module::AddCosts(std::vector<HookCost>* costs) const {
  for (size_t i = 0; i < kHooks; ++i) {
    if (const uint64_t calls = counts_[i].calls.load(std::memory_order_relaxed); calls > 0) {
      costs->push_back({spec_.table, spec_.name, std::string(kHookNames[i]), calls,
                        counts_[i].failures.load(std::memory_order_relaxed),
                        counts_[i].nanoseconds.load(std::memory_order_relaxed)});
    }
  }
}

Status Module::Count(std::string_view name, int64_t add) {
  constexpr size_t kMostNames = 64;
  constexpr size_t kMostNameBytes = 100;
  if (name.empty() || name.size() > kMostNameBytes) {
    return {Code::kDoNotRetry, "a metric's name must have 1 to 100 bytes"};
  }
  const std::lock_guard lock(mutex_);
  auto at = counted_.find(name);
  if (at == counted_.end()) {
    if (counted_.size() >= kMostNames) {
      return {Code::kDoNotRetry, "it counts more than 64 metrics"};
    }
    at = counted_.emplace(std::string(name), 0).first;
  }
  at->second += add;
  return Status::Ok();
}

std::map<std::string, int64_t, std::less<>> Module::Counted() const {
  const std::lock_guard lock(mutex_);
  return counted_;
}

}  // namespace klip::wasm
