// The resources without HTTP: status codes and bodies of HBase 2.6's gateway.
#include "rest/resources.h"

#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/temp_directory_test.h"
#include "rest/Rest.pb.h"
#include "rest/cell_set.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

class ResourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    auto connection = Connection::Open("klip:" + directory_.Sub("store"), options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
    resources_ = std::make_unique<Resources>(connection_.get());
    EXPECT_EQ(Put("t/schema", R"({"ColumnSchema":[{"name":"f","VERSIONS":"3"}]})").status, 201);
  }

  Response Do(Request::Verb verb, const std::string& path, std::string body = "", std::string type = std::string(kJson),
              std::string accept = std::string(kJson)) {
    Request request{.verb = verb, .accept = std::move(accept), .content_type = std::move(type), .url = "http://h:1"};
    request.body = std::move(body);
    EXPECT_TRUE(ParseTarget(path, &request).ok());
    return resources_->Answer(request);
  }
  Response Get(const std::string& path) { return Do(Request::Verb::kGet, path); }
  Response Put(const std::string& path, const std::string& body) { return Do(Request::Verb::kPut, path, body); }
  Response Delete(const std::string& path) { return Do(Request::Verb::kDelete, path); }

  static std::string Cell(const std::string& column, const std::string& value, int64_t timestamp_ms) {
    return "{\"column\":\"" + Base64(column) + "\",\"timestamp\":" + std::to_string(timestamp_ms) + ",\"$\":\"" +
           Base64(value) + "\"}";
  }
  static std::string Row(const std::string& key, const std::string& cells) {
    return "{\"key\":\"" + Base64(key) + "\",\"Cell\":[" + cells + "]}";
  }
  static std::string Rows(const std::string& rows) { return "{\"Row\":[" + rows + "]}"; }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Resources> resources_;
};

// What scanners keep of rows between two requests takes at most half of the budget.
TEST_F(ResourcesTest, ScannersKeepRestsOfRowsWithinTheMemory) {
  net::MemoryBudget budget;
  budget.Limit(4 << 20, 8 << 20);
  resources_ = std::make_unique<Resources>(connection_.get(), kScannerIdleMs, &budget);
  const std::unique_ptr<Table> table = *connection_->GetTable("t");
  const std::string value(700'000, 'v');
  ASSERT_TRUE(table->Put(klip::Put{.row = "r"}.Add("f", "a", value).Add("f", "b", value)).ok());
  const auto open = [&] { ASSERT_EQ(Put("t/scanner", R"({"batch":1})").status, 201); };
  open();
  EXPECT_EQ(Get("t/scanner/1").status, 200);
  open();
  EXPECT_EQ(Get("t/scanner/2").status, 503) << "two rests are more than half";
  EXPECT_EQ(Get("t/scanner/2").status, 404) << "it was closed";
  EXPECT_EQ(Get("t/scanner/1").status, 200);  // the rest is sent, and no longer kept
  open();
  EXPECT_EQ(Get("t/scanner/3").status, 200);
  EXPECT_EQ(Delete("t/scanner/3").status, 200);
  open();
  EXPECT_EQ(Get("t/scanner/4").status, 200);
}

TEST_F(ResourcesTest, TablesAndSchemas) {
  EXPECT_EQ(Get("").body, R"({"table":[{"name":"t"}]})");
  EXPECT_EQ(Do(Request::Verb::kGet, "", "", "", "").body, "t\n");
  EXPECT_EQ(Get("t/exists").status, 200);
  EXPECT_EQ(Get("none/exists").status, 404);
  EXPECT_EQ(Get("none/schema").body.substr(0, 66),
            "Not found\r\norg.apache.hadoop.hbase.TableNotFoundException: none\r\n");
  EXPECT_NE(Get("t/schema").body.find(R"({"name":"f","VERSIONS":"3")"), std::string::npos) << Get("t/schema").body;
  EXPECT_EQ(Do(Request::Verb::kPost, "t/schema", R"({"ColumnSchema":[{"name":"g"}]})").status, 200);
  EXPECT_EQ(connection_->admin().GetDescriptor("t")->families.size(), 2u);
  EXPECT_EQ(
      Do(Request::Verb::kPost, "t/schema", R"(<TableSchema><ColumnSchema name="h"/></TableSchema>)", std::string(kXml))
          .status,
      200);
  EXPECT_EQ(connection_->admin().GetDescriptor("t")->families.size(), 3u);
  EXPECT_EQ(Put("t/schema", R"({"ColumnSchema":[{"name":"f","VERSIONS":"x"}]})").status, 400);
  EXPECT_EQ(Put("t/schema", "{").status, 400);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/schema", "x", "foo/bar").status, 415);
  EXPECT_EQ(Delete("t/schema").status, 200);
  EXPECT_EQ(Delete("t/schema").status, 404);
}

TEST_F(ResourcesTest, Rows) {
  EXPECT_EQ(Put("t/any", Rows(Row("r1", Cell("f:a", "v1", 100)) + "," + Row("r2", Cell("f:", "v2", 7)))).status, 200);
  EXPECT_EQ(Get("t/r1").body, Rows(Row("r1", Cell("f:a", "v1", 100))));
  EXPECT_EQ(Do(Request::Verb::kGet, "t/r1", "", "", "text/xml").body,
            R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?><CellSet><Row key="cjE="><Cell column="Zjph" )"
            R"(timestamp="100">djE=</Cell></Row></CellSet>)");
  EXPECT_EQ(Get("t/none").status, 404);
  EXPECT_EQ(Get("none/r1").status, 404);
  EXPECT_EQ(Get("t/r1/nofamily:x").status, 404);
  EXPECT_EQ(Get("t/r1/f:a/100").status, 404);
  EXPECT_EQ(Get("t/r1/f:a/101").status, 200);
  EXPECT_EQ(Get("t/r*").body, Rows(Row("r1", Cell("f:a", "v1", 100)) + "," + Row("r2", Cell("f:", "v2", 7))));
  EXPECT_EQ(Get("t/r*/f:a").body, Rows(Row("r1", Cell("f:a", "v1", 100))));
  EXPECT_EQ(Get("t/zz*").body, Rows(""));
  EXPECT_EQ(Get("t/*?limit=1").body, Rows(Row("r1", Cell("f:a", "v1", 100))));
  EXPECT_EQ(Get("t/*?where=f:a%3Dv1").body, Rows(Row("r1", Cell("f:a", "v1", 100))));
  EXPECT_EQ(Get("t/*?where=nofield%3Dv1").status, 400);
  EXPECT_EQ(Get("t/r,s?where=f:a%3Dv1").body, Rows(Row("r1", Cell("f:a", "v1", 100))));
  EXPECT_EQ(Get("t/r1?where=f:a%3Dv1").status, 400);
  EXPECT_EQ(Get("t/multiget?row=r2&where=f:a%3Dv1").status, 400);
  const std::string scanner = "t/scanner?where=f:''%3Dv2";
  ASSERT_EQ(Put(scanner, R"({"batch":1})").status, 201);
  EXPECT_EQ(Get("t/scanner/1").body, Rows(Row("r2", Cell("f:", "v2", 7))));
  EXPECT_EQ(Get("t/multiget?row=r2&row=none").body, Rows(Row("r2", Cell("f:", "v2", 7))));
  EXPECT_EQ(Get("t/multiget?row=none").body, "No rows found.\r\n");
  Response one = Do(Request::Verb::kGet, "t/r1/f:a", "", "", "application/octet-stream");
  EXPECT_EQ(one.body, "v1");
  EXPECT_EQ(one.headers[0], (std::pair<std::string, std::string>("X-Timestamp", "100")));
  EXPECT_EQ(Do(Request::Verb::kGet, "t/r1", "", "", "*/*").status, 400);
  EXPECT_EQ(Do(Request::Verb::kGet, "t/r1", "", "", "foo/bar").status, 406);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/r3/f:raw", "\x01\xff", "application/octet-stream").status, 200);
  EXPECT_EQ(Do(Request::Verb::kGet, "t/r3/f:raw", "", "", "application/octet-stream").body, "\x01\xff");
  EXPECT_EQ(Put("t/r", "{").status, 400);
  EXPECT_EQ(Put("t/r", R"({"Row":[{"key":5}]})").status, 400);
  EXPECT_EQ(Put("t/r", Rows(Row("r", Cell("nocolon", "v", 1)))).status, 400);
  EXPECT_EQ(Delete("t/r1/f:a").status, 200);
  EXPECT_EQ(Get("t/r1").status, 404);
}

TEST_F(ResourcesTest, ChecksBeforeWriting) {
  auto check = [&](const std::string& value, const std::string& expected) {
    return Put("t/r/f:a?check=put", Rows(Row("r", Cell("f:a", value, 5) + "," + Cell("f:a", expected, 0)))).status;
  };
  EXPECT_EQ(check("1", "nothing"), 304);
  EXPECT_EQ(check("1", ""), 200);  // missing so far
  EXPECT_EQ(check("2", "1"), 200);
  EXPECT_EQ(check("3", "1"), 304);
  EXPECT_EQ(Put("t/r?check=put", Rows(Row("r", Cell("f:a", "1", 5)))).status, 400);
  EXPECT_EQ(Put("t/r?check=nonsense", Rows("")).status, 400);
  auto remove = [&](const std::string& expected) {
    return Put("t/r?check=delete", Rows(Row("r", Cell("f:a", expected, 0)))).status;
  };
  EXPECT_EQ(remove("1"), 304);
  EXPECT_EQ(remove("2"), 200);
  EXPECT_EQ(Get("t/r").status, 404);
}

TEST_F(ResourcesTest, AppendsAndIncrements) {
  auto write = [&](const std::string& query, const std::string& column, const std::string& value) {
    return Put("t/r?" + query, Rows("{\"key\":\"" + Base64("r") + "\",\"Cell\":[{\"column\":\"" + Base64(column) +
                                    "\",\"$\":\"" + Base64(value) + "\"}]}"));
  };
  EXPECT_EQ(write("check=append", "f:a", "ab").body, "");
  EXPECT_NE(write("check=append&rr=true", "f:a", "cd").body.find(Base64("abcd")), std::string::npos);
  EXPECT_EQ(write("check=increment", "f:n", "5").status, 200);
  EXPECT_NE(write("check=increment&rr=true", "f:n", "-7").body.find(Base64("-2")), std::string::npos);
  EXPECT_EQ(write("check=increment", "f:n", "many").status, 400);
}

TEST_F(ResourcesTest, SpeaksProtobuf) {
  proto::CellSet cells;
  proto::CellSet::Row* row = cells.add_rows();
  row->set_key("r");
  proto::Cell* cell = row->add_values();
  cell->set_column("f:a");
  cell->set_timestamp(100);
  cell->set_data("v\xff");
  EXPECT_EQ(Do(Request::Verb::kPut, "t/r", cells.SerializeAsString(), "application/protobuf").status, 200);
  Response got = Do(Request::Verb::kGet, "t/r", "", "", "application/x-protobuf");
  EXPECT_EQ(got.content_type, "application/x-protobuf");
  EXPECT_EQ(got.body, cells.SerializeAsString());
  std::string set = cells.SerializeAsString();
  EXPECT_EQ(Do(Request::Verb::kGet, "t/*", "", "", "application/x-protobuf").body,
            std::string(1, '\0') + static_cast<char>(set.size()) + set);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/big/f:a", std::string(40'000, 'x'), "application/octet-stream").status, 200);
  EXPECT_EQ(Do(Request::Verb::kGet, "t/*", "", "", "application/x-protobuf").status, 413);
  proto::TableList tables;
  ASSERT_TRUE(tables.ParseFromString(Do(Request::Verb::kGet, "", "", "", "application/x-protobuf").body));
  EXPECT_EQ(tables.name(0), "t");
  proto::Scanner scanner;
  scanner.set_startrow("r");
  scanner.add_columns("f");
  scanner.set_endrow("s");
  scanner.set_batch(5);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/scanner", scanner.SerializeAsString(), "application/x-protobuf").status, 201);
  EXPECT_EQ(Do(Request::Verb::kGet, "t/scanner/1", "", "", "application/x-protobuf").body, cells.SerializeAsString());
  EXPECT_EQ(Do(Request::Verb::kPut, "t/r", "\xff\xff", "application/x-protobuf").status, 400);
}

// An empty key or column is an error in every form of body, and nothing of such a body is written. Those that are left out
// come from the URL.
TEST_F(ResourcesTest, EmptyKeysAndColumnsAreRefused) {
  const std::string good = Cell("f:a", "v", 5);
  const std::string key = Base64("r");
  const std::string column = Base64("f:a");
  const auto protobuf = [](const std::string& row, const std::string& name) {
    proto::CellSet set;
    proto::CellSet::Row* good = set.add_rows();
    good->set_key("good");
    proto::Cell* value = good->add_values();
    value->set_column("f:a");
    value->set_data("v");
    proto::CellSet::Row* bad = set.add_rows();
    bad->set_key(row);
    value = bad->add_values();
    value->set_column(name);
    value->set_data("v");
    return set.SerializeAsString();
  };
  const auto xml = [](const std::string& row) {
    return "<CellSet><Row key=\"" + Base64("good") + "\"><Cell column=\"" + Base64("f:a") + "\">dg==</Cell></Row>" +
           row + "</CellSet>";
  };
  const auto json = [&](const std::string& row) { return Rows(Row("good", good) + "," + row); };
  struct Body {
    std::string text;
    std::string_view type;
  };
  const Body bodies[] = {
      {json(R"({"key":"","Cell":[)" + good + "]}"), kJson},
      {json(R"({"key":"====","Cell":[)" + good + "]}"), kJson},
      {json(R"({"key":"c","Cell":[)" + good + "]}"), kJson},
      {json(R"({"key":7,"Cell":[)" + good + "]}"), kJson},
      {json(R"({"key":"cg==","Cell":[{"column":"","$":"dg=="}]})"), kJson},
      {json(R"({"key":"cg==","Cell":[{"column":"Zg==","$":"dg=="}]})"), kJson},  // f without a qualifier
      {json(R"({"key":"cg==","Cell":[{"column":"OmE=","$":"dg=="}]})"), kJson},  // :a
      {json(R"({"key":"cg==","Cell":[{"column":"Zjph","$":"dg==","timestamp":18446744073709551615}]})"), kJson},
      {json(R"({"key":"cg==","Cell":[{"column":"Zjph","$":"dg==","timestamp":1.5}]})"), kJson},
      {json(R"({"key":"cg==","Cell":[{"column":"Zjph","$":"dg==","timestamp":-1}]})"), kJson},
      {json(R"({"key":"cg==","Cell":[{"column":"Zjph","$":7}]})"), kJson},
      {R"({"Row":[)" + Row("good", good) + R"(],"Row":[]})", kJson},
      {xml("<Row key=\"\"><Cell column=\"" + column + "\">dg==</Cell></Row>"), kXml},
      {xml("<Row key=\"" + key + "\"><Cell column=\"\">dg==</Cell></Row>"), kXml},
      {xml("<Row key=\"" + key + "\"><Cell column=\"Zg==\">dg==</Cell></Row>"), kXml},
      {xml("<Row key=\"" + key + "\"><Cell column=\"" + column + "\">dg=</Cell></Row>"), kXml},
      {protobuf("", "f:a"), kProtobuf},
      {protobuf("r", ""), kProtobuf},
      {protobuf("r", "f"), kProtobuf},
  };
  for (const Body& body : bodies) {
    for (const char* url :
         {"t/false-row-key", "t/false-row-key/f:u", "t/false-row-key?check=append", "t/false-row-key?check=put",
          "t/false-row-key?check=delete", "t/false-row-key?check=increment"}) {
      EXPECT_EQ(Do(Request::Verb::kPut, url, body.text, std::string(body.type)).status, 400) << url << body.text;
      EXPECT_EQ(Do(Request::Verb::kPost, url, body.text, std::string(body.type)).status, 400) << url << body.text;
    }
  }
  EXPECT_EQ(Get("t/*").body, Rows(""));
  // One row, as conditional writes need it.
  for (const char* check : {"append", "put", "delete", "increment"}) {
    const std::string url = std::string("t/false-row-key/f:u?check=") + check;
    EXPECT_EQ(Put(url, Rows(R"({"key":"","Cell":[)" + good + "," + good + "]}")).status, 400) << check;
    EXPECT_EQ(Put(url, Rows(R"({"key":"cg==","Cell":[{"column":"","$":"MQ=="},{"column":"","$":"MQ=="}]})")).status,
              400)
        << check;
  }
  EXPECT_EQ(Get("t/*").body, Rows(""));
  const auto binary = [this](const std::string& path) {
    return Do(Request::Verb::kPut, path, "v", std::string(kBinary)).status;
  };
  EXPECT_EQ(binary("t/r/f"), 400);
  EXPECT_EQ(binary("t/r"), 400);
  EXPECT_EQ(binary("t/a,b/f:a"), 400);
  EXPECT_EQ(binary("t/a*/f:a"), 400);
  EXPECT_EQ(binary("t/r/,f:a"), 400);
  EXPECT_EQ(Put("t/a,b", Rows("{\"Cell\":[" + good + "]}")).status, 400);
  EXPECT_EQ(Get("t/*").body, Rows(""));

  EXPECT_EQ(Put("t/url/f:u", Rows(R"({"Cell":[{"$":"dg==","timestamp":"7"}]})")).status, 200);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/url/f:x",
               "<CellSet><Row><Cell timestamp=\"7\">\n  d<!-- in two parts -->g<![CDATA[==]]>\n</Cell></Row></CellSet>",
               "text/xml")
                .status,
            200);
  EXPECT_EQ(Get("t/*").body, Rows(Row("url", Cell("f:u", "v", 7) + "," + Cell("f:x", "v", 7))));
  for (const char* url : {"t/url/,", "t/url/,f:u", "t/url/f:u,,f:x"}) {
    EXPECT_EQ(Delete(url).status, 400) << url;
  }
  EXPECT_EQ(Get("t/multiget?row=").status, 400);
  EXPECT_EQ(Get("t/*").body, Rows(Row("url", Cell("f:u", "v", 7) + "," + Cell("f:x", "v", 7))));
  EXPECT_EQ(Delete("t/url/f:u,").status, 200);
  EXPECT_EQ(Get("t/*").body, Rows(Row("url", Cell("f:x", "v", 7))));
}

TEST_F(ResourcesTest, NumbersOfSchemasKeepTheirDigits) {
  EXPECT_EQ(
      Put("n/schema", R"({"A":1.50,"B":123456789012345678901234567890,"ColumnSchema":[{"name":"f","VERSIONS":3}]})")
          .status,
      201);
  const std::map<std::string, std::string> attributes = connection_->admin().GetDescriptor("n")->attributes;
  EXPECT_EQ(attributes.at("A"), "1.50");
  EXPECT_EQ(attributes.at("B"), "123456789012345678901234567890");
}

TEST_F(ResourcesTest, RefusesDeepJson) {
  const std::string nested = std::string(100'000, '[') + std::string(100'000, ']');
  const Response answers[] = {
      Put("t/scanner", R"({"batch":)" + nested + "}"),
      Put("t/scanner", R"({"column":)" + nested + "}"),
      Put("t/scanner", R"({"filter":"{\"type\":)" + nested + R"(}"})"),
      Put("t/r", R"({"Row":)" + nested + "}"),
      Put("t/r?check=put", R"({"Row":)" + nested + "}"),
      Put("u/schema", R"({"ColumnSchema":[{"name":"f","A":)" + nested + "}]}"),
      Do(Request::Verb::kPost, "namespaces/n", R"({"properties":{"k":)" + nested + "}}"),
  };
  for (const Response& answer : answers) {
    EXPECT_EQ(answer.status, 400);
    EXPECT_NE(answer.body.find("nested deeper than 202 levels"), std::string::npos) << answer.body;
  }
}

TEST_F(ResourcesTest, RefusesListsForTexts) {
  for (const auto& [path, body] : std::initializer_list<std::pair<const char*, const char*>>{
           {"t/scanner", R"({"batch":[1]})"},
           {"t/scanner", R"({"column":[["Zg=="]]})"},
           {"t/scanner", R"({"filter":{"type":"KeyOnlyFilter"}})"},
           {"t/scanner", R"({"filter":"{\"type\":[]}"})"},
           {"t/scanner", R"({"filter":"{\"type\":\"PrefixFilter\",\"value\":{}}"})"},
           {"t/scanner", R"({"filter":"{\"type\":\"ColumnRangeFilter\",\"minColumnInclusive\":[]}"})"},
           {"t/scanner", R"({"filter":"{\"type\":\"TimestampsFilter\",\"timestamps\":[[1]]}"})"},
           {"u/schema", R"({"ColumnSchema":[{"name":"f","VERSIONS":[1]}]})"}}) {
    const Response answer = Put(path, body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_NE(answer.body.find(" is a list or an object"), std::string::npos) << answer.body;
  }
}

TEST_F(ResourcesTest, FiltersAreAsDeepAsElsewhere) {
  auto nested = [](int levels) {
    std::string text = R"({"type":"ValueFilter","op":"EQUAL","comparator":{"type":"NullComparator"}})";
    for (int i = 0; i < levels; ++i) {
      text = R"({"type":"SkipFilter","filters":[)" + text + "]}";
    }
    std::string quoted;
    for (char c : text) {
      quoted += c == '"' ? "\\\"" : std::string(1, c);
    }
    return "{\"filter\":\"" + quoted + "\"}";
  };
  EXPECT_EQ(Put("t/scanner", nested(kMaxFilterDepth)).status, 201);
  EXPECT_NE(Put("t/scanner", nested(kMaxFilterDepth + 1)).body.find("deeper"), std::string::npos);
}

TEST_F(ResourcesTest, DeepXmlNeedsNoStack) {
  auto put = [&](const std::string& path, const std::string& root, const std::string& name) {
    std::string body = "<" + root + ">";
    for (int i = 0; i < 100'000; ++i) {
      body += "<" + name + ">";
    }
    for (int i = 0; i < 100'000; ++i) {
      body += "</" + name + ">";
    }
    return Do(Request::Verb::kPut, path, body + "</" + root + ">", std::string(kXml)).status;
  };
  EXPECT_EQ(put("t/r", "CellSet", "Row"), 200) << "one row without cells";
  EXPECT_EQ(put("t/scanner", "Scanner", "batch"), 400);
  EXPECT_EQ(put("u/schema", "TableSchema", "Other"), 400);
}

// Comparing each of 100,000 with all others would take longer than the suite may.
TEST_F(ResourcesTest, ManyMembersTakeNoTime) {
  auto many = [](auto one) {
    std::string out;
    for (int i = 0; i < 100'000; ++i) {
      out += (i == 0 ? "" : ",") + one(std::to_string(i));
    }
    return out;
  };
  const std::string members = many([](const std::string& i) { return "\"k" + i + "\":1"; });
  const std::string families = many([](const std::string& i) { return R"({"name":"f)" + i + R"("})"; });
  EXPECT_EQ(Put("t/scanner", "{" + members + "}").status, 201);
  EXPECT_EQ(Put("t/r", "{\"Row\":[{" + members + ",\"key\":5}]}").status, 400);
  EXPECT_EQ(Put("u/schema", "{\"ColumnSchema\":[{\"name\":\"g\"," + members + ",\"VERSIONS\":\"x\"}]}").status, 400);
  EXPECT_EQ(Put("u/schema", "{\"ColumnSchema\":[" + families + R"(,{"name":"g","VERSIONS":"x"}]})").status, 400);
}

TEST_F(ResourcesTest, BoundsAnswers) {
  constexpr size_t kRows = 16;
  constexpr size_t kRowBytes =
      kMaxAnswerBytes / kRows;  // the size in an answer: with key, qualifier and 64 bytes of format
  const std::string kBinaryKind(kBinary);
  auto put = [&](char row, size_t bytes) {
    return Do(Request::Verb::kPut, std::string("t/") + row + "/f:q", std::string(bytes, 'x'), kBinaryKind).status;
  };
  std::string multiget = "t/multiget?";
  for (size_t i = 0; i < kRows; ++i) {
    const char row = static_cast<char>('a' + i);
    ASSERT_EQ(put(row, kRowBytes - 66), 200);
    multiget += std::string("row=") + row + "&";
  }
  auto status = [&](const std::string& path, std::string_view kind = kProtobuf) {
    return Do(Request::Verb::kGet, path, "", "", std::string(kind)).status;
  };
  EXPECT_EQ(status("t/a,z"), 200);
  EXPECT_EQ(status(multiget), 200);
  EXPECT_EQ(status("t/*?limit=16", kJson), 200);
  ASSERT_EQ(put('a', kRowBytes - 65), 200);
  for (const std::string& path : {std::string("t/a,z"), std::string("t/*"), multiget}) {
    const Response answer = Do(Request::Verb::kGet, path, "", "", std::string(kJson));
    EXPECT_EQ(answer.status, 413) << path;
    EXPECT_TRUE(answer.body.starts_with("The rows exceed 64 MB: use ")) << answer.body.substr(0, 80);
  }
  EXPECT_EQ(status("t/a,z?n=15"), 200);
  EXPECT_EQ(status("t/a,p"), 200) << "without the last row";
  EXPECT_EQ(status("t/a,z/f:q", kBinary), 200) << "one value";
  EXPECT_EQ(status("t/multiget?row=b"), 200);
}

TEST_F(ResourcesTest, Scanners) {
  std::string rows;
  for (char c = 'a'; c < 'f'; ++c) {
    rows += (rows.empty() ? "" : ",") + Row(std::string(1, c), Cell("f:x", "1", 1) + "," + Cell("f:y", "2", 1));
  }
  EXPECT_EQ(Put("t/any", Rows(rows)).status, 200);
  Response made = Put("t/scanner", R"({"batch":3,"startRow":")" + Base64("b") + R"("})");
  ASSERT_EQ(made.status, 201);
  ASSERT_EQ(made.headers[0].second, "http://h:1/t/scanner/1");
  EXPECT_EQ(Get("t/scanner/1").body,
            Rows(Row("b", Cell("f:x", "1", 1) + "," + Cell("f:y", "2", 1)) + "," + Row("c", Cell("f:x", "1", 1))));
  EXPECT_EQ(Get("t/scanner/1?c=1").body, Rows(Row("c", Cell("f:y", "2", 1))));
  EXPECT_EQ(Get("t/scanner/1").status, 200);
  EXPECT_EQ(Get("t/scanner/1").status, 200);
  EXPECT_EQ(Get("t/scanner/1").status, 204);
  EXPECT_EQ(Delete("t/scanner/1").status, 200);
  EXPECT_EQ(Get("t/scanner/1").status, 404);
  std::string filter = R"({\"type\":\"PrefixFilter\",\"value\":\")" + Base64("d") + R"(\"})";
  ASSERT_EQ(Put("t/scanner", R"({"batch":9,"filter":")" + filter + R"("})").status, 201);
  EXPECT_EQ(Get("t/scanner/2").body, Rows(Row("d", Cell("f:x", "1", 1) + "," + Cell("f:y", "2", 1))));
  EXPECT_EQ(Put("t/scanner", R"({"filter":"{\"type\":\"NoSuchFilter\"}"})").status, 400);
  EXPECT_EQ(Put("t/scanner", R"({"filter":"nonsense"})").status, 400);
}

TEST_F(ResourcesTest, Namespaces) {
  EXPECT_EQ(Do(Request::Verb::kPost, "namespaces/n", R"({"properties":{"k":"v"}})").status, 201);
  EXPECT_EQ(Do(Request::Verb::kPost, "namespaces/n").status, 403);
  EXPECT_EQ(Get("namespaces/n").body, R"({"properties":{"k":"v"}})");
  EXPECT_EQ(Put("namespaces/m", "").status, 403);
  EXPECT_EQ(Get("namespaces/n/tables").body, R"({"table":[]})");
  EXPECT_EQ(Delete("namespaces/n").status, 200);
  EXPECT_EQ(Delete("namespaces/n").status, 404);
  EXPECT_EQ(Do(Request::Verb::kDelete, "namespaces").status, 405);
}

TEST_F(ResourcesTest, DocumentsAsProtobuf) {
  proto::TableSchema schema;
  ASSERT_TRUE(schema.ParseFromString(Do(Request::Verb::kGet, "t/schema", "", "", "application/protobuf").body));
  EXPECT_EQ(schema.name(), "t");
  ASSERT_EQ(schema.columns_size(), 1);
  EXPECT_EQ(schema.columns(0).maxversions(), 3);
  schema.mutable_columns(0)->set_name("g");
  schema.mutable_columns(0)->clear_attrs();  // as from a client that sends only the short forms
  schema.mutable_columns(0)->set_maxversions(7);
  const std::string kind(kProtobuf);
  EXPECT_EQ(Do(Request::Verb::kPost, "t/schema", schema.SerializeAsString(), kind).status, 200);
  EXPECT_EQ(connection_->admin().GetDescriptor("t")->Find("g")->max_versions, 7);
  EXPECT_EQ(Do(Request::Verb::kPut, "t/schema", "\xff", kind).status, 400);

  proto::NamespaceProperties properties;
  properties.add_props()->set_key("k");
  properties.mutable_props(0)->set_value("v");
  EXPECT_EQ(Do(Request::Verb::kPost, "namespaces/n", properties.SerializeAsString(), kind).status, 201);
  EXPECT_EQ(Get("namespaces/n").body, R"({"properties":{"k":"v"}})");
  EXPECT_EQ(Do(Request::Verb::kGet, "namespaces/n", "", "", "text/plain").body, "{NAME => 'n', k => 'v'}");
  proto::Namespaces namespaces;
  ASSERT_TRUE(namespaces.ParseFromString(Do(Request::Verb::kGet, "namespaces", "", "", kind).body));
  EXPECT_EQ(namespaces.namespace__size(), 3);  // with default and hbase
  proto::StorageClusterStatus status;
  ASSERT_TRUE(status.ParseFromString(Do(Request::Verb::kGet, "status/cluster", "", "", kind).body));
  EXPECT_EQ(status.livenodes(0).name(), "h:1");
  EXPECT_EQ(status.regions(), 1);
  proto::TableInfo info;
  ASSERT_TRUE(info.ParseFromString(Do(Request::Verb::kGet, "t/regions", "", "", kind).body));
  EXPECT_EQ(info.regions_size(), 1);
}

TEST_F(ResourcesTest, FiltersAsJson) {
  EXPECT_EQ(Put("t/x",
                Rows(Row("r1", Cell("f:a", "1", 5) + "," + Cell("f:b", "2", 6)) + "," + Row("r2", Cell("f:a", "3", 7))))
                .status,
            200);
  auto cells = [&](const std::string& filter) -> std::string {
    std::string text;
    for (char c : filter) {
      text += c == '"' ? "\\\"" : std::string(1, c);
    }
    Response made = Put("t/scanner", "{\"filter\":\"" + text + "\"}");
    if (made.status != 201) {
      return std::to_string(made.status);
    }
    proto::CellSet set;
    const std::string path = made.headers[0].second.substr(std::string("http://h:1/").size());
    EXPECT_TRUE(set.ParseFromString(Do(Request::Verb::kGet, path, "", "", std::string(kProtobuf)).body));
    std::string out;
    for (const proto::CellSet::Row& row : set.rows()) {
      for (const proto::Cell& cell : row.values()) {
        out += cell.data();
      }
    }
    return out;
  };
  EXPECT_EQ(cells(R"({"type":"ColumnCountGetFilter","limit":1})"), "13");
  EXPECT_EQ(cells(R"({"type":"ColumnRangeFilter","minColumn":"Yg==","maxColumn":"Yg==","maxColumnInclusive":true})"),
            "2");
  EXPECT_EQ(cells(R"({"type":"MultipleColumnPrefixFilter","prefixes":["YQ=="]})"), "13");
  EXPECT_EQ(cells(R"({"type":"MultiRowRangeFilter","ranges":[{"startRow":"cjI=","stopRow":"cjM="}]})"), "3");
  EXPECT_EQ(cells(R"({"type":"FuzzyRowFilter","fuzzyKeys":[{"key":"cjE=","mask":"AAA="}]})"), "12");
  EXPECT_EQ(cells(R"({"type":"TimestampsFilter","timestamps":[6,"7"]})"), "23");
  EXPECT_EQ(cells(R"({"type":"RandomRowFilter","chance":2})"), "123");
  EXPECT_EQ(cells(R"({"type":"ValueFilter","op":"NOT_EQUAL","comparator":{"type":"NullComparator"}})"), "123");
  EXPECT_EQ(
      cells(R"({"type":"ValueFilter","op":"EQUAL","comparator":{"type":"BitComparator","value":"Mg==","op":"XOR"}})"),
      "13");
  EXPECT_EQ(cells(R"({"type":"DependentColumnFilter","family":"Zg==","qualifier":"Yg==","op":"EQUAL",)"
                  R"("comparator":{"type":"BinaryComparator","value":"Mg=="}})"),
            "2");
  for (const char* bad :
       {R"({"type":"FuzzyRowFilter","fuzzyKeys":5})", R"({"type":"FuzzyRowFilter","fuzzyKeys":[5]})",
        R"({"type":"TimestampsFilter","timestamps":["x"]})", R"({"type":"RandomRowFilter"})",
        R"({"type":"MultiRowRangeFilter"})", R"({"type":"ColumnCountGetFilter","limit":5000000000})",
        R"({"type":"ValueFilter","op":"EQUAL","comparator":{"type":"BitComparator","value":"Mg==","op":"NO"}})"}) {
    EXPECT_EQ(cells(bad), "400") << bad;
  }
}

}  // namespace
}  // namespace klip::rest
