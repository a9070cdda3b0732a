// Filters and comparators of messages.
#include "filter/proto/filter_proto.h"
#include "server/messages/read_messages.h"

namespace klip::server {

Expected<FilterPtr> ToFilter(const hbase::pb::Filter& message) {
  return filter::FilterFromProto(message.name(), message.serialized_filter());
}

Expected<ComparatorPtr> ToComparator(const hbase::pb::Comparator& message) {
  return filter::ComparatorFromProto(message.name(), message.serialized_comparator());
}

}  // namespace klip::server
