#include "server/node/user_services.h"

#include <utility>

#include "server/node/node.h"

namespace klip::server {

rpc::Error TakeAnswer(Expected<std::optional<coprocessor::ServiceAnswer>> called, const rpc::Error& none,
                      hbase::pb::NameBytesPair* answer) {
  if (!called.ok()) {
    return called.status();
  }
  if (!called->has_value()) {
    return none;
  }
  answer->set_name((*called)->java_class);
  answer->set_value(std::move((*called)->bytes));
  return {};
}

rpc::Error CallServerService(Node* node, coprocessor::Target target,
                             const hbase::pb::CoprocessorServiceRequest& request, const rpc::Error& none,
                             hbase::pb::CoprocessorServiceResponse* response) {
  if (node->coprocessors == nullptr) {
    return none;
  }
  response->mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  response->mutable_region()->set_value("");
  return TakeAnswer(node->coprocessors->CallServer(target, request.call()), none, response->mutable_value());
}

}  // namespace klip::server
