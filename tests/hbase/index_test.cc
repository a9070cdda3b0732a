// Indexes of a served table: writes by klip's client and by other RPCs, and reads with filters of unmodified clients.
#include "klip/index.h"

#include <filesystem>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "klip/filter.h"
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "server/raw_client_test.h"

namespace klip::client {
namespace {

// "t" has indexes, "plain" the same rows.
class ServedIndexTest : public server::ServerTest {
 protected:
  ServedIndexTest() {
    connection_ = *Connection::Open("hbase+rpc://127.0.0.1:" + std::to_string(rpc_port()));
    const std::vector<std::string> splits = {"r05", "r10"};
    TableDescriptor table = {.name = "plain", .families = {{.name = "f", .max_versions = 3}, {.name = "g"}}};
    EXPECT_TRUE(connection_->admin().CreateTable(table, splits).ok());
    table.name = "t";
    table.attributes = {{"KLIP_INDEX$a", "f:a text INCLUDE f:a, g:c"},
                        {"KLIP_INDEX$n", "f:n i64, f:a text"},
                        {"KLIP_INDEX$q", "f:qxx0 text"}};
    EXPECT_TRUE(connection_->admin().CreateTable(table, splits).ok());
    for (const char* const name : {"t", "plain"}) {
      tables_.push_back(*connection_->GetTable(name));
    }
  }

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string Row() { return "r" + std::to_string(100 + Pick(16)).substr(1); }
  std::string Value() { return "v" + std::to_string(Pick(4)); }
  Put RandomPut() {
    Put put = {.row = Row()};
    put.Add("f", "a", Value(), Pick(20)).Add("g", "c", Value(), Pick(20));
    return put;
  }
  Delete RandomDelete() {
    Delete del = {.row = Row()};
    return Pick(2) == 0 ? del.AddColumn("f", "a", Pick(20)) : Pick(2) == 0 ? del.AddFamily("f", Pick(20)) : del;
  }
  Action RandomAction() {
    switch (Pick(4)) {
      case 0:
        return RandomDelete();
      case 1:
        return Increment{.row = Row()}.Add("f", "n", Pick(3) - 1);
      default:
        return RandomPut();
    }
  }

  // The same on both tables: it fails on neither.
  template <typename Call>
  void OnBoth(Call call) {
    for (const auto& table : tables_) {
      const Status status = call(*table);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
  }

  void Step() {
    switch (Pick(6)) {
      case 0: {
        const Put put = RandomPut();
        return OnBoth([&](Table& table) { return table.Put(put); });
      }
      case 1: {
        const Delete del = RandomDelete();
        return OnBoth([&](Table& table) { return table.Delete(del); });
      }
      case 2: {
        std::vector<Action> actions;
        for (int i = 0; i < 8; ++i) {
          actions.push_back(RandomAction());
        }
        return OnBoth([&](Table& table) {
          Status status;
          for (const Expected<Result>& result : table.Batch(actions)) {
            status = status.ok() ? result.status() : status;
          }
          return status;
        });
      }
      case 3: {
        Put put = RandomPut();
        CheckAndMutate check = {.row = put.row, .condition = RowCondition::IfEquals("f", "a", Value()), .action = put};
        return OnBoth([&](Table& table) { return table.CheckAndMutate(check).status(); });
      }
      case 4: {
        RowMutations both = {.row = Row()};
        both.mutations.emplace_back(Put{.row = both.row}.Add("f", "a", Value(), 21));
        both.mutations.emplace_back(Delete{.row = both.row}.AddColumns("g", "c"));
        return OnBoth([&](Table& table) { return table.Mutate(both).status(); });
      }
      default: {
        const Append append = Append{.row = Row()}.Add("g", "c", "x");
        return OnBoth([&](Table& table) { return table.Append(append).status(); });
      }
    }
  }

  static std::string Rows(Table& table, const Scan& scan) {
    std::string out;
    const Expected<std::unique_ptr<ResultScanner>> scanner = table.Scan(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    Result row;
    while (true) {
      const Expected<bool> more = (*scanner)->Next(&row);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) {
        return out;
      }
      out += std::string(row.row()) + "{";
      for (const Cell& cell : row) {
        out += std::string(cell.family) + ":" + std::string(cell.qualifier) + "=" + ToStringBinary(cell.value) + " ";
      }
      out += "} ";
    }
  }

  // All that must hold of the store behind the server, which is stopped. How many entries there are.
  int64_t Verify() {
    tables_.clear();
    connection_.reset();
    server_.reset();
    const auto store = *Connection::Open("klip:" + root_ + "/store", ConnectionOptions());
    int64_t entries = 0;
    for (const char* const index : {"a", "n", "q"}) {
      const Expected<IndexCheck> check = (*store->admin().indexes())->VerifyIndex("t", index);
      EXPECT_TRUE(check.ok() && check->ok()) << index << ": " << check.status().ToString();
      entries += check->entries;
    }
    return entries;
  }

  std::mt19937_64 random_{3};
  std::unique_ptr<Connection> connection_;
  std::vector<std::unique_ptr<Table>> tables_;
};

TEST_F(ServedIndexTest, AllCallsKeepItAndFiltersReadIt) {
  const auto equal = [](const std::string& column, CompareOp op, std::string value) {
    return SingleColumnValueFilter({.family = "f",
                                    .qualifier = column,
                                    .op = op,
                                    .comparator = BinaryComparator(std::move(value)),
                                    .filter_if_missing = true});
  };
  for (int step = 0; step < 300; ++step) {
    Step();
    const FilterPtr by_a = equal("a", Pick(2) == 0 ? CompareOp::kEqual : CompareOp::kGreater, Value());
    Scan scan = {.filter = by_a};
    if (Pick(2) == 0) {
      scan.columns = {{"f", "a"}, {"g", "c"}};  // the index holds both
    }
    scan.limit_rows = Pick(3) == 0 ? 2 : 0;
    scan.reversed = Pick(3) == 0;
    if (Pick(2) == 0) {
      scan.filter = FilterList(ListOperator::kMustPassAll,
                               {by_a, equal("n", CompareOp::kEqual, BigEndian<int64_t>(Pick(3) - 1))});
    }
    ASSERT_EQ(Rows(*tables_[0], scan), Rows(*tables_[1], scan)) << "step " << step;
  }
  EXPECT_GT(Verify(), 10);
}

TEST_F(ServedIndexTest, HFilesAndTruncatedRegionsKeepIt) {
  OnBoth([&](Table& table) { return table.Put(Put{.row = "r01"}.Add("f", "a", "x")); });
  OnBoth([&](Table& table) { return table.Put(Put{.row = "r12"}.Add("f", "a", "x")); });
  const Expected<std::vector<RegionInfo>> regions = connection_->admin().GetRegions("t");
  ASSERT_EQ(regions->size(), 3U);
  server::RawClient client(rpc_port(), "ClientService");
  hbase::pb::BulkLoadHFileRequest load;
  load.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  load.mutable_region()->set_value(regions->back().Name());
  std::filesystem::copy_file(std::string(KLIP_HFILE_DIRECTORY) + "/none.hfile", root_ + "/hfile");
  load.add_family_path()->set_family("f");
  load.mutable_family_path(0)->set_path("file:" + root_ + "/hfile");
  ASSERT_TRUE(client.Ask<hbase::pb::BulkLoadHFileResponse>("BulkLoadHFile", load).loaded());
  EXPECT_GT(Rows(*tables_[0], {}).size(), 500U);

  server::RawClient master(rpc_port(), "MasterService");
  hbase::pb::TruncateRegionRequest truncate;
  hbase::pb::RegionInfo* const region = truncate.mutable_region_info();
  region->set_region_id(static_cast<uint64_t>(regions->front().region_id));
  region->mutable_table_name()->set_namespace_("default");
  region->mutable_table_name()->set_qualifier("t");
  region->set_start_key(regions->front().start_key);
  region->set_end_key(regions->front().end_key);
  master.Ask<hbase::pb::TruncateRegionResponse>("TruncateRegion", truncate);
  while (Rows(*tables_[0], {.stop_row = "r05"}) != "") {
  }
  EXPECT_EQ(Verify(), 1 + 8);  // r12, and the rows of the HFile that have the column
}

TEST_F(ServedIndexTest, AreMadeWhereTheStoreIs) {
  IndexAdmin* const indexes = *connection_->admin().indexes();
  EXPECT_EQ(
      indexes->CreateIndex("t", *IndexDescriptor::Parse("c", "g:c text")).ToString(),
      "DoNotRetry: klip serve keeps indexes itself, for all clients: create this one on its store, with klip index "
      "create STORE");
  EXPECT_TRUE(indexes->ListIndexes("t")->empty());
  EXPECT_EQ(connection_->admin().GetDescriptor("t")->attributes.at("KLIP_INDEX$a"), "f:a text INCLUDE f:a, g:c");
}

}  // namespace
}  // namespace klip::client
