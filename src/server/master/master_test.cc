// MasterService: requests of clients of other versions than 2.6.
#include <filesystem>
#include <string>

#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "server/raw_client_test.h"

namespace klip::server {
namespace {

class MasterTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    master_ = std::make_unique<RawClient>(rpc_port(), "MasterService");
    hbase::pb::CreateTableRequest create;
    SetTable(create.mutable_table_schema()->mutable_table_name());
    create.mutable_table_schema()->add_column_families()->set_name("f");
    master_->Ask<hbase::pb::CreateTableResponse>("CreateTable", create);
  }

  static void SetTable(hbase::pb::TableName* name) {
    name->set_namespace_("default");
    name->set_qualifier("t");
  }

  hbase::pb::TableSchema Schema() {
    hbase::pb::GetTableDescriptorsRequest request;
    SetTable(request.add_table_names());
    return master_->Ask<hbase::pb::GetTableDescriptorsResponse>("GetTableDescriptors", request).table_schema(0);
  }

  std::unique_ptr<RawClient> master_;
};

TEST_F(MasterTest, ClientsBefore26FlushByAProcedure) {
  hbase::pb::ExecProcedureRequest exec;
  exec.mutable_procedure()->set_signature("flush-table-proc");
  exec.mutable_procedure()->set_instance("t");
  EXPECT_GT(master_->Ask<hbase::pb::ExecProcedureResponse>("ExecProcedure", exec).expected_timeout(), 0);
  hbase::pb::IsProcedureDoneRequest done;
  *done.mutable_procedure() = exec.procedure();
  EXPECT_TRUE(master_->Ask<hbase::pb::IsProcedureDoneResponse>("IsProcedureDone", done).done());

  hbase::pb::NameStringPair* family = exec.mutable_procedure()->add_configuration();
  family->set_name("family");
  family->set_value("f,nope,no");  // joined as by clients from 2.6 on
  const Answer refused = master_->Call("ExecProcedure", exec);
  EXPECT_EQ(refused.exception(), "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");
  EXPECT_NE(refused.header.exception().stack_trace().find("Column families [nope, no] don't exist in table t"),
            std::string::npos);
  family->set_value("f,f");
  master_->Ask<hbase::pb::ExecProcedureResponse>("ExecProcedure", exec);
  exec.mutable_procedure()->clear_configuration();
  exec.mutable_procedure()->set_instance("nope");
  EXPECT_EQ(master_->Call("ExecProcedure", exec).exception(), "org.apache.hadoop.hbase.TableNotFoundException");
  exec.mutable_procedure()->set_signature("online-snapshot");
  EXPECT_EQ(master_->Call("ExecProcedure", exec).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  exec.mutable_procedure()->set_signature("other");
  EXPECT_EQ(master_->Call("ExecProcedure", exec).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
}

TEST_F(MasterTest, FileTrackersAreKept) {
  hbase::pb::ModifyColumnStoreFileTrackerRequest family;
  SetTable(family.mutable_table_name());
  family.set_family("f");
  family.set_dst_sft("FILE");
  master_->Ask<hbase::pb::ModifyColumnStoreFileTrackerResponse>("ModifyColumnStoreFileTracker", family);
  EXPECT_EQ(Schema().column_families(0).configuration(0).value(), "FILE");
  family.set_family("nope");
  EXPECT_EQ(master_->Call("ModifyColumnStoreFileTracker", family).exception(),
            "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException");

  hbase::pb::ModifyTableStoreFileTrackerRequest table;
  SetTable(table.mutable_table_name());
  table.set_dst_sft("MIGRATION");
  EXPECT_EQ(master_->Call("ModifyTableStoreFileTracker", table).exception(),
            "org.apache.hadoop.hbase.DoNotRetryIOException");
}

TEST_F(MasterTest, WhatRegionsWouldHaveToBeReopenedForIsRefusedWhereTheyAreNot) {
  hbase::pb::ModifyTableRequest modify;
  SetTable(modify.mutable_table_name());
  modify.set_reopen_regions(false);
  const auto refused = [&] { return master_->Call("ModifyTable", modify).header.exception().stack_trace(); };
  *modify.mutable_table_schema() = Schema();
  modify.mutable_table_schema()->add_column_families()->set_name("g");
  EXPECT_TRUE(refused().starts_with("org.apache.hadoop.hbase.HBaseIOException: Cannot add or remove column families"));
  for (const char* name : {"REGION_REPLICATION", "coprocessor$1"}) {
    *modify.mutable_table_schema() = Schema();
    hbase::pb::BytesBytesPair* attribute = modify.mutable_table_schema()->add_attributes();
    attribute->set_first(name);
    attribute->set_second("2");
    EXPECT_TRUE(refused().starts_with("org.apache.hadoop.hbase.HBaseIOException: Can not modify")) << name;
  }
  *modify.mutable_table_schema() = Schema();
  hbase::pb::BytesBytesPair* size = modify.mutable_table_schema()->add_attributes();
  size->set_first("MAX_FILESIZE");
  size->set_second("20000000000");
  EXPECT_EQ(refused(), "");
}

TEST_F(MasterTest, SnapshotsTellTheirType) {
  hbase::pb::SnapshotRequest take;
  take.mutable_snapshot()->set_name("s");
  take.mutable_snapshot()->set_table("t");
  take.mutable_snapshot()->set_type(hbase::pb::SnapshotDescription::SKIPFLUSH);
  master_->Ask<hbase::pb::SnapshotResponse>("Snapshot", take);
  EXPECT_EQ(master_
                ->Ask<hbase::pb::GetCompletedSnapshotsResponse>("GetCompletedSnapshots",
                                                                hbase::pb::GetCompletedSnapshotsRequest())
                .snapshots(0)
                .type(),
            hbase::pb::SnapshotDescription::SKIPFLUSH);
}

TEST_F(MasterTest, ADamagedSnapshotIsNotOneThatDoesNotExist) {
  hbase::pb::SnapshotRequest take;
  take.mutable_snapshot()->set_name("s");
  take.mutable_snapshot()->set_table("t");
  master_->Ask<hbase::pb::SnapshotResponse>("Snapshot", take);
  hbase::pb::IsSnapshotDoneRequest done;
  *done.mutable_snapshot() = take.snapshot();
  EXPECT_EQ(master_->Ask<hbase::pb::IsSnapshotDoneResponse>("IsSnapshotDone", done).snapshot().table(), "t");
  std::filesystem::resize_file(root_ + "/store/snapshots/s/SNAPSHOT", 40);
  EXPECT_NE(master_->Call("IsSnapshotDone", done).header.exception().stack_trace().find("'s' is damaged"),
            std::string::npos);
  hbase::pb::RestoreSnapshotRequest clone;
  clone.mutable_snapshot()->set_name("s");
  clone.mutable_snapshot()->set_table("n");
  EXPECT_NE(master_->Call("RestoreSnapshot", clone).header.exception().stack_trace().find("'s' is damaged"),
            std::string::npos);
  clone.mutable_snapshot()->set_name("nope");
  EXPECT_NE(master_->Call("RestoreSnapshot", clone).header.exception().stack_trace().find("doesn't exist"),
            std::string::npos);
}

// Requests of HBase's clients from 2.5 on, which use the names of the Java classes.
TEST_F(MasterTest, LogsAreEmpty) {
  hbase::pb::LogRequest request;
  request.set_log_class_name("org.apache.MasterProtos$BalancerDecisionsRequest");
  request.set_log_message("");
  EXPECT_EQ(master_->Ask<hbase::pb::LogEntry>("GetLogEntries", request).log_class_name(),
            "org.apache.MasterProtos$BalancerDecisionsResponse");
  request.set_log_class_name("org.apache.AdminProtos$SlowLogResponseRequest");
  EXPECT_EQ(master_->Call("GetLogEntries", request).exception(), "org.apache.hadoop.hbase.DoNotRetryIOException");
  hbase::pb::SlowLogResponseRequest().SerializeToString(request.mutable_log_message());
  RawClient server(rpc_port(), "AdminService");
  EXPECT_EQ(server.Ask<hbase::pb::LogEntry>("GetLogEntries", request).log_class_name(),
            "org.apache.AdminProtos$SlowLogResponses");
}

}  // namespace
}  // namespace klip::server
