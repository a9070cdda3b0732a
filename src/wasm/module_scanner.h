// ModuleScanner: a scan whose rows pass a module (postScannerNext), many per call, and which tells it when it is closed
// (postScannerClose).
#pragma once

#include <memory>

#include "klip/coprocessor.h"
#include "klip/table.h"
#include "wasm/module.h"

namespace klip::wasm {

// REQUIRES: the module has Hook::kPostScannerNext or Hook::kPostScannerClose.
std::unique_ptr<ResultScanner> MakeModuleScanner(std::shared_ptr<Module> module, const CoprocessorContext& context,
                                                 std::unique_ptr<ResultScanner> scanner);

}  // namespace klip::wasm
