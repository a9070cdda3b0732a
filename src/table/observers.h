// The program's own coprocessors (klip/coprocessor.h): runs observers as hooks of operations, and calls endpoints.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/view/table_view.h"
#include "klip/connection.h"
#include "klip/status.h"
#include "table/info/attached.h"
#include "table/info/hooks.h"

namespace klip::table {

// Collects what the options register. Errors: kInvalidArgument.
Expected<std::shared_ptr<Attached>> Attach(const ConnectionOptions& options);

// Gives each table its observers, before the hooks of `others`, which may be null.
HookSource ObserversBefore(std::shared_ptr<const Attached> attached, HookSource others);

// Calls the table's endpoint in one region (endpoints.cc). nullopt: no such endpoint exists. Errors: those of the
// endpoint.
Expected<std::optional<std::string>> CallEndpoint(const Attached& attached, const engine::TableView& table,
                                                  const engine::Region& region, const EndpointRequest& call);

}  // namespace klip::table
