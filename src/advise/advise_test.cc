// Each of the five principles, on keys that violate it and on keys that do not; and designs that the lab must not
// propose.
#include "klip/advise.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "advise/lab.h"
#include "base/temp_directory_test.h"
#include "klip/connection.h"
#include "klip/table.h"

namespace klip {
namespace {

using Records = std::vector<std::vector<std::string>>;

Advice AdviceOn(std::string_view schema, std::vector<std::string> columns, Records records,
                std::string_view queries = "") {
  AdviseOptions options;
  options.fixed_costs = true;
  options.schema = schema;
  options.queries = *ParseQueryLog(queries, "t");
  Expected<Advice> advice =
      AdviseOnRecords({.columns = std::move(columns), .records = std::move(records)}, "store", "t", options);
  EXPECT_TRUE(advice.ok()) << advice.status().ToString();
  return advice.ok() ? *std::move(advice) : Advice();
}

// The problems with this principle; empty: none.
std::string Problems(const Advice& advice, KeyPrinciple principle) {
  std::string text;
  for (const KeyFinding& finding : advice.findings) {
    text += finding.principle == principle && finding.problem ? finding.measure + "; do: " + finding.remedy + "\n" : "";
  }
  return text;
}

std::string Number(size_t number, size_t digits) {
  std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

// Users in random order, each with ascending days.
Records UsersAndDays(size_t rows) {
  Records records;
  for (size_t i = 0; i < rows; ++i) {
    records.push_back({"u" + Number(i * 7919 % 500, 3), Number(i / 50, 6)});
  }
  return records;
}

TEST(Advise, FindsNumbersThatAreTextsAndPaddingThatIsUnused) {
  Records records;
  for (size_t i = 0; i < 2000; ++i) {
    records.push_back({std::to_string(1'000'000 + i * 7), "name" + std::to_string(i % 7)});
  }
  const Advice bad = AdviceOn("id:text(20) name:text(30,'*')", {"id", "name"}, records);
  EXPECT_NE(Problems(bad, KeyPrinciple::kConciseness).find("\"id:u32 name:text('\\x00')\""), std::string::npos)
      << bad.ToText(true);
  const Advice good = AdviceOn("id:u32 name:text('\\x00')", {"id", "name"}, records);
  EXPECT_EQ(Problems(good, KeyPrinciple::kConciseness), "");
}

TEST(Advise, NamesTheLineOfARecordThatDoesNotFit) {
  RecordSample sample = {.columns = {"user", "day"}, .records = {{"ann", "0001"}, {"charlotte", "0002"}}};
  const AdviseOptions options = {.schema = "user:text(4) day:digits(4)", .fixed_costs = true};
  EXPECT_EQ(AdviseOnRecords(sample, "store", "t", options).status().message(),
            "record 2: field 'user': 9 bytes do not fit in 4");
  sample.file = "users.csv";
  sample.lines = {2, 5};
  EXPECT_EQ(AdviseOnRecords(sample, "store", "t", options).status().message(),
            "'users.csv', line 5: field 'user': 9 bytes do not fit in 4");
}

TEST(Advise, FindsKeysThatAreNotUnique) {
  Records records;
  for (size_t i = 0; i < 2000; ++i) {
    records.push_back({"u" + std::to_string(i % 40), Number(i % 100, 4), std::to_string(i)});
  }
  const std::vector<std::string> columns = {"user", "day", "serial"};
  const Advice bad = AdviceOn("user:text('|') day:digits(4)", columns, records);
  EXPECT_NE(Problems(bad, KeyPrinciple::kUniqueness).find("1,800 of 2,000 records"), std::string::npos) << bad.ToText();
  EXPECT_NE(Problems(bad, KeyPrinciple::kUniqueness).find("add serial"), std::string::npos);
  EXPECT_EQ(Problems(AdviceOn("user:text('|') day:digits(4) serial:text", columns, records), KeyPrinciple::kUniqueness),
            "");
}

TEST(Advise, FindsHashesThatAreTooShortAndTextsThatAreCut) {
  Records records;
  for (size_t i = 0; i < 3000; ++i) {
    records.push_back({"user" + std::to_string(i), std::to_string(i)});
  }
  const auto problems = [&](std::string_view schema) {
    return Problems(AdviceOn(schema, {"user", "serial"}, records), KeyPrinciple::kUniqueness);
  };
  EXPECT_NE(problems("user:md5(2) serial:u32").find("share one with another"), std::string::npos);
  EXPECT_EQ(problems("user:md5(16) serial:u32"), "");
  EXPECT_NE(problems("user:text(6,'*',truncate) serial:u32").find("may have been cut"), std::string::npos);
  EXPECT_EQ(problems("user:text(12,'*',truncate) serial:u32"), "");
}

TEST(Advise, FindsWritesThatGoToTheEndOfTheKeys) {
  const std::vector<std::string> columns = {"user", "day"};
  const std::string_view queries = "user=u007\n";
  const Advice bad = AdviceOn("day:digits(6) user:text(4)", columns, UsersAndDays(20'000), queries);
  EXPECT_NE(Problems(bad, KeyPrinciple::kDistribution).find("100 % of the newest"), std::string::npos) << bad.ToText();
  EXPECT_NE(Problems(bad, KeyPrinciple::kDistribution).find("row key \""), std::string::npos);
  for (const std::string_view good : {"user:text(4) day:digits(6)", "salt(16) day:digits(6) user:text(4)"}) {
    EXPECT_EQ(Problems(AdviceOn(good, columns, UsersAndDays(20'000), queries), KeyPrinciple::kDistribution), "")
        << good;
  }
}

TEST(Advise, FindsLeadingValuesThatHaveMostRows) {
  Records records;
  for (size_t i = 0; i < 4000; ++i) {
    records.push_back({i % 10 < 7 ? "de" : "c" + std::to_string(i % 97), std::to_string(i * 7919 % 4001)});
  }
  const Advice bad = AdviceOn("country:text('|') id:u32", {"country", "id"}, records);
  EXPECT_NE(Problems(bad, KeyPrinciple::kDistribution).find("country='de'"), std::string::npos) << bad.ToText();
  EXPECT_EQ(Problems(AdviceOn("id:u32 country:text", {"country", "id"}, records), KeyPrinciple::kDistribution), "");
}

TEST(Advise, FindsQueriesThatReadTheWholeTable) {
  const std::vector<std::string> columns = {"user", "day"};
  const std::string_view queries = "9 day=000100\n";
  const Advice bad = AdviceOn("user:text(4) day:digits(6)", columns, UsersAndDays(20'000), queries);
  EXPECT_NE(Problems(bad, KeyPrinciple::kAccessibility).find("row key \"day:"), std::string::npos) << bad.ToText(true);
  ASSERT_GT(bad.designs.size(), 1U);
  EXPECT_TRUE(bad.designs[1].schema.starts_with("day:")) << bad.ToText(true);
  EXPECT_EQ(Problems(AdviceOn("day:digits(6) user:text(4)", columns, UsersAndDays(20'000), queries),
                     KeyPrinciple::kAccessibility),
            "");
}

TEST(Advise, FindsLongNamesAndWideRowsInTables) {
  TempDirectory directory;
  const auto connection = *Connection::Open("klip:" + directory.path());
  const auto make = [&](const std::string& name, const std::string& family, const std::string& qualifier,
                        size_t cells) {
    TableDescriptor descriptor{.name = name, .families = {{.name = family}}};
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "id:u32";
    EXPECT_TRUE(connection->admin().CreateTable(descriptor).ok());
    const auto table = *connection->GetTable(name);
    const RowKeySchema schema = *table->row_key_schema();
    for (size_t row = 0; row < 3; ++row) {
      Put put{.row = *schema.Encode({std::to_string(row)})};
      for (size_t cell = 0; cell < cells; ++cell) {
        put.Add(family, qualifier + std::to_string(cell), "1");
      }
      EXPECT_TRUE(table->Put(put).ok());
    }
    Expected<Advice> advice = Advise(*connection, "store", name, {});
    EXPECT_TRUE(advice.ok()) << advice.status().ToString();
    return *std::move(advice);
  };
  const Advice bad = make("bad", "measurements", "temperature_of_sensor_", 12'000);
  EXPECT_NE(Problems(bad, KeyPrinciple::kConciseness).find("--family m"), std::string::npos) << bad.ToText();
  EXPECT_NE(Problems(bad, KeyPrinciple::kShape).find("at most 12,000"), std::string::npos);
  const Advice good = make("good", "d", "t", 2);
  EXPECT_EQ(Problems(good, KeyPrinciple::kConciseness), "");
  EXPECT_EQ(Problems(good, KeyPrinciple::kShape), "");
}

TEST(Advise, TellsAboutTheSameFromAPartOfTheRows) {
  TempDirectory directory;
  const auto connection = *Connection::Open("klip:" + directory.path());
  TableDescriptor descriptor{.name = "t", .families = {{.name = "d"}}};
  descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text(4) day:digits(6)";
  ASSERT_TRUE(connection->admin().CreateTable(descriptor).ok());
  const auto table = *connection->GetTable("t");
  std::vector<Put> puts;
  for (size_t i = 0; i < 60'000; ++i) {
    const std::string user = "u" + Number(i % 100, 3);
    puts.push_back(Put{.row = *table->row_key_schema()->Encode({user, Number(i / 100, 6)})}.Add("d", "q", "1"));
  }
  ASSERT_TRUE(table->Put(puts).ok());
  const auto outcome = [&](int64_t max_rows) {
    const Expected<Advice> advice =
        Advise(*connection, "store", "t", {.queries = {{.where = "day=000100"}}, .max_rows = max_rows});
    EXPECT_TRUE(advice.ok()) << advice.status().ToString();
    EXPECT_EQ(advice->rows, 60'000);
    EXPECT_EQ(advice->sampled_rows, std::min<int64_t>(max_rows, 60'000));
    return advice->designs.front().queries.front().predicted;
  };
  const PlanCost all = outcome(1'000'000);
  const PlanCost part = outcome(10'000);
  EXPECT_LT(part.seeks, 1.5 * all.seeks);
  EXPECT_GT(part.seeks, all.seeks / 1.5);
  EXPECT_LT(part.rows_returned, 2 * all.rows_returned);
  EXPECT_GT(part.rows_returned, all.rows_returned / 2);
}

// --- Designs that the lab must not propose ---

TEST(Lab, KeepsTheOrderThatQueriesAskFor) {
  for (const std::string_view query : {"user=u007 ORDER BY day", "user=u007 LIMIT 10"}) {
    const Advice advice = AdviceOn("user:text(4) day:digits(6)", {"user", "day"}, UsersAndDays(5000), query);
    EXPECT_GT(advice.designs.size(), 1U);
    for (const KeyDesign& design : advice.designs) {
      EXPECT_FALSE(design.schema.starts_with("salt(4) ") || design.schema.starts_with("salt(16) "))
          << query << ": " << design.schema;
    }
  }
  const Advice all =
      AdviceOn("day:digits(6) user:text(4)", {"user", "day"}, UsersAndDays(5000), "ANY ORDER BY day, user");
  for (const KeyDesign& design : all.designs) {
    EXPECT_TRUE(design.schema.starts_with("day")) << design.schema;
  }
}

TEST(Lab, KeepsTextsThatAreTheSameNumber) {
  Records records;
  for (size_t i = 0; i < 500; ++i) {
    records.push_back({std::to_string(i)});
    records.push_back({"00" + std::to_string(i)});
  }
  for (const KeyDesign& design : AdviceOn("id:text(20)", {"id"}, records).designs) {
    EXPECT_EQ(design.schema.find("id:u"), std::string::npos) << design.schema;
  }
}

// --- Indexes ---

// People of 500 cities, by a number; nearly all have flag 0.
Records People(size_t rows) {
  Records records;
  for (size_t i = 0; i < rows; ++i) {
    const size_t city = i * 7919 % 500;
    records.push_back(
        {std::to_string(i), "city" + Number(city, 3), std::to_string(i * 31 % 90), i % 100 == 0 ? "1" : "0"});
  }
  return records;
}

Advice AdviceOnPeople(std::string_view queries, bool verify = false) {
  AdviseOptions options{
      .queries = *ParseQueryLog(queries, "t"), .schema = "id:u32", .fixed_costs = true, .verify = verify};
  Expected<Advice> advice =
      AdviseOnRecords({.columns = {"id", "city", "age", "flag"}, .records = People(20'000)}, "store", "t", options);
  EXPECT_TRUE(advice.ok()) << advice.status().ToString();
  return advice.ok() ? *std::move(advice) : Advice();
}

// 7 % of some hundred new rows instead of 8 % in one of 16 ranges is chance. 30 % is not.
TEST(Lab, ASlowDesignIsNotBetterForSlightlyMoreEvenWrites) {
  const KeyDesign fast = {.time_us = 10, .hot_share = 0.08, .key_bytes = 12, .write_us = 1};
  KeyDesign slow = fast;
  slow.time_us = 1000;
  slow.hot_share = 0.07;
  std::vector<KeyDesign> designs = {fast, slow};
  advise::MarkPareto(&designs);
  EXPECT_TRUE(designs[0].pareto);
  EXPECT_FALSE(designs[1].pareto);
  designs[0].hot_share = 0.3;
  advise::MarkPareto(&designs);
  EXPECT_TRUE(designs[0].pareto);
  EXPECT_TRUE(designs[1].pareto);
}

// The declarations of the designs of the Pareto set that have indexes.
std::set<std::string> Indexes(const Advice& advice) {
  std::set<std::string> declared;
  for (const KeyDesign& design : advice.designs) {
    for (const IndexDescriptor& index : design.indexes) {
      declared.insert(design.pareto ? index.ToString() : "");
    }
  }
  declared.erase("");
  return declared;
}

// One index answers both queries, because its second field is optional.
TEST(Lab, ProposesIndexesForConditionsOnColumns) {
  const Advice advice = AdviceOnPeople("9 d:city=city007\n1 d:city=city003 d:age::i32>=80\n", /*verify=*/true);
  EXPECT_TRUE(advice.left_out.empty());
  const KeyDesign& present = advice.designs.front();
  const auto indexed = std::ranges::find_if(
      advice.designs, [](const KeyDesign& design) { return design.pareto && design.indexes.size() == 1; });
  ASSERT_NE(indexed, advice.designs.end()) << advice.ToText(true);
  EXPECT_EQ(indexed->indexes.front().ToString(), "d:city text, d:age i32 optional") << advice.ToText(true);
  EXPECT_EQ(indexed->schema, present.schema);
  EXPECT_LT(indexed->time_us * 10, present.time_us);
  EXPECT_GT(indexed->key_bytes, present.key_bytes + 10);
  EXPECT_EQ(indexed->commands.back(), "klip index create store t by_city_age \"d:city text, d:age i32 optional\"");
  const std::vector<double> seeks = {41, 7};
  for (size_t i = 0; i < seeks.size(); ++i) {
    const QueryOutcome& outcome = indexed->queries[i];
    EXPECT_EQ(outcome.index, "by_city_age");
    EXPECT_NEAR(outcome.predicted.seeks, static_cast<double>(outcome.measured->seeks), 8);
    EXPECT_NEAR(static_cast<double>(outcome.measured->seeks), seeks[i], 8);
  }
  EXPECT_EQ(present.queries.front().index, "");
  EXPECT_NE(Problems(advice, KeyPrinciple::kAccessibility).find("index \"d:city text, d:age i32 optional\""),
            std::string::npos)
      << advice.ToText(true);
}

TEST(Lab, ProposesNoIndexThatDoesNotPay) {
  EXPECT_EQ(Indexes(AdviceOnPeople("d:flag=0")), std::set<std::string>());
  EXPECT_EQ(Indexes(AdviceOnPeople("id=7 d:city=city007")), std::set<std::string>());
  EXPECT_EQ(Indexes(AdviceOnPeople("d:city!=city007")), std::set<std::string>());
  EXPECT_EQ(Indexes(AdviceOnPeople("d:flag=1")), std::set<std::string>{"d:flag text"});
}

TEST(Lab, TellsWhatItCannotTry) {
  const Advice advice = AdviceOnPeople("d:size=3\nd:flag::u64=1\nd:city=city007\n");
  EXPECT_EQ(advice.left_out, (std::vector<std::string>{"d:size=3: the sample has no column for d:size"}));
  EXPECT_EQ(advice.queries.size(), 2U);
}

TEST(Lab, KnowsTheIndexesOfATable) {
  const TempDirectory directory(TempDirectory::Where::kMemory);
  const std::unique_ptr<Connection> store = *Connection::Open("klip:" + directory.Sub("store"), {.sync_wal = false});
  TableDescriptor people = {.name = "people", .families = {{.name = "f"}}};
  people.attributes[std::string(RowKeySchema::kTableAttribute)] = "id:u32";
  people.attributes[std::string(IndexDescriptor::kTableAttribute) + "by_city"] = "f:city text";
  ASSERT_TRUE(store->admin().CreateTable(people).ok());
  const std::unique_ptr<Table> table = *store->GetTable("people");
  std::vector<Put> puts;
  for (const std::vector<std::string>& person : People(5000)) {
    Put& put = puts.emplace_back(Put{.row = *table->row_key_schema()->Encode(std::vector{person[0]})});
    put.Add("f", "city", person[1]).Add("f", "age", person[2]).Add("f", "name", "no number");
  }
  ASSERT_TRUE(table->Put(puts).ok());
  const auto advice_on = [&](std::string_view queries) {
    return *Advise(*store, "store", "people", {.queries = *ParseQueryLog(queries, "people")});
  };
  const Advice known = advice_on("f:city=city007");
  EXPECT_EQ(known.designs.front().queries.front().index, "by_city");
  EXPECT_EQ(Indexes(known), std::set<std::string>());
  const Advice other = advice_on("f:age=30");
  EXPECT_EQ(Indexes(other), std::set<std::string>{"f:age text"});
  EXPECT_EQ(other.designs.back().commands.back().find("klip copy"), std::string::npos);
  const Advice none = advice_on("f:name::u32=7");
  EXPECT_EQ(Indexes(none), std::set<std::string>());
  ASSERT_EQ(none.left_out.size(), 1U);
  EXPECT_EQ(none.left_out[0].substr(0, 34), "index by_name (f:name u32): field ");
}

TEST(Lab, IndexesAndLongerKeysMakeWritesDear) {
  const Advice advice = AdviceOnPeople("9 d:city=city007\n", /*verify=*/true);
  const KeyDesign& present = advice.designs.front();
  EXPECT_EQ(present.entries, 0);
  EXPECT_NEAR(present.write_us, advice.costs.put_us, 1e-6);
  const auto indexed =
      std::ranges::find_if(advice.designs, [](const KeyDesign& design) { return design.indexes.size() == 1; });
  ASSERT_NE(indexed, advice.designs.end());
  EXPECT_EQ(indexed->entries, 1);
  EXPECT_NEAR(indexed->write_us, present.write_us + advice.costs.entry_us, 1e-6);
  EXPECT_GT(indexed->write_bytes, present.write_bytes + indexed->key_bytes - present.key_bytes);
  EXPECT_GT(advice.costs.put_us, 0);
  EXPECT_GT(advice.costs.entry_us, 0);
  EXPECT_TRUE(present.measured_write_us.has_value());
  // With an index, the present keys stay in the Pareto set: no other design is as cheap to write.
  EXPECT_TRUE(std::ranges::any_of(advice.designs,
                                  [](const KeyDesign& design) { return design.pareto && design.indexes.empty(); }));
  EXPECT_NE(advice.ToText(true).find("\nfixed costs, not measured on this machine:\ntime of a query = 2.50 to"),
            std::string::npos);
  EXPECT_NE(advice.ToText(true).find("time of a write = "), std::string::npos);
  EXPECT_NE(advice.ToJson().find("\"write_us\""), std::string::npos);
}

TEST(Lab, MeasuresCostsOnThisMachine) {
  const auto costs = [](size_t rows) {
    const AdviseOptions options{.queries = *ParseQueryLog("9 d:city=city007\n", "t"), .schema = "id:u32"};
    Expected<Advice> advice =
        AdviseOnRecords({.columns = {"id", "city", "age", "flag"}, .records = People(rows)}, "store", "t", options);
    EXPECT_TRUE(advice.ok()) << advice.status().ToString();
    EXPECT_EQ(advice->ToText(true).find("\nmeasured on this machine") != std::string::npos, advice->costs.measured);
    return advice->costs;
  };
  EXPECT_FALSE(costs(499).measured);
  const Advice::Costs measured = costs(5000);
  EXPECT_TRUE(measured.measured);
}

TEST(Lab, SameSeedSameAdvice) {
  std::string queries;
  for (int i = 0; i < 200; ++i) {
    queries += "user=u" + Number(static_cast<size_t>(i), 3) + "\n";
  }
  const auto text = [&] {
    return AdviceOn("user:text(4) day:digits(6)", {"user", "day"}, UsersAndDays(3000), queries).ToJson();
  };
  EXPECT_EQ(text(), text());
}

TEST(QueryLog, ReadsWeightsOrdersAndLimits) {
  const auto queries = *ParseQueryLog(
      "# comment\n\n2.5 day=1\nt\tday=1\nother\tday=2\nt\t3 user='a LIMIT 5' ORDER BY day desc, user LIMIT 7\n", "t");
  ASSERT_EQ(queries.size(), 2U);
  EXPECT_EQ(queries[0], (LoggedQuery{.where = "day=1", .weight = 3.5}));
  EXPECT_EQ(queries[1],
            (LoggedQuery{.where = "user='a LIMIT 5'", .weight = 3, .order_by = "day desc, user", .limit_rows = 7}));
  EXPECT_FALSE(ParseQueryLog("0 day=1\n", "t").ok());
  EXPECT_FALSE(ParseQueryLog("day=1 LIMIT x\n", "t").ok());
}

TEST(Advise, SaysThatThereIsNoRow) {
  RecordSample none;
  none.columns = {"user", "day"};
  AdviseOptions options;
  options.schema = "user:text(10) day:date";
  EXPECT_EQ(AdviseOnRecords(none, "store", "t", options).status().message(), "the table or sample has no rows");
}

}  // namespace
}  // namespace klip
