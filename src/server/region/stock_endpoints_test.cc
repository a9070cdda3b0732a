// The endpoints of hbase-examples, as HBase's clients call them: counting, and deleting what a scan finds.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/views.h"
#include "proto/BulkDelete.pb.h"
#include "proto/Client.pb.h"
#include "proto/Filter.pb.h"
#include "proto/RowCount.pb.h"
#include "server/node/regions.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

using hbase::pb::BulkDeleteRequest;
using hbase::pb::BulkDeleteResponse;

class StockEndpointsTest : public testing::Test {
 protected:
  // Table t, families f and g with three versions, regions split at m: rows a and b below, x above.
  StockEndpointsTest() {
    ConnectionOptions options;
    options.sync_wal = false;
    auto connection = table::OpenEmbedded(temp_.path() + "/store", options);
    EXPECT_TRUE(connection.ok());
    store_ = connection->get();
    Expected<std::unique_ptr<Server>> server = Server::Start(*std::move(connection), {});
    EXPECT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    TableDescriptor descriptor = {.name = "t", .families = {{.name = "f"}, {.name = "g"}}};
    descriptor.families[0].max_versions = descriptor.families[1].max_versions = 3;
    const std::vector<std::string> splits = {"m"};
    EXPECT_EQ(store_->admin().CreateTable(descriptor, splits).ToString(), "ok");
    table_ = *store_->GetTable("t");
    for (const std::string row : {"a", "b", "x"}) {
      for (const int64_t ms : {1, 2, 3}) {
        EXPECT_TRUE(table_->Put(Put{.row = row}.Add("f", "q", "v", ms).Add("f", "r", "v", ms)).ok());
      }
      EXPECT_TRUE(table_->Put(Put{.row = row}.Add("g", "q", "v", 2)).ok());
    }
  }

  template <typename Request>
  Answer Call(const std::string& service, const std::string& method, const Request& request,
              const std::string& row = "a") {
    const engine::TablePtr view = *store_->store().views().GetTable("t");
    const engine::Region& region = view->RegionOf(row);
    hbase::pb::CoprocessorServiceRequest call;
    call.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    call.mutable_region()->set_value(ServedAs("t", region).name);
    call.mutable_call()->set_row(row);
    call.mutable_call()->set_service_name(service);
    call.mutable_call()->set_method_name(method);
    call.mutable_call()->set_request(request.SerializeAsString());
    return RawClient(server_->rpc_port(), "ClientService").Call("ExecService", call);
  }

  // For the region of `row`; or the exception.
  std::string Count(const std::string& method, const std::string& row) {
    const Answer answer = Call("RowCountService", method, hbase::pb::CountRequest(), row);
    if (!answer.exception().empty()) {
      return answer.exception();
    }
    hbase::pb::CoprocessorServiceResponse response;
    hbase::pb::CountResponse counted;
    EXPECT_TRUE(response.ParseFromString(answer.result));
    EXPECT_TRUE(counted.ParseFromString(response.value().value()));
    return std::to_string(counted.count());
  }

  // "2 rows", "2 rows, 4 versions", or the exception.
  std::string Delete(const BulkDeleteRequest& request) {
    const Answer answer = Call("BulkDeleteService", "delete", request);
    if (!answer.exception().empty()) {
      return answer.exception();
    }
    hbase::pb::CoprocessorServiceResponse response;
    BulkDeleteResponse deleted;
    EXPECT_TRUE(response.ParseFromString(answer.result));
    EXPECT_TRUE(deleted.ParseFromString(response.value().value()));
    return std::to_string(deleted.rowsdeleted()) + " rows" +
           (deleted.has_versionsdeleted() ? ", " + std::to_string(deleted.versionsdeleted()) + " versions" : "");
  }
  static BulkDeleteRequest Request(BulkDeleteRequest::DeleteType type, uint32_t batch = 1) {
    BulkDeleteRequest request;
    request.mutable_scan();
    request.set_deletetype(type);
    request.set_rowbatchsize(batch);
    return request;
  }
  static void AddColumn(BulkDeleteRequest* request, const std::string& family, const std::string& qualifier) {
    hbase::pb::Column* const column = request->mutable_scan()->add_column();
    column->set_family(family);
    column->add_qualifier(qualifier);
  }

  // All versions: "f:q@3 f:q@2".
  std::string Row(const std::string& row) {
    const Expected<Result> result = table_->Get({.row = row, .max_versions = kAllVersions});
    std::string out;
    for (const Cell& cell : *result) {
      out += (out.empty() ? "" : " ") + std::string(cell.family) + ":" + std::string(cell.qualifier) + "@" +
             std::to_string(cell.timestamp_ms);
    }
    return out;
  }

  const TempDirectory temp_;
  std::unique_ptr<Server> server_;
  table::EmbeddedConnection* store_ = nullptr;  // the server's
  std::unique_ptr<Table> table_;
};

constexpr std::string_view kWhole = "f:q@3 f:q@2 f:q@1 f:r@3 f:r@2 f:r@1 g:q@2";

TEST_F(StockEndpointsTest, RowsAndCellsOfARegionAreCounted) {
  EXPECT_EQ(Count("getRowCount", "a"), "2");
  EXPECT_EQ(Count("getRowCount", "x"), "1");
  EXPECT_EQ(Count("getKeyValueCount", "a"), "6");  // the newest version of each column
  EXPECT_EQ(Count("getKeyValueCount", "x"), "3");
  EXPECT_EQ(Count("getTableCount", "a"), "org.apache.hadoop.hbase.exceptions.UnknownProtocolException");
  ASSERT_TRUE(table_->Delete(klip::Delete{.row = "x"}).ok());
  EXPECT_EQ(Count("getRowCount", "x"), "0");
  EXPECT_EQ(Count("getKeyValueCount", "x"), "0");
}

TEST_F(StockEndpointsTest, RowsOfTheRegionAreDeleted) {
  EXPECT_EQ(Delete(Request(BulkDeleteRequest::ROW)), "2 rows");
  EXPECT_EQ(Row("a") + Row("b"), "");
  EXPECT_EQ(Row("x"), kWhole);  // of another region
  EXPECT_EQ(Delete(Request(BulkDeleteRequest::ROW)), "0 rows");
}

TEST_F(StockEndpointsTest, RowsAreDeletedUpToATimestampAndInBatches) {
  BulkDeleteRequest request = Request(BulkDeleteRequest::ROW, 500);
  request.set_timestamp(2);
  EXPECT_EQ(Delete(request), "2 rows");
  EXPECT_EQ(Row("a"), "f:q@3 f:r@3");
  EXPECT_EQ(Row("b"), "f:q@3 f:r@3");
}

TEST_F(StockEndpointsTest, TheScanSaysWhichRowsFamiliesAndColumns) {
  BulkDeleteRequest families = Request(BulkDeleteRequest::FAMILY);
  families.mutable_scan()->set_stop_row("b");
  families.mutable_scan()->add_column()->set_family("g");
  EXPECT_EQ(Delete(families), "1 rows");
  EXPECT_EQ(Row("a"), "f:q@3 f:q@2 f:q@1 f:r@3 f:r@2 f:r@1");
  EXPECT_EQ(Row("b"), kWhole);
  BulkDeleteRequest columns = Request(BulkDeleteRequest::COLUMN);
  columns.mutable_scan()->set_start_row("b");
  columns.mutable_scan()->set_max_versions(3);
  AddColumn(&columns, "f", "q");
  EXPECT_EQ(Delete(columns), "1 rows");
  EXPECT_EQ(Row("b"), "f:r@3 f:r@2 f:r@1 g:q@2");
  columns.set_timestamp(2);
  columns.mutable_scan()->clear_column();
  EXPECT_EQ(Delete(columns), "1 rows");
  EXPECT_EQ(Row("b"), "f:r@3");
}

TEST_F(StockEndpointsTest, VersionsAreThoseThatTheScanFinds) {
  BulkDeleteRequest request = Request(BulkDeleteRequest::VERSION);
  request.mutable_scan()->set_stop_row("b");
  request.mutable_scan()->set_max_versions(2);
  AddColumn(&request, "f", "q");
  EXPECT_EQ(Delete(request), "1 rows, 2 versions");
  EXPECT_EQ(Row("a"), "f:q@1 f:r@3 f:r@2 f:r@1 g:q@2");
}

TEST_F(StockEndpointsTest, OneVersionOfAColumnIsDeletedAtATimestamp) {
  BulkDeleteRequest request = Request(BulkDeleteRequest::VERSION);
  request.mutable_scan()->set_max_versions(3);
  request.set_timestamp(2);
  EXPECT_EQ(Delete(request), "2 rows, 6 versions");
  EXPECT_EQ(Row("a"), "f:q@3 f:q@1 f:r@3 f:r@1");
}

TEST_F(StockEndpointsTest, WhatCannotBeDoneIsRefused) {
  EXPECT_EQ(Delete(Request(BulkDeleteRequest::ROW, 0)), "org.apache.hadoop.hbase.DoNotRetryIOException");
  BulkDeleteRequest request = Request(BulkDeleteRequest::ROW);
  request.mutable_scan()->add_column()->set_family("no");
  EXPECT_EQ(Delete(request), "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");
  EXPECT_EQ(Call("BulkDeleteService", "remove", request).exception(),
            "org.apache.hadoop.hbase.exceptions.UnknownProtocolException");
  EXPECT_EQ(Row("a"), kWhole);
}

}  // namespace
}  // namespace klip::server
