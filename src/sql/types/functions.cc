#include "sql/types/functions.h"

#include "sql/types/codec.h"

namespace klip::sql {

bool IsFunction(std::string_view /*name*/) { return false; }

Expected<std::unique_ptr<BoundFunction>> BindFunction(std::string_view name,
                                                      std::span<const FunctionArgument> /*arguments*/) {
  return SqlError(6001, "42F01", "Function undefined. functionName=[" + std::string(name) + "]");
}

}  // namespace klip::sql
