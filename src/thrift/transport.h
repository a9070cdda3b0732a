// Thrift's buffered and framed transports, so that memory is taken for bytes that have arrived and not for those that a client
// announces, and given back after a large call. The limit on a message's size is that of each call, not of all calls of a
// connection together.
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
  // Waits until so many bytes are there. Throws TTransportException when the client goes before that. With a buffer, as for a
  // number of unknown length, it only looks whether they are there.
  const uint8_t* borrowSlow(uint8_t* buffer, uint32_t* size) override;
};

class ArrivedFrames : public apache::thrift::transport::TFramedTransport {
 public:
  ArrivedFrames(std::shared_ptr<apache::thrift::transport::TTransport> source,
                std::shared_ptr<apache::thrift::TConfiguration> limits);

  bool peek() override;
  // As above. Throws TTransportException when the frame is not that long.
  const uint8_t* borrowSlow(uint8_t* buffer, uint32_t* size) override;

 protected:
  bool readFrame() override;
};

}  // namespace klip::thrift
