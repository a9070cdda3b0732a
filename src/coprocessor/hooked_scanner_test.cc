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
#include "proto/Client.pb.h"

namespace klip::coprocessor {
namespace {

constexpr uint64_t kRegion = 1;
constexpr uint32_t kScanner = 7;

class HookedScannerTest : public testing::Test {
 protected:
  // A host with a class that wraps the client's scanner, and reads by scans of its own in each hook.
  void SetUp() override {
    FrameWriter open;
    open.U64(kRegion).U32(1).Text("postScannerOpen").U32(0).U32(0).U32(0);
    std::map<Method, FrameWriter> answers;
    answers[Method::kOpen] = std::move(open);
    host_ = std::make_unique<FakeHost>(
        socket_, std::move(answers),
        std::map<Method, FakeHost::Hook>{
            {Method::kScanOpen, [this](FrameReader* call, const FakeHost::Ask& klip) { return OnOpen(call, klip); }},
            {Method::kScanNext, [this](FrameReader* call, const FakeHost::Ask& klip) { return OnNext(call, klip); }},
            {Method::kScanClose, [this](FrameReader* /*call*/, const FakeHost::Ask& klip) {
               at_close_ = RowsOf(scan_, klip);
               return FrameWriter();
             }}});
    connection_ = *table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, coprocessors_.ForStore());
    ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
    ASSERT_TRUE(connection_->admin()
                    .CreateTable({.name = "t",
                                  .families = {{.name = "f"}},
                                  .attributes = {{"coprocessor$1", "|com.acme.Observer|1001|"}}})
                    .ok());
    table_ = *connection_->GetTable("t");
    for (const char* row : {"a", "b", "c"}) {
      ASSERT_EQ(table_->Put(Put{.row = row}.Add("f", "q", row)).ToString(), "ok");
    }
  }
  void TearDown() override {
    table_.reset();
    coprocessors_.Stop();
    connection_.reset();
  }

  // preScannerOpen and postScannerOpen.
  FrameWriter OnOpen(FrameReader* call, const FakeHost::Ask& klip) {
    call->Text();  // the user
    call->Text();  // the address
    call->U64();
    call->Message(&scan_);
    at_open_ = RowsOf({}, klip);
    FrameWriter answer;
    answer.U8(0).U32(kScanner);
    return answer;
  }

  // The wrapped scanner's rows, and the class's own scan.
  FrameWriter OnNext(FrameReader* /*call*/, const FakeHost::Ask& klip) {
    at_next_ = RowsOf({}, klip);
    FrameWriter answer;
    answer.U8(0).U32(0);
    wrapped_ = RowsOf(scan_, klip);
    of_kept_ = RowsOf(kept_, klip);
    return answer;
  }

  // The rows, by region.getScanner(scan); or an error.
  static std::string RowsOf(const hbase::pb::Scan& scan, const FakeHost::Ask& klip) {
    FrameWriter open;
    open.U64(kRegion).Message(scan);
    FrameReader opened = klip(Method::kRegionScanOpen, open);
    if (opened.kind() == FrameKind::kError) {
      return ReadError(&opened).ToString();
    }
    FrameWriter next;
    next.U32(opened.U32()).U32(100).U32(1 << 20);
    FrameReader answer = klip(Method::kRegionScanNext, next);
    answer.U8();
    std::string rows;
    Cell cell;
    for (uint32_t count = answer.U32(); count > 0 && answer.cells()->Next(&cell); --count) {
      rows += std::string(cell.row) + " ";
    }
    return rows;
  }

  void Read(const Scan& scan) {
    const auto rows = *table_->Scan(scan);
    Result row;
    const Expected<bool> more = rows->Next(&row);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    EXPECT_FALSE(*more);
  }

  const TempDirectory temp_;
  const std::string socket_ = temp_.path() + "/host";
  Coprocessors coprocessors_{{.socket = socket_}, /*off=*/false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
  std::unique_ptr<Table> table_;
  hbase::pb::Scan scan_;  // as the hooks see it
  hbase::pb::Scan kept_;  // from an earlier hook
  std::string at_open_;
  std::string at_next_;
  std::string wrapped_;
  std::string of_kept_;
  std::string at_close_;
};

TEST_F(HookedScannerTest, OnlyTheClientsScanHasItsConditions) {
  Read({.rows = filter::RowSet::FromRows({"b"})});
  EXPECT_EQ(wrapped_, "b ");
  EXPECT_EQ(at_close_, "b ");
  EXPECT_EQ(at_open_, "a b c ");
  EXPECT_EQ(at_next_, "a b c ");
}

TEST_F(HookedScannerTest, ItsConditionsEndWithIt) {
  Read({.rows = filter::RowSet::FromRows({"b"})});
  kept_ = scan_;
  Read({});
  EXPECT_EQ(wrapped_, "a b c ");
  EXPECT_NE(of_kept_.find("has ended"), std::string::npos) << of_kept_;
}

TEST_F(HookedScannerTest, AClientCannotUseConditionsOfOthers) {
  const Scan forged = {.attributes = {{std::string(RegionCalls::kConditionsAttribute), BigEndian<uint64_t>(1)}}};
  Read(forged);
  EXPECT_EQ(wrapped_, "a b c ");
}

}  // namespace
}  // namespace klip::coprocessor
