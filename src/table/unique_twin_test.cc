// Compares UNIQUE indexes with brute force: random histories of puts and deletes, some masked, expired or kept after their deletion, one by
// one, together, in transactions and loaded. A write must be refused if, and only if, a row would show a value that it did not show, and
// that another row shows. Then the index is made again, from what is stored.
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "klip/index.h"
#include "klip/transaction.h"
#include "table/table_test_util.h"

namespace klip::table {
namespace {

constexpr int kTwinRows = 3;
constexpr const char* kUnique = "f:a text, f:b text optional UNIQUE";

class UniqueTwinTest : public TableTest, public testing::WithParamInterface<int> {
 protected:
  UniqueTwinTest() : TableTest(TempDirectory::Where::kMemory), random_(static_cast<unsigned>(GetParam())) {}

  struct Step {
    int64_t now_ms;
    std::vector<Mutation> mutations;
  };
  // What each row shows; nullopt: its fields are not all there.
  using Shown = std::vector<std::optional<std::string>>;

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  static std::string Row(int row) { return "r" + std::to_string(row); }

  FamilyDescriptor RandomFamily() {
    FamilyDescriptor family = Family("f", 1 + Pick(3));
    const int kind = Pick(4);
    family.keep_deleted_cells = kind == 0   ? KeepDeletedCells::kTrue
                                : kind == 1 ? KeepDeletedCells::kTtl
                                            : KeepDeletedCells::kFalse;
    family.new_version_behavior = kind == 2 && Pick(2) == 0;
    family.ttl_s = Pick(3) == 0 ? 2 : kTtlForever;
    return family;
  }

  Mutation RandomMutation() {
    const std::string row = Row(Pick(kTwinRows));
    const int64_t at_ms = now_ms_ - Pick(4) * 300;
    const std::string qualifier = Pick(4) == 0 ? "b" : "a";
    if (Pick(5) < 3) {
      klip::Put put = {.row = row};
      put.ttl_ms = Pick(8) == 0 ? 700 : 0;
      put.Add("f", qualifier, std::string(1, static_cast<char>('x' + Pick(2))), at_ms);
      return put.Add("f", "b", "b", at_ms);
    }
    klip::Delete del = {.row = row};
    switch (Pick(4)) {
      case 0:
        return del.AddFamily("f", at_ms);
      case 1:
        return del.AddFamilyVersion("f", at_ms);
      case 2:
        return del.AddColumns("f", qualifier, at_ms);
      default:
        return del.AddColumn("f", qualifier, at_ms);
    }
  }

  static Shown ShownOf(Table& table) {
    Shown shown;
    for (int row = 0; row < kTwinRows; ++row) {
      const Result cells = *table.Get({.row = Row(row)});
      const auto a = cells.Value("f", "a");
      const auto b = cells.Value("f", "b");
      shown.push_back(a.has_value() && b.has_value() ? std::optional(std::string(*a) + "/" + std::string(*b))
                                                     : std::nullopt);
    }
    return shown;
  }
  static bool GivesAgain(const Shown& before, const Shown& after) {
    for (size_t i = 0; i < after.size(); ++i) {
      if (after[i].has_value() && after[i] != before[i] && std::ranges::count(after, after[i]) > 1) {
        return true;
      }
    }
    return false;
  }
  static bool HasTwice(const Shown& shown) { return GivesAgain(Shown(shown.size()), shown); }

  Status Write(const std::string& table, const std::vector<Mutation>& mutations, int way) {
    AtomicBatch batch;
    for (const Mutation& mutation : mutations) {
      batch.steps.push_back({table, mutation});
    }
    if (way == 0) {
      const Expected<std::unique_ptr<Transaction>> transaction = connection_->Begin();
      KLIP_RETURN_IF_ERROR((*transaction)->Apply(batch).status());
      return (*transaction)->Commit();
    }
    if (way == 1 && mutations.size() == 1) {
      const klip::Put* const put = std::get_if<klip::Put>(&mutations[0]);
      return put != nullptr ? Handle(table)->Put(*put) : Handle(table)->Delete(std::get<klip::Delete>(mutations[0]));
    }
    if (const klip::Put* const put = std::get_if<klip::Put>(&mutations[0]);
        way == 2 && mutations.size() == 1 && put != nullptr) {
      KLIP_ASSIGN_OR_RETURN(auto loader, connection_->NewBulkLoader(table));
      KLIP_RETURN_IF_ERROR(loader->Add(*put));
      return loader->Finish();
    }
    return connection_->Apply(batch).status();
  }

  // As it was before a write that was refused.
  void ReplayPlain() {
    const int64_t now_ms = now_ms_;
    ASSERT_TRUE(admin().DisableTable("plain").ok());
    ASSERT_TRUE(admin().TruncateTable("plain", /*keep_splits=*/true).ok());
    for (const Step& step : accepted_) {
      now_ms_ = step.now_ms;
      ASSERT_EQ(Write("plain", step.mutations, 3).ToString(), "ok");
    }
    now_ms_ = now_ms;
  }

  std::mt19937 random_;
  std::vector<Step> accepted_;
};

TEST_P(UniqueTwinTest, ComparesOnlyWhatGetsShow) {
  int refused = 0;
  int written = 0;
  int not_built = 0;
  for (int history = 0; history < 25; ++history) {
    const FamilyDescriptor family = RandomFamily();
    accepted_.clear();
    Create("plain", {family});
    Create("t", {family}, {{"KLIP_INDEX$i", kUnique}});
    const std::unique_ptr<Table> plain = Handle("plain");
    for (int i = 0; i < 20; ++i) {
      now_ms_ += Pick(3) * 250;
      std::vector<Mutation> mutations;
      for (int count = Pick(3) == 0 ? 2 + Pick(2) : 1; count > 0; --count) {
        mutations.push_back(RandomMutation());
      }
      const Shown before = ShownOf(*plain);
      ASSERT_EQ(ShownOf(*table_), before);
      const int way = Pick(4);
      const Status status = Write("t", mutations, way);
      ASSERT_EQ(Write("plain", mutations, 3).ToString(), "ok");
      const Shown after = ShownOf(*plain);
      const std::string at = std::to_string(history) + "/" + std::to_string(i) + " way " + std::to_string(way);
      if (GivesAgain(before, after)) {
        ASSERT_EQ(status.code(), Code::kDoNotRetry) << at << status.ToString();
        ++refused;
        ReplayPlain();
        ASSERT_EQ(ShownOf(*plain), before) << at;
      } else {
        ASSERT_EQ(status.ToString(), "ok") << at;
        accepted_.push_back({now_ms_, std::move(mutations)});
        ++written;
      }
    }
    if (Pick(2) == 0) {
      ASSERT_TRUE((Pick(2) == 0 ? admin().Compact("t") : admin().MajorCompact("t")).ok());
    }
    IndexAdmin& indexes = **admin().indexes();
    ASSERT_TRUE(indexes.DropIndex("t", "i").ok());
    const bool twice = HasTwice(ShownOf(*table_));
    const Status built = indexes.CreateIndex("t", *IndexDescriptor::Parse("i", kUnique));
    ASSERT_EQ(built.code(), twice ? Code::kDoNotRetry : Code::kOk) << history << built.ToString();
    not_built += twice ? 1 : 0;
    for (const char* table : {"plain", "t"}) {
      ASSERT_TRUE(admin().DisableTable(table).ok());
      ASSERT_TRUE(admin().DeleteTable(table).ok());
    }
  }
  EXPECT_GT(refused, 30);
  EXPECT_GT(written, 200);
  EXPECT_LT(not_built, 13);
}

INSTANTIATE_TEST_SUITE_P(Seeds, UniqueTwinTest, testing::Range(0, 8));

}  // namespace
}  // namespace klip::table
