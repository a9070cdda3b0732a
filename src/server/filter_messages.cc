// Until filter/ reads its own messages: those that mean a plain comparison.
#include "proto/Comparator.pb.h"
#include "server/read_messages.h"

namespace klip::server {

Expected<FilterPtr> ToFilter(const hbase::pb::Filter& message) {
  return Status(Code::kDoNotRetry, "klip does not have the filter " + message.name());
}

Expected<ComparatorPtr> ToComparator(const hbase::pb::Comparator& message) {
  if (message.name() == "org.apache.hadoop.hbase.filter.BinaryComparator") {
    hbase::pb::BinaryComparator comparator;
    if (!comparator.ParseFromString(message.serialized_comparator())) {
      return Status(Code::kInvalidArgument, "a BinaryComparator cannot be read");
    }
    return BinaryComparator(comparator.comparable().value());
  }
  return Status(Code::kDoNotRetry, "klip does not have the comparator " + message.name());
}

}  // namespace klip::server
