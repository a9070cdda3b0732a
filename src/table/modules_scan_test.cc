// WebAssembly modules that see scans.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/modules_test_util.h"

namespace klip::table {
namespace {

class ModuleScanTest : public ModulesTest {
 protected:
  void PutRows(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(1000 + i);
      ASSERT_EQ(PutOne(number, "f:q", "v" + number, 5), "ok");
    }
  }
};

TEST_F(ModuleScanTest, TheRequestIsSeenAndChanged) {
  CreateWith(Compile("open", R"(
KLIP_HOOK(preScannerOpen) {
  ScanRequest scan = event.scan();
  if (scan.start_row == "no") return Join(event.user(), " may not");
  if (scan.start_row == "same") return {};
  if (event.rows().size() != 0 || event.locked() || scan.columns.size() != 2) return "wrong";
  if (scan.columns[0].whole_family || !(scan.columns[0].qualifier == "q") || !scan.columns[1].whole_family) return "columns";
  if (scan.max_versions != 3 || scan.limit_rows != 7 || scan.min_ms != 2 || scan.max_ms != 99) return "numbers";
  if (!scan.include_start || scan.include_stop || scan.reversed || !(scan.stop_row == "y")) return "range";
  scan.start_row = "d"; scan.include_start = false; scan.stop_row = "b"; scan.include_stop = true; scan.reversed = true;
  scan.columns = {scan.columns.begin(), 1};
  scan.limit_rows = 2; scan.max_versions = 1; scan.min_ms = 0; scan.max_ms = kLatest;
  event.SetScan(scan);
  return {};
})"));
  for (const char* const row : {"a", "b", "c", "d"}) {
    ASSERT_EQ(table_->Put(Put{.row = row}.Add("f", "q", "v", 5).Add("f", "r", "w", 5)).ToString(), "ok");
  }
  Scan scan = {.start_row = "a", .stop_row = "y", .limit_rows = 7, .columns = {{"f", "q"}, {"f"}}, .max_versions = 3};
  scan.time_range = {.min_ms = 2, .max_ms = 99};
  EXPECT_EQ(ScanText(scan), "c{f:q@5=v} b{f:q@5=v}");
  EXPECT_EQ(RowsText(Scan{.start_row = "same"}), "");
  const Caller caller = {.user = "mallory"};
  const CallerScope scope(&caller);
  EXPECT_EQ(RowsText(Scan{.start_row = "no"}), "DoNotRetry: table t: module m, preScannerOpen: mallory may not");
}

constexpr const char* kLooker = R"(
int calls = 0;
KLIP_HOOK(postScannerNext) {
  ++calls;
  const Span<Row> rows = event.rows();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const Bytes row = rows[i].row();
    if (rows[i].cells().size() != 1) return "cells";
    const char last = row[row.size() - 1];
    if (last == '3') { if (const Status s = event.Bypass(i); !s.ok()) return s; }
    if (last == '5') { if (const Status s = event.Replace(i, Stored(row).Add("f", "n", Decimal(calls), 9)); !s.ok()) return s; }
    if (last == '7') { if (const Status s = event.Replace(i, Stored(row)); !s.ok()) return s; }
  }
  return {};
})";

TEST_F(ModuleScanTest, RowsAreLeftOutAndReplacedManyInOneCall) {
  CreateWith(Compile("next", kLooker));
  PutRows(9);
  EXPECT_EQ(ScanText(Scan{.start_row = "1002", .stop_row = "1009"}),
            "1002{f:q@5=v1002} 1004{f:q@5=v1004} 1005{f:n@9=1} 1006{f:q@5=v1006} 1008{f:q@5=v1008}");
  EXPECT_EQ(ScanText(Scan{.start_row = "1003", .stop_row = "1004"}), "");
  EXPECT_EQ(RowsText(Scan{.start_row = "1006", .stop_row = "1003", .reversed = true}), "1006 1005 1004");
  EXPECT_EQ(table_->CountRows(Scan{}).value(), 7);
  const auto batches = table_->ScanBatches(Scan{}, {{"f", "q"}});
  ASSERT_TRUE(batches.ok());
  const auto batch = (*batches)->Next();
  ASSERT_TRUE(batch.ok());
  ASSERT_NE(*batch, nullptr);
  EXPECT_EQ((*batch)->rows(), 7U);
}

TEST_F(ModuleScanTest, LargeScansAreReadInOrderByPagesThatGrow) {
  CreateWith(Compile("pages", R"(
int calls = 0;
KLIP_HOOK(postScannerNext) {
  const Span<Row> rows = event.rows();
  if (rows[0].row() == "1000") calls = 0;
  ++calls;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (const Status s = event.Replace(i, Stored(rows[i].row()).Add("f", Decimal(calls), Decimal(rows.size()), 1)); !s.ok()) return s;
  }
  return {};
})"));
  PutRows(100);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string page = i < 16 ? "f:1@1=16" : i < 48 ? "f:2@1=32" : "f:3@1=52";
    expected += (i == 0 ? "" : " ") + std::to_string(1000 + i) + "{" + page + "}";
  }
  EXPECT_EQ(ScanText(Scan{}), expected);
  EXPECT_EQ(ScanText(Scan{.threads = 4}), expected);
}

TEST_F(ModuleScanTest, PiecesOfRowsStayPieces) {
  CreateWith(Compile("pieces", R"(
KLIP_HOOK(postScannerNext) {
  const Span<Row> rows = event.rows();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].cells()[0].qualifier == "a") {
      if (const Status s = event.Replace(i, Stored(rows[i].row()).Add("f", "x", "y", 1)); !s.ok()) return s;
    }
  }
  return {};
})"));
  ASSERT_EQ(table_->Put(Put{.row = "r"}.Add("f", "a", "1", 5).Add("f", "b", "2", 5).Add("f", "c", "3", 5)).ToString(),
            "ok");
  EXPECT_EQ(ScanText(Scan{.batch = 1}), "r{f:x@1=y}+ r{f:b@5=2}+ r{f:c@5=3}");
}

TEST_F(ModuleScanTest, ItReadsOtherTablesAsTheCaller) {
  CreateWith(Compile("other", R"(
KLIP_HOOK(postScannerNext) {
  const Span<Row> rows = event.rows();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    Row other;
    if (const Status s = event.Get("INDEX_TBL", rows[i].row(), &other); !s.ok()) return s;
    if (other.cells().size() == 0) { if (const Status s = event.Bypass(i); !s.ok()) return s; }
  }
  return event.Mutate("INDEX_TBL", Put("seen").Add("f", "by", event.user(), 3));
})"));
  PutRows(4);
  ASSERT_EQ(Handle("INDEX_TBL")->Put(Put{.row = "1002"}.Add("f", "q", "v", 1)).ToString(), "ok");
  const Caller caller = {.user = "alice"};
  const CallerScope scope(&caller);
  EXPECT_EQ(RowsText(Scan{}), "1002");
  EXPECT_EQ(RowOf("INDEX_TBL", "seen"), "f:by@3=alice");
}

TEST_F(ModuleScanTest, AFailureEndsTheScanAndNotTheStore) {
  CreateWith(Compile("bad", R"(
KLIP_HOOK(preScannerOpen) {
  const Bytes start = event.scan().start_row;
  if (start == "trap") __builtin_trap();
  if (start == "loop") { volatile int i = 0; for (;;) i = i + 1; }
  if (start == "hoard") for (;;) Allocate(1 << 20);
  if (start == "short") host::Answer("abc", 3);
  if (start == "late") return event.Bypass(0);
  ScanRequest scan = event.scan();
  if (start == "versions") { scan.max_versions = 0; event.SetScan(scan); }
  if (start == "limit") { scan.limit_rows = -1; event.SetScan(scan); }
  if (start == "times") { scan.min_ms = 5; scan.max_ms = 4; event.SetScan(scan); }
  if (start == "long") { Writer out; scan.Write(&out); out.U8(0); host::Answer(out.bytes().data(), out.bytes().size()); }
  if (start == "many") { Writer out; scan.Write(&out); out.SetU32(out.bytes().size() - 4, 0xFFFFFFFFu); host::Answer(out.bytes().data(), out.bytes().size()); }
  return {};
}
KLIP_HOOK(postScannerNext) {
  const Bytes value = event.rows()[0].Value("f", "q");
  if (value == "trap") __builtin_trap();
  if (value == "loop") { volatile int i = 0; for (;;) i = i + 1; }
  if (value == "hoard") for (;;) Allocate(1 << 20);
  if (value == "garbage") host::Replace(0, "abc", 3);
  if (value == "other row") return event.Replace(0, Stored("x").Add("f", "q", "v"));
  if (value == "put") return event.Replace(0, Put(event.rows()[0].row()).Add("f", "q", "v"));
  if (value == "index") return event.Bypass(event.rows().size());
  if (value == "says") return "it says no";
  return {};
})"),
             "klip.memory=8,klip.deadline=100");
  const auto check = [&](const std::string& text, const std::string& hook, const std::string& why) {
    EXPECT_TRUE(text.starts_with("DoNotRetry: table t: module m, " + hook + ": ")) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
  };
  for (const auto& [start, why] : std::vector<std::pair<std::string, std::string>>{
           {"trap", "unreachable"},
           {"loop", "it ran longer than 100 ms"},
           {"hoard", "unreachable"},
           {"short", "incomplete bytes, at offset 0 of 3"},
           {"late", "mutation 0 of 0"},
           {"versions", "a scan whose versions, limit or times are out of range"},
           {"limit", "a scan whose versions, limit or times are out of range"},
           {"times", "a scan whose versions, limit or times are out of range"},
           {"long", "bytes after the last column of a scan"},
           {"many", "incomplete bytes"}}) {
    check(RowsText(Scan{.start_row = start}), "preScannerOpen", why);
    EXPECT_EQ(RowsText(Scan{}), "") << start;
  }
  for (const auto& [value, why] : std::vector<std::pair<std::string, std::string>>{
           {"trap", "unreachable"},
           {"loop", "it ran longer than 100 ms"},
           {"hoard", "unreachable"},
           {"garbage", "klip.replace: the module has written a row of kind 97"},
           {"other row", "klip.replace: the module has written a row that differs from the one that it replaces"},
           {"put", "klip.replace: the module has written a row of kind 0 instead of 4"},
           {"index", "mutation 1 of 1"},
           {"says", "it says no"}}) {
    ASSERT_EQ(PutOne("r", "f:q", value), "ok");
    check(RowsText(Scan{}), "postScannerNext", why);
    ASSERT_EQ(PutOne("r", "f:q", "good"), "ok");
    EXPECT_EQ(RowsText(Scan{}), "r") << value;
  }
  ASSERT_EQ(PutOne("r", "f:q", "says"), "ok");
  auto scanner = table_->Scan(Scan{});
  ASSERT_TRUE(scanner.ok());
  Result row;
  EXPECT_FALSE((*scanner)->Next(&row).ok());
  EXPECT_FALSE((*scanner)->Next(&row).ok());  // not an end
}

TEST_F(ModuleScanTest, TheEndOfAScanIsReported) {
  CreateWith(Compile("close", R"(
KLIP_HOOK(postScannerClose) { return event.Mutate("INDEX_TBL", Increment(event.user(), "f", "n", 1)); }
)"));
  PutRows(3);
  const auto closed = [&](const std::string& user) -> int {
    const Expected<Result> row = Handle("INDEX_TBL")->Get({.row = user});
    const Cell* const count = row.ok() ? row->Find("f", "n") : nullptr;
    return count == nullptr ? 0 : count->value.back();
  };
  const Caller caller = {.user = "alice"};
  const CallerScope scope(&caller);
  EXPECT_EQ(RowsText(Scan{}), "1000 1001 1002");
  EXPECT_EQ(closed("alice"), 1);
  auto scanner = table_->Scan(Scan{});
  ASSERT_TRUE(scanner.ok());
  Result row;
  ASSERT_TRUE(*(*scanner)->Next(&row));
  EXPECT_EQ(closed("alice"), 1);
  scanner->reset();
  EXPECT_EQ(closed("alice"), 2);
}

TEST_F(ModuleScanTest, AScannerOutlivesTheModulesOfItsTable) {
  CreateWith(Compile("old", kLooker));
  PutRows(40);
  auto scanner = table_->Scan(Scan{});
  ASSERT_TRUE(scanner.ok());
  Result row;
  ASSERT_TRUE(*(*scanner)->Next(&row));
  Expected<TableDescriptor> table = admin().GetDescriptor("t");
  ASSERT_TRUE(table.ok());
  table->attributes.erase("coprocessor$1");
  ASSERT_EQ(admin().ModifyTable(*table).ToString(), "ok");
  int rows = 1;
  while (*(*scanner)->Next(&row)) {
    EXPECT_NE(row.row().back(), '3');
    ++rows;
  }
  EXPECT_EQ(rows, 32);
  EXPECT_EQ(*table_->CountRows(Scan{}), 40);
}

}  // namespace
}  // namespace klip::table
