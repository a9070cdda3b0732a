// Converts the structs of klip.h to the requests of the C++ interface. Everything is copied.
//
// Errors of all: kInvalidArgument, naming the field: an invalid struct_size, a NULL with a size, an invalid enumerator.
#pragma once

#include <optional>
#include <vector>

#include "klip/arrow.h"
#include "klip/cancel.h"
#include "klip/connection.h"
#include "klip/klip.h"
#include "klip/row_key.h"
#include "klip/sql.h"
#include "klip/status.h"

namespace klip::capi {

// NULL: the defaults.
Expected<ConnectionOptions> ToOptions(const klip_options* options);

Expected<Get> ToGet(const klip_get* get);
Expected<std::vector<Get>> ToGets(const klip_get* gets, size_t count);

// What ends the scan: klip_scan.interrupted, or a call of Cancel.
Expected<CancelToken> ToToken(const klip_scan* scan);

// NULL: all rows. Reads the schema of `table` if there are conditions on key fields.
Expected<Scan> ToScan(const klip_scan* scan, const Table& table);

Expected<Mutation> ToMutation(const klip_mutation* mutation);
Expected<std::vector<Put>> ToPuts(const klip_mutation* puts, size_t count);
Expected<RowMutations> ToRowMutations(const klip_mutation* mutations, size_t count);

Expected<RowCondition> ToCondition(const klip_condition* condition);
Expected<CheckAndMutate> ToCheckAndMutate(klip_bytes row, const klip_condition* condition,
                                          const klip_mutation* mutations, size_t count);
Expected<Action> ToAction(const klip_action& action);
Expected<Prepend> ToPrepend(const klip_prepend* prepend);
Expected<AtomicBatch> ToAtomicBatch(const klip_step* steps, size_t count, int32_t durability);

Expected<std::vector<ArrowColumn>> ToArrowColumns(const klip_arrow_column* columns, size_t count);
// NULL: the defaults.
Expected<ArrowOptions> ToArrowOptions(const klip_arrow_options* options);

// Missing fields get defaults. NULL: the defaults.
Expected<klip_sql_options> ToSqlOptions(const klip_sql_options* options);
Expected<std::vector<sql::Value>> ToValues(const klip_value* values, size_t count);

// Rejects NULL data with a size.
Status CheckBytes(klip_bytes bytes, std::string_view field);

}  // namespace klip::capi
