// Scans of tables with Java classes, and what those read in their hooks.
#include "coprocessor/hooked_scanner.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "coprocessor/coprocessors.h"
#include "coprocessor/fake_host_test.h"
#include "coprocessor/region_calls.h"
#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/index.h"
#include "proto/Client.pb.h"
#include "proto/HBase.pb.h"

namespace klip::coprocessor {
namespace {

constexpr uint64_t kRegion = 1;  // of t
constexpr uint64_t kOtherRegion = 2;
constexpr uint32_t kScanner = 7;

class HookedScannerTest : public testing::Test {
 protected:
  // A host with a class that wraps the client's scanner, and reads by scans of its own in each hook.
  void SetUp() override {
    host_ = std::make_unique<FakeHost>(
        socket_, std::map<Method, FrameWriter>(),
        std::map<Method, FakeHost::Hook>{
            {Method::kOpen, [](FrameReader* call, const FakeHost::Ask& /*klip*/) { return OpenRegion(call); }},
            {Method::kScanOpen, [this](FrameReader* call, const FakeHost::Ask& klip) { return OnOpen(call, klip); }},
            {Method::kScanNext, [this](FrameReader* call, const FakeHost::Ask& klip) { return OnNext(call, klip); }},
            {Method::kScanClose, [this](FrameReader* /*call*/, const FakeHost::Ask& klip) {
               at_close_ = RowsOf(scan_, klip);
               return FrameWriter();
             }}});
    connection_ = *table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, coprocessors_.ForStore());
    ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
    table_ = CreateTable("t");
  }
  void TearDown() override {
    table_.reset();
    coprocessors_.Stop();
    connection_.reset();
  }

  // Of one region, which opens with the first put. The rows are a, b and c.
  std::unique_ptr<Table> CreateTable(const std::string& name) {
    EXPECT_TRUE(connection_->admin()
                    .CreateTable({.name = name,
                                  .families = {{.name = "f"}},
                                  .attributes = {{"coprocessor$1", "|com.acme.Observer|1001|"}}})
                    .ok());
    std::unique_ptr<Table> table = *connection_->GetTable(name);
    for (const char* row : {"a", "b", "c"}) {
      EXPECT_EQ(table->Put(Put{.row = row}.Add("f", "q", row)).ToString(), "ok");
    }
    return table;
  }

  static FrameWriter OpenRegion(FrameReader* call) {
    hbase::pb::RegionInfo info;
    call->Message(&info);
    FrameWriter open;
    open.U64(info.table_name().qualifier() == "t" ? kRegion : kOtherRegion)
        .U32(1)
        .Text("postScannerOpen")
        .U32(0)
        .U32(0)
        .U32(0);
    return open;
  }

  // preScannerOpen and postScannerOpen.
  FrameWriter OnOpen(FrameReader* call, const FakeHost::Ask& klip) {
    call->Text();  // the user
    call->Text();  // the address
    call->U64();
    call->Message(&scan_);
    FrameWriter answer;
    if (reverses_) {
      scan_.set_reversed(true);
      answer.U8(1 | 2).Message(scan_).U32(0);
      return answer;
    }
    at_open_ = RowsOf({}, klip);
    answer.U8(0).U32(kScanner);
    return answer;
  }

  // The wrapped scanner's rows; reads by the class, too.
  FrameWriter OnNext(FrameReader* /*call*/, const FakeHost::Ask& klip) {
    at_next_ = RowsOf({}, klip);
    of_kept_ = RowsOf(kept_, klip);
    of_other_table_ = RowsOf(scan_, klip, kOtherRegion);
    FrameReader rows = OpenRows(scan_, klip);
    FrameWriter answer;
    answer.U8(rows.U8());
    const uint32_t count = rows.U32();
    answer.U32(count);
    Cell cell;
    for (uint32_t i = 0; i < count && rows.cells()->Next(&cell); ++i) {
      answer.U32(1);
      rpc::AppendCell(cell, kCodec, answer.cells());
    }
    return answer;
  }

  // The first rows of region.getScanner(scan); or an error.
  static FrameReader OpenRows(const hbase::pb::Scan& scan, const FakeHost::Ask& klip, uint64_t region = kRegion) {
    FrameWriter open;
    open.U64(region).Message(scan);
    FrameReader opened = klip(Method::kRegionScanOpen, open);
    if (opened.kind() == FrameKind::kError) {
      return opened;
    }
    FrameWriter next;
    next.U32(opened.U32()).U32(100).U32(1 << 20);
    return klip(Method::kRegionScanNext, next);
  }
  static std::string RowsOf(const hbase::pb::Scan& scan, const FakeHost::Ask& klip, uint64_t region = kRegion) {
    FrameReader answer = OpenRows(scan, klip, region);
    if (answer.kind() == FrameKind::kError) {
      return ReadError(&answer).ToString();
    }
    answer.U8();
    std::string rows;
    Cell cell;
    for (uint32_t count = answer.U32(); count > 0 && answer.cells()->Next(&cell); --count) {
      rows += std::string(cell.row) + " ";
    }
    return rows;
  }

  std::string Read(const Scan& scan) {
    const auto scanner = *table_->Scan(scan);
    std::string rows;
    Result row;
    while (true) {
      const Expected<bool> more = scanner->Next(&row);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) {
        return rows;
      }
      rows += std::string(row.row()) + " ";
    }
  }

  const TempDirectory temp_;
  const std::string socket_ = temp_.path() + "/host";
  Coprocessors coprocessors_{{.socket = socket_}, /*off=*/false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
  std::unique_ptr<Table> table_;
  hbase::pb::Scan scan_;   // as the hooks see it
  hbase::pb::Scan kept_;   // from an earlier hook
  bool reverses_ = false;  // preScannerOpen makes the scan reversed, and klip reads by itself
  std::string at_open_;
  std::string at_next_;
  std::string of_kept_;
  std::string of_other_table_;
  std::string at_close_;
};

TEST_F(HookedScannerTest, OnlyTheClientsScanHasItsConditions) {
  EXPECT_EQ(Read({.rows = filter::RowSet::FromRows({"b"})}), "b ");
  EXPECT_EQ(at_close_, "b ");
  EXPECT_EQ(at_open_, "a b c ");
  EXPECT_EQ(at_next_, "a b c ");
}

TEST_F(HookedScannerTest, ScansOfOtherTablesDoNotHaveThem) {
  const std::unique_ptr<Table> other = CreateTable("u");
  EXPECT_EQ(Read({.rows = filter::RowSet::FromRows({"b"})}), "b ");
  EXPECT_EQ(of_other_table_, "a b c ");
}

TEST_F(HookedScannerTest, ItsConditionsEndWithIt) {
  EXPECT_EQ(Read({.rows = filter::RowSet::FromRows({"b"})}), "b ");
  kept_ = scan_;
  EXPECT_EQ(Read({}), "a b c ");
  EXPECT_NE(of_kept_.find("has ended"), std::string::npos) << of_kept_;
}

TEST_F(HookedScannerTest, AClientCannotUseConditionsOfOthers) {
  EXPECT_EQ(Read({.attributes = {{std::string(RegionCalls::kConditionsAttribute), BigEndian<uint64_t>(1)}}}), "a b c ");
}

// As in HBase, where each region gets the scan that the client requests from it.
TEST_F(HookedScannerTest, AHookMayReverseAScan) {
  reverses_ = true;
  EXPECT_EQ(Read({}), "c b a ");
  EXPECT_EQ(Read({.start_row = "b"}), "b a ");
}

TEST_F(HookedScannerTest, AnIndexOrdersTheRowsThatTheHostReturns) {
  ASSERT_TRUE((*connection_->admin().indexes())->CreateIndex("t", *IndexDescriptor::Parse("by_q", "f:q text")).ok());
  EXPECT_EQ(Read({.reversed = true, .order_by_index = "by_q"}), "c b a ");
  ASSERT_EQ(table_->Put(Put{.row = "a"}.Add("f", "q", "z")).ToString(), "ok");
  EXPECT_EQ(Read({.order_by_index = "by_q"}), "b c a ");
  EXPECT_EQ(Read({.limit_rows = 1, .order_by_index = "by_q"}), "b ");
  EXPECT_EQ(at_next_, "a b c ");
}

}  // namespace
}  // namespace klip::coprocessor
