// ModuleScanner: a scan whose rows pass a module (postScannerNext), many per call.
#pragma once

#include <memory>

#include "klip/coprocessor.h"
#include "klip/table.h"
#include "wasm/module.h"

namespace klip::wasm {

// REQUIRES: module->Has(Hook::kPostScannerNext).
std::unique_ptr<ResultScanner> MakeModuleScanner(std::shared_ptr<Module> module, const CoprocessorContext& context,
                                                 std::unique_ptr<ResultScanner> scanner);

}  // namespace klip::wasm
