// Tables as the client sees them while they are enabled, dropped, changed and compacted, on a fake server.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"

namespace klip::client {
namespace {

constexpr const char* kTracker = "hbase.store.file-tracker.impl";

ConnectionOptions Hurried() {
  ConnectionOptions options;
  options.operation_timeout_ms = 800;
  return options;
}

FakeServer::Answer NothingThere(const rpc::Request& request) {
  return FakeServer::Frame(request, hbase::pb::GetResponse());
}

template <typename Message>
Message Parsed(const rpc::Request& request) {
  Message message;
  EXPECT_TRUE(message.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
  return message;
}

// How a get ends that a server without the region is asked for first, and how one of a region that is on no server ends.
std::vector<Code> GetsWhile(hbase::pb::TableState::State state) {
  int calls = 0;
  FakeServer server([&calls](const std::string&, const rpc::Request& request) {
    return ++calls == 1 ? FakeServer::Exception(request, "NotServingRegionException", false) : NothingThere(request);
  });
  server.SetTableState(state);
  const auto connection = Connection::Open(server.uri(), Hurried());
  EXPECT_TRUE(connection.ok()) << connection.status().ToString();
  const auto moved = (*(*connection)->GetTable("t"))->Get(Get{.row = "r"});
  const auto other = Connection::Open(server.uri(), Hurried());
  server.SetPrimary("");
  return {moved.status().code(), (*(*other)->GetTable("t"))->Get(Get{.row = "r"}).status().code()};
}

TEST(Tables, OneThatIsBeingEnabledIsWaitedFor) {
  using State = hbase::pb::TableState;
  const std::vector<Code> waited = {Code::kOk, Code::kNotServingRegion};
  EXPECT_EQ(GetsWhile(State::ENABLED), waited);
  EXPECT_EQ(GetsWhile(State::ENABLING), waited);
  EXPECT_EQ(GetsWhile(State::DISABLING), waited);
  EXPECT_EQ(GetsWhile(State::DISABLED), std::vector<Code>(2, Code::kTableNotEnabled));
}

TEST(Tables, OnlyOneThatIsEnabledIsCalledSo) {
  FakeServer server(FakeServer::Silent);
  const auto connection = Connection::Open(server.uri());
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  EXPECT_TRUE(*(*connection)->admin().IsTableEnabled("t"));
  server.SetTableState(hbase::pb::TableState::ENABLING);
  EXPECT_FALSE(*(*connection)->admin().IsTableEnabled("t"));
}

TEST(Tables, OneThatWasFoundIsNotLookedUpForEachCall) {
  FakeServer server([](const std::string&, const rpc::Request& request) { return NothingThere(request); });
  const auto connection = Connection::Open(server.uri());
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE((*connection)->GetTable("t").ok());
    EXPECT_TRUE((*connection)->GetTable("default:t").ok());
  }
  EXPECT_LT(server.state_reads(), 5);  // one, and one more for every few seconds
  // Another client drops it: those that use it get an error.
  const auto table = *(*connection)->GetTable("t");
  server.ForgetTable();
  EXPECT_EQ(table->Get(Get{.row = "r"}).status().code(), Code::kTableNotFound);
  EXPECT_EQ((*connection)->GetTable("t").status().code(), Code::kTableNotFound);
}

// A master that accepts everything, and region servers that report the states of compactions.
class TableOfThreeRegions : public testing::Test {
 protected:
  TableOfThreeRegions()
      : server_([this](const std::string& method, const rpc::Request& request) { return Run(method, request); }) {
    server_.SetSplits({"g", "p"});
    auto connection = Connection::Open(server_.uri(), Hurried());
    EXPECT_TRUE(connection.ok()) << connection.status().ToString();
    connection_ = *std::move(connection);
  }

  // By where the region begins.
  static std::string StartOf(const std::string& region) { return region.substr(2, region.find(',', 2) - 2); }

  FakeServer::Answer Run(const std::string& method, const rpc::Request& request) {
    if (method == "CompactRegion") {
      const std::string start = StartOf(Parsed<hbase::pb::CompactRegionRequest>(request).region().value());
      asked_.push_back(start);
      return start == refuses_ ? FakeServer::Exception(request, "NotServingRegionException", false)
                               : FakeServer::Frame(request, hbase::pb::CompactRegionResponse());
    }
    if (method == "GetRegionInfo") {
      const std::string start = StartOf(Parsed<hbase::pb::GetRegionInfoRequest>(request).region().value());
      hbase::pb::GetRegionInfoResponse response;
      rpc::FillTableName("t", response.mutable_region_info()->mutable_table_name());
      response.mutable_region_info()->set_region_id(1);
      response.set_compaction_state(polls_[start]-- > 0 ? hbase::pb::GetRegionInfoResponse::MAJOR
                                                        : hbase::pb::GetRegionInfoResponse::NONE);
      return start == moves_ ? FakeServer::Exception(request, "NotServingRegionException", false)
                             : FakeServer::Frame(request, response);
    }
    if (method == "GetActiveMaster") {
      hbase::pb::GetActiveMasterResponse response;
      const std::string address = server_.address();
      response.mutable_server_name()->set_host_name("127.0.0.1");
      response.mutable_server_name()->set_port(static_cast<uint32_t>(std::stoi(address.substr(address.find(':') + 1))));
      return FakeServer::Frame(request, response);
    }
    if (method == "GetTableDescriptors") {
      hbase::pb::GetTableDescriptorsResponse response;
      hbase::pb::TableSchema* schema = response.add_table_schema();
      rpc::FillTableName("t", schema->mutable_table_name());
      schema->add_attributes()->set_first(kTracker);
      schema->mutable_attributes(0)->set_second(tracker_);
      schema->add_column_families()->set_name("f");
      return FakeServer::Frame(request, response);
    }
    if (method == "ModifyTable") {
      modified_ = Parsed<hbase::pb::ModifyTableRequest>(request).table_schema();
      hbase::pb::ModifyTableResponse response;
      response.set_proc_id(1);
      return FakeServer::Frame(request, response);
    }
    if (method == "DeleteTable") {
      server_.ForgetTable();
      hbase::pb::DeleteTableResponse response;
      response.set_proc_id(1);
      return FakeServer::Frame(request, response);
    }
    EXPECT_EQ(method, "getProcedureResult");
    hbase::pb::GetProcedureResultResponse response;
    response.set_state(hbase::pb::GetProcedureResultResponse::FINISHED);
    return FakeServer::Frame(request, response);
  }

  // The trackers in the descriptor that was sent.
  std::vector<std::string> TrackersSent() const {
    std::vector<std::string> sent;
    for (const hbase::pb::BytesBytesPair& attribute : modified_.attributes()) {
      if (attribute.first() == kTracker) {
        sent.push_back(attribute.second());
      }
    }
    return sent;
  }

  Admin& admin() { return connection_->admin(); }

  std::vector<std::string> asked_;
  std::string refuses_ = "none";
  std::string moves_ = "none";
  std::map<std::string, int> polls_;  // that still say that the region compacts
  std::string tracker_ = "DEFAULT";
  hbase::pb::TableSchema modified_;
  FakeServer server_;
  std::unique_ptr<Connection> connection_;
};

const std::vector<std::string> kAllRegions = {"", "g", "p"};

TEST_F(TableOfThreeRegions, ACompactionIsWaitedForInAllRegions) {
  polls_ = {{"", 2}, {"p", 4}};
  EXPECT_TRUE(admin().MajorCompact("t").ok());
  EXPECT_EQ(asked_, kAllRegions);
  EXPECT_EQ(polls_, (std::map<std::string, int>{{"", -1}, {"g", -1}, {"p", -1}}));
}

TEST_F(TableOfThreeRegions, ARegionThatCompactsForLongStopsNoOther) {
  polls_ = {{"", 1'000'000}};
  const Status status = admin().MajorCompact("t");
  EXPECT_EQ(status.code(), Code::kTimedOut);
  EXPECT_NE(status.message().find("region t,,1."), std::string::npos) << status.message();
  EXPECT_EQ(asked_, kAllRegions);
}

TEST_F(TableOfThreeRegions, ARegionThatMovedStopsNoOther) {
  refuses_ = "";
  polls_ = {{"g", 3}};
  EXPECT_EQ(admin().Compact("t").code(), Code::kNotServingRegion);
  EXPECT_EQ(asked_, kAllRegions);
  EXPECT_EQ(polls_["g"], -1) << "the others are waited for";
  asked_.clear();
  refuses_ = "none";
  moves_ = "";
  polls_ = {{"p", 3}};
  EXPECT_EQ(admin().Compact("t").code(), Code::kNotServingRegion);
  EXPECT_EQ(asked_, kAllRegions);
  EXPECT_EQ(polls_["p"], -1) << "the others are waited for";
}

// Without it, the master assumes the cluster's own, and rejects a change to it.
TEST_F(TableOfThreeRegions, AChangeOfATableKeepsItsTrackerOfFiles) {
  TableDescriptor table = *admin().GetDescriptor("t");
  EXPECT_FALSE(table.attributes.contains(kTracker));
  table.attributes["NOTE"] = "x";
  EXPECT_TRUE(admin().ModifyTable(table).ok());
  EXPECT_EQ(TrackersSent(), std::vector<std::string>{"DEFAULT"});
  table.attributes[kTracker] = "FILE";
  EXPECT_TRUE(admin().ModifyTable(table).ok());
  EXPECT_EQ(TrackersSent(), std::vector<std::string>{"FILE"});
  table.attributes.erase(kTracker);
  tracker_ = "FILE";  // not a default: this is what omitting it means
  EXPECT_TRUE(admin().ModifyTable(table).ok());
  EXPECT_EQ(TrackersSent(), std::vector<std::string>{});
}

TEST_F(TableOfThreeRegions, ATableThatWasDroppedHereIsNotFound) {
  EXPECT_TRUE(connection_->GetTable("t").ok());
  EXPECT_TRUE(admin().DeleteTable("t").ok());
  EXPECT_EQ(connection_->GetTable("t").status().code(), Code::kTableNotFound);
}

}  // namespace
}  // namespace klip::client
