// Changes that need a disabled table: deletion, truncation, restoring.
#pragma once

#include <functional>
#include <string_view>

#include "klip/admin.h"
#include "klip/status.h"

namespace klip::base {

// Disables the table if it is enabled, and then changes it. If that fails, the table is enabled again, unless it was disabled
// before. After a success the change has decided whether it is. Errors: those of disabling and of the change; the text says if
// the table could not be enabled again.
Status WhileDisabled(Admin* admin, std::string_view table, const std::function<Status()>& change);

}  // namespace klip::base
