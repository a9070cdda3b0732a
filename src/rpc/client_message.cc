#include "rpc/client_message.h"

#include <string>

#include "klip/bytes.h"
#include "klip/cluster_metrics.h"
#include "rpc/frame.h"

namespace klip::rpc {

Buffer EncodePreamble(Authentication authentication) {
  const auto byte = static_cast<char>(authentication);
  Buffer preamble;
  preamble.Append({"HBas\0", 5});
  preamble.Append({&byte, 1});
  return preamble;
}

Buffer EncodeConnectionHeader(std::string_view service, std::string_view user, std::string_view compressor,
                              CellCodec codec) {
  hbase::pb::ConnectionHeader header;
  if (!user.empty()) {
    header.mutable_user_info()->set_effective_user(user.data(), user.size());
  }
  header.set_service_name(service.data(), service.size());
  header.set_cell_block_codec_class(codec == CellCodec::kKeyValueWithTags
                                        ? "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags"
                                        : "org.apache.hadoop.hbase.codec.KeyValueCodec");
  if (!compressor.empty()) {
    header.set_cell_block_compressor_class(compressor.data(), compressor.size());
  }
  // To clients below 1.4, servers answer in older formats: cells of a Get in the message, no ScannerResetException.
  hbase::pb::VersionInfo* version = header.mutable_version_info();
  version->set_version(kHBaseVersion);
  version->set_version_major(2);
  version->set_version_minor(6);
  version->set_user("klip");
  for (std::string* required : {version->mutable_url(), version->mutable_revision(), version->mutable_date(),
                                version->mutable_src_checksum()}) {
    required->clear();
  }
  const std::string bytes = header.SerializeAsString();
  Buffer frame;
  frame.Append(BigEndian(static_cast<uint32_t>(bytes.size())));
  frame.Append(bytes);
  return frame;
}

Buffer EncodeRequest(const hbase::pb::RequestHeader& header, const google::protobuf::MessageLite& param,
                     size_t cells_bytes) {
  return EncodeFrame(header, &param, cells_bytes);
}

Status ParseResponse(std::string_view frame, Response* response) {
  response->header.Clear();
  response->result = {};
  response->cells = {};
  std::string_view rest = frame;
  std::string_view header;
  if (!TakeDelimited(&rest, &header) ||
      !response->header.ParseFromArray(header.data(), static_cast<int>(header.size())) ||
      !response->header.has_call_id()) {
    return BadFrame(frame, rest, "no response header");
  }
  if (response->header.has_exception()) {
    return Status::Ok();
  }
  if (!TakeDelimited(&rest, &response->result)) {
    return BadFrame(frame, rest, "the response is cut off");
  }
  const size_t cells_bytes = response->header.cell_block_meta().length();
  if (cells_bytes > rest.size()) {
    return BadFrame(frame, rest, "a cell block of " + std::to_string(cells_bytes) + " bytes goes beyond the end");
  }
  response->cells = rest.substr(0, cells_bytes);
  return Status::Ok();
}

}  // namespace klip::rpc
