// Modules: the WebAssembly modules of the tables of one store. The first of them loads the runtime.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/coprocessor_spec.h"
#include "klip/admin.h"
#include "klip/coprocessor.h"
#include "klip/status.h"
#include "wasm/module.h"

namespace klip::wasm {

// Errors: kInvalidArgument naming the attribute.
Expected<ModuleSpec> ParseModuleSpec(const std::string& table, const base::CoprocessorSpec& text);

// A counter of a module.
struct ModuleMetric {
  std::string table;
  std::string module;
  std::string metric;
  int64_t value = 0;
};

// Thread-safe.
class Modules {
 public:
  // `runtime`: the path of its library; empty: the usual places (FindRuntime).
  explicit Modules(std::string runtime) : runtime_path_(std::move(runtime)) {}

  // Loads a table's modules as a check. Errors: kInvalidArgument saying what is missing or wrong.
  Status Check(const TableDescriptor& table);
  // The observers of a table, with their priorities. An unusable module is represented by one that refuses all calls. A
  // file that has changed since it was loaded is loaded again.
  std::vector<ObserverRegistration> ObserversOf(const TableDescriptor& table);
  // The table's module that provides the service: it has that name and exports call. Null: none. Errors: as Check.
  Expected<std::shared_ptr<Module>> EndpointOf(const TableDescriptor& table, std::string_view service);

  // The costs of all loaded modules.
  std::vector<HookCost> Costs();
  std::vector<ModuleMetric> Metrics();
  // Their names, in order.
  std::vector<std::string> Loaded();
  // The tables that refuse all operations since a module cannot be loaded, and why.
  std::map<std::string, std::string> NotLoaded();

 private:
  struct Entry {
    std::filesystem::file_time_type written;
    std::shared_ptr<Module> module;
  };

  Expected<std::shared_ptr<Module>> Load(const std::string& table, const base::CoprocessorSpec& text);
  Expected<std::shared_ptr<Runtime>> LoadRuntime();
  void ForgetOthers(const std::string& table, const std::vector<base::CoprocessorSpec>& specs);
  std::vector<std::shared_ptr<Module>> All();

  const std::string runtime_path_;
  std::mutex mutex_;
  std::shared_ptr<Runtime> runtime_;  // guarded by mutex_
  std::map<std::pair<std::string, std::string>, Entry>
      modules_;                                    // by table and attribute with its text; guarded by mutex_
  std::map<std::string, std::string> not_loaded_;  // table -> why; guarded by mutex_
};

}  // namespace klip::wasm
