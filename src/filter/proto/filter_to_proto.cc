// Filters to their messages. Sets the fields that HBase always sets.
#include <utility>

#include "filter/common/visitors.h"
#include "filter/proto/filter_proto.h"
#include "filter/proto/proto_messages.h"
#include "klip/bytes.h"
#include "proto/SparkFilter.pb.h"

namespace klip::filter {
namespace {

namespace pb = hbase::pb;

Expected<JavaObject> Write(const Filter& filter, int depth);

class FilterWriter final : public FilterVisitor {
 public:
  explicit FilterWriter(int depth) : depth_(depth) {}

  Expected<std::string> Take() { return status_.ok() ? Expected<std::string>(std::move(bytes_)) : status_; }

  void FuzzyRow(const std::vector<FuzzyKey>& keys) override;
  void MultiRowRange(const std::vector<RowRange>& ranges) override;
  void Prefix(const std::string& prefix) override {
    pb::PrefixFilter message;
    message.set_prefix(prefix);
    Set(message);
  }
  void InclusiveStop(const std::string& stop_row) override {
    pb::InclusiveStopFilter message;
    message.set_stop_row_key(stop_row);
    Set(message);
  }
  void Page(int64_t page_size) override {
    pb::PageFilter message;
    message.set_page_size(page_size);
    Set(message);
  }
  void RandomRow(float chance) override {
    pb::RandomRowFilter message;
    message.set_chance(chance);
    Set(message);
  }
  // The four messages have the same fields.
  void Compare(const Filter& /*filter*/, CompareOp op, const Comparator& comparator) override {
    pb::RowFilter message;
    SetCompare(op, &comparator, message.mutable_compare_filter());
    Set(message);
  }
  void ColumnPrefix(const std::string& prefix) override {
    pb::ColumnPrefixFilter message;
    message.set_prefix(prefix);
    Set(message);
  }
  void MultipleColumnPrefix(const std::vector<std::string>& prefixes) override {
    pb::MultipleColumnPrefixFilter message;
    for (const std::string& prefix : prefixes) {
      message.add_sorted_prefixes(prefix);
    }
    Set(message);
  }
  void ColumnRange(const klip::ColumnRange& range) override;
  void ColumnCountGet(int32_t limit) override {
    pb::ColumnCountGetFilter message;
    message.set_limit(limit);
    Set(message);
  }
  void ColumnPagination(int32_t limit, int32_t offset) override {
    pb::ColumnPaginationFilter message;
    message.set_limit(limit);
    message.set_offset(offset);
    Set(message);
  }
  void ColumnPagination(int32_t limit, const std::string& first_column) override {
    pb::ColumnPaginationFilter message;
    message.set_limit(limit);
    message.set_column_offset(first_column);
    Set(message);
  }
  void Plain(const Filter& /*filter*/) override { bytes_.clear(); }
  void FirstKeyValueMatchingQualifiers(const std::vector<std::string>& qualifiers) override {
    pb::FirstKeyValueMatchingQualifiersFilter message;
    for (const std::string& qualifier : qualifiers) {
      message.add_qualifiers(qualifier);
    }
    Set(message);
  }
  void KeyOnly(bool length_as_value) override {
    pb::KeyOnlyFilter message;
    message.set_len_as_val(length_as_value);
    Set(message);
  }
  void Timestamps(const std::vector<int64_t>& timestamps_ms, bool can_hint) override {
    pb::TimestampsFilter message;
    message.mutable_timestamps()->Add(timestamps_ms.begin(), timestamps_ms.end());
    message.set_can_hint(can_hint);
    Set(message);
  }
  void SingleColumn(const SingleColumnValue& condition, bool exclude) override;
  void ColumnValue(const std::string& family, const std::string& qualifier, CompareOp op,
                   const Comparator& comparator) override {
    pb::ColumnValueFilter message;
    message.set_family(family);
    message.set_qualifier(qualifier);
    message.set_compare_op(static_cast<pb::CompareType>(op));
    SetComparator(comparator, message.mutable_comparator());
    Set(message);
  }
  void Dependent(const DependentColumn& condition) override {
    pb::DependentColumnFilter message;
    SetCompare(condition.op, condition.comparator.get(), message.mutable_compare_filter());
    message.set_column_family(condition.family);
    message.set_column_qualifier(condition.qualifier);
    message.set_drop_dependent_column(condition.drop_column);
    Set(message);
  }
  void SparkSql(const SparkSqlCondition& condition) override;
  void List(ListOperator op, const std::vector<FilterPtr>& filters) override {
    pb::FilterList message;
    message.set_operator_(static_cast<pb::FilterList::Operator>(op));
    for (const FilterPtr& filter : filters) {
      SetFilter(*filter, message.add_filters());
    }
    Set(message);
  }
  // Both messages contain only the filter.
  void Wrapper(const Filter& /*wrapper*/, const Filter& filter) override {
    pb::SkipFilter message;
    SetFilter(filter, message.mutable_filter());
    Set(message);
  }
  void Custom(const Filter& filter) override {
    status_ = Status(Code::kUnsupported, "HBase has no filter " + ToStringBinary(filter.ToString()));
  }

 private:
  void Set(const google::protobuf::MessageLite& message) {
    if (status_.ok()) {
      bytes_ = message.SerializeAsString();
    }
  }

  void SetComparator(const Comparator& comparator, pb::Comparator* message) {
    Expected<JavaObject> object = ComparatorToProto(comparator);
    if (!object.ok()) {
      status_ = object.status();
      return;
    }
    message->set_name(std::move(object->class_name));
    message->set_serialized_comparator(std::move(object->bytes));
  }

  void SetCompare(CompareOp op, const Comparator* comparator, pb::CompareFilter* message) {
    message->set_compare_op(static_cast<pb::CompareType>(op));
    if (comparator != nullptr) {
      SetComparator(*comparator, message->mutable_comparator());
    }
  }

  void SetFilter(const Filter& filter, pb::Filter* message) {
    Expected<JavaObject> object = Write(filter, depth_ + 1);
    if (!object.ok()) {
      status_ = object.status();
      return;
    }
    message->set_name(std::move(object->class_name));
    message->set_serialized_filter(std::move(object->bytes));
  }

  int depth_;
  std::string bytes_;
  Status status_;
};

// Masks in the format of HBase's client: FF for a fixed byte, 2 for any.
void FilterWriter::FuzzyRow(const std::vector<FuzzyKey>& keys) {
  pb::FuzzyRowFilter message;
  for (const FuzzyKey& fuzzy : keys) {
    pb::BytesBytesPair* pair = message.add_fuzzy_keys_data();
    pair->set_first(fuzzy.key);
    pair->set_second(fuzzy.mask);
    for (size_t i = 0; i < fuzzy.mask.size(); ++i) {
      (*pair->mutable_second())[i] = fuzzy.mask[i] != 0 ? '\x02' : '\xff';
    }
  }
  message.set_is_mask_v2(true);
  Set(message);
}

void FilterWriter::MultiRowRange(const std::vector<RowRange>& ranges) {
  pb::MultiRowRangeFilter message;
  for (const RowRange& range : ranges) {
    pb::RowRange* out = message.add_row_range_list();
    out->set_start_row(range.start);
    out->set_start_row_inclusive(range.include_start);
    out->set_stop_row(range.stop);
    out->set_stop_row_inclusive(range.include_stop);
  }
  Set(message);
}

void FilterWriter::ColumnRange(const klip::ColumnRange& range) {
  pb::ColumnRangeFilter message;
  if (range.min.has_value()) {
    message.set_min_column(*range.min);
  }
  message.set_min_column_inclusive(range.include_min);
  if (range.max.has_value()) {
    message.set_max_column(*range.max);
  }
  message.set_max_column_inclusive(range.include_max);
  Set(message);
}

void FilterWriter::SingleColumn(const SingleColumnValue& condition, bool exclude) {
  pb::SingleColumnValueExcludeFilter message;
  pb::SingleColumnValueFilter* inner = message.mutable_single_column_value_filter();
  inner->set_column_family(condition.family);
  inner->set_column_qualifier(condition.qualifier);
  inner->set_compare_op(static_cast<pb::CompareType>(condition.op));
  SetComparator(*condition.comparator, inner->mutable_comparator());
  inner->set_filter_if_missing(condition.filter_if_missing);
  inner->set_latest_version_only(condition.latest_version_only);
  Set(exclude ? static_cast<const google::protobuf::MessageLite&>(message) : *inner);
}

void FilterWriter::SparkSql(const SparkSqlCondition& condition) {
  pb::SQLPredicatePushDownFilter message;
  message.set_dynamic_logic_expression(condition.expression);
  for (const std::string& value : condition.values) {
    message.add_value_from_query_array(value);
  }
  for (const SparkSqlColumn& column : condition.columns) {
    pb::SQLPredicatePushDownCellToColumnMapping* out = message.add_cell_to_column_mapping();
    out->set_column_family(column.family);
    out->set_qualifier(column.qualifier);
    out->set_column_name(column.name);
  }
  message.set_encoderclassname(condition.encoder);
  Set(message);
}

Expected<JavaObject> Write(const Filter& filter, int depth) {
  if (depth > kMaxFilterDepth) {
    return Status(Code::kUnsupported, "filters nested deeper than " + std::to_string(kMaxFilterDepth));
  }
  FilterWriter writer(depth);
  filter.Accept(&writer);
  KLIP_ASSIGN_OR_RETURN(std::string bytes, writer.Take());
  const bool is_spark = kSparkFilter.ends_with(filter.name());
  return JavaObject{is_spark ? std::string(kSparkFilter) : std::string(kJavaPackage).append(filter.name()),
                    std::move(bytes)};
}

}  // namespace

Expected<JavaObject> FilterToProto(const Filter& filter) { return Write(filter, 0); }

}  // namespace klip::filter
