// Converts requests in bytes to conditions on fields.
#include "rowkey/query_of.h"

#include <random>

#include <gtest/gtest.h>

#include "klip/bytes.h"
#include "klip/query.h"
#include "rowkey/schema_for_test.h"

namespace klip::rowkey {
namespace {

constexpr std::string_view kDays = "user:text(5) date:date domain:text";

std::string TextOf(const std::optional<KeyQuery>& query) { return query ? query->ToString() : "nothing"; }
std::string OfRange(std::string_view schema, std::string start, std::string stop) {
  return TextOf(QueryOf(klip::Schema(schema), {.start = std::move(start), .stop = std::move(stop)}, nullptr));
}
std::string OfWhere(std::string_view schema, std::string_view where) {
  const RowKeySchema parsed = klip::Schema(schema);
  const auto rows = *parsed.Compile(*parsed.ParseQuery(where));
  return TextOf(QueryOf(parsed, {}, rows.get()));
}

TEST(QueryOf, RangesAreConditionsOnTheFirstFields) {
  EXPECT_EQ(OfRange(kDays, "alice20140601", "alice20140701"), "user=alice date>=20140601 date<20140701");
  EXPECT_EQ(OfRange(kDays, "alice20140601", "alice20140602"), "user=alice date=20140601");
  EXPECT_EQ(OfRange(kDays, "al", "am"), "user=al*");
  EXPECT_EQ(OfRange(kDays, "alice20140601fo", "alice20140601fp"), "user=alice date=20140601 domain=fo*");
  EXPECT_EQ(OfRange(kDays, "", ""), "nothing");
}

TEST(QueryOf, FieldsOfVariableWidthAreSeenInRanges) {
  constexpr std::string_view kPaths = "tenant:text('|') path:text('|') seq:u32";
  EXPECT_EQ(OfRange(kPaths, "acme|", "acme}"), "tenant=acme");
  EXPECT_EQ(OfRange(kPaths, "acme|/usr/l", "acme|/usr/m"), "tenant=acme path=/usr/l*");
  EXPECT_EQ(OfRange(kPaths, "acme|/a|", "acme|/b|"), "tenant=acme");
}

TEST(QueryOf, RowSetsGiveBackTheQueryTheyWereMadeOf) {
  for (const std::string_view where :
       {"date=20140628", "user=alice,bob date>=20140601", "date=201406*", "user=al* domain=foo.com",
        "user=alice date=20140601 OR user=bob date=20140602"}) {
    EXPECT_EQ(OfWhere(kDays, where), where);
  }
  EXPECT_EQ(OfWhere("code:digits(4) name:text(3)", "code=~'1??2'"), "code=~'1??2'");
  EXPECT_EQ(OfWhere("h:salt(4,user) user:text(3) at:reverse_ts", "user=bob"), "user=bob");
}

TEST(QueryOf, DescendingFieldsAreTurnedRound) {
  constexpr std::string_view kNewest = "day:digits(4) desc user:text(3)";
  EXPECT_EQ(OfWhere(kNewest, "day=20*"), "day=20*");
  EXPECT_EQ(OfRange(kNewest, "\xCD\xCF", "\xCD\xD0"), "day=20*");
  EXPECT_EQ(OfRange("day:u8 desc user:text(3)", "\xF0", "\xF8"), "day=8..15");
}

TEST(QueryOf, ARowIsAllItsFields) {
  EXPECT_EQ(TextOf(QueryOfRow(klip::Schema("salt(4,user) user:text(5) n:u32 desc"),
                              *klip::Schema("salt(4,user) user:text(5) n:u32 desc").Encode({"bob", "7"}))),
            "user=bob n=7");
  EXPECT_EQ(TextOf(QueryOfRow(klip::Schema("user:text(5) n:u32"), "no")), "nothing");
}

// Every logged query can be parsed again, and matches every requested row.
TEST(QueryOf, HoldsWhatWasAsked) {
  std::mt19937 random(20261126);
  const auto byte = [&] { return "\x00\n\\ 019abc|*\xfe\xff"[random() % 14]; };
  int queries = 0;
  for (const std::string_view text :
       {"a:text(2) b:digits(2) c:bytes(1)", "a:text('|') b:text", "a:bytes(1) b:i8 c:u16 desc d:text(1)",
        "a:date b:text(1)", "a:text(2) desc b:digits(2) desc c:bytes(1) desc"}) {
    const RowKeySchema schema = klip::Schema(text);
    for (int round = 0; round < 4000; ++round) {
      std::string start;
      std::string stop;
      for (size_t i = random() % 5; i > 0; --i) {
        start += byte();
      }
      stop = random() % 3 == 0 ? PrefixSuccessor(start) : start;
      for (size_t i = random() % 3; i > 0; --i) {
        stop += byte();
      }
      if (stop <= start) {
        continue;
      }
      const RowRange range = {.start = start, .stop = stop};
      const std::optional<KeyQuery> query = QueryOf(schema, range, nullptr);
      if (!query) {
        continue;
      }
      ++queries;
      const Expected<KeyQuery> parsed = schema.ParseQuery(query->ToString());
      ASSERT_TRUE(parsed.ok()) << query->ToString() << ": " << parsed.status().message();
      ASSERT_EQ(*parsed, *query);
      const auto rows = *schema.Compile(*parsed);
      for (int i = 0; i < 50; ++i) {
        std::string row = start;
        for (size_t more = random() % 5; more > 0; --more) {
          row += byte();
        }
        if (row >= start && row < stop && schema.Validate(row).ok()) {
          ASSERT_TRUE(rows->Contains(row)) << ToStringBinary(row) << " is not in " << query->ToString() << ", from "
                                           << ToStringBinary(start) << " to " << ToStringBinary(stop);
        }
      }
    }
  }
  EXPECT_GT(queries, 3000);
}

}  // namespace
}  // namespace klip::rowkey
