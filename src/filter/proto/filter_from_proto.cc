// Filters from their messages.
#include <utility>
#include <vector>

#include "filter/filters/fuzzy_row_filter.h"
#include "filter/proto/filter_proto.h"
#include "filter/proto/proto_messages.h"
#include "klip/bytes.h"
#include "proto/SparkFilter.pb.h"

namespace klip::filter {
namespace {

namespace pb = hbase::pb;

using FilterReader = Expected<FilterPtr> (*)(std::string_view name, std::string_view bytes, int depth);

template <typename Fields>
std::vector<std::string> StringsOf(const Fields& fields) {
  return {fields.begin(), fields.end()};
}

template <typename Message, FilterPtr (*kMake)()>
Expected<FilterPtr> ReadPlain(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_RETURN_IF_ERROR(ReadMessage<Message>(name, bytes).status());
  return kMake();
}

// RowFilter and similar ones. Without a comparator, HBase would fail on the first row.
template <typename Message, FilterPtr (*kMake)(CompareOp, ComparatorPtr)>
Expected<FilterPtr> ReadCompare(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const Message message, ReadMessage<Message>(name, bytes));
  KLIP_ASSIGN_OR_RETURN(const CompareOp op, OpFromMessage(message.compare_filter().compare_op()));
  ComparatorPtr comparator;
  if (message.compare_filter().has_comparator()) {
    KLIP_ASSIGN_OR_RETURN(comparator, ComparatorFromMessage(message.compare_filter().comparator()));
  } else if (op != CompareOp::kNoOp) {
    return Status(Code::kDoNotRetry, std::string(name) + ": no comparator");
  }
  return kMake(op, std::move(comparator));
}

Expected<FilterPtr> ReadPrefix(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::PrefixFilter>(name, bytes));
  return message.has_prefix() ? PrefixFilter(message.prefix())
                              : FilterAllFilter();  // without a prefix, HBase passes no row
}

Expected<FilterPtr> ReadInclusiveStop(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::InclusiveStopFilter>(name, bytes));
  return InclusiveStopFilter(message.stop_row_key());
}

Expected<FilterPtr> ReadPage(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::PageFilter>(name, bytes));
  return PageFilter(message.page_size());
}

Expected<FilterPtr> ReadRandomRow(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::RandomRowFilter>(name, bytes));
  return RandomRowFilter(message.chance());
}

Expected<FilterPtr> ReadFuzzyRow(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::FuzzyRowFilter>(name, bytes));
  std::vector<FuzzyKey> keys;
  for (const pb::BytesBytesPair& pair : message.fuzzy_keys_data()) {
    keys.push_back({pair.first(), pair.second()});
  }
  return FuzzyRowFilterFromWire(std::move(keys), message.is_mask_v2());
}

Expected<FilterPtr> ReadMultiRowRange(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::MultiRowRangeFilter>(name, bytes));
  std::vector<RowRange> ranges;
  for (const pb::RowRange& range : message.row_range_list()) {
    ranges.push_back({range.start_row(), range.start_row_inclusive(), range.stop_row(), range.stop_row_inclusive()});
  }
  return MultiRowRangeFilter(std::move(ranges));
}

Expected<FilterPtr> ReadUpToQualifiers(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::FirstKeyValueMatchingQualifiersFilter>(name, bytes));
  return FirstKeyValueMatchingQualifiersFilter(StringsOf(message.qualifiers()));
}

Expected<FilterPtr> ReadKeyOnly(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::KeyOnlyFilter>(name, bytes));
  return KeyOnlyFilter(message.len_as_val());
}

Expected<FilterPtr> ReadColumnPrefix(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::ColumnPrefixFilter>(name, bytes));
  return ColumnPrefixFilter(message.prefix());
}

Expected<FilterPtr> ReadMultipleColumnPrefix(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::MultipleColumnPrefixFilter>(name, bytes));
  return MultipleColumnPrefixFilter(StringsOf(message.sorted_prefixes()));
}

Expected<FilterPtr> ReadColumnRange(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::ColumnRangeFilter>(name, bytes));
  ColumnRange range{.include_min = message.min_column_inclusive(), .include_max = message.max_column_inclusive()};
  if (message.has_min_column()) {
    range.min = message.min_column();
  }
  if (message.has_max_column()) {
    range.max = message.max_column();
  }
  return ColumnRangeFilter(std::move(range));
}

Expected<FilterPtr> ReadColumnCountGet(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::ColumnCountGetFilter>(name, bytes));
  return ColumnCountGetFilter(message.limit());
}

Expected<FilterPtr> ReadColumnPagination(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::ColumnPaginationFilter>(name, bytes));
  return message.has_column_offset() ? ColumnPaginationFilter(message.limit(), message.column_offset())
                                     : ColumnPaginationFilter(message.limit(), message.offset());
}

Expected<FilterPtr> ReadTimestamps(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::TimestampsFilter>(name, bytes));
  return TimestampsFilter({message.timestamps().begin(), message.timestamps().end()}, message.can_hint());
}

Expected<SingleColumnValue> ConditionOf(const pb::SingleColumnValueFilter& message) {
  SingleColumnValue condition{.family = message.column_family(),
                              .qualifier = message.column_qualifier(),
                              .filter_if_missing = message.filter_if_missing(),
                              .latest_version_only = message.latest_version_only()};
  KLIP_ASSIGN_OR_RETURN(condition.op, OpFromMessage(message.compare_op()));
  KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorFromMessage(message.comparator()));
  return condition;
}

Expected<FilterPtr> ReadSingleColumn(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::SingleColumnValueFilter>(name, bytes));
  KLIP_ASSIGN_OR_RETURN(SingleColumnValue condition, ConditionOf(message));
  return SingleColumnValueFilter(std::move(condition));
}

Expected<FilterPtr> ReadSingleColumnExclude(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::SingleColumnValueExcludeFilter>(name, bytes));
  KLIP_ASSIGN_OR_RETURN(SingleColumnValue condition, ConditionOf(message.single_column_value_filter()));
  return SingleColumnValueExcludeFilter(std::move(condition));
}

Expected<FilterPtr> ReadColumnValue(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::ColumnValueFilter>(name, bytes));
  KLIP_ASSIGN_OR_RETURN(const CompareOp op, OpFromMessage(message.compare_op()));
  KLIP_ASSIGN_OR_RETURN(ComparatorPtr comparator, ComparatorFromMessage(message.comparator()));
  return ColumnValueFilter(message.family(), message.qualifier(), op, std::move(comparator));
}

Expected<FilterPtr> ReadDependent(std::string_view name, std::string_view bytes, int /*depth*/) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::DependentColumnFilter>(name, bytes));
  DependentColumn condition{.family = message.column_family(),
                            .qualifier = message.column_qualifier(),
                            .drop_column = message.drop_dependent_column()};
  KLIP_ASSIGN_OR_RETURN(condition.op, OpFromMessage(message.compare_filter().compare_op()));
  if (message.compare_filter().has_comparator()) {
    KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorFromMessage(message.compare_filter().comparator()));
  }
  return DependentColumnFilter(std::move(condition));
}

Expected<FilterPtr> ReadList(std::string_view name, std::string_view bytes, int depth) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::FilterList>(name, bytes));
  std::vector<FilterPtr> filters;
  for (const pb::Filter& member : message.filters()) {
    KLIP_ASSIGN_OR_RETURN(filters.emplace_back(), FilterFromMessage(member, depth + 1));
  }
  return FilterList(static_cast<ListOperator>(message.operator_()), std::move(filters));
}

template <typename Message, FilterPtr (*kMake)(FilterPtr)>
Expected<FilterPtr> ReadWrapper(std::string_view name, std::string_view bytes, int depth) {
  KLIP_ASSIGN_OR_RETURN(const Message message, ReadMessage<Message>(name, bytes));
  KLIP_ASSIGN_OR_RETURN(FilterPtr inner, FilterFromMessage(message.filter(), depth + 1));
  return kMake(std::move(inner));
}

Expected<FilterPtr> ReadSparkSql(std::string_view name, std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const auto message, ReadMessage<pb::SQLPredicatePushDownFilter>(name, bytes));
  SparkSqlCondition condition{.expression = message.dynamic_logic_expression(),
                              .values = StringsOf(message.value_from_query_array()),
                              .columns = {},
                              .encoder = message.encoderclassname()};
  for (const pb::SQLPredicatePushDownCellToColumnMapping& column : message.cell_to_column_mapping()) {
    condition.columns.push_back({column.column_family(), column.qualifier(), column.column_name()});
  }
  return SparkSQLPushDownFilter(std::move(condition));
}

// HBase's wrapper around every filter; it adds nothing.
FilterPtr Unwrapped(FilterPtr filter) { return filter; }

constexpr std::pair<std::string_view, FilterReader> kFilterReaders[] = {
    {"ColumnCountGetFilter", ReadColumnCountGet},
    {"ColumnPaginationFilter", ReadColumnPagination},
    {"ColumnPrefixFilter", ReadColumnPrefix},
    {"ColumnRangeFilter", ReadColumnRange},
    {"ColumnValueFilter", ReadColumnValue},
    {"DependentColumnFilter", ReadDependent},
    {"FamilyFilter", ReadCompare<pb::FamilyFilter, FamilyFilter>},
    {"FilterAllFilter", ReadPlain<pb::FilterAllFilter, FilterAllFilter>},
    {"FilterList", ReadList},
    {"FilterWrapper", ReadWrapper<pb::FilterWrapper, Unwrapped>},
    {"FirstKeyOnlyFilter", ReadPlain<pb::FirstKeyOnlyFilter, FirstKeyOnlyFilter>},
    {"FirstKeyValueMatchingQualifiersFilter", ReadUpToQualifiers},
    {"FuzzyRowFilter", ReadFuzzyRow},
    {"InclusiveStopFilter", ReadInclusiveStop},
    {"KeyOnlyFilter", ReadKeyOnly},
    {"MultiRowRangeFilter", ReadMultiRowRange},
    {"MultipleColumnPrefixFilter", ReadMultipleColumnPrefix},
    {"PageFilter", ReadPage},
    {"PrefixFilter", ReadPrefix},
    {"QualifierFilter", ReadCompare<pb::QualifierFilter, QualifierFilter>},
    {"RandomRowFilter", ReadRandomRow},
    {"RowFilter", ReadCompare<pb::RowFilter, RowFilter>},
    {"SingleColumnValueExcludeFilter", ReadSingleColumnExclude},
    {"SingleColumnValueFilter", ReadSingleColumn},
    {"SkipFilter", ReadWrapper<pb::SkipFilter, SkipFilter>},
    {"TimestampsFilter", ReadTimestamps},
    {"ValueFilter", ReadCompare<pb::ValueFilter, ValueFilter>},
    {"WhileMatchFilter", ReadWrapper<pb::WhileMatchFilter, WhileMatchFilter>},
};

Expected<FilterPtr> Read(std::string_view class_name, std::string_view bytes, int depth) {
  if (depth > kMaxFilterDepth) {
    return Status(Code::kDoNotRetry, "filters nested deeper than " + std::to_string(kMaxFilterDepth));
  }
  if (class_name.starts_with(kJavaPackage)) {
    const std::string_view name = class_name.substr(kJavaPackage.size());
    for (const auto& [known, read] : kFilterReaders) {
      if (name == known) {
        return read(name, bytes, depth);
      }
    }
  }
  if (class_name == kSparkFilter) {
    return ReadSparkSql(class_name, bytes);
  }
  return Status(Code::kDoNotRetry, "java.lang.ClassNotFoundException: filter " + ToStringBinary(class_name));
}

}  // namespace

Expected<FilterPtr> FilterFromMessage(const pb::Filter& message, int depth) {
  return Read(message.name(), message.serialized_filter(), depth);
}

Expected<FilterPtr> FilterFromProto(std::string_view class_name, std::string_view bytes) {
  return Read(class_name, bytes, 0);
}

}  // namespace klip::filter
