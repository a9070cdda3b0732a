// Services of users' coprocessors.
#pragma once

#include <optional>

#include "coprocessor/coprocessors.h"
#include "klip/status.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"

namespace klip::server {

struct Node;

// `none`: the error if there is no such service.
rpc::Error TakeAnswer(Expected<std::optional<coprocessor::ServiceAnswer>> called, const rpc::Error& none,
                      hbase::pb::NameBytesPair* answer);

// Calls a service of the region server or of the master.
rpc::Error CallServerService(Node* node, coprocessor::Target target,
                             const hbase::pb::CoprocessorServiceRequest& request, const rpc::Error& none,
                             hbase::pb::CoprocessorServiceResponse* response);

}  // namespace klip::server
