// Reads and writes one row for a client: shared by Get, Mutate and Multi.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/log/nonce.h"
#include "klip/mutation.h"
#include "klip/table.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"
#include "server/node/node.h"

namespace klip::server {

// Error: WrongRegionException, after which clients look up the region again.
rpc::Error CheckRowInRegion(std::string_view row, const ServedRegion& region);
// The same for a write. Additional error: the region is a replica.
rpc::Error CheckRowToWrite(std::string_view row, const ServedRegion& region);

// Limits the scan to the region. False: the region contains nothing of it.
bool ClipToRegion(const ServedRegion& region, klip::Scan* scan);

// Answers a Get: existence in the message, cells as `output` says.
rpc::Error AnswerGet(const RegionRef& region, const hbase::pb::Get& get, const messages::CellOutput& output,
                     hbase::pb::Result* message);
// The same for hbase:meta.
rpc::Error AnswerMetaGet(Node* node, const hbase::pb::Get& get, const messages::CellOutput& output,
                         hbase::pb::Result* message);
// The same for either.
rpc::Error AnswerGet(Node* node, const hbase::pb::RegionSpecifier& region, const hbase::pb::Get& get,
                     const messages::CellOutput& output, hbase::pb::Result* message);

// Only increments and appends have one: clients also send one with some puts, which may be repeated.
engine::Nonce NonceOf(uint64_t group, const hbase::pb::MutationProto& message);

// Increments and appends whose nonce is known are not executed again: their current cells are the result. REQUIRES: there
// is a mutation.
rpc::Error MutateRow(Node* node, table::EmbeddedTable& table, const RowMutations& mutations, const engine::Nonce& nonce,
                     Result* result);

// The same for those with a condition, which is evaluated each time. As in HBase, the answer is false if the first
// execution made the condition false.
rpc::Error CheckAndMutateRow(Node* node, table::EmbeddedTable& table, const hbase::pb::Condition& condition,
                             RowMutations mutations, const engine::Nonce& nonce, CheckAndMutateResult* result);

}  // namespace klip::server
