// Reading and writing one row on behalf of a client: what Get, Mutate and Multi have in common.
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

// Error: WrongRegionException, after which clients look for the region anew.
rpc::Error CheckRowInRegion(std::string_view row, const ServedRegion& region);
// The same for a write. Error besides: the region is a replica.
rpc::Error CheckRowToWrite(std::string_view row, const ServedRegion& region);

// Cuts the scan to the region. False: nothing of it is there.
bool ClipToRegion(const ServedRegion& region, klip::Scan* scan);

// What a Get answers: an existence in the message, cells as `output` says.
rpc::Error AnswerGet(const RegionRef& region, const hbase::pb::Get& get, const messages::CellOutput& output,
                     hbase::pb::Result* message);
// The same of hbase:meta.
rpc::Error AnswerMetaGet(Node* node, const hbase::pb::Get& get, const messages::CellOutput& output,
                         hbase::pb::Result* message);
// The same of either.
rpc::Error AnswerGet(Node* node, const hbase::pb::RegionSpecifier& region, const hbase::pb::Get& get,
                     const messages::CellOutput& output, hbase::pb::Result* message);

// Only increments and appends have one: clients send one with some puts too, which may be done again.
engine::Nonce NonceOf(uint64_t group, const hbase::pb::MutationProto& message);

// Increments and appends under a nonce that is done already are not done again: their present cells are the result.
// REQUIRES: there is a mutation.
rpc::Error MutateRow(Node* node, table::EmbeddedTable& table, const RowMutations& mutations, const engine::Nonce& nonce,
                     Result* result);

// So are those behind a condition, which is asked each time: as in HBase, one that holds no more because of them answers false.
rpc::Error CheckAndMutateRow(Node* node, table::EmbeddedTable& table, const hbase::pb::Condition& condition,
                             RowMutations mutations, const engine::Nonce& nonce, CheckAndMutateResult* result);

}  // namespace klip::server
