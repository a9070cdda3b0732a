// WebAssembly modules that see bulk loads.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/modules_test_util.h"

namespace klip::table {
namespace {

class ModuleLoadTest : public ModulesTest {
 protected:
  std::string Load(const std::string& row) {
    auto loader = connection_->NewBulkLoader("t");
    if (!loader.ok()) {
      return loader.status().ToString();
    }
    const Status added = (*loader)->Add(Put{.row = row}.Add("f", "q", "v", 5));
    return added.ok() ? (*loader)->Finish().ToString() : added.ToString();
  }
  // Sets the module's behaviour by `order`.
  void Order(const std::string& order) {
    ASSERT_EQ(Handle("INDEX_TBL")->Put(Put{.row = "order"}.Add("f", "", order)).ToString(), "ok");
    now_ms_ += 1;
  }
};

TEST_F(ModuleLoadTest, LoadsAreSeenAndRefusedAndFailuresLeaveTheStore) {
  CreateWith(Compile("load", R"(
static Status Obey(Event& event, Bytes hook) {
  if (event.locked() || event.rows().size() != 1 || event.rows()[0].cells().size() != 0) return "wrong";
  Row order;
  if (const Status s = event.Get("INDEX_TBL", "order", &order); !s.ok()) return s;
  const Bytes text = order.Value("f", "");
  if (text == Join(hook, " trap")) __builtin_trap();
  if (text == Join(hook, " loop")) { volatile int i = 0; for (;;) i = i + 1; }
  if (text == Join(hook, " hoard")) for (;;) Allocate(1 << 20);
  if (text == Join(hook, " no")) return "it says no";
  if (text == Join(hook, " replace")) return event.Replace(0, Put("x"));
  return event.Mutate("INDEX_TBL", Increment(hook, "f", "n", 1));
}
KLIP_HOOK(preBulkLoadHFile) { return Obey(event, "pre"); }
KLIP_HOOK(postBulkLoadHFile) { return Obey(event, "post"); }
)"),
             "klip.memory=8,klip.deadline=100");
  EXPECT_EQ(Load("a"), "ok");
  EXPECT_EQ(RowOf("t", "a"), "f:q@5=v");
  EXPECT_NE(RowOf("INDEX_TBL", "pre").find("\\x00\\x01"), std::string::npos);
  EXPECT_NE(RowOf("INDEX_TBL", "post").find("\\x00\\x01"), std::string::npos);
  for (const std::string hook : {"pre", "post"}) {
    for (const auto& [what, why] : std::vector<std::pair<std::string, std::string>>{{"trap", "unreachable"},
                                                                                    {"loop", "ran longer than 100 ms"},
                                                                                    {"hoard", "unreachable"},
                                                                                    {"no", ": it says no"},
                                                                                    {"replace", "mutation 0 of 0"}}) {
      Order(hook + " " + what);
      const std::string row = hook + what;
      const std::string text = Load(row);
      EXPECT_TRUE(text.starts_with("DoNotRetry: table t: module m, " + hook + "BulkLoadHFile: ")) << text;
      EXPECT_NE(text.find(why), std::string::npos) << text;
      EXPECT_EQ(RowOf("t", row), hook == "pre" ? "" : "f:q@5=v");
      Order("");
      EXPECT_EQ(Load("good" + row), "ok");
      EXPECT_EQ(RowOf("t", "good" + row), "f:q@5=v");
    }
  }
}

}  // namespace
}  // namespace klip::table
