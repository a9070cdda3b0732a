#include "rpc/message.h"

#include <gtest/gtest.h>

#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"
#include "rpc/frame.h"

namespace klip::rpc {
namespace {

using std::string_view_literals::operator""sv;

std::string Delimited(const std::string& bytes) { return std::string(1, static_cast<char>(bytes.size())) + bytes; }

TEST(Opening, KindsAreToldApart) {
  EXPECT_EQ(ParseOpening("HBas\0\x50"sv), Opening::kCalls);
  EXPECT_EQ(ParseOpening("HBas\0\x51"sv), Opening::kSasl);
  EXPECT_EQ(ParseOpening("HBas\0\x52"sv), Opening::kSasl);
  EXPECT_EQ(ParseOpening("HBas\0\x53"sv), Opening::kBadAuthentication);
  EXPECT_EQ(ParseOpening("HBas\1\x50"sv), Opening::kBadVersion);
  EXPECT_EQ(ParseOpening("Regist"), Opening::kRegistry);
  EXPECT_EQ(ParseOpening("Securi"), Opening::kPrincipal);
  EXPECT_EQ(ParseOpening("GET / "), Opening::kBadMagic);
}

TEST(ConnectionHeader, OldClientsGetCellsOfGetsInline) {
  hbase::pb::ConnectionHeader header;
  header.set_service_name("ClientService");
  header.set_cell_block_codec_class("org.apache.hadoop.hbase.codec.KeyValueCodec");
  ConnectionParameters parameters;
  ASSERT_TRUE(ParseConnectionHeader(header.SerializeAsString(), &parameters).ok());
  EXPECT_EQ(parameters.codec, CellCodec::kKeyValue);
  EXPECT_FALSE(parameters.takes_get_cells);

  hbase::pb::VersionInfo* version = header.mutable_version_info();
  for (std::string* text : {version->mutable_version(), version->mutable_url(), version->mutable_revision(),
                            version->mutable_user(), version->mutable_date(), version->mutable_src_checksum()}) {
    *text = "x";
  }
  version->set_version_major(2);
  version->set_version_minor(0);
  ASSERT_TRUE(ParseConnectionHeader(header.SerializeAsString(), &parameters).ok());
  EXPECT_TRUE(parameters.takes_get_cells);
}

TEST(ConnectionHeader, UnknownCodecsAreNamed) {
  hbase::pb::ConnectionHeader header;
  header.set_cell_block_codec_class("org.apache.hadoop.hbase.codec.MessageCodec");
  ConnectionParameters parameters;
  EXPECT_EQ(ParseConnectionHeader(header.SerializeAsString(), &parameters).java_class(),
            "org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException");
  header.clear_cell_block_codec_class();
  header.set_cell_block_compressor_class("org.apache.hadoop.io.compress.BZip2Codec");
  EXPECT_EQ(ParseConnectionHeader(header.SerializeAsString(), &parameters).java_class(),
            "org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException");
  EXPECT_FALSE(ParseConnectionHeader("\xFF\xFF", &parameters).ok());
}

TEST(Request, HeaderParamAndCellsAreCutApart) {
  hbase::pb::RequestHeader header;
  header.set_call_id(7);
  header.set_method_name("Multi");
  header.set_request_param(true);
  header.mutable_cell_block_meta()->set_length(3);
  const std::string frame = Delimited(header.SerializeAsString()) + Delimited("param") + "abc";
  Request request;
  ASSERT_TRUE(ParseRequest(frame, &request).ok());
  EXPECT_EQ(request.header.call_id(), 7U);
  EXPECT_EQ(request.param, "param");
  EXPECT_EQ(request.cells, "abc");

  const Status cut = ParseRequest(std::string_view(frame).substr(0, frame.size() - 1), &request);
  EXPECT_NE(cut.message().find("goes beyond the end"), std::string::npos) << cut.message();
  EXPECT_EQ(request.header.call_id(), 7U);  // so that the server can answer the call
  EXPECT_FALSE(ParseRequest("\x05"sv, &request).ok());
  EXPECT_FALSE(request.header.has_call_id());
}

TEST(Response, LengthCoversTheCellBlockThatFollows) {
  hbase::pb::GetResponse result;
  result.mutable_result()->set_associated_cell_count(1);
  const Buffer frame = EncodeResponse(9, Error(), &result, 100);
  EXPECT_EQ(ReadBigEndian<uint32_t>(frame.data()), frame.size() - 4 + 100);
  hbase::pb::ResponseHeader header;
  const auto header_bytes = static_cast<int>(frame.data()[4]);
  ASSERT_TRUE(header.ParseFromArray(frame.data() + 5, header_bytes));
  EXPECT_EQ(header.call_id(), 9U);
  EXPECT_EQ(header.cell_block_meta().length(), 100U);
}

TEST(Response, ErrorsCarryJavaClassAndRetry) {
  const Error missing = Status(Code::kTableNotFound, "t");
  EXPECT_EQ(missing.java_class(), "org.apache.hadoop.hbase.TableNotFoundException");
  EXPECT_TRUE(missing.do_not_retry());
  const Error refused = Status(Code::kUnsupported, "no quotas");
  EXPECT_EQ(refused.java_class(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  EXPECT_EQ(refused.message(), "java.lang.UnsupportedOperationException: no quotas");
  EXPECT_TRUE(refused.StackTrace().starts_with("org.apache.hadoop.hbase.DoNotRetryIOException: java.lang."));
}

TEST(Response, OverloadIsSaidWhereHbaseSaysSo) {
  const auto exception = [](const Error& error) {
    const Buffer frame = EncodeResponse(1, error, nullptr, 0);
    std::string_view rest = frame.view().substr(4);
    std::string_view bytes;
    hbase::pb::ResponseHeader header;
    EXPECT_TRUE(TakeDelimited(&rest, &bytes) && header.ParseFromString(std::string(bytes)));
    return header.exception();
  };
  EXPECT_TRUE(exception(Error::Hbase("CallQueueTooBigException", "", false)).server_overloaded());
  EXPECT_TRUE(exception(Error::Hbase("CallDroppedException", "", false)).server_overloaded());
  EXPECT_FALSE(exception(Error::Hbase("RegionTooBusyException", "", false)).has_server_overloaded());
}

TEST(CellBlock, CellsSurvive) {
  const Cell cell = {.row = "row"sv,
                     .family = "f"sv,
                     .qualifier = ""sv,
                     .timestamp_ms = 5,
                     .type = CellType::kDeleteColumn,
                     .value = "v\0w"sv,
                     .tags = "\0\1\2x"sv};
  for (const CellCodec codec : {CellCodec::kKeyValue, CellCodec::kKeyValueWithTags}) {
    Buffer block;
    AppendCell(cell, codec, &block);
    AppendCell(cell, codec, &block);
    CellBlockReader reader(block.view(), codec);
    Cell read;
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(reader.Next(&read)) << reader.status().ToString();
      EXPECT_EQ(read.row, cell.row);
      EXPECT_EQ(read.family, cell.family);
      EXPECT_EQ(read.qualifier, cell.qualifier);
      EXPECT_EQ(read.timestamp_ms, 5);
      EXPECT_EQ(read.type, CellType::kDeleteColumn);
      EXPECT_EQ(read.value, cell.value);
      EXPECT_EQ(read.tags, codec == CellCodec::kKeyValue ? ""sv : cell.tags);
    }
    EXPECT_FALSE(reader.Next(&read));
    EXPECT_TRUE(reader.status().ok());
  }
}

TEST(CellBlock, EveryCutIsAnErrorNamingTheOffset) {
  Buffer block;
  AppendCell({.row = "r", .family = "f", .qualifier = "q", .value = "v"}, CellCodec::kKeyValue, &block);
  for (size_t bytes = 1; bytes < block.size(); ++bytes) {
    CellBlockReader reader(block.view().substr(0, bytes), CellCodec::kKeyValue);
    Cell cell;
    ASSERT_FALSE(reader.Next(&cell)) << bytes;
    EXPECT_NE(reader.status().message().find("offset 0"), std::string::npos) << bytes;
  }
}

}  // namespace
}  // namespace klip::rpc
