// The part of wasmtime's C interface that klip uses, declared here because the library is loaded when a table needs it.
// The layouts are those of wasmtime 25 and newer; Runtime::Load runs a small module before it trusts them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "klip/status.h"

namespace klip::wasm {

// The library's types; only pointers to them are used.
struct Config;
struct Engine;
struct CompiledModule;
struct Store;
struct Context;
struct Linker;
struct PreparedInstance;
struct Error;
struct Trap;
struct CallerOfHost;
struct ValueType;
struct FunctionType;
struct ExternType;
struct ExportType;

// Bytes that the library owns until wasm_byte_vec_delete.
struct ByteVector {
  size_t size = 0;
  char* data = nullptr;
};
struct ValueTypes {
  size_t size = 0;
  ValueType** data = nullptr;
};
struct ExportTypes {
  size_t size = 0;
  ExportType** data = nullptr;
};

// A number of 32 or 64 bits in the first bytes, little-endian.
union alignas(16) RawValue {
  int32_t i32;
  int64_t i64;
  uint8_t bytes[16];
};

struct InstanceHandle {
  uint64_t store = 0;
  uint64_t inside = 0;
};
struct FunctionHandle {
  uint64_t store = 0;
  void* inside = nullptr;
};

enum class ExternKind : uint8_t { kFunction = 0, kGlobal = 1, kTable = 2, kMemory = 3 };

struct Extern {
  ExternKind kind = ExternKind::kFunction;
  union alignas(8) {
    FunctionHandle function;
    uint8_t bytes[40];  // of a memory or another external: at least as large as any of them
  } of = {.bytes = {}};
};

// Plain bytes, which GCC widens to 32 bits when passing them, as the library expects; it does not do that for byte enums.
inline constexpr uint8_t kI32 = 0;
inline constexpr uint8_t kI64 = 1;

using HostCallback = Trap* (*)(void* environment, CallerOfHost* caller, RawValue* values, size_t count);
using Finalizer = void (*)(void*);

// NOLINTBEGIN(bugprone-macro-parentheses): types and names
// What is taken from the library: X(result, name, arguments).
#define KLIP_WASM_FUNCTIONS(X)                                                                                \
  X(Config*, wasm_config_new, ())                                                                             \
  X(void, wasmtime_config_epoch_interruption_set, (Config*, bool))                                            \
  X(Engine*, wasm_engine_new_with_config, (Config*))                                                          \
  X(void, wasm_engine_delete, (Engine*))                                                                      \
  X(void, wasmtime_engine_increment_epoch, (Engine*))                                                         \
  X(Error*, wasmtime_module_new, (Engine*, const uint8_t*, size_t, CompiledModule**))                         \
  X(void, wasmtime_module_delete, (CompiledModule*))                                                          \
  X(void, wasmtime_module_exports, (const CompiledModule*, ExportTypes*))                                     \
  X(void, wasm_exporttype_vec_delete, (ExportTypes*))                                                         \
  X(const ByteVector*, wasm_exporttype_name, (const ExportType*))                                             \
  X(const ExternType*, wasm_exporttype_type, (const ExportType*))                                             \
  X(ExternKind, wasm_externtype_kind, (const ExternType*))                                                    \
  X(const FunctionType*, wasm_externtype_as_functype_const, (const ExternType*))                              \
  X(const ValueTypes*, wasm_functype_params, (const FunctionType*))                                           \
  X(const ValueTypes*, wasm_functype_results, (const FunctionType*))                                          \
  X(FunctionType*, wasm_functype_new, (ValueTypes*, ValueTypes*))                                             \
  X(void, wasm_functype_delete, (FunctionType*))                                                              \
  X(ValueType*, wasm_valtype_new, (uint8_t))                                                                  \
  X(uint8_t, wasm_valtype_kind, (const ValueType*))                                                           \
  X(void, wasm_valtype_vec_new, (ValueTypes*, size_t, ValueType* const*))                                     \
  X(Store*, wasmtime_store_new, (Engine*, void*, Finalizer))                                                  \
  X(Context*, wasmtime_store_context, (Store*))                                                               \
  X(void, wasmtime_store_limiter, (Store*, int64_t, int64_t, int64_t, int64_t, int64_t))                      \
  X(void, wasmtime_store_delete, (Store*))                                                                    \
  X(void*, wasmtime_context_get_data, (const Context*))                                                       \
  X(void, wasmtime_context_set_epoch_deadline, (Context*, uint64_t))                                          \
  X(Context*, wasmtime_caller_context, (CallerOfHost*))                                                       \
  X(Linker*, wasmtime_linker_new, (Engine*))                                                                  \
  X(void, wasmtime_linker_delete, (Linker*))                                                                  \
  X(Error*, wasmtime_linker_define_func_unchecked,                                                            \
    (Linker*, const char*, size_t, const char*, size_t, const FunctionType*, HostCallback, void*, Finalizer)) \
  X(Error*, wasmtime_linker_instantiate_pre, (const Linker*, const CompiledModule*, PreparedInstance**))      \
  X(void, wasmtime_instance_pre_delete, (PreparedInstance*))                                                  \
  X(Error*, wasmtime_instance_pre_instantiate, (const PreparedInstance*, Context*, InstanceHandle*, Trap**))  \
  X(bool, wasmtime_instance_export_get, (Context*, const InstanceHandle*, const char*, size_t, Extern*))      \
  X(Error*, wasmtime_func_call_unchecked, (Context*, const FunctionHandle*, RawValue*, size_t, Trap**))       \
  X(uint8_t*, wasmtime_memory_data, (const Context*, const void*))                                            \
  X(size_t, wasmtime_memory_data_size, (const Context*, const void*))                                         \
  X(void, wasmtime_error_message, (const Error*, ByteVector*))                                                \
  X(void, wasmtime_error_delete, (Error*))                                                                    \
  X(Trap*, wasmtime_trap_new, (const char*, size_t))                                                          \
  X(void, wasm_trap_message, (const Trap*, ByteVector*))                                                      \
  X(bool, wasmtime_trap_code, (const Trap*, uint8_t*))                                                        \
  X(void, wasm_trap_delete, (Trap*))                                                                          \
  X(void, wasm_byte_vec_delete, (ByteVector*))

struct Api {
#define KLIP_WASM_FIELD(result, name, arguments) result(*name) arguments = nullptr;
  KLIP_WASM_FUNCTIONS(KLIP_WASM_FIELD)
#undef KLIP_WASM_FIELD
};
// NOLINTEND(bugprone-macro-parentheses)

inline constexpr uint8_t kTrapInterrupt = 10;  // the deadline has passed

}  // namespace klip::wasm
