// hbase:meta's rows about split and merged regions and replicas; and what replicas answer.
#include "server/region/meta_table.h"

#include <map>
#include <string>
#include <vector>

#include "klip/bytes.h"
#include "klip/connection.h"
#include "klip/index.h"
#include "proto/Admin.pb.h"
#include "proto/Aggregate.pb.h"
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "rpc/cell_block.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class MetaTableTest : public ServerTest {
 protected:
  using Row = std::map<std::string, std::string>;  // qualifier -> value

  void Create(const std::vector<std::string>& splits, int replicas) {
    hbase::pb::CreateTableRequest create;
    SetTable(create.mutable_table_schema()->mutable_table_name());
    create.mutable_table_schema()->add_column_families()->set_name("f");
    hbase::pb::BytesBytesPair* attribute = create.mutable_table_schema()->add_attributes();
    attribute->set_first("REGION_REPLICATION");
    attribute->set_second(std::to_string(replicas));
    for (const std::string& split : splits) {
      create.add_split_keys(split);
    }
    RawClient(rpc_port(), "MasterService").Ask<hbase::pb::CreateTableResponse>("CreateTable", create);
  }

  static void SetTable(hbase::pb::TableName* name) {
    name->set_namespace_("default");
    name->set_qualifier("t");
  }
  static void SetRegion(const std::string& name, hbase::pb::RegionSpecifier* region) {
    region->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    region->set_value(name);
  }

  // Rows of the table's regions, in order, by name.
  std::vector<std::pair<std::string, Row>> Meta() {
    hbase::pb::ScanRequest scan;
    SetRegion("hbase:meta,,1", scan.mutable_region());
    scan.mutable_scan()->set_start_row("t,,");
    scan.mutable_scan()->set_stop_row("t ,,");
    scan.mutable_scan()->add_column()->set_family("info");
    scan.set_number_of_rows(100);
    std::string cells;
    RawClient(rpc_port(), "ClientService").Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    std::vector<std::pair<std::string, Row>> rows;
    rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValue);
    Cell cell;
    while (reader.Next(&cell)) {
      if (rows.empty() || rows.back().first != cell.row) {
        rows.emplace_back(cell.row, Row());
      }
      rows.back().second.emplace(cell.qualifier, cell.value);
    }
    return rows;
  }

  // "[c,m)", and the mark of a split region.
  static std::string Text(const std::string& value) {
    hbase::pb::RegionInfo info;
    EXPECT_TRUE(value.starts_with("PBUF") && info.ParseFromString(value.substr(4)));
    return "[" + info.start_key() + "," + info.end_key() + ")" + (info.offline() ? " offline" : "") +
           (info.split() ? " split" : "");
  }
  // A line for each region, with its origin or successors.
  std::string Regions() {
    std::string out;
    for (const auto& [name, row] : Meta()) {
      out += Text(row.at("regioninfo"));
      for (const auto& [qualifier, value] : row) {
        if (qualifier.starts_with("merge") || qualifier.starts_with("split")) {
          out += " " + qualifier + "=" + Text(value);
        }
      }
      out += " " + row.at("state") + "\n";
    }
    return out;
  }

  void Split(size_t row, const std::string& at) {
    hbase::pb::SplitTableRegionRequest split;
    ASSERT_TRUE(split.mutable_region_info()->ParseFromString(Meta()[row].second["regioninfo"].substr(4)));
    split.set_split_row(at);
    RawClient(rpc_port(), "MasterService").Ask<hbase::pb::SplitTableRegionResponse>("SplitRegion", split);
  }
  void Merge(const std::vector<size_t>& rows) {
    hbase::pb::MergeTableRegionsRequest merge;
    const auto meta = Meta();
    for (const size_t row : rows) {
      SetRegion(meta[row].first, merge.add_region());
    }
    RawClient(rpc_port(), "MasterService").Ask<hbase::pb::MergeTableRegionsResponse>("MergeTableRegions", merge);
  }
  int Janitor() {
    return RawClient(rpc_port(), "MasterService")
        .Ask<hbase::pb::RunCatalogScanResponse>("RunCatalogScan", hbase::pb::RunCatalogScanRequest())
        .scan_result();
  }
};

TEST_F(MetaTableTest, TellsWhatRegionsCameFromUntilTheJanitorRuns) {
  Create({"m"}, 1);
  Split(0, "c");
  EXPECT_EQ(Regions(),
            "[,m) offline split splitA=[,c) splitB=[c,m) CLOSED\n"
            "[,c) OPEN\n"
            "[c,m) OPEN\n"
            "[m,) OPEN\n");
  EXPECT_EQ(Janitor(), 1);
  EXPECT_EQ(Regions(), "[,c) OPEN\n[c,m) OPEN\n[m,) OPEN\n");
  Merge({1, 0});
  EXPECT_EQ(Regions(), "[,m) merge0000=[,c) merge0001=[c,m) OPEN\n[m,) OPEN\n");
  Split(0, "d");  // a region's origin is forgotten when the region does not exist any more
  EXPECT_EQ(Regions(),
            "[,m) offline split splitA=[,d) splitB=[d,m) CLOSED\n"
            "[,d) OPEN\n"
            "[d,m) OPEN\n"
            "[m,) OPEN\n");
  Merge({1, 2, 3});
  EXPECT_EQ(Regions(), "[,) merge0000=[,d) merge0001=[d,m) merge0002=[m,) OPEN\n");
  EXPECT_EQ(Janitor(), 1);
  EXPECT_EQ(Janitor(), 0);
  EXPECT_EQ(Regions(), "[,) OPEN\n");
}

// As other tables: by gets of several rows, batches, limits, time ranges and endpoints.
TEST_F(MetaTableTest, IsReadAsOtherTablesAre) {
  Create({"m"}, 1);
  RawClient client(rpc_port(), "ClientService");
  const std::vector<std::pair<std::string, Row>> meta = Meta();
  ASSERT_EQ(meta.size(), 2U);

  hbase::pb::MultiRequest multi;
  auto* group = multi.add_regionaction();
  SetRegion("hbase:meta,,1", group->mutable_region());
  for (const auto& [name, row] : meta) {
    group->add_action()->mutable_get()->set_row(name);
  }
  const auto count = [](const hbase::pb::RegionActionResult& result) {
    int cells = 0;
    for (const auto& one : result.resultorexception()) {
      cells += one.result().associated_cell_count();
    }
    return cells;
  };
  EXPECT_EQ(count(client.Ask<hbase::pb::MultiResponse>("Multi", multi).regionactionresult(0)), 12);
  auto* put = group->add_action()->mutable_mutation();
  put->set_row("r");
  put->set_mutate_type(hbase::pb::MutationProto::PUT);
  EXPECT_EQ(client.Ask<hbase::pb::MultiResponse>("Multi", multi).regionactionresult(0).exception().name(),
            "org.apache.hadoop.hbase.DoNotRetryIOException");

  hbase::pb::ScanRequest scan;
  SetRegion("hbase:meta,,1", scan.mutable_region());
  scan.mutable_scan()->set_start_row("t,,");
  scan.mutable_scan()->set_stop_row("t ,,");
  scan.set_number_of_rows(100);
  const auto columns = [&] {
    std::string cells;
    const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    std::string out;
    rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValue);
    Cell cell;
    for (const uint32_t several : answer.cells_per_result()) {
      for (uint32_t i = 0; i < several && reader.Next(&cell); ++i) {
        out += std::string(i == 0 ? "" : " ") + std::string(cell.qualifier);
      }
      out += "\n";
    }
    return out;
  };
  const std::string server = "server serverstartcode sn\n";
  scan.mutable_scan()->set_batch_size(4);
  EXPECT_EQ(columns(),
            "regioninfo seqnumDuringOpen server serverstartcode\nsn state\n"
            "regioninfo seqnumDuringOpen server serverstartcode\nsn state\n");
  scan.mutable_scan()->clear_batch_size();
  scan.mutable_scan()->set_store_offset(2);
  scan.mutable_scan()->set_store_limit(3);
  EXPECT_EQ(columns(), server + server);
  auto* range = scan.mutable_scan()->add_cf_time_range();
  range->set_column_family("info");
  range->mutable_time_range()->set_from(0);
  range->mutable_time_range()->set_to(1);
  EXPECT_EQ(columns(), "");
  hbase::pb::GetRequest get;
  SetRegion("hbase:meta,,1", get.mutable_region());
  get.mutable_get()->set_row(meta[0].first);
  get.mutable_get()->set_store_limit(2);
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", get).result().associated_cell_count(), 2);
  *get.mutable_get()->add_cf_time_range() = *range;
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", get).result().associated_cell_count(), 0);

  hbase::pb::AggregateRequest rows;
  rows.set_interpreter_class_name("org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter");
  rows.mutable_scan()->add_column()->set_family("info");
  hbase::pb::CoprocessorServiceRequest call;
  SetRegion("hbase:meta,,1", call.mutable_region());
  call.mutable_call()->set_row("");
  call.mutable_call()->set_service_name("AggregateService");
  call.mutable_call()->set_method_name("GetRowNum");
  call.mutable_call()->set_request(rows.SerializeAsString());
  hbase::pb::AggregateResponse counted;
  EXPECT_TRUE(
      counted.ParseFromString(client.Ask<hbase::pb::CoprocessorServiceResponse>("ExecService", call).value().value()));
  EXPECT_EQ(counted.first_part(0), BigEndian(int64_t{2}));
  call.mutable_call()->set_service_name("MultiRowMutationService");
  EXPECT_EQ(client.Call("ExecService", call).exception(),
            "org.apache.hadoop.hbase.exceptions.UnknownProtocolException");
}

TEST_F(MetaTableTest, IsFlushed) {
  hbase::pb::FlushTableRequest table;
  table.mutable_table_name()->set_namespace_("hbase");
  table.mutable_table_name()->set_qualifier("meta");
  RawClient master(rpc_port(), "MasterService");
  master.Ask<hbase::pb::FlushTableResponse>("FlushTable", table);
  table.add_column_family("nope");
  EXPECT_EQ(master.Call("FlushTable", table).exception(),
            "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");
  hbase::pb::FlushRegionRequest region;
  SetRegion("hbase:meta,,1", region.mutable_region());
  RawClient(rpc_port(), "AdminService").Ask<hbase::pb::FlushRegionResponse>("FlushRegion", region);
}

TEST_F(MetaTableTest, ReplicasAreRegionsToReadFrom) {
  Create({}, 2);
  const auto [name, row] = Meta().at(0);
  for (const char* column : {"server", "serverstartcode", "sn", "seqnumDuringOpen", "state"}) {
    ASSERT_TRUE(row.contains(column)) << column;
    EXPECT_EQ(row.at(column), row.at(std::string(column) + "_0001")) << column;
  }
  EXPECT_FALSE(row.contains("server_0002"));

  hbase::pb::RegionInfo info;
  ASSERT_TRUE(info.ParseFromString(row.at("regioninfo").substr(4)));
  const auto id = static_cast<int64_t>(info.region_id());
  const std::string replica = RegionName("t", "", id, 1);
  EXPECT_EQ(replica.substr(0, replica.find('.')), "t,," + std::to_string(id) + "_0001");

  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest put;
  SetRegion(name, put.mutable_region());
  put.mutable_mutation()->set_row("r");
  put.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::PUT);
  auto* column = put.mutable_mutation()->add_column_value();
  column->set_family("f");
  column->add_qualifier_value()->set_value("v");
  client.Ask<hbase::pb::MutateResponse>("Mutate", put);
  SetRegion(replica, put.mutable_region());
  EXPECT_EQ(client.Call("Mutate", put).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");

  hbase::pb::GetRequest get;
  get.mutable_get()->set_row("r");
  hbase::pb::ScanRequest scan;
  scan.mutable_scan();
  scan.set_number_of_rows(10);
  for (const bool stale : {false, true}) {
    SetRegion(stale ? replica : name, get.mutable_region());
    SetRegion(stale ? replica : name, scan.mutable_region());
    const auto got = client.Ask<hbase::pb::GetResponse>("Get", get);
    EXPECT_EQ(got.result().associated_cell_count(), 1);
    EXPECT_EQ(got.result().stale(), stale);
    EXPECT_EQ(client.Ask<hbase::pb::ScanResponse>("Scan", scan).stale(), stale);
  }
  SetRegion(RegionName("t", "", id, 2), get.mutable_region());
  EXPECT_EQ(client.Call("Get", get).exception(), "org.apache.hadoop.hbase.NotServingRegionException");
}

// Clients find the table that shows an index by its name, and nobody else does.
TEST_F(MetaTableTest, IndexesAreTablesForThoseWhoAsk) {
  TableDescriptor table = {.name = "t", .families = {{.name = "f"}}};
  table.attributes["KLIP_INDEX$by_n"] = "f:n text INCLUDE f:m";
  ASSERT_TRUE(store_->admin().CreateTable(table, {}).ok());
  const auto client = *Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
  const auto rows = *client->GetTable("t");
  ASSERT_TRUE(rows->Put(Put{.row = "7"}.Add("f", "n", "ulm").Add("f", "m", "1")).ok());
  ASSERT_TRUE(rows->Put(Put{.row = "8"}.Add("f", "n", "bonn")).ok());
  const std::string name = "t.klip_index.by_n";
  EXPECT_TRUE(*client->admin().TableExists(name));
  EXPECT_TRUE(*client->admin().IsTableEnabled(name));
  EXPECT_EQ(client->admin().GetDescriptor(name)->attributes.at("KLIP_ROW_KEY"), "n:text('\\x00') row:bytes");
  EXPECT_EQ(client->admin().GetRegions(name)->size(), 1U);
  const auto shown = *client->GetTable(name);
  const auto scanner = *shown->Scan({.where = *shown->ParseQuery("n=ulm")});
  Result row;
  ASSERT_TRUE(*scanner->Next(&row));
  EXPECT_EQ(row.row(), std::string_view("ulm\0007", 5));
  EXPECT_EQ(row.Value("f", "m"), "1");
  EXPECT_FALSE(*scanner->Next(&row));
  EXPECT_EQ(shown->Get({.row = std::string("bonn\0008", 6)})->size(), 1U);
  const std::string refused = "shows the entries of index 'by_n' of table 't' and is read-only";
  EXPECT_NE(shown->Put(Put{.row = "x"}.Add("e", "", "")).ToString().find(refused), std::string::npos);
  EXPECT_NE(client->admin().DeleteTable(name).ToString().find(refused), std::string::npos);
  EXPECT_EQ(client->admin().ListTables("")->size(), 1U);
  EXPECT_EQ(Meta().size(), 1U);
  ASSERT_TRUE((*store_->admin().indexes())->DropIndex("t", "by_n").ok());
  EXPECT_FALSE(*client->admin().TableExists(name));
}

}  // namespace
}  // namespace klip::server
