#include "fuzz/seeds.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temp_directory_test.h"
#include "engine/layout/cell_key.h"
#include "engine/statistics/key_statistics.h"
#include "engine/store/store.h"
#include "engine/store/table_catalog.h"
#include "engine/store/views.h"
#include "filter/filter_samples_test.h"
#include "filter/proto/filter_proto.h"
#include "filter/rows/key_sample.h"
#include "fuzz/targets.h"
#include "klip/bytes.h"
#include "proto/Client.pb.h"
#include "rpc/cell_block.h"
#include "rpc/client_message.h"

namespace klip::fuzz {
namespace {

std::string StoredSample() {
  filter::KeySample sample;
  sample.rows.limit = UINT64_MAX;
  sample.rows.items = {{"aa1", 0, 5}, {"aa2", 0, 7, 6}, {std::string(filter::KeySample::kMaxBytes, 'b'), 3, 1}};
  sample.prefixes.resize(1);
  sample.prefixes[0].items = {{"aa", 0, 2}, {"bb", 0, 1}};
  sample.values.resize(1);
  sample.values[0] = {{{"aa", 2, 1}}, 3, 2, 1};
  return sample.Serialize(4096);
}

std::string StoredStatistics() {
  engine::KeyStatistics statistics;
  statistics.rows = 3;
  statistics.cells = 7;
  statistics.shortest_row_bytes = 2;
  statistics.prefixes.resize(2);
  statistics.prefixes[0].Add(1);
  for (uint64_t i = 0; i < 5000; ++i) {
    statistics.prefixes[1].Add(i * 0x9e3779b97f4a7c15);
  }
  statistics.anchors = {{"a", 1, 10}, {"b", 2, 20}};
  return statistics.Serialize();
}

std::string FileBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The log of a store with puts, deletes, tags, write sequences, cells that came by replication, and a nonce.
std::string StoreLog(size_t value_bytes) {
  const TempDirectory temp;
  Expected<std::unique_ptr<engine::Store>> opened = engine::Store::Open({.path = temp.path(), .sync_wal = false});
  Check(opened.ok());
  engine::Store& store = **opened;
  TableDescriptor table = {.name = "t", .families = {{.name = "f"}, {.name = "g"}}};
  table.families[1].new_version_behavior = true;
  Check(store.catalog().CreateTable(table, {}).ok());
  const engine::TablePtr view = *store.views().GetTable("t");
  engine::WriteSet writes;
  writes.Add(view->families[0], "row", "q", 5, CellType::kPut, std::string(value_bytes, 'v'));
  writes.Add(view->families[1], std::string_view("r\0w", 3), "", 6, CellType::kDeleteFamily, "");
  writes.AddNonce({8, 9}, 10);
  Check(store.Write(&writes, Durability::kAsyncWal).ok());
  engine::WriteSet replicated;
  replicated.BeginReplicated({{1, 2}, {3, 4}});
  replicated.Add(view->families[0], "row", "r", 7, CellType::kPut, "w", engine::TtlTag(500));
  replicated.EndReplicated();
  Check(store.Write(&replicated, Durability::kAsyncWal).ok());
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(temp.path())) {
    if (std::string bytes = entry.path().extension() == ".log" ? FileBytes(entry.path()) : "";
        bytes.size() > log.size()) {
      log = std::move(bytes);
    }
  }
  Check(log.size() > value_bytes);
  return log;
}

std::string Framed(std::string_view bytes) {
  std::string frame;
  AppendBigEndian(static_cast<int32_t>(bytes.size()), &frame);
  return frame.append(bytes);
}

// As FuzzPorts reads it: what opens a connection to the RPC port, and two calls, of which one is of no method.
std::string RpcSession() {
  std::string bytes = {0, 7};
  bytes += rpc::EncodePreamble(rpc::Authentication::kSimple).view();
  bytes += rpc::EncodeConnectionHeader("ClientService", "fuzz").view();
  hbase::pb::RequestHeader header;
  header.set_call_id(1);
  header.set_method_name("Get");
  header.set_request_param(true);
  hbase::pb::GetRequest get;
  get.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  get.mutable_region()->set_value("hbase:meta,,1");
  get.mutable_get()->set_row("t,,1");
  bytes += rpc::EncodeRequest(header, get, 0).view();
  header.set_call_id(2);
  header.set_method_name("Nothing");
  bytes += rpc::EncodeRequest(header, get, 0).view();
  return bytes;
}

// The same of the ZooKeeper port: a session, a node's data and children, a ping.
std::string ZooKeeperSession() {
  using namespace std::string_literals;
  const auto path = [](const char* name, int type) {
    std::string request = {0, 0, 0, 1, 0, 0, 0, static_cast<char>(type)};
    return request.append(Framed(name)) + '\0';
  };
  std::string bytes = {1, 15};
  bytes += Framed(std::string(44, '\0') + '\0');
  bytes += Framed(path("/hbase/master", 4)) + Framed(path("/hbase", 12)) + Framed(path("/hbase/table/t", 3));
  return bytes + Framed("\xFF\xFF\xFF\xFE\0\0\0\x0B"s) + Framed("\0\0\0\2\xFF\xFF\xFF\xF5"s);
}

// As FuzzRest reads it.
std::string RestRequest(char verb, char kinds, std::string_view target, std::string body = "") {
  body.resize((body.size() + 3) / 4 * 4, ' ');
  return std::string({verb, kinds, static_cast<char>(body.size() / 4)}) + std::string(target) + '\0' + body;
}

}  // namespace

std::vector<std::string> Seeds() {
  using namespace std::string_literals;
  using namespace std::string_view_literals;
  std::vector<std::string> corpus = {
      "",
      "\0\0\0"s,
      "username:text(10,'*') date:digits(8) domain:text(20,'*')\0date=20140628 OR username=al*\0alice*****20140628foo.bar*************"s,
      "salt(16) org:u32 ts:reverse_ts seq:u64\0org=7 ts=1..2\0\x01\0\0\0\x07"s,
      "h:md5(user,8) user:text(12)\0user=bob,alice\0"s,
      "a:text('_') b:bytes(2) '_' n:i16 desc c:text\0a=x b=~'?y' n>=-3 n<9\0x_ay_\x7f\xfcrest"s,
      "d:date\0d>=20240101\020240101"s,
      "SELECT /*+ SKIP_SCAN */ a.b, COUNT(*) c FROM s.t a LEFT JOIN u ON a.x = u.y WHERE (p, q) > (?, :2) GROUP BY 1 "
      "LIMIT 5;",
      "UPSERT INTO t(k, f.v INTEGER) VALUES ('it''s', x'00ff'), (NULL, -1) ON DUPLICATE KEY UPDATE f.v = f.v + 1",
      "CREATE TABLE \"t\" (k CHAR(3) NOT NULL, v DECIMAL(10,2) ARRAY CONSTRAINT pk PRIMARY KEY (k DESC)) TTL=5",
      "WITH a (x, y) AS (SELECT k, SUM(v) FROM t GROUP BY k), b AS (SELECT * FROM a EXCEPT (SELECT 1, 2 LIMIT 3)) "
      "SELECT x FROM a INTERSECT SELECT y FROM b MINUS SELECT ? UNION ALL SELECT 4 ORDER BY 1 DESC NULLS LAST",
      "SHOW TABLES IN s LIKE 'a%'",
      "SHOW CREATE TABLE s.\"t\"",
      "1 + LAG(v, 2, -1) OVER (PARTITION BY a, UPPER(b) ORDER BY c DESC NULLS LAST, d)",
      "SUM(v) OVER (ORDER BY k ROWS BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING)",
      "CASE a WHEN 1 THEN b LIKE '%x\\_' ELSE CAST(c[2] AS VARCHAR(5)) || d END",
      "NOT (a BETWEEN 1 AND 2) OR c NOT IN (1, 2) OR (d - e + f) * -g % 2 <= ALL(ARRAY[1, 2])",
      "DATE '2014-06-28' <= COALESCE(NEXT 5 VALUES FOR s.q, TO_DATE('x'))",
      "l:md5\0\0\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x13\xff!"s,
  };
  std::string key;
  engine::AppendCellKey("ro\0w"s, "q\0"s, 5, CellType::kPut, &key);
  corpus.push_back(key);
  std::string value;
  engine::AppendCellValue("value", engine::TtlTag(500), 9, true, &value);
  corpus.push_back(value);
  corpus.push_back(StoredStatistics());
  corpus.push_back(StoredSample());
  corpus.push_back(
      "\x05\x01\x02\x00\x03"
      "a?x\x00\x01\x00\x01"
      "a\x02"
      "a2\x03"
      "a2x\x04"
      "b2xx\x03"
      "c3x"s);
  rpc::Buffer block;
  rpc::AppendCell({.row = "r", .family = "f", .qualifier = "q", .timestamp_ms = 5, .value = "v", .tags = "\0\1\2x"sv},
                  rpc::CellCodec::kKeyValueWithTags, &block);
  corpus.emplace_back(block.view());
  for (const char* name : {"none", "prefix", "diff", "fast_diff", "row_index_v1"}) {
    corpus.push_back(FileBytes(std::string(KLIP_HFILE_DIRECTORY) + "/" + name + ".hfile"));
  }
  corpus.push_back(
      "\x08\0\3\0\0\0\0\1f"  // a block of two cells: flags, encoding, size, family
      "\x80\x0F\1\0\0\1rq\x05\x04v"
      "\x0F\6\2w"s);
  corpus.push_back("\x0a\x08\x2a\x1a\x03Get\x20\x01\x02pa"s);  // a request: header, parameter
  corpus.push_back(
      "\x80\x01\0\x01\0\0\0\x03get\0\0\0\x01\x0b\0\x01\0\0\0\x01t\x0b\0\x02\0\0\0\x01r\x0b\0\x03\0\0\0\x01q\0"s);  // Thrift
  corpus.push_back("\0\0\0\x1a\x80\x01\0\x01\0\0\0\x0dgetTableNames\0\0\0\x01\0"s);       // framed
  corpus.push_back("\x82\x21\x01\x06getRow\x18\x01t\x18\x01r\x1b\x01\x88\x01k\x01v\0"s);  // compact
  corpus.push_back(
      RestRequest(
          1, 0, "t/row5",
          R"({"Row":[{"key":"cm93NQ==","Cell":[{"column":"ZjpxMQ==","timestamp":7,"$":"dg=="},{"column":"ZjpxMg==","$":""}]}]})") +
      RestRequest(2, 6, "t/scanner", R"(<Scanner batch="2" startRow="YQ=="><column>Zjpx</column></Scanner>)") +
      RestRequest(0, 0, "") + RestRequest(0, 1, "") + RestRequest(3, 0, ""));
  corpus.push_back(
      RestRequest(0, 1, "t/multiget?row=row1&row=a") + RestRequest(0, 2, "t/a,row2/f:q?v=3&filter=PrefixFilter('r')") +
      RestRequest(0, 0, "t/schema") +
      RestRequest(1, 0, "u/schema", R"({"ColumnSchema":[{"name":"f","VERSIONS":"3"}]})") +
      RestRequest(
          2, 0, "t/row1/f:q?check=put",
          R"({"Row":[{"key":"cm93MQ==","Cell":[{"column":"Zjpx","$":"eA=="},{"column":"Zjpx","$":"dmFsdWU="}]}]})"));
  for (const FilterPtr& filter : filter::FilterSamples()) {
    corpus.push_back(filter->ToString());
    corpus.push_back(std::string(filter->name()) + '\0' + filter::FilterToProto(*filter)->bytes);
  }
  corpus.push_back(RpcSession());
  corpus.push_back(ZooKeeperSession());
  corpus.push_back("\2\3GET /metrics?x HTTP/1.1\r\nHost: h\r\n\r\n");
  corpus.push_back(StoreLog(100));
  corpus.push_back(StoreLog(40'000));  // over two of its blocks
  return corpus;
}

}  // namespace klip::fuzz
