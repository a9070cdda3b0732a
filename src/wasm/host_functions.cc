// The functions that a module may call: the import module "klip".
//
// Parameters are numbers: addresses and lengths in the module's memory. An address outside the memory is a trap, since
// the module is broken. An error of the store is the answer 1; the module may then take its text.
#include <cstdio>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "klip/bytes.h"
#include "klip/connection.h"
#include "wasm/frames.h"
#include "wasm/instance.h"

namespace klip::wasm {
namespace {

// The size of a page of a scan.
constexpr size_t kMostPageBytes = 1 << 20;
constexpr size_t kMostLogBytes = 1'024;

// Reads the parameters of a call one by one.
class Parameters {
 public:
  Parameters(Instance* instance, const RawValue* values) : instance_(*instance), next_(values) {}

  int32_t Number() { return (next_++)->i32; }
  int64_t LongNumber() { return (next_++)->i64; }
  std::string_view Bytes() {
    const int32_t at = Number();
    const Expected<std::string_view> view = instance_.View(at, Number());
    status_ = view.ok() ? status_ : view.status();
    return view.ok() ? *view : std::string_view();
  }
  const Status& status() const { return status_; }

 private:
  Instance& instance_;
  const RawValue* next_;
  Status status_;
};

// The answer of a call that may fail in the store: 0, or 1 with the text of the error to take.
int64_t Outcome(Instance* instance, const Status& status) {
  if (!status.ok()) {
    instance->taken() = status.message();
  }
  return status.ok() ? 0 : 1;
}

bool IsLocked(const CallTarget& target) { return target.context->connection() == nullptr; }

Status OnlyWithoutLocks(std::string_view what) {
  return {Code::kUnsupported, std::string(what) + " while rows are locked: read by get in preBatchMutate"};
}

// i32 get(table, table_len, row, row_len): the newest versions of a row, as a row of kind 4.
Expected<int64_t> GetRow(Instance* instance, Parameters parameters) {
  const std::string table(parameters.Bytes());
  const std::string row(parameters.Bytes());
  KLIP_RETURN_IF_ERROR(parameters.status());
  CallTarget& target = *instance->target();
  const auto read = [&](Result* result) -> Status {
    const klip::Get get = {.row = row};
    if (IsLocked(target)) {
      return target.batch == nullptr ? OnlyWithoutLocks("a get") : target.batch->Get(table, get, result);
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> from, target.context->GetTable(table));
    KLIP_ASSIGN_OR_RETURN(*result, from->Get(get));
    return Status::Ok();
  };
  Result result;
  const Status status = read(&result);
  if (status.ok()) {
    BytesWriter out;
    WriteStored(row, result, &out);
    instance->taken() = out.Take();
  }
  return Outcome(instance, status);
}

// i32 scan(table, table_len, start, start_len, stop, stop_len, limit): a page of rows, u8 more | u32 n, n × row of kind 4.
Expected<int64_t> ScanRows(Instance* instance, Parameters parameters) {
  const std::string table(parameters.Bytes());
  klip::Scan scan;
  scan.start_row = parameters.Bytes();
  scan.stop_row = parameters.Bytes();
  scan.limit_rows = static_cast<uint32_t>(parameters.Number());
  KLIP_RETURN_IF_ERROR(parameters.status());
  CallTarget& target = *instance->target();
  const auto read = [&](BytesWriter* out) -> Status {
    if (IsLocked(target)) {
      return OnlyWithoutLocks("a scan");
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Table> from, target.context->GetTable(table));
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<ResultScanner> scanner, from->Scan(scan));
    uint32_t rows = 0;
    bool more = true;
    Result result;
    out->U8(0).U32(0);
    while (more && out->size() < kMostPageBytes) {
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&result));
      if (more) {
        WriteStored(result.row(), result, out);
        ++rows;
      }
    }
    out->SetMore(more, rows);
    return Status::Ok();
  };
  BytesWriter out;
  const Status status = read(&out);
  if (status.ok()) {
    instance->taken() = out.Take();
  }
  return Outcome(instance, status);
}

Status Write(Table* table, Mutation mutation) {
  return std::visit(
      [table]<typename M>(M& one) -> Status {
        if constexpr (std::is_same_v<M, Put>) {
          return table->Put(one);
        } else if constexpr (std::is_same_v<M, Delete>) {
          return table->Delete(one);
        } else if constexpr (std::is_same_v<M, Increment>) {
          return table->Increment(one).status();
        } else {
          return table->Append(one).status();
        }
      },
      mutation);
}

// i32 mutate(table, table_len, row, row_len): in preBatchMutate an additional change in the commit, else a separate
// write.
Expected<int64_t> Mutate(Instance* instance, Parameters parameters) {
  const std::string table(parameters.Bytes());
  const std::string_view bytes = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  KLIP_ASSIGN_OR_RETURN(Mutation mutation, ReadMutation(bytes));
  CallTarget& target = *instance->target();
  if (target.batch != nullptr && IsLocked(target)) {
    return Outcome(instance, target.batch->Add(table, std::move(mutation)));
  }
  if (IsLocked(target)) {
    return Outcome(instance, OnlyWithoutLocks("a write"));
  }
  const Expected<std::unique_ptr<Table>> to = target.context->GetTable(table);
  return Outcome(instance, to.ok() ? Write(to->get(), std::move(mutation)) : to.status());
}

size_t CountOf(const CallTarget& target) {
  if (target.batch != nullptr) {
    return target.batch->mutations().size();
  }
  return target.scanned != nullptr ? target.scanned->rows.size() : target.change != nullptr ? 1 : 0;
}

// Errors: no such mutation or row, or it is too late.
Status CheckIndex(const CallTarget& target, uint32_t index) {
  if (const size_t count = CountOf(target); index >= count) {
    return {Code::kDoNotRetry, "mutation " + std::to_string(index) + " of " + std::to_string(count)};
  }
  return target.early || target.scanned != nullptr
             ? Status::Ok()
             : Status(Code::kUnsupported, "a mutation can only be changed before it is written");
}

// i32 replace(index, row, row_len): replaces the cells of a mutation, or of a row of a scan.
Expected<int64_t> Replace(Instance* instance, Parameters parameters) {
  const auto index = static_cast<uint32_t>(parameters.Number());
  const std::string_view bytes = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  const CallTarget& target = *instance->target();
  if (const Status status = CheckIndex(target, index); !status.ok()) {
    return Outcome(instance, status);
  }
  if (target.scanned != nullptr) {
    KLIP_RETURN_IF_ERROR(ReplaceStored(bytes, &target.scanned->rows[index]));
    return 0;
  }
  Mutation* const mutation = target.batch != nullptr ? target.batch->Edit(index) : target.change->Edit();
  if (mutation == nullptr) {
    return Outcome(instance, {Code::kUnsupported, "replicated cells cannot be changed"});
  }
  KLIP_RETURN_IF_ERROR(ReplaceCells(bytes, mutation));
  return 0;
}

// i32 bypass(index): the mutation is not written, but reported as done. In a scan: the row is not returned.
Expected<int64_t> LeaveOut(Instance* instance, Parameters parameters) {
  const auto index = static_cast<uint32_t>(parameters.Number());
  const CallTarget& target = *instance->target();
  const Status status = CheckIndex(target, index);
  if (status.ok() && target.batch != nullptr) {
    target.batch->Bypass(index);
  } else if (status.ok() && target.scanned != nullptr) {
    target.scanned->left_out[index] = true;
  } else if (status.ok()) {
    target.change->Bypass();
  }
  return Outcome(instance, status);
}

// answer(bytes, len): of an endpoint; or a row of kind 4: of a get, an increment, an append.
Expected<int64_t> Answer(Instance* instance, Parameters parameters) {
  const std::string_view bytes = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  instance->target()->answer = bytes;
  instance->target()->answered = true;
  return 0;
}

// fail(text, len): the reason why the hook returns another number than 0.
Expected<int64_t> Fail(Instance* instance, Parameters parameters) {
  const std::string_view text = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  instance->failure() = text.substr(0, kMostLogBytes);
  return 0;
}

// i32 setting(key, key_len): 0: take its value; 1: not set.
Expected<int64_t> Setting(Instance* instance, Parameters parameters) {
  const std::string_view key = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  const auto& settings = instance->module().spec().settings;
  const auto found = settings.find(key);
  if (found == settings.end()) {
    instance->taken().clear();
    return 1;
  }
  instance->taken() = found->second;
  return 0;
}

// i32 size(): the size of what may be taken.
Expected<int64_t> Size(
    Instance* instance,
    Parameters /*parameters*/) {  // NOLINT(performance-unnecessary-value-param): the type of all of them
  return static_cast<int64_t>(instance->taken().size());
}

// take(address): writes it there.
Expected<int64_t> Take(Instance* instance, Parameters parameters) {
  KLIP_RETURN_IF_ERROR(instance->Write(parameters.Number(), instance->taken()));
  return 0;
}

// log(text, len): writes a line to standard error; at most 10 per call.
Expected<int64_t> LogLine(Instance* instance, Parameters parameters) {
  const std::string_view text = parameters.Bytes();
  KLIP_RETURN_IF_ERROR(parameters.status());
  if (instance->MayLog()) {
    const ModuleSpec& spec = instance->module().spec();
    const std::string line = "klip: module " + spec.name + " of table " + spec.table + ": " +
                             ToStringBinary(text.substr(0, kMostLogBytes)) + "\n";
    std::fputs(line.c_str(), stderr);
  }
  return 0;
}

// metric(name, name_len, add): adds to a counter in /metrics.
Expected<int64_t> Metric(Instance* instance, Parameters parameters) {
  const std::string name(parameters.Bytes());
  const int64_t add = parameters.LongNumber();
  KLIP_RETURN_IF_ERROR(parameters.status());
  KLIP_RETURN_IF_ERROR(instance->module().Count(name, add));
  return 0;
}

// i64 now(): milliseconds since 1970.
Expected<int64_t> Now(Instance* /*instance*/,
                      Parameters /*parameters*/) {  // NOLINT(performance-unnecessary-value-param)
  return base::SystemMs();
}

struct HostFunction {
  std::string_view name;
  std::string_view parameters;  // i: i32, I: i64
  std::string_view result;      // the same, or nothing
  Expected<int64_t> (*run)(Instance*, Parameters);
};

constexpr std::array<HostFunction, 13> kFunctions = {{{"get", "iiii", "i", GetRow},
                                                      {"scan", "iiiiiii", "i", ScanRows},
                                                      {"mutate", "iiii", "i", Mutate},
                                                      {"replace", "iii", "i", Replace},
                                                      {"bypass", "i", "i", LeaveOut},
                                                      {"answer", "ii", "", Answer},
                                                      {"fail", "ii", "", Fail},
                                                      {"setting", "ii", "i", Setting},
                                                      {"size", "", "i", Size},
                                                      {"take", "i", "", Take},
                                                      {"log", "ii", "", LogLine},
                                                      {"metric", "iiI", "", Metric},
                                                      {"now", "", "I", Now}}};

// False in a start function, which has no operation.
bool NeedsOperation(const HostFunction& function) {
  return function.name != "now" && function.name != "log" && function.name != "setting" && function.name != "size" &&
         function.name != "take" && function.name != "metric" && function.name != "fail";
}

ValueTypes TypesOf(const Api& api, std::string_view letters) {
  std::vector<ValueType*> types;
  for (const char letter : letters) {
    types.push_back(api.wasm_valtype_new(static_cast<uint8_t>(letter == 'i' ? kI32 : kI64)));
  }
  ValueTypes out;
  api.wasm_valtype_vec_new(&out, types.size(), types.data());
  return out;
}

// For the callbacks: the function, and how to get the instance from the library.
struct HostEnvironment {
  const HostFunction* function = nullptr;
  const Api* api = nullptr;
};

Trap* RunHostFunction(void* environment, CallerOfHost* caller, RawValue* values, size_t /*count*/) {
  const auto& [function, api] = *static_cast<const HostEnvironment*>(environment);
  auto* const instance = static_cast<Instance*>(api->wasmtime_context_get_data(api->wasmtime_caller_context(caller)));
  const Expected<int64_t> value = instance->target() == nullptr && NeedsOperation(*function)
                                      ? Status(Code::kDoNotRetry, "called outside a hook")
                                      : function->run(instance, Parameters(instance, values));
  if (!value.ok()) {
    const std::string text = "klip." + std::string(function->name) + ": " + value.status().message();
    return api->wasmtime_trap_new(text.data(), text.size());
  }
  if (!function->result.empty()) {
    values[0].i64 = *value;
  }
  return nullptr;
}

}  // namespace

Status DefineHostFunctions(const Runtime& runtime, Linker* linker) {
  constexpr std::string_view kModule = "klip";
  const Api& api = runtime.api();
  for (const HostFunction& function : kFunctions) {
    ValueTypes parameters = TypesOf(api, function.parameters);
    ValueTypes results = TypesOf(api, function.result);
    FunctionType* const type = api.wasm_functype_new(&parameters, &results);  // takes ownership of both
    Error* const error = api.wasmtime_linker_define_func_unchecked(
        linker, kModule.data(), kModule.size(), function.name.data(), function.name.size(), type, RunHostFunction,
        new HostEnvironment{&function, &api}, [](void* made) { delete static_cast<HostEnvironment*>(made); });
    api.wasm_functype_delete(type);
    if (error != nullptr) {
      return {Code::kInvalidArgument, runtime.TextOf(error, nullptr)};
    }
  }
  return Status::Ok();
}

}  // namespace klip::wasm
