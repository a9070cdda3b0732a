// Reads as messages: Get, Scan, filters, conditions on the way in, results on the way out.
#pragma once

#include <string>
#include <string_view>

#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"

namespace klip::server {

// Errors: kInvalidArgument, kDoNotRetry for filters and comparators that klip does not have.
Expected<FilterPtr> ToFilter(const hbase::pb::Filter& message);
Expected<ComparatorPtr> ToComparator(const hbase::pb::Comparator& message);

Expected<klip::Get> ToGet(const hbase::pb::Get& message);
// All but the rows' range within a region, and limits of one call: see scan_service.
Expected<klip::Scan> ToScan(const hbase::pb::Scan& message);
Expected<RowCondition> ToCondition(const hbase::pb::Condition& message);

TimeRange ToTimeRange(const hbase::pb::TimeRange& message);

// The value of an attribute of an operation; empty when it has none of that name.
template <typename Message>
std::string_view AttributeOf(const Message& message, std::string_view name) {
  for (const hbase::pb::NameBytesPair& attribute : message.attribute()) {
    if (attribute.name() == name) {
      return attribute.value();
    }
  }
  return {};
}

// Where the cells of results go: into the message, or into a block beside it.
struct CellOutput {
  rpc::CellCodec codec = rpc::CellCodec::kNone;
  rpc::Buffer* block = nullptr;  // for codec != kNone
};
void FillCell(const Cell& cell, hbase::pb::Cell* message);
void FillResult(const Result& result, const CellOutput& output, hbase::pb::Result* message);

}  // namespace klip::server
