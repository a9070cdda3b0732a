// Operations and results from HBase's messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "messages/attribute_names.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"

namespace klip::messages {

// Errors: kInvalidArgument, kDoNotRetry for filters and comparators that klip does not have.
Expected<FilterPtr> ToFilter(const hbase::pb::Filter& message);
Expected<ComparatorPtr> ToComparator(const hbase::pb::Comparator& message);

Expected<Get> ToGet(const hbase::pb::Get& message);
// All of it, except the range of rows within a region, and the limits of one call.
Expected<Scan> ToScan(const hbase::pb::Scan& message);
Expected<RowCondition> ToCondition(const hbase::pb::Condition& message);

TimeRange ToTimeRange(const hbase::pb::TimeRange& message);

// Whether it is an increment or append.
inline bool Counts(const hbase::pb::MutationProto& message) {
  return message.mutate_type() == hbase::pb::MutationProto::INCREMENT ||
         message.mutate_type() == hbase::pb::MutationProto::APPEND;
}

inline const std::string& RowOf(const Mutation& mutation) {
  return std::visit([](const auto& one) -> const std::string& { return one.row; }, mutation);
}

// Adds the message's mutation, or two of the same row, since HBase's clients may put delete markers into a Put. Always
// removes associated_cell_count cells from `cells`, so that later mutations find theirs. Errors, after which nothing was
// added: kInvalidArgument, kDoNotRetry.
Status AddMutations(const hbase::pb::MutationProto& message, rpc::CellBlockReader* cells,
                    std::vector<Mutation>* mutations);

// Appends the next `count` cells of the block: one copy of their bytes. Errors: kIoError, the block is damaged or too
// short.
Status TakeCells(rpc::CellBlockReader* block, size_t count, Result* result);

// The cells in the message, and those that it says are in the block.
Status TakeResult(const hbase::pb::Result& message, rpc::CellBlockReader* block, Result* result);

// The value of an attribute of an operation; empty if it has none of that name.
template <typename Message>
std::string_view AttributeOf(const Message& message, std::string_view name) {
  for (const hbase::pb::NameBytesPair& attribute : message.attribute()) {
    if (attribute.name() == name) {
      return attribute.value();
    }
  }
  return {};
}

// The attributes without those that the operations have as fields.
template <typename Message>
OperationAttributes AttributesOf(const Message& message) {
  OperationAttributes attributes;
  for (const hbase::pb::NameBytesPair& attribute : message.attribute()) {
    const std::string& name = attribute.name();
    if (name != kRawAttribute && name != kTtlAttribute && name != kResultsAttribute) {
      attributes[name] = attribute.value();
    }
  }
  return attributes;
}

}  // namespace klip::messages
