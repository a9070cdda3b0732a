// Mutations as messages.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/log/nonce.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"

namespace klip::server {

// What one message can mean: HBase's clients may add delete markers to a Put, which then is two mutations as one step.
using WrittenMutation = std::variant<Put, Delete, Increment, Append, RowMutations>;

const std::string& RowOf(const WrittenMutation& mutation);
std::vector<Mutation> MutationsOf(WrittenMutation mutation);

// An increment or append: what must not be done twice.
bool Counts(const Mutation& mutation);

// Only increments and appends have one: clients send one with some puts too, which may be done again.
engine::Nonce NonceOf(uint64_t group, const hbase::pb::MutationProto& message);

// Takes associated_cell_count cells off `cells`, whatever becomes of the mutation, so that those behind it find theirs.
// Errors: kInvalidArgument, kDoNotRetry.
Expected<WrittenMutation> ToMutation(const hbase::pb::MutationProto& message, rpc::CellBlockReader* cells);

}  // namespace klip::server
