#include "table/row_mutations.h"

#include <string>

#include "klip/bytes.h"

namespace klip::table {

Status CheckMutations(const TableInfo& info, const Limits& limits, const RowMutations& mutations) {
  KLIP_RETURN_IF_ERROR(CheckRow(mutations.row));
  for (const Mutation& mutation : mutations.mutations) {
    const std::string& row = RowOf(mutation);
    if (row != mutations.row) {
      return {Code::kWrongRow, "The row in the recently added Mutation <" + ToStringBinary(row) +
                                   "> doesn't match the original one <" + ToStringBinary(mutations.row) + ">"};
    }
    KLIP_RETURN_IF_ERROR(CheckMutation(info, limits, mutation));
  }
  return Status::Ok();
}

Status AddMutations(const WriteStep& step, const RowMutations& mutations, Result* result) {
  for (const Mutation& mutation : mutations.mutations) {
    KLIP_RETURN_IF_ERROR(AddMutation(step, mutation, result));
  }
  return Status::Ok();
}

Durability StrongestOf(const TableInfo& info, const RowMutations& mutations) {
  Durability strongest = Durability::kSkipWal;
  for (const Mutation& mutation : mutations.mutations) {
    strongest = Stronger(strongest, info.Resolve(DurabilityOf(mutation)));
  }
  return strongest;
}

}  // namespace klip::table
