// Rows as text: what goes in comes out, or is refused by an error that names the place and the remedy.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "cli/cli_fixture_test.h"
#include "cli/field_target.h"
#include "klip/bytes.h"

namespace klip::cli {
namespace {

using std::string_literals::operator""s;

class TextFilesTest : public CliFixture {
 protected:
  void SetUp() override { Create("t"); }

  void Create(const std::string& table) {
    ASSERT_EQ(Klip({"create", "STORE", table, "--family", "d,VERSIONS=3"}), kExitOk) << err_;
  }

  std::string File(const std::string& name, const std::string& contents) {
    const std::string path = directory_.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }

  static std::string Contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string Gzip(const std::string& text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
  }

  // All cells of a table, in JSON.
  std::string Cells(const std::string& table) {
    EXPECT_EQ(Klip({"export", "STORE", table, "--format", "json"}), kExitOk) << err_;
    return out_;
  }

  // The error of an import; "" if there was none.
  std::string Refusal(const std::vector<std::string>& more, const std::string& input) {
    std::vector<std::string> args = {"import", "STORE", "t"};
    args.insert(args.end(), more.begin(), more.end());
    const int code = Klip(args, input);
    EXPECT_EQ(code == kExitOk, err_.empty()) << code << err_;
    return err_;
  }
};

TEST_F(TextFilesTest, NumbersOfJsonKeepTheirDigits) {
  ASSERT_EQ(
      Klip({"import", "STORE", "t", "--format", "json"},
           "{\"row\":\"a\",\"d:1\":123456789012345678901234567890,\"d:2\":1.50,\"d:3\":1E5,\"d:4\":-0,"
           "\"d:5\":0.1000000000000000055511151231257827,\"d:6\":true,\"d:7\":null,\"d:8:long\":-9223372036854775808,"
           "\"d:9\":[{\"value\":2.50,\"timestamp\":5}]}\n"),
      kExitOk)
      << err_;
  EXPECT_EQ(Cells("t"),
            "{\"row\":\"a\",\"d:1\":\"123456789012345678901234567890\",\"d:2\":\"1.50\",\"d:3\":\"1E5\",\"d:4\":\"-0\","
            "\"d:5\":\"0.1000000000000000055511151231257827\",\"d:6\":\"true\",\"d:8\":"
            "\"\\\\x80\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00"
            "\\\\x00\\\\x00\",\"d:9\":\"2.50\"}\n");
  const auto refusal = [this](const std::string& line) { return Refusal({"--format", "json"}, line + "\n"); };
  EXPECT_EQ(refusal(R"({"row":"b","d:v":1e400})"),
            "klip: InvalidArgument: line 1: the line has a number beyond those of 64 bits: write it as a text\n");
  EXPECT_EQ(refusal(R"({"row":"b","d:v":1,"d:v":2})"),
            "klip: InvalidArgument: line 1: the line has two members \"d:v\" in an object\n");
  EXPECT_EQ(refusal(R"({"row":"b","d:v":[{"value":"x","timestamp":9223372036854775808}]})"),
            "klip: InvalidArgument: line 1: 'd:v': a cell is {\"value\": text, \"timestamp\": number}\n");
  EXPECT_EQ(refusal(R"({"row":"b","d:v:int":1.0})"),
            "klip: InvalidArgument: line 1: field 'd:v': '1.0' is not an int\n");
  EXPECT_EQ(refusal("{\"row\":\"b\",\"d:v\":\"\xff\"}"),
            "klip: InvalidArgument: line 1: the line is not JSON: byte 19 cannot follow those before it\n");
  EXPECT_NE(refusal(R"({"row":null,"d:v":"x"})"), "");
  EXPECT_NE(refusal(R"({"row":"b","d:v":null})"), "");
}

TEST_F(TextFilesTest, LineEndsInQuotesStay) {
  ASSERT_EQ(
      Klip({"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"},
           "1,\"x\r\ny\"\r\n2,\"x\ny\"\n3,\"x\ry\"\r\n4,\"\r\n\"\r\n5,\"a\r\"\n6,\"\n\r\n\"\n7,z\r\n8,\"\"\"\"\n"),
      kExitOk)
      << err_;
  EXPECT_EQ(Cells("t"), R"({"row":"1","d:v":"x\\x0D\\x0Ay"})"
                        "\n"
                        R"({"row":"2","d:v":"x\\x0Ay"})"
                        "\n"
                        R"({"row":"3","d:v":"x\\x0Dy"})"
                        "\n"
                        R"({"row":"4","d:v":"\\x0D\\x0A"})"
                        "\n"
                        R"({"row":"5","d:v":"a\\x0D"})"
                        "\n"
                        R"({"row":"6","d:v":"\\x0A\\x0D\\x0A"})"
                        "\n"
                        R"({"row":"7","d:v":"z"})"
                        "\n"
                        R"({"row":"8","d:v":"\""})"
                        "\n");
  const std::vector<std::string> csv = {"--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"};
  EXPECT_EQ(Refusal(csv, "1,x\n2,\"6\" pipe\"\n"),
            "klip: InvalidArgument: line 2: field 2: text follows the closing quote; a quote inside quotes is written "
            "twice; 1 "
            "rows before it are imported, but only imports of files can be resumed\n");
  EXPECT_NE(Refusal(csv, "1,x\n\"2,\nx\n").find("line 2: field 1: the quote that begins it is not closed"),
            std::string::npos)
      << err_;
}

TEST_F(TextFilesTest, AByteOrderMarkIsNoData) {
  const std::string mark = "\xef\xbb\xbf";
  ASSERT_EQ(
      Klip({"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"}, mark + "1,a" + mark + "\n"),
      kExitOk);
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "csv", "--header"}, mark + "\"row\",d:v\n2,b\n"), kExitOk)
      << err_;
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "tsv", "--header"}, mark + "row\td:v\n3\tc\n"), kExitOk) << err_;
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "json"}, mark + "{\"row\":\"4\",\"d:v\":\"d\"}\n"), kExitOk)
      << err_;
  ASSERT_EQ(Klip({"import", "STORE", "t", File("x.csv.gz", Gzip(mark + "5,e\n")), "--columns", "HBASE_ROW_KEY,d:v"}),
            kExitOk)
      << err_;
  EXPECT_EQ(Cells("t"),
            "{\"row\":\"1\",\"d:v\":\"a" + mark +
                "\"}\n{\"row\":\"2\",\"d:v\":\"b\"}\n{\"row\":\"3\",\"d:v\":\"c\"}\n{\"row\":\"4\",\"d:v\":\"d\"}\n"
                "{\"row\":\"5\",\"d:v\":\"e\"}\n");
  EXPECT_NE(Refusal({"--format", "csv", "--header"}, "\xff\xfer\0o\0w\0\n\0"s).find("is UTF-16; iconv -f UTF-16"),
            std::string::npos)
      << err_;
}

TEST_F(TextFilesTest, AllMembersOfGzipAreRead) {
  const std::string two = Gzip("1,a\n2,b\n") + Gzip("3,c\n");
  const size_t second = Gzip("1,a\n2,b\n").size();
  const std::vector<std::string> columns = {"--columns", "HBASE_ROW_KEY,d:v"};
  const auto import = [&](const std::string& name, const std::string& bytes) {
    std::vector<std::string> args = {"import", "STORE", "t", File(name, bytes), "--restart"};
    args.insert(args.end(), columns.begin(), columns.end());
    return Klip(args);
  };
  ASSERT_EQ(import("two.csv.gz", two), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("loaded 3 rows")) << out_;
  ASSERT_EQ(import("no-name-of-gzip.csv", two), kExitOk) << err_;
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"}, two), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("loaded 3 rows")) << out_;
  // Every cut and every flipped byte is an error, except flips of bytes that say nothing about the contents: the time, flags
  // of the compressor and the system.
  for (size_t i = 0; i < two.size(); ++i) {
    if (i != second) {  // complete so far
      EXPECT_EQ(import("cut.csv.gz", two.substr(0, i)), kExitError) << i << out_;
    }
    const size_t in_member = i < second ? i : i - second;
    if (in_member < 4 || in_member > 9) {
      std::string flipped = two;
      flipped[i] = static_cast<char>(~flipped[i]);
      EXPECT_EQ(import("flipped.csv.gz", flipped), kExitError) << i << out_;
    }
  }
  EXPECT_EQ(import("zeros.csv.gz", two + std::string(512, '\0')), kExitError);
  EXPECT_NE(err_.find("after a complete gzip member, something else follows"), std::string::npos) << err_;
  // Members end anywhere: inside lines, and at the reader's buffers.
  std::string large;
  std::string rows;
  for (int i = 0; i < 200; ++i) {
    const std::string part = "k" + std::to_string(i) + "," + std::string(static_cast<size_t>(i) * 37 + 1, 'x');
    rows += part + "\n";
    large += Gzip(part) + Gzip("\n");
  }
  ASSERT_EQ(import("many.csv.gz", large), kExitOk) << err_;
  EXPECT_TRUE(out_.starts_with("loaded 200 rows")) << out_;
}

TEST_F(TextFilesTest, OtherFormatsAreNamed) {
  for (const auto& [bytes, text] : std::vector<std::pair<std::string, std::string>>{
           {"\x28\xb5\x2f\xfd rest", "is packed with Zstandard; zstd -dc FILE"},
           {"BZh91AY&SY", "is packed with bzip2"},
           {"\xfd\x37zXZ\0rest"s, "is packed with xz"},
           {"PK\x03\x04rest", "is a zip archive"},
           {"PAR1\x15rest", "is Parquet; --format parquet"}}) {
    EXPECT_EQ(Klip({"import", "STORE", "t", File("x.csv", bytes), "--columns", "HBASE_ROW_KEY,d:v", "--skip-bad"}),
              kExitError);
    EXPECT_NE(err_.find(text), std::string::npos) << err_;
  }
  EXPECT_EQ(Cells("t"), "");
  EXPECT_EQ(Klip({"import", "STORE", "t", File("x.csv.gz", "1,a\n"), "--columns", "HBASE_ROW_KEY,d:v"}), kExitError);
  EXPECT_NE(err_.find("is not gzip, or its first bytes are damaged"), std::string::npos) << err_;
}

TEST_F(TextFilesTest, HeadersAreNeverRows) {
  const std::vector<std::string> csv = {"--format", "csv", "--columns", "HBASE_ROW_KEY,d:v"};
  std::vector<std::string> with_header = csv;
  with_header.emplace_back("--header");
  EXPECT_EQ(Refusal(with_header, "id,name\n1,a\n"), "");
  EXPECT_EQ(Cells("t"), "{\"row\":\"1\",\"d:v\":\"a\"}\n");
  EXPECT_EQ(
      Refusal(csv, "row,d:v\n2,b\n"),
      "klip: InvalidArgument: line 1: the line has the names of the fields in place of values; if this line names the "
      "fields, give --header\n");
  EXPECT_EQ(Refusal({"--format", "csv", "--columns", "HBASE_ROW_KEY,d:v:int"}, "id,battery\n2,5\n"),
            "klip: InvalidArgument: line 1: field 'd:v': 'battery' is not an int; if this line names the fields, give "
            "--header\n");
  EXPECT_NE(Refusal({"--format", "csv", "--header"}, "id,c0\n2,b\n").find("; --columns names the fields in its place"),
            std::string::npos)
      << err_;
  EXPECT_NE(Refusal({"--format", "csv", "--header"}, "row,d:v,d:v\n2,b,c\n").find("'d:v' is named twice"),
            std::string::npos)
      << err_;
  EXPECT_NE(Refusal({"--format", "json", "--header"}, "{\"row\":\"2\",\"d:v\":\"b\"}\n"), "");
  EXPECT_NE(Refusal({"--format", "json", "--columns", "d:v"}, "{\"row\":\"2\",\"d:v\":\"b\"}\n"), "");
  EXPECT_EQ(Klip({"import", "STORE", "t", "/nowhere.csv"}), kExitUsage);
  EXPECT_EQ(err_, "klip: InvalidArgument: cannot read '/nowhere.csv': No such file or directory\n");
}

TEST_F(TextFilesTest, TypesThatDoNotExistAreRefused) {
  for (const char* column : {"d:c:float", "d:c:i64", "d:c:INT", "d:a:b:string"}) {
    EXPECT_NE(Refusal({"--format", "csv", "--columns", std::string("HBASE_ROW_KEY,") + column}, "1,2\n")
                  .find("there is no type"),
              std::string::npos)
        << err_;
    EXPECT_NE(Refusal({"--format", "json"}, std::string("{\"row\":\"1\",\"") + column + "\":\"2\"}\n")
                  .find("there is no type"),
              std::string::npos)
        << err_;
    for (const char* format : {"csv", "json"}) {
      EXPECT_EQ(Klip({"export", "STORE", "t", "--format", format, "--columns", column}), kExitUsage) << column;
      EXPECT_NE(err_.find("there is no type"), std::string::npos) << err_;
    }
  }
  // A qualifier may have any colons; an export writes each as an escape.
  const std::string line = R"({"row":"1","d:":"0","d:a\\x3Aint":"1","d:http\\x3A//x":"2","d:int":"3","d:x\\x3A":"4"})"
                           "\n";
  EXPECT_EQ(Refusal({"--format", "json"}, line), "");
  EXPECT_EQ(Cells("t"), line);
  EXPECT_EQ(Klip({"scan", "STORE", "t", "--columns", "d:a:int", "--csv"}), kExitOk) << err_;
  EXPECT_NE(out_.find("1,d:a:int,"), std::string::npos) << out_;
  EXPECT_EQ(Refusal({"--format", "json"}, R"({"row":"2","d:http://x":"2"})"
                                          "\n"),
            "");
  EXPECT_NE(Cells("t").find(R"({"row":"2","d:http\\x3A//x":"2"})"), std::string::npos) << out_;
}

TEST_F(TextFilesTest, AnExportTakesTheColumnsOfTheImport) {
  ASSERT_EQ(Klip({"create", "STORE", "v", "--family", "d", "--row-key", "user:text('|') day:date n:u16"}), kExitOk)
      << err_;
  const std::string columns = "n,d:a:long,-,user,HBASE_TS_KEY,day,d:b";
  const std::string rows = "5,-7,,al,1000,20140628,x\n6,,,al,1001,20140628,y\n65535,1,,\"b,o\",9,20140629,\n";
  ASSERT_EQ(Klip({"import", "STORE", "v", "--format", "csv", "--columns", columns}, rows), kExitOk) << err_;
  ASSERT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", columns}), kExitOk) << err_;
  EXPECT_EQ(out_, columns + "\n" + rows);
  const std::string exported = out_;
  ASSERT_EQ(Klip({"create", "STORE", "w", "--family", "d", "--row-key", "user:text('|') day:date n:u16"}), kExitOk)
      << err_;
  ASSERT_EQ(Klip({"import", "STORE", "w", "--format", "csv", "--header"}, exported), kExitOk) << err_;
  EXPECT_EQ(Cells("w"), Cells("v"));
  ASSERT_EQ(Klip({"export", "STORE", "v", "--format", "json", "--columns", columns, "--limit", "1"}), kExitOk) << err_;
  EXPECT_EQ(
      out_,
      "{\"n\":\"5\",\"user\":\"al\",\"HBASE_TS_KEY\":1000,\"day\":\"20140628\",\"d:a:long\":\"-7\",\"d:b\":\"x\"}\n");
  EXPECT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", "day,nix"}), kExitUsage);
  EXPECT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", "day"}), kExitUsage);
  EXPECT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", "d:a,d:a"}), kExitUsage);
  ASSERT_EQ(Klip({"put", "STORE", "v", "@user=z,day=2014-06-28,n=1", "d:a=1", "--timestamp", "3"}), kExitOk) << err_;
  ASSERT_EQ(Klip({"put", "STORE", "v", "@user=z,day=2014-06-28,n=1", "d:b=1", "--timestamp", "4"}), kExitOk) << err_;
  EXPECT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", "n,HBASE_TS_KEY,d:a,d:b"}), kExitUsage);
  EXPECT_NE(err_.find("its cells have different timestamps"), std::string::npos) << err_;
  for (const char* option : {"--timestamps", "--versions=2"}) {
    EXPECT_EQ(Klip({"export", "STORE", "v", "--format", "csv", "--columns", "d:a", option}), kExitUsage);
    EXPECT_NE(err_.find("csv has one value of each column"), std::string::npos) << err_;
  }
}

TEST_F(TextFilesTest, AnEmptyValueIsNotTheLackOfOne) {
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "json"}, R"({"row":"a","d:v":"","d:w":"NULL"})"
                                                               "\n"
                                                               R"({"row":"b","d:w":""})"
                                                               "\n"),
            kExitOk)
      << err_;
  const std::string cells = Cells("t");
  for (const char* format : {"csv", "tsv"}) {
    EXPECT_EQ(Klip({"export", "STORE", "t", "--format", format, "--columns", "d:v,d:w"}), kExitUsage);
    EXPECT_EQ(err_,
              "klip: InvalidArgument: row 'a', column 'd:v': an empty value would be read as no cell; --null TEXT "
              "writes TEXT "
              "where there is no cell\n");
    ASSERT_EQ(Klip({"export", "STORE", "t", "--format", format, "--columns", "d:v,d:w", "--null", "NULL"}), kExitOk)
        << err_;
    const std::string exported = out_;
    Create(format);
    ASSERT_EQ(
        Klip({"import", "STORE", format, "--format", format, "--header", "--null", "NULL", "--escapes"}, exported),
        kExitOk)
        << err_;
    EXPECT_EQ(Cells(format), cells) << exported;
  }
}

TEST_F(TextFilesTest, RejectsAreTheLinesThemselves) {
  const std::string rejects = directory_.path() + "/rejects";
  const std::string good = "1,a,5\n";
  const std::string bad[] = {"2,\"x\r\ny\",z\r\n", "3,b\n", "4,\"c\"d,1\n", "5,e,x"};
  ASSERT_EQ(
      Klip({"import", "STORE", "t", "--format", "csv", "--columns", "HBASE_ROW_KEY,d:v,d:n:int", "--rejects", rejects},
           good + bad[0] + bad[1] + bad[2] + bad[3]),
      kExitOk)
      << err_;
  EXPECT_EQ(Contents(rejects),
            "# line 2: field 'd:n': 'z' is not an int\n" + bad[0] + "# line 4: expected 3 fields, found 2\n" + bad[1] +
                "# line 5: field 2: text follows the closing quote; a quote inside quotes is written twice\n" + bad[2] +
                "# line 6: field 'd:n': 'x' is not an int\n" + bad[3] + "\n");
  // Rows that the table refuses.
  ASSERT_EQ(Klip({"import", "STORE", "t", "--format", "json", "--rejects", rejects},
                 "{\"row\":\"1\",\"x:v\":\"1\"}\n{\"row\":\"2\",\"d:v\":\"1\"}\n"),
            kExitOk)
      << err_;
  EXPECT_TRUE(Contents(rejects).starts_with("# line 1: ")) << Contents(rejects);
  EXPECT_TRUE(Contents(rejects).ends_with("\n{\"row\":\"1\",\"x:v\":\"1\"}\n")) << Contents(rejects);
}

TEST_F(TextFilesTest, ExportsFollowLinksAndStayOutOfStores) {
  ASSERT_EQ(Klip({"put", "STORE", "t", "r", "d:v=1"}), kExitOk) << err_;
  namespace fs = std::filesystem;
  fs::create_directory(directory_.path() + "/sub");
  fs::create_symlink("sub/target.csv", directory_.path() + "/near");  // the target does not exist yet
  fs::create_symlink("near", directory_.path() + "/far");
  const std::string far = directory_.path() + "/far";
  ASSERT_EQ(Klip({"export", "STORE", "t", "--format", "csv", "--columns", "d:v", "--output", far}), kExitOk) << err_;
  EXPECT_TRUE(fs::is_symlink(far));
  EXPECT_TRUE(fs::is_symlink(directory_.path() + "/near"));
  EXPECT_EQ(Contents(directory_.path() + "/sub/target.csv"), "HBASE_ROW_KEY,d:v\nr,1\n");
  fs::create_symlink("loop", directory_.path() + "/loop");
  EXPECT_EQ(Klip({"export", "STORE", "t", "--output", directory_.path() + "/loop"}), kExitError);
  EXPECT_EQ(Klip({"export", "STORE", "t", "--output", store_ + "/CATALOG"}), kExitUsage);
  EXPECT_NE(err_.find("is inside the store"), std::string::npos) << err_;
  EXPECT_EQ(Klip({"export", "STORE", "t", "--format", "parquet", "--output", store_ + "/x.parquet"}), kExitUsage);
  EXPECT_NE(err_.find("is inside the store"), std::string::npos) << err_;
  EXPECT_EQ(Klip({"export", "STORE", "t", store_ + "/export"}), kExitUsage);
  EXPECT_EQ(Klip({"backup", "create", store_ + "/backups", "--of", "STORE"}), kExitUsage);
  EXPECT_FALSE(fs::exists(store_ + "/backups"));
  EXPECT_EQ(Klip({"export", "STORE", "t", "--output", directory_.path() + "/x.csv", "--columns", "d:nix"}), kExitOk);
  EXPECT_NE(out_.find(": no row has d:nix\n"), std::string::npos) << out_;
  EXPECT_EQ(Klip({"export", "STORE", "t", "--format", "csv", "--columns", "d:nix"}), kExitOk);
  EXPECT_EQ(err_, "klip: no row has d:nix\n");
  const std::string input = File("rows.csv", "1,a\n");
  for (const std::string& rejects : {store_ + "/CATALOG", input}) {
    EXPECT_EQ(Klip({"import", "STORE", "t", input, "--columns", "HBASE_ROW_KEY,d:v", "--rejects", rejects}),
              kExitUsage);
  }
  EXPECT_EQ(Contents(input), "1,a\n");
}

// --- Round trips of anything ---

std::string HostileBytes(std::mt19937_64* random) {
  static const std::string kPieces[] = {"\0"s,
                                        "\xff",
                                        "\r",
                                        "\n",
                                        "\r\n",
                                        "\"",
                                        "\"\"",
                                        ",",
                                        "\t",
                                        "'",
                                        "\xef\xbb\xbf",
                                        "\\",
                                        "\\x41",
                                        "\\x",
                                        "a",
                                        "Z",
                                        " ",
                                        "NULL",
                                        "\\N",
                                        ":",
                                        "-",
                                        "#",
                                        "\xc3",
                                        "\xc3\xbc",
                                        "\xe2\x82\xac",
                                        "\x80",
                                        "\xf0\x9f\x98\x80",
                                        "\x7f",
                                        "0",
                                        "1e400",
                                        "{\"",
                                        "\x1f\x8b"};
  std::string out;
  for (uint64_t pieces = (*random)() % 7; pieces > 0; --pieces) {
    out += kPieces[(*random)() % std::size(kPieces)];
  }
  return out;
}

TEST_F(TextFilesTest, AnythingComesBack) {
  std::mt19937_64 random(51);
  constexpr int kTables = 6;
  for (int i = 0; i < kTables; ++i) {
    const std::string name = "t" + std::to_string(i);
    const bool with_schema = i % 2 == 1;
    const auto create = [&](const std::string& table) {
      std::vector<std::string> args = {"create", "STORE", table, "--family", "d"};
      if (with_schema) {
        args.insert(args.end(), {"--row-key", "a:text('\\x00') n:i32 b:bytes"});
      }
      ASSERT_EQ(Klip(args), kExitOk) << err_;
    };
    create(name);
    const std::vector<std::string> qualifiers = {"", "v", "a:int", HostileBytes(&random), HostileBytes(&random) + "x"};
    std::string columns;
    for (const std::string& qualifier : qualifiers) {
      std::string text = NameOfColumn("d", qualifier);
      for (size_t at = 0; (at = text.find(',', at)) != std::string::npos;) {
        text.replace(at, 1, "\\x2C");
      }
      columns += (columns.empty() ? "" : ",") + text;
    }
    std::vector<Put> puts;
    for (int row = 0; row < 40; ++row) {
      std::string key = HostileBytes(&random);
      if (with_schema) {
        std::erase(key, '\0');
        key += '\0' + BigEndian(static_cast<int32_t>(random())) + HostileBytes(&random);
      }
      Put& put = puts.emplace_back(Put{.row = key + "k"});
      for (const std::string& qualifier : qualifiers) {
        if (random() % 3 != 0 || put.columns.empty()) {
          put.Add("d", qualifier,
                  row == 0 && i < 2 ? std::string(1 << 20, static_cast<char>(random())) : HostileBytes(&random));
        }
      }
    }
    {
      const auto connection = OpenStore(store_, /*create_if_missing=*/false);
      ASSERT_TRUE(connection.ok() && (*(*connection)->GetTable(name))->Put(puts).ok());
    }
    const std::string all = Cells(name);
    for (const std::string format : {"json", "csv", "tsv"}) {
      const char* const null_text = i % 3 == 0 ? "NULL" : "\\N";
      std::vector<std::string> out = {"export", "STORE", name, "--format", format};
      std::vector<std::string> in = {"import", "STORE", "", "--format", format, "--escapes"};
      if (format != "json") {
        out.insert(out.end(), {"--columns", columns, "--null", null_text});
        in.insert(in.end(), {"--header", "--null", null_text});
      }
      ASSERT_EQ(Klip(out), kExitOk) << err_;
      const std::string exported = out_;
      // Also through gzip, with the ends of lines that Windows writes.
      std::string windows;
      for (const char c : exported) {
        windows += c == '\n' ? "\r\n" : std::string(1, c);
      }
      for (const auto& [copy, input] : {std::pair{name + format, exported}, {name + format + "gz", Gzip(windows)}}) {
        create(copy);
        in[2] = copy;
        ASSERT_EQ(Klip(in, input), kExitOk) << format << err_;
        ASSERT_EQ(Cells(copy), all) << format << columns;
      }
    }
    // A whole export.
    const std::string files = directory_.path() + "/" + name;
    ASSERT_EQ(Klip({"export", "STORE", name, files}), kExitOk) << err_;
    ASSERT_EQ(Klip({"import", "STORE", name + "files", files}), kExitOk) << err_;
    ASSERT_EQ(Cells(name + "files"), all);
  }
}

}  // namespace
}  // namespace klip::cli
