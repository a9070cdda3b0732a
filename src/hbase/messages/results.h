// Results out of answers: cells of the message, or of the block beside it.
#pragma once

#include "klip/cell.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"

namespace klip::client {

// Appends the next `count` cells of the block: one copy of their bytes. Errors: kIoError, a block that is damaged or ends before.
Status TakeCells(rpc::CellBlockReader* block, size_t count, Result* result);

// The cells that the message holds and those that it says are in the block.
Status TakeResult(const hbase::pb::Result& message, rpc::CellBlockReader* block, Result* result);

}  // namespace klip::client
