#include "coprocessor/frame.h"

#include <google/protobuf/message_lite.h>

#include "klip/bytes.h"
#include "messages/decode.h"
#include "messages/encode.h"
#include "proto/Client.pb.h"
#include "rpc/error.h"

namespace klip::coprocessor {
namespace {

constexpr size_t kHeadBytes = 10;
constexpr size_t kFixedBytes = 6;  // kind, method, length of the block

}  // namespace

FrameWriter& FrameWriter::U8(uint8_t value) {
  *body_.Grow(1) = static_cast<char>(value);
  return *this;
}

FrameWriter& FrameWriter::U32(size_t value) {
  rpc::PutBigEndian(body_.Grow(sizeof(uint32_t)), static_cast<uint32_t>(value));
  return *this;
}

FrameWriter& FrameWriter::U64(uint64_t value) {
  rpc::PutBigEndian(body_.Grow(sizeof(uint64_t)), value);
  return *this;
}

FrameWriter& FrameWriter::Text(std::string_view bytes) {
  U32(bytes.size());
  body_.Append(bytes);
  return *this;
}

FrameWriter& FrameWriter::Raw(std::string_view bytes) {
  body_.Append(bytes);
  return *this;
}

FrameWriter& FrameWriter::Message(const google::protobuf::MessageLite& message) {
  const size_t bytes = message.ByteSizeLong();
  U32(bytes);
  message.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(body_.Grow(bytes)));
  return *this;
}

FrameWriter& FrameWriter::Answer(const Result& result) {
  hbase::pb::Result message;
  messages::FillResult(result, {.codec = kCodec, .block = &cells_}, &message);
  if (result.empty() && result.exists()) {
    message.set_exists(true);
  }
  return Message(message);
}

std::string FrameWriter::Head(FrameKind kind, Method method) const {
  std::string head(kHeadBytes, '\0');
  char* out = rpc::PutBigEndian(head.data(), static_cast<uint32_t>(kFixedBytes + body_.size() + cells_.size()));
  *out++ = static_cast<char>(kind);
  *out++ = static_cast<char>(method);
  rpc::PutBigEndian(out, static_cast<uint32_t>(cells_.size()));
  return head;
}

Expected<FrameReader> FrameReader::Parse(rpc::Buffer frame) {
  FrameReader reader;
  reader.frame_ = std::move(frame);
  reader.rest_ = reader.frame_.view();
  reader.kind_ = static_cast<FrameKind>(reader.U8());
  reader.method_ = static_cast<Method>(reader.U8());
  const uint32_t cells = reader.U32();
  if (reader.bad_ || cells > reader.rest_.size() || reader.kind_ > FrameKind::kError) {
    return Status(Code::kIoError, "a frame of the coprocessor host cannot be read");
  }
  reader.cells_ = rpc::CellBlockReader(reader.rest_.substr(reader.rest_.size() - cells), kCodec);
  reader.rest_.remove_suffix(cells);
  return reader;
}

std::string_view FrameReader::Take(size_t bytes) {
  if (bytes > rest_.size()) {
    bad_ = true;
    rest_ = {};
    return {};
  }
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

uint8_t FrameReader::U8() {
  const std::string_view bytes = Take(1);
  return bytes.empty() ? uint8_t{0} : static_cast<uint8_t>(bytes.front());
}

uint32_t FrameReader::U32() {
  const std::string_view bytes = Take(sizeof(uint32_t));
  return bytes.empty() ? 0 : ReadBigEndian<uint32_t>(bytes.data());
}

uint64_t FrameReader::U64() {
  const std::string_view bytes = Take(sizeof(uint64_t));
  return bytes.empty() ? 0 : ReadBigEndian<uint64_t>(bytes.data());
}

std::string_view FrameReader::Text() { return Take(U32()); }

bool FrameReader::Message(google::protobuf::MessageLite* message) {
  const std::string_view bytes = Text();
  bad_ = bad_ || !message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  return !bad_;
}

Result FrameReader::Answer() {
  hbase::pb::Result message;
  Result result;
  bad_ = !Message(&message) || !messages::TakeResult(message, &cells_, &result).ok();
  return result;
}

Status FrameReader::status() const {
  return bad_ ? Status(Code::kIoError, "an answer of the coprocessor host cannot be read") : cells_.status();
}

void WriteError(const Status& status, FrameWriter* out) {
  const rpc::Error error(status);
  out->Text(error.java_class()).Text(error.message()).Text("").U8(error.do_not_retry() ? 1 : 0);
}

Status ReadError(FrameReader* frame) {
  std::string java_class(frame->Text());
  std::string message(frame->Text());
  frame->Text();  // the stack trace, which the host has logged
  const bool retryable = frame->U8() == 0;
  KLIP_RETURN_IF_ERROR(frame->status());
  return Status::OfJava(std::move(java_class), std::move(message), retryable);
}

}  // namespace klip::coprocessor
