#include <algorithm>
#include <utility>

#include "filter/proto/filter_proto.h"
#include "messages/decode.h"

namespace klip::messages {
namespace {

// Fields of both Get and Scan.
template <typename Message, typename Read>
Status TakeRead(const Message& message, Read* read) {
  for (const hbase::pb::Column& column : message.column()) {
    if (column.qualifier_size() == 0) {
      read->columns.push_back({column.family()});
    }
    for (const std::string& qualifier : column.qualifier()) {
      read->columns.push_back({column.family(), qualifier});
    }
  }
  if (message.has_time_range()) {
    read->time_range = ToTimeRange(message.time_range());
  }
  for (const hbase::pb::ColumnFamilyTimeRange& range : message.cf_time_range()) {
    read->family_time_ranges[range.column_family()] = ToTimeRange(range.time_range());
  }
  read->max_versions = static_cast<int32_t>(std::min<uint32_t>(message.max_versions(), kAllVersions));
  if (message.has_store_limit()) {
    read->max_results_per_family = static_cast<int32_t>(message.store_limit());
  }
  if (message.has_store_offset()) {
    read->row_offset_per_family = static_cast<int32_t>(message.store_offset());
  }
  read->cache_blocks = message.cache_blocks();
  read->attributes = AttributesOf(message);
  if (message.has_filter()) {
    KLIP_ASSIGN_OR_RETURN(read->filter, ToFilter(message.filter()));
  }
  return Status::Ok();
}

CompareOp ToCompareOp(hbase::pb::CompareType type) {
  switch (type) {
    case hbase::pb::LESS:
      return CompareOp::kLess;
    case hbase::pb::LESS_OR_EQUAL:
      return CompareOp::kLessOrEqual;
    case hbase::pb::EQUAL:
      return CompareOp::kEqual;
    case hbase::pb::NOT_EQUAL:
      return CompareOp::kNotEqual;
    case hbase::pb::GREATER_OR_EQUAL:
      return CompareOp::kGreaterOrEqual;
    case hbase::pb::GREATER:
      return CompareOp::kGreater;
    case hbase::pb::NO_OP:
      return CompareOp::kNoOp;
  }
  return CompareOp::kNoOp;
}

}  // namespace

Expected<FilterPtr> ToFilter(const hbase::pb::Filter& message) {
  return filter::FilterFromProto(message.name(), message.serialized_filter());
}

Expected<ComparatorPtr> ToComparator(const hbase::pb::Comparator& message) {
  return filter::ComparatorFromProto(message.name(), message.serialized_comparator());
}

TimeRange ToTimeRange(const hbase::pb::TimeRange& message) {
  TimeRange range;
  if (message.has_from()) {
    range.min_ms = static_cast<int64_t>(message.from());
  }
  if (message.has_to()) {
    range.max_ms = static_cast<int64_t>(message.to());
  }
  return range;
}

Expected<Get> ToGet(const hbase::pb::Get& message) {
  Get get = {.row = message.row()};
  KLIP_RETURN_IF_ERROR(TakeRead(message, &get));
  get.check_existence_only = message.existence_only();
  return get;
}

Expected<Scan> ToScan(const hbase::pb::Scan& message) {
  Scan scan = {.start_row = message.start_row(), .stop_row = message.stop_row()};
  KLIP_RETURN_IF_ERROR(TakeRead(message, &scan));
  scan.include_start = message.include_start_row();
  scan.include_stop = message.include_stop_row();
  scan.reversed = message.reversed();
  scan.batch = static_cast<int32_t>(std::min<uint32_t>(message.batch_size(), kAllVersions));
  const std::string_view raw = AttributeOf(message, kRawAttribute);
  scan.raw = !raw.empty() && raw[0] != 0;
  if (scan.raw && !scan.columns.empty() &&
      std::any_of(scan.columns.begin(), scan.columns.end(),
                  [](const ColumnSpec& one) { return one.qualifier.has_value(); })) {
    return Status(Code::kDoNotRetry, "Cannot specify any column for a raw scan");
  }
  return scan;
}

Expected<RowCondition> ToCondition(const hbase::pb::Condition& message) {
  RowCondition condition;
  if (message.has_time_range()) {
    condition.time_range = ToTimeRange(message.time_range());
  }
  if (message.has_filter()) {
    KLIP_ASSIGN_OR_RETURN(condition.filter, ToFilter(message.filter()));
    return condition;
  }
  condition.family = message.family();
  condition.qualifier = message.qualifier();
  condition.op = ToCompareOp(message.compare_type());
  if (message.has_comparator()) {
    KLIP_ASSIGN_OR_RETURN(condition.comparator, ToComparator(message.comparator()));
    if (const std::string* bytes = condition.comparator->OrderedBytes(); bytes != nullptr) {
      condition.value = *bytes;
      condition.comparator = nullptr;
    }
  }
  return condition;
}

}  // namespace klip::messages
