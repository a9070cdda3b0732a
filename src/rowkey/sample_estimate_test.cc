// Plans from samples: what is exact, what is near, and the names of plans. tests/planner/skew_test.cc compares with
// scans.
#include "rowkey/sample_estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "rowkey/planner.h"

namespace klip::rowkey {
namespace {

using filter::KeySample;

// A table of fixed-width fields.
class SampledTable {
 public:
  explicit SampledTable(std::string_view schema) : schema_(*RowKeySchema::Parse(schema)) {}

  void Add(std::initializer_list<std::string_view> values, int64_t newest_ms = 1000) {
    rows_.emplace(*schema_.Encode(values), newest_ms);
  }

  // `most`: the number of rows and prefixes drawn.
  void Sample(size_t most) {
    auto sample = std::make_shared<KeySample>();
    TableStatistics statistics;
    size_t bytes = 0;
    for (const KeyField& field : schema_.fields()) {
      const size_t start = bytes;
      bytes += static_cast<size_t>(field.width_bytes);
      auto& prefixes = sample->prefixes.emplace_back();
      std::map<std::string, KeySample::Value> values;
      for (const auto& [row, newest_ms] : rows_) {
        const std::string prefix = row.substr(0, bytes);
        KeySample::Value& value = values[prefix.substr(start)];
        if (prefixes.items.empty() || prefixes.items.back().bytes != prefix) {
          prefixes.items.push_back({.bytes = prefix, .hash = filter::SampleHash(prefix)});
          ++value.prefixes;
        }
        ++prefixes.items.back().rows;
        ++value.rows;
      }
      statistics.fields.push_back({.name = field.name, .distinct_prefixes = prefixes.Count()});
      auto& listed = sample->values.emplace_back();
      listed.rows = static_cast<double>(rows_.size());
      listed.prefixes = prefixes.Count();
      for (auto& [bytes_of, value] : values) {
        value.bytes = bytes_of;
        listed.common.push_back(value);
      }
      prefixes.Limit(most);
    }
    for (const auto& [row, newest_ms] : rows_) {
      sample->rows.items.push_back({.bytes = row, .hash = filter::SampleHash(row), .newest_ms = newest_ms});
    }
    sample->rows.Limit(most);
    statistics.rows = statistics.cells = static_cast<int64_t>(rows_.size());
    statistics.sorted_runs = 1;
    path_.statistics = statistics;
    path_.keys.sample = std::move(sample);
  }

  Plan Find(std::string_view where) {
    Scan scan;
    scan.where = *schema_.ParseQuery(where);
    path_.schema = &schema_;
    path_.rows = *schema_.Compile(*scan.where);
    return MakePlan({.table = "t", .scan = &scan, .path = &path_, .residual_filter = {}});
  }
  double RowsOf(std::string_view where) { return Find(where).explain.estimated.rows_returned; }
  AccessPath& path() { return path_; }

  // So many stretches of `size` rows, spread over all.
  std::shared_ptr<filter::RowStretches> Stretches(size_t count, size_t size) const {
    auto stretches = std::make_shared<filter::RowStretches>();
    for (size_t i = 0; i < count; ++i) {
      filter::RowStretch& stretch = stretches->stretches.emplace_back();
      auto row = std::next(rows_.begin(), static_cast<std::ptrdiff_t>(i * rows_.size() / count));
      for (size_t left = size; left > 0 && row != rows_.end(); --left, ++row) {
        stretch.Add(row->first, 1, row->second);
      }
    }
    return stretches;
  }

 private:
  RowKeySchema schema_;
  std::map<std::string, int64_t> rows_;
  AccessPath path_;
};

// User 0 has half of all rows; region and city depend on each other.
SampledTable Skewed(int users, size_t most) {
  SampledTable table("user:u32 region:text(2) city:text(3) seq:u32");
  for (int user = 0; user < users; ++user) {
    const int rows = user == 0 ? users : 1;
    for (int row = 0; row < rows; ++row) {
      const int region = (user + row) % 10 < 6 ? 0 : (user + row) % 10;
      table.Add({std::to_string(user), "r" + std::to_string(region),
                 "c" + std::to_string(region) + std::to_string(row % 2), std::to_string(row)});
    }
  }
  table.Sample(most);
  return table;
}

TEST(SampleEstimate, IsExactWhereTheSampleIsAll) {
  SampledTable table = Skewed(100, 2048);
  EXPECT_EQ(table.RowsOf("user=0"), 100);
  EXPECT_EQ(table.RowsOf("user=7"), 1);
  EXPECT_EQ(table.RowsOf("user=3000"), 0);
  EXPECT_EQ(table.RowsOf("region=r0"), 119);
  EXPECT_EQ(table.RowsOf("region=r0 city=c00"), 89);
  EXPECT_EQ(table.RowsOf("region=r0 city=c70"), 0);
  EXPECT_EQ(table.RowsOf("region!=r0"), 80);
  EXPECT_EQ(table.RowsOf("region=~'?7'"), 20);
  EXPECT_EQ(table.RowsOf("user=0 OR region=r7"), 110);
  EXPECT_EQ(table.RowsOf("ANY"), 199);
}

TEST(SampleEstimate, KnowsSkewAndDependentFieldsFromAPart) {
  SampledTable table = Skewed(20000, 1000);
  EXPECT_NEAR(table.RowsOf("user=0") / 20000, 1, 0.15);
  EXPECT_NEAR(table.RowsOf("user=77"), 1, 1);
  EXPECT_NEAR(table.RowsOf("region=r7") / 4000, 1, 0.35);
  EXPECT_NEAR(table.RowsOf("region=r7 city=c70") / 2000, 1, 0.4);  // if they were independent, 200
  EXPECT_LT(table.RowsOf("region=r7 city=c00"), 1500);             // there are none
}

TEST(SampleEstimate, RareValuesComeFromTheMostCommonOnes) {
  SampledTable table("user:u32 region:text(2)");
  for (int user = 0; user < 40000; ++user) {
    table.Add({std::to_string(user), user % 1000 == 0 ? "zz" : "aa"});
  }
  table.Sample(500);
  EXPECT_NEAR(table.RowsOf("region=zz"), 40, 8);
  EXPECT_NEAR(table.RowsOf("user=0..20000 region=zz"), 20, 8);
}

// Counts of a large file are estimates: what they lack to the number of rows is no other value.
TEST(SampleEstimate, AValueThatACompleteListLacksHasNoRows) {
  SampledTable table("user:u32 region:text(2)");
  for (int user = 0; user < 40000; ++user) {
    table.Add({std::to_string(user), "r" + std::to_string(user % 8)});
  }
  table.Sample(500);
  auto sample = std::make_shared<KeySample>(*table.path().keys.sample);
  sample->values[1].rows *= 1.02;
  table.path().keys.sample = sample;
  EXPECT_LT(table.RowsOf("region=zz"), 1);
  EXPECT_NEAR(table.RowsOf("region=r3") / 5000, 1, 0.3);
  sample->values[1].left_out = 1;  // then it has no more rows than the others
  EXPECT_LT(table.RowsOf("region=zz"), 5000);
  EXPECT_GT(table.RowsOf("region=zz"), 100);
}

// All days before 90 have expired: 120 drawn rows say little about those of a few days, but many more lie on stretches.
TEST(SampleEstimate, StretchesShowWhatHasExpired) {
  SampledTable table("user:u32 day:u16");
  for (int user = 0; user < 400; ++user) {
    for (int day = 0; day < 100; ++day) {
      table.Add({std::to_string(user), std::to_string(day)}, /*newest_ms=*/day < 90 ? 100 : 1000);
    }
  }
  table.Sample(120);
  table.path().keys.oldest_ms = 500;
  table.path().keys.stretches = table.Stretches(64, 200);
  EXPECT_LT(table.RowsOf("day=30..50"), 20);
  EXPECT_NEAR(table.RowsOf("day=92..97") / 2400, 1, 0.3);
}

// A ninetieth of the rows, in one piece between two stretches.
TEST(SampleEstimate, DrawnRowsCountEvenIfNoStretchHasThem) {
  SampledTable table("host:u32 user:u32 n:u32");
  for (int host = 0; host < 4000; ++host) {
    for (int n = 0; n < (host == 1975 ? 450 : 10); ++n) {
      table.Add({std::to_string(host), std::to_string(host == 1975 ? 7 : 1000 + host), std::to_string(n)});
    }
  }
  table.Sample(1000);
  table.path().keys.stretches = table.Stretches(50, 300);
  const double drawn = table.RowsOf("user=7");
  EXPECT_GT(drawn, 150);
  EXPECT_LT(drawn, 900);
}

TEST(SampleEstimate, DeletedAndExpiredRowsAreReadAndNotReturned) {
  SampledTable table("user:u32 day:u16");
  for (int user = 0; user < 50; ++user) {
    for (int day = 0; day < 10; ++day) {
      table.Add({std::to_string(user), std::to_string(day)}, /*newest_ms=*/day < 4 ? 100 : 1000);
    }
  }
  table.Sample(2048);
  EXPECT_EQ(table.RowsOf("user=3"), 10);
  table.path().keys.oldest_ms = 500;
  EXPECT_EQ(table.RowsOf("user=3"), 6);
  EXPECT_EQ(table.Find("user=3").explain.estimated.rows_read, 10);
}

TEST(SampleEstimate, PlansAreNamedAfterWhatTheyDo) {
  SampledTable table("id:u32 kind:u8");
  for (int id = 0; id < 20000; ++id) {
    for (int kind = 0; kind < (id % 1000 == 7 ? 200 : 1); ++kind) {
      table.Add({std::to_string(id), std::to_string(kind)});
    }
  }
  table.Sample(2048);
  Plan plan = table.Find("kind=150");  // ids of one row are stepped over, those of 200 are not
  EXPECT_EQ(plan.explain.kind, PlanKind::kSkipScan);
  EXPECT_EQ(plan.explain.fields[1].use, "jump");
  EXPECT_GE(plan.explain.estimated.seeks, 10);
  EXPECT_LE(plan.explain.estimated.seeks, 80);

  SampledTable flat("id:u32 kind:u8");
  for (int id = 0; id < 20000; ++id) {
    flat.Add({std::to_string(id), std::to_string(id % 3)});
  }
  flat.Sample(2048);
  plan = flat.Find("kind=2");
  EXPECT_EQ(plan.explain.kind, PlanKind::kFullWalk);
  EXPECT_EQ(plan.explain.fields[1].use, "check");
  EXPECT_LE(plan.explain.estimated.seeks, 8);  // for learning
  EXPECT_NE(plan.rows, nullptr);
  EXPECT_EQ(flat.Find("id=100..200 kind=2").explain.kind, PlanKind::kRange);
}

TEST(SampleEstimate, ARunOfDelimitedFieldsIsARange) {
  SampledTable table("host:text('/') path:text('/') at:u32");
  for (int i = 0; i < 20000; ++i) {
    table.Add({"h" + std::to_string(i % 200), "p" + std::to_string(i % 4000), std::to_string(i)});
  }
  table.Sample(1000);
  const Explain explain = table.Find("host=h7 path=p207").explain;
  EXPECT_EQ(explain.kind, PlanKind::kRange);
  EXPECT_LT(explain.estimated.rows_read, 100);
}

// The city follows from the zip code, so no row has one of another city. Few drawn rows have any of these zip codes.
TEST(SampleEstimate, StretchesShowWhatTooFewDrawnRowsDo) {
  SampledTable table("id:u32 zip:u16 city:u8");
  for (int id = 0; id < 20000; ++id) {
    const int zip = id * 7919 % 2000;
    table.Add({std::to_string(id), std::to_string(zip), std::to_string(zip / 100)});
  }
  table.Sample(500);
  const std::string odd = "zip=500..579 city=9";
  EXPECT_GT(table.RowsOf(odd), 10);  // 40, if they were independent
  table.path().keys.stretches = table.Stretches(64, 256);
  EXPECT_LT(table.RowsOf(odd), 3);
  EXPECT_NEAR(table.RowsOf("zip=500..579 city=5") / 800, 1, 0.3);
  EXPECT_NEAR(table.RowsOf("zip=777"), 10, 5);
}

// As if the rows of a stretch had been drawn on their own, 16,384 rows without the user would say that it has few.
TEST(SampleEstimate, RowsThatAreAlikeInAStretchShowLittle) {
  SampledTable table("user:u32 day:u16");
  for (int user = 0; user < 500; ++user) {
    for (int day = 0; day < 100; ++day) {
      table.Add({std::to_string(user), std::to_string(day)});
    }
  }
  table.Sample(300);
  table.path().keys.stretches = table.Stretches(16, 50);
  for (int user = 0; user < 500; user += 7) {
    EXPECT_NEAR(std::log2(table.RowsOf("user=" + std::to_string(user)) / 100), 0, 1) << user;
  }
}

// 3,000 ids, each tenth with 100 days: too many to be in the sample, but their values are known.
TEST(SampleEstimate, KnownLeadsTellHowManyPrefixesAreVisited) {
  SampledTable table("id:u32 kind:u8 day:u16");
  auto leads = std::make_shared<filter::KnownLeads>();
  const RowKeySchema prefix = *RowKeySchema::Parse("id:u32 kind:u8");
  leads->parts = {{.width_bytes = 4, .delimiter = {}}, {.width_bytes = 1, .delimiter = {}}};
  for (int id = 0; id < 3000; ++id) {
    const std::string kind = id % 500 == 0 ? "9" : "1";
    for (int day = 0; day < (id % 10 == 0 ? 100 : 1); ++day) {
      table.Add({std::to_string(id), kind, std::to_string(day)});
    }
    leads->values.push_back(*prefix.Encode({std::to_string(id), kind}));
  }
  table.Sample(200);
  table.path().keys.leads = leads;
  const PlanCost few = table.Find("kind=9 day=50").explain.estimated;
  EXPECT_GE(few.seeks, 6);
  EXPECT_LE(few.seeks, 14);
  const PlanCost none = table.Find("kind=7 day=50").explain.estimated;
  EXPECT_EQ(none.rows_returned, 0);
  EXPECT_EQ(none.rows_read, 0);
}

TEST(SampleEstimate, WithoutASampleOfTheseKeysThereIsNone) {
  SampledTable table = Skewed(100, 2048);
  const double uniform = [] {
    SampledTable same = Skewed(100, 2048);
    same.path().keys.sample = nullptr;
    return same.RowsOf("user=0");
  }();
  EXPECT_NEAR(uniform, 2, 0.1);
  auto other = std::make_shared<KeySample>(*table.path().keys.sample);
  other->prefixes.resize(2);
  other->values.resize(2);
  table.path().keys.sample = other;  // made under another schema
  EXPECT_EQ(table.RowsOf("user=0"), uniform);
}

}  // namespace
}  // namespace klip::rowkey
