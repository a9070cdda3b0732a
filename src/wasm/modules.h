// Modules: the WebAssembly modules that the tables of one store name. The run time is loaded with the first of them.
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

// A number that a module counts itself.
struct ModuleMetric {
  std::string table;
  std::string module;
  std::string metric;
  int64_t value = 0;
};

// Thread-safe.
class Modules {
 public:
  // `runtime`: the path of its library; empty: where it usually is (FindRuntime).
  explicit Modules(std::string runtime) : runtime_path_(std::move(runtime)) {}

  // Loads what the table names, to see whether it can be used. Errors: kInvalidArgument saying what is missing or wrong.
  Status Check(const TableDescriptor& table);
  // The observers of a table, with their priorities. A module that cannot be used is there as one that refuses all calls. A file that is
  // another one than when it was loaded is loaded anew.
  std::vector<ObserverRegistration> ObserversOf(const TableDescriptor& table);
  // The module of the table that is the service: its name, and it exports call. Null: there is none. Errors: as Check.
  Expected<std::shared_ptr<Module>> EndpointOf(const TableDescriptor& table, std::string_view service);

  // Of all modules that are loaded.
  std::vector<HookCost> Costs();
  std::vector<ModuleMetric> Metrics();
  // Their names, in order.
  std::vector<std::string> Loaded();

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
      modules_;  // by table and attribute with its text; guarded by mutex_
};

}  // namespace klip::wasm
