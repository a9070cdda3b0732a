#include "hfile/reader.h"

#include <utility>

#include "klip/bytes.h"
#include "proto/HFile.pb.h"
#include "rpc/frame.h"

namespace klip::hfile {
namespace {

constexpr std::string_view kMessageMagic = "PBUF";

// The row of a flat key; false: it is not one.
bool RowOf(std::string_view key, std::string* row) {
  ByteReader in(key);
  uint16_t bytes = 0;
  std::string_view view;
  if (!in.TakeNumber(&bytes) || !in.Take(bytes, &view)) {
    return false;
  }
  row->assign(view);
  return true;
}

// Names: HBase's HFileInfo, HFileWriterImpl.
Expected<FileInfo> ReadFileInfo(const Source& source, const Trailer& trailer) {
  Block block;
  KLIP_RETURN_IF_ERROR(BlockReader(&source, trailer).Read(trailer.file_info, &block));
  const auto bad = [&](std::string_view what) { return source.Bad(block.offset, what); };
  std::string_view rest = block.content.view();
  if (block.type != BlockType::kFileInfo || !rest.starts_with(kMessageMagic)) {
    return bad("the file info is missing");
  }
  rest.remove_prefix(kMessageMagic.size());
  std::string_view message;
  hbase::pb::FileInfoProto proto;
  // "Partial", because otherwise protobuf logs missing fields.
  if (!rpc::TakeDelimited(&rest, &message) ||
      !proto.ParsePartialFromArray(message.data(), static_cast<int>(message.size())) || !proto.IsInitialized()) {
    return bad("the file info is unreadable");
  }
  FileInfo info;
  for (const hbase::pb::BytesBytesPair& pair : proto.map_entry()) {
    if (pair.first() == "hfile.LASTKEY") {
      if (!RowOf(pair.second(), &info.last_row)) {
        return bad("the last key is invalid");
      }
    } else if (pair.first() == "hfile.MAX_TAGS_LEN") {
      info.tail.has_tags = true;
    } else if (pair.first() == "hfile.TAGS_COMPRESSED") {
      info.tail.packs_tags = !pair.second().empty() && pair.second()[0] != '\0';
    } else if (pair.first() == "KEY_VALUE_VERSION") {
      info.tail.has_sequence = pair.second() == BigEndian<uint32_t>(1);
    }
  }
  return info;
}

}  // namespace

Reader::Reader(std::unique_ptr<Source> source, const Trailer& trailer, FileInfo info)
    : source_(std::move(source)),
      trailer_(trailer),
      info_(std::move(info)),
      blocks_(source_.get(), trailer),
      decoder_(info_.tail),
      next_block_(trailer.first_data_block) {}

Expected<std::unique_ptr<Reader>> Reader::Open(std::unique_ptr<Source> source) {
  KLIP_ASSIGN_OR_RETURN(const Trailer trailer, ReadTrailer(*source));
  KLIP_ASSIGN_OR_RETURN(FileInfo info, ReadFileInfo(*source, trailer));
  if ((trailer.cells == 0) != info.last_row.empty()) {
    return source->Bad(trailer.begins, "the trailer says " + std::to_string(trailer.cells) +
                                           " cells, the last row is '" + ToStringBinary(info.last_row) + "'");
  }
  return std::unique_ptr<Reader>(new Reader(std::move(source), trailer, std::move(info)));
}

Expected<bool> Reader::NextBlock() {
  // A file without cells has no first block.
  while (trailer_.cells > 0 && next_block_ <= trailer_.last_data_block) {
    KLIP_RETURN_IF_ERROR(blocks_.Read(next_block_, &block_));
    next_block_ = block_.next;
    if (block_.type == BlockType::kData || block_.type == BlockType::kEncodedData) {
      const Status started = decoder_.Start(block_.content.view(), block_.type == BlockType::kEncodedData);
      return started.ok() ? Expected<bool>(true) : source_->Bad(block_.offset, started.message());
    }
  }
  return false;
}

Expected<bool> Reader::Next(Cell* cell) {
  while (true) {
    if (!in_block_) {
      KLIP_ASSIGN_OR_RETURN(in_block_, NextBlock());
      if (!in_block_) {
        break;
      }
    }
    const Expected<bool> more = decoder_.Next(cell);
    if (!more.ok()) {
      return source_->Bad(block_.offset, more.status().message());
    }
    if (!*more) {
      in_block_ = false;
      continue;
    }
    if (cell->row != row_) {
      if (cell->row < row_) {
        return source_->Bad(block_.offset, "row '" + ToStringBinary(cell->row) + "' comes after '" +
                                               ToStringBinary(row_) + "', which is greater");
      }
      row_.assign(cell->row);
    }
    ++read_;
    return true;
  }
  if (read_ != trailer_.cells) {
    return source_->Bad(trailer_.begins, "there are " + std::to_string(read_) + " cells, the trailer says " +
                                             std::to_string(trailer_.cells));
  }
  return false;
}

}  // namespace klip::hfile
