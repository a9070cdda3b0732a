// Health: the requirements of the WebAssembly modules of a store's tables.
#include <algorithm>
#include <string>
#include <vector>

#include "base/coprocessor_spec.h"
#include "cli/console.h"
#include "cli/health.h"
#include "wasm/modules.h"
#include "wasm/runtime.h"

namespace klip::cli {

void CheckModules(const std::vector<TableDescriptor>& tables, const std::string& wasm_runtime, Findings* findings) {
  std::vector<const TableDescriptor*> with_modules;
  for (const TableDescriptor& table : tables) {
    if (std::ranges::any_of(base::CoprocessorSpecsOf(table), &base::CoprocessorSpec::is_module)) {
      with_modules.push_back(&table);
    }
  }
  if (with_modules.empty()) {
    return;
  }
  const Expected<std::string> runtime = wasm::FindRuntime(wasm_runtime);
  const bool there = runtime.ok();
  findings->push_back({"wasm runtime", there ? Health::kOk : Health::kFail,
                       there ? *runtime : runtime.status().message(),
                       there ? "" : "pip install wasmtime, or give klip serve and klip doctor --wasm-runtime"});
  if (!there) {
    return;
  }
  wasm::Modules modules(*runtime);
  for (const TableDescriptor* const table : with_modules) {
    const Status status = modules.Check(*table);
    findings->push_back({"wasm modules", status.ok() ? Health::kOk : Health::kFail,
                         status.ok() ? fmt::format("the modules of table {} are valid", table->name) : status.message(),
                         status.ok() ? ""
                                     : fmt::format("put the file back, or in klip shell: alter '{}', METHOD => "
                                                   "'table_att_unset', NAME => the attribute",
                                                   table->name)});
  }
}

}  // namespace klip::cli
