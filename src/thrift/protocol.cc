#include "thrift/protocol.h"

#include <thrift/TConfiguration.h>
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>

#include "thrift/listener.h"
#include "thrift/transport.h"

namespace klip::thrift {
namespace {

using apache::thrift::TConfiguration;
using apache::thrift::protocol::TBinaryProtocolT;
using apache::thrift::protocol::TCompactProtocolT;
using apache::thrift::protocol::TProtocol;
using apache::thrift::protocol::TProtocolException;
using apache::thrift::protocol::TType;
using apache::thrift::transport::TBufferBase;
using apache::thrift::transport::TTransport;

// A list is allocated once at least one byte per element has arrived.
template <class Protocol>
class Bounded : public Protocol {
 public:
  using Protocol::Protocol;

  uint32_t readListBegin_virt(TType& type, uint32_t& size) override {
    const uint32_t read = Protocol::readListBegin(type, size);
    Expect(size);
    return read;
  }
  uint32_t readSetBegin_virt(TType& type, uint32_t& size) override {
    const uint32_t read = Protocol::readSetBegin(type, size);
    Expect(size);
    return read;
  }
  uint32_t readMapBegin_virt(TType& key, TType& value, uint32_t& size) override {
    const uint32_t read = Protocol::readMapBegin(key, value, size);
    Expect(2 * size);
    return read;
  }

 private:
  void Expect(uint32_t bytes) {
    if (bytes > 0) {
      this->trans_->borrow(nullptr, &bytes);
    }
  }
};

using BoundedBinary = Bounded<TBinaryProtocolT<TBufferBase>>;  // borrows its strings

class BoundedCompact : public Bounded<TCompactProtocolT<TBufferBase>> {
 public:
  using Bounded::Bounded;

  uint32_t readString_virt(std::string& text) override { return Take(&text); }
  uint32_t readBinary_virt(std::string& bytes) override { return Take(&bytes); }

 private:
  uint32_t Take(std::string* out) {
    int32_t size = 0;
    const uint32_t read = readVarint32(size);
    if (size < 0) {
      throw TProtocolException(TProtocolException::NEGATIVE_SIZE);
    }
    if (size > string_limit_) {
      throw TProtocolException(TProtocolException::SIZE_LIMIT);
    }
    out->clear();
    if (size > 0) {
      auto have = static_cast<uint32_t>(size);
      out->assign(reinterpret_cast<const char*>(trans_->borrow(nullptr, &have)), static_cast<size_t>(size));
      trans_->consume(static_cast<uint32_t>(size));
    }
    return read + static_cast<uint32_t>(size);
  }
};

}  // namespace

std::shared_ptr<TConfiguration> Limits() {
  auto limits = std::make_shared<TConfiguration>();
  limits->setMaxMessageSize(kMaxMessageBytes);
  limits->setMaxFrameSize(kMaxMessageBytes);
  return limits;
}

std::shared_ptr<TProtocol> MakeProtocol(const Dialect& dialect, const std::shared_ptr<TTransport>& source,
                                        const std::shared_ptr<TConfiguration>& limits) {
  std::shared_ptr<TBufferBase> transport;
  if (dialect.framed) {
    transport = std::make_shared<ArrivedFrames>(source, limits);
  } else {
    transport = std::make_shared<ArrivedBytes>(source, limits);
  }
  if (dialect.compact) {
    return std::make_shared<BoundedCompact>(transport, kMaxStringBytes, kMaxElements);
  }
  return std::make_shared<BoundedBinary>(transport, kMaxStringBytes, kMaxElements, /*strict_read=*/false,
                                         /*strict_write=*/true);
}

}  // namespace klip::thrift
