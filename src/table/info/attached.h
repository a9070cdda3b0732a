// Attached: the coprocessors that a program has registered when it opened its store (klip/coprocessor.h).
#pragma once

#include <vector>

#include "klip/coprocessor.h"

namespace klip::table {

struct Attached {
  std::vector<ObserverRegistration> observers;  // by priority
  std::vector<EndpointRegistration> endpoints;
  Connection* connection = nullptr;  // of the store, which owns this; set before the first operation
};

}  // namespace klip::table
