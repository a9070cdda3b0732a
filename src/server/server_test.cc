// The server from a client's view: openings, headers, frames, services.
#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "proto/Admin.pb.h"
#include "proto/Aggregate.pb.h"
#include "proto/Client.pb.h"
#include "proto/Comparator.pb.h"
#include "proto/Master.pb.h"
#include "proto/MultiRowMutation.pb.h"
#include "proto/Registry.pb.h"
#include "proto/ZooKeeper.pb.h"
#include "rpc/cell_block.h"
#include "server/raw_client_test.h"
#include "server/rpc/names.h"

namespace klip::server {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

// "row/f:q=v row/f:q=v" of a block.
std::string CellsText(const std::string& block) {
  rpc::CellBlockReader reader(block, rpc::CellCodec::kKeyValue);
  std::string out;
  Cell cell;
  while (reader.Next(&cell)) {
    out += (out.empty() ? "" : " ") + std::string(cell.row) + "/" + std::string(cell.family) + ":" +
           std::string(cell.qualifier) + "=" + std::string(cell.value);
  }
  return out;
}

class ClientTest : public ServerTest {
 protected:
  // Creates table t with family f and regions split at `splits`. Remembers the regions' names.
  void Create(const std::vector<std::string>& splits = {}) {
    RawClient master(rpc_port(), "MasterService");
    EXPECT_TRUE(master.Ask<hbase::pb::IsMasterRunningResponse>("IsMasterRunning", hbase::pb::IsMasterRunningRequest())
                    .is_master_running());
    hbase::pb::CreateTableRequest create;
    create.mutable_table_schema()->mutable_table_name()->set_namespace_("default");
    create.mutable_table_schema()->mutable_table_name()->set_qualifier("t");
    create.mutable_table_schema()->add_column_families()->set_name("f");
    for (const std::string& split : splits) {
      create.add_split_keys(split);
    }
    const auto created = master.Ask<hbase::pb::CreateTableResponse>("CreateTable", create);
    hbase::pb::GetProcedureResultRequest poll;
    poll.set_proc_id(created.proc_id());
    const auto polled = master.Ask<hbase::pb::GetProcedureResultResponse>("getProcedureResult", poll);
    EXPECT_EQ(polled.state(), hbase::pb::GetProcedureResultResponse::FINISHED);
    EXPECT_FALSE(polled.has_exception());
    EXPECT_EQ(master.Call("CreateTable", create).exception(), "org.apache.hadoop.hbase.TableExistsException");
    regions_ = RegionsInMeta();
    EXPECT_EQ(regions_.size(), splits.size() + 1);
  }

  // As Java's client lists them: in byte order, the stop row is below the start row.
  std::vector<std::string> RegionsInMeta() {
    RawClient client(rpc_port(), "ClientService");
    hbase::pb::ScanRequest scan = Scan("hbase:meta,,1", "t,,", "t ,,");
    scan.mutable_scan()->add_column()->set_family("info");
    scan.set_number_of_rows(100);
    std::string cells;
    const auto found = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    std::vector<std::string> names;
    rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValue);
    Cell cell;
    while (reader.Next(&cell)) {
      if (cell.qualifier == "regioninfo") {
        EXPECT_TRUE(cell.value.starts_with("PBUF"));
        names.emplace_back(cell.row);
      }
    }
    EXPECT_EQ(static_cast<size_t>(found.cells_per_result_size()), names.size());
    return names;
  }

  static void SetRegion(const std::string& name, hbase::pb::RegionSpecifier* region) {
    region->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    region->set_value(name);
  }
  static hbase::pb::ScanRequest Scan(const std::string& region, const std::string& start, const std::string& stop) {
    hbase::pb::ScanRequest request;
    SetRegion(region, request.mutable_region());
    request.mutable_scan()->set_start_row(start);
    request.mutable_scan()->set_stop_row(stop);
    request.set_client_handles_partials(true);
    return request;
  }
  static hbase::pb::ScanRequest NextCall(uint64_t id, uint64_t sequence, uint32_t rows) {
    hbase::pb::ScanRequest request;
    request.set_scanner_id(id);
    request.set_next_call_seq(sequence);
    request.set_number_of_rows(rows);
    request.set_client_handles_partials(true);
    return request;
  }
  static void FillPut(const std::string& row, const std::string& value, hbase::pb::MutationProto* put,
                      const std::string& family = "f") {
    put->set_row(row);
    put->set_mutate_type(hbase::pb::MutationProto::PUT);
    auto* column = put->add_column_value();
    column->set_family(family);
    auto* cell = column->add_qualifier_value();
    cell->set_qualifier("q");
    cell->set_value(value);
  }
  hbase::pb::MutateRequest Put(const std::string& row, const std::string& value, size_t region = 0) {
    hbase::pb::MutateRequest request;
    SetRegion(regions_[region], request.mutable_region());
    FillPut(row, value, request.mutable_mutation());
    return request;
  }
  hbase::pb::GetRequest Get(const std::string& row, size_t region = 0) {
    hbase::pb::GetRequest request;
    SetRegion(regions_[region], request.mutable_region());
    request.mutable_get()->set_row(row);
    return request;
  }

  std::vector<std::string> regions_;
};

TEST_F(ServerTest, RegistryOpeningIsAnsweredWithTheClusterId) {
  RawSocket socket(rpc_port());
  socket.Send("Regist");
  const std::string frame = socket.ReceiveFrame();
  ASSERT_EQ(frame.substr(0, 7), "\x06\x08\xff\xff\xff\xff\x0f"sv);  // call id -1
  hbase::pb::GetConnectionRegistryResponse response;
  ASSERT_TRUE(response.ParseFromString(frame.substr(8)));
  EXPECT_EQ(response.cluster_id().size(), 36U);
  EXPECT_TRUE(socket.AtEnd());
}

TEST_F(ServerTest, BadOpeningsAreToldAndEnd) {
  for (const std::string_view opening : {"GET / HTTP"sv, "HBas\1\x50"sv, "HBas\0\x60"sv}) {
    RawSocket socket(rpc_port());
    socket.Send(opening);
    EXPECT_NE(socket.ReceiveFrame().find("org.apache.hadoop.hbase.ipc."), std::string::npos) << opening;
    EXPECT_TRUE(socket.AtEnd());
  }
}

TEST_F(ServerTest, OpeningsThatDoNotEndAreCutAndOpenConnectionsStay) {
  Start({.opening_ms = 1000});
  RawClient open(rpc_port(), "ClientService");
  const auto cut_header = "HBas\0\x50\0\0\1\0"s;
  std::vector<std::unique_ptr<RawSocket>> begun;
  for (const std::string& bytes : {std::string(), "HB"s, "HBas\0\x50"s, cut_header}) {
    begun.push_back(std::make_unique<RawSocket>(rpc_port()));
    begun.back()->Send(bytes);
  }
  begun.push_back(std::make_unique<RawSocket>(server_->zookeeper_port()));
  begun.back()->Send("\0\0\0\x2c"s);
  for (const auto& socket : begun) {
    EXPECT_TRUE(socket->AtEnd());
  }
  EXPECT_NE(open.Call("Fly", hbase::pb::GetRequest()).exception(), "");
}

TEST_F(ServerTest, UnknownServiceIsToldAndEnds) {
  RawClient client(rpc_port(), "NoService");
  EXPECT_EQ(client.ReceiveAnswer().exception(), "org.apache.hadoop.hbase.ipc.UnknownServiceException");
  EXPECT_TRUE(client.socket().AtEnd());
}

TEST_F(ServerTest, SaslClientsAreSwitchedToSimple) {
  RawSocket socket(rpc_port());
  socket.Send("HBas\0\x51"sv);
  EXPECT_EQ(socket.Receive(8), "\0\0\0\0\xff\xff\xff\xa8"sv);
  // The server skips the token that the client had sent, which then continues like others.
  socket.Send(Framed("token") + RawClient::Opening("NoService", true).substr(6));
  EXPECT_NE(socket.ReceiveFrame().find("UnknownServiceException"), std::string::npos);
}

TEST_F(ClientTest, UnknownMethodLeavesTheConnectionUsable) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  EXPECT_EQ(client.Call("Fly", hbase::pb::GetRequest()).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  EXPECT_EQ(client.Call("Get", hbase::pb::GetRequest()).exception(),
            "org.apache.hadoop.hbase.DoNotRetryIOException");  // no region
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", Get("r")).result().associated_cell_count(), 0);
}

TEST_F(ClientTest, PutAndGet) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  EXPECT_TRUE(client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", "v")).processed());
  std::string cells;
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells).result().associated_cell_count(), 1);
  EXPECT_EQ(CellsText(cells), "r/f:q=v");

  RawClient inline_client(rpc_port(), "ClientService", /*cell_blocks=*/false);
  const auto got = inline_client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
  EXPECT_EQ(cells, "");
  ASSERT_EQ(got.result().cell_size(), 1);
  EXPECT_EQ(got.result().cell(0).value(), "v");

  Start();  // acknowledged writes are there
  RawClient again(rpc_port(), "ClientService");
  again.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
  EXPECT_EQ(CellsText(cells), "r/f:q=v");
}

TEST_F(ClientTest, TagsAreKeptThatComeInMessagesOrBlocks) {
  Create();
  const std::string tags = "\0\3Aab"s;
  RawClient client(rpc_port(), "ClientService", /*cell_blocks=*/true, /*compressor=*/"", "KeyValueCodecWithTags");
  hbase::pb::MutateRequest put = Put("message", "v");
  put.mutable_mutation()->mutable_column_value(0)->mutable_qualifier_value(0)->set_tags(tags);
  client.Ask<hbase::pb::MutateResponse>("Mutate", put);
  put = Put("block", "v");
  put.mutable_mutation()->clear_column_value();
  put.mutable_mutation()->set_associated_cell_count(1);
  rpc::Buffer block;
  rpc::AppendCell({"block", "f", "q", kLatestTimestamp, CellType::kPut, "v", tags}, rpc::CellCodec::kKeyValueWithTags,
                  &block);
  EXPECT_EQ(client.Call("Mutate", put, std::string(block.view())).exception(), "");
  for (const char* row : {"message", "block"}) {
    std::string cells;
    client.Ask<hbase::pb::GetResponse>("Get", Get(row), &cells);
    rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValueWithTags);
    Cell cell;
    ASSERT_TRUE(reader.Next(&cell)) << row;
    EXPECT_EQ(cell.tags, tags) << row;
  }
}

TEST_F(ClientTest, NoMemoryIsTakenForCellsThatDoNotCome) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest put = Put("r", "v");
  for (const int32_t told : {std::numeric_limits<int32_t>::max(), 1}) {
    put.mutable_mutation()->set_associated_cell_count(told);
    const Answer refused = client.Call("Mutate", put);
    EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
    EXPECT_NE(refused.header.exception().stack_trace().find("has " + std::to_string(told) +
                                                            " cells, but the cell block ends after 0"),
              std::string::npos)
        << refused.header.exception().stack_trace();
  }
  EXPECT_EQ(client.Ask<hbase::pb::GetResponse>("Get", Get("r")).result().associated_cell_count(), 0);
}

TEST_F(ClientTest, RegionsThatAreNotServed) {
  Create({"m"});
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::GetRequest get = Get("a");
  get.mutable_region()->set_value("t,,1.0123456789abcdef0123456789abcdef.");
  const Answer gone = client.Call("Get", get);
  EXPECT_EQ(gone.exception(), "org.apache.hadoop.hbase.NotServingRegionException");
  EXPECT_FALSE(gone.header.exception().do_not_retry());
  EXPECT_EQ(client.Call("Get", Get("z", 0)).exception(), "org.apache.hadoop.hbase.regionserver.WrongRegionException");
}

// By a full name as on a region server, by an encoded one as on the master.
TEST_F(ClientTest, RegionsThatAreToldOf) {
  Create();
  RawClient admin(rpc_port(), "AdminService");
  hbase::pb::GetRegionInfoRequest request;
  request.set_compaction_state(true);
  const auto ask = [&](hbase::pb::RegionSpecifier::RegionSpecifierType type, const std::string& name) {
    request.mutable_region()->set_type(type);
    request.mutable_region()->set_value(name);
    return admin.Call("GetRegionInfo", request).exception();
  };
  const std::string encoded = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(ask(hbase::pb::RegionSpecifier::REGION_NAME, regions_[0]), "");
  EXPECT_EQ(ask(hbase::pb::RegionSpecifier::REGION_NAME, "t,,1." + encoded + "."),
            "org.apache.hadoop.hbase.NotServingRegionException");
  EXPECT_EQ(ask(hbase::pb::RegionSpecifier::ENCODED_REGION_NAME, encoded),
            "org.apache.hadoop.hbase.UnknownRegionException");
  SetRegion(RegionName("t", ".mob", 0), request.mutable_region());
  const auto mob = admin.Ask<hbase::pb::GetRegionInfoResponse>("GetRegionInfo", request);
  EXPECT_EQ(mob.region_info().start_key(), ".mob");
  EXPECT_EQ(mob.compaction_state(), hbase::pb::GetRegionInfoResponse::NONE);
}

TEST_F(ClientTest, OldMetaLookupGetsTheAnswerThatAsynchbaseWaitsFor) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::GetRequest get;
  SetRegion("hbase:meta,,1", get.mutable_region());
  get.mutable_get()->set_row("t,r,:");
  get.mutable_get()->set_closest_row_before(true);
  EXPECT_EQ(client.Call("Get", get).exception(), "org.apache.hadoop.hbase.exceptions.UnknownProtocolException");
}

TEST_F(ClientTest, MetaIsNotWritten) {
  RawClient client(rpc_port(), "ClientService");
  regions_ = {"hbase:meta,,1"};
  const Answer refused = client.Call("Mutate", Put("t,,1", "v"));
  EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  EXPECT_TRUE(refused.header.exception().do_not_retry());
}

TEST_F(ClientTest, ReversedMetaLookupFindsTheRegion) {
  Create({"g", "p"});
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::ScanRequest scan = Scan("hbase:meta,,1", "t,h,99999999999999", "t,,");
  scan.mutable_scan()->set_reversed(true);
  scan.mutable_scan()->set_include_stop_row(true);
  scan.mutable_scan()->add_column()->set_family("info");
  scan.set_number_of_rows(1);
  std::string cells;
  EXPECT_TRUE(client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells).more_results_in_region());
  EXPECT_EQ(cells.find(regions_[1]) != std::string::npos, true);
  EXPECT_EQ(cells.find(regions_[0]), std::string::npos);
  // No row is left: the client need not close the scan.
  scan.mutable_scan()->set_start_row("t,a,99999999999999");
  EXPECT_FALSE(client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells).more_results_in_region());
  EXPECT_EQ(cells.find(regions_[0]) != std::string::npos, true);
}

TEST_F(ClientTest, ScannersLive) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  for (const char* row : {"a", "b", "c", "d"}) {
    client.Ask<hbase::pb::MutateResponse>("Mutate", Put(row, row));
  }
  hbase::pb::ScanRequest open = Scan(regions_[0], "", "");
  open.set_number_of_rows(1);
  std::string cells;
  const auto opened = client.Ask<hbase::pb::ScanResponse>("Scan", open, &cells);
  EXPECT_EQ(CellsText(cells), "a/f:q=a");
  EXPECT_TRUE(opened.more_results());
  EXPECT_TRUE(opened.more_results_in_region());
  const uint64_t id = opened.scanner_id();

  client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(id, 0, 2), &cells);
  EXPECT_EQ(CellsText(cells), "b/f:q=b c/f:q=c");
  EXPECT_EQ(client.Call("Scan", NextCall(id, 0, 2)).exception(),
            "org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException");
  const auto last = client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(id, 1, 9), &cells);
  EXPECT_EQ(CellsText(cells), "d/f:q=d");
  EXPECT_TRUE(last.more_results());
  EXPECT_FALSE(last.more_results_in_region());

  // The server has closed it already; closing it again is not an error.
  hbase::pb::ScanRequest close;
  close.set_scanner_id(id);
  close.set_close_scanner(true);
  EXPECT_FALSE(client.Ask<hbase::pb::ScanResponse>("Scan", close).has_more_results());
  EXPECT_FALSE(client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(id, 3, 9)).has_more_results());
  for (const uint64_t sequence : {1, 2}) {
    EXPECT_EQ(client.Call("Scan", NextCall(id, sequence, 9)).exception(),
              "org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException")
        << "rows would be lost, and as HBase counts";
  }
  EXPECT_EQ(client.Call("Scan", NextCall(12345, 0, 1)).exception(), "org.apache.hadoop.hbase.UnknownScannerException");
}

TEST_F(ClientTest, ScannersThatFailedAreUnknown) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("a", "v"));
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("b", "v"));
  hbase::pb::ScanRequest open = Scan(regions_[0], "", "");
  open.set_number_of_rows(1);
  const uint64_t id = client.Ask<hbase::pb::ScanResponse>("Scan", open).scanner_id();
  hbase::pb::DisableTableRequest disable;
  disable.mutable_table_name()->set_namespace_("default");
  disable.mutable_table_name()->set_qualifier("t");
  RawClient(rpc_port(), "MasterService").Ask<hbase::pb::DisableTableResponse>("DisableTable", disable);
  EXPECT_EQ(client.Call("Scan", NextCall(id, 0, 1)).exception(), "org.apache.hadoop.hbase.NotServingRegionException");
  EXPECT_EQ(client.Call("Scan", NextCall(id, 0, 1)).exception(), "org.apache.hadoop.hbase.UnknownScannerException");
}

TEST_F(ClientTest, BatchesReadAheadAreThoseAskedFor) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  std::string expected;
  for (char row = 'a'; row <= 'z'; ++row) {
    client.Ask<hbase::pb::MutateResponse>("Mutate", Put(std::string(1, row), "v"));
    expected += (expected.empty() ? "" : " ") + std::string(1, row) + "/f:q=v";
  }
  hbase::pb::ScanRequest open = Scan(regions_[0], "", "");
  open.set_number_of_rows(3);
  std::string cells;
  auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", open, &cells);
  const uint64_t id = answer.scanner_id();
  std::string all = CellsText(cells);
  for (uint64_t call = 0; answer.more_results_in_region(); ++call) {
    answer = client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(id, call, 3), &cells);
    EXPECT_LE(answer.cells_per_result_size(), 3);
    all += (cells.empty() ? "" : " ") + CellsText(cells);
  }
  EXPECT_EQ(all, expected);

  // A client may request more than was read ahead; if it requests less, it has to start again. A call that arrives before
  // anything was read ahead gets what it requests.
  std::string reset;
  for (int tries = 0; reset.empty() && tries < 1000; ++tries) {
    const uint64_t second = client.Ask<hbase::pb::ScanResponse>("Scan", open).scanner_id();
    client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(second, 0, 3), &cells);
    client.Ask<hbase::pb::ScanResponse>("Scan", NextCall(second, 1, 9), &cells);
    EXPECT_TRUE(CellsText(cells).starts_with("g/f:q=v h/f:q=v i/f:q=v"));
    reset = client.Call("Scan", NextCall(second, 2, 1)).exception();
  }
  EXPECT_EQ(reset, "org.apache.hadoop.hbase.exceptions.ScannerResetException");
}

TEST_F(ClientTest, ScansStayInTheirRegion) {
  Create({"m"});
  RawClient client(rpc_port(), "ClientService");
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("a", "1", 0));
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("z", "2", 1));
  std::string cells;
  for (const bool reversed : {false, true}) {
    hbase::pb::ScanRequest scan = Scan(regions_[1], "", "");
    scan.mutable_scan()->set_reversed(reversed);
    scan.set_number_of_rows(10);
    const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
    EXPECT_EQ(CellsText(cells), "z/f:q=2");
    EXPECT_FALSE(answer.more_results_in_region());
  }
}

TEST_F(ClientTest, ResponsesAreCutWithinRowsOnlyForClientsThatCanTakeIt) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest put = Put("a", "1");
  auto* second = put.mutable_mutation()->mutable_column_value(0)->add_qualifier_value();
  second->set_qualifier("r");
  second->set_value("2");
  client.Ask<hbase::pb::MutateResponse>("Mutate", put);
  hbase::pb::ScanRequest scan = Scan(regions_[0], "", "");
  scan.mutable_scan()->set_max_result_size(1);
  scan.set_number_of_rows(10);
  std::string cells;
  const auto cut = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
  EXPECT_EQ(CellsText(cells), "a/f:q=1");
  EXPECT_TRUE(cut.partial_flag_per_result(0));
  scan.set_client_handles_partials(false);
  const auto whole = client.Ask<hbase::pb::ScanResponse>("Scan", scan, &cells);
  EXPECT_EQ(CellsText(cells), "a/f:q=1 a/f:r=2");
  EXPECT_FALSE(whole.partial_flag_per_result(0));
}

TEST_F(ClientTest, MultiFailsActionByActionAndRegionByRegion) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MultiRequest multi;
  auto* region = multi.add_regionaction();
  SetRegion(regions_[0], region->mutable_region());
  for (uint32_t i = 0; i < 3; ++i) {
    auto* action = region->add_action();
    action->set_index(10 + i);
    FillPut("r" + std::to_string(i), "v", action->mutable_mutation(), i == 1 ? "no" : "f");
  }
  auto* lost = multi.add_regionaction();
  SetRegion("t,,1.0123456789abcdef0123456789abcdef.", lost->mutable_region());
  auto* action = lost->add_action();
  FillPut("x", "v", action->mutable_mutation());
  const auto answer = client.Ask<hbase::pb::MultiResponse>("Multi", multi);
  ASSERT_EQ(answer.regionactionresult_size(), 2);
  ASSERT_EQ(answer.regionactionresult(0).resultorexception_size(), 3);
  for (const auto& one : answer.regionactionresult(0).resultorexception()) {
    EXPECT_EQ(one.exception().name(),
              one.index() == 11 ? "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException" : "");
  }
  EXPECT_EQ(answer.regionactionresult(1).exception().name(), "org.apache.hadoop.hbase.NotServingRegionException");
  EXPECT_EQ(answer.regionactionresult(1).resultorexception_size(), 0);
}

TEST_F(ClientTest, MultiCallsEndpointsBehindWhatWasWrittenBefore) {
  Create();
  hbase::pb::AggregateRequest count;
  count.set_interpreter_class_name("org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter");
  count.mutable_scan()->add_column()->set_family("f");
  hbase::pb::MultiRequest multi;
  auto* region = multi.add_regionaction();
  SetRegion(regions_[0], region->mutable_region());
  const auto add = [region](uint32_t index) {
    auto* action = region->add_action();
    action->set_index(index);
    return action;
  };
  const auto add_call = [&](uint32_t index, const std::string& service) {
    auto* call = add(index)->mutable_service_call();
    call->set_row("a");
    call->set_service_name(service);
    call->set_method_name("GetRowNum");
    call->set_request(count.SerializeAsString());
  };
  FillPut("a", "v", add(0)->mutable_mutation());
  add_call(1, "AggregateService");
  FillPut("b", "v", add(2)->mutable_mutation());
  add_call(3, "hbase.pb.AggregateService");
  add_call(4, "NoSuchService");
  const auto answer = RawClient(rpc_port(), "ClientService").Ask<hbase::pb::MultiResponse>("Multi", multi);
  ASSERT_EQ(answer.regionactionresult(0).resultorexception_size(), 5);
  std::map<uint32_t, std::string> results;
  for (const auto& one : answer.regionactionresult(0).resultorexception()) {
    hbase::pb::AggregateResponse counted;
    if (one.has_service_result()) {
      EXPECT_EQ(one.service_result().value().name(),
                "org.apache.hadoop.hbase.protobuf.generated.AggregateProtos$AggregateResponse");
      ASSERT_TRUE(counted.ParseFromString(one.service_result().value().value()));
    }
    results[one.index()] = counted.first_part_size() > 0 ? counted.first_part(0) : one.exception().name();
  }
  EXPECT_EQ(results[1], BigEndian(int64_t{1}));
  EXPECT_EQ(results[3], BigEndian(int64_t{2}));
  EXPECT_EQ(results[4], "org.apache.hadoop.hbase.exceptions.UnknownProtocolException");
}

TEST_F(ClientTest, FamiliesThatAreNotThereAreNeitherFlushedNorCompacted) {
  Create();
  RawClient admin(rpc_port(), "AdminService");
  hbase::pb::CompactRegionRequest compact;
  SetRegion(regions_[0], compact.mutable_region());
  compact.set_family("f");
  admin.Ask<hbase::pb::CompactRegionResponse>("CompactRegion", compact);
  compact.set_family("no");
  hbase::pb::FlushRegionRequest flush;
  *flush.mutable_region() = compact.region();
  flush.set_family("no");
  for (const Answer& refused : {admin.Call("CompactRegion", compact), admin.Call("FlushRegion", flush)}) {
    EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");
  }
}

TEST_F(ClientTest, AScanTellsWhatItReadWhenAsked) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  for (const char* row : {"a", "b"}) {
    client.Ask<hbase::pb::MutateResponse>("Mutate", Put(row, "v"));
  }
  hbase::pb::FlushRegionRequest flush;
  SetRegion(regions_[0], flush.mutable_region());
  RawClient(rpc_port(), "AdminService").Ask<hbase::pb::FlushRegionResponse>("FlushRegion", flush);
  hbase::pb::ScanRequest scan = Scan(regions_[0], "", "");
  scan.set_number_of_rows(10);
  scan.set_track_scan_metrics(true);
  const auto metrics = [&] {
    std::string values;
    const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", scan);
    for (const auto& metric : answer.scan_metrics().metrics()) {
      values += metric.name() + " " + std::to_string(metric.value()) + " ";
    }
    return values;
  };
  EXPECT_EQ(metrics(), "ROWS_SCANNED 2 ROWS_FILTERED 0 BLOCK_READ_OPS_COUNT 1 KLIP_SEEKS 1 KLIP_STEPS 2 ");
  EXPECT_NE(metrics().find("BLOCK_READ_OPS_COUNT 0 "), std::string::npos) << "the block is in the cache";
  scan.set_track_scan_metrics(false);
  EXPECT_EQ(metrics(), "");
}

// Every call that can contain an increment, each with its own nonce: each adds 5 to its row.
class NonceTest : public ClientTest {
 protected:
  static void FillIncrement(const std::string& row, uint64_t nonce, hbase::pb::MutationProto* increment) {
    FillPut(row, BigEndian(int64_t{5}), increment);
    increment->set_mutate_type(hbase::pb::MutationProto::INCREMENT);
    if (nonce != 0) {
      increment->set_nonce(nonce);
    }
  }
  // Holds while the row has no column "other".
  static void FillCondition(const std::string& row, hbase::pb::Condition* condition) {
    hbase::pb::BinaryComparator nothing;
    nothing.mutable_comparable()->set_value("");
    condition->set_row(row);
    condition->set_family("f");
    condition->set_qualifier("other");
    condition->set_compare_type(hbase::pb::EQUAL);
    condition->mutable_comparator()->set_name("org.apache.hadoop.hbase.filter.BinaryComparator");
    condition->mutable_comparator()->set_serialized_comparator(nothing.SerializeAsString());
  }

  hbase::pb::MutateRequest Alone(uint64_t nonce) {
    hbase::pb::MutateRequest request;
    SetRegion(regions_[0], request.mutable_region());
    FillIncrement("alone", nonce, request.mutable_mutation());
    request.set_nonce_group(1);
    return request;
  }
  hbase::pb::MutateRequest Conditional(uint64_t nonce) {
    hbase::pb::MutateRequest request;
    SetRegion(regions_[0], request.mutable_region());
    FillIncrement("conditional", nonce, request.mutable_mutation());
    FillCondition("conditional", request.mutable_condition());
    request.set_nonce_group(1);
    return request;
  }
  // A put and an increment. `conditions`: where a condition goes, if any.
  enum class Conditions : uint8_t { kNone, kOfGroup, kOfCall };
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  hbase::pb::MultiRequest Group(const std::string& row, uint64_t nonce, Conditions conditions) {
    hbase::pb::MultiRequest request;
    request.set_noncegroup(1);
    auto* group = request.add_regionaction();
    SetRegion(regions_[0], group->mutable_region());
    group->set_atomic(true);
    FillPut(row, "v", group->add_action()->mutable_mutation());
    group->mutable_action(0)->mutable_mutation()->mutable_column_value(0)->mutable_qualifier_value(0)->set_qualifier(
        "put");
    FillIncrement(row, nonce, group->add_action()->mutable_mutation());
    if (conditions == Conditions::kOfGroup) {
      FillCondition(row, group->mutable_condition());
    } else if (conditions == Conditions::kOfCall) {
      FillCondition(row, request.mutable_condition());
    }
    return request;
  }
#pragma GCC diagnostic pop
  hbase::pb::CoprocessorServiceRequest Rows(uint64_t nonce) {
    hbase::pb::MutateRowsRequest rows;
    rows.set_nonce_group(1);
    rows.set_nonce(nonce);
    FillCondition("rows", rows.add_condition());
    FillPut("rows2", "v", rows.add_mutation_request());
    (*rows.add_mutation_request() = rows.mutation_request(0)).clear_column_value();  // HBase accepts an empty put
    FillIncrement("rows", 0, rows.add_mutation_request());
    hbase::pb::CoprocessorServiceRequest request;
    SetRegion(regions_[0], request.mutable_region());
    request.mutable_call()->set_row("rows");
    request.mutable_call()->set_service_name("MultiRowMutationService");
    request.mutable_call()->set_method_name("MutateRows");
    request.mutable_call()->set_request(rows.SerializeAsString());
    return request;
  }

  // Sends them all, and checks that each reports success, and the sum if it returns it.
  void AddFive(uint64_t first_nonce, int64_t sum) {
    RawClient client(rpc_port(), "ClientService");
    std::string cells;
    client.Ask<hbase::pb::MutateResponse>("Mutate", Alone(first_nonce), &cells);
    EXPECT_EQ(CellsText(cells), "alone/f:q=" + BigEndian(sum));
    EXPECT_TRUE(client.Ask<hbase::pb::MutateResponse>("Mutate", Conditional(first_nonce + 1), &cells).processed());
    EXPECT_EQ(CellsText(cells), "conditional/f:q=" + BigEndian(sum));
    uint64_t nonce = first_nonce + 2;
    for (const Conditions conditions : {Conditions::kNone, Conditions::kOfGroup, Conditions::kOfCall}) {
      const std::string row = "group" + std::to_string(static_cast<int>(conditions));
      const auto answer = client.Ask<hbase::pb::MultiResponse>("Multi", Group(row, nonce++, conditions));
      const auto& group = answer.regionactionresult(0);
      EXPECT_TRUE(group.processed()) << row;
      ASSERT_EQ(group.resultorexception_size(), 2) << row;
      ASSERT_EQ(group.resultorexception(0).result().cell_size(), 1) << row;
      EXPECT_EQ(group.resultorexception(0).result().cell(0).value(), BigEndian(sum)) << row;
      EXPECT_EQ(group.resultorexception(1).has_result(), conditions == Conditions::kNone) << row;
    }
    const auto answer = client.Ask<hbase::pb::CoprocessorServiceResponse>("ExecService", Rows(nonce));
    hbase::pb::MutateRowsResponse done;
    EXPECT_TRUE(done.ParseFromString(answer.value().value()));
    EXPECT_TRUE(done.processed());
    client.Ask<hbase::pb::GetResponse>("Get", Get("rows"), &cells);
    EXPECT_EQ(CellsText(cells), "rows/f:q=" + BigEndian(sum));
  }

  void Kill() {
    const std::string killed = root_ + "/killed";
    std::filesystem::copy(root_ + "/store", killed, std::filesystem::copy_options::recursive);
    server_.reset();
    std::filesystem::remove_all(root_ + "/store");
    std::filesystem::rename(killed, root_ + "/store");
    Start();
  }
};

TEST_F(NonceTest, IncrementsThatAreSentAgainAreDoneOnce) {
  Create();
  AddFive(/*first_nonce=*/100, 5);
  AddFive(/*first_nonce=*/100, 5);
  AddFive(/*first_nonce=*/200, 10);
}

TEST_F(NonceTest, AfterAKillToo) {
  Create();
  AddFive(/*first_nonce=*/100, 5);
  Kill();
  AddFive(/*first_nonce=*/100, 5);
  AddFive(/*first_nonce=*/200, 10);
}

// As in HBase, whose checks precede its nonces.
TEST_F(NonceTest, AConditionThatFailsUsesNoNonceAndIsAskedAgain) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest other = Put("conditional", "v");
  auto* cell = other.mutable_mutation()->mutable_column_value(0)->mutable_qualifier_value(0);
  cell->set_qualifier("other");
  client.Ask<hbase::pb::MutateResponse>("Mutate", other);
  EXPECT_FALSE(client.Ask<hbase::pb::MutateResponse>("Mutate", Conditional(7)).processed());
  cell->set_value("");
  client.Ask<hbase::pb::MutateResponse>("Mutate", other);
  std::string cells;
  EXPECT_TRUE(client.Ask<hbase::pb::MutateResponse>("Mutate", Conditional(7), &cells).processed());
  EXPECT_EQ(CellsText(cells), "conditional/f:q=" + BigEndian(int64_t{5}));
  cell->set_value("v");
  client.Ask<hbase::pb::MutateResponse>("Mutate", other);
  EXPECT_FALSE(client.Ask<hbase::pb::MutateResponse>("Mutate", Conditional(7)).processed());
}

TEST_F(NonceTest, NothingIsReadForThoseThatWantNoResult) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest request = Alone(7);
  auto* attribute = request.mutable_mutation()->add_attribute();
  attribute->set_name("_rr_");
  attribute->set_value("\0"s);
  std::string cells;
  for (int i = 0; i < 2; ++i) {
    client.Ask<hbase::pb::MutateResponse>("Mutate", request, &cells);
    EXPECT_EQ(CellsText(cells), "") << i;
  }
}

TEST_F(ClientTest, PutsInTheMillisecondOfADeleteAreSeen) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest del;
  SetRegion(regions_[0], del.mutable_region());
  del.mutable_mutation()->set_row("r");
  del.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::DELETE);
  std::string cells;
  for (int i = 0; i < 20; ++i) {
    client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", std::to_string(i)));
    client.Ask<hbase::pb::MutateResponse>("Mutate", del);
    client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
    EXPECT_EQ(CellsText(cells), "") << i;
    client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", "again"));
    client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
    EXPECT_EQ(CellsText(cells), "r/f:q=again") << i;
  }
}

TEST_F(ClientTest, DeletesInTheMillisecondOfAnIncrementHideIt) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::MutateRequest increment = Put("r", BigEndian(int64_t{1}));
  increment.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::INCREMENT);
  hbase::pb::MutateRequest del;
  SetRegion(regions_[0], del.mutable_region());
  del.mutable_mutation()->set_row("r");
  del.mutable_mutation()->set_mutate_type(hbase::pb::MutationProto::DELETE);
  std::string cells;
  for (int i = 0; i < 20; ++i) {
    for (int64_t sum = 1; sum <= 3; ++sum) {
      client.Ask<hbase::pb::MutateResponse>("Mutate", increment, &cells);
      EXPECT_EQ(CellsText(cells), "r/f:q=" + BigEndian(sum)) << i;
    }
    client.Ask<hbase::pb::MutateResponse>("Mutate", del);
    client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
    EXPECT_EQ(CellsText(cells), "") << i;
  }
}

TEST_F(ClientTest, FramesMayComeByteByByteOrManyAtOnce) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", "v"));
  for (const char byte : RawClient::Request(100, "Get", Get("r").SerializeAsString())) {
    client.socket().Send({&byte, 1});
  }
  EXPECT_EQ(client.ReceiveAnswer().header.call_id(), 100U);
  std::string many;
  constexpr uint32_t kCalls = 500;
  for (uint32_t i = 0; i < kCalls; ++i) {
    many += RawClient::Request(i, "Get", Get("r").SerializeAsString());
  }
  client.socket().Send(many);
  std::vector<bool> answered(kCalls);
  for (uint32_t i = 0; i < kCalls; ++i) {
    const Answer answer = client.ReceiveAnswer();
    EXPECT_EQ(CellsText(answer.cells), "r/f:q=v");
    answered[answer.header.call_id()] = true;
  }
  EXPECT_EQ(std::count(answered.begin(), answered.end(), true), kCalls);
}

TEST_F(ClientTest, LargeCellsAndFramesThatAreTooLarge) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  const std::string value(5 << 20, 'v');
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", value));
  std::string cells;
  client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
  EXPECT_EQ(cells.size(), rpc::EncodedBytes({.row = "r", .family = "f", .qualifier = "q", .value = value}));
  client.socket().Send(BigEndian(uint32_t{300 << 20}) + "\x09\x08\x2a\x1a\x03Get\x20\x01");
  const Answer refused = client.ReceiveAnswer();
  EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.exceptions.RequestTooBigException");
  EXPECT_EQ(refused.header.call_id(), 42U);
  EXPECT_TRUE(client.socket().AtEnd());
}

TEST_F(ClientTest, ACallOf64MbBesideOneThatIsNotSentToItsEnd) {
  Create();
  hbase::pb::MultiRequest request;
  hbase::pb::RegionAction* action = request.add_regionaction();
  SetRegion(regions_[0], action->mutable_region());
  constexpr uint32_t kPuts = 64;
  for (uint32_t i = 0; i < kPuts; ++i) {
    hbase::pb::Action* one = action->add_action();
    one->set_index(i);
    FillPut("r" + std::to_string(i), std::string(1 << 20, static_cast<char>(i)), one->mutable_mutation());
  }
  RawClient half(rpc_port(), "ClientService");
  const std::string call = RawClient::Request(1, "Multi", request.SerializeAsString());
  EXPECT_GT(call.size(), 64U << 20);
  half.socket().Send(std::string_view(call).substr(0, call.size() / 2));
  RawClient client(rpc_port(), "ClientService");
  const auto written = client.Ask<hbase::pb::MultiResponse>("Multi", request);
  EXPECT_EQ(written.regionactionresult(0).resultorexception_size(), static_cast<int>(kPuts));
  std::string cells;
  client.Ask<hbase::pb::GetResponse>("Get", Get("r63"), &cells);
  EXPECT_EQ(CellsText(cells), "r63/f:q=" + std::string(1 << 20, char{63}));
}

TEST_F(ClientTest, ManyIdleConnectionsAndOneThatIsHeard) {
  Create();
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 300; ++i) {
    idle.push_back(std::make_unique<RawClient>(rpc_port(), "ClientService"));
  }
  RawClient client(rpc_port(), "ClientService");
  EXPECT_TRUE(client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", "v")).processed());
  std::string cells;
  idle[150]->Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
  EXPECT_EQ(CellsText(cells), "r/f:q=v");
}

TEST_F(ClientTest, AClientThatDoesNotReadHoldsNobodyUp) {
  Create();
  RawClient deaf(rpc_port(), "ClientService");
  RawClient client(rpc_port(), "ClientService");
  client.Ask<hbase::pb::MutateResponse>("Mutate", Put("r", std::string(1 << 20, 'v')));
  for (uint32_t i = 0; i < 40; ++i) {
    deaf.socket().Send(RawClient::Request(i, "Get", Get("r").SerializeAsString()));
  }
  std::string cells;
  client.Ask<hbase::pb::GetResponse>("Get", Get("r"), &cells);
  EXPECT_GT(cells.size(), 1U << 20);
  for (uint32_t i = 0; i < 40; ++i) {  // it was only slow
    EXPECT_GT(deaf.ReceiveAnswer().cells.size(), 1U << 20);
  }
}

TEST_F(ServerTest, ClientsMayStopIt) {
  std::atomic<int> asked = 0;
  Start({.stop = [&asked] { ++asked; }});
  RawClient master(rpc_port(), "MasterService");
  master.Ask<hbase::pb::ShutdownResponse>("Shutdown", hbase::pb::ShutdownRequest());
  master.Ask<hbase::pb::StopMasterResponse>("StopMaster", hbase::pb::StopMasterRequest());
  hbase::pb::StopServerRequest stop;
  stop.set_reason("a test");
  RawClient(rpc_port(), "AdminService").Ask<hbase::pb::StopServerResponse>("StopServer", stop);
  EXPECT_EQ(asked, 1);
  Start();
  const Answer refused = RawClient(rpc_port(), "MasterService").Call("Shutdown", hbase::pb::ShutdownRequest());
  EXPECT_NE(refused.header.exception().stack_trace().find("part of a process that stops it"), std::string::npos);
}

TEST_F(ServerTest, CallsWithNothingToDo) {
  RawClient master(rpc_port(), "MasterService");
  hbase::pb::RecommissionRegionServerRequest recommission;
  recommission.mutable_server_name()->set_host_name("h");
  master.Ask<hbase::pb::RecommissionRegionServerResponse>("RecommissionRegionServer", recommission);
  master.Ask<hbase::pb::FlushMasterStoreResponse>("FlushMasterStore", hbase::pb::FlushMasterStoreRequest());
  EXPECT_EQ(
      RawClient(rpc_port(), "AdminService")
          .Ask<hbase::pb::GetCachedFilesListResponse>("GetCachedFilesList", hbase::pb::GetCachedFilesListRequest())
          .cached_files_size(),
      0);
}

TEST_F(ClientTest, StopAnswersWhatRuns) {
  Create();
  RawClient client(rpc_port(), "ClientService");
  client.socket().Send(RawClient::Request(1, "Get", Get("r").SerializeAsString()));
  server_->Stop();
  client.socket().ReceiveFrame();  // the answer, unless the call arrived too late
  EXPECT_TRUE(client.socket().AtEnd());
}

// ZooKeeper's client protocol, as used by go-zookeeper and the Java client.
class ZooKeeperTest : public ClientTest {
 protected:
  // The message in a node; the error's number if there is none.
  template <typename Message>
  int32_t Read(const std::string& path, Message* message) {
    RawSocket socket(server_->zookeeper_port());
    socket.Send(ConnectRequest(true));
    socket.ReceiveFrame();
    socket.Send(PathRequest(1, 4, path));
    const std::string answer = socket.ReceiveFrame();
    const auto error = ReadBigEndian<int32_t>(answer.data() + 12);
    if (error == 0) {
      const std::string data = answer.substr(20, static_cast<size_t>(ReadBigEndian<int32_t>(answer.data() + 16)));
      EXPECT_TRUE(message->ParseFromString(data.substr(data.find("PBUF") + 4))) << path;
    }
    return error;
  }
  static std::string ConnectRequest(bool with_read_only) {
    std::string body = BigEndian(int32_t{0}) + BigEndian(int64_t{0}) + BigEndian(int32_t{90000}) +
                       BigEndian(int64_t{0}) + BigEndian(int32_t{16}) + std::string(16, '\0');
    return Framed(body + (with_read_only ? std::string(1, '\0') : std::string()));
  }
  static std::string PathRequest(int32_t id, int32_t type, const std::string& path) {
    return Framed(BigEndian(id) + BigEndian(type) + BigEndian(static_cast<int32_t>(path.size())) + path +
                  std::string(1, '\0'));
  }
};

TEST_F(ZooKeeperTest, ConnectAnswersAreAsLongAsTheClientExpects) {
  for (const bool with_read_only : {false, true}) {
    RawSocket socket(server_->zookeeper_port());
    socket.Send(ConnectRequest(with_read_only));
    const std::string answer = socket.ReceiveFrame();
    EXPECT_EQ(answer.size(), with_read_only ? 37U : 36U);
    EXPECT_EQ(ReadBigEndian<int32_t>(answer.data() + 4), 40000);
  }
}

TEST_F(ZooKeeperTest, NodesLeadToTheServer) {
  RawSocket socket(server_->zookeeper_port());
  socket.Send(ConnectRequest(true));
  socket.ReceiveFrame();
  socket.Send(PathRequest(0, 4, "/hbase/meta-region-server"));
  const std::string answer = socket.ReceiveFrame();
  ASSERT_GT(answer.size(), 20U);
  EXPECT_EQ(ReadBigEndian<int32_t>(answer.data()), 0);       // the request's id
  EXPECT_EQ(ReadBigEndian<int32_t>(answer.data() + 12), 0);  // no error
  const auto bytes = static_cast<size_t>(ReadBigEndian<int32_t>(answer.data() + 16));
  ASSERT_EQ(answer.size(), 20 + bytes + 68);  // data, Stat
  const std::string data = answer.substr(20, bytes);
  EXPECT_EQ(data[0], '\xFF');
  hbase::pb::MetaRegionServer meta;
  ASSERT_TRUE(meta.ParseFromString(data.substr(data.find("PBUF") + 4)));
  EXPECT_EQ(meta.server().port(), rpc_port());
  EXPECT_EQ(meta.server().host_name(), "127.0.0.1");

  socket.Send(PathRequest(1, 4, "/hbase/none"));
  EXPECT_EQ(ReadBigEndian<int32_t>(socket.ReceiveFrame().data() + 12), -101);
  socket.Send(PathRequest(2, 8, "/hbase"));
  const std::string children = socket.ReceiveFrame();
  for (const char* name : {"hbaseid", "master", "meta-region-server"}) {
    EXPECT_NE(children.find(name), std::string::npos) << name;
  }
  socket.Send(Framed(BigEndian(int32_t{-2}) + BigEndian(int32_t{11})));  // ping
  EXPECT_EQ(ReadBigEndian<int32_t>(socket.ReceiveFrame().data()), -2);
  socket.Send(Framed(BigEndian(int32_t{3}) + BigEndian(int32_t{-11})));  // close
  EXPECT_EQ(socket.ReceiveFrame().size(), 16U);
  EXPECT_TRUE(socket.AtEnd());
}

TEST_F(ZooKeeperTest, TheBaseNodeHasAFewNames) {
  for (const char* base : {"/hbase", "/hbase-unsecure", "/hbase-secure"}) {
    hbase::pb::MetaRegionServer meta;
    EXPECT_EQ(Read(std::string(base) + "/meta-region-server", &meta), 0);
    EXPECT_EQ(meta.server().port(), rpc_port());
    hbase::pb::Master master;
    EXPECT_EQ(Read(std::string(base) + "/master", &master), 0);
    hbase::pb::ClusterId id;
    EXPECT_EQ(Read(std::string(base) + "/hbaseid", &id), 0);
    EXPECT_EQ(Read(std::string(base) + "/none", &id), -101);
    EXPECT_EQ(Read(std::string(base) + "/hbaseid/", &id), -101);
    EXPECT_EQ(Read("/a" + std::string(base) + "/hbaseid", &id), -101);
    EXPECT_EQ(Read(std::string(base) + "2/hbaseid", &id), -101) << "another cluster, as a peer's key may name one";
  }
}

TEST_F(ZooKeeperTest, TablesHaveTheirStates) {
  Create();
  hbase::pb::DeprecatedTableState state;
  EXPECT_EQ(Read("/hbase/table/hbase:meta", &state), 0);
  EXPECT_EQ(state.state(), hbase::pb::DeprecatedTableState::ENABLED);
  EXPECT_EQ(Read("/hbase/table/t", &state), 0);
  EXPECT_EQ(state.state(), hbase::pb::DeprecatedTableState::ENABLED);
  RawClient master(rpc_port(), "MasterService");
  hbase::pb::DisableTableRequest disable;
  disable.mutable_table_name()->set_namespace_("default");
  disable.mutable_table_name()->set_qualifier("t");
  master.Ask<hbase::pb::DisableTableResponse>("DisableTable", disable);
  EXPECT_EQ(Read("/hbase/table/t", &state), 0);
  EXPECT_EQ(state.state(), hbase::pb::DeprecatedTableState::DISABLED);
  EXPECT_EQ(Read("/hbase/table/none", &state), -101);
  RawSocket socket(server_->zookeeper_port());
  socket.Send(ConnectRequest(true));
  socket.ReceiveFrame();
  socket.Send(PathRequest(1, 8, "/hbase/table"));
  EXPECT_EQ(socket.ReceiveFrame().substr(16),
            BigEndian(int32_t{2}) + BigEndian(int32_t{10}) + "hbase:meta" + BigEndian(int32_t{1}) + "t");
}

}  // namespace
}  // namespace klip::server
