// Queries: their text, and the row sets they compile to, compared with a brute-force evaluation of the conditions.
#include <algorithm>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/row_key.h"
#include "rowkey/schema_for_test.h"

namespace klip {
namespace {

TEST(KeyQuery, TextFormsOfEachCondition) {
  RowKeySchema schema = Schema("user:text(10,'*') seq:u32 code:text(4) tag:text");
  const std::pair<std::string, FieldMatch> cases[] = {
      {"user=bob", Exact{"bob"}},
      {"user='bob smith'", Exact{"bob smith"}},
      {"user='it''s'", Exact{"it's"}},
      {"user=''", Exact{""}},
      {"user='a..b'", Exact{"a..b"}},
      {"user=a.b", Exact{"a.b"}},
      {"user='~a'", Exact{"~a"}},
      {"user=al*", StartsWith{"al"}},
      {"user='a l*'*", StartsWith{"a l*"}},
      {"user=''*", StartsWith{""}},
      {"user=*", AnyValue{}},
      {"user=a,b,'c,d'", OneOf{{"a", "b", "c,d"}}},
      {"user=a,", OneOf{{"a"}}},
      {"user=,", OneOf{}},
      {"seq=100..200", Between{"100", "200"}},
      {"seq>=5", Between{"5", std::nullopt}},
      {"seq>5", Between{.low = "5", .include_low = false}},
      {"seq<=9", Between{std::nullopt, "9"}},
      {"seq<9", Between{.high = "9", .include_high = false}},
      {"seq>=5 seq<9", Between{.low = "5", .high = "9", .include_high = false}},
      {"seq>5 seq<=9", Between{.low = "5", .high = "9", .include_low = false}},
      {"seq=..", Between{}},
      {"code=~'A??7'", ByteMask{"A??7"}},
      {"user!=bob", NoneOf{{"bob"}}},
      {"user!=a,'b,c'", NoneOf{{"a", "b,c"}}},
      {"user!=,", NoneOf{}},
      {"user!=al*", NotStartsWith{"al"}},
      {"tag='(x)'", Exact{"(x)"}},
      {"tag='>x'", Exact{">x"}},
      {"tag='.x'", Exact{".x"}},
      {"tag='x.'..y", Between{"x.", "y"}},
  };
  for (const auto& [text, match] : cases) {
    KeyQuery query{{KeyBox{{{text.substr(0, text.find_first_of("=<>!")), match}}}}};
    Expected<KeyQuery> parsed = schema.ParseQuery(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status().message();
    EXPECT_EQ(*parsed, query) << text;
    EXPECT_EQ(query.ToString(), text);
  }
}

TEST(KeyQuery, FreeForms) {
  RowKeySchema schema = Schema("user:text(10,'*') seq:u32 code:text(4) or:u8 desc tag:text");
  const std::pair<std::string, std::string> cases[] = {
      {" seq = 5  and user = bob ", "seq=5 user=bob"},
      {"seq=5..", "seq>=5"},
      {"seq=..5", "seq<=5"},
      {"seq <9 seq >= 5", "seq>=5 seq<9"},
      {"seq=1 Or user=bob OR code=~x?", "seq=1 OR user=bob OR code=~'x?'"},
      {"ANY", "ANY"},
      {"any or seq=3", "ANY OR seq=3"},
      {"none", "NONE"},
      {"or=1 OR or=2 or>1", "or=1 OR or=2 or>1"},
      {"user=o'brien", "user='o''brien'"},
      {"user=\"a b\"", "user='a b'"},
      {"user=\"say \"\"x\"\"\"", "user='say \"x\"'"},
      {"user=\"\\x41b\"", "user=Ab"},
      {"user='\\x41b'", "user=\\x41b"},
      {"user==bob", "user=bob"},
      {"user == bob", "user=bob"},
      {"user<>bob", "user!=bob"},
      {"user != bob", "user!=bob"},
      {"not user=bob", "user!=bob"},
      {"NOT user!=bob,tim", "user=bob,tim"},
      {"NOT user=bob*", "user!=bob*"},
      {"NOT not user=bob", "user=bob"},
      {"NOT seq=5..7", "seq<5 OR seq>7"},
      {"NOT seq>=5", "seq<5"},
      {"NOT seq=*", "NONE"},
      {"NOT NONE", "ANY"},
      {"seq=1 (user=a OR user=b)", "seq=1 user=a OR seq=1 user=b"},
      {"(user=a OR user=b)(seq=1)", "user=a seq=1 OR user=b seq=1"},
      {"( user=a ) AND ( seq>1 ) AND seq<4", "user=a seq>1 seq<4"},
      {"NOT (user=a seq=1) OR tag=x", "user!=a OR seq!=1 OR tag=x"},
      {"NOT (user=a OR seq=1)", "user!=a seq!=1"},
      {"ANY seq=1", "seq=1"},
      {"seq=1 NONE OR seq=2", "seq=2"},
  };
  for (const auto& [text, canonical] : cases) {
    Expected<KeyQuery> parsed = schema.ParseQuery(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status().message();
    EXPECT_EQ(parsed->ToString(), canonical);
    EXPECT_EQ(*schema.ParseQuery(parsed->ToString()), *parsed);
  }
}

TEST(KeyQuery, ParseErrorsSayWhere) {
  RowKeySchema schema = Schema("user:text(4,'*') day:date seq:u8 h:md5 s:bytes(2) d:text('_') tag:text");
  const std::pair<std::string, std::string> cases[] = {
      {"", "at offset 0: expected a field name, found the end"},
      {"=5", "at offset 0: expected a field name, found '='"},
      {"nobody=5", "at offset 0: the row key has no field 'nobody'; its fields are user, day, seq, h, s, d, tag"},
      {"seq 5", "at offset 4: expected one of = != < <= > >= =~, found '5'"},
      {"seq=", "at offset 4: expected a value, found the end"},
      {"seq=1 OR", "at offset 8: expected a field name, found the end"},
      {"seq=1 AND", "at offset 9: expected a field name, found the end"},
      {"seq=1 2", "at offset 6: expected a field name, found '2'"},
      {"seq=1 OR =5", "at offset 6: the row key has no field 'OR'; its fields are user, day, seq, h, s, d, tag"},
      {"NONE x", "at offset 5: the row key has no field 'x'; its fields are user, day, seq, h, s, d, tag"},
      {"seq=>5", "at offset 4: expected a value; quote one that begins with = < or >, found '>'"},
      {"seq===5", "at offset 5: expected a value; quote one that begins with = < or >, found '='"},
      {"seq=1 && day=20140601", "at offset 6: expected AND or OR, written as words, or a field name, found '&'"},
      {"(seq=1", "at offset 6: expected a closing parenthesis, found the end"},
      {"seq=1)", "at offset 5: expected a condition, AND, OR or the end, found ')'"},
      {"tag=a(b)", "at offset 5: expected the end of the value; quote one with parentheses, found '('"},
      {"user!=~'a?'", "at offset 4: a byte mask (=~) cannot be negated"},
      {"day=2014-13", "at offset 3: field 'day': '2014-13' is not a date like 20140628"},
      {std::string(101, '(') + "seq=1", "at offset 100: parentheses and NOT are nested too deeply"},
      {"user='bob", "at offset 5: expected a closing quote, found the end"},
      {"user='bob'x", "at offset 10: expected a blank before the next condition, found 'x'"},
      {"seq=300", "at offset 3: field 'seq': 300 is not in 0..255"},
      {"seq=1 day=20140631", "at offset 9: field 'day': '20140631' is not a day of the calendar"},
      {"user=alice", "at offset 4: field 'user': 5 bytes do not fit in 4"},
      {"user=alice*", "at offset 4: field 'user': 5 bytes do not fit in 4"},
      {"user=a,b*", "at offset 8: a list can only contain whole values; quote a literal '*'"},
      {"seq=1*", "at offset 3: field 'seq': only text, bytes, digits and dates can be matched by prefix"},
      {"day=20x*", "at offset 3: field 'day': '20x' does not consist of decimal digits"},
      {"h=a..b", "at offset 1: field 'h': a hash does not support ranges"},
      {"seq=~'?'",
       "at offset 3: field 'seq': only text, bytes, digits and dates of fixed width can be matched by a mask"},
      {"tag=~'?'",
       "at offset 3: field 'tag': only text, bytes, digits and dates of fixed width can be matched by a mask"},
      {"s=~'?\?\?'", "at offset 1: field 's': the mask has 3 bytes, the field 2"},
      {"d=a_*", "at offset 1: field 'd': 'a_' contains the delimiter '_'"},
      {"d=a_", "at offset 1: field 'd': 'a_' contains the delimiter '_'"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(schema.ParseQuery(text).status().message(), "key query: " + error) << text;
  }
  EXPECT_EQ(Schema("h:md5(u,2) u:u8").ParseQuery("h=zz").status().message(),
            "key query: at offset 1: field 'h': 'zz' is not a hash of 4 hex digits");
  EXPECT_EQ(schema.ParseQuery(std::string((1 << 20) + 1, ' ')).status().message(),
            "key query: 1048577 bytes of text, at most 1048576 are allowed");
}

TEST(KeyQuery, DatesAndTimes) {
  RowKeySchema schema = Schema("day:date at:ts newest:reverse_ts n:u32");
  constexpr int64_t kNowMs = 1403958645123;  // 2014-06-28T12:30:45.123Z
  const std::pair<std::string, std::string> cases[] = {
      {"day=2014-06-28", "day=20140628"},
      {"day=2014-02", "day=20140201..20140228"},
      {"day=2014-02*", "day=20140201..20140228"},
      {"day=2014", "day=20140101..20141231"},
      {"day=2014*", "day=2014*"},
      {"day>2014-02", "day>20140228"},
      {"day>=2014-02 day<2014-04", "day>=20140201 day<20140401"},
      {"day=2014-02..2014-03", "day=20140201..20140331"},
      {"day!=2014-02", "day<20140201 OR day>20140228"},
      {"day=2014-02,2014-04-01", "day=20140201..20140228 OR day=20140401"},
      {"day=20140105,2014-02", "day=20140201..20140228 OR day=20140105,"},
      {"day=today", "day=20140628"},
      {"day>=today-7d", "day>=20140621"},
      {"at=2014-06-28T12:30:45.123Z", "at=1403958645123"},
      {"at=2014-06-28T12:30:45", "at=1403958645000..1403958645999"},
      {"at=2014-06-28T12:30", "at=1403958600000..1403958659999"},
      {"at='2014-06-28 12:30'", "at=1403958600000..1403958659999"},
      {"at=2014-06-28T14:30+02:00", "at=1403958600000..1403958659999"},
      {"at=2014-06-28T02:30-10:00", "at=1403958600000..1403958659999"},
      {"at=2014-06-28", "at=1403913600000..1403999999999"},
      {"at=2014*", "at=1388534400000..1420070399999"},
      {"at=2014", "at=2014"},
      {"at>=now-1h", "at>=1403955045123"},
      {"newest=now-90m..now", "newest=1403953245123..1403958645123"},
      {"newest<2014-06-28", "newest<1403913600000"},
      {"newest<=2014-06-28", "newest<=1403999999999"},
      {"newest=today", "newest=1403913600000..1403999999999"},
  };
  for (const auto& [text, canonical] : cases) {
    Expected<KeyQuery> parsed = schema.ParseQuery(text, kNowMs);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status().message();
    EXPECT_EQ(parsed->ToString(), canonical) << text;
  }
  for (const char* text : {"at=now-", "at=now-1y", "at=2014-06-31", "at=2014-06-28T25", "at=2014-06-28T12:3", "n=now",
                           "at=2014-06-28Z", "at=1960-01-01T00:00:00.000", "day=today*"}) {
    EXPECT_FALSE(schema.ParseQuery(text, kNowMs).ok()) << text;
  }
  EXPECT_TRUE(schema.ParseQuery("at<now").ok());  // uses the system's clock
  // Keys accept full times, too.
  EXPECT_EQ(*schema.Encode({"2014-06-28", "2014-06-28T12:30:45.123Z", "2014-06-28T12:30:45.123Z", "1"}),
            *schema.Encode({"20140628", "1403958645123", "1403958645123", "1"}));
}

// --- Compilation compared with brute force ---

// Compares as the key does: padded text by its padded bytes, numbers by value.
struct Twin {
  const RowKeySchema& schema;

  bool Less(const KeyField& field, const std::string& a, const std::string& b) const {
    if (field.type == KeyFieldType::kText || field.type == KeyFieldType::kBytes) {
      return Padded(field, a) < Padded(field, b);
    }
    return std::stoll(a) < std::stoll(b);
  }
  static std::string Padded(const KeyField& field, std::string value) {
    if (field.type == KeyFieldType::kBytes) {
      return FromStringBinary(value);
    }
    auto width = static_cast<size_t>(field.width_bytes);
    value.resize(std::max(value.size(), width), field.pad);
    return value;
  }
  static std::string Digits(const KeyField& field, const std::string& value) {
    bool number = field.type == KeyFieldType::kDigits;
    return number ? std::string(static_cast<size_t>(field.width_bytes) - value.size(), '0') + value
                  : Padded(field, value);
  }

  bool Fits(const KeyField& field, const std::string& value, const FieldMatch& match) const {
    if (const auto* exact = std::get_if<Exact>(&match)) {
      return !Less(field, value, exact->value) && !Less(field, exact->value, value);
    }
    if (const auto* starts = std::get_if<StartsWith>(&match)) {
      return Digits(field, value)
          .starts_with(field.type == KeyFieldType::kBytes ? FromStringBinary(starts->prefix) : starts->prefix);
    }
    if (const auto* one_of = std::get_if<OneOf>(&match)) {
      return std::any_of(one_of->values.begin(), one_of->values.end(),
                         [&](const std::string& one) { return Fits(field, value, Exact{one}); });
    }
    if (const auto* none_of = std::get_if<NoneOf>(&match)) {
      return !Fits(field, value, OneOf{none_of->values});
    }
    if (const auto* starts = std::get_if<NotStartsWith>(&match)) {
      return !Fits(field, value, StartsWith{starts->prefix});
    }
    if (const auto* between = std::get_if<Between>(&match)) {
      bool above = !between->low ||
                   (between->include_low ? !Less(field, value, *between->low) : Less(field, *between->low, value));
      return above && (!between->high || (between->include_high ? !Less(field, *between->high, value)
                                                                : Less(field, value, *between->high)));
    }
    if (const auto* mask = std::get_if<ByteMask>(&match)) {
      std::string bytes = Digits(field, value);
      std::string pattern = mask->pattern;
      pattern.resize(std::max(pattern.size(), bytes.size()), field.pad);
      return std::equal(bytes.begin(), bytes.end(), pattern.begin(), pattern.end(),
                        [](char byte, char wanted) { return wanted == '?' || byte == wanted; });
    }
    return true;
  }

  bool Fits(std::string_view row, const KeyQuery& query) const {
    std::vector<std::string> values = *schema.Decode(row);
    return std::any_of(query.any_of.begin(), query.any_of.end(), [&](const KeyBox& box) {
      return std::all_of(box.fields.begin(), box.fields.end(), [&](const auto& condition) {
        auto index = static_cast<size_t>(*schema.FieldIndex(condition.first));
        return Fits(schema.fields()[index], values[index], condition.second);
      });
    });
  }
};

// Every row with these values of its fields.
std::vector<std::string> AllRows(const RowKeySchema& schema, const std::vector<std::vector<std::string>>& values) {
  std::vector<std::string> rows;
  std::vector<std::string> row(values.size());
  std::function<void(size_t)> fill = [&](size_t field) {
    if (field == values.size()) {
      Expected<std::string> key = schema.Encode(row);
      ASSERT_TRUE(key.ok()) << key.status().message();
      rows.push_back(*std::move(key));
      return;
    }
    for (const std::string& value : values[field]) {
      row[field] = value;
      fill(field + 1);
    }
  };
  fill(0);
  return rows;
}

class RandomQueries {
 public:
  RandomQueries(const RowKeySchema& schema, const std::vector<std::vector<std::string>>& values, uint64_t seed)
      : schema_(schema), values_(values), random_(seed) {}

  KeyQuery Next() {
    KeyQuery query;
    for (size_t boxes = 1 + random_() % 3; boxes > 0; --boxes) {
      KeyBox& box = query.any_of.emplace_back();
      size_t next = 0;
      for (const KeyField& field : schema_.fields()) {
        if (field.derived()) {
          continue;
        }
        const std::vector<std::string>& values = values_[next++];
        for (size_t conditions = random_() % 5 < 3 ? 1 : random_() % 3; conditions > 0; --conditions) {
          box.fields.emplace_back(field.name, Condition(field, values));
        }
      }
    }
    return query;
  }

 private:
  FieldMatch Condition(const KeyField& field, const std::vector<std::string>& values) {
    auto any = [&] { return values[random_() % values.size()]; };
    bool textual =
        field.type == KeyFieldType::kText || field.type == KeyFieldType::kBytes || field.type == KeyFieldType::kDigits;
    switch (random_() % 8) {
      case 0:
        return Exact{any()};
      case 1:
        return OneOf{{any(), any(), any()}};
      case 2:
        return Between{.low = random_() % 3 ? std::optional(any()) : std::nullopt,
                       .high = random_() % 3 ? std::optional(any()) : std::nullopt,
                       .include_low = random_() % 2 == 0,
                       .include_high = random_() % 2 == 0};
      case 3:
        if (textual) {
          std::string value = Twin::Digits(field, any());
          return StartsWith{value.substr(0, random_() % (value.size() + 1))};
        }
        return AnyValue{};
      case 4:
        if (textual && field.width_bytes > 0) {
          std::string pattern = Twin::Digits(field, any());
          for (char& c : pattern) {
            c = random_() % 2 ? '?' : c;
          }
          return ByteMask{pattern};
        }
        return Exact{any()};
      case 5:
        return NoneOf{random_() % 2 ? std::vector{any()} : std::vector{any(), any(), any()}};
      case 6:
        if (textual) {
          std::string value = Twin::Digits(field, any());
          return NotStartsWith{value.substr(0, random_() % (value.size() + 1))};
        }
        return NoneOf{{any()}};
      default:
        return AnyValue{};
    }
  }

  const RowKeySchema& schema_;
  const std::vector<std::vector<std::string>>& values_;
  std::mt19937_64 random_;
};

// The rows that a scan over sorted `rows` finds by jumping.
std::vector<std::string> Walk(const filter::RowSet& set, const std::vector<std::string>& rows, bool reversed) {
  std::vector<std::string> found;
  std::unique_ptr<filter::RowCursor> cursor = set.NewCursor(reversed);
  if (!cursor->First()) {
    return found;
  }
  auto below = [&rows](std::string_view target) {
    return std::lower_bound(rows.begin(), rows.end(), target) - rows.begin();
  };
  auto count = static_cast<ptrdiff_t>(rows.size());
  ptrdiff_t at = reversed ? (cursor->target().empty() ? count : below(cursor->target())) - 1 : below(cursor->target());
  while (at >= 0 && at < count) {
    const std::string& row = rows[static_cast<size_t>(at)];
    filter::RowCursor::Verdict verdict = cursor->Look(row);
    if (verdict == filter::RowCursor::Verdict::kEnd) {
      break;
    }
    if (verdict == filter::RowCursor::Verdict::kInside) {
      found.push_back(row);
      at += reversed ? -1 : 1;
      continue;
    }
    EXPECT_TRUE(reversed ? cursor->target() <= row : cursor->target() > row);
    at = reversed ? below(cursor->target()) - 1 : below(cursor->target());
  }
  return found;
}

TEST(Compile, EqualsBruteForce) {
  struct Case {
    std::string schema;
    std::vector<std::vector<std::string>> values;
  };
  const std::vector<std::string> texts = {"", "a", "ab", "abc", "ac", "b", "ba", "!a"};
  const std::vector<std::string> digits = {"0", "1", "9", "10", "19", "90", "99", "100", "123", "199", "999"};
  const std::vector<std::string> numbers = {"0", "1", "2", "127", "128", "254", "255"};
  const std::vector<std::string> signed_numbers = {"-128", "-1", "0", "1", "127"};
  const std::vector<std::string> times = {"0", "1", "1000", "9223372036854775806", "9223372036854775807"};
  const std::vector<Case> cases = {
      {"a:text(3,'*') b:digits(3) c:u8", {texts, digits, numbers}},
      {"a:text(3,'*') desc b:digits(3) desc c:i8 desc", {texts, digits, signed_numbers}},
      {"c:i8 '_' t:reverse_ts u:ts desc", {signed_numbers, times, times}},
      {"t:reverse_ts desc a:bytes(1) d:text(3)", {times, {"a", "?", "z", "A"}, texts}},
      {"a:text('_') b:text('_') c:u8", {texts, texts, numbers}},
      {"c:u8 a:text('\\x00') '--' b:text", {{"1", "255"}, texts, {"", "x", "a", "ab", "abc", "b"}}},
      {"salt(4) a:text(3) n:u8", {texts, numbers}},
      {"salt(3,n) h:md5(a,n,2) a:text('|') n:u8 b:text", {texts, numbers, {"", "q"}}},
      {"h:sha256(a,3) a:digits(3) s:salt(2,n) n:i8", {digits, signed_numbers}},
  };
  uint64_t seed = 1;
  for (const Case& one : cases) {
    RowKeySchema schema = Schema(one.schema);
    std::vector<std::string> rows = AllRows(schema, one.values);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    RandomQueries queries(schema, one.values, seed++);
    Twin twin{schema};
    for (int i = 0; i < 400; ++i) {
      KeyQuery query = queries.Next();
      Expected<std::shared_ptr<const filter::RowSet>> set = schema.Compile(query);
      ASSERT_TRUE(set.ok()) << one.schema << "\n" << query.ToString() << "\n" << set.status().message();
      std::vector<std::string> fit;
      for (const std::string& row : rows) {
        bool fits = twin.Fits(row, query);
        ASSERT_EQ((*set)->Contains(row), fits) << one.schema << "\n" << query.ToString() << "\n" << ToStringBinary(row);
        if (fits) {
          fit.push_back(row);
        }
      }
      ASSERT_EQ(Walk(**set, rows, false), fit) << one.schema << "\n" << query.ToString();
      std::reverse(fit.begin(), fit.end());
      ASSERT_EQ(Walk(**set, rows, true), fit) << one.schema << "\n" << query.ToString();
      Expected<KeyQuery> again = schema.ParseQuery(query.ToString());
      ASSERT_TRUE(again.ok()) << query.ToString() << "\n" << again.status().message();
      EXPECT_EQ(*schema.ParseQuery(again->ToString()), *again);
    }
  }
}

// A random expression as text, and its meaning for a row.
struct Expression {
  std::string text;
  std::function<bool(const std::vector<std::string>& values)> fits;
};

class RandomExpressions {
 public:
  explicit RandomExpressions(uint64_t seed) : random_(seed) {}

  Expression Next(int depth) {
    const uint64_t kind = random_() % (depth > 0 ? 5 : 2);
    if (kind < 2) {
      return Condition();
    }
    if (kind == 2) {
      Expression inner = Next(depth - 1);
      return {"NOT (" + inner.text + ")", [fits = inner.fits](const auto& values) { return !fits(values); }};
    }
    Expression a = Next(depth - 1);
    Expression b = Next(depth - 1);
    if (kind == 3) {
      return {"(" + a.text + ") " + (random_() % 2 ? "AND " : "") + "(" + b.text + ")",
              [x = a.fits, y = b.fits](const auto& values) { return x(values) && y(values); }};
    }
    return {"(" + a.text + " OR " + b.text + ")",
            [x = a.fits, y = b.fits](const auto& values) { return x(values) || y(values); }};
  }

 private:
  // Fields a, b and c hold one digit each.
  Expression Condition() {
    const size_t field = random_() % 3;
    const int number = static_cast<int>(random_() % 10);
    const char* const operators[] = {"=", "!=", "<", "<=", ">", ">=", "<>", "=="};
    const size_t op = random_() % 8;
    auto fits = [field, number, op](const std::vector<std::string>& values) {
      const int value = std::stoi(values[field]);
      switch (op) {
        case 0:
        case 7:
          return value == number;
        case 1:
        case 6:
          return value != number;
        case 2:
          return value < number;
        case 3:
          return value <= number;
        case 4:
          return value > number;
        default:
          return value >= number;
      }
    };
    return {std::string(1, static_cast<char>('a' + field)) + operators[op] + std::to_string(number), fits};
  }

  std::mt19937_64 random_;
};

TEST(Compile, ExpressionsEqualBruteForce) {
  for (const char* text : {"a:digits(1) b:u8 c:text(1)", "salt(3) a:i8 desc b:text('_') c:text"}) {
    RowKeySchema schema = Schema(text);
    std::vector<std::string> digits;
    for (char digit = '0'; digit <= '9'; ++digit) {
      digits.emplace_back(1, digit);
    }
    std::vector<std::string> rows = AllRows(schema, {digits, digits, digits});
    RandomExpressions expressions(1);
    for (int i = 0; i < 200; ++i) {
      Expression expression = expressions.Next(3);
      Expected<KeyQuery> query = schema.ParseQuery(expression.text);
      ASSERT_TRUE(query.ok()) << expression.text << "\n" << query.status().message();
      Expected<std::shared_ptr<const filter::RowSet>> set = schema.Compile(*query);
      ASSERT_TRUE(set.ok()) << expression.text << "\n" << set.status().message();
      for (const std::string& row : rows) {
        std::vector<std::string> values = *schema.Decode(row);
        values.erase(values.begin(), values.end() - 3);  // without the salt
        ASSERT_EQ((*set)->Contains(row), expression.fits(values)) << expression.text << "\n" << ToStringBinary(row);
      }
      // Bounds that only the expansion combined are one condition when parsed again.
      KeyQuery again = *schema.ParseQuery(query->ToString());
      EXPECT_EQ(*schema.ParseQuery(again.ToString()), again) << expression.text;
    }
  }
}

}  // namespace
}  // namespace klip
