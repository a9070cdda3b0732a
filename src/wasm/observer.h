// A module as an observer and an endpoint of klip/coprocessor.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "klip/coprocessor.h"
#include "klip/status.h"
#include "wasm/module.h"

namespace klip::wasm {

std::shared_ptr<Observer> MakeObserver(std::shared_ptr<Module> module);
// For a module that cannot be used: fails all reads and writes with `why`, since only the module knows what should
// happen.
std::shared_ptr<Observer> MakeRefusingObserver(Status why);
// REQUIRES: module->Has(Hook::kCall).
Expected<std::string> CallModule(Module* module, EndpointContext& context, std::string_view method,
                                 std::string_view request);

}  // namespace klip::wasm
