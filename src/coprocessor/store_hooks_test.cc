// Flushes and compactions of tables with Java classes: only what the classes release is dropped.
#include "coprocessor/store_hooks.h"

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/temp_directory_test.h"
#include "coprocessor/coprocessors.h"
#include "coprocessor/fake_host_test.h"
#include "engine/read/observed_rewrite.h"
#include "engine/store/storage.h"
#include "engine/store/views.h"
#include "klip/index.h"

namespace klip::coprocessor {
namespace {

class StoreHooksTest : public testing::Test {
 protected:
  // A host that opens regions with a class that overrides these hooks, and sets so many versions in their options.
  void StartHost(const std::vector<std::string>& hooks, uint32_t versions = 1) {
    FrameWriter open;
    open.U64(1).U32(hooks.size());
    for (const std::string& hook : hooks) {
      open.Text(hook);
    }
    open.U32(0).U32(0).U32(0);
    FrameWriter options;
    options.U64(std::numeric_limits<int64_t>::max()).U32(versions).U32(0).U8(0);
    std::map<Method, FrameWriter> answers;
    answers[Method::kOpen] = std::move(open);
    answers[Method::kRegionEvent] = std::move(options);
    host_ = std::make_unique<FakeHost>(socket_, std::move(answers));
  }

  void Open() {
    Expected<std::unique_ptr<table::EmbeddedConnection>> opened =
        table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, coprocessors_.ForStore());
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    connection_ = *std::move(opened);
    ASSERT_EQ(coprocessors_.Serve(connection_.get(), "").ToString(), "ok");
  }

  void CreateAndFill(std::map<std::string, std::string> attributes = {}) {
    attributes["coprocessor$1"] = "|com.acme.Observer|1001|";
    ASSERT_EQ(
        connection_->admin()
            .CreateTable(
                {.name = "t", .families = {{.name = "f", .max_versions = 1}}, .attributes = std::move(attributes)})
            .ToString(),
        "ok");
    Put();
  }
  void Put() {
    const auto table = *connection_->GetTable("t");
    for (int i = 1; i <= 3; ++i) {
      ASSERT_EQ(table->Put(klip::Put{.row = "r"}.Add("f", "q", std::to_string(i), i)).ToString(), "ok");
    }
  }

  // Stored versions, visible or not.
  int Versions() {
    const engine::TablePtr view = *connection_->store().views().GetTable("t");
    engine::ObservedRewrite rewrite(&connection_->store(),
                                    {.table = view.get(), .family = &view->families.front(), .start = "", .end = ""},
                                    {.max_versions = 100});
    Result row;
    EXPECT_TRUE(rewrite.Next(&row).ok());
    return static_cast<int>(row.size());
  }
  size_t Shown() {
    const Expected<Result> got = (*connection_->GetTable("t"))->Get({.row = "r", .max_versions = 100});
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    return got.ok() ? got->size() : 0;
  }
  Status FlushUnseen() {
    const engine::TablePtr view = *connection_->store().views().GetTable("t");
    return connection_->store().storage().FlushFamilies(view->families);
  }

  void TearDown() override {
    coprocessors_.Stop();
    connection_.reset();
  }

  const TempDirectory temp_;
  const std::string socket_ = temp_.path() + "/host";
  Coprocessors coprocessors_{{.socket = socket_}, /*off=*/false};
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<table::EmbeddedConnection> connection_;
};

TEST_F(StoreHooksTest, AClassWithoutSuchHooksLetsTheStoreDrop) {
  StartHost({});
  Open();
  CreateAndFill();
  ASSERT_EQ(FlushUnseen().ToString(), "ok");
  EXPECT_EQ(Versions(), 1);
}

TEST_F(StoreHooksTest, AllIsKeptUntilTheHostSaysWhatToDrop) {
  StartHost({"preCompactScannerOpen", "preStoreScannerOpen"}, /*versions=*/2);
  Open();
  CreateAndFill();
  ASSERT_EQ(FlushUnseen().ToString(), "ok");
  EXPECT_EQ(Versions(), 3);
  EXPECT_EQ(Shown(), 2U);  // by the options for reads
  ASSERT_EQ(connection_->admin().MajorCompact("t").ToString(), "ok");
  EXPECT_EQ(Versions(), 2);
}

// The table is locked at that time: a hook that writes would wait for itself, and all writers for the host.
TEST_F(StoreHooksTest, LoadsAndNewIndexesFlushWithoutTheHost) {
  StartHost({"preFlush"});
  Open();
  CreateAndFill({{"KLIP_INDEX$i", "f:q text"}});
  const auto loader = *connection_->NewBulkLoader("t");
  const Cell marker = {.row = "r", .family = "f", .qualifier = "q", .timestamp_ms = 2, .type = CellType::kDeleteColumn};
  ASSERT_EQ(loader->Add({&marker, 1}).ToString(), "ok");
  ASSERT_EQ(loader->Finish().ToString(), "ok");
  IndexAdmin* const indexes = *connection_->admin().indexes();
  ASSERT_EQ(indexes->CreateIndex("t", *IndexDescriptor::Parse("j", "f:q text")).ToString(), "ok");
  EXPECT_EQ(host_->calls(Method::kRegionEvent), 0);
  ASSERT_EQ(connection_->admin().Flush("t").ToString(), "ok");
  EXPECT_GT(host_->calls(Method::kRegionEvent), 0);
}

TEST_F(StoreHooksTest, WithoutAHostNothingIsDropped) {
  StartHost({"preCompactScannerOpen"});
  Open();
  CreateAndFill();
  TearDown();
  host_.reset();
  ::unlink(socket_.c_str());
  Coprocessors away({.socket = socket_}, /*off=*/false);
  connection_ = *table::OpenEmbedded(temp_.path() + "/store", {.sync_wal = false}, away.ForStore());
  ASSERT_EQ(away.Serve(connection_.get(), "").ToString(), "ok");
  ASSERT_EQ(FlushUnseen().ToString(), "ok");
  EXPECT_EQ(connection_->admin().Flush("t").code(), Code::kIoError);
  EXPECT_EQ(connection_->admin().MajorCompact("t").code(), Code::kIoError);
  EXPECT_EQ(Versions(), 3);
  away.Stop();
  connection_.reset();
}

}  // namespace
}  // namespace klip::coprocessor
