// Coprocessors of the program that serves a store, as clients use them: endpoints by ExecService, observers by every
// call.
#include <memory>
#include <string>
#include <vector>

#include "klip/coprocessor.h"
#include "proto/Admin.pb.h"
#include "proto/RowCount.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

// Answers "user: method(request) from start".
class Greeter final : public klip::Endpoint {
 public:
  Expected<std::string> Call(EndpointContext& context, std::string_view method, std::string_view request) override {
    if (method != "Greet") {
      return Status(Code::kUnsupported, "no method " + std::string(method));
    }
    return context.caller().user + ": Greet(" + std::string(request) + ") from " + context.start_key();
  }
};

// Hides rows from scans.
class Curtain final : public Observer {
 public:
  Status PreScannerOpen(CoprocessorContext& /*context*/, Scan* scan) override {
    scan->limit_rows = 1;
    return Status::Ok();
  }
};

class ProgramEndpointsTest : public testing::Test {
 protected:
  ProgramEndpointsTest() {
    ConnectionOptions options;
    options.sync_wal = false;
    options.endpoints = {{TableNamed("t"), "acme.Greeter", std::make_shared<Greeter>()}};
    options.observers = {{TableNamed("t"), std::make_shared<Curtain>()}};
    auto store = table::OpenEmbedded(temp_.path() + "/store", options);
    EXPECT_TRUE(store.ok());
    Expected<std::unique_ptr<Server>> server = Server::Start(*std::move(store), {});
    EXPECT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    client_ = *Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(server_->rpc_port()) + "?user=bob");
    const std::vector<std::string> splits = {"m"};
    EXPECT_EQ(client_->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}, splits).ToString(), "ok");
    EXPECT_EQ(client_->admin().CreateTable({.name = "other", .families = {{.name = "f"}}}).ToString(), "ok");
  }

  // The answer of each region; or the error.
  std::string Call(const std::string& table, const EndpointRequest& request) {
    const auto answers = (*client_->GetTable(table))->CallEndpoint(request);
    std::string out;
    if (!answers.ok()) {
      return std::string(CodeName(answers.status().code()));
    }
    for (const EndpointAnswer& answer : *answers) {
      out += (out.empty() ? "" : "; ") + answer.bytes;
    }
    return out;
  }

  const TempDirectory temp_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Connection> client_;
};

TEST_F(ProgramEndpointsTest, ClientsCallThemInEachRegion) {
  const EndpointRequest greet = {.service = "acme.Greeter", .method = "Greet", .request = "hi"};
  EXPECT_EQ(Call("t", greet), "bob: Greet(hi) from ; bob: Greet(hi) from m");
  EndpointRequest one = greet;
  one.start_row = one.stop_row = "x";
  EXPECT_EQ(Call("t", one), "bob: Greet(hi) from m");
  one.start_row = "";
  one.stop_row = "b";
  EXPECT_EQ(Call("t", one), "bob: Greet(hi) from ");
  EXPECT_EQ(Call("other", greet), "Unsupported");
  EXPECT_EQ(Call("t", {.service = "acme.Greeter", .method = "Fly"}), "Unsupported");
}

TEST_F(ProgramEndpointsTest, ObserversOfScansDoNotSeeWhatStockEndpointsRead) {
  const auto table = *client_->GetTable("t");
  const std::vector<Put> puts = {Put{.row = "a"}.Add("f", "q", "v"), Put{.row = "b"}.Add("f", "q", "v")};
  ASSERT_TRUE(table->Put(puts).ok());
  const auto scanner = *table->Scan({});
  Result row;
  EXPECT_TRUE(*scanner->Next(&row));
  EXPECT_FALSE(*scanner->Next(&row));
  const auto counted = table->CallEndpoint({.service = "RowCountService", .method = "getRowCount", .stop_row = "a"});
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  hbase::pb::CountResponse count;
  ASSERT_TRUE(count.ParseFromString(counted->front().bytes));
  EXPECT_EQ(count.count(), 2);
}

TEST_F(ProgramEndpointsTest, IndexesOfObservedTablesCannotBeReadAsTables) {
  ASSERT_TRUE(client_->admin().DisableTable("t").ok() && client_->admin().DeleteTable("t").ok());
  for (const char* const name : {"t", "free"}) {
    TableDescriptor table = {.name = name, .families = {{.name = "f"}}};
    table.attributes["KLIP_INDEX$i"] = "f:q text";
    ASSERT_EQ(client_->admin().CreateTable(table).ToString(), "ok");
    ASSERT_TRUE((*client_->GetTable(name))->Put(Put{.row = "a"}.Add("f", "q", "v")).ok());
  }
  const EndpointRequest count = {.service = "RowCountService", .method = "getRowCount"};
  EXPECT_TRUE((*client_->GetTable("free.klip_index.i"))->CallEndpoint(count).ok());
  const auto shown = *client_->GetTable("t.klip_index.i");
  const std::string error = "'t.klip_index.i' cannot be read, because table 't' has coprocessors";
  EXPECT_NE(shown->CallEndpoint(count).status().ToString().find(error), std::string::npos);
  EXPECT_NE(shown->Get(Get{.row = "v"}).status().ToString().find(error), std::string::npos);
  const auto scanner = shown->Scan({});
  Result row;
  const Status scanned = scanner.ok() ? (*scanner)->Next(&row).status() : scanner.status();
  EXPECT_NE(scanned.ToString().find(error), std::string::npos) << scanned.ToString();
  hbase::pb::GetRegionInfoRequest split;
  split.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  split.mutable_region()->set_value(client_->admin().GetRegions("t.klip_index.i")->front().Name());
  split.set_best_split_row(true);
  const Answer told = RawClient(server_->rpc_port(), "AdminService").Call("GetRegionInfo", split);
  EXPECT_NE(told.header.exception().stack_trace().find(error), std::string::npos);
}

}  // namespace
}  // namespace klip::server
