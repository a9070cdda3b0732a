#include "thrift/protocol.h"

#include <thrift/TConfiguration.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "thrift/listener.h"

namespace klip::thrift {

using apache::thrift::TConfiguration;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TCompactProtocolT;
using apache::thrift::protocol::TProtocol;
using apache::thrift::transport::TBufferBase;
using apache::thrift::transport::TBufferedTransport;
using apache::thrift::transport::TFramedTransport;
using apache::thrift::transport::TTransport;

std::shared_ptr<TConfiguration> Limits() {
  auto limits = std::make_shared<TConfiguration>();
  limits->setMaxMessageSize(kMaxMessageBytes);
  limits->setMaxFrameSize(kMaxMessageBytes);
  return limits;
}

std::shared_ptr<TProtocol> MakeProtocol(const Dialect& dialect, const std::shared_ptr<TTransport>& source,
                                        const std::shared_ptr<TConfiguration>& limits) {
  constexpr uint32_t kBufferBytes = 32 << 10;
  std::shared_ptr<TBufferBase> transport;
  if (dialect.framed) {
    transport = std::make_shared<TFramedTransport>(source, kBufferBytes, kBufferBytes, limits);
  } else {
    transport = std::make_shared<TBufferedTransport>(source, kBufferBytes, limits);
  }
  if (dialect.compact) {
    return std::make_shared<TCompactProtocolT<TBufferBase>>(transport, kMaxStringBytes, kMaxElements);
  }
  return std::make_shared<TBinaryProtocolT<TBufferBase>>(transport, kMaxStringBytes, kMaxElements,
                                                         /*strict_read=*/false, /*strict_write=*/true);
}

}  // namespace klip::thrift
