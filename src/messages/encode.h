// Operations and results to HBase's messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/query.h"
#include "klip/status.h"
#include "messages/attribute_names.h"
#include "proto/Client.pb.h"
#include "rpc/buffer.h"
#include "rpc/cell_block.h"

namespace klip::messages {

// Names of a scan's metrics that only klip serve reports: jumps, and moves to the next cell.
inline constexpr const char* kSeeksMetric = "KLIP_SEEKS";
inline constexpr const char* kStepsMetric = "KLIP_STEPS";

// Options of a request with mutations. Nonces make increments and appends safe to repeat.
struct MutationOutput {
  uint64_t nonce = 0;                                // of an increment or append; 0: none
  rpc::Buffer* cells = nullptr;                      // receives the cells; null: they go into the message
  rpc::CellCodec codec = rpc::CellCodec::kKeyValue;  // of `cells`
};

// For a Get, Scan or mutation.
template <typename Message>
void AddAttribute(std::string_view name, std::string value, Message* message) {
  hbase::pb::NameBytesPair* attribute = message->add_attribute();
  attribute->set_name(name.data(), name.size());
  attribute->set_value(std::move(value));
}
template <typename Message>
void AddAttributes(const OperationAttributes& attributes, Message* message) {
  for (const auto& [name, value] : attributes) {
    AddAttribute(name, value, message);
  }
}

// Errors: kUnsupported for users' filters and comparators.
Status FillGet(const Get& get, hbase::pb::Get* message);
// All of it, except the range of rows within a region.
Status FillScan(const Scan& scan, hbase::pb::Scan* message);
Status FillCondition(std::string_view row, const RowCondition& condition, hbase::pb::Condition* message);

void FillMutation(const Put& put, const MutationOutput& output, hbase::pb::MutationProto* message);
void FillMutation(const Delete& del, const MutationOutput& output, hbase::pb::MutationProto* message);
void FillMutation(const Increment& increment, const MutationOutput& output, hbase::pb::MutationProto* message);
void FillMutation(const Append& append, const MutationOutput& output, hbase::pb::MutationProto* message);

inline bool NeedsNonce(const Put&) { return false; }
inline bool NeedsNonce(const Delete&) { return false; }
inline bool NeedsNonce(const Increment&) { return true; }
inline bool NeedsNonce(const Append&) { return true; }

// Where the cells of results go: into the message, or into a separate block.
struct CellOutput {
  rpc::CellCodec codec = rpc::CellCodec::kNone;
  rpc::Buffer* block = nullptr;  // for codec != kNone
};
void FillCell(const Cell& cell, hbase::pb::Cell* message);
void FillResult(const Result& result, const CellOutput& output, hbase::pb::Result* message);

}  // namespace klip::messages
