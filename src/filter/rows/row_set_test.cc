// Row sets and their cursors compared with the plain test, exhaustively over small key spaces and randomly over larger
// ones.
#include "filter/rows/row_set.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "klip/bytes.h"

namespace klip::filter {
namespace {

using Kind = RowSegment::Kind;
using Verdict = RowCursor::Verdict;
using Keys = std::vector<std::string>;

int64_t g_cases = 0;

RowSegment Any(int width) { return {.kind = Kind::kFixed, .width_bytes = width}; }

RowSegment Fixed(std::vector<ByteInterval> intervals) {
  RowSegment segment{.kind = Kind::kFixed, .width_bytes = static_cast<int>(intervals[0].low.size())};
  segment.intervals = std::move(intervals);
  return segment;
}

RowSegment Point(const std::string& bytes) { return Fixed({{bytes, bytes}}); }

RowSegment Delimited(char delimiter, std::vector<ByteInterval> intervals = {}) {
  return {.kind = Kind::kDelimited, .delimiter = delimiter, .intervals = std::move(intervals)};
}

RowSegment Rest(std::vector<ByteInterval> intervals) {
  return {.kind = Kind::kRest, .intervals = std::move(intervals)};
}

Keys AllKeys(std::string_view letters, size_t longest) {
  Keys keys = {""};
  for (size_t from = 0, length = 0; length < longest; ++length) {
    size_t end = keys.size();
    for (; from < end; ++from) {
      for (char letter : letters) {
        keys.push_back(keys[from] + letter);
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

size_t ShortestOf(const Keys& keys) {
  size_t shortest = std::string::npos;
  for (const std::string& key : keys) {
    shortest = std::min(shortest, key.size());
  }
  return keys.empty() ? 0 : shortest;
}

// The keys' leads, cut in some way, and a value with which none of them begins.
std::shared_ptr<const KnownLeads> LeadsOf(const Keys& keys) {
  static std::minstd_rand random(1);
  std::vector<KeyPart> parts(1 + random() % 3);
  for (KeyPart& part : parts) {
    switch (random() % 4) {
      case 0:
        part.delimiter = keys.empty() || keys.back().empty() ? '_' : keys.back().back();
        break;
      case 1:
        break;  // the rest
      default:
        part.width_bytes = static_cast<int>(1 + random() % 3);
    }
  }
  LeadingValues values(parts);
  LeadingValuesWriter writer;
  for (const std::string& key : keys) {
    writer.Add(&values, key);
  }
  writer.Add(&values, keys.empty() ? "x" : keys[random() % keys.size()] + "a");
  return values.Known();
}

// The rows that a scan returns if it trusts the cursor. Checks that every answer makes progress.
Keys WalkUp(const RowSet& set, const Keys& keys, const KnownRows& known, std::string* fault) {
  Keys out;
  auto cursor = set.NewCursor(false, known);
  if (!cursor->First()) {
    return out;
  }
  auto at = std::lower_bound(keys.begin(), keys.end(), cursor->target());
  while (at != keys.end()) {
    Verdict verdict = cursor->Look(*at);
    if (verdict == Verdict::kEnd) {
      break;
    }
    if (verdict == Verdict::kJump) {
      if (cursor->target() <= *at) {
        *fault = "target " + ToStringBinary(cursor->target()) + " not above " + ToStringBinary(*at);
        return out;
      }
      at = std::lower_bound(at, keys.end(), cursor->target());
      continue;
    }
    auto first = at;
    out.push_back(*at);
    for (++at; at != keys.end(); ++at) {
      if (cursor->has_run() && (cursor->run_end().empty() || *at < cursor->run_end()) && !set.Contains(*at)) {
        *fault = "run from " + ToStringBinary(*first) + " holds " + ToStringBinary(*at);
      }
      if (!cursor->InRun(*at)) {
        break;
      }
      out.push_back(*at);
    }
  }
  return out;
}

Keys WalkDown(const RowSet& set, const Keys& keys, const KnownRows& known, std::string* fault) {
  Keys out;
  auto cursor = set.NewCursor(true, known);
  if (!cursor->First()) {
    return out;
  }
  auto end = cursor->target().empty() ? keys.end() : std::lower_bound(keys.begin(), keys.end(), cursor->target());
  while (end != keys.begin()) {
    const std::string& row = *(end - 1);
    Verdict verdict = cursor->Look(row);
    if (verdict == Verdict::kEnd) {
      break;
    }
    if (verdict == Verdict::kJump) {
      if (cursor->target() > row) {
        *fault = "bound " + ToStringBinary(cursor->target()) + " above " + ToStringBinary(row);
        return out;
      }
      end = std::lower_bound(keys.begin(), end, cursor->target());
      continue;
    }
    out.push_back(row);
    for (--end; end != keys.begin(); --end) {
      const std::string& next = *(end - 1);
      if (cursor->has_run() && next >= cursor->run_end() && !set.Contains(next)) {
        *fault = "run from " + ToStringBinary(row) + " holds " + ToStringBinary(next);
      }
      if (!cursor->InRun(next)) {
        break;
      }
      out.push_back(next);
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Keys Members(const RowSet& set, const Keys& keys) {
  Keys out;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(out),
               [&](const std::string& key) { return set.Contains(key); });
  return out;
}

std::string Printed(const Keys& keys) {
  std::string out;
  for (const std::string& key : keys) {
    out += ToStringBinary(key) + " ";
  }
  return out;
}

// Both directions, with and without knowing the shortest row.
bool Check(const RowSet& set, const Keys& keys) {
  Keys wanted = Members(set, keys);
  const KnownRows shortest{.shortest_row_bytes = ShortestOf(keys)};
  for (const KnownRows& known :
       {KnownRows(), shortest, KnownRows{.leads = LeadsOf(keys)},
        KnownRows{.shortest_row_bytes = shortest.shortest_row_bytes, .leads = LeadsOf(keys)}}) {
    for (bool reversed : {false, true}) {
      ++g_cases;
      std::string fault;
      Keys found = reversed ? WalkDown(set, keys, known, &fault) : WalkUp(set, keys, known, &fault);
      if (found != wanted || !fault.empty()) {
        ADD_FAILURE() << set.ToString() << (reversed ? " reversed" : "") << " shortest " << known.shortest_row_bytes
                      << " leads " << (known.leads == nullptr ? "?" : Printed(known.leads->values)) << "\n"
                      << fault << "\nkeys   " << Printed(keys) << "\nfound  " << Printed(found) << "\nwanted "
                      << Printed(wanted);
        return false;
      }
    }
  }
  return true;
}

Keys Sample(const Keys& keys, double share, std::mt19937_64* random) {
  Keys out;
  std::bernoulli_distribution take(share);
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(out), [&](const std::string&) { return take(*random); });
  return out;
}

bool CheckWithSubsets(const RowSet& set, const Keys& keys, std::mt19937_64* random) {
  return Check(set, keys) && Check(set, Sample(keys, 0.5, random)) && Check(set, Sample(keys, 0.1, random));
}

// A sorted, disjoint list of intervals of `width` bytes.
std::vector<ByteInterval> RandomIntervals(std::string_view letters, size_t width, std::mt19937_64* random) {
  auto pick = [&](size_t count) { return static_cast<size_t>((*random)() % count); };
  std::vector<std::string> ends;
  size_t count = 2 * (1 + pick(3));
  for (size_t i = 0; i < count; ++i) {
    std::string value;
    for (size_t k = 0; k < width; ++k) {
      value.push_back(letters[pick(letters.size())]);
    }
    ends.push_back(value);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<ByteInterval> out;
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    const std::string& high = pick(3) == 0 ? ends[i] : ends[i + 1];
    if (out.empty() || out.back().high < ends[i]) {
      out.push_back({ends[i], high});
    }
  }
  return out;
}

// The same for values of any length.
std::vector<ByteInterval> RandomVariableIntervals(const Keys& values, std::mt19937_64* random) {
  auto pick = [&](size_t count) { return static_cast<size_t>((*random)() % count); };
  std::vector<size_t> ends;
  for (size_t i = 0; i < 2 * (1 + pick(3)); ++i) {
    ends.push_back(pick(values.size()));
  }
  std::sort(ends.begin(), ends.end());
  std::vector<ByteInterval> out;
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    ByteInterval interval{values[ends[i]], values[pick(3) == 0 ? ends[i] : ends[i + 1]], pick(3) == 0};
    if (!out.empty() &&
        (out.back().high >= interval.low || (out.back().high_is_prefix && interval.low.starts_with(out.back().high)))) {
      continue;
    }
    out.push_back(std::move(interval));
  }
  return out;
}

std::vector<RowRange> RandomRanges(const Keys& keys, std::mt19937_64* random) {
  std::vector<RowRange> out;
  size_t count = (*random)() % 4;
  for (size_t i = 0; i < count; ++i) {
    RowRange range{keys[(*random)() % keys.size()], (*random)() % 2 == 0, keys[(*random)() % keys.size()],
                   (*random)() % 2 == 0};
    if (!range.stop.empty() && range.start > range.stop) {
      std::swap(range.start, range.stop);
    }
    out.push_back(std::move(range));
  }
  return out;
}

RowBox RandomBox(std::string_view letters, const Keys& keys, std::mt19937_64* random) {
  auto pick = [&](size_t count) { return static_cast<size_t>((*random)() % count); };
  RowBox box;
  if (pick(3) == 0) {
    box.ranges = RandomRanges(keys, random);
  }
  size_t count = pick(4);
  for (size_t i = 0; i < count; ++i) {
    size_t width = 1 + pick(2);
    switch (pick(5)) {
      case 0:
      case 1:
        box.segments.push_back(Any(static_cast<int>(width)));
        break;
      case 2:
      case 3:
        box.segments.push_back(Fixed(RandomIntervals(letters, width, random)));
        break;
      default:
        box.segments.push_back(Delimited(letters[pick(letters.size())]));
        if (pick(2) == 0) {
          box.segments.back().intervals = RandomVariableIntervals(keys, random);
        }
    }
  }
  if (pick(4) == 0) {
    box.segments.push_back(Rest(RandomVariableIntervals(keys, random)));
  }
  if (pick(3) == 0) {
    box.min_row_bytes = pick(5);
  }
  if (pick(3) == 0) {
    box.max_row_bytes = box.min_row_bytes + pick(4);
  }
  return box;
}

class RowSetExhaustive : public testing::Test {
 protected:
  static void TearDownTestSuite() {
    RecordProperty("cases", std::to_string(g_cases));
    printf("[   cases  ] %lld walks\n", static_cast<long long>(g_cases));
  }
  std::mt19937_64 random_{20140628};
};

// Every mask of up to three bytes, each byte any or one letter, with every minimum and maximum of row bytes.
TEST_F(RowSetExhaustive, Masks) {
  const std::string letters("\0\x01\xff", 3);
  const Keys keys = AllKeys(letters, 3);
  for (size_t width = 0; width <= 3; ++width) {
    size_t masks = width == 0 ? 1 : width == 1 ? 4 : width == 2 ? 16 : 64;
    for (size_t mask = 0; mask < masks; ++mask) {
      for (size_t least = 0; least <= 3; ++least) {
        for (size_t most : {size_t{2}, size_t{3}, std::string::npos}) {
          RowBox box{.min_row_bytes = least, .max_row_bytes = most};
          for (size_t i = 0, left = mask; i < width; ++i, left /= 4) {
            box.segments.push_back(left % 4 == 3 ? Any(1) : Point(std::string(1, letters[left % 4])));
          }
          ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes({box}), keys, &random_));
        }
      }
    }
  }
}

// Every interval in every place of two segments.
TEST_F(RowSetExhaustive, Intervals) {
  const std::string letters("\0a\xff", 3);
  const Keys keys = AllKeys(letters, 3);
  for (int first : {1, 2}) {
    Keys values = AllKeys(letters, static_cast<size_t>(first));
    std::erase_if(values, [first](const std::string& value) { return value.size() != static_cast<size_t>(first); });
    for (size_t low = 0; low < values.size(); ++low) {
      for (size_t high = low; high < values.size(); ++high) {
        for (const RowSegment& other : {Any(1), Point("a"), Point("\xff"), Fixed({{std::string(1, 0), "a"}})}) {
          RowSegment segment = Fixed({{values[low], values[high]}});
          ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes({RowBox{.segments = {segment, other}}}), keys, &random_));
          ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes({RowBox{.segments = {other, segment}}}), keys, &random_));
        }
      }
    }
  }
}

TEST_F(RowSetExhaustive, Ranges) {
  const Keys keys = AllKeys(std::string("\0a\xff", 3), 2);
  for (const std::string& start : keys) {
    for (const std::string& stop : keys) {
      for (int flags = 0; flags < 4; ++flags) {
        RowRange range{start, (flags & 1) != 0, stop, (flags & 2) != 0};
        ASSERT_TRUE(CheckWithSubsets(*RowSet::FromRanges({range}), keys, &random_));
        RowBox box{.ranges = {range}, .segments = {Any(1), Point("a")}};
        ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes({box}), keys, &random_));
      }
    }
  }
}

TEST_F(RowSetExhaustive, RandomBoxes) {
  for (std::string_view letters :
       {std::string_view("\0\x01\xff", 3), std::string_view("a,b|", 4), std::string_view("\0a\xfe\xff", 4)}) {
    const Keys keys = AllKeys(letters, 4);
    for (int i = 0; i < 1500; ++i) {
      RowBox box = RandomBox(letters, keys, &random_);
      ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes({box}), keys, &random_));
    }
  }
}

TEST_F(RowSetExhaustive, RandomUnions) {
  const std::string letters("\0a,\xff", 4);
  const Keys keys = AllKeys(letters, 3);
  for (int i = 0; i < 1500; ++i) {
    std::vector<RowBox> boxes;
    for (size_t k = 0; k < 2 + i % 5u; ++k) {
      boxes.push_back(RandomBox(letters, keys, &random_));
    }
    auto set = RowSet::FromBoxes(boxes);
    ASSERT_TRUE(CheckWithSubsets(*set, keys, &random_));
    for (const std::string& key : keys) {
      bool any = false;
      for (const RowBox& box : boxes) {
        any = any || RowSet::FromBoxes({box})->Contains(key);
      }
      ASSERT_EQ(set->Contains(key), any) << ToStringBinary(key) << " in " << set->ToString();
    }
  }
}

TEST_F(RowSetExhaustive, RandomIntersections) {
  const std::string letters("\0a\xff", 3);
  const Keys keys = AllKeys(letters, 4);
  int with_form = 0;
  for (int i = 0; i < 2000; ++i) {
    auto a = RowSet::FromBoxes({RandomBox(letters, keys, &random_), RandomBox(letters, keys, &random_)});
    auto b = RowSet::FromBoxes({RandomBox(letters, keys, &random_)});
    auto both = RowSet::Intersect(*a, *b);
    if (both == nullptr) {
      continue;
    }
    ++with_form;
    for (const std::string& key : keys) {
      ASSERT_EQ(both->Contains(key), a->Contains(key) && b->Contains(key))
          << ToStringBinary(key) << ": " << a->ToString() << " and " << b->ToString() << " = " << both->ToString();
    }
    ASSERT_TRUE(Check(*both, keys));
  }
  EXPECT_GT(with_form, 700);
}

TEST_F(RowSetExhaustive, BoundsHoldTheSet) {
  const std::string letters("\0a\xff", 3);
  const Keys keys = AllKeys(letters, 4);
  for (int i = 0; i < 1000; ++i) {
    auto set = RowSet::FromBoxes({RandomBox(letters, keys, &random_), RandomBox(letters, keys, &random_)});
    auto bounds = RowSet::FromRanges({set->Bounds()});
    for (const std::string& key : keys) {
      ASSERT_TRUE(key.empty() || !set->Contains(key) || bounds->Contains(key))
          << ToStringBinary(key) << " in " << set->ToString() << " not in " << bounds->ToString();
    }
  }
}

// If all rows have the box's width, a jump up leads to a member, and a jump down to just above one.
TEST_F(RowSetExhaustive, TargetsAreTheNextMembers) {
  const std::string letters("\0\x01\xff", 3);
  Keys keys = AllKeys(letters, 4);
  std::erase_if(keys, [](const std::string& key) { return key.size() != 4; });
  for (int i = 0; i < 1000; ++i) {
    RowBox box;
    for (int k = 0; k < 4; ++k) {
      box.segments.push_back(random_() % 2 == 0 ? Any(1) : Fixed(RandomIntervals(letters, 1, &random_)));
    }
    auto set = RowSet::FromBoxes({box});
    for (bool reversed : {false, true}) {
      auto cursor = set->NewCursor(reversed, {.shortest_row_bytes = 4});
      for (const std::string& key : keys) {
        if (cursor->Look(key) != Verdict::kJump) {
          continue;
        }
        std::string member(cursor->target());
        if (reversed) {  // the member just below the bound, to 4 bytes
          for (size_t k = member.size(); k-- > 0 && member[k]-- == '\0';) {
          }
        }
        member.resize(4, reversed ? '\xff' : '\0');
        ASSERT_TRUE(set->Contains(member)) << ToStringBinary(cursor->target()) << " from " << ToStringBinary(key)
                                           << " in " << set->ToString() << " reversed " << reversed;
        ++g_cases;
      }
    }
  }
}

// Longer keys of fixed width, as in schemas.
TEST_F(RowSetExhaustive, RandomWideKeys) {
  auto pick = [&](size_t count) { return static_cast<size_t>(random_() % count); };
  for (int round = 0; round < 60; ++round) {
    Keys keys;
    for (int i = 0; i < 2000; ++i) {
      std::string key;
      for (int k = 0; k < 12; ++k) {
        key.push_back(k < 4   ? static_cast<char>('a' + pick(3))
                      : k < 8 ? static_cast<char>(pick(4) * 85)
                              : static_cast<char>('x' + pick(2)));
      }
      keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<RowBox> boxes;
    for (size_t b = 0; b < 1 + pick(3); ++b) {
      RowBox box{.segments = {Any(4), Fixed(RandomIntervals(std::string("\0\x55\xaa\xff", 4), 4, &random_)), Any(4)}};
      if (pick(2) == 0) {
        box.segments[0] = Fixed(RandomIntervals("abc", 4, &random_));
      }
      if (pick(2) == 0) {
        box.segments[2] = Fixed(RandomIntervals("xy", 4, &random_));
      }
      box.min_row_bytes = box.max_row_bytes = 12;
      boxes.push_back(box);
    }
    ASSERT_TRUE(CheckWithSubsets(*RowSet::FromBoxes(boxes), keys, &random_));
  }
}

std::vector<ByteInterval> EveryThird(int count) {
  std::vector<ByteInterval> intervals;
  for (int i = 0; i < count; ++i) {
    std::string value = BigEndian<uint16_t>(static_cast<uint16_t>(3 * i));
    intervals.push_back({value, value});
  }
  return intervals;
}

TEST_F(RowSetExhaustive, ThousandIntervals) {
  Keys keys;
  for (uint16_t user = 0; user < 4; ++user) {
    for (uint16_t day = 0; day < 3100; ++day) {
      keys.push_back(BigEndian(user) + BigEndian(day) + "x");
    }
  }
  RowBox box{.segments = {Any(2), Fixed(EveryThird(1000)), Point("x")}};
  auto set = RowSet::FromBoxes({box});
  EXPECT_EQ(Members(*set, keys).size(), 4000u);
  EXPECT_TRUE(CheckWithSubsets(*set, keys, &random_));
}

TEST(RowCursor, HeadlineJumpsOncePerUser) {
  RowBox box{.segments = {Any(10), Point("20140628"), Any(20)}, .min_row_bytes = 38, .max_row_bytes = 38};
  auto set = RowSet::FromBoxes({box});
  EXPECT_EQ(set->ToString(), "??????????20140628???????????????????? bytes 38..38");
  auto cursor = set->NewCursor(false);
  ASSERT_TRUE(cursor->First());
  EXPECT_EQ(cursor->target(), std::string(10, '\0') + "20140628");
  ASSERT_EQ(cursor->Look("alice*****20140628foo.bar*************"), Verdict::kInside);
  EXPECT_TRUE(cursor->InRun("alice*****20140628foo.com*************"));
  EXPECT_FALSE(cursor->InRun("alice*****20140628foo.com"));
  EXPECT_FALSE(cursor->has_run());  // rows of other lengths may lie in between
  EXPECT_TRUE(cursor->run_end().empty());
  EXPECT_FALSE(cursor->InRun("alice*****20140629foo.com*************"));
  ASSERT_EQ(cursor->Look("alice*****20140629foo.bar*************"), Verdict::kJump);
  EXPECT_EQ(cursor->target(), "alice****+20140628");
  EXPECT_EQ(cursor->level(), 0);
  ASSERT_EQ(cursor->Look("bob*******20140101foo.bar*************"), Verdict::kJump);
  EXPECT_EQ(cursor->target(), "bob*******20140628");
  EXPECT_EQ(cursor->level(), 1);
  ASSERT_EQ(cursor->Look(std::string(10, '\xff') + "20140629foo.bar*************"), Verdict::kEnd);

  auto down = set->NewCursor(true);
  ASSERT_EQ(down->Look("alice*****20140627foo.bar*************"), Verdict::kJump);
  EXPECT_EQ(down->target(), "alice****)20140629");
  ASSERT_EQ(down->Look("alice*****20140701foo.bar*************"), Verdict::kJump);
  EXPECT_EQ(down->target(), "alice*****20140629");
}

TEST(RowCursor, ShortRowsAreNotJumpedOverUnlessThereAreNone) {
  RowBox box{.segments = {Point("a"), Any(1), Point("x")}};
  auto set = RowSet::FromBoxes({box});
  EXPECT_TRUE(set->Contains("a"));
  EXPECT_TRUE(set->Contains("a2"));
  EXPECT_FALSE(set->Contains("b"));
  auto careful = set->NewCursor(false);
  ASSERT_EQ(careful->Look("a2y"), Verdict::kJump);
  EXPECT_EQ(careful->target(), "a3");
  auto knowing = set->NewCursor(false, {.shortest_row_bytes = 3});
  ASSERT_EQ(knowing->Look("a2y"), Verdict::kJump);
  EXPECT_EQ(knowing->target(), "a3x");
}

TEST(RowSet, NormalForm) {
  auto ranges = RowSet::FromRanges({{"b", true, "c", false}, {"a", true, "b", false}, {"d", true, "d", false}});
  EXPECT_EQ(ranges->ToString(), "[a,c)");
  EXPECT_EQ(RowSet::FromRanges({{"a", true, "b", false}, {"b", false, "c", false}})->ToString(), "[a,b)+(b,c)");
  EXPECT_TRUE(RowSet::FromRanges({{"b", false, "b", true}})->empty());
  EXPECT_TRUE(RowSet::FromRanges({})->empty());
  EXPECT_EQ(RowSet::None()->ToString(), "none");
  EXPECT_EQ(RowSet::All()->ToString(), "all");
  EXPECT_EQ(RowSet::FromRanges({{"", true, "b", false}, {"a", true, "", false}}), RowSet::All());
  EXPECT_TRUE(RowSet::FromBoxes({RowBox{.min_row_bytes = 3, .max_row_bytes = 2}})->empty());
  RowBox box{.segments = {Any(2), Point("x")}};
  EXPECT_EQ(RowSet::FromBoxes({box, box})->boxes().size(), 1u);
  EXPECT_EQ(RowSet::Union(*ranges, *RowSet::FromBoxes({box}))->ToString(), "??x | [a,c)");
  EXPECT_EQ(RowSet::Intersect(*ranges, *RowSet::FromBoxes({box}))->ToString(), "[a,c) & ??x");
}

TEST(RowSet, PointsOfFullKeys) {
  RowBox box{.segments = {Fixed({{"a", "a"}, {"c", "c"}}), Fixed({{"1", "1"}, {"2", "2"}})},
             .min_row_bytes = 2,
             .max_row_bytes = 2};
  EXPECT_EQ(RowSet::FromBoxes({box})->Points(4), (Keys{"a1", "a2", "c1", "c2"}));
  EXPECT_TRUE(RowSet::FromBoxes({box})->Points(3).empty());
  box.ranges = {{"a2", true, "c2", false}};
  EXPECT_EQ(RowSet::FromBoxes({box})->Points(4), (Keys{"a2", "c1"}));
  box.max_row_bytes = 3;
  EXPECT_TRUE(RowSet::FromBoxes({box})->Points(4).empty());
  EXPECT_EQ(RowSet::FromRanges({{"a", true, "a", true}, {"b", true, "b", true}})->Points(2), (Keys{"a", "b"}));
  EXPECT_TRUE(RowSet::FromRanges({{"a", true, "b", true}})->Points(2).empty());
}

TEST(RowSet, IntersectGivesUpRatherThanMultiplyOut) {
  RowBox months{.segments = {Fixed({{"aa", "bc"}})}};
  RowBox mask{.segments = {Any(1), Point("c")}};
  EXPECT_EQ(RowSet::Intersect(*RowSet::FromBoxes({months}), *RowSet::FromBoxes({mask})), nullptr);
}

}  // namespace
}  // namespace klip::filter
