// Tables with WebAssembly modules: hooks and endpoints, and modules that loop, use too much memory, trap or are invalid.
// The tests compile the modules; without clang for wasm32 and wasmtime they are skipped.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/modules_test_util.h"
#include "wasm/runtime.h"

namespace klip::table {
namespace {

constexpr const char* kIndexer = R"(
KLIP_HOOK(postPut) {
  const Row put = event.rows()[0];
  return event.Mutate("INDEX_TBL", Put(Join(put.Value("f", "day"), put.row())).Add("f", "", event.user(), 7));
})";

TEST_F(ModulesTest, PostPutWritesAnIndexRow) {
  CreateWith(Compile("index", kIndexer));
  const Caller caller = {.user = "alice"};
  const CallerScope scope(&caller);
  EXPECT_EQ(PutOne("r1", "f:day", "monday", 5), "ok");
  EXPECT_EQ(RowOf("t", "r1"), "f:day@5=monday");
  EXPECT_EQ(RowOf("INDEX_TBL", "mondayr1"), "f:@7=alice");
}

TEST_F(ModulesTest, NewCellsOfIncrementsAndAppendsAreReplaced) {
  CreateWith(Compile("computed", R"(
KLIP_HOOK(postIncrementBeforeWAL) {
  const Row change = event.rows()[0], before = event.rows()[1], after = event.rows()[2];
  if (!event.locked() || change.kind() != Kind::kIncrement) return "wrong";
  if (change.row() == "other row") { event.Answer(Stored("x").Add("f", "q", "v", 1)); return {}; }
  if (change.row() == "family") { event.Answer(Stored("family").Add("nope", "q", "v", 1)); return {}; }
  if (change.row() == "same") return {};
  event.Answer(Stored(change.row()).Add("f", "log", before.Value("f", "log").size() == 0 ? "first" : "more", 4).Add(after.cells()[0]));
  return {};
}
KLIP_HOOK(postAppendBeforeWAL) {
  const Row before = event.rows()[1], after = event.rows()[2];
  event.Answer(Stored(after.row()).Add("f", "a", Join(before.Value("f", "a"), "|", after.Value("f", "a")), 9));
  return {};
})"));
  const auto increment = [&](const std::string& row) {
    const auto done = table_->Increment(Increment{.row = row}.Add("f", "n", 1));
    return done.ok() ? std::to_string(done->size()) : done.status().ToString();
  };
  EXPECT_EQ(increment("r"), "1");
  const std::string one = "f:n@" + std::to_string(now_ms_) + "=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01";
  EXPECT_EQ(RowOf("t", "r"), "f:log@4=first " + one);
  EXPECT_EQ(increment("same"), "1");
  EXPECT_EQ(RowOf("t", "same"), one);
  EXPECT_EQ(increment("other row"),
            "DoNotRetry: table t: module m, postIncrementBeforeWAL: a new cell of another row, or a delete marker");
  EXPECT_NE(increment("family").find("Column family nope does not exist"), std::string::npos);
  EXPECT_EQ(RowOf("t", "family"), "");
  EXPECT_EQ(table_->Append(Append{.row = "a"}.Add("f", "a", "x")).status().ToString(), "ok");
  EXPECT_EQ(RowOf("t", "a"), "f:a@9=|x");
  EXPECT_EQ(table_->Append(Append{.row = "a"}.Add("f", "a", "y")).status().ToString(), "ok");
  EXPECT_EQ(RowOf("t", "a"), "f:a@9=|x||xy");
}

TEST_F(ModulesTest, ABatchGetsAnIndexRowInItsCommit) {
  std::ifstream example(std::string(KLIP_INCLUDE_DIRECTORY) + "/../examples/wasm/index_observer.cc");
  const std::string source((std::istreambuf_iterator<char>(example)), std::istreambuf_iterator<char>());
  std::string hooks = source.substr(source.find("#include"));
  for (size_t at = hooks.find("\"d\""); at != std::string::npos; at = hooks.find("\"d\"")) {
    hooks.replace(at, 3, "\"f\"");
  }
  CreateWith(Compile("batch", hooks), "index=INDEX_TBL");
  EXPECT_EQ(PutOne("r1", "f:day", "monday", 5), "ok");
  EXPECT_EQ(RowOf("INDEX_TBL", "mondayr1").substr(0, 3), "f:@");
  EXPECT_EQ(table_->Delete(Delete{.row = "r1"}.AddFamily("f")).ToString(), "ok");  // no put: nothing is added
}

// Whether the Rust compiler is installed with the standard library of the target.
bool CompilesRust() {
  return std::system(  // NOLINT(cert-env33-c): a test
             "echo 'pub fn f() {}' | rustc --target wasm32-unknown-unknown --crate-type cdylib - -o /dev/null > "
             "/dev/null 2>&1") == 0;
}

TEST_F(ModulesTest, TheExampleInRustKeepsItsIndex) {
  if (!CompilesRust()) {
    GTEST_SKIP() << "no rustc with the target wasm32-unknown-unknown";
  }
  const std::string path = root_ + "/rust.wasm";
  const std::string command =
      "rustc --target wasm32-unknown-unknown --edition 2021 -O -C strip=symbols --crate-type cdylib -o " + path + " " +
      KLIP_INCLUDE_DIRECTORY + "/../examples/wasm/index_observer.rs";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c): a test
  Create("INDEX_TBL", {Family("d")});
  Create("t", {Family("d")}, {{"coprocessor$1", "file://" + path + "|m|1001|"}});
  EXPECT_EQ(table_->Put(Put{.row = "r1"}.Add("d", "other", "x").Add("d", "day", "monday")).ToString(), "ok");
  EXPECT_EQ(RowOf("INDEX_TBL", "mondayr1"), "d:@1000000=");
  EXPECT_EQ(PutOne("r2", "d:other", "x"), "ok");
  EXPECT_EQ(RowsText(*Handle("INDEX_TBL"), {}), "mondayr1");
  ASSERT_EQ(admin().DisableTable("INDEX_TBL").ToString(), "ok");
  EXPECT_NE(PutOne("r3", "d:day", "x").find("INDEX_TBL"), std::string::npos);
  EXPECT_EQ(RowOf("t", "r3"), "");
}

TEST_F(ModulesTest, PrePutChangesLeavesOutAndRefuses) {
  CreateWith(Compile("pre", R"(
KLIP_HOOK(prePut) {
  const Row put = event.rows()[0];
  const Bytes value = put.Value("f", "q");
  if (value == "no") return "it says no";
  if (value == "skip") return event.Bypass(0);
  Bytes suffix;
  event.Setting("suffix", &suffix);
  return event.Replace(0, Put(put.row()).Add("f", "q", Join(value, suffix), 9));
})"),
             "suffix=!");
  EXPECT_EQ(PutOne("a", "f:q", "v"), "ok");
  EXPECT_EQ(RowOf("t", "a"), "f:q@9=v!");
  EXPECT_EQ(PutOne("b", "f:q", "skip"), "ok");
  EXPECT_EQ(RowOf("t", "b"), "");
  EXPECT_EQ(PutOne("c", "f:q", "no"), "DoNotRetry: table t: module m, prePut: it says no");
  EXPECT_EQ(RowOf("t", "c"), "");
}

TEST_F(ModulesTest, ReadsAreAnsweredAndChanged) {
  CreateWith(Compile("reads", R"(
KLIP_HOOK(preGetOp) {
  const Row get = event.rows()[0];
  if (get.row() == "made") event.Answer(Stored(get.row()).Add("f", "q", "up", 3));
  return {};
}
KLIP_HOOK(postGetOp) {
  const Row row = event.rows()[0];
  if (row.row() == "r") event.Answer(Stored("r").Add("f", "n", Decimal(row.cells().size()), 4));
  return {};
})"));
  EXPECT_EQ(PutOne("r", "f:q", "v"), "ok");
  EXPECT_EQ(RowOf("t", "made"), "f:q@3=up");
  EXPECT_EQ(RowOf("t", "r"), "f:n@4=1");
}

TEST_F(ModulesTest, IncrementsAndScansAndOtherTables) {
  CreateWith(Compile("sum", R"(
KLIP_HOOK(postPut) {
  Span<Row> rows; bool more;
  if (const Status s = event.Scan(event.table(), "", "", 0, &rows, &more); !s.ok()) return s;
  if (more) return "more";
  return event.Mutate("INDEX_TBL", Increment("sum", "f", "n", static_cast<int64_t>(rows.size())));
})"));
  for (const char* const row : {"a", "b", "c"}) {
    EXPECT_EQ(PutOne(row, "f:q", "v"), "ok");
  }
  EXPECT_NE(RowOf("INDEX_TBL", "sum").find("\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x06"), std::string::npos);
}

TEST_F(ModulesTest, EndpointsAreCalledInEachRegion) {
  const std::string path = Compile("census", R"(
KLIP_ENDPOINT {
  if (call.method() != "Count") return Join("no method ", call.method());
  Span<Row> rows; bool more;
  if (const Status s = call.Scan(call.table(), call.start_key(), call.end_key(), 0, &rows, &more); !s.ok()) return s;
  call.Answer(Join(call.request(), Decimal(rows.size())));
  return {};
})");
  Create("t", {Family("f")}, {{"coprocessor$1", "file://" + path + "|acme.Census|1001"}}, {"m"});
  for (const char* const row : {"a", "b", "x"}) {
    EXPECT_EQ(PutOne(row, "f:q", "v"), "ok");
  }
  const auto answers = table_->CallEndpoint({.service = "acme.Census", .method = "Count", .request = "n="});
  ASSERT_TRUE(answers.ok()) << answers.status().ToString();
  ASSERT_EQ(answers->size(), 2U);
  EXPECT_EQ((*answers)[0].bytes, "n=2");
  EXPECT_EQ((*answers)[1].bytes, "n=1");
  EXPECT_EQ(table_->CallEndpoint({.service = "acme.Census", .method = "X", .request = ""}).status().message(),
            "table t: module acme.Census, call: no method X");
  EXPECT_EQ(table_->CallEndpoint({.service = "acme.Other", .method = "X", .request = ""}).status().code(),
            Code::kUnsupported);
}

TEST_F(ModulesTest, AnEndlessLoopEndsAtItsDeadline) {
  CreateWith(Compile("loop", R"(
KLIP_HOOK(prePut) {
  if (event.rows()[0].row() != "loop") return {};
  volatile int i = 0;
  for (;;) i = i + 1;
})"),
             "klip.deadline=200");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(PutOne("loop", "f:q", "v"), "DoNotRetry: table t: module m, prePut: it ran longer than 200 ms");
  }
  EXPECT_EQ(PutOne("other", "f:q", "v"), "ok");
}

TEST_F(ModulesTest, TrapsAndHoardersAreErrorsAndTheMemoryIsFresh) {
  CreateWith(Compile("bad", R"(
int calls = 0;
KLIP_HOOK(prePut) {
  const Bytes row = event.rows()[0].row();
  ++calls;
  if (row == "trap") __builtin_trap();
  if (row == "wild") return Join(*reinterpret_cast<Bytes*>(0xFFFF0000u));
  if (row == "deep") { volatile char hole[65536 * 8]; hole[0] = 1; return klip_hook_prePut(event); }
  if (row == "hoard") for (;;) Allocate(1 << 20);
  if (row == "garbage") host::Replace(0, "abc", 3);
  if (row == "outside") host::Mutate("x", 0x7FFFFFFF, "", 0);
  if (row == "take") host::Take(reinterpret_cast<char*>(0xFFFFFFFFu));
  return event.Replace(0, Put(row).Add("f", "n", Decimal(calls), 1));
})"),
             "klip.memory=8");
  EXPECT_EQ(PutOne("a", "f:q", "v"), "ok");
  EXPECT_EQ(PutOne("b", "f:q", "v"), "ok");
  EXPECT_EQ(RowOf("t", "b"), "f:n@1=2");  // the memory stays from call to call
  for (const auto& [row, text] : std::vector<std::pair<std::string, std::string>>{
           {"trap", "unreachable"},
           {"wild", "out of bounds"},
           {"deep", "it failed"},
           {"hoard", "unreachable"},
           {"garbage", "it failed: klip.replace: the module has written a row of kind 97"},
           {"outside", "are outside of its memory"}}) {
    const std::string status = PutOne(row, "f:q", "v");
    EXPECT_TRUE(status.starts_with("DoNotRetry: table t: module m, prePut: it failed: ")) << row << ": " << status;
    EXPECT_NE(status.find(text), std::string::npos) << status;
    EXPECT_EQ(RowOf("t", row), "");
    EXPECT_EQ(PutOne("c", "f:q", "v"), "ok");
    EXPECT_EQ(RowOf("t", "c"), "f:n@1=1") << row;  // a new instance
  }
}

TEST_F(ModulesTest, ItMayReadItsOwnRowAndCallItselfNotForEver) {
  CreateWith(Compile("own", R"(
KLIP_HOOK(preBatchMutate) {
  const Row put = event.rows()[0];
  Row before;
  if (const Status s = event.Get(event.table(), put.row(), &before); !s.ok()) return s;
  if (put.row() == "w") return event.Mutate(event.table(), Put("w2").Add("f", "n", Decimal(before.cells().size()), 1));
  Span<Row> rows; bool more;
  if (put.row() == "s") return event.Scan(event.table(), "", "", 0, &rows, &more);
  return {};
}
KLIP_HOOK(postPut) {
  const Row put = event.rows()[0];
  return put.row() == "again" ? event.Mutate(event.table(), Put("again").Add("f", "q", "v")) : Status();
})"));
  EXPECT_EQ(PutOne("w", "f:q", "v"), "ok");
  EXPECT_EQ(RowOf("t", "w2"), "f:n@1=0");
  EXPECT_EQ(
      PutOne("s", "f:q", "v"),
      "DoNotRetry: table t: module m, preBatchMutate: a scan while rows are locked: read by get in preBatchMutate");
  EXPECT_NE(PutOne("again", "f:q", "v").find("modules call each other, or themselves, 4 deep"), std::string::npos);
}

TEST_F(ModulesTest, WhatIsNoModuleIsRefused) {
  const auto refused = [this](const std::string& spec, const std::string& text) {
    const Status status = CreateOnly(spec);
    EXPECT_FALSE(status.ok()) << spec;
    EXPECT_NE(status.message().find(text), std::string::npos) << status.message();
  };
  const std::string good = Compile("good", kIndexer);
  std::ofstream(root_ + "/text.wasm") << "(module)";
  std::ofstream(root_ + "/cut.wasm") << std::string("\0asm\1\0\0\0\1\377", 10);
  refused("file:///nowhere/x.wasm|m|1", "No such file");
  refused("file://" + root_ + "/text.wasm|m|1", "it does not start with 00 'asm', as a module does");
  refused("file://" + root_ + "/cut.wasm|m|1", "cannot be used: ");
  refused("hdfs://x/y.wasm|m|1", "a module's path must be absolute");
  refused("file://" + good + "||1", "Format does not match");
  refused("file://" + good + "|m|high", "Format does not match");
  refused("file://" + good + "|m|1|klip.memory=0", "klip.memory=0 is not a number of MB");
  refused("file://" + good + "|m|1|klip.deadline=x", "klip.deadline=x is not a number of milliseconds");
  refused("file://" + Compile("empty", "") + "|m|1", "it exports no hook, such as prePut, and no call");
  for (const std::string hook :
       {"postScannerOpen", "preScannerNext", "preIncrementAfterRowLock", "preAppendAfterRowLock", "preFlush",
        "preCompact", "preSplitRegion", "preCreateTable", "preWALAppend"}) {
    refused("file://" + Compile("other", "KLIP_HOOK(" + hook + ") { return {}; }") + "|m|1",
            "klip does not call the hook " + hook + " of modules");
  }
  refused("file://" +
              Compile("type", "extern \"C\" __attribute__((export_name(\"postPut\"))) int f(int) { return 0; }") +
              "|m|1",
          "its function postPut has the type i32 to i32, not i32 i32 to i32");
  refused("file://" +
              Compile("import",
                      "__attribute__((import_module(\"env\"), import_name(\"z\"))) int z();\nKLIP_HOOK(prePut) { z(); "
                      "return {}; }") +
              "|m|1",
          "unknown import: `env::z`");
  refused("file://" +
              Compile("large",
                      "char room[9 << 20] = {1};\nKLIP_HOOK(prePut) { return Bytes(room, event.rows().size()); }") +
              "|m|1|klip.memory=8",
          "memory");
}

TEST_F(ModulesTest, AlterLoadsTheFileAnew) {
  const std::string path = Compile("v", "KLIP_HOOK(prePut) { return \"one\"; }");
  CreateWith(path);
  EXPECT_EQ(PutOne("r", "f:q", "v"), "DoNotRetry: table t: module m, prePut: one");
  Compile("v", "KLIP_HOOK(prePut) { return \"two\"; }");
  EXPECT_EQ(PutOne("r", "f:q", "v"), "DoNotRetry: table t: module m, prePut: one");
  Expected<TableDescriptor> table = admin().GetDescriptor("t");
  ASSERT_TRUE(table.ok());
  table->attributes["x"] = "y";
  ASSERT_EQ(admin().ModifyTable(*table).ToString(), "ok");
  EXPECT_EQ(PutOne("r", "f:q", "v"), "DoNotRetry: table t: module m, prePut: two");
  table->attributes.erase("coprocessor$1");
  ASSERT_EQ(admin().ModifyTable(*table).ToString(), "ok");
  EXPECT_EQ(PutOne("r", "f:q", "v"), "ok");
}

TEST_F(ModulesTest, WithoutItsModuleATableIsNeitherReadNorWritten) {
  const std::string path = Compile("gone", kIndexer);
  CreateWith(path);
  EXPECT_EQ(PutOne("r", "f:day", "v"), "ok");
  std::remove(path.c_str());
  Open();
  Use("t");
  EXPECT_NE(PutOne("r", "f:day", "w").find("gone.wasm of table t cannot be used: No such file"), std::string::npos);
  EXPECT_NE(RowOf("t", "r").find("cannot be used"), std::string::npos);
  options_.ignore_coprocessors = true;
  Open();
  Use("t");
  EXPECT_EQ(PutOne("r", "f:day", "w", 5'000'000'000'000), "ok");
  EXPECT_EQ(RowOf("t", "r"), "f:day@5000000000000=w");
}

TEST_F(ModulesTest, ManyThreads) {
  CreateWith(Compile("threads", kIndexer));
  constexpr int kThreads = 64;
  constexpr int kPuts = 20;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPuts; ++i) {
        const std::string row = std::to_string(t) + "-" + std::to_string(i);
        failures += table_->Put(Put{.row = row}.Add("f", "day", "d")).ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
  auto scanner = Handle("INDEX_TBL")->Scan({});
  ASSERT_TRUE(scanner.ok());
  int rows = 0;
  for (Result row; *(*scanner)->Next(&row);) {
    ++rows;
  }
  EXPECT_EQ(rows, kThreads * kPuts);
}

TEST(RuntimeTest, WhatIsNotThereIsSaid) {
  const auto path = wasm::FindRuntime("/nowhere/libwasmtime.so");
  ASSERT_FALSE(path.ok());
  EXPECT_NE(path.status().message().find("/nowhere/libwasmtime.so cannot be used: no such file"), std::string::npos);
  EXPECT_NE(path.status().message().find("pip install wasmtime"), std::string::npos);
  const auto other = wasm::Runtime::Load("/proc/self/exe");
  EXPECT_FALSE(other.ok());
}

}  // namespace
}  // namespace klip::table
