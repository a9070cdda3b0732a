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

// An increment or append.
inline bool Counts(const hbase::pb::MutationProto& message) {
  return message.mutate_type() == hbase::pb::MutationProto::INCREMENT ||
         message.mutate_type() == hbase::pb::MutationProto::APPEND;
}

inline const std::string& RowOf(const Mutation& mutation) {
  return std::visit([](const auto& one) -> const std::string& { return one.row; }, mutation);
}

// Only increments and appends have one: clients send one with some puts too, which may be done again.
engine::Nonce NonceOf(uint64_t group, const hbase::pb::MutationProto& message);

// Adds what the message means: one mutation, or two of the same row, since HBase's clients may put delete markers into a Put.
// Takes associated_cell_count cells off `cells`, whatever becomes of the mutation, so that those behind it find theirs.
// Errors: kInvalidArgument, kDoNotRetry. Then nothing was added.
Status AddMutations(const hbase::pb::MutationProto& message, rpc::CellBlockReader* cells,
                    std::vector<Mutation>* mutations);

}  // namespace klip::server
