// Converts HBase's second Thrift interface to and from klip's types. Pure.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "klip/admin.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "thrift/errors.h"
#include "thrift2/thrift2_types.h"

namespace klip::thrift {

// As in thrift1_convert.h: for calls that declare TIllegalArgument, and for those that do not.
inline void CheckArguments2(const Status& status) {
  ThrowUnlessOk<thrift2::TIOError, thrift2::TIllegalArgument>(status);
}
inline void Check2(const Status& status) { ThrowUnlessOk<thrift2::TIOError, BadArgument>(status); }

template <typename T>
T CheckArguments2(Expected<T> value) {
  CheckArguments2(value.status());
  return *std::move(value);
}
template <typename T>
T Check2(Expected<T> value) {
  Check2(value.status());
  return *std::move(value);
}

// --- Requests. Errors: kInvalidArgument; kUnsupported for a filter as protobuf ---

Expected<Get> GetFrom(const thrift2::TGet& get);
Expected<Scan> ScanFrom(const thrift2::TScan& scan);
Put PutFrom(const thrift2::TPut& put);
Expected<Delete> DeleteFrom(const thrift2::TDelete& del);
Increment IncrementFrom(const thrift2::TIncrement& increment);
Append AppendFrom(const thrift2::TAppend& append);
Expected<RowMutations> RowMutationsFrom(const thrift2::TRowMutations& mutations);
CompareOp CompareOpFrom(thrift2::TCompareOperator::type op);

// --- Answers ---

thrift2::TResult ResultOf(const Result& result);

// --- Tables ---

std::string NameFrom(const thrift2::TTableName& name);
thrift2::TTableName TableNameOf(const std::string& name);
FamilyDescriptor FamilyFrom(const thrift2::TColumnFamilyDescriptor& family);
TableDescriptor TableFrom(const thrift2::TTableDescriptor& table);
thrift2::TTableDescriptor TableOf(const TableDescriptor& table);
Expected<std::vector<ServerName>> ServersFrom(const std::set<thrift2::TServerName>& servers);
Expected<SlowCallQuery> SlowCallQueryFrom(const std::set<thrift2::TServerName>& servers,
                                          const thrift2::TLogQueryFilter& filter);
thrift2::TOnlineLogRecord LogRecordOf(const SlowCall& call);
thrift2::TNamespaceDescriptor NamespaceOf(const NamespaceDescriptor& descriptor);

}  // namespace klip::thrift
