#include "table/admin/admin_hooks.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/while_disabled.h"
#include "table/embedded_connection.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

class Watcher : public AdminHooks {
 public:
  Status Around(AdminOperation& operation, const std::function<Status()>& run) override {
    seen.push_back(operation.kind);
    if (refuse || operation.kind == refused) {
      return {Code::kDoNotRetry, "refused"};
    }
    if (operation.kind == AdminKind::kModifyTable) {
      EXPECT_EQ(operation.before->name, operation.descriptor->name);
    }
    if (operation.descriptor != nullptr) {
      operation.descriptor->attributes["seen"] = "yes";
    }
    return run();
  }

  std::vector<AdminKind> seen;
  bool refuse = false;
  std::optional<AdminKind> refused;
};

class AdminHooksTest : public TableTest {
 protected:
  AdminHooksTest() {
    table_.reset();
    connection_.reset();
    connection_ = *OpenEmbedded(root_ + "/store", options_, {.admin_hooks = &watcher_});
  }

  Watcher watcher_;
};

TEST_F(AdminHooksTest, ATableWhoseDeletionIsRefusedIsAsBefore) {
  Admin& admin = connection_->admin();
  ASSERT_TRUE(admin.CreateTable({.name = "u", .families = {{.name = "f"}}}).ok());
  const auto drop = [&] { return base::WhileDisabled(&admin, "u", [&] { return admin.DeleteTable("u"); }).message(); };
  watcher_.refused = AdminKind::kDeleteTable;
  EXPECT_EQ(drop(), "refused");
  EXPECT_TRUE(*admin.IsTableEnabled("u"));
  ASSERT_TRUE(admin.DisableTable("u").ok());
  EXPECT_EQ(drop(), "refused");
  EXPECT_FALSE(*admin.IsTableEnabled("u"));
  watcher_.refused = std::nullopt;
  EXPECT_EQ(drop(), "");
  EXPECT_FALSE(*admin.TableExists("u"));
}

TEST_F(AdminHooksTest, SeeEveryChangeOnceAndMayRefuseIt) {
  Admin& admin = connection_->admin();
  const TableDescriptor table = {.name = "ns:u", .families = {{.name = "f"}}};
  struct Case {
    AdminKind kind;
    std::function<Status()> call;
  };
  const std::vector<Case> cases = {
      {AdminKind::kCreateNamespace, [&] { return admin.CreateNamespace({.name = "ns"}); }},
      {AdminKind::kModifyNamespace,
       [&] { return admin.ModifyNamespace({.name = "ns", .configuration = {{"a", "b"}}}); }},
      {AdminKind::kGetNamespace, [&] { return admin.GetNamespace("ns").status(); }},
      {AdminKind::kCreateTable, [&] { return admin.CreateTable(table, std::vector<std::string>{"m"}); }},
      {AdminKind::kModifyTable, [&] { return admin.ModifyTable(table); }},
      {AdminKind::kModifyTable, [&] { return admin.AddFamily("ns:u", {.name = "g"}); }},
      {AdminKind::kModifyTable, [&] { return admin.ModifyFamily("ns:u", {.name = "g", .max_versions = 2}); }},
      {AdminKind::kModifyTable, [&] { return admin.DeleteFamily("ns:u", "g"); }},
      {AdminKind::kFlushTable, [&] { return admin.Flush("ns:u", ""); }},
      {AdminKind::kSplit, [&] { return admin.Split("ns:u", "t"); }},
      {AdminKind::kMerge,
       [&]() -> Status {
         KLIP_ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, admin.GetRegions("ns:u"));
         return admin.MergeRegions(std::vector<std::string>{regions[0].Name(), regions[1].Name()}, false);
       }},
      {AdminKind::kTakeSnapshot, [&] { return admin.Snapshot("s", "ns:u", {}); }},
      {AdminKind::kDisableTable, [&] { return admin.DisableTable("ns:u"); }},
      {AdminKind::kRestoreSnapshot, [&] { return admin.RestoreSnapshot("s"); }},
      {AdminKind::kTruncateTable, [&] { return admin.TruncateTable("ns:u", true); }},
      {AdminKind::kDisableTable, [&] { return admin.DisableTable("ns:u"); }},
      {AdminKind::kEnableTable, [&] { return admin.EnableTable("ns:u"); }},
      {AdminKind::kCloneSnapshot, [&] { return admin.CloneSnapshot("s", "v"); }},
      {AdminKind::kDeleteSnapshot, [&] { return admin.DeleteSnapshot("s"); }},
      {AdminKind::kDisableTable, [&] { return admin.DisableTable("ns:u"); }},
      {AdminKind::kDeleteTable, [&] { return admin.DeleteTable("ns:u"); }},
      {AdminKind::kDeleteNamespace, [&] { return admin.DeleteNamespace("ns"); }},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    for (const bool refuse : {true, false}) {
      watcher_.refuse = refuse;
      watcher_.seen.clear();
      const Status status = cases[i].call();
      EXPECT_EQ(status.message(), refuse ? "refused" : "");
      EXPECT_EQ(watcher_.seen, std::vector<AdminKind>{cases[i].kind});
    }
  }
}

TEST_F(AdminHooksTest, ChangeDescriptors) {
  ASSERT_TRUE(connection_->admin().CreateTable({.name = "u", .families = {{.name = "f"}}}).ok());
  EXPECT_EQ(connection_->admin().GetDescriptor("u")->attributes.at("seen"), "yes");
}

}  // namespace
}  // namespace klip::table
