// The console's calls over HTTP, as made by a browser: limits, errors, and rejected requests.
#include "console/gateway.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include "base/temp_directory_test.h"
#include "console/api.h"
#include "klip/bytes.h"
#include "klip/index.h"
#include "klip/sql.h"

namespace klip::console {
namespace {

class ConsoleTest : public testing::Test {
 protected:
  void SetUp() override {
    ConnectionOptions options;
    options.sync_wal = false;
    auto connection = Connection::Open("klip:" + directory_.Sub("store"), options);
    ASSERT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
    ASSERT_TRUE(
        connection_->admin()
            .CreateTable(
                {.name = "t", .families = {{.name = "f"}}, .attributes = {{"KLIP_ROW_KEY", "user:text('|') day:date"}}})
            .ok());
    table_ = *connection_->GetTable("t");
    auto gateway = StartGateway(connection_.get());
    ASSERT_TRUE(gateway.ok()) << gateway.status().ToString();
    gateway_ = *std::move(gateway);
    http_ = std::make_unique<httplib::Client>("127.0.0.1", gateway_->port());
  }

  void PutRow(const std::string& user, const std::string& day, const std::string& value = "v") {
    const std::string row = *table_->row_key_schema()->Encode({user, day});
    ASSERT_TRUE(table_->Put(Put{.row = row}.Add("f", "q", value)).ok());
  }

  Json GetJson(const std::string& call, int status = 200) {
    auto answer = http_->Get("/console/api/" + call);
    EXPECT_TRUE(answer) << call;
    EXPECT_EQ(answer->status, status) << call << ": " << answer->body;
    Json json = Json::parse(answer->body, nullptr, false);
    EXPECT_TRUE(json.is_object()) << answer->body;
    return json;
  }

  TempDirectory directory_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<httplib::Client> http_;
};

TEST_F(ConsoleTest, AdvisesOnKeys) {
  for (int i = 0; i < 200; ++i) {
    PutRow("user" + std::to_string(i % 20), "201406" + std::to_string(10 + i / 20));
  }
  const auto ask = [&](const Json& body, int status) {
    auto answer = http_->Post("/console/api/advice", body.dump(), "application/json");
    EXPECT_TRUE(answer);
    EXPECT_EQ(answer->status, status) << answer->body;
    return Json::parse(answer->body, nullptr, false);
  };
  const Json advice = ask({{"table", "t"}, {"queries", "3 day=20140615\nuser=user1"}}, 200);
  EXPECT_EQ(advice["sampled_rows"], 200);
  EXPECT_EQ(advice["queries"].size(), 2U);
  EXPECT_TRUE(advice["designs"][0]["present"]);
  EXPECT_GT(advice["designs"].size(), 1U);
  EXPECT_NE(ask({{"table", "t"}, {"queries", "0 day=20140615"}}, 400)["error"].dump().find("line 1"),
            std::string::npos);
  ask({{"table", "nowhere"}}, 404);
  EXPECT_EQ(http_->Get("/console/api/advice?table=t")->status, 405);
}

TEST_F(ConsoleTest, ChangesNothingUnlessAllowed) {
  PutRow("alice", "20140628");
  EXPECT_EQ(GetJson("access")["changes"], false);
  for (const auto& [call, body] : std::vector<std::pair<std::string, Json>>{
           {"put",
            {{"table", "t"}, {"field user", "bob"}, {"field day", "20140628"}, {"column", "f:q"}, {"value", "v"}}},
           {"delete", {{"table", "t"}, {"row", "alice|20140628"}}},
           {"create", {{"table", "u"}, {"families", "f"}}},
           {"change", {{"table", "t"}, {"action", "flush"}}},
           {"index", {{"table", "t"}, {"index", "i"}, {"on", "f:q text"}}},
           {"sql", {{"statement", "CREATE TABLE s (k VARCHAR PRIMARY KEY)"}}}}) {
    auto answer = http_->Post("/console/api/" + call, body.dump(), "application/json");
    EXPECT_EQ(answer->status, 403) << call << answer->body;
    EXPECT_NE(answer->body.find("read-only"), std::string::npos) << answer->body;
  }
  EXPECT_EQ(connection_->admin().ListTables()->size(), 1U);
  EXPECT_EQ(*table_->CountRows({}), 1);
}

TEST_F(ConsoleTest, ChangesRowsTablesAndIndexes) {
  auto gateway = StartGateway(connection_.get(), {}, /*allow_changes=*/true);
  ASSERT_TRUE(gateway.ok());
  http_ = std::make_unique<httplib::Client>("127.0.0.1", (*gateway)->port());
  EXPECT_EQ(GetJson("access")["changes"], true);
  const auto post = [&](const std::string& call, const Json& body, int status = 200) {
    auto answer = http_->Post("/console/api/" + call, body.dump(), "application/json");
    EXPECT_EQ(answer->status, status) << call << ": " << answer->body;
    const Json json = Json::parse(answer->body, nullptr, false);
    return json.value(status == 200 ? "done" : "error", "");
  };
  Json put = {
      {"table", "t"}, {"field user", "bob"}, {"field day", "20140628"}, {"column", "f:q"}, {"value", "a\\x01b"}};
  EXPECT_EQ(post("put", put), "put a cell of row bob|20140628");
  EXPECT_EQ(table_->Get({.row = "bob|20140628"})->Find("f", "q")->value,
            "a\x01"
            "b");
  put["field day"] = "June";
  EXPECT_NE(post("put", put, 400).find("day"), std::string::npos);
  put["field day"] = "20140629";
  put["column"] = "q";
  EXPECT_EQ(post("put", put, 400), "column 'q' is not of the form family:qualifier");
  put["column"] = "nope:q";
  post("put", put, 400);
  EXPECT_EQ(post("put", {{"table", "t"}, {"column", "f:q"}}, 400), "row is missing");
  EXPECT_EQ(post("put", {{"table", "t"}, {"row", "carl|20140628"}, {"column", "f:q"}, {"value", "1"}}),
            "put a cell of row carl|20140628");

  post("index", {{"table", "t"}, {"index", "by_q"}, {"on", "f:q i32"}}, 400);
  EXPECT_EQ(post("delete", {{"table", "t"}, {"row", "bob|20140628"}, {"column", "f:q"}}),
            "deleted a column of row bob|20140628");
  EXPECT_EQ(post("index", {{"table", "t"}, {"index", "by_q"}, {"on", "f:q text"}}), "created index by_q");
  EXPECT_EQ(GetJson("table?table=t")["indexes"].size(), 1U);
  EXPECT_EQ(GetJson("table?table=t")["indexes"][0]["unusable"], false);
  ASSERT_TRUE((*connection_->admin().indexes())->SetUsable("t", "by_q", false).ok());
  EXPECT_EQ(GetJson("table?table=t")["indexes"][0]["unusable"], true);
  EXPECT_EQ(GetJson("rows?table=t&where=f:q%3D1")["rows"].size(), 1U);
  post("index", {{"table", "t"}, {"index", "bad"}, {"on", "f:q nonsense"}}, 400);
  EXPECT_EQ(post("index", {{"table", "t"}, {"index", "by_q"}}), "dropped index by_q");
  EXPECT_EQ(post("delete", {{"table", "t"}, {"row", "carl|20140628"}}), "deleted row carl|20140628");
  EXPECT_EQ(*table_->CountRows({}), 0);

  EXPECT_EQ(post("create", {{"table", "u"}, {"families", "f, g"}, {"key", "name:text"}}), "created table u");
  EXPECT_EQ(connection_->admin().GetDescriptor("u")->families.size(), 2U);
  post("create", {{"table", "v"}}, 400);
  EXPECT_EQ(post("change", {{"table", "u"}, {"action", "split"}, {"key", "m"}}), "split of table u is done");
  EXPECT_EQ(connection_->admin().GetRegions("u")->size(), 2U);
  for (const char* const action : {"flush", "compact", "disable", "enable"}) {
    post("change", {{"table", "u"}, {"action", action}});
  }
  EXPECT_NE(post("change", {{"table", "u"}, {"action", "explode"}}, 400).find("flush, compact"), std::string::npos);
  EXPECT_NE(post("change", {{"table", "u"}, {"action", "drop"}, {"confirm", "t"}}, 400).find("confirm"),
            std::string::npos);
  post("change", {{"table", "u"}, {"action", "truncate"}, {"confirm", "u"}});
  post("change", {{"table", "u"}, {"action", "drop"}, {"confirm", "u"}});
  EXPECT_FALSE(*connection_->admin().TableExists("u"));

  const auto sql = [&](const std::string& statement) {
    auto answer = http_->Post("/console/api/sql", Json{{"statement", statement}}.dump(), "application/json");
    EXPECT_EQ(answer->status, 200) << answer->body;
    return Json::parse(answer->body, nullptr, false);
  };
  EXPECT_EQ(sql("CREATE TABLE s (k VARCHAR PRIMARY KEY)")["updated"], 0);
  EXPECT_EQ(sql("UPSERT INTO s VALUES ('x')")["updated"], 1);
  EXPECT_EQ(sql("SELECT * FROM s")["rows"].size(), 1U);
  // Another site's page could only send a form.
  EXPECT_EQ(http_->Post("/console/api/change", "table=s", "application/x-www-form-urlencoded")->status, 400);
  const std::string drop = Json{{"table", "S"}, {"action", "drop"}, {"confirm", "S"}}.dump();
  EXPECT_EQ(http_->Post("/console/api/change", {{"Origin", "http://evil.example"}}, drop, "application/json")->status,
            403);
}

TEST_F(ConsoleTest, ServesItsFilesUnderAStrictPolicy) {
  for (const auto& [path, type] : {std::pair("/console/", "text/html; charset=utf-8"),
                                   {"/console/main.js", "text/javascript; charset=utf-8"},
                                   {"/console/style.css", "text/css; charset=utf-8"}}) {
    auto page = http_->Get(path);
    EXPECT_EQ(page->status, 200) << path;
    EXPECT_EQ(page->get_header_value("Content-Type"), type);
    const std::string policy = page->get_header_value("Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'")) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(page->get_header_value("X-Content-Type-Options"), "nosniff");
  }
  EXPECT_EQ(http_->Get("/")->get_header_value("Location"), "/console/");
  EXPECT_EQ(http_->Get("/console")->get_header_value("Location"), "/console/");
  EXPECT_EQ(http_->Get("/console/../etc/passwd")->status, 404);
  EXPECT_EQ(http_->Get("/console/tsconfig.json")->status, 404);
  EXPECT_EQ(http_->Post("/console/main.js", "", "text/plain")->status, 405);
}

// Otherwise a page would load files from the network, or contain scripts.
TEST_F(ConsoleTest, PagesHaveNoScriptOfTheirOwn) {
  const std::string page = http_->Get("/console/")->body;
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
}

TEST_F(ConsoleTest, RefusesOtherHostsAndOrigins) {
  EXPECT_EQ(http_->Get("/console/api/tables", {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(http_->Get("/console/api/tables", {{"Origin", "http://evil.example"}})->status, 403);
  EXPECT_EQ(http_->Get("/console/api/tables", {{"Host", "localhost:1"}})->status, 200);
}

TEST_F(ConsoleTest, TellsTablesAndTheirFields) {
  PutRow("alice", "20140628");
  ASSERT_TRUE(connection_->admin().Flush("t").ok());
  const Json tables = GetJson("tables");
  ASSERT_EQ(tables["tables"].size(), 1U);
  EXPECT_EQ(tables["tables"][0]["name"], "t");
  EXPECT_EQ(tables["tables"][0]["key"], "user:text('|') day:date");
  const Json table = GetJson("table?table=t");
  EXPECT_EQ(table["fields"][1]["name"], "day");
  EXPECT_EQ(table["fields"][1]["type"], "date");
  EXPECT_EQ(table["statistics"]["rows"], 1);
  EXPECT_EQ(table["regions"].size(), 1U);
  ASSERT_TRUE(connection_->admin().DisableTable("t").ok());
  EXPECT_EQ(GetJson("table?table=t")["enabled"], false);
  EXPECT_NE(GetJson("rows?table=t", 409)["error"].get<std::string>().find("disabled"), std::string::npos);
}

TEST_F(ConsoleTest, PagesThroughRows) {
  for (int day = 20140601; day < 20140611; ++day) {
    PutRow("alice", std::to_string(day));
    PutRow("bob", std::to_string(day));
  }
  std::string keys;
  std::string after;
  int pages = 0;
  while (true) {
    const Json page = GetJson("rows?table=t&limit=4&where=user%3Dbob" + (after.empty() ? "" : "&after=" + after));
    ++pages;
    for (const Json& row : page["rows"]) {
      keys += row["fields"][0].get<std::string>() + row["fields"][1].get<std::string>() + " ";
      EXPECT_EQ(row["cells"][0]["column"], "f:q");
      EXPECT_EQ(row["cells"][0]["value"], "v");
    }
    if (page["next"].is_null()) {
      break;
    }
    after = httplib::detail::encode_query_param(page["next"].get<std::string>());
  }
  EXPECT_EQ(keys,
            "bob20140601 bob20140602 bob20140603 bob20140604 bob20140605 bob20140606 bob20140607 bob20140608 "
            "bob20140609 bob20140610 ");
  EXPECT_EQ(pages, 3);
}

TEST_F(ConsoleTest, ExplainsWithWhatCame) {
  PutRow("alice", "20140628");
  PutRow("bob", "20140628");
  ASSERT_TRUE(connection_->admin().Flush("t").ok());
  const Json planned = GetJson("explain?table=t&where=day%3D2014-06-28");
  EXPECT_EQ(planned["explain"]["fields"][1]["condition"], "= 20140628");
  EXPECT_FALSE(planned["explain"].contains("actual"));
  const Json run = GetJson("explain?table=t&where=day%3D2014-06-28&run=1");
  EXPECT_EQ(run["complete"], true);
  EXPECT_EQ(run["explain"]["actual"]["rows_returned"], 2);
}

TEST_F(ConsoleTest, BoundsWhatItAnswers) {
  Put wide{.row = *table_->row_key_schema()->Encode({"wide", "20140628"})};
  for (int i = 0; i < 1000; ++i) {
    wide.Add("f", std::to_string(i), "v");
  }
  ASSERT_TRUE(table_->Put(wide).ok());
  for (int i = 0; i < 600; ++i) {
    PutRow("x" + std::to_string(i), "20140628", std::string(3000, '\xFF'));
  }
  const Json page = GetJson("rows?table=t&limit=500");
  EXPECT_LT(page.dump().size(), 2 * kMaxAnswerBytes);
  EXPECT_EQ(page["rows"][0]["cut"], true);  // "wide" precedes "x0"
  EXPECT_EQ(page["rows"][0]["cells"].size(), static_cast<size_t>(kMaxRowCells));
  const Json asked = GetJson("rows?table=t&limit=500&where=f:7%3Dv");  // a condition on a column
  ASSERT_EQ(asked["rows"].size(), 1U);
  EXPECT_EQ(asked["rows"][0]["cut"], true);
  EXPECT_EQ(asked["rows"][0]["cells"].size(), static_cast<size_t>(kMaxRowCells));
  const Json second =
      GetJson("rows?table=t&limit=500&after=" + httplib::detail::encode_query_param(page["next"].get<std::string>()));
  ASSERT_GT(second["rows"].size(), 10U);
  EXPECT_LT(second["rows"].size(), 500U);
  EXPECT_EQ(second["rows"][0]["cells"][0]["bytes"], 3000);
  EXPECT_EQ(second["rows"][0]["cells"][0]["value"].get<std::string>().size(), 4 * kMaxShownBytes);
  EXPECT_FALSE(second["next"].is_null());
}

TEST_F(ConsoleTest, NamesWhatIsWrong) {
  EXPECT_NE(GetJson("table?table=none", 404)["error"].get<std::string>().find("none"), std::string::npos);
  GetJson("rows", 404);
  GetJson("nothing", 404);
  EXPECT_NE(GetJson("rows?table=t&where=nofield%3D1", 400)["error"].get<std::string>().find("nofield"),
            std::string::npos);
  for (const char* const limit : {"0", "501", "-1", "x", "1x", "99999999999999999999"}) {
    GetJson(std::string("rows?table=t&limit=") + limit, 400);
  }
  GetJson("rows?table=%zz", 400);
  GetJson("rows?table=%4", 400);
  GetJson("rows?table=t&where=%00%FF%27", 400);
  EXPECT_EQ(http_->Post("/console/api/rows?table=t", "", "text/plain")->status, 405);
  EXPECT_EQ(http_->Delete("/console/api/tables")->status, 405);
}

TEST_F(ConsoleTest, TellsHeatByFields) {
  for (int i = 0; i < 3000; ++i) {
    PutRow(i % 10 == 0 ? "user" + std::to_string(i / 10) : "alice", std::to_string(20140101 + i % 28));
  }
  const Json heat = GetJson("heat?table=t&metric=writes");
  ASSERT_FALSE(heat["slots"].empty());
  EXPECT_EQ(heat["ranges"][0]["fields"][0], "alice");
  ASSERT_GE(heat["findings"].size(), 1U);  // on a busy machine, a slow write is another finding
  EXPECT_EQ(heat["findings"][0]["start"].get<std::string>().substr(0, 6), "alice|");
  EXPECT_NE(heat["findings"][0]["text"].get<std::string>().find("of writes hit one of"), std::string::npos);
  EXPECT_LE(GetJson("heat?table=t&ranges=10")["ranges"].size(), 10U);
  const Json alice = GetJson("heat?table=t&start=alice%7C&stop=alice%7D");
  for (const Json& range : alice["ranges"]) {
    EXPECT_EQ(range["fields"][0], "alice");
  }
  EXPECT_TRUE(GetJson("heat?table=t&to=1")["slots"].empty());
  for (const char* const bad : {"metric=x", "from=-1", "to=x", "ranges=0", "ranges=1001"}) {
    GetJson(std::string("heat?table=t&") + bad, 400);
  }
  GetJson("heat?table=none", 404);
}

TEST_F(ConsoleTest, TellsTheServerAndItsStore) {
  const Json told = GetJson("server");
  ASSERT_EQ(told["servers"].size(), 1U);
  EXPECT_EQ(told["servers"][0]["regions"], 1);
  EXPECT_TRUE(told["store"].contains("memtable_bytes"));
  EXPECT_TRUE(told["slow_calls"].empty());
  EXPECT_TRUE(told["peers"].empty());
}

TEST_F(ConsoleTest, TellsTheValuesOfFields) {
  for (int i = 0; i < 300; ++i) {
    PutRow(i % 3 == 0 ? "user" + std::to_string(i) : "alice", std::to_string(20140101 + i % 28));
  }
  ASSERT_TRUE(connection_->admin().Flush("t").ok());
  const Json fields = GetJson("values?table=t")["fields"];
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0]["name"], "user");
  EXPECT_EQ(fields[0]["common"][0]["value"], "alice");
  EXPECT_NEAR(fields[0]["common"][0]["share"].get<double>(), 28.0 / 128, 0.01);  // alice has 28 rows, 100 others one
  EXPECT_EQ(fields[0]["common"].size(), 1U);
  EXPECT_EQ(fields[1]["tenths"][0], "20140101");
  EXPECT_EQ(fields[1]["tenths"][10], "20140128");
  GetJson("values?table=none", 404);
}

class ConsoleSqlTest : public ConsoleTest {
 protected:
  void SetUp() override {
    ConsoleTest::SetUp();
    session_ = *sql::Session::Open(connection_.get());
    Run("CREATE TABLE people (name VARCHAR PRIMARY KEY, age INTEGER)");
    Run("UPSERT INTO people VALUES ('<b>amy</b>', 30)");
    Run("UPSERT INTO people VALUES ('bob', NULL)");
    Run("CREATE SEQUENCE numbers");
  }
  void Run(const std::string& statement) {
    const auto rows = session_->Execute(statement);
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  }
  Json PostSql(const Json& body, int status = 200) {
    auto answer = http_->Post("/console/api/sql", body.dump(), "application/json");
    EXPECT_EQ(answer->status, status) << answer->body;
    return Json::parse(answer->body, nullptr, false);
  }

  std::unique_ptr<sql::Session> session_;
};

TEST_F(ConsoleSqlTest, RunsWhatReads) {
  const Json told = PostSql({{"statement", "SELECT name, age FROM people ORDER BY name"}});
  EXPECT_EQ(told["columns"][1]["label"], "AGE");
  EXPECT_EQ(told["rows"], Json::parse(R"([["<b>amy</b>", "30"], ["bob", null]])"));
  EXPECT_EQ(told["more"], false);
  EXPECT_EQ(PostSql({{"statement", "SELECT name FROM people"}, {"limit", 1}})["rows"].size(), 1U);
  EXPECT_GT(PostSql({{"statement", "EXPLAIN SELECT name FROM people"}})["rows"].size(), 0U);
  EXPECT_EQ(GetJson("sql_tables")["tables"], Json::parse(R"([{"name": "PEOPLE", "schema": ""}])"));
}

TEST_F(ConsoleSqlTest, RefusesWhatWrites) {
  for (const char* const statement : {"UPSERT INTO people VALUES ('eve', 1)", "DELETE FROM people", "DROP TABLE people",
                                      "CREATE TABLE x (a INTEGER PRIMARY KEY)", "SELECT NEXT VALUE FOR numbers"}) {
    EXPECT_EQ(PostSql({{"statement", statement}}, 403)["error"].get<std::string>(),
              "ReadOnly: the console is read-only" + std::string(statement[0] == 'S' ? "" : ": use SELECT or EXPLAIN"))
        << statement;
  }
  EXPECT_EQ(PostSql({{"statement", "SELECT COUNT(*) FROM people"}})["rows"][0][0], "2");
}

TEST_F(ConsoleSqlTest, NamesWhatIsWrong) {
  EXPECT_NE(PostSql({{"statement", "SELEC"}}, 400)["error"].get<std::string>().find("ERROR 601"), std::string::npos);
  PostSql({{"statement", ""}}, 400);
  PostSql({{"statement", "SELECT ?"}}, 400);
  PostSql({{"limit", 0}}, 400);
  PostSql({{"statement", Json::array()}}, 400);
  PostSql(Json::array(), 400);
  EXPECT_EQ(http_->Get("/console/api/sql")->status, 405);
  EXPECT_EQ(http_->Post("/console/api/sql", "statement=SELECT+1", "application/x-www-form-urlencoded")->status, 400);
  EXPECT_EQ(http_->Post("/console/api/sql", "{", "application/json")->status, 400);
  EXPECT_EQ(http_->Post("/console/api/sql", std::string(100'000, '['), "application/json")->status, 400);
  EXPECT_EQ(http_
                ->Post("/console/api/sql", {{"Origin", "http://evil.example"}}, R"({"statement":"SELECT 1"})",
                       "application/json")
                ->status,
            403);
}

TEST_F(ConsoleTest, ShowsTextAsTextAndBytesAsBytes) {
  EXPECT_EQ(Shown("Grüße <b>"), "Grüße <b>");
  EXPECT_EQ(Shown(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Shown("\xFF"), "\\xFF");
  EXPECT_EQ(Shown("\xC3"), "\\xC3");                    // half a character
  EXPECT_EQ(Shown("\xC0\xAF"), "\\xC0\\xAF");           // an overlong slash
  EXPECT_EQ(Shown("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // half a surrogate
  EXPECT_EQ(Shown("a\xE2\x80\xAE"
                  "b"),
            "a\\xE2\\x80\\xAEb");  // reverses the direction of text
  EXPECT_EQ(Shown("line\nline"), "line\\x0Aline");
}

}  // namespace
}  // namespace klip::console
