// Thrift's protocols with the gateway's limits (listener.h).
#pragma once

#include <memory>

#include "thrift/dialect.h"

namespace apache::thrift {
class TConfiguration;
namespace protocol {
class TProtocol;
}
namespace transport {
class TTransport;
}
}  // namespace apache::thrift

namespace klip::thrift {

std::shared_ptr<apache::thrift::TConfiguration> Limits();

// Reads calls from `source`, and writes answers to it.
std::shared_ptr<apache::thrift::protocol::TProtocol> MakeProtocol(
    const Dialect& dialect, const std::shared_ptr<apache::thrift::transport::TTransport>& source,
    const std::shared_ptr<apache::thrift::TConfiguration>& limits);

}  // namespace klip::thrift
