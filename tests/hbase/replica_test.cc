// Reads with Consistency::kTimeline: which replicas of a region the client asks, and whose answer it uses.
#include <atomic>
#include <chrono>

#include <gtest/gtest.h>

#include "hbase/fake_server.h"
#include "klip/connection.h"
#include "rpc/cell_block.h"

namespace klip::client {
namespace {

const FakeServer::Handler kFails = [](const std::string&, const rpc::Request& request) {
  return FakeServer::Exception(request, "RegionTooBusyException", /*do_not_retry=*/false);
};
const FakeServer::Handler kRefuses = [](const std::string&, const rpc::Request& request) {
  return FakeServer::Exception(request, "regionserver.NoSuchColumnFamilyException", /*do_not_retry=*/true);
};

void FillRow(const std::string& row, bool stale, hbase::pb::Result* result) {
  hbase::pb::Cell* cell = result->add_cell();
  cell->set_row(row);
  cell->set_family("f");
  cell->set_qualifier("q");
  cell->set_cell_type(hbase::pb::PUT);
  cell->set_value("v");
  result->set_stale(stale);
}

// Answers gets and multi-gets with the row asked for, and expects to be called by the name of that replica.
FakeServer::Handler Rows(int replica) {
  return [replica](const std::string& method, const rpc::Request& request) -> FakeServer::Answer {
    const std::string region = rpc::RegionName("t", "", 1, replica);
    const int size = static_cast<int>(request.param.size());
    if (method == "Get") {
      hbase::pb::GetRequest get;
      EXPECT_TRUE(get.ParseFromArray(request.param.data(), size));
      EXPECT_EQ(get.region().value(), region);
      hbase::pb::GetResponse response;
      FillRow(get.get().row(), replica > 0, response.mutable_result());
      return FakeServer::Frame(request, response);
    }
    hbase::pb::MultiRequest multi;
    EXPECT_TRUE(multi.ParseFromArray(request.param.data(), size));
    hbase::pb::MultiResponse response;
    for (const hbase::pb::RegionAction& group : multi.regionaction()) {
      EXPECT_EQ(group.region().value(), region);
      hbase::pb::RegionActionResult* result = response.add_regionactionresult();
      for (const hbase::pb::Action& action : group.action()) {
        hbase::pb::ResultOrException* one = result->add_resultorexception();
        one->set_index(action.index());
        FillRow(action.get().row(), replica > 0, one->mutable_result());
      }
    }
    return FakeServer::Frame(request, response);
  };
}

// Two servers, of the primary and of replica 1, and how often each was called.
struct Pair {
  Pair(const FakeServer::Handler& of_primary, const FakeServer::Handler& of_replica, int64_t primary_get_ms = 1)
      : primary(Counted(of_primary, &primary_calls)), replica(Counted(of_replica, &replica_calls)) {
    primary.AddReplica(replica);
    ConnectionOptions options;
    options.rpc_timeout_ms = 700;
    options.operation_timeout_ms = 1500;
    options.primary_get_timeout_ms = primary_get_ms;
    options.primary_scan_timeout_ms = primary_get_ms;
    Expected<std::unique_ptr<Connection>> opened = Connection::Open(primary.uri(), options);
    EXPECT_TRUE(opened.ok()) << opened.status().ToString();
    connection = *std::move(opened);
    table = *connection->GetTable("t");
  }

  static FakeServer::Handler Counted(FakeServer::Handler handler, std::atomic<int>* calls) {
    return [handler = std::move(handler), calls](const std::string& method, const rpc::Request& request) {
      ++*calls;
      return handler(method, request);
    };
  }

  Expected<Result> Get(int32_t replica_id = -1) const {
    return table->Get({.row = "r", .consistency = Consistency::kTimeline, .replica_id = replica_id});
  }

  std::atomic<int> primary_calls{0};
  std::atomic<int> replica_calls{0};
  FakeServer primary;
  FakeServer replica;
  std::unique_ptr<Connection> connection;
  std::unique_ptr<Table> table;
};

constexpr int64_t kLong = 60'000;

TEST(Replicas, ThePrimaryAnswersAlone) {
  const Pair pair(Rows(0), Rows(1), kLong);
  const Expected<Result> row = pair.Get();
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->row(), "r");
  EXPECT_FALSE(row->stale());
  EXPECT_EQ(pair.replica_calls, 0);
}

TEST(Replicas, TheReplicaAnswersForASlowPrimary) {
  const Pair pair(FakeServer::Silent, Rows(1));
  const Expected<Result> row = pair.Get();
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(row->row(), "r");
  EXPECT_TRUE(row->stale());
  EXPECT_TRUE(row->Clone().stale());
  EXPECT_EQ(pair.primary_calls, 1);
}

TEST(Replicas, TheReplicaAnswersAtOnceForAPrimaryThatFails) {
  const Pair pair(kFails, Rows(1), kLong);
  EXPECT_TRUE(pair.Get()->stale());
  EXPECT_EQ(pair.primary_calls, 1);
}

TEST(Replicas, ThePrimarysAnswerCountsWhenTheReplicaFails) {
  // The primary answers its second call.
  std::atomic<int> turn{0};
  const Pair pair([&turn](const std::string& method,
                          const rpc::Request& request) { return turn++ == 0 ? "" : *Rows(0)(method, request); },
                  kFails);
  const Expected<Result> row = pair.Get();
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_FALSE(row->stale());
  EXPECT_GE(pair.replica_calls, 1);
}

TEST(Replicas, WhatNothingHelpsAgainstIsToldAtOnce) {
  const Pair pair(kRefuses, Rows(1), kLong);
  EXPECT_EQ(pair.Get().status().code(), Code::kNoSuchColumnFamily);
  EXPECT_EQ(pair.replica_calls, 0);
}

TEST(Replicas, AFixedReplica) {
  const Pair pair(Rows(0), Rows(1), kLong);
  EXPECT_TRUE(pair.Get(1)->stale());
  EXPECT_EQ(pair.primary_calls, 0);
  EXPECT_FALSE(pair.Get(0)->stale());
  const Expected<Result> none = pair.Get(7);
  EXPECT_EQ(none.status().code(), Code::kInvalidArgument);
  EXPECT_NE(none.status().message().find("no such replica: replica 7 of region t,,1."), std::string::npos)
      << none.status().message();
}

// hbase:meta and the registry are on that server too.
TEST(Replicas, TheReplicaAnswersOnceThePrimarysServerIsLost) {
  Pair pair(Rows(0), Rows(1), kLong);
  EXPECT_FALSE(pair.Get()->stale());
  pair.primary.Stop();
  for (int i = 0; i < 5; ++i) {
    const Expected<Result> row = pair.Get();
    ASSERT_TRUE(row.ok()) << i << ": " << row.status().ToString();
    EXPECT_TRUE(row->stale());
  }
  const auto rows = pair.table->Get(std::vector<klip::Get>{{.row = "a", .consistency = Consistency::kTimeline},
                                                           {.row = "b", .consistency = Consistency::kTimeline}});
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_TRUE((*rows)[0].stale() && (*rows)[1].stale());
  EXPECT_TRUE(pair.Get(1)->stale());
  EXPECT_EQ(pair.table->Get({.row = "r"}).status().code(), Code::kTimedOut);
}

ConnectionOptions ShortOptions() {
  ConnectionOptions options;
  options.rpc_timeout_ms = 700;
  options.operation_timeout_ms = 1500;
  options.primary_get_timeout_ms = 1;
  return options;
}

Expected<Result> GetTimeline(Table* table) { return table->Get({.row = "r", .consistency = Consistency::kTimeline}); }

TEST(Replicas, APrimaryThatIsOnNoServerIsNotWaitedFor) {
  const FakeServer replica(Rows(1));
  FakeServer meta(FakeServer::Silent);
  meta.AddReplica(replica);
  meta.SetPrimary("");
  ConnectionOptions patient = ShortOptions();
  patient.rpc_timeout_ms = 20'000;
  patient.operation_timeout_ms = 60'000;
  const auto connection = *Connection::Open(meta.uri(), patient);
  const auto table = *connection->GetTable("t");
  const Expected<Result> row = GetTimeline(table.get());
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_TRUE(row->stale());
  const std::vector<klip::Get> gets = {{.row = "a", .consistency = Consistency::kTimeline}};
  EXPECT_TRUE(table->Get(gets)->front().stale());
  const auto hasty = *Connection::Open(meta.uri(), ShortOptions());
  EXPECT_EQ((*hasty->GetTable("t"))->Get({.row = "r"}).status().code(), Code::kNotServingRegion);
}

TEST(Replicas, ThePrimaryIsReadAgainOnceItIsBack) {
  const FakeServer replica(Rows(1));
  FakeServer primary(Rows(0));
  const FakeServer again(Rows(0));
  FakeServer meta(FakeServer::Silent);
  meta.AddReplica(replica);
  meta.SetPrimary(primary.address());
  ConnectionOptions options = ShortOptions();
  options.primary_get_timeout_ms = kLong;
  const auto connection = *Connection::Open(meta.uri(), options);
  const auto table = *connection->GetTable("t");
  EXPECT_FALSE(GetTimeline(table.get())->stale());
  meta.SetPrimary("");
  primary.Stop();
  EXPECT_TRUE(GetTimeline(table.get())->stale());
  meta.SetPrimary(again.address());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool stale = true;
  while (stale && std::chrono::steady_clock::now() < deadline) {
    stale = GetTimeline(table.get())->stale();
  }
  EXPECT_FALSE(stale);
}

// hbase:meta on two servers, the first of which is lost.
TEST(MetaReplicas, TheReplicaIsReadOnceThePrimarysServerIsLost) {
  const FakeServer regions(Rows(0));
  FakeServer primary(FakeServer::Silent);
  FakeServer replica(FakeServer::Silent);
  replica.SetMeta({primary.address(), replica.address()});
  replica.SetPrimary(regions.address());
  primary.Stop();
  const auto get = [&](const std::string& mode) -> Status {
    const auto connection = Connection::Open(replica.uri() + "?meta-replicas=" + mode, ShortOptions());
    KLIP_RETURN_IF_ERROR(connection.status());
    const auto table = (*connection)->GetTable("t");
    return table.ok() ? (*table)->Get({.row = "r"}).status() : table.status();
  };
  EXPECT_EQ(get("none").code(), Code::kTimedOut);
  EXPECT_TRUE(get("hedged-read").ok());
  EXPECT_TRUE(get("load-balance").ok());
  EXPECT_EQ(get("all").code(), Code::kInvalidArgument);
}

TEST(MetaReplicas, AReplicaThatIsBehindDoesNotDenyTheTable) {
  const FakeServer regions(Rows(0));
  FakeServer replica(FakeServer::Silent);
  replica.ForgetTable();
  FakeServer primary(FakeServer::Silent);
  primary.SetMeta({primary.address(), replica.address()});
  primary.SetPrimary(regions.address());
  while (replica.meta_reads() == 0 && !HasFailure()) {  // where a region is, is asked of either
    const auto connection = *Connection::Open(primary.uri() + "?meta-replicas=load-balance", ShortOptions());
    const Status got = (*connection->GetTable("t"))->Get({.row = "r"}).status();
    EXPECT_TRUE(got.ok()) << got.ToString();
  }
  EXPECT_GT(primary.meta_reads(), 0);
}

TEST(Replicas, AStrongReadAsksThePrimaryOnly) {
  const Pair pair(FakeServer::Silent, Rows(1));
  EXPECT_EQ(pair.table->Get({.row = "r", .replica_id = 1}).status().code(), Code::kTimedOut);
  EXPECT_EQ(pair.replica_calls, 0);
}

TEST(Replicas, ManyGets) {
  const std::vector<Get> gets = {{.row = "a", .consistency = Consistency::kTimeline},
                                 {.row = "b", .consistency = Consistency::kTimeline},
                                 {.row = "c", .consistency = Consistency::kTimeline, .replica_id = 1}};
  const auto check = [&](const Pair& pair, std::vector<bool> stale) {
    const auto rows = pair.table->Get(gets);
    ASSERT_TRUE(rows.ok()) << rows.status().ToString();
    for (size_t i = 0; i < gets.size(); ++i) {
      EXPECT_EQ((*rows)[i].row(), gets[i].row);
      EXPECT_EQ((*rows)[i].stale(), stale[i]) << i;
    }
  };
  const Pair good(Rows(0), Rows(1), kLong);
  check(good, {false, false, true});
  EXPECT_EQ(good.replica_calls, 1);
  check(Pair(FakeServer::Silent, Rows(1)), {true, true, true});
  check(Pair(kFails, Rows(1), kLong), {true, true, true});
  EXPECT_FALSE(Pair(FakeServer::Silent, FakeServer::Silent).table->Get(gets).ok());
}

// Rows a to e, two an answer; silent once it has given `answers`.
class ScannedServer {
 public:
  ScannedServer(int replica, int answers) : replica_(replica), answers_(answers) {}

  FakeServer::Answer operator()(const std::string&, const rpc::Request& request) {
    hbase::pb::ScanRequest scan;
    EXPECT_TRUE(scan.ParseFromArray(request.param.data(), static_cast<int>(request.param.size())));
    if (scan.close_scanner() || answers_-- <= 0) {
      return "";
    }
    if (scan.has_scan()) {
      EXPECT_EQ(scan.region().value(), rpc::RegionName("t", "", 1, replica_));
      at_ = scan.scan().start_row().empty() ? 'a' : scan.scan().start_row()[0];
      if (!scan.scan().include_start_row() && !scan.scan().start_row().empty()) {
        ++at_;
      }
    }
    hbase::pb::ScanResponse response;
    rpc::Buffer cells;
    for (int i = 0; i < 2 && at_ <= 'e'; ++i, ++at_) {
      const std::string row(1, at_);
      rpc::AppendCell({.row = row, .family = "f", .qualifier = "q", .timestamp_ms = 1, .value = "v"},
                      rpc::CellCodec::kKeyValue, &cells);
      response.add_cells_per_result(1);
      response.add_partial_flag_per_result(false);
    }
    response.set_scanner_id(static_cast<uint64_t>(replica_) + 1);
    response.set_more_results(true);
    response.set_more_results_in_region(at_ <= 'e');
    response.set_stale(replica_ > 0);
    return FakeServer::Frame(request, response, cells.view());
  }

 private:
  const int replica_;
  int answers_;
  char at_ = 'a';
};

std::string RowsOf(Table* table, const Scan& scan) {
  const auto scanner = table->Scan(scan);
  EXPECT_TRUE(scanner.ok());
  std::string rows;
  Result row;
  while (true) {
    const Expected<bool> more = (*scanner)->Next(&row);
    if (!more.ok() || !*more) {
      return rows + (more.ok() ? "" : more.status().ToString());
    }
    rows += std::string(row.row()) + (row.stale() ? "! " : " ");
  }
}

TEST(Replicas, Scans) {
  constexpr int kAll = 3;
  const Scan timeline = {.consistency = Consistency::kTimeline};
  const Pair good(ScannedServer(0, kAll), ScannedServer(1, kAll), kLong);
  EXPECT_EQ(RowsOf(good.table.get(), timeline), "a b c d e ");
  EXPECT_EQ(good.replica_calls, 0);
  EXPECT_EQ(RowsOf(Pair(ScannedServer(0, 0), ScannedServer(1, kAll)).table.get(), timeline), "a! b! c! d! e! ");
  EXPECT_EQ(RowsOf(Pair(kFails, ScannedServer(1, kAll), kLong).table.get(), timeline), "a! b! c! d! e! ");
  // The primary falls silent in the middle.
  EXPECT_EQ(RowsOf(Pair(ScannedServer(0, 1), ScannedServer(1, kAll)).table.get(), timeline), "a b c! d! e! ");
  Pair lost(ScannedServer(0, 2 * kAll), ScannedServer(1, 2 * kAll), kLong);
  EXPECT_EQ(RowsOf(lost.table.get(), timeline), "a b c d e ");
  lost.primary.Stop();
  EXPECT_EQ(RowsOf(lost.table.get(), timeline), "a! b! c! d! e! ");
  EXPECT_EQ(RowsOf(lost.table.get(), timeline), "a! b! c! d! e! ");
  const Pair fixed(ScannedServer(0, kAll), ScannedServer(1, kAll), kLong);
  EXPECT_EQ(RowsOf(fixed.table.get(), {.consistency = Consistency::kTimeline, .replica_id = 1}), "a! b! c! d! e! ");
  EXPECT_EQ(fixed.primary_calls, 0);
}

}  // namespace
}  // namespace klip::client
