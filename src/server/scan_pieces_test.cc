// Rows that a scan reads in pieces: in each answer, only the last result may be incomplete.
#include <string>
#include <vector>

#include "filter/proto/filter_proto.h"
#include "klip/filter.h"
#include "proto/Client.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class ScanPiecesTest : public ServerTest {
 protected:
  // Three rows, each longer than a scan reads between pauses; it requests the first and the last column.
  void SetUp() override {
    constexpr int kColumns = 5000;
    server_.reset();
    {
      std::unique_ptr<Connection> connection = *Connection::Open("klip:" + root_ + "/store");
      ASSERT_TRUE(connection->admin().CreateTable({.name = "t", .families = {{.name = "f"}}}).ok());
      region_ = connection->admin().GetRegions("t")->front().Name();
      const std::unique_ptr<BulkLoader> loader = *connection->NewBulkLoader("t");
      for (const char* row : {"a", "b", "c"}) {
        Put put{.row = row};
        for (int i = 0; i < kColumns; ++i) {
          put.Add("f", std::to_string(10000 + i), "v", i == 0 || i == kColumns - 1 ? 1 : 2);
        }
        ASSERT_TRUE(loader->Add(put).ok());
      }
      ASSERT_TRUE(loader->Finish().ok());
    }
    Start();
  }

  hbase::pb::ScanRequest Request(const FilterPtr& wanted = *TimestampsFilter({1})) const {
    hbase::pb::ScanRequest request;
    request.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    request.mutable_region()->set_value(region_);
    const filter::JavaObject filter = *filter::FilterToProto(*wanted);
    request.mutable_scan()->mutable_filter()->set_name(filter.class_name);
    request.mutable_scan()->mutable_filter()->set_serialized_filter(filter.bytes);
    request.set_number_of_rows(100);
    request.set_client_handles_partials(true);
    request.set_client_handles_heartbeats(true);
    return request;
  }

  std::string region_;
};

TEST_F(ScanPiecesTest, PiecesOfARowAreOneResult) {
  RawClient client(rpc_port(), "ClientService");
  const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", Request());
  EXPECT_EQ(std::vector<uint32_t>(answer.cells_per_result().begin(), answer.cells_per_result().end()),
            (std::vector<uint32_t>{2, 2, 2}));
  EXPECT_EQ(std::vector<bool>(answer.partial_flag_per_result().begin(), answer.partial_flag_per_result().end()),
            (std::vector<bool>{false, false, false}));
  EXPECT_FALSE(answer.more_results_in_region());
}

TEST_F(ScanPiecesTest, WithABatchTheyAreResultsOfTheirOwn) {
  RawClient client(rpc_port(), "ClientService");
  hbase::pb::ScanRequest request = Request();
  request.mutable_scan()->set_batch_size(1);
  const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", request);
  EXPECT_EQ(std::vector<uint32_t>(answer.cells_per_result().begin(), answer.cells_per_result().end()),
            (std::vector<uint32_t>{1, 1, 1, 1, 1, 1}));
}

// A last piece that nothing follows: the filter has dropped the rest of the row.
TEST_F(ScanPiecesTest, WhatFollowsIsAnotherRow) {
  RawClient client(rpc_port(), "ClientService");
  const FilterPtr first_column = QualifierFilter(CompareOp::kEqual, *RegexStringComparator({.pattern = "^10000$"}));
  hbase::pb::ScanRequest request = Request(first_column);
  const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", request);
  EXPECT_EQ(std::vector<uint32_t>(answer.cells_per_result().begin(), answer.cells_per_result().end()),
            (std::vector<uint32_t>{1, 1, 1}));
  EXPECT_EQ(std::vector<bool>(answer.partial_flag_per_result().begin(), answer.partial_flag_per_result().end()),
            (std::vector<bool>{false, false, false}));
  request.set_limit_of_rows(2);
  const auto two = client.Ask<hbase::pb::ScanResponse>("Scan", request);
  EXPECT_EQ(std::vector<uint32_t>(two.cells_per_result().begin(), two.cells_per_result().end()),
            (std::vector<uint32_t>{1, 1}));
  EXPECT_FALSE(two.more_results());
}

}  // namespace
}  // namespace klip::server
