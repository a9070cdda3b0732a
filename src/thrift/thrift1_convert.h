// Converts HBase's first Thrift interface to and from klip's types. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/admin.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "thrift/errors.h"
#include "thrift1/thrift1_types.h"

namespace klip::thrift {

// --- Errors: of calls that declare IllegalArgument, and of those that do not ---

inline void CheckArguments(const Status& status) { ThrowUnlessOk<thrift1::IOError, thrift1::IllegalArgument>(status); }
inline void Check(const Status& status) { ThrowUnlessOk<thrift1::IOError, BadArgument>(status); }

template <typename T>
T CheckArguments(Expected<T> value) {
  CheckArguments(value.status());
  return *std::move(value);
}
template <typename T>
T Check(Expected<T> value) {
  Check(value.status());
  return *std::move(value);
}

// --- Columns ---

// "f:q", "f:" (the empty qualifier), or "f" for the whole family.
ColumnSpec ParseColumn(std::string_view column);
std::vector<ColumnSpec> ParseColumns(const std::vector<std::string>& columns);

// --- Tables ---

// Errors: kInvalidArgument: no name, or a compression or bloom filter that HBase does not have.
Expected<FamilyDescriptor> FamilyFrom(const thrift1::ColumnDescriptor& column);
thrift1::ColumnDescriptor ColumnDescriptorOf(const FamilyDescriptor& family);

// --- Rows ---

void AppendRow(const Result& result, bool sort_columns, std::vector<thrift1::TRowResult>* rows);
void AppendCells(const Result& result, std::vector<thrift1::TCell>* cells);

// --- Writes ---

// The changes of a row by a sequence of Mutations: a delete and a put, either of which may be empty.
struct RowChange {
  Delete del;
  Put put;
};

// The mutations of one row. HBase rejects a put of a whole family in a batch, and ignores it in a call for one row:
// `families_are_errors` decides. Errors: kInvalidArgument.
Expected<RowChange> RowChangeFrom(const std::string& row, const std::vector<thrift1::Mutation>& mutations,
                                  int64_t timestamp_ms, const thrift1::Attributes& attributes,
                                  bool families_are_errors);

}  // namespace klip::thrift
