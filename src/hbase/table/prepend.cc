// Table::Prepend with calls that every HBase has: reads the first row, and takes the key before it with a CheckAndMutate.
#include <algorithm>

#include "hbase/table/remote_table.h"
#include "klip/bytes.h"

namespace klip::client {

Expected<uint64_t> RemoteTable::Prepend(const klip::Prepend& prepend) {
  const bool has_check_column = std::ranges::any_of(prepend.columns, [&](const klip::Put::Column& column) {
    return column.family == prepend.family && column.qualifier == prepend.qualifier;
  });
  if (!has_check_column) {
    return Status(Code::kInvalidArgument, "the check column " + prepend.family + ":" +
                                              ToStringBinary(prepend.qualifier) +
                                              " is not among the columns to insert");
  }
  uint64_t key = prepend.last_key;
  KLIP_ASSIGN_OR_RETURN(const Result first, FirstRow());
  if (!first.empty()) {
    if (first.row().size() != sizeof(uint64_t)) {
      return Status(Code::kInvalidArgument, "the first row of table '" + name_ + "', '" + ToStringBinary(first.row()) +
                                                "', is not an 8-byte key: nothing can be put before it");
    }
    const auto lowest = ReadBigEndian<uint64_t>(first.row().data());
    if (lowest == 0) {
      return Status(Code::kInvalidArgument, "the first row of table '" + name_ + "' has key 0: none can go before it");
    }
    key = std::min(key, lowest - 1);
  }
  // Other clients may have taken the key meanwhile.
  for (;; --key) {
    klip::CheckAndMutate insert;
    insert.row = BigEndian(key);
    insert.condition = RowCondition::IfNotExists(prepend.family, prepend.qualifier);
    insert.action = klip::Put{.row = insert.row, .columns = prepend.columns, .durability = prepend.durability};
    KLIP_ASSIGN_OR_RETURN(const CheckAndMutateResult outcome, CheckAndMutate(insert));
    if (outcome.success) {
      return key;
    }
    if (key == 0) {
      return Status(Code::kInvalidArgument, "table '" + name_ + "' has a row of key 0: none can go before it");
    }
  }
}

}  // namespace klip::client
