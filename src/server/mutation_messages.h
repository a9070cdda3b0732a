// Mutations as messages.
#pragma once

#include <cstdint>

#include "klip/mutation.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"

namespace klip::server {

// Takes associated_cell_count cells off `cells`, whatever becomes of the mutation, so that those behind it find theirs.
// Errors: kInvalidArgument, kDoNotRetry.
Expected<Mutation> ToMutation(const hbase::pb::MutationProto& message, rpc::CellBlockReader* cells);

}  // namespace klip::server
