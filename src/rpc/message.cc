#include "rpc/message.h"

#include "proto/Registry.pb.h"
#include "rpc/frame.h"

namespace klip::rpc {
namespace {

constexpr uint8_t kAuthSimple = 0x50;
constexpr uint8_t kAuthKerberos = 0x51;
constexpr uint8_t kAuthDigest = 0x52;

CellCodec CodecOf(std::string_view java_class, bool* known) {
  *known = true;
  if (java_class.empty()) {
    return CellCodec::kNone;
  }
  if (java_class == "org.apache.hadoop.hbase.codec.KeyValueCodec") {
    return CellCodec::kKeyValue;
  }
  if (java_class == "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags") {
    return CellCodec::kKeyValueWithTags;
  }
  *known = false;
  return CellCodec::kNone;
}

bool AtLeast(const hbase::pb::VersionInfo& version, uint32_t major, uint32_t minor) {
  return version.version_major() > major || (version.version_major() == major && version.version_minor() >= minor);
}

}  // namespace

Opening ParseOpening(std::string_view bytes) {
  if (bytes == "Regist") {
    return Opening::kRegistry;
  }
  if (bytes == "Securi") {
    return Opening::kPrincipal;
  }
  if (!bytes.starts_with("HBas")) {
    return Opening::kBadMagic;
  }
  if (bytes[4] != 0) {
    return Opening::kBadVersion;
  }
  switch (static_cast<uint8_t>(bytes[5])) {
    case kAuthSimple:
      return Opening::kCalls;
    case kAuthKerberos:
    case kAuthDigest:
      return Opening::kSasl;
    default:
      return Opening::kBadAuthentication;
  }
}

Error ParseConnectionHeader(std::string_view bytes, ConnectionParameters* parameters) {
  hbase::pb::ConnectionHeader header;
  if (!header.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) || !header.IsInitialized()) {
    return Error::Hbase("ipc.FatalConnectionException",
                        "connection header of " + std::to_string(bytes.size()) + " bytes is invalid", true);
  }
  parameters->service = header.service_name();
  parameters->user = header.user_info().effective_user();
  if (header.has_version_info()) {
    const hbase::pb::VersionInfo& version = header.version_info();
    parameters->version = version.version();
    parameters->takes_get_cells = AtLeast(version, 1, 3);
    parameters->knows_new_errors = AtLeast(version, 1, 4);
  }
  bool known = true;
  parameters->codec = CodecOf(header.cell_block_codec_class(), &known);
  if (!known) {
    return Error::Hbase("ipc.UnsupportedCellCodecException", "Unsupported codec: " + header.cell_block_codec_class(),
                        true);
  }
  const std::optional<Compression> compression = CompressionOf(header.cell_block_compressor_class());
  if (!compression.has_value()) {
    return Error::Hbase("ipc.UnsupportedCompressionCodecException",
                        "Unsupported compression: " + header.cell_block_compressor_class(), true);
  }
  parameters->compression = *compression;
  return {};
}

Status ParseRequest(std::string_view frame, Request* request) {
  request->header.Clear();
  request->param = {};
  request->cells = {};
  std::string_view rest = frame;
  std::string_view header;
  if (!TakeDelimited(&rest, &header) ||
      !request->header.ParsePartialFromArray(header.data(), static_cast<int>(header.size())) ||
      !request->header.IsInitialized()) {
    request->header.Clear();
    return BadFrame(frame, rest, "no request header");
  }
  if (!request->header.request_param()) {
    return BadFrame(frame, rest, "a request should have param set in its header");
  }
  if (!TakeDelimited(&rest, &request->param)) {
    return BadFrame(frame, rest, "the request is cut off");
  }
  const size_t cells_bytes = request->header.cell_block_meta().length();
  if (cells_bytes > rest.size()) {
    return BadFrame(frame, rest, "a cell block of " + std::to_string(cells_bytes) + " bytes goes beyond the end");
  }
  request->cells = rest.substr(0, cells_bytes);
  return Status::Ok();
}

Buffer EncodeResponse(uint32_t call_id, const Error& error, const google::protobuf::MessageLite* result,
                      size_t cells_bytes) {
  hbase::pb::ResponseHeader header;
  header.set_call_id(call_id);
  if (!error.ok()) {
    hbase::pb::ExceptionResponse* exception = header.mutable_exception();
    exception->set_exception_class_name(error.java_class());
    exception->set_stack_trace(error.StackTrace());
    exception->set_do_not_retry(error.do_not_retry());
    if (error.server_overloaded()) {
      exception->set_server_overloaded(true);
    }
    return EncodeFrame(header, nullptr, 0);
  }
  if (cells_bytes > 0) {
    header.mutable_cell_block_meta()->set_length(static_cast<uint32_t>(cells_bytes));
  }
  return EncodeFrame(header, result, cells_bytes);
}

Buffer EncodeRegistryResponse(std::string_view cluster_id) {
  hbase::pb::ResponseHeader header;
  header.set_call_id(kNoCall);
  hbase::pb::GetConnectionRegistryResponse response;
  response.set_cluster_id(std::string(cluster_id));
  return EncodeFrame(header, &response, 0);
}

}  // namespace klip::rpc
