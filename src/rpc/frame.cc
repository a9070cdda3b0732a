#include "rpc/frame.h"

#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

namespace klip::rpc {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

size_t VarintBytes(size_t value) { return CodedOutputStream::VarintSize32(static_cast<uint32_t>(value)); }

// Appends a message after its length. REQUIRES: ByteSizeLong() was called just before and returned `bytes`.
char* PutDelimited(char* out, const google::protobuf::MessageLite& message, size_t bytes) {
  auto* at = reinterpret_cast<uint8_t*>(out);
  at = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(bytes), at);
  return reinterpret_cast<char*>(message.SerializeWithCachedSizesToArray(at));
}

}  // namespace

Buffer EncodeFrame(const google::protobuf::MessageLite& header, const google::protobuf::MessageLite* param,
                   size_t cells_bytes) {
  const size_t header_bytes = header.ByteSizeLong();
  const size_t param_bytes = param == nullptr ? 0 : param->ByteSizeLong();
  const size_t bytes =
      VarintBytes(header_bytes) + header_bytes + (param == nullptr ? 0 : VarintBytes(param_bytes) + param_bytes);
  Buffer frame;
  char* at = frame.Grow(4 + bytes);
  at = PutBigEndian(at, static_cast<uint32_t>(bytes + cells_bytes));
  at = PutDelimited(at, header, header_bytes);
  if (param != nullptr) {
    PutDelimited(at, *param, param_bytes);
  }
  return frame;
}

bool TakeDelimited(std::string_view* in, std::string_view* out) {
  CodedInputStream stream(reinterpret_cast<const uint8_t*>(in->data()), static_cast<int>(in->size()));
  uint32_t bytes = 0;
  if (!stream.ReadVarint32(&bytes)) {
    return false;
  }
  const auto prefix = static_cast<size_t>(stream.CurrentPosition());
  if (bytes > in->size() - prefix) {
    return false;
  }
  *out = in->substr(prefix, bytes);
  in->remove_prefix(prefix + bytes);
  return true;
}

Status BadFrame(std::string_view frame, std::string_view rest, std::string_view what) {
  return {Code::kInvalidArgument, "frame of " + std::to_string(frame.size()) + " bytes, offset " +
                                      std::to_string(frame.size() - rest.size()) + ": " + std::string(what)};
}

}  // namespace klip::rpc
