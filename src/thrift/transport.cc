#include "thrift/transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/read_memory.h"
#include "klip/bytes.h"
#include "klip/status.h"

namespace klip::thrift {

using apache::thrift::TConfiguration;
using apache::thrift::transport::TTransport;
using apache::thrift::transport::TTransportException;

namespace {

constexpr uint32_t kBufferBytes = 32 << 10;

// Replaces the buffer by a larger one with the same first `have` bytes. Throws TTransportException if there is no memory.
// `Array` is boost::scoped_array<uint8_t> up to Thrift 0.18, std::unique_ptr<uint8_t[]> later.
template <typename Array>
void Grow(Array* buffer, uint32_t have, uint32_t size) {
  if (const Status held = base::HoldRequest(size); !held.ok()) {
    throw TTransportException(TTransportException::INTERNAL_ERROR, held.message());
  }
  Array larger(new uint8_t[size]);
  if (have > 0) {
    std::memcpy(larger.get(), buffer->get(), have);
  }
  buffer->swap(larger);
}

uint32_t ReadSome(TTransport* source, uint8_t* to, uint32_t size) {
  const uint32_t read = source->read(to, size);
  if (read == 0) {
    throw TTransportException(TTransportException::END_OF_FILE, "the client disconnected in the middle of a call");
  }
  return read;
}

}  // namespace

ArrivedBytes::ArrivedBytes(std::shared_ptr<TTransport> source, std::shared_ptr<TConfiguration> limits)
    : TBufferedTransport(std::move(source), kBufferBytes, std::move(limits)) {}

bool ArrivedBytes::peek() {
  resetConsumedMessageSize();
  if (rBase_ == rBound_ && rBufSize_ > kBufferBytes) {  // of a large call; the next may come hours later
    rBuf_.reset(new uint8_t[kBufferBytes]);
    rBufSize_ = kBufferBytes;
    setReadBuffer(rBuf_.get(), 0);
  }
  return TBufferedTransport::peek();
}

const uint8_t* ArrivedBytes::borrowSlow(uint8_t* buffer, uint32_t* size) {
  if (buffer != nullptr) {
    return nullptr;
  }
  checkReadBytesAvailable(*size);
  auto have = static_cast<uint32_t>(rBound_ - rBase_);
  std::memmove(rBuf_.get(), rBase_, have);
  setReadBuffer(rBuf_.get(), have);
  while (have < *size) {
    if (have == rBufSize_) {
      const uint32_t larger = std::min(2 * have, std::max(*size, kBufferBytes));
      Grow(&rBuf_, have, larger);
      rBufSize_ = larger;
    }
    have += ReadSome(transport_.get(), rBuf_.get() + have, rBufSize_ - have);
    setReadBuffer(rBuf_.get(), have);
  }
  *size = have;
  return rBase_;
}

ArrivedFrames::ArrivedFrames(std::shared_ptr<TTransport> source, std::shared_ptr<TConfiguration> limits)
    : TFramedTransport(std::move(source), kBufferBytes, /*bufReclaimThresh=*/kBufferBytes, std::move(limits)) {}

bool ArrivedFrames::peek() {
  resetConsumedMessageSize();
  return TFramedTransport::peek();
}

const uint8_t* ArrivedFrames::borrowSlow(uint8_t* buffer, uint32_t* size) {
  if (buffer != nullptr) {
    return nullptr;
  }
  if (rBase_ == rBound_ && readFrame()) {
    return borrow(nullptr, size);
  }
  throw TTransportException(TTransportException::CORRUPTED_DATA, "a value is longer than its frame");
}

bool ArrivedFrames::readFrame() {
  uint8_t head[sizeof(uint32_t)];
  uint32_t have = transport_->read(head, sizeof(head));
  if (have == 0) {
    return false;
  }
  while (have < sizeof(head)) {
    have += ReadSome(transport_.get(), head + have, static_cast<uint32_t>(sizeof(head)) - have);
  }
  const auto size = ReadBigEndian<uint32_t>(reinterpret_cast<const char*>(head));
  if (size > maxFrameSize_) {
    throw TTransportException(TTransportException::CORRUPTED_DATA, "a frame of " + std::to_string(size) + " bytes");
  }
  for (have = 0; have < size;) {
    if (have == rBufSize_) {
      const uint32_t larger = std::min(size, std::max(2 * have, kBufferBytes));
      Grow(&rBuf_, have, larger);
      rBufSize_ = larger;
    }
    have += ReadSome(transport_.get(), rBuf_.get() + have, std::min(size, rBufSize_) - have);
  }
  setReadBuffer(rBuf_.get(), size);
  return true;
}

}  // namespace klip::thrift
