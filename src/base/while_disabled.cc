#include "base/while_disabled.h"

#include <string>

namespace klip::base {

Status WhileDisabled(Admin* admin, std::string_view table, const std::function<Status()>& change) {
  const Status disabled = admin->DisableTable(table);
  if (!disabled.ok() && disabled.code() != Code::kTableNotEnabled) {
    return disabled;
  }
  const Status changed = change();
  if (changed.ok() || !disabled.ok()) {
    return changed;
  }
  const Expected<bool> still_there = admin->IsTableEnabled(table);
  const Status again = still_there.ok() && !*still_there ? admin->EnableTable(table) : still_there.status();
  return again.ok()
             ? changed
             : Status(changed.code(), changed.message() + "; '" + std::string(table) +
                                          "' may still be disabled, enable it in klip shell: " + again.message());
}

}  // namespace klip::base
