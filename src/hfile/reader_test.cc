// Reads small files written by HBase 2.6.4 (compat/hfile/HFiles.java sample), one for each encoding and compression.
#include "hfile/reader.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "klip/bytes.h"

namespace klip::hfile {
namespace {

constexpr const char* kFiles[] = {"none", "prefix", "diff", "fast_diff", "row_index_v1"};

std::string FileText(const std::string& name) {
  std::ifstream file(std::string(KLIP_HFILE_DIRECTORY) + "/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// In the format that Java's side has written.
std::string CellText(const Cell& cell) {
  return ToStringBinary(cell.row) + "|" + ToStringBinary(cell.qualifier) + "|" + std::to_string(cell.timestamp_ms) +
         "|" + std::to_string(static_cast<int>(cell.type)) + "|" + ToStringBinary(cell.value) + "|" +
         ToStringBinary(cell.tags) + "\n";
}

Expected<std::string> CellsOf(std::string_view bytes) {
  KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Reader> reader, Reader::Open(OpenBytes(bytes)));
  std::string text;
  Cell cell;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, reader->Next(&cell));
    if (!more) {
      return text;
    }
    EXPECT_EQ(cell.family, "f");
    text += CellText(cell);
  }
}

class HFileTest : public testing::TestWithParam<const char*> {};

TEST_P(HFileTest, HasTheCellsThatHBaseWrote) {
  const Expected<std::string> cells = CellsOf(FileText(GetParam() + std::string(".hfile")));
  ASSERT_TRUE(cells.ok()) << cells.status().message();
  EXPECT_EQ(*cells, FileText("cells.txt"));
}

TEST_P(HFileTest, EveryCutIsAnError) {
  const std::string bytes = FileText(GetParam() + std::string(".hfile"));
  for (size_t size = 0; size < bytes.size(); size += 5) {
    EXPECT_FALSE(CellsOf(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

TEST_P(HFileTest, NoFlippedBitChangesACell) {
  const std::string bytes = FileText(GetParam() + std::string(".hfile"));
  const std::string cells = FileText("cells.txt");
  constexpr size_t kTrailerBytes = 4096;  // which has no checksum
  size_t errors = 0;
  for (size_t at = 0; at < bytes.size(); at += at < bytes.size() - kTrailerBytes ? 3 : 1) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const Expected<std::string> read = CellsOf(flipped);
    errors += read.ok() ? 0 : 1;
    EXPECT_TRUE(!read.ok() || *read == cells) << at;
  }
  EXPECT_GT(errors, 500U);
}

INSTANTIATE_TEST_SUITE_P(All, HFileTest, testing::ValuesIn(kFiles), [](const auto& test) { return test.param; });

TEST(HFile, MayHaveNoCells) {
  const std::string bytes = FileText("empty.hfile");
  const Expected<std::string> cells = CellsOf(bytes);
  ASSERT_TRUE(cells.ok()) << cells.status().message();
  EXPECT_EQ(*cells, "");
  EXPECT_EQ((*Reader::Open(OpenBytes(bytes)))->last_row(), "");
}

TEST(HFile, ErrorsNameFileAndOffset) {
  EXPECT_NE(OpenFile("/nowhere/x").status().message().find("/nowhere/x: No such file"), std::string::npos);
  EXPECT_EQ(OpenFile("/tmp").status().code(), Code::kInvalidArgument);
  std::string bytes = FileText("none.hfile");
  bytes[100] ^= 1;
  const Status status = CellsOf(bytes).status();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_EQ(status.message(), "HFile, offset 0: checksum mismatch: the bytes were changed");
}

TEST(HFile, OldVersionsAreNamed) {
  const Status status = CellsOf(std::string(5000, '\0') + std::string("\0\0\0\2", 4)).status();
  EXPECT_EQ(status.code(), Code::kUnsupported);
  EXPECT_NE(status.message().find("version 2.0"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace klip::hfile
