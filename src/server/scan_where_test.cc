// A query as an attribute of a scan, as sent by HBase's own clients.
#include <memory>
#include <string>

#include "proto/Client.pb.h"
#include "rpc/cell_block.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class ScanWhereTest : public ServerTest {
 protected:
  void StartWithRows() {
    server_.reset();
    {
      const std::unique_ptr<Connection> connection = *Connection::Open("klip:" + root_ + "/store");
      ASSERT_TRUE(connection->admin()
                      .CreateTable({.name = "t",
                                    .families = {{.name = "f"}},
                                    .attributes = {{"KLIP_ROW_KEY", "user:digits(2) day:digits(2)"}}})
                      .ok());
      scan_.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
      scan_.mutable_region()->set_value(connection->admin().GetRegions("t")->front().Name());
      const std::unique_ptr<Table> table = *connection->GetTable("t");
      for (int i = 0; i < 40; ++i) {
        const std::string row = std::to_string(10 + i) + std::to_string(10 + i % 4);
        ASSERT_TRUE(table->Put(Put{.row = row}.Add("f", "city", i % 3 == 0 ? "bonn" : "ulm")).ok());
      }
    }
    Start({.http_port = 0});
    scan_.set_number_of_rows(100);
  }

  hbase::pb::ScanRequest With(const std::string& where) {
    hbase::pb::ScanRequest request = scan_;
    auto* const attribute = request.mutable_scan()->add_attribute();
    attribute->set_name("klip.where");
    attribute->set_value(where);
    return request;
  }

  hbase::pb::ScanRequest scan_;
};

TEST_F(ScanWhereTest, ReturnsTheRowsThatMatch) {
  StartWithRows();
  RawClient client(rpc_port(), "ClientService");
  std::string cells;
  const auto answer = client.Ask<hbase::pb::ScanResponse>("Scan", With("day=12 user<30 f:city=bonn"), &cells);
  rpc::CellBlockReader reader(cells, rpc::CellCodec::kKeyValue);
  std::string rows;
  Cell cell;
  for (int i = 0; i < answer.cells_per_result_size() && reader.Next(&cell); ++i) {
    rows += std::string(cell.row) + " ";
  }
  EXPECT_EQ(rows, "1612 2812 ");
  EXPECT_EQ(client.Ask<hbase::pb::ScanResponse>("Scan", With("NONE")).cells_per_result_size(), 0);
}

TEST_F(ScanWhereTest, RefusesWhatItCannotRead) {
  StartWithRows();
  RawClient client(rpc_port(), "ClientService");
  EXPECT_EQ(client.Call("Scan", With("week=1")).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
}

}  // namespace
}  // namespace klip::server
