#include "shell/operation_attributes.h"

#include "klip/access.h"

namespace klip::shell {

void ReadOperationAttributes(HashReader* reader, OperationAttributes* attributes) {
  reader->Read("attributes", attributes);
  if (!NIL_P(reader->At("visibility"))) {
    std::string expression;
    reader->Read("visibility", &expression);
    SetCellVisibility(expression, attributes);
  }
  if (VALUE list = reader->At("authorizations"); !NIL_P(list)) {
    const Expected<std::vector<std::string>> labels = ToByteList(list, "authorizations");
    labels.ok() ? SetAuthorizations(*labels, attributes) : reader->Fail(labels.status());
  }
  if (!NIL_P(reader->At("permissions"))) {
    std::map<std::string, std::string> permissions;
    reader->Read("permissions", &permissions);
    if (const Status set = SetCellPermissions(permissions, attributes); !set.ok()) {
      reader->Fail(set);
    }
  }
}

}  // namespace klip::shell
