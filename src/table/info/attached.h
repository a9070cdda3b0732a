// Attached: the coprocessors that a program registered when it opened its store (klip/coprocessor.h), and the modules
// that its tables name.
#pragma once

#include <memory>
#include <vector>

#include "klip/coprocessor.h"
#include "wasm/modules.h"

namespace klip::table {

struct Attached {
  std::vector<ObserverRegistration> observers;  // by priority
  std::vector<EndpointRegistration> endpoints;
  std::shared_ptr<wasm::Modules> modules = nullptr;  // null: tables do not load modules
  Connection* connection = nullptr;                  // of the store, which owns this; set before the first operation
};

}  // namespace klip::table
