#include <string>

#include "fuzz/targets.h"
#include "rpc/cell_block.h"
#include "rpc/client_message.h"
#include "rpc/message.h"

namespace klip::fuzz {
namespace {

// What was read of a block can be written and read again.
void CheckBlock(std::string_view bytes, rpc::CellCodec codec) {
  rpc::CellBlockReader reader(bytes, codec);
  Cell cell;
  while (reader.Next(&cell)) {
    Check(reader.offset() <= bytes.size());
    rpc::Buffer again;
    rpc::AppendCell(cell, codec, &again);
    rpc::CellBlockReader second(again.view(), codec);
    Cell same;
    Check(second.Next(&same) && second.offset() == again.size());
    Check(same.row == cell.row && same.family == cell.family && same.qualifier == cell.qualifier &&
          same.value == cell.value && same.timestamp_ms == cell.timestamp_ms && same.type == cell.type &&
          same.tags == cell.tags);
  }
}

}  // namespace

void FuzzRpc(std::string_view bytes) {
  if (bytes.size() >= rpc::kOpeningBytes) {
    (void)rpc::ParseOpening(bytes.substr(0, rpc::kOpeningBytes));
  }
  rpc::ConnectionParameters parameters;
  (void)rpc::ParseConnectionHeader(bytes, &parameters);
  rpc::Request request;
  if (rpc::ParseRequest(bytes, &request).ok()) {
    Check(request.param.size() + request.cells.size() <= bytes.size());
    CheckBlock(request.cells, rpc::CellCodec::kKeyValue);
  }
  rpc::Response response;
  if (rpc::ParseResponse(bytes, &response).ok()) {
    Check(response.result.size() + response.cells.size() <= bytes.size());
  }
  CheckBlock(bytes, rpc::CellCodec::kKeyValue);
  CheckBlock(bytes, rpc::CellCodec::kKeyValueWithTags);
  constexpr size_t kMaxUnpackedBytes = 1 << 16;
  for (const rpc::Compression compression :
       {rpc::Compression::kGzip, rpc::Compression::kDeflate, rpc::Compression::kSnappy, rpc::Compression::kLz4,
        rpc::Compression::kZstd, rpc::Compression::kZstdStream}) {
    rpc::Buffer unpacked;
    if (rpc::Decompress(compression, bytes, kMaxUnpackedBytes, &unpacked).ok()) {
      Check(unpacked.size() <= kMaxUnpackedBytes);
    }
  }
}

}  // namespace klip::fuzz
