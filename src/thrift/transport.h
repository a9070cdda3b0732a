// Thrift's buffered and framed transports, changed to allocate memory for bytes that have arrived, not for those that a
// client announces, and to free it after a large call. The limit on the size of messages applies to each call, not to all
// calls of a connection together.
#pragma once

#include <cstdint>
#include <memory>

#include <thrift/transport/TBufferTransports.h>

namespace klip::thrift {

class ArrivedBytes : public apache::thrift::transport::TBufferedTransport {
 public:
  ArrivedBytes(std::shared_ptr<apache::thrift::transport::TTransport> source,
               std::shared_ptr<apache::thrift::TConfiguration> limits);

  // Before a call: waits for its first byte.
  bool peek() override;
  // Waits for so many bytes. Throws TTransportException if the client disconnects before that. With a buffer, used for
  // numbers of unknown length, it only checks whether they have arrived.
  const uint8_t* borrowSlow(uint8_t* buffer, uint32_t* size) override;
};

class ArrivedFrames : public apache::thrift::transport::TFramedTransport {
 public:
  ArrivedFrames(std::shared_ptr<apache::thrift::transport::TTransport> source,
                std::shared_ptr<apache::thrift::TConfiguration> limits);

  bool peek() override;
  // As above. Throws TTransportException if the frame is shorter.
  const uint8_t* borrowSlow(uint8_t* buffer, uint32_t* size) override;

 protected:
  bool readFrame() override;
};

}  // namespace klip::thrift
