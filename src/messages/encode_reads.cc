#include <string>

#include "filter/proto/filter_proto.h"
#include "messages/encode.h"

namespace klip::messages {
namespace {

void FillTimeRange(const TimeRange& range, hbase::pb::TimeRange* message) {
  message->set_from(static_cast<uint64_t>(range.min_ms));
  message->set_to(static_cast<uint64_t>(range.max_ms));
}

Status FillFilter(const Filter& filter, hbase::pb::Filter* message) {
  KLIP_ASSIGN_OR_RETURN(filter::JavaObject object, filter::FilterToProto(filter));
  message->set_name(std::move(object.class_name));
  message->set_serialized_filter(std::move(object.bytes));
  return Status::Ok();
}

// Fields of both Get and Scan.
template <typename Read, typename Message>
Status FillRead(const Read& read, Message* message) {
  for (const ColumnSpec& column : read.columns) {
    const int last = message->column_size() - 1;
    hbase::pb::Column* family = last >= 0 && message->column(last).family() == column.family &&
                                        message->column(last).qualifier_size() > 0 && column.qualifier.has_value()
                                    ? message->mutable_column(last)
                                    : message->add_column();
    family->set_family(column.family);
    if (column.qualifier.has_value()) {
      family->add_qualifier(*column.qualifier);
    }
  }
  if (read.time_range != TimeRange()) {
    FillTimeRange(read.time_range, message->mutable_time_range());
  }
  for (const auto& [family, range] : read.family_time_ranges) {
    hbase::pb::ColumnFamilyTimeRange* of_family = message->add_cf_time_range();
    of_family->set_column_family(family);
    FillTimeRange(range, of_family->mutable_time_range());
  }
  AddAttributes(read.attributes, message);
  message->set_max_versions(static_cast<uint32_t>(read.max_versions));
  message->set_cache_blocks(read.cache_blocks);
  if (read.consistency == Consistency::kTimeline) {
    message->set_consistency(hbase::pb::TIMELINE);
  }
  message->set_load_column_families_on_demand(false);  // it changes what filters see, and reversed scans reject it
  if (read.max_results_per_family >= 0) {
    message->set_store_limit(static_cast<uint32_t>(read.max_results_per_family));
  }
  if (read.row_offset_per_family > 0) {
    message->set_store_offset(static_cast<uint32_t>(read.row_offset_per_family));
  }
  return read.filter == nullptr ? Status() : FillFilter(*read.filter, message->mutable_filter());
}

hbase::pb::CompareType ToCompareType(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
      return hbase::pb::LESS;
    case CompareOp::kLessOrEqual:
      return hbase::pb::LESS_OR_EQUAL;
    case CompareOp::kEqual:
      return hbase::pb::EQUAL;
    case CompareOp::kNotEqual:
      return hbase::pb::NOT_EQUAL;
    case CompareOp::kGreaterOrEqual:
      return hbase::pb::GREATER_OR_EQUAL;
    case CompareOp::kGreater:
      return hbase::pb::GREATER;
    case CompareOp::kNoOp:
      return hbase::pb::NO_OP;
  }
  return hbase::pb::NO_OP;
}

}  // namespace

Status FillGet(const Get& get, hbase::pb::Get* message) {
  message->set_row(get.row);
  if (get.check_existence_only) {
    message->set_existence_only(true);
  }
  return FillRead(get, message);
}

Status FillScan(const Scan& scan, hbase::pb::Scan* message) {
  KLIP_RETURN_IF_ERROR(FillRead(scan, message));
  message->set_reversed(scan.reversed);
  if (scan.batch > 0) {
    message->set_batch_size(static_cast<uint32_t>(scan.batch));
  }
  if (scan.allow_partial_results) {
    message->set_allow_partial_results(true);
  }
  if (scan.raw) {
    AddAttribute(kRawAttribute, "\xFF", message);
  }
  return Status::Ok();
}

Status FillCondition(std::string_view row, const RowCondition& condition, hbase::pb::Condition* message) {
  message->set_row(row.data(), row.size());
  if (condition.time_range != TimeRange()) {
    FillTimeRange(condition.time_range, message->mutable_time_range());
  }
  if (condition.filter != nullptr) {
    return FillFilter(*condition.filter, message->mutable_filter());
  }
  message->set_family(condition.family);
  message->set_qualifier(condition.qualifier);
  message->set_compare_type(ToCompareType(condition.op));
  const ComparatorPtr comparator =
      condition.comparator != nullptr ? condition.comparator : BinaryComparator(condition.value);
  KLIP_ASSIGN_OR_RETURN(filter::JavaObject object, filter::ComparatorToProto(*comparator));
  message->mutable_comparator()->set_name(std::move(object.class_name));
  message->mutable_comparator()->set_serialized_comparator(std::move(object.bytes));
  return Status::Ok();
}

void FillCell(const Cell& cell, hbase::pb::Cell* message) {
  message->set_row(cell.row.data(), cell.row.size());
  message->set_family(cell.family.data(), cell.family.size());
  message->set_qualifier(cell.qualifier.data(), cell.qualifier.size());
  message->set_timestamp(static_cast<uint64_t>(cell.timestamp_ms));
  message->set_cell_type(static_cast<hbase::pb::CellType>(cell.type));
  message->set_value(cell.value.data(), cell.value.size());
}

void FillResult(const Result& result, const CellOutput& output, hbase::pb::Result* message) {
  if (output.codec == rpc::CellCodec::kNone) {
    for (const Cell& cell : result) {
      FillCell(cell, message->add_cell());
    }
    message->set_stale(false);
    message->set_partial(false);
    return;
  }
  message->set_associated_cell_count(static_cast<int32_t>(result.size()));
  if (!result.empty()) {
    message->set_stale(false);
  }
  for (const Cell& cell : result) {
    rpc::AppendCell(cell, output.codec, output.block);
  }
}

}  // namespace klip::messages
